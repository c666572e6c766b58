// SPDX-License-Identifier: Apache-2.0
#include "cli/common.hpp"

#include <charconv>
#include <csignal>
#include <cstdio>

#include "pegrasp/names.hpp"

namespace pegrasp::cli {

void ProblemOptions::add_simulation(CLI::App& app) {
  app.add_option("--h", step_, "step size [s] (simulation.h_ms)")->check(CLI::PositiveNumber);
  app.add_option("--contact", contact_, "contact model (simulation.contact)")->check(CLI::IsMember(contact_names()));
  app.add_option("--solver", solver_, "solver of a step (simulation.solver)")->check(CLI::IsMember(solver_names()));
  auto* strict = app.add_flag("--strict", strict_, "the same bits on every machine (default)");
  app.add_flag("--fast", fast_, "contraction and a float solver; labelled in every result")->excludes(strict);
  app.add_option("--set", sets_, "KEY=VALUE for any key of the problem, e.g. body.gear.mass_kg=0.05 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void ProblemOptions::add_map(CLI::App& app) {
  add_simulation(app);
  app.add_option("--duration", duration_, "time limit of a trial [s] (simulation.duration_s)")->check(CLI::NonNegativeNumber);
  app.add_option("--samples", samples_, "samples a cell (map.samples)")->check(CLI::PositiveNumber);
  app.add_option("--seed", seed_, "seed of the samples (map.seed)")->check(CLI::NonNegativeNumber);
}

std::vector<Override> ProblemOptions::overrides() const {
  std::vector<Override> all;
  for (const std::string& set : sets_) {
    const auto equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("--set " + set + ": is not KEY=VALUE; write for example --set body.gear.mass_kg=0.05");
    }
    all.push_back({set.substr(0, equals), set.substr(equals + 1)});
  }
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  if (step_ > 0.0) all.push_back({"simulation.h_ms", shortest(1e3 * step_)});
  if (duration_ >= 0.0) all.push_back({"simulation.duration_s", shortest(duration_)});
  if (!contact_.empty()) all.push_back({"simulation.contact", quoted(contact_)});
  if (!solver_.empty()) all.push_back({"simulation.solver", quoted(solver_)});
  if (strict_) all.push_back({"simulation.arithmetic", quoted("strict")});
  if (fast_) all.push_back({"simulation.arithmetic", quoted("fast")});
  if (samples_ >= 0) all.push_back({"map.samples", std::to_string(samples_)});
  if (seed_ >= 0) all.push_back({"map.seed", std::to_string(seed_)});
  return all;
}

std::atomic<bool>& stop_requested() {
  static std::atomic<bool> flag{false};
  return flag;
}

namespace {
extern "C" void on_stop_signal(int) { stop_requested().store(true); }
}  // namespace

void install_stop_signals() {
  stop_requested();  // made before a signal can come
  std::signal(SIGINT, on_stop_signal);
  std::signal(SIGTERM, on_stop_signal);
}

std::string digits17(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string shortest(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

}  // namespace pegrasp::cli

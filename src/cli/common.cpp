// SPDX-License-Identifier: Apache-2.0
#include "src/cli/common.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <system_error>

#include "pegrasp/names.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/problem/keys.hpp"
#include "src/problem/limits.hpp"
#include "src/problem/simulation_overrides.hpp"
#include "src/text/document.hpp"
#include "src/text/printable.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp::cli {

namespace {

CLI::Validator number_check(const char* must_be, bool zero_too, double most = std::numeric_limits<double>::max()) {
  return CLI::Validator(
      [must_be, zero_too, most](std::string& text) -> std::string {
        double value = 0.0;
        const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        if (number && value <= most && (value > 0.0 || (zero_too && value == 0.0))) return {};
        return text + " must be " + must_be;
      },
      "");
}

// Also text that no integer holds is out of range: nothing saturates.
bool is_whole(const std::string& text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && value >= low && value <= high;
}

}  // namespace

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) -> std::string {
        if (is_whole(text, low, high)) return {};
        return text + " must be a whole number from " + std::to_string(low) + " to " + std::to_string(high);
      },
      "");
}
CLI::Validator one_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  return CLI::Validator(
      [names, list](std::string& text) -> std::string {
        if (std::find(names.begin(), names.end(), text) != names.end()) return {};
        const std::string near = suggestion(text, names);
        const bool helps = near.find("did you mean") != std::string::npos;
        return text + " not in {" + list + "}" + (helps ? near : "");
      },
      "{" + list + "}");
}
CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) -> std::string { return text.empty() ? "must not be empty; name a place" : ""; }, "");
}
CLI::Validator positive() { return number_check("a number above 0", false); }
CLI::Validator non_negative() { return number_check("a number, 0 or more", true); }
CLI::Validator share_of_all() { return number_check("a share above 0, at most 1", false, 1.0); }

void ProblemOptions::add_simulation(CLI::App& app, const std::string& time_limit) {
  app.add_option("--h", step_, "step size [s] (simulation.h_ms)")->check(positive())->type_name("S");
  app.add_option(time_limit, duration_, "time limit [s] (simulation.duration_s)")->check(positive())->type_name("S");
  app.add_option("--contact", contact_, "contact model (simulation.contact)")->check(one_of(contact_names()));
  app.add_option("--solver", solver_, "solver of a step (simulation.solver)")->check(one_of(solver_names()));
  app.add_option("--strategy", strategy_,
                 "how scenes are computed: per-scene, or batched for large scenes (simulation.strategy)")
      ->check(one_of(strategy_names()));
  auto* strict =
      app.add_flag("--strict", strict_, "strict arithmetic: the same results, bit by bit, on every machine (default)");
  app.add_flag("--fast", fast_,
               "fast arithmetic: a solver in single precision, for GPUs (slower on a CPU); every result names it")
      ->excludes(strict);
  app.add_flag("--urdf-hull", urdf_hull_, "take the convex hulls of the meshes of robots (urdf.hull)");
  app.add_flag("--space", space_, "run a planar problem in 3D (space.lift; needs [space] in the file)");
  app.add_option(
         "--set", sets_,
         "sets any key of the problem, for example body.gear.mass_kg=0.05; may be repeated; of a scene file, keys "
         "simulation.KEY only")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void ProblemOptions::add_map(CLI::App& app, bool samples) {
  app.add_flag("--forces", forces_, "keep the grip force and the margin to slip of every trial (map.forces)");
  add_simulation(app, "--duration");
  if (samples) {
    app.add_option("--samples", samples_, "samples per cell, with map.until at most (map.samples)")
        ->check(whole_number(1, most_samples));
  }
  app.add_option("--seed", seed_, "seed of the random numbers (map.seed)")
      ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
}

void ProblemOptions::add_until(CLI::App& app) {
  app.add_option(
         "--until", until_,
         "sample each cell until its 95 % interval is narrow enough (half_width=0.02), or lies on one side of a "
         "threshold (decided=0.95), or --samples are used up; may be given for both (map.until)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void ProblemOptions::add_refine(CLI::App& app) {
  app.add_option("--refine", refine_,
                 "add cells where the map is steep: levels=2 halves the distances twice where neighbours' rates differ "
                 "by more than difference=0.25 or lie on both sides of threshold=T; at most cells=N; may be repeated "
                 "(map.refine)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void ProblemOptions::add_rows(CLI::App& app) {
  app.add_option("--samples-from", rows_,
                 "CSV or HDF5 file with a row for each trial; its columns are keys, as in --set, or names of uncertain "
                 "parameters; all else is drawn (map.samples_from)")
      ->type_name("FILE")
      ->check(not_empty());
}

std::vector<Override> ProblemOptions::set_overrides() const {
  std::vector<Override> all;
  for (const std::string& set : sets_) {
    const auto equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("--set " + set + ": is not KEY=VALUE; write, for example, --set body.gear.mass_kg=0.05");
    }
    all.push_back({set.substr(0, equals), set.substr(equals + 1)});
  }
  return all;
}

std::vector<Override> ProblemOptions::overrides() const {
  std::vector<Override> all = set_overrides();
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  if (step_ > 0.0) all.push_back({"simulation.h_ms", shortest(1e3 * step_)});
  if (duration_ >= 0.0) all.push_back({"simulation.duration_s", shortest(duration_)});
  if (!contact_.empty()) all.push_back({"simulation.contact", quoted(contact_)});
  if (!solver_.empty()) all.push_back({"simulation.solver", quoted(solver_)});
  if (!strategy_.empty()) all.push_back({"simulation.strategy", quoted(strategy_)});
  if (strict_) all.push_back({"simulation.arithmetic", quoted("strict")});
  if (fast_) all.push_back({"simulation.arithmetic", quoted("fast")});
  if (space_) all.push_back({"space.lift", "true"});
  if (urdf_hull_) all.push_back({"urdf.*.hull", "true"});
  if (forces_) all.push_back({"map.forces", "true"});
  if (!rows_.empty()) {
    if (samples_ >= 0) throw InputError("--samples: the rows of --samples-from are the samples; leave it out");
    std::error_code error;
    const std::filesystem::path file = std::filesystem::absolute(rows_, error);
    if (error) throw InputError("--samples-from " + printable(rows_) + ": is no path; give that of a file");
    all.push_back({"map.samples_from", write_value(Node::of(file.string()))});
  }
  if (samples_ >= 0) all.push_back({"map.samples", std::to_string(samples_)});
  for (const std::string& until : until_) {
    const auto equals = until.find('=');
    const std::string key = until.substr(0, equals);
    if (equals == std::string::npos || (key != "half_width" && key != "decided")) {
      throw InputError("--until " + until +
                       ": is neither half_width=WIDTH nor decided=THRESHOLD; write, for example, "
                       "--until decided=0.95");
    }
    all.push_back({"map.until." + key, until.substr(equals + 1)});
  }
  for (const std::string& refine : refine_) {
    const auto equals = refine.find('=');
    const std::string key = refine.substr(0, equals);
    const bool known = std::find(keys::refine.begin(), keys::refine.end(), key) != keys::refine.end();
    if (equals == std::string::npos || !known) {
      throw InputError("--refine " + refine +
                       ": is none of levels=N, difference=D, threshold=T, cells=N and axes=[...]; write, for example, "
                       "--refine levels=2");
    }
    all.push_back({"map.refine." + key, refine.substr(equals + 1)});
  }
  if (seed_ >= 0) all.push_back({"map.seed", std::to_string(seed_)});
  return all;
}

void ProblemOptions::apply(const std::string& file, StepOptions& options, Arithmetic& arithmetic,
                           SceneSpec& scene) const {
  if (!rows_.empty()) throw InputError(file + ": --samples-from is for problem files; a scene file holds one scene");
  if (space_) throw InputError(file + ": --space is for problem files; a scene file in 3D has \"dim\": 3");
  std::vector<Override> sets = set_overrides();
  if (!sets.empty() && !contact_.empty()) sets.push_back({"simulation.contact", "\"" + contact_ + "\""});
  if (!sets.empty() && !solver_.empty()) sets.push_back({"simulation.solver", "\"" + solver_ + "\""});
  override_simulation(sets, file, options, arithmetic, scene);
  const auto index = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  if (step_ > 0.0) options.h = step_;
  if (duration_ > 0.0) options.duration = duration_;
  if (!contact_.empty()) options.contact = static_cast<ContactModel>(index(contact_names(), contact_));
  if (!solver_.empty()) options.solver = static_cast<SolverKind>(index(solver_names(), solver_));
  if (!strategy_.empty()) options.strategy = static_cast<Strategy>(index(strategy_names(), strategy_));
  if (strict_) arithmetic = Arithmetic::strict;
  if (fast_) arithmetic = Arithmetic::fast;
}

Problem read_problem(const std::string& name, const std::vector<Override>& overrides) {
  const auto text = console().texts.find(name);
  return text != console().texts.end() ? parse_problem(text->second, name, overrides) : load_problem(name, overrides);
}

SceneFile read_scene(const std::string& name, bool urdf_hull) {
  const auto text = console().texts.find(name);
  return text != console().texts.end() ? parse_scene_json(text->second, name, urdf_hull)
                                       : load_scene_json(name, urdf_hull);
}

bool is_problem_file(const std::string& name, bool trial) {
  std::error_code ignored;
  if (console().texts.contains(name)) return std::filesystem::path(name).extension() != ".json";
  if (!std::filesystem::is_regular_file(name, ignored)) return trial;
  std::ifstream file(name, std::ios::binary);
  for (char c = 0; file >> c;) {
    if (static_cast<unsigned char>(c) >= 0x80) continue;  // a byte order mark
    return c != '{' && (trial || std::filesystem::path(name).extension() != ".json");
  }
  return trial;
}

Compiled compile(const std::filesystem::path& file, const SceneSpec& scene, const StepOptions& options,
                 Arithmetic arithmetic) {
  try {
    return {compile_model(scene), derive_options(options, scene, arithmetic)};
  } catch (const std::invalid_argument& error) {
    throw InputError(printable(file.string()) + ": " + error.what());
  }
}

void tell_warnings(const SceneSpec& scene) {
  for (const BodySpec& body : scene.bodies) {
    for (const Remark& remark : body.remarks) {
      if (remark.warning) console().err << "pegrasp: warning: " << printable_line(remark.text) << '\n';
    }
  }
}

void tell_plain_draws(const Problem& problem) {
  const int beyond = numbers_beyond_sobol(problem);
  if (beyond == 0) return;
  console().err << "pegrasp: warning: the Sobol' sequence has no dimensions for the last " << beyond
                << " uncertain numbers, which are drawn at random\n";
}

std::unique_ptr<Backend> backend_named(const std::string& name, Arithmetic arithmetic, int threads, int device) {
  BackendKind kind = BackendKind::automatic;
  if (name == "cpu") kind = BackendKind::cpu;
  if (name == "cuda") kind = BackendKind::cuda;
  try {
    return make_backend(kind, arithmetic, threads, device < 0 ? std::nullopt : std::optional<int>(device));
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

std::atomic<bool>& stop_requested() { return console().stop; }

namespace {
extern "C" void on_stop_signal(int signal) {
  stop_requested().store(true);
  std::signal(signal, SIG_DFL);  // who asks twice does not want to wait for the running trials
}
}  // namespace

void install_stop_signals() {
  if (!console().of_process) return;  // this has made it before a signal can come
  std::signal(SIGINT, on_stop_signal);
  std::signal(SIGTERM, on_stop_signal);
}

void finish_output() {
  const Console& used = console();
  used.out.flush();
  if (!used.out || (used.of_process && std::fflush(stdout) != 0)) {
    const int error = errno;
    throw WriteError("standard output: cannot be written: " + std::error_code(error, std::generic_category()).message(),
                     may_pass(error));
  }
}

std::string refusal(const CLI::App& app, const CLI::Error& error) {
  std::string text = error.what();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  std::vector<std::string> known;
  std::string help = "pegrasp";
  if (chosen.empty()) {
    for (const CLI::App* subcommand : app.get_subcommands({})) known.push_back(subcommand->get_name());
  } else {
    help += " " + chosen.front()->get_name();
    for (const CLI::Option* option : chosen.front()->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  const std::vector<std::string> extras = chosen.empty() ? app.remaining() : chosen.front()->remaining();
  for (const std::string& extra : extras) {
    if (!chosen.empty() && extra.rfind("--", 0) != 0) continue;
    const std::string word = extra.substr(0, extra.find('='));
    const std::string near = suggestion(word, known);
    text = "no such " + std::string(chosen.empty() ? "command: " : "option: ") + word + near;
    break;
  }
  return printable_line(text + "; see " + help + " --help");
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

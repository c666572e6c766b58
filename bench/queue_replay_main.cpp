// SPDX-License-Identifier: Apache-2.0
// How busy a queue keeps the teams of a device: the processor time of every trial of a map, measured one by one on a CPU, dealt out to so many teams as a
// device holds at once, as the fused kernels do it (a team that has ended takes the next). Beside it two ways without a queue: shares dealt out
// beforehand, and rounds that wait for their slowest. No figure of a GPU: its teams wait for each other in a warp and for memory.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <queue>

#include "origin.hpp"
#include "pegrasp/map.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/simulation.hpp"

namespace {

using namespace pegrasp;

struct Trials {
  std::vector<double> seconds;
  std::vector<char> success;
};

constexpr int runs = 3;

double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Trials measure(const Problem& problem) {
  const std::shared_ptr<const Model> model = compile_model(problem.scene);
  const StepOptions options = derive_options(problem.options, problem.scene, problem.arithmetic);
  const Sampler sampler(problem);
  const int trials = problem.grid.cells() * problem.samples;
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  std::vector<double> poses(problem.scene.bodies.size() * (problem.scene.spatial ? 7 : 3));
  Trials out;
  for (int i = 0; i < trials; ++i) {
    sampler.draw(static_cast<std::size_t>(i), parameters, values);
    double least = 1e300;  // of some runs: others use the machine, too
    for (int run = 0; run < runs; ++run) {
      Simulation simulation(model, options, parameters);
      const double begin = thread_seconds();
      simulation.run();
      least = std::min(least, thread_seconds() - begin);
      if (run == 0) out.success.push_back(static_cast<char>(simulation.outcome().success));
    }
    out.seconds.push_back(least);
  }
  return out;
}

double busy(const std::vector<double>& work, std::size_t teams, double end) {
  return std::accumulate(work.begin(), work.end(), 0.0) / (static_cast<double>(teams) * end);
}

double by_queue(const std::vector<double>& work, std::size_t teams) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  for (std::size_t i = 0; i < teams; ++i) free_at.push(0.0);
  double end = 0.0;
  for (const double w : work) {
    const double done = free_at.top() + w;
    free_at.pop();
    free_at.push(done);
    end = std::max(end, done);
  }
  return end;
}

double by_shares(const std::vector<double>& work, std::size_t teams) {
  std::vector<double> of_team(teams, 0.0);
  for (std::size_t i = 0; i < work.size(); ++i) of_team[i * teams / work.size()] += work[i];
  return *std::max_element(of_team.begin(), of_team.end());
}

double by_rounds(const std::vector<double>& work, std::size_t teams) {
  double end = 0.0;
  for (std::size_t first = 0; first < work.size(); first += teams) {
    const std::size_t last = std::min(work.size(), first + teams);
    end += *std::max_element(work.begin() + static_cast<std::ptrdiff_t>(first),
                             work.begin() + static_cast<std::ptrdiff_t>(last));
  }
  return end;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"How busy a queue keeps the teams of a device, from the times of a map's trials on a CPU"};
  std::string file = "examples/gear/gear.toml", json;
  std::vector<std::string> sets;
  int samples = -1;
  std::size_t teams = 4224;
  app.add_option("problem", file, "problem file")->capture_default_str();
  app.add_option("--samples", samples, "samples a cell (map.samples)");
  app.add_option("--set", sets, "KEY=VALUE of the problem (repeatable)")->allow_extra_args(false);
  app.add_option("--teams", teams, "that work at once; 4224: an H200's at 32 scenes a multiprocessor")
      ->capture_default_str();
  app.add_option("--json", json, "write what is printed to this file too");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<Override> overrides;
    for (const std::string& set : sets)
      overrides.push_back({set.substr(0, set.find('=')), set.substr(set.find('=') + 1)});
    if (samples > 0) overrides.push_back({"map.samples", std::to_string(samples)});
    const Trials trials = measure(load_problem(file, overrides));
    const auto chosen = [&](const auto& wanted) {
      std::vector<double> out;
      for (std::size_t i = 0; i < trials.seconds.size(); ++i) {
        if (wanted(i)) out.push_back(trials.seconds[i]);
      }
      return out;
    };
    std::vector<double> early = trials.seconds;
    for (std::size_t i = 0; i < early.size(); i += 2) early[i] *= 0.1;
    const std::vector<std::pair<std::string, std::vector<double>>> mixes{
        {"all trials", trials.seconds},
        {"those that succeed", chosen([&](std::size_t i) { return trials.success[i] != 0; })},
        {"those that fail", chosen([&](std::size_t i) { return trials.success[i] == 0; })},
        {"every second ends after a tenth of its time", early}};
    nlohmann::ordered_json out = bench::origin();
    out["problem"] = file;
    out["set"] = sets;
    out["teams"] = teams;
    std::printf("%-46s %9s %12s %8s %8s %8s\n", "busy share of the time of all teams", "trials", "us a trial", "queue",
                "shares", "rounds");
    for (const auto& [name, work] : mixes) {
      if (work.empty()) continue;
      const double mean = std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(work.size());
      const double queue = busy(work, teams, by_queue(work, teams)), shares = busy(work, teams, by_shares(work, teams)),
                   rounds = busy(work, teams, by_rounds(work, teams));
      std::printf("%-46s %9zu %12.1f %7.1f%% %7.1f%% %7.1f%%\n", name.c_str(), work.size(), 1e6 * mean, 100.0 * queue,
                  100.0 * shares, 100.0 * rounds);
      out["mixes"].push_back({{"name", name},
                              {"trials", work.size()},
                              {"us_a_trial", 1e6 * mean},
                              {"busy_queue", queue},
                              {"busy_shares", shares},
                              {"busy_rounds", rounds}});
    }
    if (!json.empty()) std::ofstream(json) << out.dump(2) << '\n';
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_queue_replay: " << error.what() << '\n';
    return 2;
  }
}

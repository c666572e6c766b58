// SPDX-License-Identifier: Apache-2.0
// pegrasp_map_3d compares the map of a planar problem with the map of the same problem run in 3D ([space] in the file),
// trial by trial. Both maps use the same draws.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/origin.hpp"
#include "pegrasp/map.hpp"

namespace {

using namespace pegrasp;

struct Map {
  std::vector<SceneOutcome> outcomes;  // cell by cell
  std::vector<double> values;          // drawn
  double seconds = 0.0;                // processor time of simulating
};

Map simulate(const Problem& problem) {
  const std::shared_ptr<const Model> model = compile_model(problem.scene);
  const StepOptions options = derive_options(problem.options, problem.scene, problem.arithmetic);
  const std::vector<double> base = scene_parameters(problem.scene);
  const std::size_t trials = static_cast<std::size_t>(problem.grid.cells()) * static_cast<std::size_t>(problem.samples);
  const std::size_t columns = sampled_columns(problem).size();
  std::vector<double> parameters(trials * base.size());
  Map map;
  map.values.resize(trials * columns);
  map.outcomes.resize(trials);
  for (std::size_t i = 0; i < trials; ++i) {
    draw_sample(problem, base, static_cast<int>(i) / problem.samples, static_cast<int>(i) % problem.samples,
                {parameters.data() + i * base.size(), base.size()}, {map.values.data() + i * columns, columns});
  }
  std::vector<double> poses(trials * problem.scene.bodies.size() * (problem.scene.spatial ? 7 : 3));
  const auto backend = make_backend(BackendKind::cpu, problem.arithmetic, 1);
  const std::clock_t begin = std::clock();
  backend->run(*model, options, parameters, map.outcomes, poses, nullptr);
  map.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return map;
}

nlohmann::ordered_json summary(const Map& map) {
  double successes = 0.0, steps = 0.0, substeps = 0.0, rejected = 0.0, overlap = 0.0, contacts = 0.0;
  int unresolved = 0;
  for (const SceneOutcome& outcome : map.outcomes) {
    successes += outcome.success;
    unresolved += outcome.status != 0 ? 1 : 0;
    steps += outcome.steps;
    substeps += outcome.substeps;
    rejected += outcome.substeps_rejected;
    contacts += outcome.contacts_sum;
    overlap = std::max(overlap, outcome.penetration_max);
  }
  const double trials = static_cast<double>(map.outcomes.size());
  return {{"success", successes / trials},
          {"unresolved", unresolved},
          {"us_per_trial", 1e6 * map.seconds / trials},
          {"us_per_step", 1e6 * map.seconds / steps},
          {"steps_per_trial", steps / trials},
          {"rejected_share", rejected / (substeps + rejected)},
          {"contacts_per_substep", contacts / substeps},
          {"overlap_max_mm", 1e3 * overlap}};
}

// The two-sided sign test of n trials that ended differently: the probability that chance splits them at least as
// unevenly.
double sign_test(int one_way, int other_way) {
  const int n = one_way + other_way;
  const int most = std::max(one_way, other_way);
  double tail = 0.0;
  for (int k = most; k <= n; ++k) {
    tail += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) - n * std::log(2.0));
  }
  return std::min(1.0, 2.0 * tail);
}

nlohmann::ordered_json compare(const Problem& problem, const Map& flat, const Map& spatial) {
  const std::size_t samples = static_cast<std::size_t>(problem.samples);
  const std::size_t cells = flat.outcomes.size() / samples;
  int outside = 0, undecided = 0, flat_only = 0, spatial_only = 0;
  double least_p = 1.0;
  int tested = 0;
  nlohmann::ordered_json worst;
  nlohmann::ordered_json cells_apart = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < cells; ++c) {
    int a = 0, b = 0, a_only = 0, b_only = 0;
    for (std::size_t i = c * samples; i < (c + 1) * samples; ++i) {
      const bool first = flat.outcomes[i].success != 0;
      const bool second = spatial.outcomes[i].success != 0;
      a += first ? 1 : 0;
      b += second ? 1 : 0;
      a_only += first && !second ? 1 : 0;
      b_only += second && !first ? 1 : 0;
    }
    flat_only += a_only;
    spatial_only += b_only;
    const Interval of_a = wilson_interval(a, problem.samples);
    const Interval of_b = wilson_interval(b, problem.samples);
    const nlohmann::ordered_json cell{{"x_mm", 1e3 * problem.grid.x[c % problem.grid.x.size()]},
                                      {"y_mm", 1e3 * problem.grid.y[c / problem.grid.x.size()]},
                                      {"planar", a},
                                      {"spatial", b}};
    if (of_a.high < of_b.low || of_b.high < of_a.low) cells_apart.push_back(cell);
    const double p = static_cast<double>(a) / problem.samples;
    outside += p < of_b.low || p > of_b.high ? 1 : 0;
    undecided += a > 0 && a < problem.samples ? 1 : 0;
    if (a_only + b_only == 0) continue;
    ++tested;
    const double chance = sign_test(a_only, b_only);
    if (chance < least_p) {
      least_p = chance;
      worst = cell;
    }
  }
  const double trials = static_cast<double>(flat.outcomes.size());
  const double difference = (spatial_only - flat_only) / trials;
  return {{"cells", cells},
          {"cells_undecided", undecided},
          {"cells_with_intervals_apart", cells_apart.size()},
          {"cells_outside_the_interval_in_3d", outside},
          {"trials_alike", 1.0 - (flat_only + spatial_only) / trials},
          {"succeed_in_2d_alone", flat_only},
          {"succeed_in_3d_alone", spatial_only},
          {"difference", difference},
          {"difference_standard_error", std::sqrt(static_cast<double>(flat_only + spatial_only)) / trials},
          {"p_overall", sign_test(flat_only, spatial_only)},
          {"p_least_of_cells", least_p},
          {"p_least_of_cells_bonferroni", std::min(1.0, least_p * std::max(1, tested))},
          {"worst_cell", worst},
          {"apart", cells_apart}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The map of a planar problem beside the same in 3D: cells, trials, time"};
  std::string file = "examples/gear/gear.toml";
  std::vector<std::string> sets;
  int samples = -1;
  std::string json;
  app.add_option("problem", file, "problem file with [space]")->capture_default_str();
  app.add_option("--samples", samples, "samples a cell (map.samples)");
  app.add_option("--set", sets, "KEY=VALUE of the problem (repeatable)")->allow_extra_args(false);
  app.add_option("--json", json, "write what is printed to this file too");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<Override> overrides;
    for (const std::string& set : sets)
      overrides.push_back({set.substr(0, set.find('=')), set.substr(set.find('=') + 1)});
    if (samples > 0) overrides.push_back({"map.samples", std::to_string(samples)});
    const Problem planar = load_problem(file, overrides);
    overrides.push_back({"space.lift", "true"});
    const Problem lifted = load_problem(file, overrides);
    const Map flat = simulate(planar);
    const Map spatial = simulate(lifted);
    if (flat.values != spatial.values) throw std::logic_error("the draws differ");
    nlohmann::ordered_json out = bench::origin();
    out["problem"] = file;
    out["set"] = sets;
    out["samples"] = planar.samples;
    out["planar"] = summary(flat);
    out["spatial"] = summary(spatial);
    out["time_ratio"] = spatial.seconds / flat.seconds;
    out["comparison"] = compare(planar, flat, spatial);
    std::cout << out.dump(2) << '\n';
    if (json.empty()) return 0;
    std::ofstream stream(json);
    stream << out.dump(2) << '\n';
    stream.close();
    if (!stream) throw std::runtime_error(json + ": cannot be written");
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_map_3d: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// pegrasp_gear_accuracy compares outcomes of the gear grasp at large steps with those at h = 0.25 ms (contact peg,
// exact arcs), trial by trial. One set of trials is uniform over the window; of the hard set two thirds lie near a
// boundary of success.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/csv.hpp"
#include "bench/origin.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"
#include "tests/scenes/gear_trials.hpp"

namespace {

using pegrasp::ContactModel;
using pegrasp::SceneOutcome;
using pegrasp::SolverKind;
using pegrasp::scenes::GearStudy;
using pegrasp::scenes::GearTrial;

struct Set {
  std::string name;
  std::vector<GearTrial> trials;  // with the outcomes at the finest step
};

nlohmann::ordered_json measure(const GearStudy& study, const Set& set, double h, ContactModel contact,
                               SolverKind solver) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<SceneOutcome> outcomes = study.run(set.trials, h, contact, solver);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  int unresolved = 0;
  double penetration = 0.0;
  for (const SceneOutcome& outcome : outcomes) {
    unresolved += outcome.status != 0 ? 1 : 0;
    penetration = std::max(penetration, outcome.penetration_max);
  }
  nlohmann::ordered_json row;
  row["set"] = set.name;
  row["contact"] = name_of(contact);
  row["solver"] = name_of(solver);
  row["h_ms"] = 1e3 * h;
  row["trials"] = set.trials.size();
  row["agreement"] = pegrasp::scenes::agreement(outcomes, set.trials);
  row["unresolved"] = unresolved;
  row["penetration_max_mm"] = 1e3 * penetration;
  row["wall_us_per_trial"] = 1e6 * wall / static_cast<double>(set.trials.size());
  std::printf("%-8s %-13s %-7s %6.3f ms   %6.2f %%   %4d unresolved   overlap %.1e mm   %7.0f us a trial\n",
              set.name.c_str(), name_of(contact).c_str(), name_of(solver).c_str(), 1e3 * h,
              100.0 * row["agreement"].get<double>(), unresolved, 1e3 * penetration,
              row["wall_us_per_trial"].get<double>());
  std::fflush(stdout);
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Outcome by outcome agreement of the gear grasp with its h = 0.25 ms reference"};
  std::string problem = "examples/gear/gear.toml";
  std::string csv;
  std::string write_sets;
  int uniform = 1000;
  int near = 200;
  std::uint64_t seed = 1;
  bool quick = false;
  app.add_option("--problem", problem, "problem file")->capture_default_str();
  app.add_option("--uniform", uniform, "trials of the uniform set")->capture_default_str();
  app.add_option("--near", near, "trials near a boundary; the hard set adds half as many plain ones")
      ->capture_default_str();
  app.add_option("--seed", seed, "seed of both sets")->capture_default_str();
  app.add_option("--csv", csv, "write the table to this CSV file");
  app.add_option("--write-sets", write_sets,
                 "write both sets with the outcomes at the finest step to this folder (tests/data): gear_uniform.csv, "
                 "gear_hard.csv");
  app.add_flag("--quick", quick, "contact peg with the Newton solver only");
  CLI11_PARSE(app, argc, argv);
  try {
    const GearStudy study(problem);
    std::printf("seed %llu, pegrasp %s, %s\n", static_cast<unsigned long long>(seed), pegrasp::version::number,
                study.device().c_str());
    std::vector<Set> sets{{"uniform", GearStudy::uniform_set(seed, uniform)}, {"hard", study.hard_set(seed, near)}};
    for (Set& set : sets) {
      study.set_outcomes(set.trials);
      if (!write_sets.empty()) write_trials(write_sets + "/gear_" + set.name + ".csv", set.trials);
    }
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Set& set : sets) {
      // The first step is finer than the finest step and shows the uncertainty of the reference outcomes.
      for (double h : {0.125e-3, 0.5e-3, 1e-3, 2e-3, 4e-3, 8e-3, 16e-3}) {
        rows.push_back(measure(study, set, h, ContactModel::peg, SolverKind::newton));
      }
      if (quick) continue;
      for (SolverKind solver : {SolverKind::aj, SolverKind::pgs, SolverKind::nncg, SolverKind::jacobi}) {
        for (double h : {0.5e-3, 1e-3, 2e-3, 4e-3, 8e-3, 16e-3}) {
          rows.push_back(measure(study, set, h, ContactModel::peg, solver));
        }
      }
      for (double h : {1e-3, 2e-3, 8e-3}) {
        rows.push_back(measure(study, set, h, ContactModel::peg_features, SolverKind::pgs));
        rows.push_back(measure(study, set, h, ContactModel::standard, SolverKind::newton));
        rows.push_back(measure(study, set, h, ContactModel::corrective, SolverKind::newton));
      }
    }
    if (!csv.empty()) {
      for (auto& row : rows) row["seed"] = seed;
      pegrasp::bench::write_rows(csv, rows, pegrasp::bench::origin_columns());
    }
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_gear_accuracy: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// How right are outcomes of the gear grasp at large steps? Each trial's outcome against a reference at h = 0.25 ms (contact
// peg, exact arcs): a uniform set over the window and a hard set of which two thirds lie near a boundary of success.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"
#include "scenes/gear_trials.hpp"

namespace {

using pegrasp::ContactModel;
using pegrasp::SceneOutcome;
using pegrasp::SolverKind;
using pegrasp::scenes::GearStudy;
using pegrasp::scenes::GearTrial;

struct Set {
  std::string name;
  std::vector<GearTrial> trials;
  std::vector<SceneOutcome> reference;
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
  row["agreement"] = pegrasp::scenes::agreement(outcomes, set.reference);
  row["unresolved"] = unresolved;
  row["penetration_max_mm"] = 1e3 * penetration;
  row["wall_ms_per_trial"] = 1e3 * wall / static_cast<double>(set.trials.size());
  std::printf("%-8s %-13s %-7s %5.2f ms   %6.2f %%   %4d unresolved   overlap %.1e mm   %6.2f ms a trial\n",
              set.name.c_str(), name_of(contact).c_str(), name_of(solver).c_str(), 1e3 * h,
              100.0 * row["agreement"].get<double>(), unresolved, 1e3 * penetration,
              row["wall_ms_per_trial"].get<double>());
  std::fflush(stdout);
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Outcome by outcome agreement of the gear grasp with its h = 0.25 ms reference"};
  std::string problem = "examples/gear/gear.toml";
  std::string json;
  std::string write_set;
  int uniform = 1000;
  int near = 200;
  std::uint64_t seed = 1;
  bool quick = false;
  app.add_option("--problem", problem, "problem file")->capture_default_str();
  app.add_option("--uniform", uniform, "trials of the uniform set")->capture_default_str();
  app.add_option("--near", near, "trials near a boundary; the hard set adds half as many plain ones")->capture_default_str();
  app.add_option("--seed", seed, "seed of both sets")->capture_default_str();
  app.add_option("--json", json, "write the table to this file");
  app.add_option("--write-set", write_set, "write the hard set to this CSV file (tests/data/gear_hard.csv)");
  app.add_flag("--quick", quick, "contact peg with the Newton solver only");
  CLI11_PARSE(app, argc, argv);
  try {
    const GearStudy study(problem);
    std::printf("seed %llu, %s\n", static_cast<unsigned long long>(seed), pegrasp::version::number);
    std::vector<Set> sets{{"uniform", GearStudy::uniform_set(seed, uniform), {}}, {"hard", study.hard_set(seed, near), {}}};
    if (!write_set.empty()) pegrasp::scenes::write_trials(write_set, sets[1].trials);
    for (Set& set : sets) set.reference = study.run(set.trials, 0.25e-3);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Set& set : sets) {
      for (double h : {0.5e-3, 1e-3, 2e-3, 4e-3, 8e-3, 16e-3}) {
        rows.push_back(measure(study, set, h, ContactModel::peg, SolverKind::newton));
      }
      if (quick) continue;
      for (SolverKind solver : {SolverKind::aj, SolverKind::pgs, SolverKind::nncg, SolverKind::jacobi}) {
        for (double h : {1e-3, 2e-3, 4e-3, 8e-3}) rows.push_back(measure(study, set, h, ContactModel::peg, solver));
      }
      for (double h : {1e-3, 2e-3, 8e-3}) {
        rows.push_back(measure(study, set, h, ContactModel::peg_features, SolverKind::pgs));
        rows.push_back(measure(study, set, h, ContactModel::standard, SolverKind::newton));
        rows.push_back(measure(study, set, h, ContactModel::corrective, SolverKind::newton));
      }
    }
    if (!json.empty()) {
      nlohmann::ordered_json out;
      out["version"] = pegrasp::version::number;
      out["git"] = pegrasp::version::git;
      out["compiler"] = pegrasp::version::compiler;
      out["device"] = pegrasp::backend_info(pegrasp::BackendKind::cpu).detail;
      out["seed"] = seed;
      out["reference_h_ms"] = 0.25;
      out["rows"] = rows;
      std::ofstream(json) << out.dump(2) << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_gear_accuracy: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

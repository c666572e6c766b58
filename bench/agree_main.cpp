// SPDX-License-Identifier: Apache-2.0
// pegrasp_agree: the same scenes on the CPU and on the GPU, compared bit by bit, for every contact model and solver.
// Exit code 0: all agree; 1: some differ; 2: bad arguments; 3: no CUDA device.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "agree.hpp"
#include "pegrasp/scene_json.hpp"
#include "shape.hpp"
#include "solver/kind.hpp"

namespace {

using namespace pegrasp;

struct Choice {
  const char* name;
  ContactModel contact;
  SolverKind solver;
  Road road = Road::fused;
};

// Every solver with the default contact model, every contact model with the default solver.
constexpr Choice choices[] = {{"peg/aj", ContactModel::peg, SolverKind::aj},
                              {"peg/pgs", ContactModel::peg, SolverKind::pgs},
                              {"peg/jacobi", ContactModel::peg, SolverKind::jacobi},
                              {"peg/nncg", ContactModel::peg, SolverKind::nncg},
                              {"peg/newton", ContactModel::peg, SolverKind::newton},
                              {"peg/stiff-newton", ContactModel::peg, SolverKind::stiff_newton},
                              {"peg-features/aj", ContactModel::peg_features, SolverKind::aj},
                              {"standard/aj", ContactModel::standard, SolverKind::aj},
                              {"corrective/aj", ContactModel::corrective, SolverKind::aj},
                              {"peg/aj, sparse", ContactModel::peg, SolverKind::aj, Road::sparse}};

// Slow solvers, and models that leave problems which nothing solves, are cut short: that both do the same shows all the same.
constexpr int enough_iterations = 60;
constexpr int enough_halvings = 1;
bool is_slow(const Choice& choice) {
  return choice.contact != ContactModel::peg || (!is_newton(choice.solver) && choice.solver != SolverKind::aj);
}

struct Row {
  std::string scene;
  std::string choice;
  bench::Agreement agreement;
  std::string refused;  // why scenes of this kind are not run so, on any backend: nothing was compared
};

// The case under this choice, or why there is none: `refused`.
bench::Case chosen(bench::Case benchmark, const Choice& choice, std::string& refused) {
  benchmark.options.contact = choice.contact;
  benchmark.options.solver = choice.solver;
  benchmark.options.road = choice.road;
  benchmark.options.max_iterations = 0;  // follows the road
  if (is_slow(choice)) {
    benchmark.options.max_iterations = enough_iterations;
    benchmark.options.max_substep_level = std::min(benchmark.options.max_substep_level, enough_halvings);
  }
  try {
    benchmark.options = derive_options(benchmark.options, benchmark.scene);
  } catch (const std::invalid_argument& error) {
    refused = error.what();
  }
  return benchmark;
}

Row compare_one(const std::string& name, const bench::Case& benchmark, const Choice& choice, Backend& cpu,
                Backend& other) {
  Row row{name, choice.name, {}, {}};
  const bench::Case as_chosen = chosen(benchmark, choice, row.refused);
  if (row.refused.empty()) row.agreement = bench::compare(as_chosen, cpu, other);
  const bench::Agreement& agreement = row.agreement;
  std::printf("%-24s %-16s %7d %11lld %9d  %s\n", name.c_str(), choice.name, agreement.scenes, agreement.steps,
              agreement.differing, (row.refused.empty() ? agreement.hash_a : row.refused).c_str());
  if (!agreement.first.empty()) std::printf("    %s\n", agreement.first.c_str());
  std::fflush(stdout);
  return row;
}

bench::Case case_of_file(const std::string& file) {
  const SceneFile read = load_scene_json(file);
  bench::Case result;
  result.scene = read.scene;
  StepOptions options;
  options.duration = read.t_end > 0.0 ? read.t_end : 1.0;
  result.options = derive_options(options, read.scene);
  result.parameters = scene_parameters(read.scene);
  result.scene_count = 1;
  return result;
}

void write_json(const std::string& file, const std::vector<Row>& rows, const std::string& device) {
  nlohmann::ordered_json document;
  document["device"] = device;
  document["comparisons"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    document["comparisons"].push_back({{"scene", row.scene},
                                       {"choice", row.choice},
                                       {"scenes", row.agreement.scenes},
                                       {"scene_steps", row.agreement.steps},
                                       {"differing", row.agreement.differing},
                                       {"unresolved", row.agreement.unresolved},
                                       {"cpu", row.agreement.hash_a},
                                       {"cuda", row.agreement.hash_b},
                                       {"refused", row.refused},
                                       {"first_difference", row.agreement.first}});
  }
  std::ofstream out(file);
  out << document.dump(2) << '\n';
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot write the comparison there");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files, names, only;
  std::string examples = "examples", json, against = "cuda";
  double scale = 1.0;
  CudaShape shape;
  bool probe = false;
  CLI::App app{"Compares the CPU and the CUDA backend bit by bit, in strict arithmetic, on the benchmark scenes."};
  app.add_option("files", files, "peg-scene-1 files to compare as well");
  app.add_option("--examples", examples, "folder of the example problems");
  app.add_option("--json", json, "write the comparison to this file too");
  app.add_option("--names", names, "benchmark scenes to compare (all)")->delimiter(',');
  app.add_option("--choices", only, "contact models and solvers, for example peg/newton (all)")->delimiter(',');
  app.add_option("--scale", scale, "number of scenes, times this")->check(CLI::PositiveNumber);
  app.add_option("--against", against, "cuda, or cpu: one thread against all, which needs no device")
      ->check(CLI::IsMember({"cuda", "cpu"}));
  bench::add_shape_options(app, shape);
  app.add_flag("--probe", probe, "only say whether there is a CUDA device (exit code 0) or not (3)");
  CLI11_PARSE(app, argc, argv);

  try {
    const BackendKind kind = against == "cuda" ? BackendKind::cuda : BackendKind::cpu;
    const BackendInfo info = backend_info(kind);
    std::cout << against << ": " << info.detail << '\n';
    if (!info.available) return 3;
    if (probe) return 0;

    const auto cpu = make_backend(BackendKind::cpu, Arithmetic::strict, kind == BackendKind::cpu ? 1 : 0);
    const auto other = make_backend(kind, Arithmetic::strict, 0, std::nullopt, shape);
    std::vector<Row> rows;
    bool all_agree = true;
    std::printf("%-24s %-16s %7s %11s %9s  %s\n", "scene", "contact/solver", "scenes", "scene-steps", "differing",
                "hash");
    const auto add = [&](const std::string& name, const bench::Case& benchmark) {
      for (const Choice& choice : choices) {
        if (!only.empty() && std::find(only.begin(), only.end(), choice.name) == only.end()) continue;
        rows.push_back(compare_one(name, benchmark, choice, *cpu, *other));
        all_agree &= rows.back().agreement.differing == 0;
      }
    };
    for (const bench::NamedCase& named : bench::named_cases()) {
      if (named.agree_scene_count == 0) continue;
      if (!names.empty() && std::find(names.begin(), names.end(), named.name) == names.end()) continue;
      bench::CaseSettings settings;
      settings.scene_count = std::max(1, static_cast<int>(scale * named.agree_scene_count));
      add(named.name, bench::make_case(named, examples, settings, false));
    }
    for (const std::string& file : files) add(file.substr(file.find_last_of('/') + 1), case_of_file(file));
    if (rows.empty()) throw std::runtime_error("nothing to compare: see --names (pegrasp_bench --list) and --choices");
    if (!json.empty()) write_json(json, rows, other->device());
    std::cout << (all_agree ? "all agree, bit by bit\n" : "SOME DIFFER\n");
    return all_agree ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_agree: " << error.what() << '\n';
    return 2;
  }
}

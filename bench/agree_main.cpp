// SPDX-License-Identifier: Apache-2.0
// pegrasp_agree: the same scenes on the CPU and on the GPU, compared bit by bit, for every contact model and solver.
// What cannot be compared is listed with the reason, and does not take the rest with it; the JSON is written after every comparison.
// Exit code 0: all that was compared agrees; 1: some differ or failed; 2: bad arguments, or nothing was compared; 3: no CUDA
// device.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
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
                              {"peg/aj-sparse", ContactModel::peg, SolverKind::aj, Road::sparse}};

// Slow solvers, and models that leave problems which nothing solves, are cut short: that both do the same shows all the same.
constexpr int enough_iterations = 60;
constexpr int enough_halvings = 1;
bool is_slow(const Choice& choice) {
  return choice.contact != ContactModel::peg || (!is_newton(choice.solver) && choice.solver != SolverKind::aj);
}

enum class Verdict {
  equal,
  differs,
  refused,  // scenes of this kind are not run so, on any backend: nothing was compared
  skipped,  // this build cannot make the scene: nothing was compared
  failed,   // an error: nothing was compared
};
const char* name_of(Verdict verdict) {
  constexpr const char* names[] = {"equal", "differs", "refused", "skipped", "failed"};
  return names[static_cast<int>(verdict)];
}

struct Row {
  std::string scene;
  std::string choice;
  Verdict verdict = Verdict::failed;
  std::string why;  // what differs, or why nothing was compared
  bench::Agreement agreement;
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
  Row row{name, choice.name, Verdict::refused, {}, {}};
  try {
    const bench::Case as_chosen = chosen(benchmark, choice, row.why);
    if (!row.why.empty()) return row;
    row.agreement = bench::compare(as_chosen, cpu, other);
    row.verdict = row.agreement.differing == 0 ? Verdict::equal : Verdict::differs;
    row.why = row.agreement.first;
  } catch (const std::exception& error) {
    row.verdict = Verdict::failed;
    row.why = error.what();
  }
  return row;
}

// Trials of a problem's map, as `pegrasp map` steps them.
bench::Case case_of_problem(const std::string& file, int trials) {
  bench::Case result = bench::make_trials(file, trials);
  result.options = derive_options(result.options, result.scene);
  return result;
}

bench::Case case_of_scene(const std::string& file) {
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

bool is_problem(const std::string& file) { return std::filesystem::path(file).extension() == ".toml"; }

// False for what cannot be read: that is for the loader to say.
bool names_urdf(const std::string& scene_file) {
  std::ifstream in(scene_file);
  const auto root = nlohmann::json::parse(in, nullptr, false);
  return root.is_object() && root.contains("urdf");
}

void write_json(const std::string& file, const std::vector<Row>& rows, const std::string& device) {
  nlohmann::ordered_json document;
  document["device"] = device;
  document["comparisons"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    document["comparisons"].push_back({{"scene", row.scene},
                                       {"choice", row.choice},
                                       {"verdict", name_of(row.verdict)},
                                       {"why", row.why},
                                       {"scenes", row.agreement.scenes},
                                       {"scene_steps", row.agreement.steps},
                                       {"differing", row.agreement.differing},
                                       {"unresolved", row.agreement.unresolved},
                                       {"cpu", row.agreement.hash_a},
                                       {"cuda", row.agreement.hash_b}});
  }
  const std::string unfinished = file + ".unfinished";  // whoever is ended while he writes leaves the last file whole
  std::ofstream out(unfinished);
  out << document.dump(2) << '\n';
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(unfinished, file, error);
  if (!out || error) throw std::runtime_error(file + ": cannot write the comparison there");
}

// All comparisons so far, kept in a file too where one is given.
class Comparison {
 public:
  Comparison(Backend& cpu, Backend& other, std::string json, std::vector<std::string> only)
      : cpu_(cpu), other_(other), json_(std::move(json)), only_(std::move(only)) {
    std::printf("%-24s %-16s %7s %11s %9s  %s\n", "scene", "contact/solver", "scenes", "scene-steps", "differing",
                "hash");
  }

  // A scene under every choice. `skipped`: why it cannot be made here; empty where it can.
  void add(const std::string& name, const std::string& skipped, const std::function<bench::Case()>& make) {
    if (!skipped.empty()) return keep({name, "", Verdict::skipped, skipped, {}});
    bench::Case made;
    try {
      made = make();
    } catch (const std::exception& error) {
      return keep({name, "", Verdict::failed, error.what(), {}});
    }
    for (const Choice& choice : choices) {
      if (!only_.empty() && std::find(only_.begin(), only_.end(), choice.name) == only_.end()) continue;
      keep(compare_one(name, made, choice, cpu_, other_));
    }
  }

  int count(std::initializer_list<Verdict> verdicts) const {
    return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [&](const Row& row) {
      return std::find(verdicts.begin(), verdicts.end(), row.verdict) != verdicts.end();
    }));
  }

 private:
  void keep(Row row) {
    const bench::Agreement& agreement = row.agreement;
    const bool compared = row.verdict == Verdict::equal || row.verdict == Verdict::differs;
    std::printf("%-24s %-16s %7d %11lld %9d  %s\n", row.scene.c_str(), row.choice.c_str(), agreement.scenes,
                agreement.steps, agreement.differing, compared ? agreement.hash_a.c_str() : name_of(row.verdict));
    if (!row.why.empty()) std::printf("    %s\n", row.why.c_str());
    std::fflush(stdout);
    rows_.push_back(std::move(row));
    if (!json_.empty()) write_json(json_, rows_, other_.device());
  }

  Backend &cpu_, &other_;
  std::string json_;
  std::vector<std::string> only_;
  std::vector<Row> rows_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files, names, only;
  std::string examples = "examples", json, against = "cuda";
  double scale = 1.0;
  int trials = 100;
  CudaShape shape;
  bool probe = false;
  CLI::App app{"Compares the CPU and the CUDA backend bit by bit, in strict arithmetic, on the benchmark scenes."};
  app.add_option("files", files, "peg-scene-1 files, and problem files (.toml), to compare as well");
  app.add_option("--examples", examples, "folder of the example problems");
  app.add_option("--json", json, "write the comparison to this file too");
  app.add_option("--names", names, "benchmark scenes to compare (all)")->delimiter(',');
  app.add_option("--choices", only, "contact models and solvers, for example peg/newton (all)")->delimiter(',');
  app.add_option("--scale", scale, "number of scenes, times this")->check(CLI::PositiveNumber);
  app.add_option("--trials", trials, "of each problem file, times the scale")->check(CLI::PositiveNumber);
  bool no_names = false;
  app.add_flag("--files-only", no_names, "compare the files alone, no benchmark scenes");
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
    const auto scaled = [&](int count) { return std::max(1, static_cast<int>(scale * count)); };
    Comparison comparison(*cpu, *other, json, only);
    for (const bench::NamedCase& named : bench::named_cases()) {
      if (no_names || named.agree_scene_count == 0) continue;
      if (!names.empty() && std::find(names.begin(), names.end(), named.name) == names.end()) continue;
      bench::CaseSettings settings;
      settings.scene_count = scaled(named.agree_scene_count);
      comparison.add(named.name, bench::why_skipped(named.from_urdf),
                     [&] { return bench::make_case(named, examples, settings, false); });
    }
    for (const std::string& file : files) {
      const bool problem = is_problem(file);
      comparison.add(file.substr(file.find_last_of('/') + 1), bench::why_skipped(!problem && names_urdf(file)),
                     [&] { return problem ? case_of_problem(file, scaled(trials)) : case_of_scene(file); });
    }
    const int equal = comparison.count({Verdict::equal}), differ = comparison.count({Verdict::differs});
    const int failed = comparison.count({Verdict::failed});
    std::cout << equal << " equal, " << differ << " differ, " << failed << " failed, "
              << comparison.count({Verdict::refused}) << " refused, " << comparison.count({Verdict::skipped})
              << " skipped\n";
    if (differ + failed > 0) return 1;
    if (equal == 0) throw std::runtime_error("nothing was compared: see --names (pegrasp_bench --list) and --choices");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_agree: " << error.what() << '\n';
    return 2;
  }
}

// SPDX-License-Identifier: Apache-2.0
// pegrasp_agree runs the same scenes on the CPU and on the GPU, for every contact model and solver, and compares them
// bit by bit at their ends and on their way. With --fast it compares strict and fast arithmetic on one of the two,
// trial by trial. Scenes that cannot be compared are listed with the reason. The JSON file is written after every
// comparison.
// Exit code 0: all comparisons agree; 1: some differ or failed; 2: bad arguments, or nothing was compared; 3: no CUDA
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

#include "bench/agree.hpp"
#include "bench/agree_fast.hpp"
#include "bench/agree_rearranged.hpp"
#include "bench/origin.hpp"
#include "bench/shape.hpp"
#include "kernels/solver/kind.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/scene_json.hpp"

namespace {

using namespace pegrasp;

struct Choice {
  const char* name;
  ContactModel contact;
  SolverKind solver;
  Strategy strategy = Strategy::per_scene;
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
                              {"peg/aj-batched", ContactModel::peg, SolverKind::aj, Strategy::batched}};

// Slow solvers, and models whose problems may have no solution, are cut short. Both backends must still do the same.
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

struct Arguments {
  std::vector<std::string> files, names, only;
  std::string examples = "examples", json, against = "cuda";
  double scale = 1.0;
  int trials = 100;
  int steps = 0;  // of a scene, at most; 0: all
  int repeats = 2;
  bool no_names = false, probe = false, fast = false;
  bench::Way way;
  bench::Arrangement arrangement;
  CudaShape shape;

  int scaled(int count) const { return std::max(1, static_cast<int>(scale * count)); }
};

// A scene to compare. `skipped`: why this build cannot make it; empty where it can.
struct Source {
  std::string name;
  std::string skipped;
  std::function<bench::Case(Arithmetic)> make;
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
  benchmark.options.strategy = choice.strategy;
  benchmark.options.max_iterations = 0;  // follows the strategy and the scene
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
                Backend& other, const bench::Way& way) {
  Row row{name, choice.name, Verdict::refused, {}, {}};
  try {
    const bench::Case as_chosen = chosen(benchmark, choice, row.why);
    if (!row.why.empty()) return row;
    row.agreement = bench::compare(as_chosen, cpu, other, way);
    row.verdict = row.agreement.differing == 0 ? Verdict::equal : Verdict::differs;
    row.why = row.agreement.first;
  } catch (const std::invalid_argument& error) {  // for example what is simulated on a CPU alone
    row.why = error.what();
  } catch (const std::exception& error) {
    row.verdict = Verdict::failed;
    row.why = error.what();
  }
  return row;
}

// Trials of a problem's map, as `pegrasp map` steps them in this arithmetic.
bench::Case case_of_problem(const std::string& file, int trials, Arithmetic arithmetic) {
  bench::Case result = bench::make_trials(file, trials);
  const char* const name = arithmetic == Arithmetic::fast ? "\"fast\"" : "\"strict\"";
  const StepOptions options = load_problem(file, {{"simulation.arithmetic", name}}).options;
  result.options = derive_options(options, result.scene, arithmetic);
  return result;
}

bool is_problem(const std::string& file) { return std::filesystem::path(file).extension() == ".toml"; }

// False for a file that cannot be read, which the loader reports.
bool names_urdf(const std::string& scene_file) {
  std::ifstream in(scene_file);
  const auto root = nlohmann::json::parse(in, nullptr, false);
  return root.is_object() && root.contains("urdf");
}

std::vector<Source> sources_of(const Arguments& arguments) {
  std::vector<Source> sources;
  const auto cut_short = [steps = arguments.steps](bench::Case benchmark) {
    StepOptions& options = benchmark.options;
    if (steps > 0) options.duration = std::min(options.duration, steps * options.h);
    return benchmark;
  };
  for (const bench::NamedCase& named : bench::named_cases()) {
    const std::vector<std::string>& names = arguments.names;
    if (arguments.no_names || named.agree_scene_count == 0) continue;
    if (!names.empty() && std::find(names.begin(), names.end(), named.name) == names.end()) continue;
    bench::CaseSettings settings;
    settings.scene_count = arguments.scaled(named.agree_scene_count);
    sources.push_back({named.name, bench::why_skipped(named.from_urdf),
                       [&named, &arguments, settings, cut_short](Arithmetic arithmetic) mutable {
                         settings.arithmetic = arithmetic;
                         return cut_short(bench::make_case(named, arguments.examples, settings, false));
                       }});
  }
  for (const std::string& file : arguments.files) {
    const bool problem = is_problem(file);
    const int trials = arguments.scaled(arguments.trials);
    sources.push_back({file.substr(file.find_last_of('/') + 1), bench::why_skipped(!problem && names_urdf(file)),
                       [file, problem, trials, cut_short](Arithmetic arithmetic) {
                         return cut_short(problem ? case_of_problem(file, trials, arithmetic)
                                                  : bench::make_scene_case(file, {.arithmetic = arithmetic}));
                       }});
  }
  return sources;
}

// Writes a new file and then renames it: a program that is ended meanwhile leaves the last file whole.
void write_document(const std::string& file, const nlohmann::ordered_json& document) {
  const std::string unfinished = file + ".unfinished";
  std::ofstream out(unfinished);
  out << document.dump(2) << '\n';
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(unfinished, file, error);
  if (!out || error) throw std::runtime_error(file + ": cannot write the comparison there");
}

void write_json(const std::string& file, const std::vector<Row>& rows, const std::string& device) {
  nlohmann::ordered_json document = bench::origin();
  document["device"] = device;
  document["comparisons"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    document["comparisons"].push_back({{"scene", row.scene},
                                       {"choice", row.choice},
                                       {"verdict", name_of(row.verdict)},
                                       {"why", row.why},
                                       {"scenes", row.agreement.scenes},
                                       {"scene_steps", row.agreement.steps},
                                       {"cuts", row.agreement.cuts},
                                       {"stopped", row.agreement.stopped},
                                       {"differing", row.agreement.differing},
                                       {"alike_at_end", row.agreement.alike_at_end},
                                       {"unresolved", row.agreement.unresolved},
                                       {"cpu", row.agreement.hash_a},
                                       {"cuda", row.agreement.hash_b}});
  }
  write_document(file, document);
}

// All comparisons so far, kept in a file too where one is given.
class Comparison {
 public:
  Comparison(Backend& cpu, Backend& other, const Arguments& arguments)
      : cpu_(cpu), other_(other), arguments_(arguments) {
    std::printf("%-24s %-16s %7s %11s %7s %9s  %s\n", "scene", "contact/solver", "scenes", "scene-steps", "stopped",
                "differing", "hash");
  }

  // A scene under every choice.
  void add(const Source& source) {
    if (!source.skipped.empty()) return keep({source.name, "", Verdict::skipped, source.skipped, {}});
    bench::Case made;
    try {
      made = source.make(Arithmetic::strict);
    } catch (const std::exception& error) {
      return keep({source.name, "", Verdict::failed, error.what(), {}});
    }
    const std::vector<std::string>& only = arguments_.only;
    for (const Choice& choice : choices) {
      if (!only.empty() && std::find(only.begin(), only.end(), choice.name) == only.end()) continue;
      keep(compare_one(source.name, made, choice, cpu_, other_, arguments_.way));
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
    std::printf("%-24s %-16s %7d %11lld %7d %9d  %s\n", row.scene.c_str(), row.choice.c_str(), agreement.scenes,
                agreement.steps, agreement.stopped, agreement.differing,
                compared ? agreement.hash_a.c_str() : name_of(row.verdict));
    if (!row.why.empty()) std::printf("    %s\n", row.why.c_str());
    std::fflush(stdout);
    rows_.push_back(std::move(row));
    if (!arguments_.json.empty()) write_json(arguments_.json, rows_, other_.device());
  }

  Backend &cpu_, &other_;
  const Arguments& arguments_;
  std::vector<Row> rows_;
};

// The CPU and the other backend, bit by bit.
int compare_backends(const Arguments& arguments, BackendKind kind) {
  const auto cpu = make_backend(BackendKind::cpu, Arithmetic::strict, kind == BackendKind::cpu ? 1 : 0);
  const auto other = make_backend(kind, Arithmetic::strict, 0, std::nullopt, arguments.shape);
  bench::Rearranged rearranged(*other, arguments.arrangement);
  Comparison comparison(*cpu, arguments.arrangement.as_given() ? *other : rearranged, arguments);
  for (const Source& source : sources_of(arguments)) comparison.add(source);
  const int equal = comparison.count({Verdict::equal}), differ = comparison.count({Verdict::differs});
  const int failed = comparison.count({Verdict::failed});
  std::cout << equal << " equal, " << differ << " differ, " << failed << " failed, "
            << comparison.count({Verdict::refused}) << " refused, " << comparison.count({Verdict::skipped})
            << " skipped\n";
  if (differ + failed > 0) return 1;
  if (equal == 0) throw std::runtime_error("nothing was compared: see --names (pegrasp_bench --list) and --choices");
  return 0;
}

nlohmann::ordered_json json_of(const bench::FastEffect::Side& side) {
  return {{"successes", side.successes}, {"unresolved", side.unresolved},
          {"scene_steps", side.steps},   {"iterations", side.iterations},
          {"wall_min_s", side.seconds},  {"scene_steps_per_s", side.steps_per_second()}};
}

nlohmann::ordered_json json_of(const bench::FastEffect& effect) {
  return {{"trials", effect.trials},
          {"changed", effect.changed()},
          {"lost", effect.lost},
          {"won", effect.won},
          {"unresolved_alone", effect.unresolved_alone},
          {"success_changed", effect.success_changed},
          {"apart_median_m", effect.apart_median},
          {"apart_90_m", effect.apart_90},
          {"gain", effect.gain()},
          {"strict", json_of(effect.strict)},
          {"fast", json_of(effect.fast)}};
}

// Strict and fast arithmetic on one backend, trial by trial. Changed outcomes are the result, not a failure.
int compare_fast(const Arguments& arguments, BackendKind kind) {
  const auto strict = make_backend(kind, Arithmetic::strict, 0, std::nullopt, arguments.shape);
  const auto fast = make_backend(kind, Arithmetic::fast, 0, std::nullopt, arguments.shape);
  nlohmann::ordered_json document = bench::origin();
  document["device"] = strict->device();
  document["fast"] = nlohmann::ordered_json::array();
  std::printf("%-24s %7s %8s %8s %5s %5s %7s %11s %11s %12s %12s %7s\n", "scene", "trials", "succ.", "fast", "lost",
              "won", "unres.", "apart/m", "90 %", "strict st/s", "fast st/s", "gain");
  int compared = 0, failed = 0;
  for (const Source& source : sources_of(arguments)) {
    nlohmann::ordered_json row{{"scene", source.name}, {"verdict", "compared"}, {"why", source.skipped}};
    try {
      if (!source.skipped.empty()) {
        row["verdict"] = "skipped";
      } else {
        const auto effect = bench::compare_arithmetics(source.make(Arithmetic::strict), source.make(Arithmetic::fast),
                                                       *strict, *fast, arguments.repeats);
        row.update(json_of(effect));
        const std::string unresolved =
            std::to_string(effect.strict.unresolved) + "/" + std::to_string(effect.fast.unresolved);
        std::printf("%-24s %7d %8d %8d %5d %5d %7s %11.2e %11.2e %12.0f %12.0f %7.3f\n", source.name.c_str(),
                    effect.trials, effect.strict.successes, effect.fast.successes, effect.lost, effect.won,
                    unresolved.c_str(), effect.apart_median, effect.apart_90, effect.strict.steps_per_second(),
                    effect.fast.steps_per_second(), effect.gain());
        ++compared;
      }
    } catch (const std::exception& error) {
      row["verdict"] = "failed";
      row["why"] = error.what();
      ++failed;
    }
    if (row["verdict"] != "compared") {
      std::printf("%-24s %s: %s\n", source.name.c_str(), row["verdict"].get<std::string>().c_str(),
                  row["why"].get<std::string>().c_str());
    }
    std::fflush(stdout);
    document["fast"].push_back(row);
    if (!arguments.json.empty()) write_document(arguments.json, document);
  }
  if (failed > 0) return 1;
  if (compared == 0) throw std::runtime_error("nothing was compared: see --names (pegrasp_bench --list)");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Compares the CPU and the CUDA backend bit by bit, in strict arithmetic, on the benchmark scenes."};
  app.add_option("files", arguments.files, "peg-scene-1 files, and problem files (.toml), to compare as well");
  app.add_option("--examples", arguments.examples, "folder of the example problems");
  app.add_option("--json", arguments.json, "write the comparison to this file too");
  // One word each: what comes after is a file.
  app.add_option("--names", arguments.names, "benchmark scenes to compare (all)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--choices", arguments.only, "contact models and solvers, for example peg/newton (all)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--scale", arguments.scale, "number of scenes, times this")->check(CLI::PositiveNumber);
  app.add_option("--trials", arguments.trials, "of each problem file, times the scale")->check(CLI::PositiveNumber);
  app.add_option("--steps", arguments.steps, "of a scene, at most (all)")->check(CLI::PositiveNumber);
  app.add_flag("--files-only", arguments.no_names, "compare the files alone, no benchmark scenes");
  app.add_option("--cuts", arguments.way.cuts,
                 "numbers of steps after which scenes are stopped and compared as well, spread over the run (8)")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--every-step", arguments.way.every_step,
               "after every step instead; takes half as many runs as a scene has steps");
  app.add_option("--cut-scenes", arguments.way.scenes, "scenes that are stopped at each, at most (32)")
      ->check(CLI::PositiveNumber);
  app.add_option("--split", arguments.arrangement.split,
                 "scenes that the backend compared with the CPU is given at a time; 0: all at once")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--shuffle", arguments.arrangement.shuffle, "it is given them in another order, that of a GPU's queue");
  app.add_option("--against", arguments.against, "cuda, or cpu: one thread against all, which needs no device")
      ->check(CLI::IsMember({"cuda", "cpu"}));
  app.add_flag("--fast", arguments.fast,
               "compare strict with fast arithmetic instead, both on the backend that --against names, trial by trial: "
               "outcomes changed, speed gained");
  app.add_option("--repeat", arguments.repeats, "with --fast: timed runs")->check(CLI::PositiveNumber);
  bench::add_shape_options(app, arguments.shape);
  app.add_flag("--probe", arguments.probe, "only say whether there is a CUDA device (exit code 0) or not (3)");
  CLI11_PARSE(app, argc, argv);

  try {
    const BackendKind kind = arguments.against == "cuda" ? BackendKind::cuda : BackendKind::cpu;
    const BackendInfo info = backend_info(kind);
    std::cout << arguments.against << ": " << info.detail << std::endl;
    if (!info.available) return 3;
    if (arguments.probe) return 0;
    return arguments.fast ? compare_fast(arguments, kind) : compare_backends(arguments, kind);
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_agree: " << error.what() << '\n';
    return 2;
  }
}

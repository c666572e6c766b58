// SPDX-License-Identifier: Apache-2.0
// pegrasp_bench runs the named benchmarks and prints a table; it writes JSON and CSV too.
// Exit code 0: all but the skipped benchmarks were measured; 1: some failed; 2: bad arguments, or nothing was measured.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/cases.hpp"
#include "bench/measure.hpp"
#include "bench/phases.hpp"
#include "bench/report.hpp"
#include "bench/shape.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"

namespace {

using namespace pegrasp;

struct Arguments {
  std::vector<std::string> names;
  std::string examples = "examples";
  std::string json;
  std::string csv;
  std::string scene_json;
  std::vector<std::string> scenes;
  BackendKind backend = BackendKind::cpu;
  int threads = 0;
  int repeats = 0;
  CudaShape shape;
  bool quick = false;
  bool phases = true;
  bool list = false;
  bench::CaseSettings settings;
};

bool wanted(const Arguments& arguments, const bench::NamedCase& named) {
  if (arguments.names.empty()) return !named.on_request && arguments.scenes.empty();
  return std::find(arguments.names.begin(), arguments.names.end(), named.name) != arguments.names.end();
}

// A failure to measure the phases leaves the measurement of the benchmark.
void measure(const std::string& name, const bench::Case& benchmark, bool one_thread, int repeats,
             const Arguments& arguments, bench::Report& report) {
  const bool cuda = arguments.backend == BackendKind::cuda;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int threads = cuda || one_thread ? 1 : arguments.threads > 0 ? arguments.threads : cores;
  const auto backend =
      make_backend(arguments.backend, arguments.settings.arithmetic, threads, std::nullopt, arguments.shape);
  bench::Measurement measurement = bench::measure(name, benchmark, *backend, threads, repeats);
  measurement.shape = backend->shape();
  report.measurements.push_back(measurement);
  if (!arguments.phases) return;
  const Arithmetic arithmetic = arguments.settings.arithmetic;
  try {
    report.measurements.back().phases =
        cuda ? bench::measure_cuda_phases(benchmark, arithmetic)
             : bench::measure_phases(benchmark, arithmetic, std::max(1, benchmark.scene_count / 10));
  } catch (const std::exception& error) {
    report.left_out.push_back({name + ", phases", true, error.what()});
  }
}

void run(const bench::NamedCase& named, const Arguments& arguments, bench::Report& report) {
  const bool cuda = arguments.backend == BackendKind::cuda;
  bench::CaseSettings settings = arguments.settings;
  int repeats = arguments.repeats > 0 ? arguments.repeats : named.repeats;
  if (arguments.quick) {
    const int own = cuda ? named.cuda_scene_count : named.scene_count;
    if (settings.scene_count == 0) settings.scene_count = std::max(std::min(own, 4), own / 50);
    repeats = std::min(repeats, 2);
  }
  measure(named.name, bench::make_case(named, arguments.examples, settings, cuda), named.one_thread, repeats, arguments,
          report);
}

// A benchmark that fails, or that this build cannot make, does not stop the others.
void add(const bench::NamedCase& named, const Arguments& arguments, bench::Report& report) {
  const std::string skipped = bench::why_skipped(named.from_urdf);
  if (!skipped.empty()) return report.left_out.push_back({named.name, false, skipped});
  try {
    run(named, arguments, report);
  } catch (const std::exception& error) {
    report.left_out.push_back({named.name, true, error.what()});
  }
}

void add_scene(const std::string& file, const Arguments& arguments, bench::Report& report) {
  const std::string name = std::filesystem::path(file).stem().string();
  try {
    const int repeats = arguments.repeats > 0 ? arguments.repeats : arguments.quick ? 2 : 3;
    measure(name, bench::make_scene_case(file, arguments.settings), false, repeats, arguments, report);
  } catch (const std::exception& error) {
    report.left_out.push_back({name, true, error.what()});
  }
}

// Writes the scene of the one named benchmark for `pegrasp run`: before its copies differ, without step and options.
int write_scene(const Arguments& arguments) {
  const auto& cases = bench::named_cases();
  const auto named =
      std::find_if(cases.begin(), cases.end(), [&](const auto& c) { return c.name == arguments.names[0]; });
  const bench::Case benchmark = bench::make_case(*named, arguments.examples, arguments.settings, false);
  const std::string text = write_scene_json(benchmark.scene, benchmark.options.duration);  // may refuse: no file then
  std::ofstream out(arguments.scene_json);
  out << text;
  out.close();
  if (out) return 0;
  std::cerr << "pegrasp_bench: cannot write " << arguments.scene_json << "\n";
  return 2;
}

int run_all(const Arguments& arguments) {
  for (const std::string& name : arguments.names) {
    const auto& cases = bench::named_cases();
    if (std::none_of(cases.begin(), cases.end(), [&](const auto& named) { return named.name == name; })) {
      std::cerr << "pegrasp_bench: no benchmark '" << name << "'; --list names them\n";
      return 2;
    }
  }
  if (!arguments.scene_json.empty()) {
    if (arguments.names.size() == 1) return write_scene(arguments);
    std::cerr << "pegrasp_bench: --scene-json is for one benchmark; name it\n";
    return 2;
  }
  bench::Report report;
  report.arithmetic = arguments.settings.arithmetic == Arithmetic::strict ? "strict" : "fast";
  for (const bench::NamedCase& named : bench::named_cases()) {
    if (!wanted(arguments, named)) continue;
    std::cerr << named.name << " ..." << std::endl;
    add(named, arguments, report);
    // After each one, because the next may take too long or end the program.
    if (!arguments.json.empty()) bench::write_json(arguments.json, report);
    if (!arguments.csv.empty()) bench::write_csv(arguments.csv, report);
  }
  for (const std::string& file : arguments.scenes) {
    std::cerr << file << " ..." << std::endl;
    add_scene(file, arguments, report);
    if (!arguments.json.empty()) bench::write_json(arguments.json, report);
    if (!arguments.csv.empty()) bench::write_csv(arguments.csv, report);
  }
  bench::print_table(std::cout, report);
  const bool failed =
      std::any_of(report.left_out.begin(), report.left_out.end(), [](const auto& l) { return l.failed; });
  return failed ? 1 : report.measurements.empty() ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Named benchmarks of pegrasp. Prints a table; run them on a machine that does nothing else."};
  const std::map<std::string, BackendKind> backends{{"cpu", BackendKind::cpu}, {"cuda", BackendKind::cuda}};
  const std::map<std::string, SolverKind> solvers{{"aj", SolverKind::aj},
                                                  {"pgs", SolverKind::pgs},
                                                  {"jacobi", SolverKind::jacobi},
                                                  {"nncg", SolverKind::nncg},
                                                  {"newton", SolverKind::newton},
                                                  {"stiff-newton", SolverKind::stiff_newton},
                                                  {"island-newton", SolverKind::island_newton}};
  bool fast = false;
  app.add_option("names", arguments.names, "benchmarks to run (all but those that --list says run on request)");
  app.add_flag("--list", arguments.list, "name the benchmarks and stop");
  app.add_option("--json", arguments.json, "write the measurements to this file too");
  app.add_option("--csv", arguments.csv, "write them to this CSV file, one row for each benchmark");
  app.add_option(
      "--scene-json", arguments.scene_json,
      "measure nothing; write the benchmark's planar scene, without step and options, to this file, for pegrasp run");
  app.add_option("--backend", arguments.backend, "cpu or cuda")->transform(CLI::CheckedTransformer(backends));
  app.add_option("--threads", arguments.threads, "CPU threads; 0: all cores")->check(CLI::NonNegativeNumber);
  bench::add_shape_options(app, arguments.shape);
  app.add_option("--repeat", arguments.repeats, "timed runs; 0: the benchmark's own")->check(CLI::NonNegativeNumber);
  app.add_option("--scenes", arguments.settings.scene_count,
                 "scenes in the batch; 0: the benchmark's own, of a file one")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--bodies", arguments.settings.bodies, "bodies that move in pour_200 and pour_2000_3d; 0: their own")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--scene", arguments.scenes, "a peg-scene-1 file, measured as --scenes copies of it; may be repeated")
      ->check(CLI::ExistingFile)
      ->allow_extra_args(false);
  app.add_option("--duration", arguments.settings.duration, "simulated time [s]; 0: the benchmark's own")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--h", arguments.settings.h, "step [s]; 0: the benchmark's own")->check(CLI::NonNegativeNumber);
  auto* solver = app.add_option("--solver", arguments.settings.solver,
                                "aj, pgs, jacobi, nncg, newton, stiff-newton or island-newton")
                     ->transform(CLI::CheckedTransformer(solvers));
  const std::map<std::string, Strategy> strategies{{"per-scene", Strategy::per_scene}, {"batched", Strategy::batched}};
  app.add_option("--strategy", arguments.settings.strategy, "per-scene or batched; by size when not given")
      ->transform(CLI::CheckedTransformer(strategies));
  app.add_option("--examples", arguments.examples, "folder of the example problems");
  app.add_flag("--fast", fast, "fast arithmetic instead of strict");
  app.add_flag("!--no-phases", arguments.phases,
               "only measure, do not look at the phases of a step, which takes runs of their own");
  app.add_flag("--quick", arguments.quick,
               "a fiftieth of the scenes, two runs: shows that it works, not how fast it is");
  CLI11_PARSE(app, argc, argv);
  arguments.settings.own_solver = solver->count() == 0;
  if (fast) arguments.settings.arithmetic = Arithmetic::fast;

  if (arguments.list) {
    for (const bench::NamedCase& named : bench::named_cases()) {
      std::printf("%-12s %s%s\n", named.name, named.about, named.on_request ? " (on request)" : "");
    }
    return 0;
  }
  try {
    return run_all(arguments);
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_bench: " << error.what() << '\n';
    return 2;
  }
}

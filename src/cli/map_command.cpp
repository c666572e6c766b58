// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "cli/common.hpp"
#include "cli/terminal.hpp"
#include "pegrasp/map.hpp"
#include "results/atomic_file.hpp"

namespace pegrasp::cli {
namespace {

constexpr int most_threads = 1024;  // more is a slip of the keyboard: each brings a workspace

struct MapArguments {
  std::string file;
  std::string out;
  std::string backend = "auto";
  std::string fallback = "none";
  int threads = 0;
  bool resume = false, no_plot = false, quiet = false, json = false;
  ProblemOptions options;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

BackendKind backend_kind(const std::string& name) {
  if (name == "cpu") return BackendKind::cpu;
  return name == "cuda" ? BackendKind::cuda : BackendKind::automatic;
}

void print_summary(const SuccessMap& map, const std::filesystem::path& out, const std::string& no_picture) {
  long long successes = 0;
  long long unresolved = 0;
  long long steps = 0;
  double residual = 0.0;
  double penetration = 0.0;
  for (const SceneOutcome& outcome : map.outcomes) {
    unresolved += outcome.status != status_ok ? 1 : 0;
    successes += outcome.status == status_ok ? outcome.success : 0;
    steps += outcome.steps;
    residual = std::max(residual, outcome.residual_max);
    penetration = std::max(penetration, outcome.penetration_max);
  }
  const double total = static_cast<double>(map.outcomes.size());
  const double resolved = total - static_cast<double>(unresolved);
  std::array<char, 32> rate{"no rate"};
  if (resolved > 0.0)
    std::snprintf(rate.data(), rate.size(), "%.2f %%", 100.0 * static_cast<double>(successes) / resolved);
  std::printf("trials      %zu in %d cells, %lld succeeded (%s), %lld unresolved\n", map.outcomes.size(),
              map.columns * map.rows, successes, rate.data(), unresolved);
  if (map.fallback == Fallback::reference) {
    const auto count = [&map](int result) {
      return std::count(map.by_reference.begin(), map.by_reference.end(), result);
    };
    const auto resolved = count(resolved_by_reference);
    std::printf("fallback    the reference resolved %td of %td trials that were unresolved\n", resolved,
                resolved + count(left_by_reference));
  }
  std::printf("worst       residual %.2g m/s, overlap %.2g mm\n", residual, 1e3 * penetration);
  const double simulated = map.timing.simulating;
  if (map.resumed == 0 && simulated > 0.0) {
    std::printf("speed       %.0f trials/s, %.3g scene-steps/s on %s\n", total / simulated,
                static_cast<double>(steps) / simulated, map.device.c_str());
  } else if (map.resumed == map.outcomes.size()) {
    std::printf("speed       all trials came from an earlier run\n");
  } else {
    std::printf("speed       %zu trials came from an earlier run; the rest on %s\n", map.resumed, map.device.c_str());
  }
  std::printf(
      "time        %.2f s: reading %.2f, sampling %.2f, simulating %.2f, fallback %.2f, journal %.2f, writing %.2f, "
      "drawing %.2f\n",
      map.timing.total, map.timing.reading, map.timing.sampling, simulated, map.timing.fallback, map.timing.journal,
      map.timing.writing, map.timing.drawing);
  std::printf("written to  %s (map.csv, map.h5, summary.json, problem.toml%s)\n", out.c_str(),
              no_picture.empty() ? ", map.png" : "");
}

// Files, picture, summary. Returns why there is no picture, empty where there is one.
std::string write_all(SuccessMap& map, const Problem& problem, const std::filesystem::path& out, bool picture) {
  const auto begin_writing = std::chrono::steady_clock::now();
  write_map(map, problem, out);
  map.timing.writing = seconds_since(begin_writing);
  const auto begin_drawing = std::chrono::steady_clock::now();
  const std::string no_picture = picture ? draw_map(out) : "not asked for";
  map.timing.drawing = seconds_since(begin_drawing);
  map.timing.total += map.timing.reading + map.timing.writing + map.timing.drawing;
  finish_map(map, problem, out);
  return no_picture;
}

int simulate_and_write(const MapArguments& arguments, const std::filesystem::path& out) {
  const auto begin_reading = std::chrono::steady_clock::now();
  const Problem problem = load_problem(arguments.file, arguments.options.overrides());
  compile(arguments.file, problem.scene,
          problem.options);  // a scene that cannot be simulated is told before anything is made
  const double reading = seconds_since(begin_reading);
  std::unique_ptr<Backend> backend;
  try {
    backend = make_backend(backend_kind(arguments.backend), problem.arithmetic, arguments.threads);
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
  install_stop_signals();
  const bool talks = !arguments.quiet && !arguments.json;
  std::error_code ignored;
  const bool journal_there = std::filesystem::exists(journal_path(out), ignored);
  if (talks && journal_there && !arguments.resume) {
    std::cerr << "pegrasp: an interrupted run in " << out.string()
              << " is written over (--resume would go on with it)\n";
  }
  if (talks && !journal_there && arguments.resume) {
    std::cerr << "pegrasp: nothing to resume in " << out.string() << "; starting from the first trial\n";
  }
  ProgressBar bar(talks);
  MapOptions options;
  options.out = out;
  options.resume = arguments.resume;
  options.fallback = arguments.fallback == "reference" ? Fallback::reference : Fallback::none;
  options.threads = arguments.threads;
  options.stop = &stop_requested();
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  SuccessMap map;
  try {
    map = run_map(problem, *backend, options);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + "; go on with the same command and --resume");
  }
  bar.finish();
  map.timing.reading = reading;
  const std::string no_picture = write_all(map, problem, out, !arguments.no_plot);
  if (arguments.json) {
    std::cout << map_summary_json(map, problem) << '\n';
  } else if (talks) {
    if (stdout_is_terminal()) std::cout << heat_map(map, colour_wanted(), terminal_width());
    std::cout.flush();
    print_summary(map, out, no_picture);
  }
  finish_output();
  if (!arguments.no_plot && !no_picture.empty()) std::cerr << "pegrasp: no map.png: " << no_picture << '\n';
  return exit_done;
}

int run(const MapArguments& arguments) {
  const std::filesystem::path out = arguments.out.empty()
                                        ? std::filesystem::path("out") / std::filesystem::path(arguments.file).stem()
                                        : std::filesystem::path(arguments.out);
  try {
    return simulate_and_write(arguments, out);
  } catch (const WriteError& error) {
    std::error_code ignored;
    if (!std::filesystem::exists(journal_path(out), ignored)) throw;
    throw InputError(std::string(error.what()) + "; then go on with the same command and --resume");
  }
}

}  // namespace

void add_map_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<MapArguments>();
  auto* map =
      app.add_subcommand("map", "simulate every trial of a problem's grid; write the map of success probabilities");
  map->add_option("problem", arguments->file, "problem file (TOML, docs/problem-file.md)")->required();
  map->add_option("--out", arguments->out, "output folder (default: out/<name of the problem file>)")
      ->check(not_empty());
  arguments->options.add_map(*map);
  map->add_option("--backend", arguments->backend, "where to simulate: auto, cpu or cuda")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  map->add_option("--threads", arguments->threads, "CPU threads, 0: all cores")
      ->check(whole_number(0, most_threads))
      ->capture_default_str();
  map->add_option("--fallback", arguments->fallback,
                  "what becomes of unresolved trials: none, or reference: simulate them again by an exact, slow solver")
      ->check(one_of({"none", "reference"}))
      ->capture_default_str();
  map->add_flag("--resume", arguments->resume, "go on where an interrupted run of the same problem stopped");
  map->add_flag("--no-plot", arguments->no_plot, "do not draw map.png");
  map->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  map->add_flag("--json", arguments->json, "print the summary as one JSON object");
  map->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

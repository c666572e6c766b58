// SPDX-License-Identifier: Apache-2.0
// pegrasp solve: solves the problems of files with one or several solvers and compares the solvers.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "pegrasp/map.hpp"
#include "pegrasp/version.hpp"
#include "src/cli/common.hpp"
#include "src/cli/reference/commands.hpp"
#include "src/cli/terminal.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/map/plot_script.hpp"
#include "src/reference/reference.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

using reference::Attempt;
using reference::AttemptOptions;
using reference::Comparison;
using reference::Outcome;
using reference::SolverSums;
using reference::StoredProblem;

struct SolveArguments {
  std::vector<std::string> files;
  std::vector<std::string> solvers{"path"};
  std::string out, library;
  bool json = false, quiet = false, no_plot = false;
  AttemptOptions options;
};

// Solves all problems with all solvers. Throws Interrupted when a stop is requested; that ends the solve that is on.
Comparison compare(const SolveArguments& arguments, const std::vector<std::vector<StoredProblem>>& sets) {
  Comparison comparison;
  comparison.solvers = arguments.solvers;
  comparison.attempts.resize(arguments.solvers.size());
  std::size_t total = 0;
  for (const auto& set : sets) total += set.size();
  total *= arguments.solvers.size();
  ProgressBar bar(!arguments.quiet && !arguments.json, "solves", 1.0);
  std::size_t done = 0;
  for (std::size_t f = 0; f < sets.size(); ++f) {
    for (const StoredProblem& problem : sets[f]) {
      comparison.problems.push_back(problem.name);
      comparison.files.push_back(arguments.files[f]);
      for (std::size_t s = 0; s < arguments.solvers.size(); ++s) {
        comparison.attempts[s].push_back(attempt(problem, arguments.solvers[s], arguments.options));
        if (stop_requested().load()) {
          bar.finish();
          throw Interrupted("stopped after " + std::to_string(done) + " of " + std::to_string(total) +
                            " solves; nothing written");
        }
        bar.update(++done, total);
      }
    }
  }
  bar.finish();
  return comparison;
}

// The number of problems that no solver solved or proved to have no solution.
int open_problems(const Comparison& comparison) {
  int open = 0;
  for (std::size_t p = 0; p < comparison.problems.size(); ++p) {
    const bool answered = std::any_of(comparison.attempts.begin(), comparison.attempts.end(), [p](const auto& list) {
      return list[p].outcome == Outcome::solved || list[p].outcome == Outcome::infeasible;
    });
    open += answered ? 0 : 1;
  }
  return open;
}

nlohmann::ordered_json summary(const SolveArguments& arguments, const Comparison& comparison) {
  nlohmann::ordered_json out;
  out["files"] = arguments.files;
  out["tolerance"] = arguments.options.tolerance;
  out["problems"] = comparison.problems.size();
  out["open"] = open_problems(comparison);
  for (std::size_t s = 0; s < comparison.solvers.size(); ++s) {
    const SolverSums sums = reference::sums(comparison.attempts[s]);
    out["solvers"][comparison.solvers[s]] = {
        {"solved", sums.solved},
        {"infeasible", sums.infeasible},
        {"unsolved", sums.unsolved},
        {"not_applicable", sums.not_applicable},
        {"residual_max", sums.residual_max},
        {"residual_median", sums.residual_median},
        {"seconds", {{"median", sums.seconds_median}, {"q90", sums.seconds_90}, {"total", sums.seconds_total}}}};
  }
  out["version"] = version::number;
  out["git"] = version::git;
  return out;
}

void print_table(const SolveArguments& arguments, const Comparison& comparison) {
  console().print("%zu problems, tolerance %g\n", comparison.problems.size(), arguments.options.tolerance);
  console().print("%-16s %8s %10s %9s %5s  %12s %12s  %10s %10s %9s\n", "solver", "solved", "infeasible", "unsolved",
                  "n/a", "residual max", "median", "median ms", "90 % ms", "total s");
  for (std::size_t s = 0; s < comparison.solvers.size(); ++s) {
    const SolverSums sums = reference::sums(comparison.attempts[s]);
    console().print("%-16s %8d %10d %9d %5d  %12.2g %12.2g  %10.3g %10.3g %9.3g\n", comparison.solvers[s].c_str(),
                    sums.solved, sums.infeasible, sums.unsolved, sums.not_applicable, sums.residual_max,
                    sums.residual_median, 1e3 * sums.seconds_median, 1e3 * sums.seconds_90, sums.seconds_total);
  }
}

// The files of the results, opened before the work, so that an unusable folder is reported at once.
struct ResultFiles {
  explicit ResultFiles(const std::filesystem::path& folder)
      : picture(folder / "profile.png"),
        solves(folder / "solves.csv"),
        profile(folder / "profile.csv"),
        summary(folder / "summary.json") {}
  std::filesystem::path picture;
  AtomicFile solves, profile, summary;
};

std::filesystem::path make_folder(const SolveArguments& arguments) {
  const std::filesystem::path out =
      arguments.out.empty() ? std::filesystem::path("out") / std::filesystem::path(arguments.files.front()).stem()
                            : std::filesystem::path(arguments.out);
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) {
    throw InputError(out.string() + ": cannot make the output folder: " + error.message() + "; " +
                     write_remedy(error.value()));
  }
  return out;
}

void load_library(SolveArguments& arguments) {
  const bool asked =
      std::find(arguments.solvers.begin(), arguments.solvers.end(), "path-library") != arguments.solvers.end();
  if (!asked) {
    if (!arguments.library.empty()) throw InputError("--path-library: is for --solver path-library; give that as well");
    return;
  }
  if (arguments.library.empty()) {
    throw InputError(
        "--solver path-library: needs --path-library FILE, PATH's shared library (docs/reference/stored-problems.md)");
  }
  try {
    arguments.options.library = std::make_shared<const mcp::PathLibrary>(arguments.library);
  } catch (const std::runtime_error& error) {
    throw InputError(std::string("--path-library: ") + error.what());
  }
}

int run(SolveArguments& arguments) {
  for (std::size_t s = 0; s < arguments.solvers.size(); ++s) {
    if (std::find(arguments.solvers.begin(), arguments.solvers.begin() + static_cast<std::ptrdiff_t>(s),
                  arguments.solvers[s]) != arguments.solvers.begin() + static_cast<std::ptrdiff_t>(s)) {
      throw InputError("--solver: " + arguments.solvers[s] + " is named twice; name it once");
    }
  }
  load_library(arguments);
  std::vector<std::vector<StoredProblem>> sets;
  for (const std::string& file : arguments.files) sets.push_back(reference::load_problems(file));
  const std::filesystem::path out = make_folder(arguments);
  ResultFiles files(out);
  install_stop_signals();
  arguments.options.stop = &stop_requested();
  const Comparison comparison = compare(arguments, sets);
  const nlohmann::ordered_json report = summary(arguments, comparison);
  files.solves.commit(reference::solves_csv(comparison));
  files.profile.commit(reference::profile_csv(comparison));
  // File names need not be UTF-8, JSON is.
  const std::string json = report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  files.summary.commit(json + "\n");
  std::error_code ignored;
  std::filesystem::remove(files.picture, ignored);  // of an earlier comparison
  std::string no_picture;
  if (!arguments.no_plot) {
    no_picture = draw_by_script("plot_profile.py", out / "profile.csv", files.picture, "python3-matplotlib");
  }
  if (arguments.json) {
    console().out << json << '\n';
  } else if (!arguments.quiet) {
    print_table(arguments, comparison);
    const bool drawn = !arguments.no_plot && no_picture.empty();
    console().print("written to %s (solves.csv, profile.csv, summary.json%s)\n", printable(out.string()).c_str(),
                    drawn ? ", profile.png" : "");
  }
  finish_output();
  if (!no_picture.empty()) console().err << "pegrasp: no profile.png: " << printable_line(no_picture) << '\n';
  return open_problems(comparison) == 0 ? exit_done : exit_unaccepted;
}

}  // namespace

void add_solve_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<SolveArguments>();
  AttemptOptions& options = arguments->options;
  auto* solve = app.add_subcommand("solve", "solve files of complementarity problems and compare solvers");
  solve
      ->add_option("files", arguments->files,
                   "problem files (HDF5, from pegrasp dump or of fclib, docs/reference/stored-problems.md)")
      ->required();
  solve->add_option("--solver", arguments->solvers, "one solver, or several separated by commas")
      ->delimiter(',')
      ->check(one_of(reference::compared_solvers()))
      ->capture_default_str();
  solve->add_option("--tolerance", options.tolerance, "natural residual at which a problem counts as solved")
      ->check(positive())
      ->capture_default_str();
  solve->add_option("--out", arguments->out, "output folder (default: out/<name of the first file>)")
      ->check(not_empty());
  solve
      ->add_option("--max-iterations", options.max_iterations,
                   "iterations per problem, of fixed-point, jacobi, pgs, nncg and aj")
      ->check(whole_number(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  solve
      ->add_option("--max-pivots", options.max_pivots,
                   "pivots per problem, of path, josephy-newton, lemke and path-library")
      ->check(whole_number(1, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  solve
      ->add_option("--max-majors", options.max_majors,
                   "linearisations per problem, of path, josephy-newton and path-library; steps of fischer-newton, "
                   "minmap-newton and interior-point")
      ->check(whole_number(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  solve
      ->add_option("--augmentation", options.augmentation,
                   "what jacobi-augmented and pgs-augmented add to the diagonal; they solve another problem by that")
      ->check(positive())
      ->capture_default_str();
  solve->add_option("--time-limit", options.time_limit_s, "time per problem and solver [s]; lemke has no limit")
      ->check(positive())
      ->type_name("S")
      ->capture_default_str();
  solve->add_option("--path-library", arguments->library, "PATH's shared library, for --solver path-library")
      ->check(not_empty())
      ->type_name("FILE");
  solve->add_flag("--no-plot", arguments->no_plot, "do not draw profile.png");
  solve->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  solve->add_flag("--json", arguments->json, "print the summary as one JSON object");
  solve->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

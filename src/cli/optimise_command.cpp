// SPDX-License-Identifier: Apache-2.0
// pegrasp optimise: the best values of the [[design]] parameters of a problem.
#include "src/optimise/optimise.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/cli/decision_output.hpp"
#include "src/cli/search_commands.hpp"
#include "src/cli/terminal.hpp"
#include "src/optimise/objective.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

struct OptimiseArguments {
  std::string file;
  std::string backend = "auto";
  int threads = 0;
  optimise::OptimiseOptions optimise;
  ProblemOptions options;
  DecisionOutput output;
};

int run_optimise(OptimiseArguments& arguments) {
  const RowEvaluator rows = read_rows(arguments.file, arguments.options.overrides(), {});
  tell_warnings(rows.problem().scene);
  compile(arguments.file, rows.problem().scene, rows.problem().options, rows.problem().arithmetic);
  const std::filesystem::path out =
      arguments.output.out.empty()
          ? std::filesystem::path("out") / (std::filesystem::path(arguments.file).stem().string() + "-optimum")
          : std::filesystem::path(arguments.output.out);
  const Arithmetic arithmetic = rows.problem().arithmetic;
  const std::unique_ptr<Backend> backend =
      optimise::read_objective(rows)->follows_trials()
          ? following_backend(arguments.backend, "objective kind \"field\"", arithmetic, arguments.threads)
          : backend_named(arguments.backend, arithmetic, arguments.threads, -1);
  install_stop_signals();
  std::error_code error;
  optimise::OptimiseOptions options = arguments.optimise;
  options.folder = out;
  options.threads = arguments.threads;
  options.stop = &stop_requested();
  if (!arguments.output.quiet && !options.resume) warn_of_interrupted_run(out);
  ProgressBar bar(!arguments.output.quiet && !arguments.output.json, "evaluations");
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  optimise::OptimiseResult result;
  try {
    result = optimise::optimise(rows, *backend, options);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + "; to continue, repeat the command with --resume");
  }
  bar.finish();
  Decision decision{"optimise",
                    optimise::optimise_text(rows, result),
                    optimise::optimise_json(rows, result),
                    {{"evaluations.csv", result.evaluations_csv}, {"optimum.toml", result.optimum_toml}}};
  write_decision(decision, out, arguments.output);
  std::filesystem::remove(out / "evaluations.journal", error);
  return exit_done;
}

}  // namespace

RowEvaluator read_rows(const std::string& name, const std::vector<Override>& overrides,
                       const std::vector<DesignParameter>& further) {
  const auto text = console().texts.find(name);
  return text != console().texts.end() ? RowEvaluator(text->second, name, overrides, further)
                                       : RowEvaluator(std::filesystem::path(name), overrides, further);
}

std::unique_ptr<Backend> following_backend(const std::string& name, const std::string& what, Arithmetic arithmetic,
                                           int threads) {
  if (name == "cuda") {
    throw InputError("--backend cuda: " + what +
                     " follows trials step by step, on the host's cores; leave it out, or "
                     "give cpu");
  }
  return backend_named("cpu", arithmetic, threads, -1);
}

void warn_of_interrupted_run(const std::filesystem::path& out) {
  std::error_code error;
  if (!std::filesystem::exists(out / "evaluations.journal", error)) return;
  console().err << "pegrasp: an interrupted run in " << printable(out.string())
                << " is overwritten (--resume would continue it)\n";
}

void add_optimise_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<OptimiseArguments>();
  auto* optimise = app.add_subcommand(
      "optimise", "find the values of the [[design]] parameters that make a problem's [objective] least (Nelder-Mead)");
  optimise->add_option("problem", arguments->file, "problem file with [[design]] and [objective]")->required();
  optimise
      ->add_option("--evaluations", arguments->optimise.evaluations,
                   "points at which the objective is found, at most; 0: 100 for each parameter")
      ->check(whole_number(0, 1'000'000))
      ->capture_default_str();
  optimise
      ->add_option("--tolerance", arguments->optimise.tolerance,
                   "the search ends when its simplex is smaller than this, in units of the parameters' scales")
      ->check(positive())
      ->capture_default_str();
  optimise
      ->add_option("--restarts", arguments->optimise.restarts,
                   "begin again so often, around the best point with a quarter of the scale")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  arguments->options.add_map(*optimise);
  optimise->add_option("--backend", arguments->backend, "where to simulate: auto, cpu or cuda")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  optimise->add_option("--threads", arguments->threads, "CPU threads; 0: all cores that the process may use")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  optimise->add_flag("--resume", arguments->optimise.resume, "continue an interrupted run of the same command");
  arguments->output.add(*optimise, "optimise", "out/<name of the problem file>-optimum");
  optimise->callback([arguments, &exit_code] { exit_code = run_optimise(*arguments); });
}

}  // namespace pegrasp::cli

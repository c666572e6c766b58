// SPDX-License-Identifier: Apache-2.0
// pegrasp rare: the probability of failures that counting would seldom see.
#include "src/rare/rare.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/cli/decision_output.hpp"
#include "src/cli/terminal.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

struct RareArguments {
  std::string file;
  std::string backend = "auto";
  int threads = 0, device = -1;
  double below = 0.0, above = 0.0;
  bool below_given = false, above_given = false;
  rare::RareOptions rare;
  ProblemOptions options;
  DecisionOutput output;
};

void choose_limit(RareArguments& arguments) {
  rare::RareOptions& rare = arguments.rare;
  if (rare.measure != "success" && !arguments.below_given && !arguments.above_given) {
    throw InputError("--measure " + printable(rare.measure) + ": say what is a failure, with --below X or --above X");
  }
  rare.above = arguments.above_given;
  rare.limit = arguments.above_given ? arguments.above : arguments.below;
}

int run(RareArguments& arguments) {
  choose_limit(arguments);
  const Problem problem = read_problem(arguments.file, arguments.options.overrides());
  tell_warnings(problem.scene);
  compile(arguments.file, problem.scene, problem.options, problem.arithmetic);
  const std::filesystem::path out =
      arguments.output.out.empty()
          ? std::filesystem::path("out") / (std::filesystem::path(arguments.file).stem().string() + "-rare")
          : std::filesystem::path(arguments.output.out);
  const std::unique_ptr<Backend> backend =
      backend_named(arguments.backend, problem.arithmetic, arguments.threads, arguments.device);
  install_stop_signals();
  std::error_code error;
  rare::RareOptions options = arguments.rare;
  options.journal = out / "rare.journal";
  options.stop = &stop_requested();
  if (!arguments.output.quiet && !options.resume && std::filesystem::exists(options.journal, error)) {
    console().err << "pegrasp: an interrupted run in " << printable(out.string())
                  << " is overwritten (--resume would continue it)\n";
  }
  ProgressBar bar(!arguments.output.quiet && !arguments.output.json);
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  rare::RareResult result;
  try {
    result = rare::seek_rare(problem, *backend, options);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + "; to continue, repeat the command with --resume");
  }
  bar.finish();
  const std::filesystem::path resolved = out / "problem.toml", worst = out / "worst.csv";
  std::string why;
  const std::string rows = rare::worst_rows(problem.of_trial(options.cell, 0), result, why);
  const std::string rows_file = rows.empty() ? "" : worst.string();
  Decision decision{"rare",
                    rare::rare_text(problem, result, options, resolved.string(), rows_file),
                    rare::rare_json(problem, result, options, resolved.string(), rows_file),
                    {{"rare.csv", rare::rare_csv(result, options)}, {"problem.toml", problem.resolved_toml}}};
  if (!rows.empty()) {
    decision.files.emplace_back("worst.csv", rows);
  } else if (!result.worst.empty()) {
    decision.text += "            no commands that repeat these: " + why + "\n";
  }
  write_decision(decision, out, arguments.output);
  std::filesystem::remove(options.journal, error);
  const std::string failed = rare::no_result(result, options);
  if (failed.empty()) return exit_done;
  console().err << "pegrasp: " << printable_line(failed) << '\n';
  return exit_unaccepted;
}

}  // namespace

void add_rare_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RareArguments>();
  auto* rare = app.add_subcommand("rare",
                                  "estimate the probability of rare failures of one cell by subset simulation, with a "
                                  "95 % interval from independent "
                                  "runs");
  rare->add_option("problem", arguments->file, "problem file (TOML, docs/reference/problem-file.md)")->required();
  rare->add_option("--measure", arguments->rare.measure,
                   "number of a trial that leads to the failure: success (how far [success] is from changing), "
                   "grip_force_n, slip_margin, slip_margin_end, BODY.x_mm, ...; of grasps slip_mm, tilt_deg, "
                   "hold_force_n, hold_margin")
      ->check(not_empty())
      ->capture_default_str();
  auto* below =
      rare->add_option("--below", arguments->below, "a trial fails where the measure is below this (success: 0)")
          ->each([arguments](const std::string&) { arguments->below_given = true; });
  rare->add_option("--above", arguments->above, "a trial fails where the measure is above this")
      ->each([arguments](const std::string&) { arguments->above_given = true; })
      ->excludes(below);
  rare->add_option("--cell", arguments->rare.cell, "cell of the map, from 0")->check(whole_number(0, 10'000'000));
  rare->add_option("--runs", arguments->rare.runs, "independent runs, whose spread gives the interval")
      ->check(whole_number(4, 1000))
      ->capture_default_str();
  rare->add_option("--per-level", arguments->rare.samples, "trials a level and run")
      ->check(whole_number(100, 1'000'000))
      ->capture_default_str();
  arguments->options.add_map(*rare, false);  // --runs and --per-level say how many trials there are
  rare->add_option("--backend", arguments->backend, "where to simulate: auto, cpu or cuda")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  rare->add_option("--threads", arguments->threads, "CPU threads; 0: all cores that the process may use")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  rare->add_flag("--resume", arguments->rare.resume, "continue an interrupted run of the same command");
  arguments->output.add(*rare, "rare", "out/<name of the problem file>-rare");
  rare->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// pegrasp plan: finds pushes that take a body to its goal, whatever is uncertain.
#include <filesystem>
#include <memory>
#include <string>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/cli/decision_output.hpp"
#include "src/cli/search_commands.hpp"
#include "src/cli/terminal.hpp"
#include "src/plan/search.hpp"

namespace pegrasp::cli {
namespace {

struct PlanArguments {
  std::string file;
  std::string backend = "auto";
  plan::PlanOptions plan;
  ProblemOptions options;
  DecisionOutput output;
};

int run_plan(PlanArguments& arguments) {
  plan::PlanOptions& options = arguments.plan;
  options.folder = arguments.output.out.empty() ? std::filesystem::path("out") /
                                                      (std::filesystem::path(arguments.file).stem().string() + "-plan")
                                                : std::filesystem::path(arguments.output.out);
  const RowEvaluator rows = read_rows(arguments.file, arguments.options.overrides(), {});
  tell_warnings(rows.problem().scene);
  const plan::PlanTask task = plan::read_task(rows);
  compile(arguments.file, rows.problem().scene, rows.problem().options, rows.problem().arithmetic);
  const std::unique_ptr<Backend> backend =
      backend_named(arguments.backend, rows.problem().arithmetic, options.threads, -1);
  install_stop_signals();
  options.stop = &stop_requested();
  if (!arguments.output.quiet && !options.resume) warn_of_interrupted_run(options.folder);
  ProgressBar bar(!arguments.output.quiet && !arguments.output.json, "plans");
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  RowLog log(rows, *backend, plan::log_options(options));
  plan::PlanResult result;
  try {
    result = plan::search_plans(rows, log, task, options);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + "; to continue, repeat the command with --resume");
  }
  bar.finish();
  result.device = backend->device();
  const Decision decision{"plan",
                          plan::plan_text(result),
                          plan::plan_json(result, arguments.file, rows.problem().title),
                          {{"plans.csv", plan::plans_csv(result)}, {"best.toml", rows.toml_at(result.best)}}};
  write_decision(decision, options.folder, arguments.output);
  log.finish();
  return exit_done;
}

}  // namespace

void add_plan_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<PlanArguments>();
  plan::PlanOptions& options = arguments->plan;
  auto* plan = app.add_subcommand("plan",
                                  "find pushes that take a body to the pose of [success], whatever is uncertain: draws "
                                  "plans of the pushes that [plan] allows, and refines the best");
  plan->add_option("problem", arguments->file, "problem file with [plan] and [[plan.push]]")->required();
  plan->add_option("--plans", options.plans, "plans to draw, each simulated once without any draw")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  plan->add_option("--finalists", options.finalists, "of these, those nearest to the goal are tried with all samples")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  plan->add_option("--refined", options.refined, "of these, those with the largest lower bounds are refined")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  plan->add_option("--evaluations", options.evaluations,
                   "points of each refinement without draws, and again with all samples, at most")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  plan->add_option("--fresh", options.fresh, "further samples with which the best plan is tried in the end")
      ->check(whole_number(0, 10'000'000))
      ->capture_default_str();
  arguments->options.add_map(*plan);
  plan->add_option("--backend", arguments->backend, "where to simulate: auto, cpu or cuda")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  plan->add_option("--threads", options.threads, "CPU threads; 0: all cores that the process may use")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  plan->add_flag("--resume", options.resume, "continue an interrupted run of the same command");
  arguments->output.add(*plan, "plan", "out/<name of the problem file>-plan");
  plan->callback([arguments, &exit_code] { exit_code = run_plan(*arguments); });
}

}  // namespace pegrasp::cli

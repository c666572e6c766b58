// SPDX-License-Identifier: Apache-2.0
// pegrasp design: draws designs of a problem and verifies them, by a cheap model before a dear one.
#include <filesystem>
#include <memory>
#include <numbers>
#include <string>
#include <system_error>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/cli/decision_output.hpp"
#include "src/cli/terminal.hpp"
#include "src/design/verify.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

struct DesignArguments {
  std::string file;
  std::string backend = "auto", levels = "geometric,dynamic";
  int threads = 0, device = -1;
  double cell = 1.0, turn_cell = 5.0;  // [mm], [degrees]
  design::DesignOptions design;
  ProblemOptions options;
  DecisionOutput output;
};

int run_design(DesignArguments& arguments) {
  design::DesignOptions& options = arguments.design;
  options.levels = design::levels_from(arguments.levels);
  options.cell = 1e-3 * arguments.cell;
  options.turn_cell = arguments.turn_cell * std::numbers::pi / 180.0;
  options.folder =
      arguments.output.out.empty()
          ? std::filesystem::path("out") / (std::filesystem::path(arguments.file).stem().string() + "-design")
          : std::filesystem::path(arguments.output.out);
  const RowEvaluator rows(std::filesystem::path(arguments.file), arguments.options.overrides());
  tell_warnings(rows.problem().scene);
  compile(arguments.file, rows.problem().scene, rows.problem().options, rows.problem().arithmetic);
  const std::unique_ptr<Backend> backend =
      backend_named(arguments.backend, rows.problem().arithmetic, arguments.threads, arguments.device);
  install_stop_signals();
  options.stop = &stop_requested();
  ProgressBar bar(!arguments.output.quiet && !arguments.output.json, "designs");
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  RowLog log(rows, *backend, design::log_options(options));
  design::DesignResult result;
  try {
    result = design::verify_designs(rows, *backend, log, options);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + "; to continue, repeat the command with --resume");
  }
  bar.finish();
  const design::DesignTotals totals = design::totals_of(result, options);
  std::error_code error;
  std::filesystem::remove(options.folder / "passed.toml", error);  // of an earlier run
  design::DesignPicture picture;
  if (!totals.passed.empty())
    picture = design::picture_of(rows, *backend, {result.designs[totals.passed.front()].values, {}});
  Decision decision{"summary",
                    design::design_text(result, options),
                    design::design_json(result, options, arguments.file, rows.problem().title, picture),
                    {{"designs.csv", design::designs_csv(result, options)}}};
  if (!totals.passed.empty())
    decision.files.emplace_back("passed.toml", rows.toml_at({result.designs[totals.passed.front()].values, {}}));
  write_decision(decision, options.folder, arguments.output);
  log.finish();
  if (totals.contradictions.empty()) return exit_done;
  console().err << "pegrasp: design " << totals.contradictions.front()
                << " passes the last level, but a cheaper one refused it; give smaller --cell-mm and --cell-deg\n";
  return exit_unaccepted;
}

}  // namespace

void add_design_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<DesignArguments>();
  auto* design = app.add_subcommand("design",
                                    "draw designs of a problem with [[design]] tables, and verify each for all that is "
                                    "uncertain: by geometry first, then by simulation up to the first failure");
  design->add_option("problem", arguments->file, "problem file (TOML, docs/reference/problem-file.md)")->required();
  design->add_option("--designs", arguments->design.designs, "designs to draw; 0: the one that the file describes")
      ->check(whole_number(0, 1'000'000))
      ->capture_default_str();
  design
      ->add_option("--levels", arguments->levels,
                   "models that refuse designs, from cheap to dear: geometric, dynamic, compliant")
      ->check(not_empty())
      ->capture_default_str();
  design->add_flag("--naive", arguments->design.naive,
                   "try refused designs by the last level, too, and say what that costs");
  design->add_option("--cell-mm", arguments->cell, "side of the cells of the geometric level [mm]")
      ->check(positive())
      ->capture_default_str();
  design->add_option("--cell-deg", arguments->turn_cell, "the same of turns [degrees]")
      ->check(positive())
      ->capture_default_str();
  arguments->options.add_map(*design);
  design->add_option("--backend", arguments->backend, "where to simulate: auto, cpu or cuda")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  design->add_option("--threads", arguments->threads, "CPU threads; 0: all cores that the process may use")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  design->add_option("--device", arguments->device, "number of the CUDA device, from 0 (default: the first)")
      ->check(whole_number(0, 1024));
  design->add_flag("--resume", arguments->design.resume, "continue an interrupted run of the same command");
  arguments->output.add(*design, "summary", "out/<name of the problem file>-design");
  design->callback([arguments, &exit_code] { exit_code = run_design(*arguments); });
}

}  // namespace pegrasp::cli

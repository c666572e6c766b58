// SPDX-License-Identifier: Apache-2.0
// What the subcommands share: options that override keys of a problem, exit codes, the stop flag.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "src/cli/console.hpp"

namespace pegrasp::cli {

// Exit codes: 0 done, 1 done but with something unresolved that the command was asked to check for, 2 bad input, 3 an
// internal error, 75 (EX_TEMPFAIL) what may go well when tried again, 130 stopped.
enum ExitCode : int {
  exit_done = 0,
  exit_unaccepted = 1,
  exit_bad_input = 2,
  exit_internal = 3,
  exit_try_again = 75,
  exit_stopped = 130
};

// Checks of numbers on the command line; what fails is reported in words.
CLI::Validator positive();
CLI::Validator non_negative();
CLI::Validator share_of_all();
CLI::Validator not_empty();
CLI::Validator one_of(const std::vector<std::string>& names);
CLI::Validator whole_number(std::int64_t low, std::int64_t high);

// Options that write over keys of the problem file, as one list of overrides in the order given.
class ProblemOptions {
 public:
  // simulation: h, time limit (by the option's name), contact, solver, arithmetic; map: samples, seed too.
  void add_simulation(CLI::App& app, const std::string& time_limit);
  void add_map(CLI::App& app, bool samples = true);
  void add_until(CLI::App& app);
  void add_refine(CLI::App& app);
  // --samples-from, which names a problem's rows.
  void add_rows(CLI::App& app);
  std::vector<Override> overrides() const;
  // The same for a scene file, which has no keys: writes over the options and the scene's length scale. Of --set it
  // takes simulation.KEY=VALUE; throws InputError for others. file: for messages.
  void apply(const std::string& file, StepOptions& options, Arithmetic& arithmetic, SceneSpec& scene) const;
  bool urdf_hull() const { return urdf_hull_; }
  // The first option given that says by what the product steps: contact model, solver, strategy, arithmetic; empty:
  // none was given.
  std::string step_choice() const {
    return !contact_.empty()    ? "--contact"
           : !solver_.empty()   ? "--solver"
           : !strategy_.empty() ? "--strategy"
           : fast_              ? "--fast"
           : strict_            ? "--strict"
                                : "";
  }

 private:
  std::vector<Override> set_overrides() const;

  double step_ = 0.0;       // [s]
  double duration_ = -1.0;  // [s]
  std::string contact_, solver_, strategy_;
  bool strict_ = false, fast_ = false, space_ = false, forces_ = false, urdf_hull_ = false;
  std::int64_t samples_ = -1, seed_ = -1;
  std::vector<std::string> sets_, until_, refine_;
  std::string rows_;
};

// Whether a file is a problem (TOML) or a scene: a scene file is a JSON object, which no TOML begins like. Where that
// does not tell (a damaged file), its ending does. What can be read but once (a pipe) is a scene unless a trial is
// asked for.
bool is_problem_file(const std::string& name, bool trial);

// load_problem() and load_scene_json(), of a file or of a text of the console.
Problem read_problem(const std::string& name, const std::vector<Override>& overrides);
SceneFile read_scene(const std::string& name, bool urdf_hull);

// Compiles and derives; what is wrong with the scene is reported as InputError that names the file.
struct Compiled {
  std::shared_ptr<const Model> model;
  StepOptions options;
};
Compiled compile(const std::filesystem::path& file, const SceneSpec& scene, const StepOptions& options,
                 Arithmetic arithmetic);

// Prints the warnings about the files that the scene was read from, each as a line on standard error.
void tell_warnings(const SceneSpec& scene);
// Says which numbers of a problem with Sampling::sobol are drawn at random.
void tell_plain_draws(const Problem& problem);
// Of --backend: auto, cpu or cuda. Throws InputError where there is none.
std::unique_ptr<Backend> backend_named(const std::string& name, Arithmetic arithmetic, int threads, int device);

// The console's. That of the process is set by SIGINT and SIGTERM once install_stop_signals() was called; the second
// signal ends the process at once.
std::atomic<bool>& stop_requested();
void install_stop_signals();

// 17 significant digits, and the shortest text that reads back the same.
std::string digits17(double value);
std::string shortest(double value);

// Flushes standard output; throws InputError when not all of it could be written.
void finish_output();

// Why a command line was refused, in one line, with the nearest option or subcommand where there is one.
std::string refusal(const CLI::App& app, const CLI::Error& error);

// Each adds its subcommand to the app; `exit_code` is set when it ran.
void add_map_command(CLI::App& app, int& exit_code);
void add_evaluate_command(CLI::App& app, int& exit_code);
void add_merge_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_replay_command(CLI::App& app, int& exit_code);
void add_show_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_explain_command(CLI::App& app, int& exit_code);
void add_best_command(CLI::App& app, int& exit_code);
void add_rare_command(CLI::App& app, int& exit_code);
void add_design_command(CLI::App& app, int& exit_code);
void add_info_command(CLI::App& app, int& exit_code);
void add_convexify_command(CLI::App& app, int& exit_code);

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// pegrasp run: one scene, watched step by step, by the very code that the map runs.
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <system_error>

#include "pegrasp/map.hpp"
#include "pegrasp/simulation.hpp"
#include "pegrasp/version.hpp"
#include "src/cli/common.hpp"
#include "src/cli/contact_table.hpp"
#include "src/cli/recorded_trial.hpp"
#include "src/cli/reference_commands.hpp"
#include "src/cli/scene_job.hpp"
#include "src/cli/scene_watch.hpp"
#include "src/cli/step_progress.hpp"
#include "src/cli/step_table.hpp"
#include "src/cli/user_function.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

struct RunArguments {
  SceneChoice scene;
  FormulationWords formulation;
  std::string trajectory, contacts, record, user_function;
  bool loads = false;
  bool json = false;
  bool steps = false;  // the table of steps in place of the report
  int step = 0;        // one step with its contacts in place of the report; 0: none
};

void print_text(const nlohmann::ordered_json& report) {
  for (const auto& [key, value] : report.items()) {
    if (value.is_object()) {
      for (const auto& [inner, number] : value.items())
        console().out << printable(key) << '.' << printable(inner) << ": " << number << '\n';
    } else if (value.is_array()) {
      for (const auto& line : value)
        console().out << printable(key) << ": " << printable_line(line.get<std::string>()) << '\n';
    } else {
      console().out << printable(key) << ": "
                    << printable_line(value.is_string()
                                          ? value.get<std::string>()
                                          : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
                    << '\n';
    }
  }
}

// Where a table of all steps goes, opened before the simulation so that a bad place is reported at once. A file is
// written whole or not at all; what is no regular file (/dev/stdout, a pipe) is written to as it stands.
class TableFile {
 public:
  explicit TableFile(const std::filesystem::path& path) : path_(path) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
      file_.emplace(path);
    } else {
      stream_.open(path, std::ios::binary);
      if (!stream_) fail();
    }
  }
  void write(const std::string& text) {
    if (file_) {
      file_->commit(text);
    } else if (!(stream_ << text) || !stream_.flush()) {
      fail();
    }
  }

 private:
  [[noreturn]] void fail() const {
    const int error = errno;
    throw InputError(printable(path_.string()) + ": cannot be written: " +
                     std::error_code(error, std::generic_category()).message() + "; " + write_remedy(error));
  }

  std::filesystem::path path_;
  std::optional<AtomicFile> file_;
  std::ofstream stream_;
};

// What is printed in place of the report, gathered or printed step by step.
class StepOutput {
 public:
  StepOutput(const RunArguments& arguments, const SceneJob& job, Simulation& simulation)
      : arguments_(arguments), job_(job) {
    if (arguments.step > 0) simulation.watch_contacts();
    if (arguments.steps && !arguments.json) console().out << steps_heading();
  }
  // A step was done, or has ended the scene. False when no more of them are wanted.
  bool see(const Simulation& simulation) {
    const StepReport step = simulation.last_step();
    if (arguments_.steps && arguments_.json) list_.push_back(step_json(step));
    if (arguments_.steps && !arguments_.json) console().out << step_line(step);
    if (arguments_.step == 0 || step.step < arguments_.step) return true;
    found_ = true;
    if (arguments_.json) {
      one_ = step_json(job_.scene, step, simulation.contents());
    } else {
      console().out << step_text(job_.scene, step, simulation.contents());
    }
    return false;
  }
  // After the last step.
  void finish(const Simulation& simulation) {
    if (arguments_.step > 0 && !found_) {
      throw InputError("--step " + std::to_string(arguments_.step) + ": the scene ends after step " +
                       std::to_string(simulation.outcome().steps) + "; choose an earlier one");
    }
    if (!arguments_.json) return;
    nlohmann::ordered_json out{{"scene", job_.scene.name}};
    out.update(arguments_.steps ? nlohmann::ordered_json{{"steps", list_}} : one_);
    out["version"] = version::number;
    out["git"] = version::git;
    console().out << out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }

 private:
  const RunArguments& arguments_;
  const SceneJob& job_;
  nlohmann::ordered_json list_ = nlohmann::ordered_json::array(), one_;
  bool found_ = false;
};

void print_report(const RunArguments& arguments, const nlohmann::ordered_json& report) {
  if (arguments.json) {
    console().out << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    print_text(report);
  }
}

// The tables of --trajectory and --contacts, gathered step by step.
class StepTables {
 public:
  StepTables(const RunArguments& arguments, const SceneJob& job, Simulation& simulation)
      : job_(job), loads_(arguments.loads) {
    if (loads_ && arguments.trajectory.empty())
      throw InputError("--loads adds columns to a trajectory; give --trajectory FILE, too");
    if (!arguments.contacts.empty() && std::filesystem::weakly_canonical(arguments.contacts) ==
                                           std::filesystem::weakly_canonical(arguments.trajectory))
      throw InputError(arguments.contacts +
                       ": is named by --contacts and by --trajectory; give each a file of its own");
    if (!arguments.trajectory.empty()) trajectory_file_.emplace(arguments.trajectory);
    if (!arguments.contacts.empty()) contacts_file_.emplace(arguments.contacts);
    if (loads_ || contacts_file_) simulation.watch_contacts();
    trajectory_ << trajectory_heading << (loads_ ? loads_heading() : "") << '\n';
    contacts_ << contacts_heading();
  }
  void see(const Simulation& simulation) {
    const auto more = [&](int body) { return loads_ ? load_cells(simulation, body) : std::string(); };
    if (trajectory_file_) append_state(trajectory_, job_.scene, simulation, more);
    if (contacts_file_) append_contacts(contacts_, job_.scene, simulation);
  }
  void write() {
    if (trajectory_file_) trajectory_file_->write(trajectory_.str());
    if (contacts_file_) contacts_file_->write(contacts_.str());
  }

 private:
  const SceneJob& job_;
  bool loads_;
  std::optional<TableFile> trajectory_file_, contacts_file_;
  std::ostringstream trajectory_, contacts_;
};

// The page of --record, with all steps that were done.
class RecordedPage {
 public:
  RecordedPage(const RunArguments& arguments, const SceneJob& job, Simulation& simulation)
      : arguments_(arguments), job_(job) {
    if (arguments.record.empty()) return;
    if (job.scene.spatial) report::three_js();  // reported before the work
    file_.emplace(arguments.record);
    recorder_.emplace(job.scene, simulation, job.options.h, force_frames_alone);
  }
  void see(const Simulation& simulation) {
    if (recorder_) recorder_->see(simulation);
  }
  void write(const Simulation& simulation) {
    if (!file_) return;
    const std::string command = "pegrasp run " + arguments_.scene.words();
    file_->commit(
        report::page(replay_data(job_, recorder_->finish(simulation), arguments_.scene.label(job_), command)));
  }

 private:
  const RunArguments& arguments_;
  const SceneJob& job_;
  std::optional<AtomicFile> file_;
  std::optional<report::Recorder> recorder_;
};

// A scene stepped as the sources write it has a report and a trajectory, and no more.
int run_by_formulation(const RunArguments& arguments) {
  const auto refuse = [](const char* option) {
    throw InputError(std::string(option) + " is not for --formulation, which writes a report and --trajectory alone");
  };
  if (const std::string option = arguments.scene.options.step_choice(); !option.empty()) {
    throw InputError(option +
                     " is not for --formulation, whose steps are formulated and solved by the reference "
                     "simulator; leave it out");
  }
  if (arguments.loads) refuse("--loads");
  if (!arguments.contacts.empty()) refuse("--contacts");
  if (!arguments.record.empty()) refuse("--record");
  if (arguments.steps) refuse("--steps");
  if (arguments.step > 0) refuse("--step");
  if (!arguments.user_function.empty()) refuse("--user-function");
  return run_formulation(arguments.scene, arguments.formulation, arguments.trajectory, arguments.json,
                         [&](const nlohmann::ordered_json& report) { print_report(arguments, report); });
}

// Whether no step follows: the time limit is reached, or the stop rule has ended the scene.
bool is_over(const SceneOutcome& outcome, const StepOptions& options) {
  return outcome.stopped_still != 0 || (outcome.steps + 0.5) * options.h > options.duration;
}

int run(const RunArguments& arguments) {
  if (!arguments.formulation.formulation.empty()) return run_by_formulation(arguments);
  SceneJob job = arguments.scene.make();
  std::optional<UserFunction> user;
  if (!arguments.user_function.empty()) {
    user.emplace(arguments.user_function, job.scene, job.options.h);
    finish_job(arguments.scene.file, job);
  }
  Simulation simulation(job.model, job.options, job.parameters, job.arithmetic);
  SceneWatch watch(job.scene, simulation, 10.0 * job.options.penetration_tolerance);
  StepTables tables(arguments, job, simulation);
  RecordedPage recorded(arguments, job, simulation);
  std::optional<StepOutput> steps;
  if (arguments.steps || arguments.step > 0) steps.emplace(arguments, job, simulation);
  if (user) simulation.watch_contacts();
  install_stop_signals();
  simulation.heed(&stop_requested());
  StepProgress progress(job, !arguments.steps || arguments.json);
  double wall = 0.0;
  while (true) {
    if (user && !is_over(simulation.outcome(), job.options)) user->before_step(simulation);
    const int faults = simulation.outcome().unresolved_steps;
    const double time = simulation.time();
    const auto begin = std::chrono::steady_clock::now();
    const bool more = simulation.step();
    wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress.see(simulation);
    if (stop_requested().load()) throw Interrupted("stopped at t = " + shortest(time) + " s; nothing written");
    const bool begun = more || simulation.outcome().unresolved_steps > faults;
    const bool wanted = !steps || !begun || steps->see(simulation);
    if (!more) break;
    if (!steps) watch.see(simulation);
    tables.see(simulation);
    recorded.see(simulation);
    if (!wanted) break;
  }
  progress.finish();
  if (user) user->after_last_step(simulation);
  tables.write();
  recorded.write(simulation);
  if (steps) {
    steps->finish(simulation);
  } else {
    print_report(arguments, watch.report(simulation, job.options, job.arithmetic, wall));
  }
  finish_output();
  return simulation.outcome().status == status_ok ? exit_done : exit_unaccepted;
}

void add_formulation_options(CLI::App& app, FormulationWords& words) {
  auto* formulation =
      app.add_option("--formulation", words.formulation,
                     "step a scene of polygons or polyhedra as the sources write it, by the reference "
                     "simulator: lcp, mlcp (with velocities), ncp (Coulomb's law as it is), qp (convex programs)")
          ->check(one_of(formulation_names));
  app.add_option("--scheme", words.scheme, "with --formulation: gaps at the end of the step, or their rates")
      ->check(one_of(scheme_names))
      ->capture_default_str()
      ->needs(formulation);
  app.add_option("--sets", words.sets, "with --formulation: which constraints contacts form")
      ->check(one_of(formulation_sets))
      ->capture_default_str()
      ->needs(formulation);
  app.add_option("--directions", words.directions, "with --formulation: directions of the friction pyramid of a point")
      ->check(whole_number(3, 1000))
      ->capture_default_str()
      ->needs(formulation);
  app.add_option("--feasible-depth-ratio", words.feasible_depth_ratio,
                 "with --formulation: how deep a contact of sets peg and peg-several may overlap before it no longer "
                 "counts, over the distance at which features are near (1; in 3D 0.05)")
      ->check(positive())
      ->needs(formulation);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RunArguments>();
  auto* run_app = app.add_subcommand("run", "simulate one scene, or one trial of a problem, and print a report");
  arguments->scene.add(*run_app);
  run_app->add_option("--trajectory", arguments->trajectory, "write the state after every step to this CSV file")
      ->check(not_empty());
  run_app->add_flag("--loads", arguments->loads, "add the forces and torques on each body to the trajectory");
  run_app
      ->add_option("--contacts", arguments->contacts,
                   "write the forces of all contacts, joints, motors and support points to this CSV file")
      ->check(not_empty());
  run_app->add_option("--record", arguments->record, "write a page that plays the run in a browser")
      ->type_name("FILE")
      ->check(not_empty());
  run_app
      ->add_option("--user-function", arguments->user_function,
                   "call the function of this shared library before every step (include/pegrasp/user_function.h)")
      ->type_name("LIB.so")
      ->check(not_empty());
  auto* steps = run_app->add_flag("--steps", arguments->steps, "print a table of all steps in place of the report");
  run_app
      ->add_option("--step", arguments->step,
                   "print the contacts and other constraints at the end of this step, from 1")
      ->check(whole_number(1, std::numeric_limits<int>::max()))
      ->excludes(steps);
  add_formulation_options(*run_app, arguments->formulation);
  run_app->add_flag("--json", arguments->json, "print one JSON object");
  run_app->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

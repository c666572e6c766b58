// SPDX-License-Identifier: Apache-2.0
// pegrasp report: one page about a finished map, with typical trials of every cell to be played.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/cli/grasp_glyphs.hpp"
#include "src/cli/recorded_trial.hpp"
#include "src/cli/terminal.hpp"
#include "src/decide/numbers.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/report/encode.hpp"
#include "src/report/map_data.hpp"
#include "src/report/typical.hpp"
#include "src/report/words.hpp"

namespace pegrasp::cli {
namespace {

struct ReportArguments {
  std::string folder, out;
  int samples_per_cell = 0;
  int trials = 2000;
  bool quiet = false;
};

constexpr int force_frames_each = 80;  // steps of a trial with forces, of the many in a report

// The trials of a map, simulated again to be recorded.
class MapRecorder {
 public:
  MapRecorder(const Problem& problem, std::string folder, report::Json& data)
      : problem_(problem), folder_(std::move(folder)), data_(data), models_(problem.group_count()) {}

  // The scene as the problem describes it: trial 0.
  void add_start() {
    SceneJob job = job_at_start(problem_);
    finish_job(folder_, job);
    data_["glyphs"] = grasp_glyphs(problem_, job);
    data_["start"] = data_["trials"].size();
    report::Recording start = record_start(job);
    hide_gripper(problem_, start);
    add_trial(data_, scene_of(job), start, "The scene at the start", "");
    data_["trials"].back()["success"] = nullptr;
  }

  void add(const report::ChosenTrial& chosen) {
    SceneJob job = job_of_trial(problem_, chosen.cell, chosen.sample);
    // Where sizes are uncertain each trial has a model of its own.
    const bool own = problem_.of_trial(chosen.cell, chosen.sample).changes.any();
    std::shared_ptr<const Model>& model = models_[problem_.group_of(chosen.cell, chosen.sample)];
    if (model && !own) {
      job.model = model;
      job.options = derive_options(job.options, job.scene, job.arithmetic);
    } else {
      finish_job(folder_, job);
      model = job.model;
    }
    const std::string place = "--cell " + std::to_string(chosen.cell) + " --sample " + std::to_string(chosen.sample);
    const std::string words = ": cell " + std::to_string(chosen.cell) + ", sample " + std::to_string(chosen.sample);
    add_trial(data_, scene_of(job), record(job, force_frames_each), chosen.role + words,
              "pegrasp replay " + decide::shell_word(folder_) + " " + place + " --html trial.html");
    report::Json& trial = data_["trials"].back();
    trial["cell"] = chosen.cell;
    trial["sample"] = chosen.sample;
    trial["role"] = chosen.role;
  }

 private:
  // Scenes that look the same are kept once.
  std::size_t scene_of(const SceneJob& job) {
    report::Json drawing = report::drawing_of(job.scene);
    const auto [found, fresh] = scenes_.try_emplace(
        drawing.dump(-1, ' ', false, report::Json::error_handler_t::replace), data_["scenes"].size());
    if (fresh) data_["scenes"].push_back(std::move(drawing));
    return found->second;
  }

  const Problem& problem_;
  std::string folder_;
  report::Json& data_;
  std::vector<std::shared_ptr<const Model>> models_;  // one a group of cells
  std::map<std::string, std::size_t> scenes_;
};

decide::StoredMap read_map(const std::filesystem::path& folder, bool grasps) {
  const std::string name = grasps ? "grasps.h5" : "map.h5";
  try {
    return decide::read_stored_map(folder, decide::Trials::all, name);
  } catch (const InputError&) {
    decide::StoredMap map = decide::read_stored_map(folder, decide::Trials::none, name);  // counts alone
    return map;
  }
}

int write_report(const ReportArguments& arguments) {
  const std::filesystem::path folder = arguments.folder;
  std::error_code ignored;
  const bool grasps = std::filesystem::exists(folder / "grasps.h5", ignored);
  const decide::StoredMap map = read_map(folder, grasps);
  const std::filesystem::path target =
      arguments.out.empty() ? folder / "report.html" : std::filesystem::path(arguments.out);
  AtomicFile file(target);
  const Problem problem = load_problem(folder / "problem.toml");
  if (problem.scene.spatial) report::three_js();  // reported before the work
  install_stop_signals();
  report::Json data = page_data("report", map.title);
  data["map"] = report::map_data(map);
  data["words"] = report::problem_words(problem);
  data["problem_toml"] = map.problem_toml;
  if (problem.grasps.given()) data["grasps"] = grasp_list(problem);
  report::add_findings(map, data);
  MapRecorder recorder(problem, folder.string(), data);
  recorder.add_start();
  const std::vector<report::ChosenTrial> chosen =
      report::chosen_trials(map, arguments.samples_per_cell, static_cast<std::size_t>(arguments.trials));
  ProgressBar bar(!arguments.quiet && ::isatty(STDERR_FILENO) != 0);
  std::vector<int> cells;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    recorder.add(chosen[i]);
    cells.push_back(chosen[i].cell);
    bar.update(i + 1, chosen.size());
  }
  bar.finish();
  data["opens_with"] = report::least_certain(map, cells);
  const std::string page = report::page(data);
  file.commit(page);
  if (!arguments.quiet) {
    console().out << "recorded    " << chosen.size() << " trials\nwritten to  " << target.string() << " ("
                  << decide::text_of("%.2f", 1e-6 * static_cast<double>(page.size())) << " MB)\n";
    finish_output();
  }
  return exit_done;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReportArguments>();
  auto* command = app.add_subcommand(
      "report", "write a page about a finished map: the map, typical trials to be played, the problem, what decides");
  command->add_option("folder", arguments->folder, "output folder of a finished map or of evaluate")
      ->required()
      ->check(not_empty());
  command->add_option("--out", arguments->out, "the page to write (default: report.html in the folder)")
      ->type_name("FILE")
      ->check(not_empty());
  command
      ->add_option("--samples-per-cell", arguments->samples_per_cell,
                   "record so many samples of each cell besides its typical success and failure (default: 0)")
      ->check(whole_number(0, 1000));
  command
      ->add_option("--trials", arguments->trials,
                   "record about so many trials at most; of larger maps those of evenly spread cells (default: 2000)")
      ->check(whole_number(1, 1000000));
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->callback([arguments, &exit_code] { exit_code = write_report(*arguments); });
}

}  // namespace pegrasp::cli

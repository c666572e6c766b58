// SPDX-License-Identifier: Apache-2.0
// pegrasp show: a scene before its first step, with the names of its bodies, and grasps as small grippers on the part.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/cli/grasp_glyphs.hpp"
#include "src/cli/picture_output.hpp"
#include "src/cli/recorded_trial.hpp"
#include "src/formats/atomic_file.hpp"

namespace pegrasp::cli {
namespace {

struct ShowArguments {
  SceneChoice scene;
  std::string html, png;
};

struct Start {
  SceneJob job;
  report::Recording recording;
  report::Json glyphs = report::Json::array();
};

Start start_of(const SceneChoice& choice) {
  Start start;
  if (choice.cell >= 0 || choice.sample >= 0 || !is_problem_file(choice.file, false)) {
    start.job = choice.make();
    start.recording = record_start(start.job);
    return start;
  }
  const Problem problem = read_problem(choice.file, choice.options.overrides());
  start.job = job_at_start(problem);
  finish_job(choice.file, start.job);
  start.recording = record_start(start.job);
  hide_gripper(problem, start.recording);
  start.glyphs = grasp_glyphs(problem, start.job);
  return start;
}

int show(const ShowArguments& arguments) {
  std::filesystem::path page = arguments.html;
  if (arguments.html.empty() && arguments.png.empty()) {
    page = std::filesystem::path(arguments.scene.file).stem().string() + ".html";
  }
  std::optional<AtomicFile> html;
  if (!page.empty()) html.emplace(page);
  const auto [job, recording, glyphs] = start_of(arguments.scene);
  const std::string label = job.scene.name + ", at the start";
  report::Json data = page_data("show", job.scene.name);
  data["scenes"].push_back(report::drawing_of(job.scene));
  data["glyphs"] = glyphs;
  add_trial(data, 0, recording, label, "pegrasp show " + arguments.scene.words());
  if (html) {
    html->commit(report::page(data));
    console().out << "written to  " << page.string() << '\n';
  }
  if (!arguments.png.empty()) {
    report::Json frames = report::frames_json(label, data["scenes"][0], recording, {0}, 1.0);
    frames["glyphs"] = glyphs;
    draw_frames(frames, arguments.png);
    console().out << "written to  " << arguments.png << '\n';
  }
  finish_output();
  return exit_done;
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ShowArguments>();
  auto* command = app.add_subcommand(
      "show", "draw a scene or a problem as it begins, with the names of bodies, and grasps as small grippers");
  arguments->scene.add(*command);
  command->add_option("--html", arguments->html, "the page to write (default: NAME.html, unless --png is given)")
      ->type_name("FILE")
      ->check(not_empty());
  command->add_option("--png", arguments->png, "write a picture")->type_name("FILE")->check(not_empty());
  command->callback([arguments, &exit_code] { exit_code = show(*arguments); });
}

}  // namespace pegrasp::cli

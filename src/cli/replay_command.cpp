// SPDX-License-Identifier: Apache-2.0
// pegrasp replay: one trial as a page that plays it, as a picture, or as a film.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/common.hpp"
#include "src/cli/picture_output.hpp"
#include "src/cli/recorded_trial.hpp"
#include "src/formats/atomic_file.hpp"

namespace pegrasp::cli {
namespace {

constexpr double film_rate = 25.0;     // frames a second
constexpr double shortest_film = 4.0;  // [s] what lasts less is shown slower

struct ReplayArguments {
  SceneChoice scene;
  std::string html, png, mp4;
  double at = -1.0;  // [s]
};

int replay(ReplayArguments arguments) {
  if (arguments.html.empty() && arguments.png.empty() && arguments.mp4.empty()) {
    throw InputError("replay: say where the replay goes: --html FILE, --png FILE or --mp4 FILE");
  }
  if (arguments.at >= 0.0 && arguments.png.empty()) throw InputError("--at: is the time of a picture; add --png FILE");
  if (std::error_code ignored; std::filesystem::is_directory(arguments.scene.file, ignored)) {
    arguments.scene.file = (std::filesystem::path(arguments.scene.file) / "problem.toml").string();
  }
  std::optional<AtomicFile> html;
  if (!arguments.html.empty()) html.emplace(arguments.html);
  const SceneJob job = arguments.scene.make();
  if (html && job.scene.spatial) report::three_js();  // reported before the work
  install_stop_signals();
  StepProgress progress(job);
  const report::Recording recording = record(job, force_frames_alone, &progress);
  const std::string label = arguments.scene.label(job);
  if (html) {
    html->commit(report::page(replay_data(job, recording, label, "pegrasp run " + arguments.scene.words())));
  }
  const report::Json drawing = report::drawing_of(job.scene);
  if (!arguments.png.empty()) {
    const double end = recording.steps * recording.h;
    if (arguments.at > end * (1.0 + 1e-9)) {
      throw InputError("--at " + shortest(arguments.at) + ": the trial ends at " + shortest(end) +
                       " s; choose an earlier time");
    }
    const int step = arguments.at < 0.0 ? recording.steps : static_cast<int>(std::lround(arguments.at / recording.h));
    draw_frames(report::frames_json(label, drawing, recording, {step}, film_rate), arguments.png);
  }
  if (!arguments.mp4.empty()) {
    const std::vector<int> steps = report::film_steps(recording, film_rate, shortest_film);
    draw_frames(report::frames_json(label, drawing, recording, steps, film_rate), arguments.mp4);
  }
  return exit_done;
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReplayArguments>();
  auto* command = app.add_subcommand(
      "replay", "simulate one scene, or one trial of a problem or of a finished map, and show it in a browser");
  arguments->scene.add(*command);
  command->add_option("--html", arguments->html, "write a page that plays the trial and opens without a network")
      ->type_name("FILE")
      ->check(not_empty());
  command->add_option("--png", arguments->png, "write a picture of its end, or of the time --at")
      ->type_name("FILE")
      ->check(not_empty());
  command->add_option("--at", arguments->at, "time of the picture [s]")->type_name("S")->check(non_negative());
  command->add_option("--mp4", arguments->mp4, "write a film (needs ffmpeg)")->type_name("FILE")->check(not_empty());
  command->callback([arguments, &exit_code] { exit_code = replay(*arguments); });
}

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// What `replay`, `show`, `run --record` and `report` share: simulating a trial while it is recorded, and its page.
#pragma once

#include <string>

#include "src/cli/scene_job.hpp"
#include "src/cli/step_progress.hpp"
#include "src/report/page.hpp"
#include "src/report/recording.hpp"

namespace pegrasp::cli {

// Simulates the trial to its end. Throws Interrupted when a signal asks for it.
report::Recording record(const SceneJob& job, int force_frames, StepProgress* progress = nullptr);
// The scene before the first step.
report::Recording record_start(const SceneJob& job);

// How many steps of one trial have forces in a page of its own.
inline constexpr int force_frames_alone = 500;

// The data of a page about one scene. kind: "replay" or "show". command: replays it.
report::Json page_data(const std::string& kind, const std::string& title);
void add_trial(report::Json& data, std::size_t scene, const report::Recording& recording, const std::string& label,
               const std::string& command);
report::Json replay_data(const SceneJob& job, const report::Recording& recording, const std::string& label,
                         const std::string& command);

}  // namespace pegrasp::cli

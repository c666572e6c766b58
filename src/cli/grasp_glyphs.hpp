// SPDX-License-Identifier: Apache-2.0
// Grasps of a problem as small grippers: lines in the world that a page draws on the part.
#pragma once

#include "src/cli/scene_job.hpp"
#include "src/report/drawing.hpp"
#include "src/report/recording.hpp"

namespace pegrasp::cli {

// {"label", "lines"} for each grasp; empty for a problem without [grasps]. job: job_at_start() of the problem, finished.
report::Json grasp_glyphs(const Problem& problem, const SceneJob& job);

// {"id", "numbers": [[name, unit, value], ...]} for each grasp: what may make one better than another, in the part's
// frame.
report::Json grasp_list(const Problem& problem);

// Takes the gripper, which no grasp has placed yet, out of a picture of the scene at its start.
void hide_gripper(const Problem& problem, report::Recording& recording);

}  // namespace pegrasp::cli

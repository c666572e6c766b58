// SPDX-License-Identifier: Apache-2.0
// What `pegrasp run --steps` and `--step` print in place of the report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pegrasp/simulation.hpp"

namespace pegrasp::cli {

// The table of steps as text: a heading, then one line a step.
std::string steps_heading();
std::string step_line(const StepReport& step);
nlohmann::ordered_json step_json(const StepReport& step);

// One step with its contacts and rows (Simulation::contents()), as text and as JSON.
std::string step_text(const SceneSpec& scene, const StepReport& step, const StepContents& contents);
nlohmann::ordered_json step_json(const SceneSpec& scene, const StepReport& step, const StepContents& contents);

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// How far the simulation of one scene is, for who waits longer than a second.
#pragma once

#include <algorithm>
#include <cmath>

#include "pegrasp/simulation.hpp"
#include "src/cli/scene_job.hpp"
#include "src/cli/terminal.hpp"

namespace pegrasp::cli {

class StepProgress {
 public:
  // enabled: shown on a terminal; the console is told in any case.
  explicit StepProgress(const SceneJob& job, bool enabled = true)
      : bar_(enabled, "steps", 1.0), total_(steps_of(job.options)) {}
  void see(const Simulation& simulation) {
    bar_.update(std::min(static_cast<std::size_t>(simulation.outcome().steps), total_), total_);
  }
  void finish() { bar_.finish(); }

 private:
  // Until the time limit; a scene may end before.
  static std::size_t steps_of(const StepOptions& options) {
    const double steps = std::ceil(options.duration / options.h - 1e-9);
    return static_cast<std::size_t>(std::clamp(steps, 1.0, 1e15));
  }

  ProgressBar bar_;
  std::size_t total_;
};

}  // namespace pegrasp::cli

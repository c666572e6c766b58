// SPDX-License-Identifier: Apache-2.0
// The reference simulator as the product sees it. The implementation is a library of its own, pegrasp_reference;
// whoever links it gets an engine from make_reference_engine() and hands it on (MapOptions::reference, ...). A program
// without that library has no engine, and says so where one is asked for.
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

// One scene, prepared for the reference simulator.
class ReferenceTrials {
 public:
  virtual ~ReferenceTrials() = default;
  // Whole trajectories, as Backend::run() does. parameters: (scenes, layout.size()); outcomes: (scenes); final_poses:
  // (scenes, bodies, 3; in 3D 7), all row-major. threads: 0 means all cores. Results do not depend on the number of
  // threads. `stop` (may be null) ends the call early: it returns false, and the outputs are then incomplete.
  virtual bool run(const StepOptions& options, std::span<const double> parameters, std::span<SceneOutcome> outcomes,
                   std::span<double> final_poses, int threads, const std::atomic<bool>* stop) const = 0;
};

// What to do where a program has no engine, for messages of one line.
inline constexpr const char* how_to_get_the_reference =
    "build it with scripts/build.sh, or with -DPEGRASP_REFERENCE=ON";

class ReferenceEngine {
 public:
  virtual ~ReferenceEngine() = default;
  // Throws std::invalid_argument, one line, for a scene that the reference simulator does not take.
  virtual std::unique_ptr<ReferenceTrials> prepare(const SceneSpec& scene) const = 0;
};

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Bodies poured into the box of polyhedra, looked at after every step.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/metrics/spatial_overlap.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp::test {

struct PourEnd {
  SceneOutcome outcome;
  double overlap = 0.0;  // largest of the steps looked at, of the moving volume
  double jump = 0.0;     // largest gain of energy in a step [J]; bodies that appear do not count
  bool inside = true;
  double farthest = 0.0, lowest = 1e9;  // at the end [m]: |x| and |y| of a moving body's frame, and its z
};

inline PourEnd pour_out(const SceneSpec& scene, Simulation simulation, int every) {
  const SpatialOverlap overlap(scene);
  PourEnd result;
  std::vector<SpatialPose> poses(scene.bodies.size());
  std::vector<bool> present(scene.bodies.size(), false);
  double unexplained = 0.0;
  for (int step = 0; simulation.step(); ++step) {
    const std::vector<bool> before = present;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      poses[b] = simulation.spatial_pose(static_cast<int>(b));
      present[b] = simulation.present(static_cast<int>(b));
      const Vec3 x = poses[b].position;
      result.inside = result.inside && std::fabs(x.x) < 1.0 && std::fabs(x.y) < 1.0 && x.z > -0.2;
    }
    if (step % every == 0) {
      result.overlap = std::max(result.overlap, overlap.total(poses, present) / overlap.dynamic_volume());
    }
    const EnergyReport now = simulation.energy();
    if (present == before) result.jump = std::max(result.jump, now.unexplained - unexplained);
    unexplained = now.unexplained;
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].kind != BodyKind::dynamic) continue;
    const Vec3 x = poses[b].position;
    result.farthest = std::max({result.farthest, std::fabs(x.x), std::fabs(x.y)});
    result.lowest = std::min(result.lowest, x.z);
  }
  result.outcome = simulation.outcome();
  return result;
}
inline PourEnd pour_out(const SceneSpec& scene, double h, double duration, int every) {
  return pour_out(scene, simulate(scene, h, duration), every);
}

}  // namespace pegrasp::test

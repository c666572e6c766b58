// SPDX-License-Identifier: Apache-2.0
// Steps that nothing solves throw no body away: what they leave has no more energy than what drives the bodies
// explains, and no body moves farther than that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/runs.hpp"
#include "tests/scenes/unsolved.hpp"

namespace pegrasp {
namespace {

struct Way {
  const char* name;
  bool spatial;
  Strategy strategy;
};

Vec3 place_of(const Simulation& simulation, bool spatial, int body) {
  if (spatial) return simulation.spatial_pose(body).position;
  const Pose pose = simulation.pose(body);
  return {pose.x, pose.y, 0.0};
}

// What a run shows. Of steps that nothing solved: the largest kinetic energy [J] after one; the longest way [m] of a
// body within one. Of all steps: their bits; the largest rise in a step of the energy that nothing explains [J].
struct Shown {
  double kinetic = 0.0, way = 0.0, rise = 0.0;
  std::uint32_t status = 0;
};

Shown shown_by(const SceneSpec& scene, int body, Strategy strategy, double duration) {
  StepOptions options = test::steps_of(0.005, duration);
  options.strategy = strategy;
  Simulation simulation = test::simulate(scene, options);
  Shown out;
  Vec3 last = place_of(simulation, scene.spatial, body);
  double unexplained = simulation.energy().unexplained;
  while (simulation.step()) {
    const EnergyReport energy = simulation.energy();
    EXPECT_TRUE(std::isfinite(energy.kinetic));
    out.rise = std::max(out.rise, energy.unexplained - unexplained);
    unexplained = energy.unexplained;
    const Vec3 now = place_of(simulation, scene.spatial, body);
    const double way = std::hypot(now.x - last.x, now.y - last.y, now.z - last.z);
    last = now;
    // A solved step may press a wedge out at any speed.
    if ((simulation.last_status() & (status_not_converged | status_infeasible)) == 0) continue;
    out.kinetic = std::max(out.kinetic, energy.kinetic);
    out.way = std::max(out.way, way);
  }
  out.status = simulation.outcome().status;
  return out;
}

class Unsolved : public testing::TestWithParam<Way> {
 protected:
  Shown run(const SceneSpec& scene, int body, double duration) const {
    return shown_by(scene, body, GetParam().strategy, duration);
  }
};

// A hand at 0.2 m/s gives a body of 0.1 kg no more than 2 mJ as long as it goes with it, twice that if it also turns. A
// body that it squeezes out sideways may be some times faster, but makes no jump.
TEST_P(Unsolved, AHandThrowsNoBoxAway) {
  const Shown shown = run(scenes::leaning_hand(GetParam().spatial), 1, 0.2);
  EXPECT_NE(shown.status, status_ok);
  EXPECT_LT(shown.kinetic, 0.02);
  EXPECT_LT(shown.way, 0.004);
  EXPECT_LT(shown.rise, 1e-3);
}

TEST_P(Unsolved, JawsThrowNoPartAway) {
  const Shown shown = run(scenes::askew_part(GetParam().spatial), 0, 0.3);
  EXPECT_NE(shown.status, status_ok);
  EXPECT_LT(shown.kinetic, 1e-3);
  EXPECT_LT(shown.way, 0.001);
  EXPECT_LT(shown.rise, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Ways, Unsolved,
                         testing::Values(Way{"planar_per_scene", false, Strategy::per_scene},
                                         Way{"planar_batched", false, Strategy::batched},
                                         Way{"spatial_per_scene", true, Strategy::per_scene},
                                         Way{"spatial_batched", true, Strategy::batched}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Steps that nothing solves throw no body away in the reference simulator either (tests/engine/unsolved_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/unsolved.hpp"

namespace pegrasp::reference {
namespace {

// The largest kinetic energy [J] of a body in the middle of steps.
double largest_energy(const SceneSpec& scene, int body, double duration) {
  const StepOptions options = derive_options(test::steps_of(0.005, duration), scene);
  const BodySpec& spec = test::body_of(scene, body);
  double most = 0.0;
  std::uint32_t status = 0;
  if (scene.spatial) {
    spatial::SpatialSimulation simulation(std::make_shared<const spatial::SpatialScene>(scene), options,
                                          scene_parameters(scene));
    while (simulation.step()) {
      const SpatialTwist v = simulation.middle_velocity(body);
      const double spin = std::hypot(v.angular.x, v.angular.y, v.angular.z);
      const double speed = std::hypot(v.velocity.x, v.velocity.y, v.velocity.z);
      most = std::max(most, 0.5 * (spec.mass * speed * speed + spec.spatial().inertia.xx * spin * spin));
    }
    status = simulation.outcome().status;
  } else {
    PlanarSimulation simulation(scene, options, scene_parameters(scene));
    while (simulation.step()) {
      const Twist v = simulation.middle_velocity(body);
      most =
          std::max(most, 0.5 * (spec.mass * (v.vx * v.vx + v.vy * v.vy) + spec.planar().inertia * v.omega * v.omega));
    }
    status = simulation.outcome().status;
  }
  EXPECT_NE(status, status_ok);
  return most;
}

TEST(UnsolvedReference, ThrowsNoBodyAway) {
  for (const bool spatial : {false, true}) {
    EXPECT_LT(largest_energy(scenes::leaning_hand(spatial), 1, 0.15), 0.02) << spatial;
    EXPECT_LT(largest_energy(scenes::askew_part(spatial), 0, 0.13), 1e-3) << spatial;
  }
}

}  // namespace
}  // namespace pegrasp::reference

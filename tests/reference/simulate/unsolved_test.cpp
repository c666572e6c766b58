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

constexpr std::uint32_t unsolved = status_not_converged | status_infeasible;

// Runs the scene. The largest kinetic energy [J] of a body in the middle of steps that nothing solved, of which there
// have to be some.
template <class Simulator, class Energy>
double largest_energy(Simulator&& simulation, const Energy& energy) {
  double most = 0.0;
  int steps = 0;
  while (simulation.step()) {
    if ((simulation.last_status() & unsolved) == 0) continue;  // A solved step may press a wedge out at any speed.
    most = std::max(most, energy(simulation));
    ++steps;
  }
  EXPECT_GT(steps, 0);
  return most;
}

double planar_energy(const SceneSpec& scene, int body, double duration) {
  const StepOptions options = derive_options(test::steps_of(0.005, duration), scene);
  const BodySpec& spec = test::body_of(scene, body);
  return largest_energy(PlanarSimulation(scene, options, scene_parameters(scene)), [&](const auto& simulation) {
    const Twist v = simulation.middle_velocity(body);
    return 0.5 * (spec.mass * (v.vx * v.vx + v.vy * v.vy) + spec.planar().inertia * v.omega * v.omega);
  });
}

double spatial_energy(const SceneSpec& scene, int body, double duration) {
  StepOptions options = test::steps_of(0.005, duration);
  options.max_substep_level = 0;  // an attempt that nothing solves takes seconds
  options = derive_options(options, scene);
  const BodySpec& spec = test::body_of(scene, body);
  const auto shared = std::make_shared<const spatial::SpatialScene>(scene);
  return largest_energy(spatial::SpatialSimulation(shared, options, scene_parameters(scene)),
                        [&](const auto& simulation) {
                          const SpatialTwist v = simulation.middle_velocity(body);
                          const double spin = std::hypot(v.angular.x, v.angular.y, v.angular.z);
                          const double speed = std::hypot(v.velocity.x, v.velocity.y, v.velocity.z);
                          return 0.5 * (spec.mass * speed * speed + spec.spatial().inertia.xx * spin * spin);
                        });
}

TEST(UnsolvedReference, ThrowsNoPlanarBodyAway) { EXPECT_LT(planar_energy(scenes::askew_part(false), 0, 0.13), 1e-3); }

TEST(UnsolvedReference, ThrowsNoBodyAway) { EXPECT_LT(spatial_energy(scenes::askew_part(true), 0, 0.095), 1e-3); }

}  // namespace
}  // namespace pegrasp::reference

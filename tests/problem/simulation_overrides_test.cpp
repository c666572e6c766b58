// SPDX-License-Identifier: Apache-2.0
// --set simulation.KEY=VALUE for a scene file.
#include "src/problem/simulation_overrides.hpp"

#include <gtest/gtest.h>

namespace pegrasp {
namespace {

void expect_same(const StepOptions& a, const StepOptions& b) {
  EXPECT_EQ(a.h, b.h);
  EXPECT_EQ(a.contact, b.contact);
  EXPECT_EQ(a.solver, b.solver);
  EXPECT_EQ(a.max_passes, b.max_passes);
  EXPECT_EQ(a.max_iterations, b.max_iterations);
  EXPECT_EQ(a.max_substep_level, b.max_substep_level);
  EXPECT_EQ(a.on_unresolved, b.on_unresolved);
  EXPECT_EQ(a.tolerance, b.tolerance);
  EXPECT_EQ(a.penetration_tolerance, b.penetration_tolerance);
  EXPECT_EQ(a.reject_depth, b.reject_depth);
  EXPECT_EQ(a.detect_distance, b.detect_distance);
  EXPECT_EQ(a.recovery_speed, b.recovery_speed);
  EXPECT_EQ(a.jacobi_relaxation, b.jacobi_relaxation);
  EXPECT_EQ(a.gamma, b.gamma);
  EXPECT_EQ(a.still_speed, b.still_speed);
  EXPECT_EQ(a.still_time, b.still_time);
  EXPECT_EQ(a.duration, b.duration);
  EXPECT_EQ(a.warm_start, b.warm_start);
  EXPECT_EQ(a.load_sharing, b.load_sharing);
  EXPECT_EQ(a.look_ahead, b.look_ahead);
  EXPECT_EQ(a.landing_halvings, b.landing_halvings);
  EXPECT_EQ(a.penalty, b.penalty);
}

TEST(SimulationOverrides, OneKeyChangesNoOther) {
  StepOptions options;
  options.duration = 0.0;  // as a scene without t_end has it
  Arithmetic arithmetic = Arithmetic::strict;
  SceneSpec scene;
  scene.length_scale = 0.25;
  StepOptions expected = options;
  override_simulation({}, "s.json", options, arithmetic, scene);
  expect_same(options, expected);
  override_simulation({{"simulation.max_iterations", "4000"}}, "s.json", options, arithmetic, scene);
  expected.max_iterations = 4000;
  expect_same(options, expected);
  EXPECT_EQ(scene.length_scale, 0.25) << "the scene's own";
  override_simulation({{"simulation.look_ahead", "true"}}, "s.json", options, arithmetic, scene);
  override_simulation({{"simulation.load_sharing", "true"}}, "s.json", options, arithmetic, scene);
  EXPECT_TRUE(options.look_ahead);
  EXPECT_EQ(options.landing_halvings, -1) << "auto";
  override_simulation({{"simulation.landing_halvings", "3"}}, "s.json", options, arithmetic, scene);
  EXPECT_EQ(options.landing_halvings, 3);
  EXPECT_TRUE(options.load_sharing);
  EXPECT_EQ(arithmetic, Arithmetic::strict);
}

TEST(SimulationOverrides, TakesShellsOff) {
  StepOptions options;
  Arithmetic arithmetic = Arithmetic::strict;
  SceneSpec scene;
  scene.bodies.emplace_back().shell = CompliantShell{0.01, 1e3, 0.0, 0.0, 0.0};
  scene.bodies[0].planar().parts = {make_disc("disc", {}, 0.1)};
  override_simulation({{"simulation.shells", "true"}}, "s.json", options, arithmetic, scene);
  EXPECT_TRUE(has_shells(scene));
  override_simulation({{"simulation.shells", "false"}}, "s.json", options, arithmetic, scene);
  EXPECT_FALSE(has_shells(scene));
}

TEST(SimulationOverrides, TakesUnitsAndAuto) {
  StepOptions options;
  Arithmetic arithmetic = Arithmetic::strict;
  SceneSpec scene;
  scene.length_scale = 0.25;
  override_simulation({{"simulation.duration_ms", "250"},
                       {"simulation.length_scale_mm", "auto"},
                       {"simulation.arithmetic", "fast"},
                       {"simulation.still_time_ms", "20"}},
                      "s.json", options, arithmetic, scene);
  EXPECT_EQ(options.duration, 0.25);
  EXPECT_EQ(options.still_time, 0.02);
  EXPECT_EQ(scene.length_scale, 0.0);
  EXPECT_EQ(arithmetic, Arithmetic::fast);
}

}  // namespace
}  // namespace pegrasp

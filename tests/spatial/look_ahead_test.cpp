// SPDX-License-Identifier: Apache-2.0
// StepOptions::look_ahead: the first linearisation of pairs that touch is where the bodies' velocities lead.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/pour_out.hpp"

namespace pegrasp {
namespace {

StepOptions asked(const SceneSpec& scene, double h, double duration, bool look_ahead,
                  Strategy strategy = Strategy::per_scene) {
  StepOptions options = test::steps_of(h, duration);
  options.look_ahead = look_ahead;
  options.strategy = strategy;
  return derive_options(options, scene);
}

Simulation begun(const SceneSpec& scene, const StepOptions& options) {
  return Simulation(compile_model(scene), options, scene_parameters(scene));
}

// The thesis' cart: polygonal wheels turn about their corners, by some degrees a step.
TEST(LookAhead, WhatGoesOnAsItDidIsSolvedOnce) {
  const SceneSpec scene = load_scene_json(test::source_file("examples/scenes/rolling_cart.json")).scene;
  std::int64_t solves[2];
  for (const bool look_ahead : {false, true}) {
    Simulation simulation = begun(scene, asked(scene, 0.005, 3.0, look_ahead));
    while (simulation.step()) {
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    solves[look_ahead ? 1 : 0] = simulation.outcome().solves;
  }
  EXPECT_LT(3 * solves[1], 2 * solves[0]) << solves[0] << " and " << solves[1];
}

// The box of polyhedra keeps its bounds, in about as many passes: friction that turns with the last one asks
// for some.
TEST(LookAheadLong, BodiesStayApartAndInside) {
  for (const double friction : {0.0, 0.3}) {
    for (const double h : {0.004, 0.016}) {
      std::int64_t solves[2] = {0, 0};
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE(testing::Message() << "friction " << friction << ", h " << h << ", seed " << seed);
        const SceneSpec scene = scenes::polyhedron_box(seed, friction);
        for (const bool look_ahead : {false, true}) {
          const test::PourEnd r =
              test::pour_out(scene, begun(scene, asked(scene, h, scenes::polyhedron_box_duration, look_ahead)), 1);
          EXPECT_TRUE(r.inside);
          EXPECT_LT(r.overlap, 1e-6);
          EXPECT_LT(r.jump, 0.1);
          EXPECT_EQ(r.outcome.status, status_ok);
          solves[look_ahead ? 1 : 0] += r.outcome.solves;
        }
      }
      EXPECT_LT(static_cast<double>(solves[1]), 1.06 * static_cast<double>(solves[0]));
    }
  }
}

// The two strategies linearise at the same poses.
TEST(LookAhead, WithBothStrategies) {
  const SceneSpec scene = scenes::polyhedron_box(2, 0.0, 4);
  StepOptions options = asked(scene, 0.004, 1.2, true);
  options.solver = SolverKind::aj;  // the batched strategy's
  options.tolerance = 1e-9;
  StepOptions other = options;
  other.strategy = Strategy::batched;
  Simulation per_scene = begun(scene, options);
  Simulation batched = begun(scene, other);
  while (per_scene.step() && batched.step()) {
  }
  EXPECT_GT(per_scene.outcome().contacts_max, 0);
  for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
    const Vec3 a = per_scene.spatial_pose(body).position;
    const Vec3 b = batched.spatial_pose(body).position;
    EXPECT_NEAR(std::hypot(a.x - b.x, a.y - b.y, a.z - b.z), 0.0, 1e-6) << body;
  }
}

TEST(LookAhead, IsRefusedIn2D) {
  const SceneSpec scene = scenes::polygon_box(0, 0.25);
  try {
    asked(scene, 0.004, 1.0, true);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "look_ahead is for scenes in 3D; leave it out");
  }
}

}  // namespace
}  // namespace pegrasp

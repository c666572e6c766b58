// SPDX-License-Identifier: Apache-2.0
// What derive_options() refuses, and how it says so.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "pegrasp/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/polyhedron_box.hpp"
#include "tests/scenes/solid_pours.hpp"

namespace pegrasp {
namespace {

std::string refusal(const StepOptions& options) {
  try {
    derive_options(options, scenes::block_on_plane(0.3, 0.0));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(DeriveOptions, AStepLongerThanTheTimeLimit) {
  StepOptions options;
  options.h = 0.01;
  for (const double duration : {0.0, 0.001, 0.00499}) {
    options.duration = duration;
    EXPECT_NE(refusal(options).find("shorten h or lengthen the time limit"), std::string::npos) << duration;
  }
  for (const double duration : {0.00501, 0.01, 1.0}) {
    options.duration = duration;
    EXPECT_EQ(refusal(options), "") << duration;
  }
}

// Heaps need more than the usual number; what is asked for stays.
TEST(DeriveOptions, IterationsFollowTheStrategyAndTheHeap) {
  for (const int bodies : {32, 33}) {
    EXPECT_EQ(derive_options(test::steps_of(0.005, 1.0), scenes::many_hulls(1, 0.3, bodies)).max_iterations,
              bodies > 32 ? 20'000 : 4000);
    EXPECT_EQ(derive_options(test::steps_of(0.005, 1.0), scenes::polygon_box(1, 0.3, bodies)).max_iterations, 4000);
  }
  const SceneSpec scene = scenes::block_on_plane(0.3, 0.0);
  StepOptions options;
  EXPECT_EQ(derive_options(options, scene).max_iterations, 4000);
  options.strategy = Strategy::batched;
  EXPECT_EQ(derive_options(options, scene).max_iterations, 20'000);
  EXPECT_EQ(derive_options(derive_options(options, scene), scene).max_iterations, 20'000);
  options.max_iterations = 7;
  EXPECT_EQ(derive_options(options, scene).max_iterations, 7);
  options.max_iterations = -1;
  EXPECT_NE(refusal(options).find("max_iterations must be at least 1"), std::string::npos);
}

// A solver in float would take several times the iterations to get as near as maps in 3D ask.
TEST(DeriveOptions, ToleranceFollowsTheArithmetic) {
  SceneSpec scene = scenes::block_on_plane(0.3, 0.0);
  scene.spatial = true;
  scene.length_scale = 1.0;
  StepOptions options;
  EXPECT_EQ(derive_options(options, scene).tolerance, 1e-6);
  options.load_sharing = true;
  EXPECT_EQ(derive_options(options, scene).tolerance, 3e-7);
  EXPECT_EQ(derive_options(options, scene, Arithmetic::fast).tolerance, 1e-6);
  options.tolerance = 2e-7;  // what is asked for stays
  EXPECT_EQ(derive_options(options, scene, Arithmetic::fast).tolerance, 2e-7);
}

// A cube of 20 mm drawn away from its frame: 1e-6 of its half diagonal.
TEST(DeriveOptions, TolerancesFollowThePartWhereverItsFrameIs) {
  for (const double off : {0.0, 0.03, 1.0, 100.0}) {
    SceneSpec scene = scenes::scene_3d("cube");
    BodySpec cube = scenes::solid_body("cube", scenes::cuboid(0.01, 0.01, 0.01), 1000.0);
    for (Vec3& v : cube.spatial().parts[0].shape.vertices) v.z += off;
    for (PolyhedronFace& face : cube.spatial().parts[0].shape.faces) face.offset += off * face.normal.z;
    scene.bodies = {cube};
    EXPECT_NEAR(derive_options({}, scene).penetration_tolerance, 1e-8 * std::sqrt(3.0), 1e-13) << off;
  }
}

TEST(DeriveOptions, TolerancesThatContradictEachOther) {
  StepOptions options;
  options.penetration_tolerance = 1e-5;
  options.reject_depth = 0.9e-5;
  EXPECT_NE(refusal(options).find("reject_depth of 0.009 mm is less than the penetration_tolerance of 0.01 mm"),
            std::string::npos)
      << refusal(options);
  options.reject_depth = 1e-5;
  EXPECT_EQ(refusal(options), "");
  options.penetration_tolerance = 1.0;  // deeper than the reject depth that follows from the scene
  options.reject_depth = 0.0;
  EXPECT_NE(refusal(options), "");
}

TEST(DeriveOptions, AToleranceThatWouldAcceptAnything) {
  StepOptions options;
  options.tolerance = 1.5;
  EXPECT_NE(refusal(options).find("tolerance_m_s is above 1 m/s"), std::string::npos) << refusal(options);
  options.tolerance = 1.0;
  EXPECT_EQ(refusal(options), "");
}

}  // namespace
}  // namespace pegrasp

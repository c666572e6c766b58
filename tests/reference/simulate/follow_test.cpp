// SPDX-License-Identifier: Apache-2.0
// Bodies that follow their prescribed motion as far as a force takes them: the reference simulator does what the engine
// does, and neither leaves a step open.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/followers.hpp"

namespace pegrasp::reference {
namespace {

constexpr double apart = 2e-6;  // [m], [rad]: sums of solver tolerances

class FollowReference : public testing::TestWithParam<bool> {
 protected:
  // Runs both simulators and expects the same poses after every step.
  static void compare(const SceneSpec& scene, double h, double duration) {
    const StepOptions options = derive_options(test::steps_of(h, duration), scene);
    Simulation product = test::simulate(scene, options);
    if (scene.spatial) {
      spatial::SpatialSimulation reference(std::make_shared<const spatial::SpatialScene>(scene), options,
                                           scene_parameters(scene));
      while (reference.step()) {
        ASSERT_TRUE(product.step());
        expect_resolved(reference.last_status(), product);
        for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
          const SpatialPose a = reference.pose(body), b = product.spatial_pose(body);
          EXPECT_NEAR(a.position.x, b.position.x, apart) << body << " at " << product.time();
          EXPECT_NEAR(a.position.y, b.position.y, apart) << body << " at " << product.time();
          EXPECT_NEAR(a.position.z, b.position.z, apart) << body << " at " << product.time();
          EXPECT_NEAR(a.turn.z, b.turn.z, apart) << body << " at " << product.time();
        }
      }
      return;
    }
    PlanarSimulation reference(scene, options, scene_parameters(scene));
    while (reference.step()) {
      ASSERT_TRUE(product.step());
      expect_resolved(reference.last_status(), product);
      for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
        const Pose a = reference.pose(body), b = product.pose(body);
        EXPECT_NEAR(a.x, b.x, apart) << body << " at " << product.time();
        EXPECT_NEAR(a.y, b.y, apart) << body << " at " << product.time();
        EXPECT_NEAR(a.theta, b.theta, apart) << body << " at " << product.time();
      }
    }
  }
  static void expect_resolved(std::uint32_t reference, const Simulation& product) {
    EXPECT_EQ(reference, std::uint32_t{status_ok}) << product.time();
    EXPECT_EQ(product.last_status(), std::uint32_t{status_ok}) << product.time();
  }
};

TEST_P(FollowReference, GripsWithTheSameForce) {
  SceneSpec scene = scenes::closing_jaws(GetParam(), {.narrower = 1e-3});
  for (const int jaw : {1, 2}) limit_force(scene, jaw, {5.0});
  compare(scene, 0.005, 0.13);
}

TEST_P(FollowReference, PushesAndLifts) {
  compare(scenes::pushed_block(GetParam(), {0.6}), 0.005, 0.3);
  compare(scenes::lifting_jaws(GetParam(), {5.0}), 0.01, 0.7);
}

TEST_P(FollowReference, CatchesUpLikewise) {
  compare(scenes::pushed_back(GetParam(), {.force = 5.0, .mass = 0.5}), 0.002, 0.2);
}

TEST_P(FollowReference, TurnsLikewise) {
  compare(scenes::turned_bar(GetParam(), {.force = 50.0, .torque = 0.2}), 0.005, 0.4);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, FollowReference, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "spatial" : "planar"); });

}  // namespace
}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// Scenes that were not made by this program's generators: ten polyhedra dropped into a box, and nine boxes dropped onto
// a fixed one.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

#include "pegrasp/scene_json.hpp"
#include "tests/places.hpp"
#include "tests/spatial/pour_out.hpp"

namespace pegrasp {
namespace {

SceneFile given(const std::string& name, double friction) {
  SceneFile file = load_scene_json(test::source_file("tests/data/" + name + ".json"));
  for (BodySpec& body : file.scene.bodies) body.friction = friction;
  return file;
}

class GivenBoxesLong : public testing::TestWithParam<std::tuple<const char*, double, double>> {};

// As pegrasp_pour_study --scene shows.
TEST_P(GivenBoxesLong, BodiesStayApartAndInside) {
  const auto [name, h, friction] = GetParam();
  const SceneFile file = given(name, friction);
  ASSERT_EQ(file.scene.bodies.size(), 15u);
  ASSERT_TRUE(file.scene.friction.empty()) << "bodies' own friction is all there is";
  const test::PourEnd r = test::pour_out(file.scene, h, file.t_end, 1);
  EXPECT_EQ(r.outcome.status, status_ok);
  EXPECT_EQ(r.outcome.steps, std::lround(file.t_end / h));
  EXPECT_TRUE(r.inside);
  EXPECT_LT(r.overlap, 2e-7);
  EXPECT_GT(r.overlap, 0.0) << "nothing touched";
  EXPECT_LT(r.jump, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Steps, GivenBoxesLong,
                         testing::Combine(testing::Values("box3d_seed0", "box3d_seed1"),
                                          testing::Values(0.001, 0.002, 0.004, 0.008, 0.016),
                                          testing::Values(0.0, 0.3)));

class GivenStacksLong : public testing::TestWithParam<const char*> {};

// Every box falls by a quarter of a metre more than the one below it, onto its neighbour, and stays there.
TEST_P(GivenStacksLong, Stand) {
  for (const double h : {0.001, 0.002, 0.004, 0.008, 0.016}) {
    for (const double friction : {0.0, 0.3}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", friction " << friction);
      const SceneFile file = given(GetParam(), friction);
      ASSERT_EQ(file.scene.bodies.size(), 10u);
      const test::PourEnd r = test::pour_out(file.scene, h, file.t_end, 1);
      EXPECT_EQ(r.outcome.status, status_ok);
      EXPECT_LT(r.overlap, 1e-8);
      EXPECT_LT(r.jump, 1e-3);
      Simulation simulation = test::simulate(file.scene, h, file.t_end);
      while (simulation.step()) {
      }
      for (int i = 0; i < 10; ++i) {
        SCOPED_TRACE(testing::Message() << "box " << i);
        const Vec3 from = file.scene.bodies[static_cast<std::size_t>(i)].spatial().pose.position;
        const Vec3 at = simulation.spatial_pose(i).position;
        EXPECT_NEAR(at.x, from.x, 1e-5);
        EXPECT_NEAR(at.y, from.y, 1e-5);
        EXPECT_NEAR(at.z, 0.5 + i, 1e-5);
        const Vec3 v = simulation.spatial_velocity(i).velocity;
        EXPECT_LT(std::hypot(v.x, v.y, v.z), 1e-5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GivenStacksLong, testing::Values("stack3d_seed0", "stack3d_seed1"));

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Islands: bodies that cannot touch within a step, nor are coupled, know nothing of each other, not even of each other's rejected steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "metrics/spatial_overlap.hpp"
#include "scenes/mixed_space.hpp"
#include "space/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

// A slab, and hulls that fall on it in a heap; `violent`: so fast that steps of 16 ms are rejected.
void add_heap(SceneSpec& scene, const std::string& name, Vec3 at, std::uint64_t seed, bool violent) {
  scene.bodies.push_back(scenes::fixed_cuboid(name + "_floor", {2.0, 2.0, 0.1}, {at.x, at.y, at.z - 0.1}, 0.3));
  scenes::Random random(seed);
  for (int i = 0; i < 3; ++i) {
    BodySpec body = scenes::solid_body(name + std::to_string(i), scenes::random_tetrahedron(random), 100.0);
    body.space.pose.turn = scenes::random_turn(random);
    body.space.pose.position = {at.x + 0.05 * i, at.y, at.z + 0.4 + 0.45 * i};
    body.space.velocity.velocity = {0.0, 0.0, violent ? -12.0 - 6.0 * i : -1.0};
    if (violent) body.space.velocity.angular = {20.0, -15.0, 10.0};
    body.friction = 0.3;
    scene.bodies.push_back(body);
  }
}

bool same_bits(const SpatialPose& a, const SpatialPose& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Both heaps are of the same shapes: tolerances follow the sizes of all. The calm one's bodies in scenes with and without the violent one, which comes first, step by step.
TEST(Islands, ARejectedStepDoesNotShowInAnother) {
  SceneSpec both = scenes::space_scene("both");
  add_heap(both, "violent", {100.0, 0.0, 0.0}, 3, true);
  const std::size_t first = both.bodies.size();
  add_heap(both, "calm", {0.0, 0.0, 0.0}, 3, false);
  SceneSpec alone = scenes::space_scene("alone");
  add_heap(alone, "calm", {0.0, 0.0, 0.0}, 3, false);
  Simulation together = simulate(both, 0.016, 1.0);
  Simulation apart = simulate(alone, 0.016, 1.0);
  int step = 0;
  for (; apart.step(); ++step) {
    ASSERT_TRUE(together.step());
    for (std::size_t i = 0; i < alone.bodies.size(); ++i) {
      ASSERT_TRUE(
          same_bits(together.spatial_pose(static_cast<int>(first + i)), apart.spatial_pose(static_cast<int>(i))))
          << "step " << step << ", " << alone.bodies[i].name;
    }
  }
  EXPECT_GT(step, 60);
  EXPECT_GT(together.outcome().substeps_rejected, apart.outcome().substeps_rejected);
  EXPECT_GT(apart.outcome().contacts_max, 2);
}

}  // namespace
}  // namespace pegrasp

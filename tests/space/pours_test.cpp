// SPDX-License-Identifier: Apache-2.0
// Awkward shapes poured into a box: needles, plates, tetrahedra, and forty hulls. Judged by exact volumes of intersection; over many seeds by pegrasp_space_study.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "metrics/spatial_overlap.hpp"
#include "scenes/solid_pours.hpp"
#include "space/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

struct PourEnd {
  SceneOutcome outcome;
  double overlap = 0.0;  // largest of the steps looked at, of the moving volume
  double jump = 0.0;     // largest gain of energy in a step [J]; bodies that appear do not count
  bool inside = true;
};

PourEnd pour_out(const SceneSpec& scene, double h, double duration, int every) {
  Simulation simulation = simulate(scene, h, duration);
  const SpatialOverlap overlap(scene);
  PourEnd result;
  std::vector<SpatialPose> poses(scene.bodies.size());
  std::vector<bool> present(scene.bodies.size(), false);
  double energy = 0.0;
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
    if (present == before) result.jump = std::max(result.jump, now.kinetic + now.potential - energy);
    energy = now.kinetic + now.potential;
  }
  result.outcome = simulation.outcome();
  return result;
}

class PoursLong : public testing::TestWithParam<std::tuple<const char*, double, double>> {};

TEST_P(PoursLong, StayApartAndInside) {
  const auto [kind, h, friction] = GetParam();
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(testing::Message() << kind << ", h " << h << ", mu " << friction << ", seed " << seed);
    const PourEnd r = pour_out(scenes::solid_pour(kind, seed, friction), h, 5.0, 1);
    EXPECT_TRUE(r.inside);
    EXPECT_LT(r.overlap, 1e-6);
    EXPECT_LT(r.jump, 0.1);
    EXPECT_EQ(r.outcome.unresolved_steps, 0);
    EXPECT_EQ(r.outcome.status, status_ok);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, PoursLong,
                         testing::Combine(testing::Values("needles", "plates", "tetrahedra"),
                                          testing::Values(0.004, 0.016), testing::Values(0.0, 0.3)));

// One rejected pair halves the step of all that touch: with many bodies that must stay rare.
TEST(ManyHullsLong, RejectFewSteps) {
  const PourEnd r = pour_out(scenes::many_hulls(1, 0.0, 40), 0.016, 22.0, 10);
  EXPECT_TRUE(r.inside);
  EXPECT_LT(r.overlap, 1e-6);
  EXPECT_EQ(r.outcome.status, status_ok);
  EXPECT_LT(r.outcome.substeps_rejected, 0.05 * static_cast<double>(r.outcome.substeps + r.outcome.substeps_rejected));
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Overlap volumes of spheres and half-spaces, against sums over slices and what must be so.
#include "src/metrics/round_overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/metrics/spatial_overlap.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

const double pi = std::acos(-1.0);

double overlap(const SolidPart& a, const SpatialPose& pose_a, const SolidPart& b, const SpatialPose& pose_b) {
  const double volume = part_overlap(measured_part(a), pose_a, measured_part(b), pose_b);
  EXPECT_NEAR(part_overlap(measured_part(b), pose_b, measured_part(a), pose_a), volume, 1e-8 * (1e-6 + volume));
  return volume;
}

double float_of(double x) { return static_cast<double>(static_cast<float>(x)); }

TEST(RoundOverlap, SpheresInSpheres) {
  for (const auto& [ra, rb, d] :
       {std::array{1.0, 1.0, 0.5}, std::array{1.0, 0.4, 0.9}, std::array{1.0, 0.4, 0.65}, std::array{0.3, 2.0, 2.2}}) {
    double sum = 0.0;
    constexpr int count = 200000;
    const double dx = 2.0 * rb / count;
    for (int k = 0; k < count; ++k) {  // slices across the line of centres
      const double x = d - rb + (k + 0.5) * dx;
      const double least = std::min(ra * ra - x * x, rb * rb - (x - d) * (x - d));
      if (least > 0.0) sum += pi * least * dx;
    }
    // the centres off the bodies' origins
    const SpatialPose turned{{1.0, 2.0, 3.0}, {0.6, 0.0, 0.0, 0.8}};  // x to (-0.28, 0.96, 0)
    EXPECT_NEAR(overlap(make_sphere("a", {}, ra), turned, make_sphere("b", {d, 0.0, 0.0}, rb), turned), sum, 1e-8);
  }
  const double all = 4.0 / 3.0 * pi * 0.027;
  EXPECT_NEAR(overlap(make_sphere("a", {}, 0.3), {}, make_sphere("b", {0.1, 0.0, 0.0}, 2.0), {}), all, 1e-15);
  EXPECT_EQ(overlap(make_sphere("a", {}, 0.3), {}, make_sphere("b", {2.3, 0.0, 0.0}, 2.0), {}), 0.0);
  // a shallow one: pi t^2 / 4 of two equal spheres, to first order
  const double t = 1e-7;
  EXPECT_NEAR(
      overlap(make_sphere("a", {}, 0.5), {}, make_sphere("b", {1.0 - t, 0.0, 0.0}, 0.5), {}) / (pi * t * t / 4.0), 1.0,
      1e-6);
}

TEST(RoundOverlap, HalfSpaces) {
  const SolidPart floor = make_half_space("floor", {0.0, 0.0, 1.0}, 0.0);
  // the floor stands on its side: what is at x < 1
  const SpatialPose side{{1.0, 0.0, 0.0}, {std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0}};
  const SolidPart ball = make_sphere("ball", {0.0, 0.0, 0.5}, 0.5);
  EXPECT_NEAR(overlap(floor, side, ball, {{1.0, 0.0, 0.0}, {}}), pi / 12.0, 1e-12);
  EXPECT_NEAR(overlap(floor, side, ball, {{0.0, 0.0, 0.0}, {}}), pi / 6.0, 1e-12);
  EXPECT_EQ(overlap(floor, side, ball, {{1.5, 0.0, 0.0}, {}}), 0.0);
  const SolidPart box{"box", scenes::cuboid(0.1, 0.2, 0.3)};
  EXPECT_NEAR(overlap(floor, side, box, {{1.05, 0.0, 0.0}, {}}), 0.05 * 0.4 * 0.6, 1e-12);
  EXPECT_NEAR(overlap(floor, {}, box, {{7.0, 0.0, 0.3 - 1e-6}, {}}), 1e-6 * 0.2 * 0.4, 1e-14);
  EXPECT_EQ(overlap(floor, {}, floor, {}), 0.0);
}

// Pairs that have no closed form are counted, not passed over in silence.
// A box whose corners were turned and rounded to single precision, as in a binary STL file: its faces are flat to 1e-7.
TEST(RoundOverlap, MeshesInSinglePrecision) {
  const SpatialPose turned{{}, {0.8, 0.36, -0.288, 0.384}};
  std::vector<Vec3> corners = moved(scenes::cuboid(0.1, 0.2, 0.3), turned).vertices;
  for (Vec3& x : corners) x = {float_of(x.x), float_of(x.y), float_of(x.z)};
  const SolidPart box{"box", make_polyhedron(corners, 1e-6)};
  EXPECT_EQ(box.shape.faces.size(), 6u);
  const SolidPart floor = make_half_space("floor", {0.0, 0.0, 1.0}, 0.0);
  const SpatialPose upright{{}, {0.8, -0.36, 0.288, -0.384}};
  EXPECT_NEAR(overlap(floor, {}, box, upright), 0.024, 1e-8);
  EXPECT_NEAR(overlap(box, upright, box, {{0.1, 0.0, 0.0}, upright.turn}), 0.024, 1e-8);
  EXPECT_EQ(overlap(floor, {}, box, {{0.0, 0.0, 0.300001}, upright.turn}), 0.0);
}

TEST(RoundOverlap, SaysWhatIsLeftOut) {
  SceneSpec scene = scenes::scene_3d("mixed");
  const auto add = [&](const SolidPart& part, BodyKind kind) {
    BodySpec body;
    body.form = SpatialBody{};
    body.kind = kind;
    body.spatial().parts = {part};
    scene.bodies.push_back(body);
  };
  add(make_half_space("ground", {0.0, 0.0, 1.0}, 0.0), BodyKind::fixed);
  add({"box", scenes::cuboid(1.0, 1.0, 1.0)}, BodyKind::dynamic);
  add(make_sphere("ball", {}, 0.5), BodyKind::dynamic);
  EXPECT_EQ(SpatialOverlap(scene).pairs_left_out(), 1);  // ball in box
  add(make_capsule("pill", {}, {1.0, 0.0, 0.0}, 0.5), BodyKind::dynamic);
  const SpatialOverlap measure(scene);
  EXPECT_EQ(measure.pairs_left_out(), 4);
  EXPECT_NEAR(measure.dynamic_volume(), 8.0 + 2.0 * pi / 6.0 + pi / 4.0, 1e-12);
  // the ground is everywhere below, however far from its origin
  std::vector<SpatialPose> poses(4);
  poses[1].position = {50.0, 0.0, 0.99};
  poses[2].position = {-50.0, 0.0, 0.0};
  poses[3].position = {0.0, 99.0, 0.0};
  EXPECT_NEAR(measure.total(poses, {true, true, true, true}), 0.04 + pi / 12.0, 1e-12);
  EXPECT_NEAR(measure.total(poses, {true, true, false, true}), 0.04, 1e-12);
}

}  // namespace
}  // namespace pegrasp

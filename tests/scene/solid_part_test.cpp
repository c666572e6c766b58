// SPDX-License-Identifier: Apache-2.0
// Spheres, capsules, cylinders and half-spaces as parts: their numbers, and what is refused.
#include "pegrasp/solid_part.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "pegrasp/simulation.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

// A solid of revolution about its x axis, r(x) = profile, by a fine sum: volume, moments about the axis and across it.
struct Revolved {
  double volume = 0.0, axial = 0.0, across = 0.0;

  Revolved(double from, double to, const std::function<double(double)>& profile) {
    constexpr int count = 200000;
    const double pi = std::acos(-1.0), dx = (to - from) / count;
    for (int k = 0; k < count; ++k) {
      const double x = from + (k + 0.5) * dx;
      const double r2 = profile(x) * profile(x);
      volume += pi * r2 * dx;
      axial += 0.5 * pi * r2 * r2 * dx;
      across += (0.25 * pi * r2 * r2 + pi * r2 * x * x) * dx;
    }
  }
};

TEST(SolidParts, PropertiesOfACapsule) {
  constexpr double half = 0.7, radius = 0.3;
  const Revolved sum(-half - radius, half + radius, [](double x) {
    const double beyond = std::max(0.0, std::fabs(x) - half);
    return std::sqrt(radius * radius - beyond * beyond);
  });
  // along x, and turned and moved
  const SolidProperties along_x = solid_properties(make_capsule("c", {-half, 0.0, 0.0}, {half, 0.0, 0.0}, radius));
  EXPECT_NEAR(along_x.volume, sum.volume, 1e-8);
  EXPECT_NEAR(along_x.inertia.xx, sum.axial, 1e-8);
  EXPECT_NEAR(along_x.inertia.yy, sum.across, 1e-8);
  EXPECT_NEAR(along_x.inertia.zz, sum.across, 1e-8);
  EXPECT_EQ(along_x.inertia.xy, 0.0);
  const Vec3 u{2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0};
  const SolidProperties turned =
      solid_properties(make_capsule("c", {1.0 - half * u.x, 2.0 - half * u.y, -half * u.z},
                                    {1.0 + half * u.x, 2.0 + half * u.y, half * u.z}, radius));
  EXPECT_NEAR(turned.centroid.x, 1.0, 1e-15);
  EXPECT_NEAR(turned.centroid.y, 2.0, 1e-15);
  const double lean = sum.axial - sum.across;
  EXPECT_NEAR(turned.inertia.xx, sum.across + lean * u.x * u.x, 1e-8);
  EXPECT_NEAR(turned.inertia.xz, lean * u.x * u.z, 1e-8);
  EXPECT_NEAR(turned.inertia.yz, lean * u.y * u.z, 1e-8);
}

TEST(SolidParts, PropertiesOfACylinder) {
  constexpr double half = 0.7, radius = 0.3;
  const Revolved sum(-half, half, [](double) { return radius; });
  const SolidProperties along_x = solid_properties(make_cylinder("c", {-half, 0.0, 0.0}, {half, 0.0, 0.0}, radius));
  EXPECT_NEAR(along_x.volume, sum.volume, 1e-8);
  EXPECT_NEAR(along_x.inertia.xx, sum.axial, 1e-8);
  EXPECT_NEAR(along_x.inertia.yy, sum.across, 1e-8);
  const Vec3 u{2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0};
  const SolidPart part = make_cylinder("c", {1.0 - half * u.x, 2.0 - half * u.y, -half * u.z},
                                       {1.0 + half * u.x, 2.0 + half * u.y, half * u.z}, radius);
  const SolidProperties turned = solid_properties(part);
  EXPECT_NEAR(turned.centroid.x, 1.0, 1e-15);
  EXPECT_NEAR(turned.centroid.y, 2.0, 1e-15);
  const double lean = sum.axial - sum.across;
  EXPECT_NEAR(turned.inertia.xx, sum.across + lean * u.x * u.x, 1e-8);
  EXPECT_NEAR(turned.inertia.yz, lean * u.y * u.z, 1e-8);
  EXPECT_NEAR(round_reach(part).x, radius * std::sqrt(1.0 - u.x * u.x), 1e-15);
  EXPECT_NEAR(bounding_radius(make_cylinder("c", {0.0, 0.0, -0.4}, {0.0, 0.0, 0.3}, 0.3)), 0.5, 1e-15);
  for (const auto& refused :
       {std::pair{Vec3{}, 1.0}, std::pair{Vec3{1.0, 0.0, 0.0}, -1.0}, std::pair{Vec3{std::nan(""), 0.0, 0.0}, 1.0}}) {
    EXPECT_THROW(make_cylinder("c", {}, refused.first, refused.second), ShapeError);
  }
}

TEST(SolidParts, PropertiesOfASphere) {
  const SolidProperties p = solid_properties(make_sphere("s", {1.0, 2.0, 3.0}, 0.5));
  EXPECT_NEAR(p.volume, std::acos(-1.0) / 6.0, 1e-15);
  EXPECT_EQ(p.centroid.y, 2.0);
  EXPECT_NEAR(p.inertia.xx, 0.4 * p.volume * 0.25, 1e-15);
  // a short capsule is nearly one
  const SolidProperties q = solid_properties(make_capsule("c", {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0 + 1e-7}, 0.5));
  EXPECT_NEAR(q.volume, p.volume, 1e-6);
  EXPECT_NEAR(q.inertia.xx, p.inertia.xx, 1e-6);
}

TEST(SolidParts, BoundingRadiusAndHalfSpaces) {
  EXPECT_NEAR(bounding_radius(make_sphere("s", {3.0, 4.0, 0.0}, 0.5)), 5.5, 1e-15);
  EXPECT_NEAR(bounding_radius(make_capsule("c", {3.0, 4.0, 0.0}, {0.0, 0.0, 1.0}, 0.5)), 5.5, 1e-15);
  const SolidPart plane = make_half_space("h", {0.0, 3.0, 4.0}, 10.0);
  EXPECT_EQ(bounding_radius(plane), 0.0);
  EXPECT_EQ(plane.shape.faces[0].normal.y, 0.6);
  EXPECT_EQ(plane.shape.faces[0].offset, 2.0);
  EXPECT_EQ(solid_properties(plane).volume, 0.0);
}

TEST(SolidParts, WhatIsRefused) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THROW(make_sphere("s", {}, 0.0), ShapeError);
  EXPECT_THROW(make_sphere("s", {}, -1.0), ShapeError);
  EXPECT_THROW(make_sphere("s", {}, infinite), ShapeError);
  EXPECT_THROW(make_sphere("s", {infinite, 0.0, 0.0}, 1.0), ShapeError);
  EXPECT_THROW(make_capsule("c", {}, {}, 1.0), ShapeError);
  EXPECT_THROW(make_capsule("c", {}, {1.0, 0.0, 0.0}, 0.0), ShapeError);
  EXPECT_THROW(make_capsule("c", {}, {std::nan(""), 0.0, 0.0}, 1.0), ShapeError);
  EXPECT_THROW(make_half_space("h", {}, 1.0), ShapeError);
  EXPECT_THROW(make_half_space("h", {0.0, 0.0, 1.0}, infinite), ShapeError);
  EXPECT_THROW(make_half_space("h", {0.0, 0.0, infinite}, 0.0), ShapeError);

  // what reaches the compiler of the model by other ways
  const auto refused = [](const SolidPart& part, BodyKind kind) {
    SceneSpec scene = scenes::scene_3d("refused");
    BodySpec body;
    body.form = SpatialBody{};
    body.spatial().inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    body.spatial().parts = {make_sphere("s", {}, 1.0)};
    scene.bodies.push_back(body);
    body.kind = kind;
    body.spatial().parts = {part};
    scene.bodies.push_back(body);
    try {
      compile_model(scene);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused(make_half_space("h", {0.0, 0.0, 1.0}, 0.0), BodyKind::fixed));
  EXPECT_TRUE(refused(make_half_space("h", {0.0, 0.0, 1.0}, 0.0), BodyKind::dynamic));
  SolidPart part = make_sphere("s", {}, 1.0);
  part.radius = 0.0;
  EXPECT_TRUE(refused(part, BodyKind::dynamic));
  part = make_sphere("s", {}, 1.0);
  part.kind = SolidKind::capsule;
  EXPECT_TRUE(refused(part, BodyKind::dynamic));
  part = make_cylinder("c", {}, {0.0, 0.0, 1.0}, 0.2);
  EXPECT_FALSE(refused(part, BodyKind::dynamic));
  part.radius = 0.0;
  EXPECT_TRUE(refused(part, BodyKind::dynamic));
  part = {"box", scenes::cuboid(1.0, 1.0, 1.0)};
  EXPECT_FALSE(refused(part, BodyKind::dynamic));
  part.radius = 0.1;
  EXPECT_TRUE(refused(part, BodyKind::dynamic));
}

}  // namespace
}  // namespace pegrasp

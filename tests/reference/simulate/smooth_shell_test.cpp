// SPDX-License-Identifier: Apache-2.0
// Compliant shells under smooth parts, rims and lines: the reference simulator goes as the kernels do, step by step
// from the same start and on its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/smooth_solids.hpp"

namespace pegrasp::test {
namespace {

using reference::PlanarSimulation;
using reference::spatial::SpatialSimulation;

struct PlanarLanding {
  std::string name;
  double along, up;  // half-axes [m]
  int order;
  double turn, apart;  // [rad] at the start; [m, rad] allowed at the end
};
class ReferenceSmoothShellInThePlane : public testing::TestWithParam<PlanarLanding> {};

TEST_P(ReferenceSmoothShellInThePlane, GoesAsInTheKernels) {
  const PlanarLanding& c = GetParam();
  SceneSpec scene = scenes::disc_on_plane(0.05, 1.0, 0.4, {});
  BodySpec& body = scene.bodies[1];
  body.planar().parts = {make_exact_superellipse("part", {{}, c.along, c.up, c.order, 0.0})};
  const AreaProperties whole = area_properties(body.planar().parts[0]);
  body.planar().inertia = body.mass * whole.second_moment / whole.area;
  body.planar().pose = {0.0, c.up + 0.004, c.turn};
  body.planar().velocity = {0.1, 0.0, 0.2};
  scene.bodies[0].shell = CompliantShell{0.01, 8e3, 40.0, 4e3, 20.0};
  const StepOptions options = derive_options(steps_of(1e-3, 0.25), scene);
  Simulation fast(compile_model(scene), options, scene_parameters(scene));
  PlanarSimulation other(scene, options, scene_parameters(scene));
  double most = 0.0;
  while (fast.step() && other.step()) {
    const Pose p = fast.pose(1), q = other.pose(1);
    most = std::max({most, std::hypot(p.x - q.x, p.y - q.y), std::fabs(p.theta - q.theta)});
  }
  EXPECT_LT(most, c.apart);
  EXPECT_EQ(fast.outcome().status, status_ok);
  EXPECT_EQ(other.outcome().status, status_ok);
}
INSTANTIATE_TEST_SUITE_P(Parts, ReferenceSmoothShellInThePlane,
                         testing::Values(PlanarLanding{"blade", 0.3, 0.002, 2, 0.003, 1e-6},
                                         PlanarLanding{"ellipse", 0.06, 0.05, 2, 0.2, 1e-6},
                                         PlanarLanding{"side", 0.05, 0.02, 8, 0.02, 1e-6},
                                         PlanarLanding{"squarish", 0.05, 0.04, 4, 0.1, 1e-6}),
                         [](const auto& of) { return of.param.name; });

struct SpatialLanding {
  std::string name;
  BodySpec body;
  double height, apart;
  double turns = 0.1;  // [rad/s]
};
class ReferenceSmoothShellInSpace : public testing::TestWithParam<SpatialLanding> {};

TEST_P(ReferenceSmoothShellInSpace, GoesAsInTheKernels) {
  const SpatialLanding& c = GetParam();
  SceneSpec scene = scenes::sloping(0.0, 0.3, true);
  scene.bodies.push_back(c.body);
  scene.bodies[1].spatial().pose.position.z = c.height + 0.002;
  scene.bodies[1].spatial().velocity = {{0.1, 0.0, 0.0}, {0.3 * c.turns, c.turns, 0.0}};
  scene.bodies[0].shell = CompliantShell{0.01, 1e3 * c.body.mass / 0.1, 10.0 * c.body.mass / 0.1};
  const StepOptions options = derive_options(steps_of(2e-3, 0.16), scene);
  Simulation fast(compile_model(scene), options, scene_parameters(scene));
  SpatialSimulation other(std::make_shared<const reference::spatial::SpatialScene>(scene), options,
                          scene_parameters(scene));
  double most = 0.0;
  while (fast.step() && other.step()) {
    const Vec3 p = fast.spatial_pose(1).position, q = other.pose(1).position;
    most = std::fmax(most, std::hypot(p.x - q.x, p.y - q.y, p.z - q.z));
  }
  EXPECT_LT(most, c.apart);
  EXPECT_EQ(fast.outcome().status, status_ok);
  EXPECT_EQ(other.outcome().status, status_ok);
}
SpatialLanding landing_solid(const std::string& name, Vec3 half, int order) {
  return {name, scenes::ellipsoid("part", half, {}, 0.3, order), half.z, 2e-6};
}
SpatialLanding landing_roller(const std::string& name, double radius, double length, bool stands, double turns = 0.1) {
  const Vec3 axis = stands ? Vec3{0.0, 0.0, 1.0} : Vec3{1.0, 0.0, 0.0};
  return {name, scenes::cylinder("part", radius, length, axis, {}, 0.3), stands ? 0.5 * length : radius, 2e-6, turns};
}
INSTANTIATE_TEST_SUITE_P(
    Solids, ReferenceSmoothShellInSpace,
    testing::Values(landing_solid("lens", {0.1, 0.1, 0.01}, 2), landing_solid("egg", {0.03, 0.02, 0.02}, 2),
                    landing_solid("cushion", {0.05, 0.04, 0.02}, 8), landing_roller("can", 0.03, 0.05, true),
                    landing_roller("can_on_its_rim", 0.03, 0.05, true, 3.0), landing_roller("bar", 0.01, 0.1, false)),
    [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace pegrasp::test

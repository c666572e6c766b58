// SPDX-License-Identifier: Apache-2.0
// Compliant shells under smooth parts, rims and lines: the reference simulator goes as the kernels do, step by step
// from the same start and on its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/cli/child.hpp"
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

// A side half over the end of a table, which it tips towards.
TEST(ReferenceSmoothShell, OverTheEndOfATableItGoesAsInTheKernels) {
  SceneSpec scene = scenes::disc_on_plane(0.05, 0.2, 0.4, {});
  BodySpec& body = scene.bodies[1];
  body.planar().parts = {make_exact_superellipse("part", {{}, 0.05, 0.02, 8, 0.0})};
  const AreaProperties whole = area_properties(body.planar().parts[0]);
  body.planar().inertia = body.mass * whole.second_moment / whole.area;
  body.planar().pose = {0.0, 0.021, 0.01};
  scene.bodies[0].planar().parts = {make_polygon("table", {{-0.3, -0.1}, {0.005, -0.1}, {0.005, 0.0}, {-0.3, 0.0}})};
  scene.bodies[0].shell = CompliantShell{0.01, 5e3, 20.0, 4e3, 10.0};
  const StepOptions options = derive_options(steps_of(1e-3, 0.25), scene);
  Simulation fast(compile_model(scene), options, scene_parameters(scene));
  PlanarSimulation other(scene, options, scene_parameters(scene));
  double most = 0.0;
  while (fast.step() && other.step()) {
    const Pose p = fast.pose(1), q = other.pose(1);
    most = std::max({most, std::hypot(p.x - q.x, p.y - q.y), std::fabs(p.theta - q.theta)});
  }
  EXPECT_LT(most, 2e-6);
  EXPECT_EQ(fast.outcome().status, status_ok);
  EXPECT_EQ(other.outcome().status, status_ok);
}

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
  const StepOptions options = derive_options(steps_of(2e-3, 0.12), scene);
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

TEST(ReferenceSmoothShell, ValidateComparesShellsOnCurves) {
  const Folder folder;
  const std::string file = folder.path() / "curves.toml";
  for (const char* const part : {"shape = \"ellipse\", semi_axes_mm = [30, 20]",
                                 "shape = \"superellipse\", semi_axes_mm = [30, 20], order = 8"}) {
    std::ofstream(file) << "[map]\nsamples = 2\n[simulation]\nh_ms = 1\nduration_s = 0.1\n[gravity]\n"
                           "y_m_s2 = -9.81\n[[friction]]\nbetween = [\"part\", \"floor\"]\nmu = 0.5\n[[body]]\n"
                           "name = \"floor\"\nkind = \"fixed\"\npart = [{ shape = \"half_plane\", normal = [0, 1] }]\n"
                           "shell = { thickness_mm = 6, stiffness_n_per_m = 8e3, damping_n_s_per_m = 20, "
                           "tangential_stiffness_n_per_m = 4e3, tangential_damping_n_s_per_m = 10 }\n[[body]]\n"
                           "name = \"part\"\nmass_kg = 0.4\nvx_mm_s = { distribution = \"uniform\", low = 50, "
                           "high = 100 }\ny_mm = 22\nturn_deg = 1\npart = [{ "
                        << part << " }]\n[success]\ndisplacement_below_mm = 50\nof = \"part\"\n";
    const Finished run = pegrasp_run(folder, {"validate", file, "--json"});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_EQ(nlohmann::json::parse(run.out)["trials"], 2) << run.out;
  }
}

}  // namespace
}  // namespace pegrasp::test

// SPDX-License-Identifier: Apache-2.0
// Planar problems in 3D: a puck on three support spheres slides and spins to rest as formulas say, and as in 2D; a body
// on rails answers to its motor along them alone.
#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp/names.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {
namespace {

constexpr double g = 9.81;

Simulation puck(const std::string& motion, const std::string& turn, double h,
                const std::string& support_spheres = "below", bool lift = true) {
  const Problem problem = parse_problem(R"(
[simulation]
duration_s = 1
h_ms = )" + std::to_string(1e3 * h) + R"(
[space]
lift = )" + (lift ? "true" : "false") + R"(
thickness_mm = 3
clearance_mm = 1
polygon_tolerance_mm = 0.01
support_spheres = ")" + support_spheres + R"("
[[body]]
name = "puck"
mass_kg = 0.1
)" + motion + R"(
support = { radius_mm = 15, turn_deg = )" + turn +
                                            R"(, friction = 0.3 }
[[body.part]]
shape = "disc"
radius_mm = 20
)",
                                        "puck.toml");
  return Simulation(compile_model(problem.scene), derive_options(problem.options, problem.scene),
                    scene_parameters(problem.scene));
}

// However its support spheres are turned: friction is the weight's, wherever it lies. Impulse steps stop within one
// step's way of the formula.
TEST(SupportSpheres, APuckSlidesAsFarAsFrictionLets) {
  constexpr double v = 0.4;
  for (const double h : {0.001, 0.005}) {
    for (const char* turn : {"0", "17", "60"}) {
      Simulation simulation = puck("vx_mm_s = 400", turn, h);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const Vec3 at = simulation.spatial_pose(0).position;
      EXPECT_NEAR(at.x, v * v / (2.0 * 0.3 * g), 0.5 * h * v * 1.1);
      EXPECT_NEAR(at.y, 0.0, 2e-4) << "support spheres bear unequal loads, at different sides";
      EXPECT_NEAR(at.z, 2.5e-3, 1e-7);
    }
  }
}

// Friction has no moment about the middle, and each support sphere bears a third whatever the puck does: it ends where
// it does in 2D.
TEST(SupportSpheres, ThatAreLevelBearWhatTheyBearIn2D) {
  const std::string motion = "vx_mm_s = 400\nomega_rad_s = 20";
  const auto apart = [&](const char* turn, const std::string& support_spheres) {  // [m], at the middle or the rim
    Simulation plane = puck(motion, turn, 0.005, "level", false);
    Simulation space = puck(motion, turn, 0.005, support_spheres);
    plane.run();
    space.run();
    EXPECT_EQ(space.outcome().status, status_ok);
    const Pose a = plane.pose(0);
    const SpatialPose b = space.spatial_pose(0);
    const double angle = std::remainder(2.0 * std::atan2(b.turn.z, b.turn.w) - a.theta, 2.0 * std::acos(-1.0));
    return std::hypot(b.position.x - a.x, b.position.y - a.y, 0.02 * angle);
  };
  for (const char* turn : {"0", "17", "60"}) {
    EXPECT_LT(apart(turn, "level"), 1.5e-4) << turn;
    EXPECT_GT(apart(turn, "below"), 2e-4) << turn;
  }
}

TEST(SupportSpheres, APuckSpinsAsLongAsFrictionLets) {
  constexpr double w = 20.0, h = 0.001;
  Simulation simulation = puck("omega_rad_s = 20", "10", h);
  const double inertia = 0.5 * 0.02 * 0.02;  // per mass
  const double stops = w * inertia / (0.3 * g * 0.015);
  double angle = 0.0;
  while (simulation.step()) {
    const double spin = simulation.spatial_velocity(0).angular.z;
    angle += h * spin;
    if (simulation.time() < stops - 2.0 * h) {
      EXPECT_GT(spin, 0.0);
    }
    if (simulation.time() > stops + 2.0 * h) {
      EXPECT_NEAR(spin, 0.0, 1e-4) << "the solver's tolerance at the support spheres";
    }
  }
  EXPECT_NEAR(angle, 0.5 * w * stops, w * h);
}

// Support spheres reach farther than the outline: the plate meets what stands upright, they do not, on either strategy.
TEST(SupportSpheres, PassUnderWhatTheBodyMeets) {
  const std::string walls[] = {R"(
shape = "half_plane"
normal = [-1, 0]
offset_mm = -15
)",
                               R"(
shape = "polygon"
vertices_mm = [[15, -20], [25, -20], [25, 20], [15, 20]]
)"};
  for (const std::string& wall : walls) {
    const Problem problem = parse_problem(R"(
[simulation]
duration_s = 0.3
h_ms = 2
[space]
lift = true
thickness_mm = 3
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = 300
support = { radius_mm = 9.8, friction = 0.05 }
[[body.part]]
shape = "disc"
radius_mm = 10
[[body]]
name = "wall"
kind = "fixed"
[[body.part]])" + wall + R"(
[success]
gap_below_mm = 0.05
from = "puck"
of = "wall"
)",
                                          "wall.toml");
    for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
      StepOptions options = problem.options;
      options.strategy = strategy;
      Simulation simulation(compile_model(problem.scene), derive_options(options, problem.scene),
                            scene_parameters(problem.scene));
      simulation.run();
      EXPECT_EQ(simulation.outcome().success, 1)
          << wall << name_of(strategy) << ", x " << simulation.spatial_pose(0).position.x;
      EXPECT_EQ(simulation.outcome().status, status_ok) << wall << name_of(strategy);
    }
  }
}

// Gravity pulls it across its rails, and its motor pushes aslant.
TEST(Rails, LeaveOneTranslation) {
  SceneSpec scene;
  scene.spatial = true;
  scene.gravity_z = -g;
  BodySpec body;
  body.form = SpatialBody{};
  body.name = "jaw";
  body.mass = 2.0;
  body.slide_axis = Vec2{0.6, 0.8};
  body.spatial().parts.push_back(make_sphere("ball", {0.0, 0.0, 0.0}, 0.1));
  body.spatial().inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  body.spatial().velocity = {{0.3, 0.0, 1.0}, {1.0, 2.0, 3.0}};
  scene.bodies.push_back(body);
  ActuatorSpec push;
  push.name = "push";
  push.target = 10.0;
  scene.actuators.push_back(push);
  StepOptions options;
  options.h = 0.01;
  options.duration = 0.5;
  Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
  simulation.run();
  const double speed = 0.3 * 0.6 + 0.6 * 10.0 / 2.0 * 0.5;
  const SpatialTwist twist = simulation.spatial_velocity(0);
  EXPECT_NEAR(twist.velocity.x, 0.6 * speed, 1e-12);
  EXPECT_NEAR(twist.velocity.y, 0.8 * speed, 1e-12);
  EXPECT_EQ(twist.velocity.z, 0.0);
  EXPECT_EQ(twist.angular.x, 0.0);
  const SpatialPose pose = simulation.spatial_pose(0);
  EXPECT_EQ(pose.position.z, 0.0);
  EXPECT_EQ(pose.turn.w, 1.0);
  EXPECT_NEAR(pose.position.x * 0.8, pose.position.y * 0.6, 1e-14);
  EXPECT_EQ(simulation.outcome().status, status_ok);  // what the motor does is no gain of energy
  EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
}

}  // namespace
}  // namespace pegrasp

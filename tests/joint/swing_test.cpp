// SPDX-License-Identifier: Apache-2.0
// Two rods that a motor throws round, by up to radians in a step: either the energy is the work of the motor, or the
// status says that it is not.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

// Without weight, hanging straight; a motor at the upper hinge gives the torque [N m].
SceneSpec driven_arm(bool spatial, double torque) {
  SceneSpec scene = test::spinning_rod(spatial, 0.0);
  BodySpec second = scene.bodies[0];
  second.name = "second";
  const double below = -1.5 * test::rod_length;
  if (spatial) {
    second.spatial().pose.position = {0.0, 0.0, below};
  } else {
    second.planar().pose.y = below;
  }
  scene.bodies.push_back(second);
  const Vec3 elbow = spatial ? Vec3{0.0, 0.0, -test::rod_length} : Vec3{0.0, -test::rod_length, 0.0};
  scene.joints.push_back(make_joint(scene, "elbow", JointKind::revolute, 0, 1, elbow, {0.0, 1.0, 0.0}));
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = 0;
  motor.kind = ActuatorKind::force;
  motor.rotary = true;
  motor.target = torque;
  scene.actuators.push_back(motor);
  return scene;
}

// Of the motor's work the part that the arm has not got, or too much of, after a tenth of a second.
double energy_error(bool spatial, double torque) {
  Simulation simulation = test::simulate(driven_arm(spatial, torque), 0.005, 0.1);
  while (simulation.step()) {
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  return simulation.energy().kinetic / (torque * simulation.joint_turn(0)) - 1.0;
}

// 0.2, 0.5 and 2 rad a step at the end, with which one rod passes the other.
TEST(DrivenArm, HasTheWorkOfItsMotor) {
  for (const bool spatial : {false, true}) {
    for (const auto& [torque, most] : {std::pair{3e2, 0.01}, {1.2e3, 0.02}, {1.2e4, 0.1}}) {
      SCOPED_TRACE(testing::Message() << (spatial ? "space" : "plane") << ", " << torque << " N m");
      EXPECT_LT(std::fabs(energy_error(spatial, torque)), most);
    }
  }
}

TEST(DrivenArm, ThatTurnsTooFarInTheSmallestStepIsNotConverged) {
  for (const bool spatial : {false, true}) {
    for (const double torque : {1e6, 1e8}) {
      SCOPED_TRACE(testing::Message() << (spatial ? "space" : "plane") << ", " << torque << " N m");
      Simulation simulation = test::simulate(driven_arm(spatial, torque), 0.005, 0.1);
      while (simulation.step()) {
      }
      EXPECT_GT(simulation.outcome().unresolved_steps, 0);
    }
  }
}

// Springs at the middles of two bodies turn neither, however far one spins in a step.
TEST(SpunOnASpring, KeepsItsSpin) {
  constexpr double spin = 400.0;  // 2 rad a step
  for (const bool spatial : {false, true}) {
    for (const bool first : {false, true}) {
      SCOPED_TRACE(testing::Message() << (spatial ? "space" : "plane") << ", the " << (first ? "first" : "second"));
      SceneSpec scene = test::spinning_rod(spatial, 0.0);
      scene.joints.clear();
      BodySpec other = scene.bodies[0];
      other.name = "other";
      Vec3 at[2];
      for (BodySpec* body : {&scene.bodies[0], &other}) {
        const double x = body == &other ? 1.0 : 0.0;
        if (spatial) {
          body->spatial().pose.position.x += x;
        } else {
          body->planar().pose.x += x;
        }
        at[body == &other ? 1 : 0] = {x, spatial ? 0.0 : -0.5 * test::rod_length,
                                      spatial ? -0.5 * test::rod_length : 0.0};
      }
      BodySpec& spun = first ? scene.bodies[0] : other;
      if (spatial) {
        spun.spatial().velocity.angular = {0.0, spin, 0.0};
      } else {
        spun.planar().velocity.omega = spin;
      }
      scene.bodies.push_back(other);
      SpringSpec spring;
      spring.name = "spring";
      spring.body_a = 0;
      spring.body_b = 1;
      spring.point_a = at[0];
      spring.point_b = at[1];
      spring.stiffness = 100.0;
      spring.rest_length = 0.9;
      add_spring(scene, spring);
      Simulation simulation = test::simulate(scene, 0.005, 0.5);
      while (simulation.step()) {
      }
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
      const int body = first ? 0 : 1;
      const double now = spatial ? simulation.spatial_velocity(body).angular.y : simulation.velocity(body).omega;
      EXPECT_NEAR(now, spin, 1e-9 * spin);
    }
  }
}

}  // namespace
}  // namespace pegrasp

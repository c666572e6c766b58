// SPDX-License-Identifier: Apache-2.0
// Mechanisms with coupled joints whose motion is known, alike in 2D and in 3D: everything happens in the plane z = 0,
// and y is up.
#pragma once

#include <cmath>
#include <string>

#include "tests/scenes/basic.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::test {

class Mechanism {
 public:
  explicit Mechanism(bool spatial, double gravity = 0.0) {
    if (spatial) scene = scenes::scene_3d("mechanism");
    scene.name = "mechanism";
    scene.spatial = spatial;
    scene.gravity = {0.0, -gravity};
    scene.gravity_z = 0.0;
    scene.length_scale = 0.1;
  }

  // A box whose middle is at x, y.
  int box(const std::string& name, double width, double height, double mass, double x, double y) {
    BodySpec body;
    if (scene.spatial) {
      body = scenes::solid_body(name, scenes::cuboid(0.5 * width, 0.5 * height, 0.05), 1.0);
      const double scale = mass / body.mass;
      InertiaTensor& i = body.spatial().inertia;
      i = {scale * i.xx, scale * i.yy, scale * i.zz, scale * i.xy, scale * i.xz, scale * i.yz};
      body.spatial().pose.position = {x, y, 0.0};
    } else {
      body = scenes::box_body(name, width, height, mass);
      body.planar().pose = {x, y, 0.0};
    }
    body.mass = mass;
    scene.bodies.push_back(body);
    return static_cast<int>(scene.bodies.size()) - 1;
  }
  // A box of 0.1 m on a rail along x, on a body or the world. Returns the joint.
  int sled(const std::string& name, double mass, double y, int on = -1) {
    return join(JointKind::prismatic, on, box(name, 0.1, 0.1, mass, 0.0, y), {0.0, y, 0.0}, {1.0, 0.0, 0.0});
  }
  // A wheel that turns about z. Returns the joint.
  int wheel(const std::string& name, double inertia, double y) {
    const int body = box(name, 0.1, 0.1, 1.0, 0.0, y);
    set_inertia(body, inertia);
    return join(JointKind::revolute, -1, body, {0.0, y, 0.0}, {0.0, 0.0, 1.0});
  }
  // A rod that hangs from a hinge at (x, 0), turned by `angle` away from the vertical. Returns the joint.
  int pendulum(const std::string& name, double length, double mass, double x, double angle) {
    const int body = box(name, 0.02, length, mass, x + 0.5 * length * std::sin(angle), -0.5 * length * std::cos(angle));
    set_inertia(body, rod_inertia(length, mass) - 0.25 * mass * length * length);
    turn(body, angle);
    return join(JointKind::revolute, -1, body, {x, 0.0, 0.0}, {0.0, 0.0, 1.0});
  }
  static double rod_inertia(double length, double mass) { return mass * length * length / 3.0; }  // about its end

  int join(JointKind kind, int a, int b, Vec3 anchor, Vec3 axis) {
    const std::string name = scene.bodies[static_cast<std::size_t>(b)].name;
    scene.joints.push_back(make_joint(scene, name, kind, a, b, anchor, axis));
    return static_cast<int>(scene.joints.size()) - 1;
  }
  void couple(int joint, int of_joint, double factor, double offset = 0.0) {
    scene.couplings.push_back({"coupling_" + std::to_string(scene.couplings.size()), joint, of_joint, factor, offset});
  }
  ActuatorSpec& drive(int joint, ActuatorKind kind, double target, double limit = 0.0) {
    ActuatorSpec actuator;
    actuator.name = "drive_" + std::to_string(scene.actuators.size());
    actuator.joint = joint;
    actuator.rotary = scene.joints[static_cast<std::size_t>(joint)].kind == JointKind::revolute;
    actuator.kind = kind;
    actuator.target = target;
    actuator.limit = limit;
    scene.actuators.push_back(actuator);
    return scene.actuators.back();
  }
  void ground(double friction) {
    BodySpec body = scenes::ground_body(friction);
    if (scene.spatial) {
      body.form = SpatialBody{};
      body.spatial().parts = {make_half_space("ground", {0.0, 1.0, 0.0}, 0.0)};
    }
    scene.bodies.push_back(body);
  }
  // Moves a body along x where its joint lets it, after the joint was made.
  void shift(int body, double x) {
    BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
    if (scene.spatial) {
      spec.spatial().pose.position.x += x;
    } else {
      spec.planar().pose.x += x;
    }
  }
  void turn(int body, double angle) {
    BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
    if (scene.spatial) {
      spec.spatial().pose.turn = {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)};
    } else {
      spec.planar().pose.theta = angle;
    }
  }
  void set_inertia(int body, double inertia) {
    BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
    if (scene.spatial) {
      spec.spatial().inertia.zz = inertia;
      spec.spatial().inertia.xx = spec.spatial().inertia.yy = inertia;
    } else {
      spec.planar().inertia = inertia;
    }
  }

  SceneSpec scene;
};

// Two pendulums whose turns are geared: that of the first is `ratio` times that of the second.
struct GearedPendulums {
  static constexpr double length_1 = 0.3, mass_1 = 0.4, angle_1 = 0.2;
  static constexpr double length_2 = 0.5, mass_2 = 1.5, angle_2 = 0.9;
  static constexpr double ratio = -1.7, gravity = 9.81;

  static SceneSpec scene(bool spatial) {
    Mechanism m(spatial, gravity);
    const int first = m.pendulum("first", length_1, mass_1, 0.0, angle_1);
    const int second = m.pendulum("second", length_2, mass_2, 2.0, angle_2);
    m.couple(first, second, ratio);
    return m.scene;
  }
  // Acceleration of the second at its turn q from the start.
  static double pull(double q) {
    const double inertia =
        Mechanism::rod_inertia(length_2, mass_2) + ratio * ratio * Mechanism::rod_inertia(length_1, mass_1);
    const double torque = mass_2 * 0.5 * length_2 * std::sin(angle_2 + q) +
                          ratio * mass_1 * 0.5 * length_1 * std::sin(angle_1 + ratio * q);
    return -gravity * torque / inertia;
  }
};

// A gripper above the ground: two jaws, of which one moves as the other does, to the opposite side. One motor closes
// them. The part lies on the ground between them, `off` metres from the middle.
struct CentringGripper {
  static constexpr double jaw_mass = 0.2, part_mass = 0.5, part_width = 0.06, opening = 0.12, speed = 0.02;
  static constexpr double friction = 0.4, gravity = 10.0;
  static constexpr int part = 0, left = 1, right = 2;                     // bodies; the jaws' joints are 0 and 1
  static double to_overcome() { return friction * part_mass * gravity; }  // [N] of friction

  static SceneSpec scene(bool spatial, double off, double force) {
    Mechanism m(spatial, gravity);
    m.box("part", part_width, 0.04, part_mass, off, 0.02);
    constexpr double width = 0.02;
    const double x = 0.5 * (opening + width);
    m.box("left", width, 0.03, jaw_mass, -x, 0.02);
    m.box("right", width, 0.03, jaw_mass, x, 0.02);
    m.join(JointKind::prismatic, -1, left, {-x, 0.02, 0.0}, {1.0, 0.0, 0.0});
    m.join(JointKind::prismatic, -1, right, {x, 0.02, 0.0}, {1.0, 0.0, 0.0});
    m.couple(1, 0, -1.0);
    m.drive(0, ActuatorKind::velocity_servo, speed, force);
    m.ground(0.0);
    m.scene.friction.push_back({part, 3, friction});
    return m.scene;
  }
};

}  // namespace pegrasp::test

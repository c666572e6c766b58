// SPDX-License-Identifier: Apache-2.0
// Small scenes, in 2D and in 3D, that use between them all that a step has: contacts of every kind, friction with
// moments, unions, support points, motors, joints and their limits, bodies that appear.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "pegrasp/parameters.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/joint/coupling_scenes.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/mixed_3d.hpp"
#include "tests/scenes/stack.hpp"
#include "tests/teams/thread_sanitizer.hpp"

namespace pegrasp::test {

struct TimedScene {
  std::string name;
  SceneSpec scene;
  double h, duration;  // [s]
};

// A block on a half-plane, and another that appears in its way, or under the ground, where it must not be felt before.
inline SceneSpec block_and_a_late_one(double y) {
  SceneSpec scene = scenes::block_on_plane(0.3, 0.5);
  BodySpec late = scene.bodies[1];
  late.name = "late";
  late.planar().pose.x = 2.0;
  late.planar().pose.y = y;
  late.planar().velocity = {};
  late.drop_time = y > 0.0 ? 0.2 : 100.0;
  scene.bodies.push_back(late);
  return scene;
}

// A stack whose lowest box is pushed by a force, as motors do, and turned by a servo that is too weak.
inline SceneSpec pushed_stack() {
  SceneSpec scene = scenes::stack(0, 0.5);
  int body = 0;
  while (scene.bodies[static_cast<std::size_t>(body)].kind != BodyKind::dynamic) ++body;
  ActuatorSpec push;
  push.name = "push";
  push.body = body;
  push.target = 2.0;
  ActuatorSpec turn;
  turn.name = "turn";
  turn.body = body;
  turn.kind = ActuatorKind::velocity_servo;
  turn.rotary = true;
  turn.target = 1.0;
  turn.limit = 0.01;
  scene.actuators = {push, turn};
  return scene;
}

// A rod on a hinge with a limit and a motor; another on a rail, one that appears on the way.
inline SceneSpec jointed_rods() {
  SceneSpec scene = planar_rod(0.7);
  scene.joints[0].turn = JointRange{-1.0, 0.9};
  ActuatorSpec motor;
  motor.name = "motor";
  motor.body = 0;
  motor.joint = 0;
  motor.kind = ActuatorKind::velocity_servo;
  motor.rotary = true;
  motor.target = 0.5;
  motor.limit = 2.0;
  scene.actuators.push_back(motor);
  BodySpec slider = scene.bodies[0];
  slider.name = "slider";
  slider.planar().pose = {2.0, 0.0, 0.0};
  slider.planar().velocity = {1.0, 0.0, 0.0};
  slider.drop_time = 0.1;
  scene.bodies.push_back(slider);
  scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, -1, 1, {2.0, 0.0, 0.0}, {1.0, 0.0, 0.0}));
  scene.joints[1].slide = JointRange{-0.1, 0.2};
  return scene;
}

inline std::vector<TimedScene> small_planar_scenes() {
  return {
      {"late", block_and_a_late_one(0.05), 0.01, 0.4},
      {"under the ground", block_and_a_late_one(-0.45), 0.01, 0.4},
      {"pushed stack", pushed_stack(), 0.01, 0.2},
      {"flight", scenes::free_flight({1.0, 2.0, 3.0}), 0.01, 0.3},
      {"rolling", scenes::disc_on_plane(0.1, 1.0, 0.5, {1.0, 0.0, 0.0}), 0.01, 1.0},
      {"sliding", scenes::block_on_plane(0.3, 1.5), 0.01, 1.0},
      {"jammed", scenes::wedge(0.05, 0.01, 0.5), 0.005, 0.3},
      {"squeezed out", scenes::wedge(0.05, 0.02, 0.05), 0.005, 0.1},
      {"collision", scenes::head_on(1.0, 1.0, 2.0, -1.0), 0.01, 0.5},
      {"tripod", scenes::tripod_slider(scenes::regular_tripod(0.04), 0.2, {0.3, 0.1, 2.0}), 0.005, 0.5},
      {"stack", scenes::stack(0, 0.25), 0.01, 0.5},
      {"joints", jointed_rods(), 0.005, 1.0},
  };
}

inline SceneSpec free_top() {
  SceneSpec scene = scenes::scene_3d("top");
  scene.bodies.push_back(scenes::solid_body("top", scenes::cuboid(0.1, 0.2, 0.3), 100.0));
  scene.bodies[0].spatial().velocity = {{1.0, -0.5, 2.0}, {3.0, 0.1, -2.0}};
  return scene;
}

// A cube that is thrown along a floor, and a ball that appears in its way, or in the floor, where it must not be felt
// before. (Where faces meet flat, rounding decides which corners carry.)
inline SceneSpec cube_and_a_late_ball(double z) {
  SceneSpec scene = scenes::scene_3d("late");
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {5.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, 0.3));
  BodySpec cube = scenes::solid_body("cube", scenes::cuboid(0.1, 0.1, 0.1), 100.0);
  cube.friction = 0.3;
  cube.spatial().pose.position.z = 0.1;
  cube.spatial().velocity.velocity = {1.5, 0.2, 0.0};
  scene.bodies.push_back(cube);
  BodySpec ball = scenes::round_solid(make_sphere("ball", {}, 0.1), 100.0);
  ball.friction = 0.3;
  ball.spatial().pose.position = {0.5, 0.0, z};
  ball.drop_time = z > 0.0 ? 0.2 : 100.0;
  scene.bodies.push_back(ball);
  return scene;
}

// A ball that slides, rolls and spins on a half-space, with friction of all kinds: blocks of six rows.
inline SceneSpec ball_with_moments() {
  SceneSpec scene = scenes::scene_3d("ball");
  BodySpec plane;
  plane.form = SpatialBody{};
  plane.name = "plane";
  plane.kind = BodyKind::fixed;
  plane.spatial().parts = {make_half_space("plane", {0.0, 0.0, 1.0}, 0.0)};
  BodySpec ball = scenes::round_solid(make_sphere("ball", {}, 0.1), 100.0);
  ball.spatial().pose.position.z = 0.1;
  ball.spatial().velocity = {{1.0, 0.3, 0.0}, {2.0, -4.0, 15.0}};
  scene.bodies = {plane, ball};
  scene.friction.push_back({0, 1, 0.3, 0.01, 0.02});
  return scene;
}

inline SceneSpec rod_against_a_limit() {
  SceneSpec scene = hanging_rod(0.7, JointKind::revolute);
  scene.joints[0].turn = JointRange{-0.3, 2.0};
  return scene;
}

inline SceneSpec rod_that_appears() {
  SceneSpec scene = hanging_rod(0.7, JointKind::spherical);
  scene.bodies[0].drop_time = 0.1;
  return scene;
}

// Unions of two cuboids, one falls over the other: pairs that internal edges keep apart.
inline SceneSpec two_angles() {
  SceneSpec scene = scenes::scene_3d("angles");
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {5.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, 0.3));
  for (int i = 0; i < 2; ++i) {
    BodySpec angle = scenes::solid_body("angle" + std::to_string(i), scenes::cuboid(0.2, 0.06, 0.06), 100.0);
    angle.spatial().parts.push_back({"leg", moved(scenes::cuboid(0.06, 0.06, 0.1), {{-0.14, 0.0, 0.16}, {}})});
    angle.spatial().pose.position = {0.07 * i, 0.01 * i, 0.061 + 0.3 * i};
    angle.spatial().pose.turn = {std::cos(0.2 * i), std::sin(0.2 * i), 0.0, 0.0};
    angle.friction = 0.3;
    scene.bodies.push_back(angle);
  }
  return scene;
}

inline std::vector<TimedScene> small_spatial_scenes() {
  return {
      {"top", free_top(), 0.01, 1.0},
      {"late", cube_and_a_late_ball(0.1), 0.01, 0.6},
      {"in the floor", cube_and_a_late_ball(-0.3), 0.01, 0.4},
      {"moments", ball_with_moments(), 0.005, 1.0},
      {"pendulum", hanging_rod(0.7, JointKind::revolute), 0.005, 1.0},
      {"spherical", hanging_rod(0.7, JointKind::spherical), 0.005, 1.0},
      {"fixed", hanging_rod(0.7, JointKind::fixed), 0.005, 0.2},
      {"limit", rod_against_a_limit(), 0.005, 1.0},
      {"cone", leaning_rod(0.3, 1.0, 5.0), 0.005, 1.0},
      {"ball motor", held_by_a_ball_motor(), 0.005, 1.0},
      {"appears", rod_that_appears(), 0.005, 0.5},
      {"motor", scenes::mixed_3d(1), 0.005, 0.3},
      {"stack", scenes::stack_3d(3, 0.3), 0.01, 0.3},
      {"unions", two_angles(), 0.005, 0.3},
      {"coupled", CentringGripper::scene(true, 0.025, 4.0), 0.005, 0.6},
  };
}

// Options of the batched strategy, its solver cut off early: what matters is the order of work, not its end.
inline StepOptions cut_off_batched_options(const SceneSpec& scene, double h, double duration,
                                           ContactModel contact = ContactModel::peg) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.contact = contact;
  options.solver = SolverKind::aj;
  options.strategy = Strategy::batched;
  options = derive_options(options, scene);
  options.max_iterations = PEGRASP_THREAD_SANITIZER ? 30 : 200;
  if (PEGRASP_THREAD_SANITIZER) options.max_substep_level = 1;
  return options;
}

// `count` scenes of one model, each a little different; `body` is where they differ.
inline std::vector<double> nudged(const SceneSpec& scene, int body, int count) {
  const std::vector<double> base = scene_parameters(scene);
  const auto at = static_cast<std::size_t>(parameter_layout(scene).velocity(body));
  std::vector<double> parameters;
  for (int i = 0; i < count; ++i) {
    parameters.insert(parameters.end(), base.begin(), base.end());
    parameters[base.size() * static_cast<std::size_t>(i) + at] += 0.05 * i;
  }
  return parameters;
}

}  // namespace pegrasp::test

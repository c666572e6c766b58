// SPDX-License-Identifier: Apache-2.0
// Pads that give, and grippers from a few numbers, against formulas.
#include "pegrasp/gripper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "pegrasp/problem.hpp"
#include "src/geometry/placement.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/lift_trials.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

constexpr double pi = 3.14159265358979323846;

// A block of size a x b x c of modulus E is a spring of E b c / a along x, and of E (b c^3 / 12) / a about y.
TEST(Pads, RubberHasTheStiffnessOfABlock) {
  const PadSpec pad = rubber_pad({0.005, 0.02, 0.03}, {}, {2e6, 1000.0, 0.01});
  EXPECT_NEAR(pad.stiffness, 2e6 * 0.02 * 0.03 / 0.005, 1e-6);
  EXPECT_NEAR(pad.tilt_stiffness[0], 2e6 * 0.02 * 0.03 * 0.03 * 0.03 / 12.0 / 0.005, 1e-12);
  EXPECT_NEAR(pad.tilt_stiffness[1], 2e6 * 0.03 * 0.02 * 0.02 * 0.02 / 12.0 / 0.005, 1e-12);
  EXPECT_NEAR(pad.damping, 0.01 * pad.stiffness, 1e-9);
  EXPECT_NEAR(pad.tilt_damping[1], 0.01 * pad.tilt_stiffness[1], 1e-12);
  EXPECT_NEAR(pad.mass, 1000.0 * 0.005 * 0.02 * 0.03, 1e-15);
  EXPECT_NEAR(pad.travel, 0.0015, 1e-15);
}

// Gent's formula, in MPa.
TEST(Pads, PresetsFollowFromTheirHardness) {
  const auto gent = [](double shore) {
    return 0.0981 * (56.0 + 7.62336 * shore) / (0.137505 * (254.0 - 2.54 * shore));
  };
  EXPECT_NEAR(hard_rubber.modulus / 1e6, gent(70.0), 0.05);
  EXPECT_NEAR(soft_rubber.modulus / 1e6, gent(30.0), 0.05);
}

// A pad on a wall that is pressed by a ball on a rail, `off` metres above the middle.
struct PressedPad {
  SceneSpec scene;
  int touches = 0, pad_press = 0, tilt_y = 0, tilt_z = 0;
  static constexpr double radius = 0.01, gap = 1e-4;

  PressedPad(double stiffness, double tilt_stiffness, double travel, double force, Vec3 off,
             const SpatialPose& wall_pose) {
    scene = scenes::scene_3d("pad");
    scene.gravity_z = 0.0;
    BodySpec wall = scenes::fixed_cuboid("wall", {0.005, 0.03, 0.03}, {}, 0.0);
    wall.spatial().pose = wall_pose;
    scene.bodies.push_back(wall);
    PadSpec pad = rubber_pad({0.01, 0.04, 0.04}, {{0.005, 0.0, 0.0}, {}}, soft_rubber);
    pad.stiffness = stiffness;
    pad.damping = 0.02 * stiffness;
    pad.tilt_stiffness = {tilt_stiffness, 2.0 * tilt_stiffness};
    pad.tilt_damping = {0.02 * tilt_stiffness, 0.04 * tilt_stiffness};
    pad.travel = travel;
    touches = add_pad(scene, 0, "pad", pad);
    BodySpec ball;
    ball.name = "ball";
    ball.form = SpatialBody{};
    ball.mass = 0.1;
    ball.spatial().inertia = {4e-6, 4e-6, 4e-6, 0.0, 0.0, 0.0};
    ball.spatial().parts = {make_sphere("ball", {}, radius)};
    ball.spatial().pose.position = transformed(wall_pose, Vec3{0.015 + radius + gap, off.y, off.z});
    scene.bodies.push_back(ball);
    const int body = static_cast<int>(scene.bodies.size()) - 1;
    scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, -1, body, ball.spatial().pose.position,
                                      turned(wall_pose.turn, {1.0, 0.0, 0.0})));
    ActuatorSpec push;
    push.name = "push";
    push.joint = static_cast<int>(scene.joints.size()) - 1;
    push.target = -force;
    scene.actuators.push_back(push);
    for (int k = 0; k < static_cast<int>(scene.joints.size()); ++k) {
      const std::string& name = scene.joints[static_cast<std::size_t>(k)].name;
      if (name == "pad_press") pad_press = k;
      if (name == "pad_tilt_y") tilt_y = k;
      if (name == "pad_tilt_z") tilt_z = k;
    }
  }
};

// It moves back by F / K, and tilts by F a / K about each axis, whichever way the wall stands.
TEST(Pads, GiveByForceOverStiffness) {
  constexpr double stiffness = 2e4, tilt = 8.0, force = 10.0;
  for (const SpatialPose& wall : {SpatialPose{}, SpatialPose{{1.0, 2.0, 3.0}, turn_by({0.4, -1.0, 2.0})}}) {
    const PressedPad it(stiffness, tilt, 0.003, force, {0.0, 0.004, 0.008}, wall);
    Simulation simulation = test::simulate(it.scene, 0.002, 1.5);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.joint_slide(it.pad_press), -force / stiffness, 1e-6);
    // about y the force along -x above the middle turns the pad's upper edge back: from z to -x
    EXPECT_NEAR(simulation.joint_turn(it.tilt_y), -force * 0.008 / tilt, 4e-4);
    EXPECT_NEAR(simulation.joint_turn(it.tilt_z), force * 0.004 / (2.0 * tilt), 2e-4);
  }
}

// No farther than its travel.
TEST(Pads, StopAtTheirTravel) {
  const PressedPad it(2000.0, 8.0, 0.002, 10.0, {}, {});
  Simulation simulation = test::simulate(it.scene, 0.002, 1.0);
  simulation.run();
  EXPECT_NEAR(simulation.joint_slide(it.pad_press), -0.002, 1e-6);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

TEST(Pads, ThatAreNoneAreRefused) {
  SceneSpec scene = scenes::scene_3d("pad");
  scene.bodies.push_back(scenes::fixed_cuboid("wall", {0.005, 0.03, 0.03}, {}, 0.0));
  const auto refusal = [&](const PadSpec& pad, int body = 0) {
    try {
      add_pad(scene, body, "pad", pad);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const PadSpec fine = rubber_pad({0.01, 0.04, 0.04}, {}, soft_rubber);
  PadSpec pad = fine;
  pad.travel = 0.02;
  EXPECT_EQ(refusal(pad), "pad \"pad\": its travel must be above 0 and at most its thickness");
  pad = fine;
  pad.tilt_stiffness[1] = 0.0;
  EXPECT_NE(refusal(pad).find("about two axes"), std::string::npos);
  EXPECT_NE(refusal(fine, 7).find("names no body"), std::string::npos);
  for (PadSpec shelled : {fine, PadSpec{{0.01, 0.04, 0.04}, {}}}) {
    shelled.shell = CompliantShell{0.011, 1e4, 0.0, 0.0, 0.0};
    EXPECT_EQ(refusal(shelled), "pad \"pad\": its shell is thicker than itself; give a thinner shell or a thicker pad");
  }
  EXPECT_EQ(refusal(fine), "");
  EXPECT_EQ(refusal(fine), "the scene has a body \"pad_slider\" already; give it another name");
}

// A box in the way of the fingers of a gripper from above.
SceneSpec grasped(const ParallelJaw& gripper, double x, ParallelJawParts& parts) {
  SceneSpec scene = scenes::scene_3d("grasp");
  scene.bodies.push_back(scenes::fixed_cuboid("table", {0.2, 0.2, 0.05}, {0.0, 0.0, -0.05}, 0.3));
  BodySpec box = scenes::solid_body("box", scenes::cuboid(0.02, 0.02, 0.02), 500.0);
  box.spatial().pose.position = {x, 0.0, 0.02};
  box.friction = 0.3;
  scene.bodies.push_back(box);
  parts = add_parallel_jaw(scene, gripper);
  return scene;
}

ParallelJaw plain_gripper() {
  ParallelJaw g;
  g.pose.position = {0.0, 0.0, 0.02};
  g.opening = 0.08;
  g.finger = {0.01, 0.02, 0.06};
  g.force = 15.0;
  g.approach = 0.05;
  g.lift = 0.03;
  g.friction = 1.2;
  return g;
}

// It comes, centres the box, presses it with the force that was asked for, and lifts it.
TEST(ParallelJaws, CentreAndLiftABox) {
  for (const int kind : {0, 1, 2}) {  // bare fingers, rigid pads, rubber
    SCOPED_TRACE(kind);
    ParallelJaw g = plain_gripper();
    PadSpec rigid;
    rigid.size = {0.004, 0.02, 0.02};
    if (kind == 1) g.pad = rigid;
    if (kind == 2) g.pad = rubber_pad(rigid.size, {}, hard_rubber);
    ParallelJawParts parts;
    const SceneSpec scene = grasped(g, 0.007, parts);
    EXPECT_EQ(scene.bodies[static_cast<std::size_t>(parts.palm)].name, "gripper");
    EXPECT_EQ(parts.left_touch == parts.left, kind != 2);
    EXPECT_NEAR(parts.closes, 0.5, 1e-12);
    EXPECT_NEAR(parts.lifts, 0.5 + 0.8 + 0.2, 1e-12);
    Simulation simulation = test::simulate(scene, 0.005, 2.2);
    simulation.watch_contacts();
    double pressed = 0.0;
    while (simulation.step()) {
      EXPECT_NEAR(simulation.joint_slide(parts.left_slide), simulation.joint_slide(parts.right_slide), 1e-6);
      if (std::fabs(simulation.time() - 0.5) < 1e-6) {
        EXPECT_NEAR(simulation.joint_slide(parts.left_slide), 0.0, 1e-6);
        EXPECT_NEAR(simulation.spatial_pose(parts.palm).position.z, 0.02, 1e-9);
      }
      if (std::fabs(simulation.time() - 1.45) > 1e-6) continue;
      for (const ContactReport& contact : simulation.contents().step_contacts) {
        if (std::fabs(contact.normal.x) > 0.5) pressed += contact.normal_impulse / contact.duration;
      }
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(pressed, 2.0 * g.force, 0.02);
    const Vec3 box = simulation.spatial_pose(1).position;
    EXPECT_NEAR(box.x, 0.0, kind == 2 ? 1e-3 : 1e-4);
    EXPECT_NEAR(box.z, 0.02 + g.lift, 1e-3);
  }
}

// The shell of a pad sinks in by F / K with the four springs of its corners, before the springs of the pad itself.
TEST(ParallelJaws, PressShellsOfPadsByForceOverStiffness) {
  for (const bool rubber : {false, true}) {
    ParallelJaw g = plain_gripper();
    PadSpec pad;
    pad.size = {0.004, 0.02, 0.02};
    if (rubber) pad = rubber_pad(pad.size, {}, hard_rubber);
    constexpr double corner = 1e4;
    pad.shell = CompliantShell{0.002, corner, 20.0, 0.0, 0.0};
    g.pad = pad;
    g.lift = 0.0;
    ParallelJawParts parts;
    const SceneSpec scene = grasped(g, 0.0, parts);
    Simulation simulation = test::simulate(scene, 0.002, 2.0);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    const double gives = g.force / (4.0 * corner) + (rubber ? g.force / pad.stiffness : 0.0);
    EXPECT_NEAR(simulation.joint_slide(parts.left_slide), 0.02 + gives, 1e-6);
  }
}

// Turned about x by a quarter, it comes and closes along other axes.
TEST(ParallelJaws, StandWhereTheirPoseSays) {
  ParallelJaw g = plain_gripper();
  g.pose = {{0.1, 0.2, 0.3}, turn_by({0.5 * pi, 0.0, 0.0})};  // z of the gripper is -y of the world
  ParallelJawParts parts;
  const SceneSpec scene = grasped(g, 0.5, parts);
  const Vec3 start = scene.bodies[static_cast<std::size_t>(parts.palm)].spatial().pose.position;
  EXPECT_NEAR(length(start - Vec3{0.1, 0.15, 0.3}), 0.0, 1e-12);
  Simulation simulation = test::simulate(scene, 0.01, 1.4);
  simulation.run();
  const Vec3 left = simulation.spatial_pose(parts.left).position;
  const Vec3 right = simulation.spatial_pose(parts.right).position;
  EXPECT_NEAR(length(left - Vec3{0.1, 0.2, 0.3}), 0.0, 1e-5) << "closed on nothing";
  EXPECT_NEAR(length(right - left), 0.0, 1e-5);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// The example of docs/how-to/choose-pads.md: soft pads lose the end of a bar that rigid ones hold, and hold it where
// they reach farther over it.
TEST(PadsLong, LoseARimWhereTheyGive) {
  const auto successes = [](const std::string& preset, int cell) {
    const Problem problem =
        load_problem(test::source_file("examples/pads/rim.toml"), {{"gripper.pad.preset", "\"" + preset + "\""}});
    const std::vector<double> base = scene_parameters(problem.scene);
    std::vector<double> values(sampled_columns(problem).size()), row(base.size()), parameters;
    for (int sample = 0; sample < 4; ++sample) {
      draw_sample(problem, base, cell, sample, row, values);
      parameters.insert(parameters.end(), row.begin(), row.end());
    }
    int count = 0;
    for (const SceneOutcome& outcome :
         test::run_batch(problem.scene, problem.options, Arithmetic::strict, 2, parameters).outcomes) {
      EXPECT_EQ(outcome.status, status_ok);
      count += outcome.success;
    }
    return count;
  };
  constexpr int wide = 2, narrow = 9;  // overlaps of 10 mm and of 3 mm
  EXPECT_EQ(successes("soft_rubber", wide), 4);
  EXPECT_EQ(successes("soft_rubber", narrow), 0);
  EXPECT_EQ(successes("rigid", narrow), 4);
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Bodies that follow their prescribed motion as far as a force takes them: what they press with, where they are, and
// how they catch up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/runs.hpp"
#include "tests/scenes/followers.hpp"

namespace pegrasp {
namespace {

struct FollowWay {
  const char* name;
  bool spatial;
  Strategy strategy;
};

class Followers : public testing::TestWithParam<FollowWay> {
 protected:
  static bool spatial() { return GetParam().spatial; }
  static Simulation started(const SceneSpec& scene, double h, double duration) {
    StepOptions options = test::steps_of(h, duration);
    options.strategy = GetParam().strategy;
    Simulation simulation = test::simulate(scene, options);
    simulation.watch_contacts();
    return simulation;
  }
  static double x(const Simulation& simulation, int body) {
    return spatial() ? simulation.spatial_pose(body).position.x : simulation.pose(body).x;
  }
  static double height(const Simulation& simulation, int body) {
    return spatial() ? simulation.spatial_pose(body).position.z : simulation.pose(body).y;
  }
  // Sum of the normal forces of the last step between two bodies [N].
  static double force(const Simulation& simulation, int a, int b) {
    double sum = 0.0;
    for (const ContactReport& contact : simulation.contents().contacts) {
      if (std::minmax(contact.body_a, contact.body_b) != std::minmax(a, b)) continue;
      sum += contact.normal_impulse / contact.duration;
    }
    return sum;
  }
};

// A follower is off its motion by what the solver leaves of its speed, over a step.
constexpr double exact = 1e-8;  // [m]

TEST_P(Followers, WithoutResistanceAreWhereTheirKeyframesAre) {
  SceneSpec scene = scenes::closing_jaws(spatial());
  scene.ignored_pairs = {{0, 1}, {0, 2}};
  for (const int jaw : {1, 2}) limit_force(scene, jaw, {1.0});
  Simulation simulation = started(scene, 0.003, 0.2);
  while (simulation.step()) {
    const double share = std::min(1.0, simulation.time() / 0.1);
    const double at = 0.035 + share * (0.03 - 0.5e-6 - 0.035);
    EXPECT_NEAR(x(simulation, 1), -at, exact) << simulation.time();
    EXPECT_NEAR(x(simulation, 2), at, exact) << simulation.time();
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

TEST_P(Followers, JawsThatAreTooNarrowPressWithTheirForce) {
  for (const double narrower : {1e-6, 2e-3}) {
    SCOPED_TRACE(narrower);
    SceneSpec scene = scenes::closing_jaws(spatial(), {.narrower = narrower});
    for (const int jaw : {1, 2}) limit_force(scene, jaw, {5.0});
    Simulation simulation = started(scene, 0.005, 0.2);
    while (simulation.step()) EXPECT_EQ(simulation.last_status(), std::uint32_t{status_ok}) << simulation.time();
    EXPECT_NEAR(x(simulation, 1), -0.03, 1e-8);
    EXPECT_NEAR(x(simulation, 2), 0.03, 1e-8);
    EXPECT_NEAR(force(simulation, 0, 1), 5.0, 1e-6);
    EXPECT_NEAR(force(simulation, 0, 2), 5.0, 1e-6);
  }
}

// Tilted jaws wedge the part, and friction keeps it between them: without a limit no motion obeys that. Each jaw gives
// F along its way, of which the face of the part takes F cos(tilt) along its normal.
TEST_P(Followers, TiltedJawsGripWhatFrictionHolds) {
  const double tilt = 0.05;
  SceneSpec scene = scenes::closing_jaws(spatial(), {.narrower = 1e-3, .tilt = tilt});
  for (const int jaw : {1, 2}) limit_force(scene, jaw, {5.0});
  Simulation simulation = started(scene, 0.005, 0.2);
  while (simulation.step()) EXPECT_EQ(simulation.last_status(), std::uint32_t{status_ok}) << simulation.time();
  EXPECT_NEAR(force(simulation, 0, 1), 5.0 * std::cos(tilt), 1e-4);
  EXPECT_NEAR(force(simulation, 0, 2), 5.0 * std::cos(tilt), 1e-4);
}

TEST_P(Followers, AHandThatIsToLandInABoxPressesOnIt) {
  SceneSpec scene = scenes::landing_hand(spatial(), 1e-3);
  limit_force(scene, 2, {3.0});
  Simulation simulation = started(scene, 0.005, 0.2);
  while (simulation.step()) EXPECT_EQ(simulation.last_status(), std::uint32_t{status_ok}) << simulation.time();
  EXPECT_NEAR(height(simulation, 2), 0.03, 1e-8);
  EXPECT_NEAR(force(simulation, 0, 2), 3.0, 1e-6);
  EXPECT_NEAR(force(simulation, 0, 1), 3.0 + scenes::standard_gravity * scene.bodies[0].mass, 1e-5);
}

// The motor's own report says the same as the contact's.
TEST_P(Followers, ReportTheForceOfTheirMotors) {
  SceneSpec scene = scenes::landing_hand(spatial(), 1e-3);
  limit_force(scene, 2, {3.0});
  Simulation simulation = started(scene, 0.005, 0.2);
  simulation.run();
  double along = 0.0;
  for (const LoadReport& load : simulation.contents().loads) {
    const std::string& name = scene.actuators[static_cast<std::size_t>(load.index)].name;
    if (load.kind == RowKind::motor && name == "hand.along") {
      along = (spatial() ? load.impulse.z : load.impulse.y) / load.duration;
    }
  }
  EXPECT_NEAR(along, -3.0, 1e-6);
}

// Friction gives way to mu m g = 0.49 N: below that the block stays, above it goes with the pusher.
TEST_P(Followers, ABlockMovesIfTheForceBeatsItsFriction) {
  const double holds = 0.5 * 0.1 * scenes::standard_gravity;
  SceneSpec weak = scenes::pushed_block(spatial(), {0.98 * holds});
  Simulation stays = started(weak, 0.005, 0.5);
  stays.run();
  EXPECT_EQ(stays.outcome().status, status_ok);
  EXPECT_NEAR(x(stays, 0), 0.0, 1e-7);
  EXPECT_NEAR(x(stays, 2), -0.03, 1e-7);
  EXPECT_NEAR(force(stays, 0, 2), 0.98 * holds, 1e-6);

  SceneSpec strong = scenes::pushed_block(spatial(), {1.02 * holds});
  Simulation goes = started(strong, 0.005, 0.5);
  goes.run();
  EXPECT_EQ(goes.outcome().status, status_ok);
  EXPECT_GT(x(goes, 0), 1e-3);
  EXPECT_LE(x(goes, 2), 0.02 * 0.5 - 0.032 + 1e-9);
  EXPECT_LE(force(goes, 0, 2), 1.02 * holds + 1e-6);

  // With ten times the force it is where its keyframes are all the time.
  Simulation with = started(scenes::pushed_block(spatial(), {10.0 * holds}), 0.005, 0.5);
  with.run();
  EXPECT_NEAR(x(with, 2), 0.02 * 0.5 - 0.032, 1e-9);
  EXPECT_NEAR(x(with, 0), 0.02 * 0.5 - 0.002, 1e-6);
  EXPECT_NEAR(force(with, 0, 2), holds, 1e-4);
}

// Two jaws hold mu F each, 2 mu F in all, against a weight of 0.98 N; the start of the lift asks for 2.5 N.
TEST_P(Followers, JawsLiftWhatTheirForceHolds) {
  const double mass = GetParam().strategy == Strategy::batched ? 0.2 : 0.0;  // its solver is slow with light bodies
  Simulation holds = started(scenes::lifting_jaws(spatial(), {.force = 5.0, .mass = mass}), 0.005, 0.7);
  while (holds.step()) EXPECT_EQ(holds.last_status(), std::uint32_t{status_ok}) << holds.time();
  EXPECT_NEAR(height(holds, 0), 0.03, 1e-5);
  EXPECT_NEAR(height(holds, 2), 0.03, exact);
  EXPECT_NEAR(force(holds, 0, 2), 5.0, 1e-3);
  Simulation slips = started(scenes::lifting_jaws(spatial(), {.force = 0.9, .mass = mass}), 0.005, 0.7);
  while (slips.step()) EXPECT_EQ(slips.last_status(), std::uint32_t{status_ok}) << slips.time();
  EXPECT_NEAR(height(slips, 0), 0.0, 1e-6);
  EXPECT_NEAR(height(slips, 2), 0.03, exact);
}

// Pushed back by 2 mm and let go, a body of 1 kg under 5 N catches up: the force speeds it up, and half of it slows it
// down, so that it does not overshoot. Its kinetic energy is never more than the force times the way.
TEST_P(Followers, CatchUpWithoutOvershooting) {
  for (const double mass : {0.005, 1.0}) {
    SCOPED_TRACE(mass);
    Simulation simulation = started(scenes::pushed_back(spatial(), {.force = 5.0, .mass = mass}), 0.002, 0.4);
    double farthest = 0.0, highest = -1.0;
    while (simulation.step()) {
      farthest = std::min(farthest, x(simulation, 0));
      highest = std::max(highest, x(simulation, 0));
      if (simulation.time() > 0.101) {  // let go: at the speed of the piston at most, and with what the force gives
        EXPECT_LT(simulation.energy().kinetic, 0.5 * mass * 0.03 * 0.03 + 5.0 * -farthest) << simulation.time();
      }
      if (std::abs(simulation.time() - 0.05) < 1e-9) {
        EXPECT_NEAR(force(simulation, 0, 1), 5.0, 1e-3);
      }
      if (mass < 1.0 && simulation.time() > 0.112) {
        EXPECT_NEAR(x(simulation, 0), 0.0, exact) << simulation.time();
      }
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(farthest, -0.002, mass < 1.0 ? 1e-7 : 1e-4);
    EXPECT_LT(highest, exact);
    EXPECT_NEAR(x(simulation, 0), 0.0, exact);
  }
}

// What moves them carries them, so that all of the force is left for others.
TEST_P(Followers, HaveNoWeight) {
  SceneSpec scene = scenes::landing_hand(spatial(), -4e-3);  // 4 mm above the box in the end
  limit_force(scene, 2, {.force = 0.5, .mass = 1.0});
  Simulation simulation = started(scene, 0.005, 0.4);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_NEAR(height(simulation, 2), 0.034, exact);
}

// A bar that is turned against a post presses it with T / r.
TEST_P(Followers, TurnWithTheirTorque) {
  SceneSpec scene = scenes::turned_bar(spatial(), {.force = 50.0, .torque = 0.2});
  Simulation simulation = started(scene, 0.005, 0.6);
  while (simulation.step()) {
    EXPECT_EQ(simulation.last_status(), std::uint32_t{status_ok}) << simulation.time();
    if (simulation.time() < 0.03) {
      const double turn = spatial() ? 2.0 * std::asin(simulation.spatial_pose(0).turn.z) : simulation.pose(0).theta;
      EXPECT_NEAR(turn, simulation.time(), 1e-9);
    }
  }
  double moment = 0.0;
  for (const ContactReport& contact : simulation.contents().contacts) {
    moment += (contact.body_a == 0 ? contact.turn_a : contact.turn_b).z / contact.duration;
  }
  EXPECT_NEAR(moment, -0.2, 1e-6);
}

// The force counts along the way, whichever way that is.
TEST_P(Followers, PressAlongTheirWay) {
  SceneSpec scene = scenes::empty_scene(spatial(), false);
  const double angle = 0.5;
  const Vec3 way{std::cos(angle), std::sin(angle), 0.0};
  const Vec3 half{0.01, 0.01, 0.01};
  const auto turned = [&](BodySpec body) {
    if (spatial()) {
      body.spatial().pose.turn = {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)};
      for (SpatialKeyframe& key : body.spatial().motion) key.pose.turn = body.spatial().pose.turn;
    } else {
      body.planar().pose.theta = angle;
      for (Keyframe& key : body.planar().motion) key.pose.theta = angle;
    }
    return body;
  };
  const auto at = [&](double d) { return Vec3{d * way.x, d * way.y, 0.0}; };
  BodySpec wall = turned(scenes::placed_box(spatial(), "wall", {0.01, 0.05, 0.05}, at(0.03), 1.0));
  wall.kind = BodyKind::fixed;
  scene.bodies = {turned(scenes::moved_box(spatial(), "jaw", half, {0.0, 0.1}, {at(0.0), at(0.02)})), wall};
  limit_force(scene, 0, {2.0});
  Simulation simulation = started(scene, 0.005, 0.2);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_NEAR(force(simulation, 0, 1), 2.0, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Ways, Followers,
                         testing::Values(FollowWay{"planar", false, Strategy::per_scene},
                                         FollowWay{"planar_batched", false, Strategy::batched},
                                         FollowWay{"spatial", true, Strategy::per_scene},
                                         FollowWay{"spatial_batched", true, Strategy::batched}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FollowLimit, IsForBodiesWithPrescribedMotionAndPositive) {
  SceneSpec scene = scenes::closing_jaws(false);
  EXPECT_THROW(limit_force(scene, 0, {5.0}), std::invalid_argument);
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(limit_force(scene, 1, {bad}), std::invalid_argument) << bad;
  }
  EXPECT_THROW(limit_force(scene, 1, {.force = 5.0, .torque = -1.0}), std::invalid_argument);
  EXPECT_THROW(limit_force(scene, 1, {.force = 5.0, .mass = HUGE_VAL}), std::invalid_argument);
  EXPECT_FALSE(follows_keyframes(scene, 1));
  scene.bodies[1].planar().parts.push_back(make_half_plane("wall", {1.0, 0.0}, 0.0));
  EXPECT_THROW(limit_force(scene, 1, {5.0}), std::invalid_argument);
  scene.bodies[1].planar().parts.pop_back();
  limit_force(scene, 1, {5.0});
  EXPECT_TRUE(follows_keyframes(scene, 1));
  EXPECT_FALSE(follows_keyframes(scene, 2));
  EXPECT_THROW(limit_force(scene, 1, {5.0}), std::invalid_argument);
}

// A body drawn off its frame has its inertia about the frame, which its keyframes move.
TEST(FollowLimit, MassAndInertiaFollowFromTheForceAndTheParts) {
  SceneSpec scene = scenes::closing_jaws(true);
  SolidPart& part = scene.bodies[1].spatial().parts[0];
  for (Vec3& v : part.shape.vertices) v.x += 0.1;
  part.shape = make_polyhedron(part.shape.vertices);
  limit_force(scene, 1, {5.0});
  EXPECT_NEAR(scene.bodies[1].mass, 5e-3, 1e-15);
  const InertiaTensor& i = scene.bodies[1].spatial().inertia;
  EXPECT_NEAR(i.xx, 5e-3 * (0.06 * 0.06 + 0.06 * 0.06) / 12.0, 1e-15);
  EXPECT_NEAR(i.yy, 5e-3 * ((0.02 * 0.02 + 0.06 * 0.06) / 12.0 + 0.01), 1e-12);
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Forces of scenes that can be worked out on paper: reports, predicates and measures, in 2D and in 3D, on both
// strategies.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/joint/scenes.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/lift_3d.hpp"

namespace pegrasp {
namespace {

constexpr double g = scenes::standard_gravity;
constexpr int ground = 0, block = 1;

// A block of 2 kg on level ground, in both dimensions.
SceneSpec block_on_ground(bool spatial, double friction, double speed) {
  if (!spatial) return scenes::block_on_plane(friction, speed);
  SceneSpec scene = scenes::scene_3d("block");
  scene.bodies.push_back(scenes::fixed_cuboid("ground", {5.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, friction));
  BodySpec box = scenes::solid_body("block", scenes::cuboid(0.2, 0.2, 0.05), 1.0);
  const double factor = 2.0 / box.mass;
  box.mass = 2.0;
  InertiaTensor& i = box.spatial().inertia;
  for (double* x : {&i.xx, &i.xy, &i.xz, &i.yy, &i.yz, &i.zz}) *x *= factor;
  box.friction = friction;
  box.spatial().pose.position.z = 0.05;
  box.spatial().velocity.velocity.x = speed;
  scene.bodies.push_back(box);
  return scene;
}

class Forces : public testing::TestWithParam<std::tuple<bool, Strategy>> {
 protected:
  bool spatial() const { return std::get<0>(GetParam()); }
  StepOptions options(double h, double duration) const {
    StepOptions out = test::steps_of(h, duration);
    out.strategy = std::get<1>(GetParam());
    return out;
  }
  static Vec3 on_block(const Simulation& s) { return s.contents().bodies[block].contact_impulse; }
  double up(Vec3 v) const { return spatial() ? v.z : v.y; }
};

TEST_P(Forces, ASlidingBlockIsHeldBackByFriction) {
  constexpr double h = 0.005, mu = 0.3;
  Simulation simulation = test::simulate(block_on_ground(spatial(), mu, 2.0), options(h, 0.4));
  simulation.watch_contacts();
  while (simulation.step()) {
    if (simulation.time() < 2.5 * h) continue;
    EXPECT_NEAR(up(on_block(simulation)), 2.0 * g * h, 1e-5);
    EXPECT_NEAR(on_block(simulation).x, -mu * 2.0 * g * h, 1e-5);
    EXPECT_NEAR(simulation.contents().bodies[ground].contact_impulse.x, mu * 2.0 * g * h, 1e-5);
    EXPECT_NEAR(simulation.contents().bodies[block].normal_impulse, 2.0 * g * h, 1e-5);
    double carried = 0.0;
    for (const ContactReport& c : simulation.contents().step_contacts) {
      carried += c.normal_impulse;
      if (c.state == ContactState::none) continue;
      EXPECT_EQ(c.state, ContactState::slide);
      EXPECT_NEAR(c.margin, 0.0, 1e-5);
      EXPECT_NEAR(c.slip.x, 2.0 - mu * g * simulation.time(), mu * g * h + 1e-6);
      EXPECT_NEAR(up(c.normal), 1.0, 1e-9) << "from the ground, the first body, to the block";
    }
    EXPECT_NEAR(carried, 2.0 * g * h, 1e-5);
  }
}

TEST_P(Forces, ABlockThatLiesSticks) {
  Simulation simulation = test::simulate(block_on_ground(spatial(), 0.5, 0.0), options(0.005, 0.1));
  simulation.watch_contacts();
  simulation.run();
  int carrying = 0;
  for (const ContactReport& c : simulation.contents().step_contacts) {
    if (c.state == ContactState::none) continue;
    ++carrying;
    EXPECT_EQ(c.state, ContactState::stick);
    EXPECT_GT(c.margin, 0.99);
  }
  EXPECT_GT(carrying, 0);
}

Predicate touching(int body, int other, double duration) {
  Predicate p;
  p.kind = PredicateKind::touching;
  p.body = body;
  p.body_b = other;
  p.duration = duration;
  return p;
}

Predicate force(int body, int other, double low, double high) {
  Predicate p;
  p.kind = PredicateKind::contact_force;
  p.body = body;
  p.body_b = other;
  p.value = low;
  p.most = high;
  return p;
}

Predicate throughout(Predicate p, double since) {
  p.count = 1;
  p.since = since;
  return p;
}

TEST_P(Forces, PredicatesOfALyingBlock) {
  SceneSpec scene = block_on_ground(spatial(), 0.5, 0.0);
  scene.bodies.push_back(scene.bodies[block]);  // another, far off
  (spatial() ? scene.bodies[2].spatial().pose.position.x : scene.bodies[2].planar().pose.x) = 2.0;
  const auto holds = [&](const Predicate& p) {
    scene.success = {p};
    Simulation simulation = test::simulate(scene, options(0.005, 0.5));
    EXPECT_EQ(simulation.outcome().success, 0) << "before the first step nothing is known";
    simulation.run();
    return simulation.outcome().success == 1;
  };
  EXPECT_TRUE(holds(touching(block, ground, 0.0)));
  EXPECT_TRUE(holds(touching(ground, block, 0.0)));
  EXPECT_TRUE(holds(touching(block, -1, 0.45)));
  EXPECT_FALSE(holds(touching(block, -1, 0.55)));
  EXPECT_FALSE(holds(touching(block, 2, 0.0)));
  const double weight = 2.0 * g;
  EXPECT_TRUE(holds(force(block, ground, weight - 0.1, weight + 0.1)));
  EXPECT_FALSE(holds(force(block, ground, weight + 0.1, 1e300)));
  EXPECT_FALSE(holds(force(block, ground, 0.0, weight - 0.1)));
  EXPECT_TRUE(holds(force(ground, -1, 2.0 * weight - 0.1, 2.0 * weight + 0.1))) << "of both blocks";
  EXPECT_TRUE(holds(force(block, 2, 0.0, 0.0))) << "no force is in a range that begins at 0";
  EXPECT_TRUE(holds(throughout(force(block, ground, weight - 0.1, weight + 0.1), 0.1)));
  EXPECT_FALSE(holds(throughout(force(block, ground, weight + 0.1, 1e300), 0.1)));
}

// A block that falls 0.1 m lands after 0.143 s.
TEST_P(Forces, PredicatesKnowWhenABlockLands) {
  SceneSpec scene = block_on_ground(spatial(), 0.5, 0.0);
  (spatial() ? scene.bodies[block].spatial().pose.position.z : scene.bodies[block].planar().pose.y) += 0.1;
  const auto holds = [&](const Predicate& p) {
    scene.success = {p};
    Simulation simulation = test::simulate(scene, options(0.001, 0.5));
    simulation.run();
    return simulation.outcome().success == 1;
  };
  const double landed = std::sqrt(2.0 * 0.1 / g);
  EXPECT_TRUE(holds(touching(block, ground, 0.5 - landed - 0.005)));
  EXPECT_FALSE(holds(touching(block, ground, 0.5 - landed + 0.005)));
  EXPECT_TRUE(holds(throughout(force(block, ground, 1.0, 1e300), landed + 0.005)));
  EXPECT_FALSE(holds(throughout(force(block, ground, 1.0, 1e300), landed - 0.005)));
  EXPECT_FALSE(holds(throughout(force(block, ground, 0.0, 100.0), 0.0))) << "the landing is harder";
}

TEST_P(Forces, MeasuresOfABlock) {
  for (const double speed : {0.0, 2.0}) {
    SceneSpec scene = block_on_ground(spatial(), 0.5, speed);
    const auto run = [&](bool measure) {
      scene.measure_forces = measure;
      Simulation simulation = test::simulate(scene, options(0.005, 0.2));
      simulation.run();
      return simulation.outcome();
    };
    const SceneOutcome plain = run(false), measured = run(true);
    EXPECT_EQ(plain.iterations, measured.iterations);
    EXPECT_EQ(plain.grip_force_max, 0.0);
    EXPECT_EQ(plain.slip_margin_min, 1.0);
    EXPECT_NEAR(measured.grip_force_max, 2.0 * g, 0.1);
    EXPECT_NEAR(measured.slip_margin_min, speed > 0.0 ? 0.0 : 1.0, 1e-2);
    EXPECT_NEAR(measured.slip_margin_end, speed > 0.0 ? 0.0 : 1.0, 1e-2);
  }
}

// A block off the axis of a table, or in 2D a tray, that turns at `rate` [rad/s] and speeds up along x [m/s^2].
SceneSpec block_on_turning_ground(bool spatial, double friction, double rate, double speeds_up, double h) {
  constexpr double seconds = 0.3;
  SceneSpec scene = block_on_ground(spatial, friction, 0.0);
  BodySpec& table = scene.bodies[ground];
  table.kind = BodyKind::kinematic;
  const auto moved = [&](double t) { return 0.5 * speeds_up * t * t; };
  if (spatial) {
    BodySpec& box = scene.bodies[block];
    box.spatial().pose.position.x = 0.3;
    box.spatial().velocity = {{0.0, 0.3 * rate, 0.0}, {0.0, 0.0, rate}};
    for (double t = 0.0; speeds_up > 0.0 && t < seconds; t += h) {
      SpatialPose pose = table.spatial().pose;
      pose.turn = {std::cos(0.5 * rate * t), 0.0, 0.0, std::sin(0.5 * rate * t)};
      pose.position.x += moved(t);
      table.spatial().motion.push_back({t, pose});
    }
    table.spatial().velocity.angular.z = rate;
    return scene;
  }
  scene.bodies = {scenes::box_body("tray", 2.0, 0.1, 1.0), scenes::box_body("block", 0.1, 0.1, 2.0)};
  for (BodySpec& body : scene.bodies) body.friction = friction;
  scene.bodies[ground].kind = BodyKind::kinematic;
  PlanarBody& tray = scene.bodies[ground].planar();
  for (double t = 0.0; speeds_up > 0.0 && t < seconds; t += h) tray.motion.push_back({t, {moved(t), 0.0, rate * t}});
  tray.velocity.omega = rate;
  scene.bodies[block].planar().pose = {0.3, 0.1, 0.0};
  scene.bodies[block].planar().velocity = {-0.1 * rate, 0.3 * rate, rate};
  return scene;
}

// Velocities in the middle of a step point past each other where two bodies turn together. What they hold still sticks.
TEST_P(Forces, AContactThatTurnsWithItsBodiesSticks) {
  constexpr double h = 0.005;
  for (const double speeds_up : {0.0, 2.0}) {
    const SceneSpec scene = block_on_turning_ground(spatial(), 0.8, 1.5, speeds_up, h);
    Simulation simulation = test::simulate(scene, options(h, 0.25));
    simulation.watch_contacts();
    int seen = 0;
    while (simulation.step()) {
      if (simulation.time() < 2.5 * h) continue;
      Vec3 friction;
      double carried = 0.0;
      for (const ContactReport& c : simulation.contents().step_contacts) {
        if (c.state == ContactState::none) continue;
        ++seen;
        EXPECT_EQ(c.state, ContactState::stick) << simulation.time();
        EXPECT_LT(std::hypot(c.slip.x, c.slip.y, c.slip.z), 2e-6) << simulation.time();
        friction.x += c.tangential_impulse.x;
        friction.y += c.tangential_impulse.y;
        carried += c.normal_impulse;
      }
      EXPECT_LT(std::hypot(friction.x, friction.y), 0.9 * 0.8 * carried) << simulation.time();
    }
    EXPECT_GT(seen, 80);
  }
}

// With less friction than that asks for it slides.
TEST_P(Forces, AContactThatLagsBehindItsBodiesSlides) {
  constexpr double h = 0.005;
  Simulation simulation = test::simulate(block_on_turning_ground(spatial(), 0.02, 1.5, 0.0, h), options(h, 0.05));
  simulation.watch_contacts();
  while (simulation.step()) {
    if (simulation.time() < 2.5 * h) continue;
    for (const ContactReport& c : simulation.contents().step_contacts) {
      if (c.state == ContactState::none) continue;
      EXPECT_EQ(c.state, ContactState::slide) << simulation.time();
      EXPECT_LT(c.margin, 1e-3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Forces,
                         testing::Combine(testing::Bool(), testing::Values(Strategy::per_scene, Strategy::batched)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) ? "Spatial" : "Planar") +
                                  (std::get<1>(info.param) == Strategy::batched ? "Batched" : "PerScene");
                         });

// A block on a slope: what friction bears of its weight is missing from the margin.
TEST(ForceMeasures, TheMarginOnASlope) {
  constexpr double slope = 0.2, mu = 0.5;
  SceneSpec scene = scenes::block_on_incline(slope, mu);
  scene.measure_forces = true;
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.2));
  simulation.watch_contacts();
  simulation.run();
  double normal = 0.0, tangential = 0.0, least = 1.0;
  for (const ContactReport& c : simulation.contents().step_contacts) {
    normal += c.normal_impulse;
    tangential += std::fabs(c.tangential_impulse.x);
    least = std::fmin(least, c.margin);
  }
  EXPECT_NEAR(tangential / normal, slope, 1e-6);
  EXPECT_LE(least, 1.0 - slope / mu + 1e-6);
  EXPECT_NEAR(simulation.outcome().slip_margin_end, least, 1e-9);
}

// Two jaws press with 40 N each on a block; while it is held its grip force is 80 N.
TEST(ForceMeasures, TheGripOfTwoJaws) {
  SceneSpec scene = scenes::space_lift(0.8);
  scene.measure_forces = true;
  const auto run = [&](double duration) {
    Simulation simulation = test::simulate(scene, test::steps_of(0.005, duration));
    simulation.watch_contacts();
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    double grip = 0.0;
    for (const ContactReport& c : simulation.contents().step_contacts) {
      if (c.body_a >= 3 || c.body_b >= 3) grip += c.normal_impulse / c.duration;
    }
    EXPECT_NEAR(grip, 80.0, 0.5);
    EXPECT_GT(simulation.outcome().slip_margin_end, 0.0);
    EXPECT_LT(simulation.outcome().slip_margin_end, 1.0);
    return simulation.outcome();
  };
  EXPECT_GE(run(1.0).grip_force_max, 79.5);
}

// A rod that hangs from a hinge pulls on it with its weight; the load acts where the joint is, without a moment.
TEST(JointLoads, AHangingRodPullsWithItsWeight) {
  SceneSpec scene = test::hanging_rod(0.0, JointKind::revolute);
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.1));
  simulation.watch_contacts();
  simulation.run();
  ASSERT_EQ(simulation.contents().loads.size(), 1u);
  const LoadReport& load = simulation.contents().loads[0];
  EXPECT_EQ(load.kind, RowKind::joint);
  EXPECT_EQ(load.body_a, -1);
  EXPECT_EQ(load.body_b, 0);
  EXPECT_NEAR(load.impulse.z / load.duration, scene.bodies[0].mass * g, 1e-3);
  for (double x : {load.point.x, load.point.y, load.point.z, load.moment.x, load.moment.y, load.moment.z}) {
    EXPECT_NEAR(x, 0.0, 1e-9);
  }
}

// A swinging rod's hinge bears no moment about its axis.
TEST(JointLoads, AHingeBearsNoMomentAboutItsAxis) {
  SceneSpec scene = test::hanging_rod(1.0, JointKind::revolute);
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.5));
  simulation.watch_contacts();
  double largest = 0.0;
  while (simulation.step()) {
    const LoadReport& load = simulation.contents().loads.at(0);
    largest = std::fmax(largest, std::fabs(load.impulse.x));
    EXPECT_NEAR(load.moment.y, 0.0, 1e-9);
  }
  EXPECT_GT(largest, 1e-3);
}

// All friction of a support together is mu m g while the body slides.
TEST(SupportLoads, AddUpToTheFrictionOfTheBody) {
  const SceneSpec scene =
      scenes::tripod_slider({Vec2{0.03, 0.0}, Vec2{-0.02, 0.025}, Vec2{-0.02, -0.025}}, 0.3, {0.5, 0.0, 0.0});
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.1));
  simulation.watch_contacts();
  while (simulation.step()) {
    Vec3 sum;
    ASSERT_EQ(simulation.contents().loads.size(), 3u);
    for (const LoadReport& load : simulation.contents().loads) {
      EXPECT_EQ(load.kind, RowKind::support);
      sum.x += load.impulse.x / load.duration;
      sum.y += load.impulse.y / load.duration;
    }
    EXPECT_NEAR(sum.x, -0.3 * 0.3 * g, 1e-6);
    EXPECT_NEAR(sum.y, 0.0, 1e-6);
  }
}

}  // namespace
}  // namespace pegrasp

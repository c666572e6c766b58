// SPDX-License-Identifier: Apache-2.0
// Light links under heavy loads: the step follows the load, not the links, which swing far faster than it resolves.
#include "tests/joint/light_chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "tests/runs.hpp"

namespace pegrasp {
namespace {

using test::light_chain;
using test::steps_of;

constexpr double half_turn = 1.57079632679489662;

// |F| [N] of every joint's linear rows in the last step.
std::map<int, double> pulls(const Simulation& simulation, bool spatial) {
  std::map<int, double> sum;
  for (const RowReport& row : simulation.contents().rows) {
    if (row.kind != RowKind::joint || row.row >= (spatial ? 3 : 2)) continue;
    sum[row.index] += std::pow(row.impulse / row.duration, 2);
  }
  for (auto& [joint, pull] : sum) pull = std::sqrt(pull);
  return sum;
}

class LightChain : public testing::TestWithParam<bool> {  // spatial
 protected:
  bool spatial() const { return GetParam(); }
};

// At rest every joint carries the weight below it. 60 links have no memory for Newton's matrix.
TEST_P(LightChain, HangsByTheWeightBelow) {
  for (const int links : {5, 30, 60}) {
    SCOPED_TRACE(testing::Message() << links << " links");
    const double load = links == 30 ? 1000.0 : 10.0;
    Simulation simulation = test::simulate(light_chain(spatial(), links, 0.01, load, half_turn), steps_of(0.005, 0.1));
    simulation.watch_contacts();
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    const std::map<int, double> pull = pulls(simulation, spatial());
    ASSERT_EQ(pull.size(), static_cast<std::size_t>(links) + 1);
    for (const auto& [joint, size] : pull) {
      const double weight = (load + 0.01 * (links - joint)) * scenes::standard_gravity;
      EXPECT_NEAR(size / weight, 1.0, 1e-9) << joint;
    }
  }
}

struct Swing {
  double highest, lowest;  // of the energy, above that of the start, as part of what the load can fall
  SceneOutcome outcome;
};
Swing swing(const SceneSpec& scene, double h, double duration, double fall) {
  Simulation simulation = test::simulate(scene, steps_of(h, duration));
  const EnergyReport start = simulation.energy();
  const double scale = scene.bodies.back().mass * scenes::standard_gravity * fall;
  Swing out{0.0, 0.0, {}};
  while (simulation.step()) {
    const EnergyReport now = simulation.energy();
    const double gained = (now.kinetic + now.potential - start.potential) / scale;
    out.highest = std::max(out.highest, gained);
    out.lowest = std::min(out.lowest, gained);
  }
  out.outcome = simulation.outcome();
  return out;
}

TEST_P(LightChain, SwingsWithoutGain) {
  struct Case {
    int links;
    double load;
  };
  for (const Case& c : {Case{5, 10.0}, Case{10, 10.0}, Case{30, 1000.0}}) {
    SCOPED_TRACE(testing::Message() << c.links << " links");
    const double fall = c.links * test::link_length + test::load_radius;
    const Swing s = swing(light_chain(spatial(), c.links, 0.01, c.load, 0.0), 0.005, 1.0, fall);
    EXPECT_EQ(s.outcome.status, status_ok);
    EXPECT_EQ(s.outcome.unresolved_steps, 0);
    EXPECT_LT(s.highest,
              2.0 * scenes::standard_gravity * 0.005 * 0.005 / fall);  // (h v / length)^2 at the lowest point
    EXPECT_GT(s.lowest, -0.05);
  }
}

// What is added to the links is of second order: the period of a pendulum whose thread is a chain.
TEST_P(LightChain, SwingsLikeAPendulum) {
  const double angle = half_turn - 0.1;
  const int links = 10;
  std::vector<double> angles;
  const SceneSpec scene = light_chain(spatial(), links, 1e-4, 10.0, angle);
  Simulation simulation = test::simulate(scene, steps_of(0.005, 1.5));
  double before = 0.0, first = 0.0;
  int crossings = 0;
  double last = 0.0;
  while (simulation.step()) {
    const double x = spatial() ? simulation.spatial_pose(links).position.x : simulation.pose(links).x;
    if (crossings > 0 ? x * before < 0.0 : before > 0.0 && x <= 0.0) {
      last = simulation.time() - 0.005 * x / (x - before);
      if (crossings++ == 0) first = last;
    }
    before = x;
  }
  ASSERT_GE(crossings, 2);
  const double length = links * test::link_length + test::load_radius;
  const double inertia = 4e-4 / 12.0 + 1.6e-3 / 12.0;  // of the load, about its centre: at most this, per kilogram
  const double period =
      4.0 * half_turn * std::sqrt((length + inertia / length) / scenes::standard_gravity) * (1.0 + 0.1 * 0.1 / 16.0);
  EXPECT_NEAR(2.0 * (last - first) / (crossings - 1) / period, 1.0, 2e-3);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// Each iteration is linear in the links; here their number does not grow.
TEST_P(LightChain, TakesNoMoreIterationsForMoreLinks) {
  for (const int links : {10, 20, 40, 80, 160}) {
    const Swing s = swing(light_chain(spatial(), links, 0.01, 100.0, 0.3), 0.005, 0.1, links * test::link_length);
    EXPECT_EQ(s.outcome.status, status_ok) << links;
    EXPECT_EQ(s.outcome.substeps_rejected, 0) << links;
    EXPECT_LE(s.outcome.solves, 100) << links;
    EXPECT_LE(s.outcome.iterations, 5 * s.outcome.solves) << links;
  }
}

TEST_P(LightChain, ClosesALoop) {
  for (const int links : {12, 60}) {
    SCOPED_TRACE(testing::Message() << links << " links");
    const SceneSpec scene = test::light_ring(spatial(), links, 0.01, 1.0);
    Simulation simulation = test::simulate(scene, steps_of(0.005, 0.1));
    double apart = 0.0;
    while (simulation.step()) {
      for (int k = 0; k <= links; ++k) apart = std::max(apart, simulation.joint_apart(k));
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_LT(apart, 1e-7);
  }
}

// The load falls on a floor and the slack links after it.
TEST_P(LightChain, DropsItsLoadOnAFloor) {
  for (const int links : {10, 60}) {
    SCOPED_TRACE(testing::Message() << links << " links");
    SceneSpec scene = light_chain(spatial(), links, 0.01, 10.0, 1.0);
    BodySpec floor;
    floor.name = "floor";
    floor.kind = BodyKind::fixed;
    const double depth = -(links * test::link_length + test::load_radius) * std::sin(1.0) - 0.025;
    if (spatial()) {
      floor.form = SpatialBody{};
      floor.spatial().parts = {make_half_space("floor", {0.0, 0.0, 1.0}, depth)};
    } else {
      floor.planar().parts = {make_half_plane("floor", {0.0, 1.0}, depth)};
    }
    scene.bodies.push_back(floor);
    Simulation simulation = test::simulate(scene, steps_of(0.005, 0.3));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_GT(simulation.outcome().contacts_max, 0);
    EXPECT_LT(simulation.outcome().penetration_max, 1e-6);
  }
}

// The batched strategy solves the joints along their tree, too.
TEST_P(LightChain, BatchedIsAsOneByOne) {
  const SceneSpec scene = light_chain(spatial(), 10, 0.01, 10.0, 0.5);
  StepOptions options = steps_of(0.005, 0.3);
  Simulation alone = test::simulate(scene, options);
  options.strategy = Strategy::batched;
  Simulation batched = test::simulate(scene, options);
  double apart = 0.0;
  while (alone.step()) {
    ASSERT_TRUE(batched.step());
    for (int body = 0; body <= 10; ++body) {
      const Vec3 a = spatial() ? alone.spatial_pose(body).position : Vec3{alone.pose(body).x, alone.pose(body).y, 0.0};
      const Vec3 b =
          spatial() ? batched.spatial_pose(body).position : Vec3{batched.pose(body).x, batched.pose(body).y, 0.0};
      apart = std::max(apart, std::hypot(a.x - b.x, a.y - b.y, a.z - b.z));
    }
  }
  EXPECT_EQ(batched.outcome().status, status_ok);
  EXPECT_EQ(batched.outcome().substeps_rejected, 0);
  EXPECT_LE(batched.outcome().iterations, 3 * batched.outcome().solves);
  EXPECT_LT(apart, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, LightChain, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& i) { return i.param ? "Space" : "Plane"; });

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// A card house and an arch: they stand with a little more friction than equilibrium asks for, and fall with a little
// less.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

constexpr double pi = 3.14159265358979323846;

struct Point {
  double x, z;
};

// A prism along y over an outline in 2D of x and z, where it stands in the world.
BodySpec prism(const std::string& name, const std::vector<Point>& outline, double half_width, double friction) {
  std::vector<Vec3> points;
  for (const Point& p : outline) {
    points.push_back({p.x, -half_width, p.z});
    points.push_back({p.x, half_width, p.z});
  }
  const Polyhedron shape = make_polyhedron(points);
  BodySpec body = scenes::solid_body(name, shape, 100.0);
  body.spatial().pose.position = solid_properties(shape).centroid;
  body.friction = friction;
  return body;
}

// How far bodies have moved, the most.
double farthest(const SceneSpec& scene, const Simulation& simulation) {
  double most = 0.0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Vec3 a = scene.bodies[b].spatial().pose.position;
    const Vec3 x = simulation.spatial_pose(static_cast<int>(b)).position;
    most = std::max(most, std::sqrt((x.x - a.x) * (x.x - a.x) + (x.y - a.y) * (x.y - a.y) + (x.z - a.z) * (x.z - a.z)));
  }
  return most;
}

// A card: a wedge with its support sphere at x = support sphere and an upright face of height `depth` at x = middle,
// where it leans on its twin.
constexpr double reach = 0.2;   // from support sphere to middle [m]
constexpr double height = 0.5;  // [m]
constexpr double depth = 0.05;
constexpr double plank = 0.02;  // its thickness
constexpr double half_plank = 2.0 * reach;

BodySpec card(const std::string& name, double support_sphere, double middle, double floor, double friction) {
  return prism(name, {{support_sphere, floor}, {middle, floor + height - depth}, {middle, floor + height}}, 0.3,
               friction);
}

// Two pairs of cards, a plank over both, and a third pair on that. The lower pairs stand clear of each other: support
// spheres that met would brace each other.
SceneSpec card_house(double friction) {
  SceneSpec scene = scenes::scene_3d("card_house");
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {5.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, friction));
  for (const double x : {-1.2 * reach, 1.2 * reach}) {
    scene.bodies.push_back(card("left", x - reach, x, 0.0, friction));
    scene.bodies.push_back(card("right", x + reach, x, 0.0, friction));
  }
  scene.bodies.push_back(
      prism("plank",
            {{-half_plank, height}, {half_plank, height}, {half_plank, height + plank}, {-half_plank, height + plank}},
            0.3, friction));
  scene.bodies.push_back(card("left", -reach, 0.0, height + plank, friction));
  scene.bodies.push_back(card("right", reach, 0.0, height + plank, friction));
  int index = 0;
  for (BodySpec& body : scene.bodies) body.name += std::to_string(index++);
  return scene;
}

// A lower card of weight w bears v at its ridge; about its support sphere w 2/3 reach + v reach = N height, N <= mu (w
// + v) at the support sphere. The upper ones, v = 0, need less.
double card_house_friction() {
  const double w = 0.5 * depth * reach;  // areas stand for weights
  const double v =
      0.5 * (w + plank * half_plank);  // half a plank over each pair, half of that and a card's weight on each card
  return (w * reach * 2.0 / 3.0 + v * reach) / (height * (w + v));
}

class CardHouse : public testing::TestWithParam<double> {};

TEST_P(CardHouse, StandsAboveItsFrictionAndFallsBelow) {
  const double h = GetParam();
  const double limit = card_house_friction();
  {
    const SceneSpec scene = card_house(1.05 * limit);
    Simulation simulation = simulate(scene, h, 2.0);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_LT(farthest(scene, simulation), 1e-4);
  }
  const SceneSpec scene = card_house(0.95 * limit);
  Simulation simulation = simulate(scene, h, 2.0);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status & (status_capacity | status_non_finite), 0u);
  EXPECT_GT(farthest(scene, simulation), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Steps, CardHouse, testing::Values(0.001, 0.004, 0.016));

// Half a ring of `count` stones, an even number, between radii 1 and 1.4 m, its ends on the floor.
constexpr double inner = 1.0;
constexpr double outer = 1.4;
constexpr int stones = 8;

std::vector<Point> stone(int k) {
  const double a = pi * k / stones, b = pi * (k + 1) / stones;
  return {{inner * std::cos(a), inner * std::sin(a)},
          {outer * std::cos(a), outer * std::sin(a)},
          {outer * std::cos(b), outer * std::sin(b)},
          {inner * std::cos(b), inner * std::sin(b)}};
}

SceneSpec arch(double friction) {
  SceneSpec scene = scenes::scene_3d("arch");
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {5.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, friction));
  for (int k = 0; k < stones; ++k) {
    scene.bodies.push_back(prism("stone" + std::to_string(k), stone(k), 0.3, friction));
  }
  return scene;
}

// The least friction with which some line of thrust keeps to all joints: by symmetry the crown's is level; its height
// and strength are searched for.
double arch_friction() {
  double volume[stones / 2], arm[stones / 2];
  for (int k = 0; k < stones / 2; ++k) {
    const BodySpec body = prism("", stone(k), 0.5, 0.0);
    volume[k] = solid_properties(body.spatial().parts[0].shape).volume;
    arm[k] = body.spatial().pose.position.x;
  }
  double least = 1e300;
  for (int i = 0; i <= 100; ++i) {
    const double y = inner + (outer - inner) * i / 100.0;
    for (double thrust = 0.002; thrust < 1.0; thrust += 0.002) {
      double weight = 0.0, moment = 0.0, friction = 0.0;
      for (int k = stones / 2 - 1; k >= 0; --k) {  // from the crown to the right end
        weight += volume[k];
        moment += volume[k] * arm[k];
        const double angle = pi * k / stones;
        const double normal = thrust * std::sin(angle) + weight * std::cos(angle);
        const double shear = thrust * std::cos(angle) - weight * std::sin(angle);
        const double at = (thrust * y + moment) / normal;  // distance from the middle of the ring
        friction = std::max(friction, at >= inner && at <= outer ? std::fabs(shear) / normal : 1e300);
      }
      least = std::min(least, friction);
    }
  }
  return least;
}

class Arch : public testing::TestWithParam<double> {};

TEST_P(Arch, StandsAboveItsFrictionAndFallsBelow) {
  const double h = GetParam();
  static const double limit = arch_friction();
  {
    const SceneSpec scene = arch(1.05 * limit);
    Simulation simulation = simulate(scene, h, 2.0);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_LT(farthest(scene, simulation), 1e-3);
  }
  const SceneSpec scene = arch(0.95 * limit);
  Simulation simulation = simulate(scene, h, 3.0);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status & (status_capacity | status_non_finite), 0u);
  EXPECT_GT(farthest(scene, simulation), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Steps, Arch, testing::Values(0.001, 0.004, 0.016));

}  // namespace
}  // namespace pegrasp

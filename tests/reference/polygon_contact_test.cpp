// SPDX-License-Identifier: Apache-2.0
// Gaps, gradients and constraint sets of polygons: closed formulas, differences, and the thesis' own configurations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/reference/planar/polygon_step.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::reference {
namespace {

Polygon box(double x, double y, double half_width, double half_height, double turn = 0.0) {
  return make_world_polygon(scenes::box_part("box", 2.0 * half_width, 2.0 * half_height), {x, y, turn});
}

// Edges of a box: 0 bottom, 1 right, 2 top, 3 left; vertices: 0 lower left, then counter-clockwise.
TEST(Polygon, GapsOfABox) {
  const Polygon b = box(1.0, 2.0, 0.5, 0.25);
  EXPECT_DOUBLE_EQ(gap({1.0, 2.5}, b.edges[2]), 0.25);
  EXPECT_DOUBLE_EQ(gap({1.0, 2.0}, b.edges[0]), -0.25);
  EXPECT_DOUBLE_EQ(distance({1.8, 2.65}, b.edges[2]), 0.5);  // beyond the end: 0.3 and 0.4
  EXPECT_DOUBLE_EQ(distance({1.2, 2.65}, b.edges[2]), 0.4);
}

TEST(Polygon, ApplicabilityOfASquareCorner) {
  const Polygon b = box(0.0, 0.0, 1.0, 1.0);
  const Point up(0.0, 1.0);
  EXPECT_DOUBLE_EQ(applicability(b, 0, up), 0.0);   // a neighbour on the same level
  EXPECT_DOUBLE_EQ(applicability(b, 2, up), -1.0);  // the other below
  const double eighth = 0.5 * std::sqrt(2.0);
  EXPECT_NEAR(applicability(box(0.0, 0.0, 1.0, 1.0, std::acos(-1.0) / 4.0), 0, up), eighth, 1e-15);
}

TEST(Polygon, FeasibilityWidensBeyondTheEnds) {
  const Polygon b = box(0.0, 0.0, 1.0, 1.0);
  const Edge& top = b.edges[2];
  EXPECT_TRUE(feasible({0.0, 0.95}, top, 0.1, 1.0));
  EXPECT_FALSE(feasible({0.0, 0.85}, top, 0.1, 1.0));
  EXPECT_TRUE(feasible({1.2, 0.75}, top, 0.1, 1.0));  // 0.2 beyond: down to 1 - 0.1 - 0.2
  EXPECT_FALSE(feasible({1.2, 0.65}, top, 0.1, 1.0));
}

// Every gap's gradient, fixed, kinematic and dynamic bodies: psi(q + t nu) by central differences.
TEST(PolygonStep, GradientsAreExact) {
  const std::uint64_t seed = test::fuzz_seed(11);
  scenes::Random random(seed);
  int checked = 0;
  for (int trial = 0; trial < 200; ++trial) {
    SceneSpec scene = scenes::polygon_box(random.next(), 0.3, 3);
    scene.bodies[0].kind = trial % 2 == 0 ? BodyKind::kinematic : BodyKind::fixed;
    std::vector<Pose> poses;
    std::vector<Twist> twists;
    for (const BodySpec& body : scene.bodies) {
      const bool still = body.kind == BodyKind::fixed;
      poses.push_back({random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-3.0, 3.0)});
      twists.push_back(still ? Twist{}
                             : Twist{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-2.0, 2.0)});
    }
    PolygonStepOptions options;
    options.epsilon = 0.05;
    options.rules.sets = ContactSets::standard_all;
    std::vector<ContactName> names;
    const StepProblem step = polygon_step(scene, poses, twists, 0.01, options, &names);
    ASSERT_EQ(names.size(), step.contacts.size());
    const auto psi = [&](const ContactName& c, double t) {
      const auto polygon = [&](int body, int part) {
        const auto b = static_cast<std::size_t>(body);
        const Pose pose{poses[b].x + t * twists[b].vx, poses[b].y + t * twists[b].vy,
                        poses[b].theta + t * twists[b].omega};
        return make_world_polygon(scene.bodies[b].planar().parts[static_cast<std::size_t>(part)], pose);
      };
      return gap(polygon(c.vertex_body, c.vertex_part).vertices[static_cast<std::size_t>(c.vertex)],
                 polygon(c.edge_body, c.edge_part).edges[static_cast<std::size_t>(c.edge)]);
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double t = 1e-6;
      const double expected = (psi(names[i], t) - psi(names[i], -t)) / (2.0 * t);
      const Contact& contact = step.contacts[i];
      EXPECT_NEAR(contact.normal.dot(step.velocity) + contact.rate, expected, 1e-8);
      EXPECT_NEAR(contact.gap, psi(names[i], 0.0), 1e-15);
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000);
}

// Sliding velocity: tangent t = n turned by +90 degrees, of the vertex against the edge's body.
TEST(PolygonStep, TangentsMeasureSliding) {
  SceneSpec scene = scenes::block_on_plane(0.5, 0.0);
  std::vector<Pose> poses{{}, {0.0, 0.05, 0.0}};
  std::vector<Twist> twists{{}, {1.0, 0.0, 2.0}};
  scene.bodies[0].kind = BodyKind::kinematic;
  twists[0] = {0.25, 0.0, 0.0};
  const StepProblem step = polygon_step(scene, poses, twists, 0.01);
  ASSERT_EQ(step.contacts.size(), 2u);
  EXPECT_EQ(step.unilateral.size(), 2u);
  for (const Contact& c : step.contacts) {
    // t = -x; the point moves at 1 + 2 * 0.05 along x, the ground at 0.25.
    EXPECT_NEAR(c.tangents[0].dot(step.velocity) + c.tangent_rate[0], -(1.0 + 0.1 - 0.25), 1e-14);
    EXPECT_NEAR(c.mu, 0.5, 1e-15);
    EXPECT_NEAR(c.gap, 0.0, 1e-15);
  }
}

// A box on another one's corner: the sets of equation (4.17), with the members that figure 4.3 names.
TEST(ConstraintSets, VertexNearVertex) {
  const Polygon below = box(-1.0, -1.0, 1.0, 1.0);  // corner 2 at the origin; edge 1 its right side, 2 its top
  const Polygon above = box(0.98, 1.01, 1.0, 1.0);  // corner 0 at (-0.02, 0.01); edge 3 its left side, 0 its bottom
  ContactRules rules;
  rules.sets = ContactSets::peg_several;
  const PairConstraints sets = pair_constraints(above, below, 0.05, rules);
  // v_a = corner 0 of `above` against edges 1 and 2 of `below`; v_b = corner 2 of `below` against edges 3 and 0.
  const std::vector<FeaturePair> expected{{true, 0, 1}, {true, 0, 2}, {false, 2, 3}, {false, 2, 0}};
  EXPECT_EQ(sets.contacts, expected);
  EXPECT_TRUE(sets.unilateral.empty());
  ASSERT_EQ(sets.inter.size(), 2u);
  // Against the side the vertex lies 0.02 behind, deeper than the depth and the slope allow: it only masks.
  EXPECT_EQ(sets.inter[0].carriers, std::vector<int>{1});
  EXPECT_EQ(sets.inter[0].masks, std::vector<int>{0});
  EXPECT_EQ(sets.inter[1].carriers, std::vector<int>{3});
  EXPECT_EQ(sets.inter[1].masks, std::vector<int>{2});
  ASSERT_EQ(sets.cross.size(), 2u);
  EXPECT_EQ(sets.cross[0].a, std::vector<int>{0});
  EXPECT_EQ(sets.cross[0].b, std::vector<int>{3});
  EXPECT_EQ(sets.cross[1].a, std::vector<int>{1});
  EXPECT_EQ(sets.cross[1].b, std::vector<int>{2});
  EXPECT_EQ(sets.cross[1].carriers, std::vector<int>{1});

  rules.sets = ContactSets::standard_all;
  EXPECT_EQ(pair_constraints(above, below, 0.05, rules).unilateral.size(), 4u);
  rules.sets = ContactSets::standard_single;
  const PairConstraints single = pair_constraints(above, below, 0.05, rules);
  EXPECT_EQ(single.unilateral.size(), 2u);
  EXPECT_EQ(single.contacts[0], (FeaturePair{true, 0, 2}));  // 0.01 above the top
  rules.sets = ContactSets::lnc;
  const PairConstraints lnc = pair_constraints(above, below, 0.05, rules);
  EXPECT_EQ(lnc.inter.size(), 2u);
  EXPECT_TRUE(lnc.cross.empty());
  EXPECT_TRUE(lnc.inter[0].masks.empty());
}

// Both gaps within reach of the vertex: several carriers, of which one-carrier PEG takes the edge in front.
TEST(ConstraintSets, PrimaryIsTheEdgeInFront) {
  const Polygon below = box(-1.0, -1.0, 1.0, 1.0);
  const Polygon above =
      box(0.0, 0.02 + std::sqrt(2.0), 1.0, 1.0, std::acos(-1.0) / 4.0);  // on its tip, over the corner
  ContactRules rules;
  rules.sets = ContactSets::peg_several;
  EXPECT_EQ(pair_constraints(above, below, 0.05, rules).inter[0].carriers,
            std::vector<int>{1});  // the tip meets no side
  const Polygon leaning = box(0.02 + 1.0, 0.025 + 1.0, 1.0, 1.0);
  const PairConstraints several = pair_constraints(leaning, below, 0.05, rules);
  EXPECT_EQ(several.inter[0].carriers.size(), 2u);
  rules.sets = ContactSets::peg_one;
  const PairConstraints one = pair_constraints(leaning, below, 0.05, rules);
  ASSERT_EQ(one.inter[0].carriers.size(), 1u);
  EXPECT_EQ(one.contacts[static_cast<std::size_t>(one.inter[0].carriers[0])], (FeaturePair{true, 0, 2}));
}

// A wide block in the middle of another: two plain contacts.
TEST(ConstraintSets, VertexEdge) {
  const Polygon below = box(0.0, -1.0, 2.0, 1.0);
  const Polygon above = box(0.0, 0.51, 0.5, 0.5);
  for (const ContactSets sets :
       {ContactSets::standard_all, ContactSets::standard_single, ContactSets::lnc, ContactSets::peg_one}) {
    ContactRules rules;
    rules.sets = sets;
    const PairConstraints found = pair_constraints(above, below, 0.05, rules);
    EXPECT_EQ(found.unilateral.size(), 2u);
    EXPECT_EQ(found.contacts.size(), 2u);
    EXPECT_TRUE(found.inter.empty() && found.cross.empty());
  }
}

// Sets name contacts that are there, no contact twice, and I-constraints always have a carrier.
TEST(ConstraintSets, FuzzAreWellFormed) {
  scenes::Random random(test::fuzz_seed(12));
  for (int trial = 0; trial < 2000; ++trial) {
    const SceneSpec scene = scenes::polygon_box(random.next(), 0.0, 2);
    const auto polygon = [&](std::size_t body) {
      return make_world_polygon(scene.bodies[body].planar().parts[0],
                                {random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), random.uniform(-3.0, 3.0)});
    };
    const Polygon a = polygon(3), b = polygon(4);
    for (const ContactSets sets : {ContactSets::standard_all, ContactSets::standard_single, ContactSets::lnc,
                                   ContactSets::peg_one, ContactSets::peg_several}) {
      ContactRules rules;
      rules.sets = sets;
      const double eps = random.uniform(0.001, 0.2);
      const PairConstraints found = pair_constraints(a, b, eps, rules);
      const int count = static_cast<int>(found.contacts.size());
      std::set<std::array<int, 3>> seen;
      for (const FeaturePair& c : found.contacts) seen.insert({c.vertex_on_a ? 1 : 0, c.vertex, c.edge});
      EXPECT_EQ(seen.size(), found.contacts.size());
      const auto inside = [&](const std::vector<int>& list) {
        return std::all_of(list.begin(), list.end(), [&](int i) { return i >= 0 && i < count; });
      };
      EXPECT_TRUE(inside(found.unilateral));
      for (const InterContact& set : found.inter) {
        EXPECT_FALSE(set.carriers.empty());
        EXPECT_TRUE(inside(set.carriers) && inside(set.masks));
        if (sets == ContactSets::peg_one) {
          EXPECT_EQ(set.carriers.size(), 1u);
        }
      }
      for (const CrossContact& set : found.cross) {
        EXPECT_FALSE(set.carriers.empty());
        EXPECT_TRUE(inside(set.a) && inside(set.b) && inside(set.carriers));
      }
    }
  }
}

// Rails, tripods and servos of a scene become joints, support points and motors.
TEST(PolygonStep, JointsSupportsMotors) {
  SceneSpec scene;
  BodySpec jaw = scenes::box_body("jaw", 0.1, 0.1, 2.0);
  jaw.slide_axis = Vec2{1.0, 0.0};
  BodySpec part = scenes::box_body("part", 0.1, 0.1, 0.3);
  part.planar().pose = {1.0, 0.0, 0.0};
  SupportTripod support;
  support.point = scenes::regular_tripod(0.04);
  support.load = {1.0, 1.0, 1.0};
  support.friction = {0.5, 0.5, 0.5};
  part.planar().support = support;
  scene.bodies = {jaw, part};
  ActuatorSpec servo;
  servo.kind = ActuatorKind::velocity_servo;
  servo.target = 0.05;
  servo.limit = 5.0;
  ActuatorSpec spring = servo;
  spring.kind = ActuatorKind::position_servo;
  spring.stiffness = 100.0;
  spring.damping = 3.0;
  ActuatorSpec force = servo;
  force.kind = ActuatorKind::force;
  scene.actuators = {servo, spring, force};
  const std::vector<Pose> poses{{0.01, 0.002, 0.0}, {1.0, 0.0, 0.5}};
  const std::vector<Twist> twists(2);
  const double h = 0.01;
  const StepProblem step = polygon_step(scene, poses, twists, h);
  ASSERT_EQ(step.bilaterals.size(), 2u);
  EXPECT_NEAR(step.bilaterals[0].gap, 0.002, 1e-15);
  EXPECT_EQ(step.bilaterals[0].row.coeff(1), 1.0);
  EXPECT_EQ(step.bilaterals[1].row.coeff(2), 1.0);
  ASSERT_EQ(step.supports.size(), 3u);
  EXPECT_NEAR(step.supports[0].bound, h * 0.5, 1e-15);
  EXPECT_NEAR(step.supports[0].tangents[0].coeff(5), -0.04 * std::sin(0.5), 1e-15);
  ASSERT_EQ(step.motors.size(), 2u);
  EXPECT_NEAR(step.motors[0].bias, -0.05, 1e-15);
  EXPECT_NEAR(step.motors[1].bias, -100.0 * (0.05 - 0.01) / (h * 100.0 + 3.0), 1e-13);
  EXPECT_NEAR(step.external[0], h * 0.05, 1e-15);
  EXPECT_EQ(velocity_offsets(scene, {false, true}), (std::vector<int>{-1, 0}));
}

}  // namespace
}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// What good problem files turn into: the gear, defaults, targets, round trips, overrides.
#include "pegrasp/problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/text/document.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

const char* smallest = R"(
[[body]]
name = "puck"
mass_kg = 0.1
[[body.part]]
shape = "disc"
radius_mm = 10
)";

Problem gear(const std::vector<Override>& overrides = {}) {
  return load_problem(test::source_file("examples/gear/gear.toml"), overrides);
}

TEST(ProblemFile, SmallestProblemHasTheDocumentedDefaults) {
  const Problem p = parse_problem(smallest, "small.toml");
  const StepOptions standard;
  EXPECT_EQ(p.options.h, standard.h);
  EXPECT_EQ(p.options.duration, standard.duration);
  EXPECT_EQ(p.options.contact, standard.contact);
  EXPECT_EQ(p.options.solver, standard.solver);
  EXPECT_EQ(p.options.max_passes, standard.max_passes);
  EXPECT_EQ(p.options.max_iterations, standard.max_iterations);
  EXPECT_EQ(p.options.max_substep_level, standard.max_substep_level);
  EXPECT_EQ(p.options.tolerance, standard.tolerance);
  EXPECT_EQ(p.options.penetration_tolerance, standard.penetration_tolerance);
  EXPECT_EQ(p.options.reject_depth, standard.reject_depth);
  EXPECT_EQ(p.options.detect_distance, standard.detect_distance);
  EXPECT_EQ(p.options.recovery_speed, standard.recovery_speed);
  EXPECT_EQ(p.options.jacobi_relaxation, standard.jacobi_relaxation);
  EXPECT_EQ(p.options.still_speed, standard.still_speed);
  EXPECT_EQ(p.options.still_time, standard.still_time);
  EXPECT_EQ(p.options.warm_start, standard.warm_start);
  EXPECT_FALSE(p.options.load_sharing);
  EXPECT_EQ(p.samples, 30);
  EXPECT_EQ(p.seed, 1u);
  EXPECT_EQ(p.grid.cells(), 1);
  EXPECT_EQ(p.arithmetic, Arithmetic::strict);
  EXPECT_TRUE(p.uncertain.empty());
  // disc: m R^2 / 2
  EXPECT_NEAR(p.scene.bodies[0].planar().inertia, 0.5 * 0.1 * 0.01 * 0.01, 1e-18);
}

TEST(ProblemFile, GearIsTheThesisGear) {
  const Problem p = gear();
  ASSERT_EQ(p.scene.bodies.size(), 3u);
  const BodySpec& body = p.scene.bodies[0];
  ASSERT_EQ(body.planar().parts.size(), 7u);
  EXPECT_EQ(body.planar().parts[0].corners.size(), 1u);
  EXPECT_EQ(body.planar().parts[0].corners[0].radius, 0.02075);
  EXPECT_EQ(body.mass, 0.03);
  EXPECT_NEAR(body.planar().inertia, 0.5 * 0.03 * 0.02075 * 0.02075, 1e-20);
  ASSERT_TRUE(body.planar().support.has_value());
  for (const Vec2 point : body.planar().support->point) EXPECT_NEAR(std::hypot(point.x, point.y), 0.7 * 0.02075, 1e-15);
  EXPECT_EQ(p.grid.x.size(), 21u);
  EXPECT_EQ(p.grid.y.size(), 21u);
  EXPECT_EQ(p.grid.x.front(), -0.01);
  EXPECT_EQ(p.grid.y.front(), -0.02);
  EXPECT_EQ(p.grid.x_target.size(), 2u);
  EXPECT_EQ(p.scene.success.size(), 3u);
  EXPECT_EQ(p.scene.success[2].kind, PredicateKind::all);
  EXPECT_EQ(p.scene.success[2].count, 2);
  EXPECT_EQ(p.scene.success[0].part_a, 1);  // tooth 1
  EXPECT_EQ(p.scene.success[0].part_b, 7);  // left jaw
  EXPECT_EQ(p.options.still_time, 0.05);
  // the teeth of eq. 3.112 where the thesis puts them
  const double angle[6] = {4.103727, 4.253125, 4.402522, 5.022255, 5.171653, 5.321051};
  for (int tooth = 0; tooth < 6; ++tooth) {
    const Vec2 c = area_properties(body.planar().parts[static_cast<std::size_t>(tooth + 1)]).centroid;
    EXPECT_NEAR(c.x, 0.02075 * std::cos(angle[tooth]), 3e-8) << tooth;
    EXPECT_NEAR(c.y, 0.02075 * std::sin(angle[tooth]), 3e-8) << tooth;
  }
}

TEST(ProblemFile, GearIsExactlyMirrorSymmetric) {
  const Problem p = gear();
  const std::vector<ConvexPart>& parts = p.scene.bodies[0].planar().parts;
  for (std::size_t left = 1; left <= 3; ++left) {
    const std::vector<Corner>& a = parts[left].corners;
    const std::vector<Corner>& b = parts[7 - left].corners;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].centre.x, -b[b.size() - 1 - i].centre.x);
      EXPECT_EQ(a[i].centre.y, b[b.size() - 1 - i].centre.y);
    }
  }
  std::set<std::pair<double, double>> left_jaw;
  for (const Corner& c : p.scene.bodies[1].planar().parts[0].corners) left_jaw.insert({c.centre.x, c.centre.y});
  for (const Corner& c : p.scene.bodies[2].planar().parts[0].corners)
    EXPECT_EQ(left_jaw.count({-c.centre.x, c.centre.y}), 1u);
  EXPECT_EQ(left_jaw.count({0.0, 0.0}), 1u);  // the fingertip
  for (std::size_t i = 0; i < p.grid.x.size(); ++i) EXPECT_EQ(p.grid.x[i], -p.grid.x[p.grid.x.size() - 1 - i]);
}

TEST(ProblemFile, NamedParametersDriveEveryPlaceThatNamesThem) {
  const Problem p = gear();
  const ParameterLayout layout = parameter_layout(p.scene);
  ASSERT_EQ(p.uncertain.size(), 2u);
  EXPECT_EQ(p.uncertain[0].name, "surface_friction");
  EXPECT_EQ(p.uncertain[0].target,
            (std::vector<int>{layout.support(0) + 3, layout.support(1) + 3, layout.support(2) + 3}));
  EXPECT_EQ(p.uncertain[1].target, (std::vector<int>{layout.friction(friction_slot(p.scene, 0, 1)),
                                                     layout.friction(friction_slot(p.scene, 0, 2))}));
  ASSERT_EQ(p.tripods.size(), 1u);
  EXPECT_EQ(p.tripods[0].body, 0);
}

TEST(ProblemFile, LoadsAreSharedIn3DUnlessItSaysOtherwise) {
  const std::string lift = test::source_file("examples/lift/lift.toml");
  EXPECT_TRUE(load_problem(lift).options.load_sharing);
  EXPECT_FALSE(load_problem(lift, {{"simulation.load_sharing", "false"}}).options.load_sharing);
  try {
    gear({{"simulation.load_sharing", "true"}});
    FAIL() << "load sharing in 2D";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("simulation.load_sharing: is for problems with dim = 3; leave it out"),
              std::string::npos)
        << error.what();
  }
}

TEST(ProblemFile, ResolvedProblemReadsBackToTheSameBits) {
  for (const char* file : {"examples/gear/gear.toml", "tests/problem/every_key.toml"}) {
    const Problem first = load_problem(test::source_file(file));
    const Problem second = parse_problem(first.resolved_toml, "resolved.toml");
    EXPECT_EQ(test::words_of(first), test::words_of(second)) << file;
    EXPECT_EQ(first.resolved_toml, second.resolved_toml) << file;
  }
}

TEST(ProblemFile, ResolvedOverridesReadBackWithoutThem) {
  const Problem first =
      gear({{"simulation.h_ms", "2"}, {"uncertain.surface_friction.group", "any"}, {"map.seed", "9"}});
  const Problem second = parse_problem(first.resolved_toml, "resolved.toml");
  EXPECT_EQ(test::words_of(first), test::words_of(second));
  EXPECT_EQ(second.options.h, 0.002);
  EXPECT_EQ(second.seed, 9u);
  EXPECT_EQ(second.uncertain[0].distribution.kind, DistributionKind::mixture);
}

TEST(ProblemFile, OverridesReachBodiesByNameAndByIndex) {
  EXPECT_EQ(gear({{"body.gear.mass_kg", "0.05"}}).scene.bodies[0].mass, 0.05);
  EXPECT_EQ(gear({{"body.0.mass_kg", "0.05"}}).scene.bodies[0].mass, 0.05);
  EXPECT_EQ(gear({{"body[0].mass_kg", "0.05"}}).scene.bodies[0].mass, 0.05);
  EXPECT_EQ(gear({{"body.gear.part.disc.radius_mm", "21"}}).scene.bodies[0].planar().parts[0].corners[0].radius, 0.021);
  EXPECT_EQ(gear({{"simulation.contact", "standard"}}).options.contact, ContactModel::standard);
  EXPECT_EQ(gear({{"simulation.contact", "\"peg-features\""}}).options.contact, ContactModel::peg_features);
  EXPECT_EQ(gear({{"friction[1].mu", "0.5"}}).scene.friction[1].mu, 0.5);
  EXPECT_EQ(gear({{"actuator.right_finger_actuator_2.max_force_n", "7"}}).scene.actuators[1].limit, 7.0);
}

TEST(ProblemFile, OverrideInAnotherUnitReplacesTheOldValue) {
  EXPECT_EQ(gear({{"body.gear.mass_g", "50"}}).scene.bodies[0].mass, 0.05);
  EXPECT_EQ(gear({{"simulation.h_s", "0.001"}}).options.h, 0.001);
}

TEST(ProblemFile, OverrideCanAddWhatTheFileLeavesOut) {
  const Problem p = parse_problem(smallest, "small.toml", {{"simulation.h_ms", "1"}, {"body.puck.friction", "0.25"}});
  EXPECT_EQ(p.options.h, 0.001);
  EXPECT_EQ(p.scene.bodies[0].friction, 0.25);
}

TEST(ProblemFile, EverySettingArrives) {
  const Problem p = load_problem(test::source_file("tests/problem/every_key.toml"));
  EXPECT_EQ(p.options.contact, ContactModel::peg);
  EXPECT_EQ(p.options.solver, SolverKind::jacobi);
  EXPECT_EQ(p.arithmetic, Arithmetic::fast);
  EXPECT_EQ(p.options.penetration_tolerance, 1e-6);
  EXPECT_EQ(p.scene.length_scale, 33.3 / 1000.0);
  EXPECT_EQ(p.scene.gravity.y, -0.2);
  EXPECT_EQ(p.grid.x, (std::vector<double>{-0.003, -0.0015, 0.0, 0.0015, 0.003}));
  EXPECT_EQ(p.grid.y, (std::vector<double>{-0.01, 0.0, 0.0125}));
  EXPECT_EQ(p.grid.y_factor, (std::vector<double>{-1.0}));
  const BodySpec& slab = p.scene.bodies[1];
  EXPECT_EQ(slab.mass, 0.12);
  EXPECT_EQ(slab.slide_axis->x, 0.6);
  EXPECT_EQ(p.scene.bodies[4].planar().motion.size(), 2u);
  EXPECT_TRUE(follows_keyframes(p.scene, 4));
  EXPECT_EQ(p.scene.actuators.size(), 9u);  // those that make it follow come last
  EXPECT_EQ(p.scene.actuators[8].limit, 0.4);
  EXPECT_TRUE(p.scene.actuators[8].rotary);
  ASSERT_EQ(p.scene.success.size(), 10u);
  EXPECT_EQ(p.scene.success[2].kind, PredicateKind::any);
  EXPECT_EQ(p.scene.success[4].kind, PredicateKind::negate);
  EXPECT_EQ(p.scene.success[3].body_b, 1);
  EXPECT_EQ(p.scene.success[5].duration, 0.03);
  EXPECT_EQ(p.scene.success[7].kind, PredicateKind::touching);
  EXPECT_EQ(p.scene.success[7].duration, 0.005);
  EXPECT_EQ(p.scene.success[8].kind, PredicateKind::contact_force);
  EXPECT_EQ(p.scene.success[8].count, 1);
  EXPECT_EQ(p.scene.success[8].value, 0.5);
  EXPECT_EQ(p.scene.success[8].most, 40.0);
  EXPECT_EQ(p.scene.success[8].since, 0.1);
  EXPECT_TRUE(p.scene.measure_forces);
}

TEST(ProblemFile, InertiaFollowsAnUncertainMass) {
  const Problem p = parse_problem(R"(
[[body]]
name = "puck"
mass_kg = { distribution = "uniform", low = 0.1, high = 0.3 }
[body.support]
points_mm = [[-5, -5], [5, -5], [0, 6]]
friction = 0.3
[[body.part]]
shape = "disc"
radius_mm = 10
)",
                                  "puck.toml");
  const std::vector<double> base = scene_parameters(p.scene);
  std::vector<double> parameters(base.size());
  std::vector<double> values(1);
  const ParameterLayout layout = parameter_layout(p.scene);
  draw_sample(p, base, 0, 3, parameters, values);
  const double mass = parameters[static_cast<std::size_t>(layout.mass(0))];
  EXPECT_EQ(mass, values[0]);
  EXPECT_NEAR(parameters[static_cast<std::size_t>(layout.inertia(0))], 0.5 * mass * 1e-4, 1e-18);
  double load = 0.0;
  for (int k = 0; k < 3; ++k) load += parameters[static_cast<std::size_t>(layout.support(k) + 2)];
  EXPECT_NEAR(load, mass * 9.81, 1e-14);
}

// The default is 0.001 mm where shapes of that size may have it, and else the nearest that they may.
TEST(ProblemFile, PolygonsOfSmoothShapesHaveADefaultAtEverySize) {
  for (const double size : {0.002, 1.0, 100.0, 5000.0}) {
    const Problem p = parse_problem(
        "[[body]]\nname = \"a\"\nmass_kg = 1\npart = [{ shape = \"ellipse\", exact = "
        "false, semi_axes_mm = [" +
            std::to_string(size) + ", " + std::to_string(0.5 * size) + "] }]\n",
        "sizes.toml");
    const ConvexPart& part = p.scene.bodies[0].planar().parts[0];
    EXPECT_FALSE(part.curve) << size;
    EXPECT_GE(part.corners.size(), 4u) << size;
    EXPECT_LE(part.corners.size(), 800u) << size;
    EXPECT_EQ(p.resolved_toml.find("polygon_tolerance_mm = 0.001\n") != std::string::npos, size == 1.0) << size;
    EXPECT_NO_THROW(parse_problem(p.resolved_toml, "again.toml")) << size;
  }
}

TEST(Document, RealsAreWrittenInTheShortestFormThatReadsBack) {
  for (const double x : {0.1, 1.0, -0.0, 5e-324, 1.7976931348623157e308, 1e22, 6.4584375e-6, 1.0 / 3.0}) {
    const Node tree = parse_toml("x = " + write_real(x), "t");
    EXPECT_EQ(tree.find("x")->type, Node::Type::real);
    EXPECT_EQ(tree.find("x")->real, x);
    EXPECT_EQ(std::signbit(tree.find("x")->real), std::signbit(x));
  }
}

TEST(Document, KeysKeepTheOrderOfTheFile) {
  const Node tree = parse_toml("z = 1\na.y = 2\na.b = 3\nm = 4\n", "t");
  std::string order;
  for (const auto& [key, node] : tree.members) order += key;
  EXPECT_EQ(order, "zam");
  EXPECT_EQ(tree.find("a")->members[0].first, "y");
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Whole steps, solved: closed formulas first, then the forms against each other, then the thesis' configurations that
// tell the contact models apart.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "src/reference/planar/polygon_step.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/reference/study_steps.hpp"
#include "tests/scenes/random.hpp"
#include "tests/scenes/thesis.hpp"

namespace pegrasp::reference {
namespace {

using namespace test;

constexpr double h = 0.01;
constexpr double close = 1e-9;

SolvedStep solved(const StepProblem& step, Form form, SetRows rows = SetRows::reduced) {
  Formulation formulation;
  formulation.form = form;
  formulation.set_rows = rows;
  SolvedStep result = solve_step(step, formulation);
  EXPECT_EQ(result.result.status, mcp::Status::solved)
      << name(form) << ": " << mcp::status_name(result.result.status) << " " << result.result.message;
  return result;
}

double gap_at_end(const StepProblem& step, std::size_t contact, const StepSolution& solution) {
  const Contact& c = step.contacts[contact];
  return c.gap + step.h * (c.normal.dot(solution.velocity) + c.rate);
}

TEST(SolveStep, BlockAtRest) {
  const StepProblem step = block_on_ground(2.0, 0.2, 0.05, h, 0.0, 0.5);
  for (const Form form : all_forms) {
    const StepSolution s = solved(step, form).solution;
    EXPECT_LT(s.velocity.norm(), close) << name(form);
    EXPECT_NEAR(s.normal[0] + s.normal[1], 2.0 * gravity * h, close);
    EXPECT_NEAR(s.normal[0], s.normal[1], close);
    EXPECT_NEAR(s.tangent[0][0] + s.tangent[1][0], 0.0, close);
  }
}

TEST(SolveStep, BlockSlidesAndSticks) {
  const double mu = 0.3, mass = 2.0;
  for (const Form form : all_forms) {
    const StepSolution slides = solved(block_on_ground(mass, 0.2, 0.05, h, 1.0, mu), form).solution;
    EXPECT_NEAR(slides.velocity[0], 1.0 - mu * gravity * h, close) << name(form);
    EXPECT_NEAR(slides.tangent[0][0] + slides.tangent[1][0], -mu * mass * gravity * h, close);
    EXPECT_NEAR(slides.normal[1] - slides.normal[0], mass * gravity * h * mu * 0.05 / 0.2, close);
    const StepSolution sticks = solved(block_on_ground(mass, 0.2, 0.05, h, 0.01, mu), form).solution;
    EXPECT_LT(sticks.velocity.norm(), close) << name(form);
    EXPECT_NEAR(sticks.tangent[0][0] + sticks.tangent[1][0], -mass * 0.01, close);
  }
}

TEST(SolveStep, Impact) {
  StepProblem step = planar_body(1.0, 1.0, h, {0.0, -3.0, 0.0});
  step.contacts = {ground_contact(0.0, -0.1, 0.02, 0.0)};
  step.unilateral = {0};
  for (const Form form : all_forms)
    EXPECT_NEAR(solved(step, form).solution.velocity[1], -0.02 / h, close) << name(form);
  step.contacts[0].gap = -0.001;  // an overlap is undone within the step
  for (const Form form : all_forms)
    EXPECT_NEAR(solved(step, form).solution.velocity[1], 0.001 / h, close) << name(form);
}

// Velocity level: what approaches a closed contact stops, what overlaps is not pushed apart, what is open is not seen.
TEST(SolveStep, AnitescuPotra) {
  StepProblem step = planar_body(1.0, 1.0, h, {0.5, -3.0, 0.0});
  step.contacts = {ground_contact(0.0, -0.1, -0.001, 0.1)};
  step.unilateral = {0};
  for (const Form form : all_forms) {
    step.contacts[0].gap = -0.001;
    const Formulation formulation{form, Scheme::anitescu_potra};
    const StepSolution closed = solve_step(step, formulation).solution;
    EXPECT_NEAR(closed.velocity[1], 0.0, close) << name(form);
    EXPECT_NEAR(closed.normal[0], 3.0 + gravity * h, close);
    step.contacts[0].gap = 0.001;
    EXPECT_NEAR(solve_step(step, formulation).solution.velocity[1], -3.0 - gravity * h, close);
  }
}

// A pendulum let go from the horizontal: a rod on a pin at its end, first step omega = -h m g l / (I + m l^2).
TEST(SolveStep, Pendulum) {
  const double mass = 1.5, length = 0.4, inertia = 0.02;
  StepProblem step = planar_body(mass, inertia, h, {0.0, 0.0, 0.0});
  // Pin at (-L, 0) from the centre of mass: velocity (vx, vy - omega L).
  step.bilaterals = {{sparse({1.0, 0.0, 0.0}), 0.0, 0.0}, {sparse({0.0, 1.0, -length}), 0.0, 0.0}};
  const double omega = -h * mass * gravity * length / (inertia + mass * length * length);
  for (const Form form : all_forms) {
    const StepSolution s = solved(step, form).solution;
    EXPECT_NEAR(s.velocity[2], omega, close) << name(form);
    EXPECT_NEAR(s.velocity[1], omega * length, close);
    EXPECT_NEAR(s.bilateral[1], mass * (omega * length + gravity * h), close);
  }
}

TEST(SolveStep, MotorPushesABlock) {
  StepProblem step = block_on_ground(2.0, 0.2, 0.05, h, 0.0, 0.3);
  step.motors = {{sparse({1.0, 0.0, 0.0}), -0.5, 0.0, 0.2}};
  for (const Form form : all_forms) {
    const StepSolution s = solved(step, form).solution;
    EXPECT_NEAR(s.motor[0], 0.2, close) << name(form);
    EXPECT_NEAR(s.velocity[0], (0.2 - 0.3 * 2.0 * gravity * h) / 2.0, close) << name(form);
  }
  step.motors[0].bound = 10.0;
  for (const Form form : all_forms) EXPECT_NEAR(solved(step, form).solution.velocity[0], 0.5, close) << name(form);
}

// Slides on one support point under its centre of mass. Coulomb: straight on, slower by b / m. A pyramid of 4: one of
// the axes takes it all, and the path bends.
TEST(SolveStep, SupportPointOpposesSlip) {
  const double mass = 0.5, bound = 0.05, speed = 1.0, angle = std::numbers::pi / 6.0;
  StepProblem step = planar_body(mass, 1.0, h, {speed * std::cos(angle), speed * std::sin(angle), 0.0});
  step.external.setZero();
  step.supports = {{{sparse({1.0, 0.0, 0.0}), sparse({0.0, 1.0, 0.0})}, bound}};
  const StepSolution round = solved(step, Form::quadratic).solution;
  EXPECT_NEAR(std::atan2(round.velocity[1], round.velocity[0]), angle, 1e-7);
  EXPECT_NEAR(round.velocity.norm(), speed - bound / mass, 1e-7);
  for (const Form form : {Form::lcp, Form::mixed}) {
    Formulation four;
    four.form = form;
    four.directions = 4;
    const StepSolution s = solve_step(step, four).solution;
    EXPECT_NEAR(s.velocity[0], speed * std::cos(angle) - bound / mass, close);
    EXPECT_NEAR(s.velocity[1], speed * std::sin(angle), close);
  }
  step.supports[0].bound = 1.0;  // enough to hold it
  for (const Form form : all_forms) EXPECT_LT(solved(step, form).solution.velocity.norm(), 1e-7) << name(form);
}

// A disc on a tripod that turns and slides: at every point the friction has its full size and opposes the slip.
TEST(SolveStep, TripodOpposesSlipAtEveryPoint) {
  StepProblem step = planar_body(0.3, 3.75e-4, h, {0.2, 0.1, 3.0});
  step.external.setZero();
  for (int k = 0; k < 3; ++k) {
    const double a = 2.0 * std::numbers::pi * k / 3.0, x = 0.04 * std::cos(a), y = 0.04 * std::sin(a);
    step.supports.push_back({{sparse({1.0, 0.0, -y}), sparse({0.0, 1.0, x})}, 0.3 * gravity / 3.0 * 0.2 * h});
  }
  const StepSolution s = solved(step, Form::quadratic).solution;
  for (std::size_t k = 0; k < 3; ++k) {
    const SupportPoint& point = step.supports[k];
    const Eigen::Vector2d v(point.tangents[0].dot(s.velocity), point.tangents[1].dot(s.velocity));
    const Eigen::Vector2d p(s.support[k][0], s.support[k][1]);
    EXPECT_NEAR(p.norm(), point.bound, 1e-9);
    EXPECT_NEAR((p / p.norm() + v / v.norm()).norm(), 0.0, 1e-6);
  }
}

// The pyramid's solution, carried over, is the same motion and the same impulses; it solves Coulomb's law in 2D and
// where a support point slides along one of the pyramid's directions, but not where it slides in between.
TEST(SolveStep, LinearisationCarriesOverToTheQuadraticForm) {
  StepProblem both = block_on_ground(2.0, 0.2, 0.05, h, 1.0, 0.3);
  const StepProblem tripod = tripod_disc(h, 0.3, {0.2, 0.1, 3.0});
  both.supports = tripod.supports;
  both.motors = {{sparse({1.0, 0.0, 0.0}), -0.5, 0.0, 0.2}};
  StepProblem planar = both;
  planar.supports.clear();
  for (const bool linear_in_plane : {false, true}) {
    Formulation formulation;
    formulation.form = Form::quadratic;
    formulation.linear_in_plane = linear_in_plane;
    for (const StepProblem& step : {both, planar, tripod}) {
      const FormulatedStep cone = formulate(step, formulation);
      const LinearisedStep linear = linearise(step, formulation, cone);
      const mcp::Result result = mcp::solve(linear.step.problem, linear.step.start);
      ASSERT_EQ(result.status, mcp::Status::solved);
      const mcp::Vector x = linear.back * result.x;
      const StepSolution before = linear.step.read(result.x), after = cone.read(x);
      EXPECT_EQ(before.velocity, after.velocity);
      EXPECT_EQ(before.normal, after.normal);
      EXPECT_EQ(before.tangent, after.tangent);
      EXPECT_EQ(before.support, after.support);
      EXPECT_EQ(before.motor, after.motor);
      if (step.contacts.empty()) {
        EXPECT_GT(residual(cone, x), 1e-6);
      } else {
        EXPECT_LT(residual(cone, x), 1e-9);
      }
    }
    formulation.form = Form::mixed;
    EXPECT_THROW(linearise(planar, formulation, formulate(planar, formulation)), std::invalid_argument);
  }
}

// The pyramid's error (Berard 5.2.3, by direction count): between two of its n_d directions the impulse is off by at
// most 2 b sin(pi / (2 n_d)). In the very middle two directions share, and the error is less.
TEST(SolveStep, PyramidErrorAgainstDirections) {
  const double mass = 0.5, bound = 0.02;
  for (const int directions : {3, 4, 6, 8, 16, 32}) {
    Formulation pyramid;
    pyramid.directions = directions;
    const double limit = 2.0 * bound / mass * std::sin(std::numbers::pi / (2.0 * directions));
    double worst = 0.0;
    for (const double part : {0.0, 0.1, 0.25, 0.4, 0.45, 0.5, 0.7}) {
      // friction points to 2 pi part / n_d, the body goes the other way
      const double angle = std::numbers::pi * (1.0 + 2.0 * part / directions);
      StepProblem step = planar_body(mass, 1.0, h, {std::cos(angle), std::sin(angle), 0.0});
      step.external.setZero();
      step.supports = {{{sparse({1.0, 0.0, 0.0}), sparse({0.0, 1.0, 0.0})}, bound}};
      const StepSolution exact{
          step.velocity * (1.0 - bound / mass), {}, {}, {{-bound * std::cos(angle), -bound * std::sin(angle)}}, {}, {}};
      EXPECT_LT(residual(formulate(step, {Form::quadratic}), exact), 1e-12);
      worst = std::max(worst, (solve_step(step, pyramid).solution.velocity - exact.velocity).norm());
    }
    EXPECT_LT(worst, limit) << directions;
    EXPECT_GT(worst, 0.85 * limit) << directions;
  }
}

// A body above random points of level ground: every form of a step gives the same motion, with friction and without.
TEST(SolveStep, FormsAgree) {
  scenes::Random random(pegrasp::test::fuzz_seed(21));
  for (int trial = 0; trial < 200; ++trial) {
    StepProblem step = planar_body(random.uniform(0.5, 2.0), random.uniform(0.01, 0.1), h,
                                   {random.uniform(-1.0, 1.0), random.uniform(-2.0, 0.0), random.uniform(-3.0, 3.0)});
    const double mu = trial % 2 == 0 ? 0.0 : random.uniform(0.05, 0.3);
    for (int k = 0; k < 3; ++k) {
      step.contacts.push_back(
          ground_contact(random.uniform(-0.2, 0.2), random.uniform(-0.1, 0.0), random.uniform(0.0, 0.01), mu));
      step.unilateral.push_back(k);
    }
    const StepSolution one = solved(step, Form::lcp).solution;
    const StepSolution two = solved(step, Form::mixed).solution;
    const StepSolution three = solved(step, Form::quadratic).solution;
    EXPECT_LT((one.velocity - two.velocity).lpNorm<Eigen::Infinity>(), close) << trial;
    EXPECT_LT((two.velocity - three.velocity).lpNorm<Eigen::Infinity>(), 1e-7) << trial;
  }
}

// Hart's convex programs, each relaxed by what the last one slips, come to the step with the friction pyramid.
TEST(SolveStep, ConvexProgramsComeToTheMixedForm) {
  scenes::Random random(pegrasp::test::fuzz_seed(23));
  for (int trial = 0; trial < 200; ++trial) {
    StepProblem step = planar_body(random.uniform(0.5, 2.0), random.uniform(0.01, 0.1), h,
                                   {random.uniform(-1.0, 1.0), random.uniform(-2.0, 0.0), random.uniform(-3.0, 3.0)});
    for (int k = 0; k < 3; ++k) {
      step.contacts.push_back(ground_contact(random.uniform(-0.2, 0.2), random.uniform(-0.1, 0.0),
                                             random.uniform(0.0, 0.01), random.uniform(0.05, 0.3)));
      step.unilateral.push_back(k);
    }
    const StepSolution mixed = solved(step, Form::mixed).solution;
    const StepSolution convex = solved(step, Form::convex).solution;
    EXPECT_LT((mixed.velocity - convex.velocity).lpNorm<Eigen::Infinity>(), 1e-8) << trial;
    // Only the matrix of the convex program is monotone.
    const auto least = [&](Form form) {
      const Eigen::MatrixXd m = formulate(step, {form}).m;
      return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m + m.transpose()).eigenvalues()[0];
    };
    EXPECT_GT(least(Form::convex), -1e-12) << trial;
    EXPECT_LT(least(Form::mixed), -1e-3) << trial;
  }
}

// A single program without what the last one slips is that of the relaxed cone: what slides at v lifts at mu v.
TEST(SolveStep, ARelaxedConeLiftsWhatSlides) {
  const double mu = 0.3, speed = 1.0;
  StepProblem step = planar_body(2.0, 0.1, h, {speed, 0.0, 0.0});
  step.contacts.push_back(ground_contact(0.0, 0.0, 0.0, mu));
  step.unilateral = {0};
  Formulation one;
  one.form = Form::convex;
  one.relaxation = {0.0};
  const StepSolution s = solve_step(step, one).solution;
  const double push = (mu * speed + gravity * h) / (1.0 + mu * mu);  // p / m
  EXPECT_NEAR(s.velocity[0], speed - mu * push, close);
  EXPECT_NEAR(s.velocity[1], mu * s.velocity[0], close);
  const StepSolution settled = solved(step, Form::convex).solution;
  EXPECT_NEAR(settled.velocity[0], speed - mu * gravity * h, close);
  EXPECT_NEAR(settled.velocity[1], 0.0, close);
  step.inter = {{{0}, {}}};
  EXPECT_THROW(solve_step(step, {Form::convex}), std::invalid_argument);
}

// The eliminated statement of an I-constraint: 0 <= max psi  _|_  lambda >= 0, in both ways of writing it, and by
// cases: the particle's motion is free, or one of the two lines holds it.
TEST(SolveStep, InterConstraintIsTheMaxRule) {
  scenes::Random random(pegrasp::test::fuzz_seed(22));
  int forced = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double a = random.uniform(0.2, 2.9);  // between the two normals
    StepProblem step =
        particle(random.uniform(0.5, 2.0), h, {random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02)},
                 {random.uniform(-4.0, 4.0), random.uniform(-4.0, 4.0)}, {{0.0, 1.0}, {std::sin(a), std::cos(a)}});
    const double top = std::max(step.contacts[0].gap, step.contacts[1].gap);
    if (top < 0.0) continue;
    step.inter = {{{0, 1}, {}}};
    for (const Form form : {Form::lcp, Form::mixed}) {
      const StepSolution s = solved(step, form).solution;
      const double first = gap_at_end(step, 0, s), second = gap_at_end(step, 1, s);
      const double p = s.normal[0] + s.normal[1];
      EXPECT_GT(std::max(first, second), -close);
      EXPECT_LT(std::min(std::max(first, second) / h, p), close);  // complementary
      if (p > close) {
        ++forced;
        EXPECT_NEAR(s.normal[0] > close ? first : second, 0.0, close);
      }
    }
    const int front = step.contacts[0].gap >= step.contacts[1].gap ? 0 : 1;
    step.inter = {{{front}, {1 - front}}};
    const StepSolution one = solved(step, Form::mixed).solution;
    EXPECT_GT(std::max(gap_at_end(step, 0, one), gap_at_end(step, 1, one)), -close);
  }
  EXPECT_GT(forced, 50);
}

// Figure 4.4: a spike goes right through another one's tip within a step. Neither tip ends inside the other part, so
// I-constraints alone (LNC) let it pass; the X-constraints do not.
TEST(SolveStep, LncMissesACrossing) {
  const SceneSpec scene = crossing_scene();
  const std::vector<Pose> poses = crossing_poses(0.05, -0.05);
  const std::vector<Twist> twists{{}, {-12.0, 0.0, 0.0}};
  PolygonStepOptions options;
  options.epsilon = 0.1;
  options.rules.sets = ContactSets::lnc;
  const StepProblem lnc = polygon_step(scene, poses, twists, h, options);
  const StepSolution missed = solved(lnc, Form::mixed).solution;
  EXPECT_NEAR(missed.velocity[0], -12.0, close);

  for (const ContactSets sets : {ContactSets::peg_one, ContactSets::peg_several}) {
    options.rules.sets = sets;
    std::vector<ContactName> names;
    const StepProblem peg = polygon_step(scene, poses, twists, h, options, &names);
    ASSERT_EQ(peg.cross.size(), 2u);
    ASSERT_EQ(peg.contacts.size(), 4u);
    const auto ends_apart = [&](const StepSolution& solution) {
      const auto open = [&](std::size_t i) { return gap_at_end(peg, i, solution) > -close; };
      return (open(0) && open(2)) || (open(1) && open(3));  // pair-modes.md (2)
    };
    EXPECT_FALSE(ends_apart(missed));
    const StepSolution stopped = solved(peg, Form::mixed).solution;
    EXPECT_TRUE(ends_apart(stopped));
    EXPECT_GT(stopped.velocity[0], -11.0);
  }
}

// Figure 5.1: a block slides over the end of another. The standard model stops it with contacts that are none.
TEST(SolveStep, StandardModelTrap) {
  const SceneSpec scene = scenes::corner_approach();
  const std::vector<Pose> poses{scene.bodies[0].planar().pose,
                                {-0.27, 0.25, 0.0}};  // leading vertex 0.02 before the corner
  const std::vector<Twist> twists{{}, {1.0, 0.0, 0.0}};
  PolygonStepOptions options;
  options.epsilon = 0.05;
  for (const ContactSets sets : {ContactSets::peg_one, ContactSets::peg_several, ContactSets::lnc}) {
    options.rules.sets = sets;
    const StepSolution s = solved(polygon_step(scene, poses, twists, h, options), Form::mixed).solution;
    EXPECT_NEAR(s.velocity[0], 1.0, close);
    EXPECT_NEAR(s.velocity[1], 0.0, close);
  }
  options.rules.sets = ContactSets::standard_all;
  const StepSolution thrown = solved(polygon_step(scene, poses, twists, h, options), Form::mixed).solution;
  EXPECT_GT(thrown.velocity[0], 1.5);  // its vertex out of the side's half-plane at once: 0.02 / h
}

// Figure 5.12: a narrower block on a wider one, near both ends: to leave both side faces' half-planes it would have
// to go left and right. The standard model has no solution; PEG has the one at rest.
TEST(SolveStep, StandardModelIsInfeasible) {
  SceneSpec scene;
  scene.gravity = {0.0, -gravity};
  BodySpec below = scenes::box_body("below", 1.1, 1.0, 1.0);
  below.kind = BodyKind::fixed;
  scene.bodies = {below, scenes::box_body("above", 1.0, 1.0, 1.0)};
  const std::vector<Pose> poses{{}, {0.0, 1.0, 0.0}};
  const std::vector<Twist> twists(2);
  PolygonStepOptions options;
  options.epsilon = 0.07;
  for (const ContactSets sets : {ContactSets::peg_one, ContactSets::peg_several}) {
    options.rules.sets = sets;
    const StepSolution s = solved(polygon_step(scene, poses, twists, h, options), Form::mixed).solution;
    EXPECT_LT(s.velocity.norm(), close);
  }
  options.rules.sets = ContactSets::standard_all;
  const StepProblem trap = polygon_step(scene, poses, twists, h, options);
  const FormulatedStep formulated = formulate(trap, {Form::mixed});
  const mcp::Result result = mcp::solve(formulated.problem, formulated.start);
  EXPECT_EQ(result.status, mcp::Status::infeasible) << result.message;
  std::string why;
  EXPECT_TRUE(mcp::check_certificate(formulated.m, formulated.q, formulated.problem.lower, formulated.problem.upper,
                                     result.certificate, &why))
      << why;
}

}  // namespace
}  // namespace pegrasp::reference

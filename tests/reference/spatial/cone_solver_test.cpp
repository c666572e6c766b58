// SPDX-License-Identifier: Apache-2.0
// The reference's solver of Coulomb's law on discs: one contact against its closed solution, and random problems by
// their natural map.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "src/reference/common/residual.hpp"
#include "src/reference/spatial/cone_solver.hpp"
#include "src/reference/spatial/fit_impulses.hpp"
#include "tests/fuzz_seed.hpp"

namespace pegrasp::reference::spatial {
namespace {

SparseVector sparse(const Vector& dense) { return dense.sparseView(0.0, 0.0); }

StepProblem free_bodies(int size) {
  StepProblem step;
  step.h = 0.01;
  step.mass.resize(size, size);
  step.mass.setIdentity();
  step.velocity = Vector::Zero(size);
  step.external = Vector::Zero(size);
  return step;
}

void add_contact(StepProblem& step, const Vector& n, const Vector& t, const Vector& o, double mu) {
  Contact contact;
  contact.normal = sparse(n);
  contact.tangents = {sparse(t), sparse(o)};
  contact.mu = mu;
  step.unilateral.push_back(static_cast<int>(step.contacts.size()));
  step.contacts.push_back(contact);
}

StepSolution solved(const StepProblem& step, double& residual) {
  const ConeProblem problem(step);
  const ConeSolution found = solve_cones(problem, {}, 1e-12);
  residual = found.residual;
  return problem.write(found.impulses);
}

// A point that comes down with a slip of 3 and 4 on a plane: it slides on, slower by mu times what stops it; or it
// stops.
TEST(ConeSolver, OnePointOnAPlane) {
  for (const double mu : {0.1, 0.5, 5.0}) {
    StepProblem step = free_bodies(3);
    step.velocity << 3.0, 4.0, -2.0;
    add_contact(step, Vector::Unit(3, 2), Vector::Unit(3, 0), Vector::Unit(3, 1), mu);
    double residual = 0.0;
    const StepSolution solution = solved(step, residual);
    EXPECT_LT(residual, 1e-11);
    const double left = std::max(0.0, 1.0 - mu * 2.0 / 5.0);
    EXPECT_NEAR(solution.velocity[0], 3.0 * left, 1e-10) << mu;
    EXPECT_NEAR(solution.velocity[1], 4.0 * left, 1e-10) << mu;
    EXPECT_NEAR(solution.velocity[2], 0.0, 1e-10) << mu;
  }
}

// Velocities that an impulse along the side of the cone leaves, of a point that slides; any, of one that sticks; none,
// of one that is open.
TEST(FitImpulses, ChangesWhatMayChange) {
  const auto apart = [](double mu, double vz, const Vector& more) {
    StepProblem step = free_bodies(3);
    step.velocity << 3.0, 4.0, vz;
    add_contact(step, Vector::Unit(3, 2), Vector::Unit(3, 0), Vector::Unit(3, 1), mu);
    double residual = 0.0;
    const Vector claimed = solved(step, residual).velocity + more;
    const ConeProblem convex(step, claimed);
    const Vector p = solve_cones(ConeProblem(step), {}, 1e-12).impulses;
    return (fit_impulses(step, convex, p, claimed).velocity - claimed).norm();
  };
  const Vector side{{-0.3e-3, -0.4e-3, 1e-3}};
  EXPECT_LT(apart(0.5, -2.0, side), 1e-13);
  // Friction that turns away from the slip costs the speed of the slip times the angle.
  EXPECT_GT(apart(0.5, -2.0, Vector{{-0.4e-3, 0.3e-3, 0.0}}), 0.4e-3);
  EXPECT_LT(apart(5.0, -2.0, Vector{{-0.4e-3, 0.3e-3, 1e-3}}), 1e-13);
  EXPECT_NEAR(apart(0.5, 1.0, side), side.norm(), 1e-12);
}

// Four contacts of one body share what they carry: the velocity is that of one that carries all.
TEST(ConeSolver, ContactsThatSayTheSameFourTimes) {
  StepProblem step = free_bodies(3);
  step.velocity << 3.0, 4.0, -2.0;
  for (int k = 0; k < 4; ++k) add_contact(step, Vector::Unit(3, 2), Vector::Unit(3, 0), Vector::Unit(3, 1), 0.5);
  double residual = 0.0;
  const StepSolution solution = solved(step, residual);
  EXPECT_LT(residual, 1e-11);
  EXPECT_NEAR(solution.velocity[0], 2.4, 1e-10);
  EXPECT_NEAR(solution.velocity[1], 3.2, 1e-10);
}

// What four legs carry is anyone's guess; on springs each carries its part, wherever the solver starts, and two at one
// place share one.
TEST(ConeSolver, LegsOnSprings) {
  StepProblem step = free_bodies(3);  // height, and tilts about x and y
  step.velocity << -1.0, 0.0, 0.0;
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      Contact leg;
      leg.normal = sparse((Vector(3) << 1.0, y, -x).finished());
      leg.spring = 1.0;
      step.contacts.push_back(leg);
    }
  }
  step.contacts.push_back(step.contacts.back());
  step.contacts[3].spring = step.contacts[4].spring = 2.0;
  const ConeProblem problem = ConeProblem(step);
  EXPECT_FALSE(problem.has_springs()) << "without friction nothing hangs on it";
  constexpr double softness = 1e-3;
  const ConeProblem springs = problem.on_springs(softness);
  const std::uint64_t seed = test::fuzz_seed(11);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> part(0.0, 0.5);
  for (int round = 0; round < 10; ++round) {
    Vector start(5);
    for (double& p : start) p = part(random);
    const Vector even = solve_cones(springs, start, 1e-13).impulses;
    const double whole = 4.0 / (4.0 + softness);
    const double each = 0.25 * whole;
    EXPECT_LT((even - (Vector(5) << each, each, each, 0.5 * each, 0.5 * each).finished()).norm(), 1e-9)
        << "seed " << seed << ", round " << round;
    const Vector carried = solve_cones(problem, even, 1e-13).impulses;
    EXPECT_LT((carried - even / whole).norm(), 1e-4) << "the rest, a thousandth, changes little";
  }
}

// More contacts than the bodies have freedoms: what is said to be solved is solved, by the natural map that other code
// computes.
TEST(ConeSolver, RandomProblems) {
  const std::uint64_t seed = test::fuzz_seed(5);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  int hard = 0;
  constexpr int problems = 60;
  for (int round = 0; round < problems; ++round) {
    StepProblem step = free_bodies(12);
    const auto draw = [&] {
      Vector v(12);
      for (double& x : v) x = normal(random);
      return v;
    };
    step.velocity = draw();
    for (int k = 0; k < 6; ++k) add_contact(step, draw(), draw(), draw(), 0.4);
    Bilateral joint;
    joint.row = sparse(draw());
    step.bilaterals.push_back(joint);
    double residual = 0.0;
    const StepSolution solution = solved(step, residual);
    if (residual > 1e-9) {
      ++hard;
      continue;
    }
    const std::vector<int> one_body(12, 0);
    EXPECT_LT(natural_map_residual(step, solution, one_body), 1e-7) << "round " << round << ", seed " << seed;
  }
  EXPECT_LE(hard, problems / 20) << "seed " << seed;
}

}  // namespace
}  // namespace pegrasp::reference::spatial

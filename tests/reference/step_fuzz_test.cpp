// SPDX-License-Identifier: Apache-2.0
// Random states of a few polygons in a container, in every contact model and form. Where the answer is unique (no
// friction, no disjunctions: a strictly convex program in nu) all forms agree; elsewhere each solution is assessed by
// what it must satisfy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "src/reference/planar/polygon_step.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/reference/steps.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::reference {
namespace {

using namespace test;

constexpr double h = 0.005;
constexpr int container = 3;  // bodies of it

struct State {
  SceneSpec scene;
  std::vector<Pose> poses;
  std::vector<Twist> twists;
};

// Polygons on a grid a little narrower than they are wide, shaken: many near, some overlapping.
State random_state(scenes::Random& random, double mu, int count) {
  State state;
  state.scene = scenes::polygon_box(random.next(), mu, count);
  for (const BodySpec& body : state.scene.bodies) {
    state.poses.push_back(body.planar().pose);
    state.twists.push_back({});
  }
  for (int k = 0; k < count; ++k) {
    const auto body = static_cast<std::size_t>(container + k);
    state.poses[body] = {-0.7 + 0.42 * (k % 4) + random.uniform(-0.02, 0.02),
                         0.2 + 0.4 * (k / 4) + random.uniform(-0.02, 0.02), random.uniform(-3.0, 3.0)};
    state.twists[body] = {random.uniform(-1.0, 1.0), random.uniform(-2.0, 0.5), random.uniform(-3.0, 3.0)};
  }
  return state;
}

// What every solution satisfies whatever the form: momentum balance, no pull, Coulomb's bound.
void expect_physical(const StepProblem& step, const StepSolution& s) {
  Vector balance = step.mass * (s.velocity - step.velocity) - step.external;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const Contact& c = step.contacts[i];
    balance -= s.normal[i] * c.normal;
    for (std::size_t t = 0; t < c.tangents.size(); ++t) balance -= s.tangent[i][t] * c.tangents[t];
    EXPECT_GT(s.normal[i], -1e-9);
    EXPECT_LT(std::abs(s.tangent[i][0]), c.mu * s.normal[i] + 1e-5);
  }
  EXPECT_LT(balance.lpNorm<Eigen::Infinity>(), 1e-8);
}

double end_gap_rate(const StepProblem& step, int contact, const StepSolution& s) {
  const Contact& c = step.contacts[static_cast<std::size_t>(contact)];
  return c.gap / step.h + c.normal.dot(s.velocity) + c.rate;
}

TEST(StepFuzz, FormsAgreeWhereTheAnswerIsUnique) {
  scenes::Random random(pegrasp::test::fuzz_seed(31));
  int solved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const State state = random_state(random, 0.0, 4 + trial % 5);
    PolygonStepOptions options;
    options.epsilon = 0.02;
    options.rules.sets = ContactSets::standard_single;
    const StepProblem step = polygon_step(state.scene, state.poses, state.twists, h, options);
    const SolvedStep first = solve_step(step, {Form::lcp});
    if (first.result.status != mcp::Status::solved) continue;
    ++solved;
    expect_physical(step, first.solution);
    for (const Form form : {Form::mixed, Form::quadratic}) {
      const SolvedStep other = solve_step(step, {form});
      ASSERT_EQ(other.result.status, mcp::Status::solved) << name(form) << " " << other.result.message;
      EXPECT_LT((other.solution.velocity - first.solution.velocity).lpNorm<Eigen::Infinity>(), 1e-8);
    }
  }
  EXPECT_GE(solved, 55);
}

TEST(StepFuzz, DisjunctionsHold) {
  scenes::Random random(pegrasp::test::fuzz_seed(32));
  int solved = 0, tried = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const double mu = trial % 2 == 0 ? 0.0 : 0.3;
    const State state = random_state(random, mu, 4 + trial % 5);
    for (const ContactSets sets : {ContactSets::lnc, ContactSets::peg_one, ContactSets::peg_several}) {
      PolygonStepOptions options;
      options.epsilon = 0.02;
      options.rules.sets = sets;
      const StepProblem step = polygon_step(state.scene, state.poses, state.twists, h, options);
      for (const Form form : {Form::lcp, Form::mixed}) {
        const SolvedStep result = solve_step(step, {form});
        ++tried;
        if (result.result.status != mcp::Status::solved) continue;
        ++solved;
        expect_physical(step, result.solution);
        const auto highest = [&](const std::vector<int>& a, const std::vector<int>& b) {
          double top = -mcp::infinity;
          for (const std::vector<int>* list : {&a, &b}) {
            for (const int i : *list) top = std::max(top, end_gap_rate(step, i, result.solution));
          }
          return top;
        };
        for (const int i : step.unilateral) EXPECT_GT(end_gap_rate(step, i, result.solution), -1e-8);
        for (const InterContact& set : step.inter) EXPECT_GT(highest(set.carriers, set.masks), -1e-8);
        for (const CrossContact& set : step.cross) EXPECT_GT(highest(set.a, set.b), -1e-8);
      }
    }
  }
  std::cout << "solved " << solved << " of " << tried << "\n";
  EXPECT_GE(solved, tried * 9 / 10);
}

// Friction in 2D is exact with two directions: the linear forms' solution solves the quadratic one, and the
// other way round.
TEST(StepFuzz, PlanarFrictionIsTheSameInAllForms) {
  scenes::Random random(pegrasp::test::fuzz_seed(33));
  int solved = 0, tried = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const State state = random_state(random, 0.3, 4 + trial % 5);
    PolygonStepOptions options;
    options.epsilon = 0.02;
    options.rules.sets = trial % 2 == 0 ? ContactSets::standard_single : ContactSets::peg_one;
    const StepProblem step = polygon_step(state.scene, state.poses, state.twists, h, options);
    const FormulatedStep mixed = formulate(step, {Form::mixed});
    const FormulatedStep quadratic = formulate(step, {Form::quadratic});
    const SolvedStep linear = solve_step(step, {Form::mixed});
    ++tried;
    if (linear.result.status != mcp::Status::solved) continue;
    ++solved;
    EXPECT_LT(residual(quadratic, linear.solution), 1e-7);
    const SolvedStep nonlinear = solve_step(step, {Form::quadratic});
    if (nonlinear.result.status == mcp::Status::solved) {
      EXPECT_LT(residual(mixed, nonlinear.solution), 1e-4);
    }
  }
  std::cout << "solved " << solved << " of " << tried << "\n";
  EXPECT_GE(solved, tried * 8 / 10);
}

}  // namespace
}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// Berard's full planar model (2.7.6, figure 2.11): a block on a conveyor belt, a pusher at its left edge, a rod that
// hangs in it, and a particle in a spring at the end of the rod. His problem of 22 unknowns, (2.119) to (2.135), is
// written down here and solved step after step; pegrasp, which treats the spring implicitly and the rest to second
// order, comes to the same motion as the step gets shorter.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/reference/step/formulate.hpp"
#include "tests/places.hpp"
#include "tests/reference/steps.hpp"
#include "tests/runs.hpp"

namespace pegrasp::reference::test {
namespace {

using Eigen::Vector2d;

Vector2d left_of(const Vector2d& v) { return {-v.y(), v.x()}; }
double cross_of(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }
Vector2d turned(double angle, const Vector2d& v) {
  return {std::cos(angle) * v.x() - std::sin(angle) * v.y(), std::sin(angle) * v.x() + std::cos(angle) * v.y()};
}

// The numbers of examples/springs/conveyor.toml.
struct Model {
  double mass_c = 2.0, mass_a = 0.3, mass_b = 0.2;
  double half_width = 0.2, half_height = 0.1, rod_length = 0.3;
  double inertia_c = 2.0 * (0.4 * 0.4 + 0.2 * 0.2) / 12.0, inertia_a = 0.3 * (0.02 * 0.02 + 0.3 * 0.3) / 12.0;
  double stiffness = 40.0, rest = 0.15, damping = 0.5;
  double mu_belt = 0.4, mu_pusher = 0.2;
  double belt = 0.3, pusher = 0.4;  // [m/s]
  Vector2d pusher_start{-0.23, 0.06};
  double pusher_radius = 0.01;
};

// q = (block, rod, particle), 8 coordinates; so is nu.
struct Motion {
  Vector q, nu;
};

Motion at_start() {
  Motion out;
  out.q = vector({0.0, 0.1, 0.0, 0.0, -0.05, 0.0, 0.15, -0.3});
  out.nu = Vector::Zero(8);
  return out;
}

// (2.125) to (2.133): gravity, and the wrenches of spring and damper on rod and particle.
Vector applied(const Model& m, const Motion& now) {
  Vector out = vector({0.0, -m.mass_c * gravity, 0.0, 0.0, -m.mass_a * gravity, 0.0, 0.0, -m.mass_b * gravity});
  const Vector2d arm = turned(now.q[5], {0.0, -0.5 * m.rod_length});
  const Vector2d apart = now.q.segment<2>(6) - (now.q.segment<2>(3) + arm);
  const Vector2d velocity_p = now.nu.segment<2>(3) + now.nu[5] * left_of(arm);
  const Vector2d force =
      -m.stiffness * (apart.norm() - m.rest) * apart.normalized() - m.damping * (now.nu.segment<2>(6) - velocity_p);
  out.segment<2>(6) += force;
  out.segment<2>(3) -= force;
  out[5] -= cross_of(arm, force);
  return out;
}

SparseVector row_of(const Vector& values) {
  return sparse(std::vector<double>(values.data(), values.data() + values.size()));
}

// A contact of the block at a point x of the world: gap along n, friction along t.
Contact block_contact(const Motion& now, const Vector2d& x, const Vector2d& n, double gap, double mu) {
  const Vector2d arm = x - now.q.head<2>();
  const Vector2d t = -left_of(n);
  Vector normal = Vector::Zero(8), tangent = Vector::Zero(8);
  normal.head<3>() << n.x(), n.y(), cross_of(arm, n);
  tangent.head<3>() << t.x(), t.y(), cross_of(arm, t);
  Contact out;
  out.normal = row_of(normal);
  out.tangents = {row_of(tangent)};
  out.tangent_rate = {0.0};
  out.gap = gap;
  out.mu = mu;
  return out;
}

// (2.134). time: at the start of the step [s].
StepProblem problem_of(const Model& m, const Motion& now, double time, double h) {
  StepProblem step;
  step.h = h;
  step.mass = diagonal({m.mass_c, m.mass_c, m.inertia_c, m.mass_a, m.mass_a, m.inertia_a, m.mass_b, m.mass_b});
  step.velocity = now.nu;
  step.external = h * applied(m, now);
  const Vector2d pivot = turned(now.q[5], {0.0, 0.5 * m.rod_length});
  for (const int i : {0, 1}) {  // (2.121)
    Vector row = Vector::Zero(8);
    row[i] = 1.0;
    row[3 + i] = -1.0;
    row[5] = i == 0 ? pivot.y() : -pivot.x();
    step.bilaterals.push_back({row_of(row), now.q[i] - now.q[3 + i] - pivot[i], 0.0, {}});
  }
  for (const double side : {-1.0, 1.0}) {
    const Vector2d corner = now.q.head<2>() + turned(now.q[2], {side * m.half_width, -m.half_height});
    step.contacts.push_back(block_contact(now, corner, {0.0, 1.0}, corner.y(), m.mu_belt));
    step.contacts.back().tangent_rate = {-m.belt};  // the belt moves along t
  }
  const Vector2d n = turned(now.q[2], {1.0, 0.0});
  const Vector2d pusher = m.pusher_start + Vector2d(m.pusher * time, 0.0);
  const Vector2d place = pusher + m.pusher_radius * n;
  const double gap = n.dot(now.q.head<2>() - place) - m.half_width;
  step.contacts.push_back(block_contact(now, place, n, gap, m.mu_pusher));
  step.contacts.back().rate = -m.pusher * n.x();
  step.contacts.back().tangent_rate = {m.pusher * n.y()};  // t = -left_of(n)
  step.unilateral = {0, 1, 2};
  return step;
}

TEST(FullPlanarModel, HasTheTwentyTwoUnknownsOfBerard) {
  const FormulatedStep formulated = formulate(problem_of({}, at_start(), 0.0, 0.01), {Form::mixed});
  EXPECT_EQ(formulated.kinds.size(), 22u);
  const auto count = [&](VariableKind kind) {
    return std::count(formulated.kinds.begin(), formulated.kinds.end(), kind);
  };
  EXPECT_EQ(count(VariableKind::velocity), 8);
  EXPECT_EQ(count(VariableKind::bilateral), 2);
  EXPECT_EQ(count(VariableKind::normal), 3);
  EXPECT_EQ(count(VariableKind::friction), 6);
  EXPECT_EQ(count(VariableKind::slip), 3);
}

constexpr double until = 0.6;  // [s]

// Where the bodies are at the end, by Berard's steps.
Vector by_berard(double h) {
  Motion now = at_start();
  const int steps = static_cast<int>(std::lround(until / h));
  for (int i = 0; i < steps; ++i) {
    const SolvedStep solved = solve_step(problem_of({}, now, i * h, h), {Form::mixed});
    EXPECT_EQ(solved.result.status, mcp::Status::solved) << i;
    now.nu = solved.solution.velocity;
    now.q += h * now.nu;
  }
  return now.q;
}

Vector by_pegrasp(double h) {
  const Problem problem = load_problem(pegrasp::test::source_file("examples/springs/conveyor.toml"));
  Simulation simulation = pegrasp::test::simulate(problem.scene, pegrasp::test::steps_of(h, until));
  while (simulation.step()) continue;
  EXPECT_EQ(simulation.outcome().status, status_ok);
  std::array<Pose, 3> pose;
  for (std::size_t body = 0; body < problem.scene.bodies.size(); ++body) {
    const std::string& name = problem.scene.bodies[body].name;
    const int place = name == "block" ? 0 : name == "rod" ? 1 : name == "particle" ? 2 : -1;
    if (place >= 0) pose[static_cast<std::size_t>(place)] = simulation.pose(static_cast<int>(body));
  }
  return vector({pose[0].x, pose[0].y, pose[0].theta, pose[1].x, pose[1].y, pose[1].theta, pose[2].x, pose[2].y});
}

TEST(FullPlanarModel, BothComeToTheSameMotionAsTheStepGetsShorter) {
  const Vector exact = by_pegrasp(0.00025);
  EXPECT_LT((by_pegrasp(0.001) - exact).lpNorm<Eigen::Infinity>(), 1e-4);
  const double coarse = (by_berard(0.002) - exact).lpNorm<Eigen::Infinity>();
  const double fine = (by_berard(0.001) - exact).lpNorm<Eigen::Infinity>();
  EXPECT_LT(coarse, 0.02);
  EXPECT_NEAR(coarse / fine, 2.0, 0.4) << coarse << " " << fine;
  EXPECT_GT(exact[0], 0.1) << "belt and pusher have moved the block";
}

}  // namespace
}  // namespace pegrasp::reference::test

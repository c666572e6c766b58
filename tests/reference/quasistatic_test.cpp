// SPDX-License-Identifier: Apache-2.0
// The quasistatic scheme (Berard's thesis, 3.4): fence and particle in its two forms and with the box of (3.49), and
// theorem 1, by which the solution of Model-DQC is the step of least work (3.45).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "src/metrics/motion_cone.hpp"
#include "tests/reference/steps.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::reference {
namespace {

using namespace test;

constexpr double step_length = 0.01;
constexpr double mass = 1.0;

enum class Law { exact, diamond, box };

// (3.52) to (3.67): coordinates x, y, z; contacts with the wall, the fence and the plane.
StepProblem fence_step(double x, double t, double mu_fence, double mu_plane, Law law) {
  const double h = step_length;
  const double fence = 0.5 + 0.4 * std::sin(t), then = 0.5 + 0.4 * std::sin(t + h);
  StepProblem step;
  step.h = h;
  step.mass = diagonal({mass, mass, mass});
  step.velocity = vector({7.0, -3.0, 2.0});  // which the scheme does not see
  step.external = vector({0.0, 0.0, -h * mass * gravity});
  Contact wall, side, plane;
  wall.normal = sparse({-1.0, 0.0, 0.0});
  wall.tangents = {sparse({0.0, 1.0, 0.0})};
  wall.tangent_rate = {0.0};
  wall.gap = 1.0 - x;
  wall.mu = 0.5;
  side.normal = sparse({1.0, 0.0, 0.0});
  side.tangents = {sparse({0.0, 1.0, 0.0})};
  side.tangent_rate = {-1.0};
  side.gap = x - fence;
  side.rate = -(then - fence) / h;
  side.mu = mu_fence;
  plane.normal = sparse({0.0, 0.0, 1.0});
  plane.tangents = {sparse({1.0, 0.0, 0.0}), sparse({0.0, 1.0, 0.0})};
  plane.tangent_rate = {0.0, 0.0};
  plane.mu = law == Law::box ? 0.0 : mu_plane;
  step.contacts = {wall, side, plane};
  step.unilateral = {0, 1, 2};
  if (law == Law::box) {  // each direction has a bound of its own, as the load is known
    for (const SparseVector& t : plane.tangents) {
      SupportPoint point;
      point.tangents = {t};
      point.bound = mu_plane * h * mass * gravity;
      step.supports.push_back(point);
    }
  }
  return step;
}

struct Walked {
  double x = 0.6, y = 0.0, farthest = 0.6;
};
Walked walk(double mu_fence, double mu_plane, Law law, int steps = 628) {
  Formulation formulation;
  formulation.form = law == Law::exact ? Form::quadratic : Form::mixed;
  formulation.linear_in_plane = true;
  formulation.scheme = Scheme::quasistatic;
  formulation.directions = 4;
  Walked out;
  for (int k = 0; k < steps; ++k) {
    const StepProblem step = fence_step(out.x, k * step_length, mu_fence, mu_plane, law);
    const SolvedStep solved = solve_step(step, formulation);
    EXPECT_EQ(solved.result.status, mcp::Status::solved) << k;
    if (solved.result.status != mcp::Status::solved) break;
    out.x += step_length * solved.solution.velocity[0];
    out.y += step_length * solved.solution.velocity[1];
    EXPECT_NEAR(solved.solution.normal[2], step_length * mass * gravity, 1e-9) << k;
    out.farthest = std::fmax(out.farthest, 0.5 + 0.4 * std::sin((k + 1) * step_length));
  }
  return out;
}

TEST(QuasistaticScheme, FenceSlipsByCoulombsLaw) {
  const Walked end = walk(0.5, 0.3, Law::exact);
  EXPECT_NEAR(end.x, end.farthest, 1e-6);
  EXPECT_NEAR(end.y, 0.5 * (end.farthest - 0.6), 1e-6);
}

// In the diamond of (3.63) the force at the plane that opposes the fence's lies on its edge, where the velocity leans
// by 45 degrees, whatever the friction of the fence.
TEST(QuasistaticScheme, FenceSlipsByTheDiamond) {
  for (const double mu : {0.5, 0.25}) {
    const Walked end = walk(mu, 0.3, Law::diamond);
    EXPECT_NEAR(end.x, end.farthest, 1e-6);
    EXPECT_NEAR(end.y, end.farthest - 0.6, 1e-6) << mu;
  }
}

TEST(QuasistaticScheme, FenceDoesNotMoveTheParticleAlongTheBox) {
  const Walked end = walk(0.5, 0.3, Law::box);
  EXPECT_NEAR(end.x, end.farthest, 1e-6);
  EXPECT_NEAR(end.y, 0.0, 1e-6);
}

TEST(QuasistaticScheme, FenceSticks) { EXPECT_NEAR(walk(3.0, 0.3, Law::exact).y, 0.8697, 0.03); }

TEST(QuasistaticScheme, HasNoFormWithoutVelocities) {
  Formulation formulation;
  formulation.form = Form::lcp;
  formulation.scheme = Scheme::quasistatic;
  EXPECT_THROW(formulate(fence_step(0.6, 0.0, 0.5, 0.3, Law::exact), formulation), std::invalid_argument);
}

// A particle in space that three planes hold, some of which move, with friction; the force on it is one that they can
// balance, so that there is a solution.
StepProblem held_particle(scenes::Random& random) {
  StepProblem step;
  step.h = step_length;
  step.mass = diagonal({mass, mass, mass});
  step.velocity = Vector::Zero(3);
  step.external = Vector::Zero(3);
  for (int i = 0; i < 3; ++i) {
    Eigen::Vector3d n(random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), 1.0);
    n.normalize();
    const Eigen::Vector3d t = n.unitOrthogonal(), o = n.cross(t);
    const auto of = [](const Eigen::Vector3d& v) { return sparse({v.x(), v.y(), v.z()}); };
    Contact contact;
    contact.normal = of(n);
    contact.tangents = {of(t), of(o)};
    contact.tangent_rate = {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)};
    contact.gap = 0.0;
    contact.rate = -random.uniform(0.0, 0.1);
    contact.mu = random.uniform(0.05, 0.3);
    step.contacts.push_back(contact);
    step.unilateral.push_back(i);
    step.external -= random.uniform(2.0, 10.0) * Eigen::Vector3d(n);
  }
  return step;
}

// Minimises (3.45) for the given impulses by Newton's method on a barrier: bounds t_i of the slips, with t_i^2 -
// |slip|^2 > 0, and gaps > 0. Variables: velocity (3), t (3).
Eigen::Vector3d least_work(const StepProblem& step, const std::vector<double>& normal) {
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  constexpr double unloaded = 1e-7;  // [N s]
  Eigen::Matrix3d normals;
  Eigen::Vector3d rates;
  std::array<Eigen::Matrix<double, 2, 3>, 3> slips;
  std::array<Eigen::Vector2d, 3> slip_rates;
  for (int i = 0; i < 3; ++i) {
    const Contact& c = step.contacts[static_cast<std::size_t>(i)];
    normals.row(i) = Eigen::Vector3d(c.normal).transpose();
    rates[i] = c.gap / step.h + c.rate;
    slips[static_cast<std::size_t>(i)].row(0) = Eigen::Vector3d(c.tangents[0]).transpose();
    slips[static_cast<std::size_t>(i)].row(1) = Eigen::Vector3d(c.tangents[1]).transpose();
    slip_rates[static_cast<std::size_t>(i)] = {c.tangent_rate[0], c.tangent_rate[1]};
  }
  Vector6 x = Vector6::Zero();
  x.head<3>() = normals.fullPivLu().solve(Eigen::Vector3d::Constant(1.0) - rates);  // all gaps open
  const auto slip = [&](const Vector6& at, std::size_t i) -> Eigen::Vector2d {
    return slips[i] * at.head<3>() + slip_rates[i];
  };
  for (std::size_t i = 0; i < 3; ++i) x[3 + static_cast<int>(i)] = slip(x, i).norm() + 1.0;
  Vector6 cost = Vector6::Zero();
  cost.head<3>() = -step.external;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    cost[3 + i] = step.contacts[k].mu * normal[k];
  }
  const auto inside = [&](const Vector6& at) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double t = at[3 + static_cast<int>(i)];
      if (!(cost[3 + static_cast<int>(i)] > unloaded)) continue;
      if (!(t > 0.0) || !(t * t > slip(at, i).squaredNorm())) return false;
    }
    return ((normals * at.head<3>() + rates).array() > 0.0).all();
  };
  for (double barrier = 1.0; barrier > 1e-10; barrier *= 0.3) {
    for (int round = 0; round < 50; ++round) {
      Vector6 gradient = cost;
      Matrix6 hessian = Matrix6::Zero();
      for (int i = 0; i < 3; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double gap = normals.row(i).dot(x.head<3>()) + rates[i];
        gradient.head<3>() -= barrier / gap * normals.row(i).transpose();
        hessian.topLeftCorner<3, 3>() += barrier / (gap * gap) * normals.row(i).transpose() * normals.row(i);
        if (!(cost[3 + i] > unloaded)) {  // its slip costs nothing: x[3 + i] is of no use
          gradient[3 + i] = 0.0;
          hessian(3 + i, 3 + i) = 1.0;
          continue;
        }
        const double t = x[3 + i];
        const Eigen::Vector2d s = slip(x, k);
        const double room = t * t - s.squaredNorm();
        Vector6 slope = Vector6::Zero();
        slope.head<3>() = -2.0 * slips[k].transpose() * s;
        slope[3 + i] = 2.0 * t;
        gradient -= barrier / room * slope;
        hessian += barrier / (room * room) * slope * slope.transpose();
        hessian.topLeftCorner<3, 3>() += 2.0 * barrier / room * slips[k].transpose() * slips[k];
        hessian(3 + i, 3 + i) -= 2.0 * barrier / room;
      }
      const Vector6 way = -hessian.ldlt().solve(gradient);
      const double decrement = -gradient.dot(way);
      if (!(decrement > 1e-9 * barrier)) break;
      double share = decrement > 0.25 * barrier ? 1.0 / (1.0 + std::sqrt(decrement / barrier)) : 1.0;
      while (share > 1e-12 && !inside(x + share * way)) share *= 0.5;
      x += share * way;
    }
  }
  return x.head<3>();
}

TEST(QuasistaticTheoremLong, ThatModelDqcDoesTheLeastWork) {
  scenes::Random random(34);
  Formulation formulation;
  formulation.form = Form::quadratic;
  formulation.scheme = Scheme::quasistatic;
  mcp::Options exact;
  exact.tolerance = 1e-13;  // where both slips lie nearly along the way that is left, rounding moves the particle far
  int solved_problems = 0, slipping = 0;
  double worst = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const StepProblem step = held_particle(random);
    const SolvedStep solved = solve_step(step, formulation, exact);
    if (solved.result.status != mcp::Status::solved) continue;
    ++solved_problems;
    const Eigen::Vector3d best = least_work(step, solved.solution.normal);
    worst = std::fmax(worst, (best - Eigen::Vector3d(solved.solution.velocity)).norm());
    for (std::size_t i = 0; i < 3; ++i) slipping += solved.solution.normal[i] > 1e-3 ? 1 : 0;
  }
  EXPECT_GE(solved_problems, 990);
  EXPECT_GT(slipping, 1000) << "contacts must carry force";
  EXPECT_LT(worst, 1e-7);
}

}  // namespace
}  // namespace pegrasp::reference

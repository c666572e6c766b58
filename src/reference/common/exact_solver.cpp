// SPDX-License-Identifier: Apache-2.0
// The step problem as an MCP that states Coulomb's law exactly, scaled to units in which its numbers are near one.
//
// With nu = e M^-1/2 nu' every body has unit mass. With a = |M^-1/2 j|, each row j becomes j' = M^-1/2 j / a, its
// velocity w = e a w' and its impulse p = (e / a) p'. It follows that mu' = mu a_t / a_n, bound' = bound a / e, C' = C
// / a^2 and gap' = gap / (e a). The unit e [sqrt(J)] is the size of the step's momenta. A residual of the scaled MCP is
// therefore relative and does not depend on the size of the scene.
#include <algorithm>
#include <cmath>
#include <memory>

#include "src/reference/common/step_solver.hpp"

namespace pegrasp::reference {
namespace {

struct Units {
  double energy_root = 1.0;
  double pace = 1.0;  // s
  double speed() const { return pace * energy_root; }
  Vector weight;                                                   // (v) M^1/2
  std::vector<double> normal, tangent, support, motor, bilateral;  // a of every row

  double row(const SparseVector& j) const {
    double sum = 0.0;
    for (SparseVector::InnerIterator it(j); it; ++it) {
      const double part = it.value() / weight[it.index()];
      sum += part * part;
    }
    return std::sqrt(sum);
  }
  SparseVector scaled(const SparseVector& j, double a) const {
    SparseVector out = j;
    for (SparseVector::InnerIterator it(out); it; ++it) it.valueRef() /= weight[it.index()] * (a > 0.0 ? a : 1.0);
    return out;
  }
};

Units units_of(const StepProblem& step) {
  Units u;
  u.weight = step.mass.diagonal().cwiseSqrt();
  double size = std::max(step.velocity.cwiseProduct(u.weight).lpNorm<Eigen::Infinity>(),
                         step.external.cwiseQuotient(u.weight).lpNorm<Eigen::Infinity>());
  for (const Contact& contact : step.contacts) {
    u.normal.push_back(u.row(contact.normal));
    if (contact.compliance > 0.0) {
      const double a = u.normal.back();
      size = std::max(size, std::abs(contact.gap / step.h + contact.rate) / (a * a + contact.compliance) * a);
    }
    u.tangent.push_back(0.0);  // of a disc the larger, lest it lean towards an axis
    for (const SparseVector& tangent : contact.tangents) u.tangent.back() = std::max(u.tangent.back(), u.row(tangent));
  }
  for (const Bilateral& bilateral : step.bilaterals) u.bilateral.push_back(u.row(bilateral.row));
  for (const SupportPoint& point : step.supports) {
    u.support.push_back(std::max(u.row(point.tangents[0]), u.row(point.tangents[1])));
    size = std::max(size, point.bound * u.support.back());
  }
  for (const Motor& motor : step.motors) {
    const double a = u.row(motor.row);
    u.motor.push_back(a);
    const double of_spring = a > 0.0 ? std::abs(motor.bias) / (a * a + motor.compliance) : 0.0;
    size = std::max(size, (is_limited(motor, step.h) ? motor.bound : of_spring) * a);
  }
  if (size > 0.0 && std::isfinite(size)) u.energy_root = size;
  if (!step.balance) return u;
  double fastest = 0.0;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const Contact& contact = step.contacts[i];
    const double rate = std::abs(contact.gap / step.h + contact.rate);
    if (u.normal[i] > 0.0) fastest = std::max(fastest, rate / u.normal[i]);
    for (const double slip : contact.tangent_rate)
      if (u.tangent[i] > 0.0) fastest = std::max(fastest, std::abs(slip) / u.tangent[i]);
  }
  constexpr double nothing_moves = 1e-8;  // of the velocity that its impulses would give a body
  u.pace = fastest > 0.0 ? std::min(1.0, fastest / u.energy_root) : nothing_moves;
  return u;
}

StepProblem in_units(const StepProblem& step, const Units& u) {
  StepProblem out = step;
  out.mass.setIdentity();
  if (step.balance) out.mass *= u.pace;
  out.velocity = step.velocity.cwiseProduct(u.weight) / u.speed();
  out.external = step.external.cwiseQuotient(u.weight) / u.energy_root;
  out.unilateral.clear();
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    Contact& contact = out.contacts[i];
    const double a = u.normal[i];
    if (!(a > 0.0)) continue;  // what nothing can move is no constraint
    out.unilateral.push_back(static_cast<int>(i));
    contact.normal = u.scaled(contact.normal, a);
    if (contact.push.size() > 0) contact.push = u.scaled(contact.push, a);
    contact.gap /= u.speed() * a;
    contact.rate /= u.speed() * a;
    contact.mu *= u.tangent[i] / a;
    contact.compliance /= u.pace * a * a;
    if (u.tangent[i] > 0.0) contact.tangent_compliance /= u.pace * u.tangent[i] * u.tangent[i];
    for (std::size_t k = 0; k < contact.tangents.size(); ++k) {
      contact.tangents[k] = u.scaled(contact.tangents[k], u.tangent[i]);
      if (u.tangent[i] > 0.0) contact.tangent_rate[k] /= u.speed() * u.tangent[i];
    }
  }
  for (std::size_t i = 0; i < step.supports.size(); ++i) {
    for (SparseVector& tangent : out.supports[i].tangents) tangent = u.scaled(tangent, u.support[i]);
    out.supports[i].bound *= u.support[i] / u.energy_root;
    for (double& rate : out.supports[i].rate) rate = u.support[i] > 0.0 ? rate / (u.speed() * u.support[i]) : rate;
  }
  for (std::size_t i = 0; i < step.motors.size(); ++i) {
    Motor& motor = out.motors[i];
    const double a = u.motor[i] > 0.0 ? u.motor[i] : 1.0;
    motor.row = u.scaled(motor.row, a);
    if (motor.push.size() > 0) motor.push = u.scaled(motor.push, a);
    motor.bias /= u.speed() * a;
    motor.compliance /= u.pace * a * a;
    motor.bound *= a / u.energy_root;
  }
  for (std::size_t i = 0; i < step.bilaterals.size(); ++i) {
    Bilateral& bilateral = out.bilaterals[i];
    const double a = u.bilateral[i] > 0.0 ? u.bilateral[i] : 1.0;
    bilateral.row = u.scaled(bilateral.row, a);
    if (bilateral.push.size() > 0) bilateral.push = u.scaled(bilateral.push, a);
    bilateral.gap /= u.speed() * a;
    bilateral.rate /= u.speed() * a;
  }
  return out;
}

double per(double value, double a) { return a > 0.0 ? value / a : 0.0; }

// p = (e / a) p' for factor 1, p' = (a / e) p for its inverse.
StepSolution converted(const StepSolution& given, const Units& u, bool back) {
  StepSolution out = given;
  const double e = u.energy_root;
  const auto impulse = [&](double p, double a) { return back ? e * per(p, a) : p * a / e; };
  out.velocity = back ? Vector(u.speed() * given.velocity.cwiseQuotient(u.weight))
                      : Vector(given.velocity.cwiseProduct(u.weight) / u.speed());
  for (std::size_t i = 0; i < out.normal.size(); ++i) {
    out.normal[i] = impulse(out.normal[i], u.normal[i]);
    for (double& p : out.tangent[i]) p = impulse(p, u.tangent[i]);
  }
  for (std::size_t i = 0; i < out.support.size(); ++i) {
    for (double& p : out.support[i]) p = impulse(p, u.support[i]);
  }
  for (std::size_t i = 0; i < out.motor.size(); ++i) out.motor[i] = impulse(out.motor[i], u.motor[i]);
  for (std::size_t i = 0; i < out.bilateral.size(); ++i) {
    out.bilateral[i] = impulse(out.bilateral[i], u.bilateral[i]);
  }
  return out;
}

Formulation exact_formulation(const StepProblem& step) {
  Formulation formulation;
  const bool discs = std::any_of(step.contacts.begin(), step.contacts.end(),
                                 [](const Contact& c) { return c.mu > 0.0 && c.tangents.size() > 1; });
  formulation.form = step.supports.empty() && !discs ? Form::mixed : Form::quadratic;
  formulation.linear_in_plane = true;
  return formulation;
}

}  // namespace

SolvedStep solve_exactly(const StepProblem& step, const StepSolution* start, mcp::Workspace* workspace) {
  const Formulation formulation = exact_formulation(step);
  const Units units = units_of(step);
  const StepProblem scaled = in_units(step, units);
  SolvedStep solved;
  if (start != nullptr) {
    const StepSolution from = converted(*start, units, false);
    solved = solve_step(scaled, formulation, {}, &from, workspace);
  } else {
    solved = solve_step(scaled, formulation, {}, nullptr, workspace);
  }
  solved.solution = converted(solved.solution, units, true);
  return solved;
}

StepSolver exact_solver() {
  return [workspace = std::make_shared<mcp::Workspace>()](const StepProblem& step, const StepSolution* start) {
    return solve_exactly(step, start, workspace.get());
  };
}

double complementarity_residual(const StepProblem& step, const StepSolution& solution) {
  const Units units = units_of(step);
  const FormulatedStep formulated = formulate(in_units(step, units), exact_formulation(step));
  const mcp::Problem& problem = formulated.problem;
  const mcp::Vector written = formulated.write(converted(solution, units, false));
  if (!written.allFinite()) return mcp::infinity;
  const mcp::Vector x = written.cwiseMax(problem.lower).cwiseMin(problem.upper);
  mcp::Vector f;
  if (!problem.evaluate(x, f, nullptr)) return mcp::infinity;
  return mcp::natural_residual(x, f, problem.lower, problem.upper);
}

}  // namespace pegrasp::reference

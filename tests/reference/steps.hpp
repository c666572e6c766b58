// SPDX-License-Identifier: Apache-2.0
// Steps that can be solved on paper.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "src/reference/step/formulate.hpp"
#include "tests/reference/problems/contact_sets.hpp"  // name(Form)

namespace pegrasp::reference::test {

constexpr double gravity = 9.81;  // [m/s^2]

inline SparseVector sparse(const std::vector<double>& values) {
  SparseVector v(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0.0) v.insert(static_cast<Eigen::Index>(i)) = values[i];
  }
  return v;
}

inline SparseMatrix diagonal(const std::vector<double>& values) {
  const auto n = static_cast<Eigen::Index>(values.size());
  SparseMatrix m(n, n);
  for (Eigen::Index i = 0; i < n; ++i) m.insert(i, i) = values[static_cast<std::size_t>(i)];
  m.makeCompressed();
  return m;
}

inline Vector vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// One planar body (m, m, inertia) under gravity along -y, nothing to touch yet.
inline StepProblem planar_body(double mass, double inertia, double h, const std::vector<double>& velocity) {
  StepProblem step;
  step.h = h;
  step.mass = diagonal({mass, mass, inertia});
  step.velocity = vector(velocity);
  step.external = vector({0.0, -h * mass * gravity, 0.0});
  return step;
}

// Contact of the point at (rx, ry) from the centre of mass with level ground.
inline Contact ground_contact(double rx, double ry, double gap, double mu) {
  Contact contact;
  contact.normal = sparse({0.0, 1.0, rx});
  contact.tangents = {sparse({1.0, 0.0, -ry})};
  contact.tangent_rate = {0.0};
  contact.gap = gap;
  contact.mu = mu;
  return contact;
}

// A block of half-width a, half-height b on level ground: two contacts, each a U-constraint.
inline StepProblem block_on_ground(double mass, double a, double b, double h, double speed, double mu) {
  StepProblem step = planar_body(mass, mass * (a * a + b * b) / 3.0, h, {speed, 0.0, 0.0});
  step.contacts = {ground_contact(-a, -b, 0.0, mu), ground_contact(a, -b, 0.0, mu)};
  step.unilateral = {0, 1};
  return step;
}

// A particle in 2D (v = 2) against lines through the origin: gap n . x.
inline StepProblem particle(double mass, double h, std::array<double, 2> position, std::array<double, 2> velocity,
                            const std::vector<std::array<double, 2>>& normals) {
  StepProblem step;
  step.h = h;
  step.mass = diagonal({mass, mass});
  step.velocity = vector({velocity[0], velocity[1]});
  step.external = Vector::Zero(2);
  for (const auto& n : normals) {
    Contact contact;
    contact.normal = sparse({n[0], n[1]});
    contact.tangents = {sparse({-n[1], n[0]})};
    contact.tangent_rate = {0.0};
    contact.gap = n[0] * position[0] + n[1] * position[1];
    step.contacts.push_back(contact);
  }
  return step;
}

inline double residual(const FormulatedStep& formulated, const mcp::Vector& x) {
  mcp::Vector f;
  if (!formulated.problem.evaluate(x, f, nullptr)) return mcp::infinity;
  return mcp::natural_residual(x, f, formulated.problem.lower, formulated.problem.upper);
}

// Residual of a solution written into the formulation: slacks and slips computed from its velocity.
inline double residual(const FormulatedStep& formulated, const StepSolution& solution) {
  return residual(formulated, formulated.write(solution));
}

constexpr std::array<Form, 3> all_forms{Form::lcp, Form::mixed, Form::quadratic};

}  // namespace pegrasp::reference::test

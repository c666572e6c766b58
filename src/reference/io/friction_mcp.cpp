// SPDX-License-Identifier: Apache-2.0
#include "src/reference/io/friction_mcp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace pegrasp::reference {
namespace {

using Eigen::Index;
using mcp::SparseMatrix;
using mcp::Vector;

// The point of the cone |t| <= mu n that is nearest to (n, t), of which `part` has d components.
void project_on_cone(double* part, int d, double mu) {
  double slip = 0.0;
  for (int k = 1; k < d; ++k) slip = std::hypot(slip, part[k]);
  if (slip <= mu * part[0]) return;
  if (mu * slip <= -part[0]) {
    std::fill(part, part + d, 0.0);
    return;
  }
  const double normal = (part[0] + mu * slip) / (1.0 + mu * mu);
  part[0] = normal;
  for (int k = 1; k < d; ++k) part[k] *= mu * normal / slip;
}

// The sizes of the impulses and velocities of this problem.
void choose_scales(const FrictionProblem& problem, FrictionMcp& mcp) {
  const double speed = problem.q.size() > 0 ? problem.q.cwiseAbs().maxCoeff() : 0.0;
  const double compliance = problem.w.nonZeros() > 0 ? problem.w.diagonal().maxCoeff() : 0.0;
  if (!(speed > 0.0) || !(compliance > 0.0)) return;
  mcp.velocity = speed;
  mcp.impulse = speed / compliance;
}

// Unknowns of a contact: normal impulse, `tangents` of friction, slip.
struct ContactLayout {
  int dimension, tangents;
  Index size() const { return 2 + tangents; }
  Index normal(Index c) const { return c * size(); }
  Index tangent(Index c, int k) const { return c * size() + 1 + k; }
  Index slip(Index c) const { return c * size() + 1 + tangents; }
};

ContactLayout layout_of(const FrictionMcp& mcp) {
  return {mcp.dimension, mcp.directions > 0 ? mcp.directions : mcp.dimension - 1};
}

// Coefficients of direction k of the pyramid on a contact's tangents.
std::array<double, 2> direction(const FrictionMcp& mcp, int k) {
  if (mcp.dimension == 2) return {k == 0 ? 1.0 : -1.0, 0.0};
  const double angle = 2.0 * std::numbers::pi * k / mcp.directions;
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

double friction_residual(const FrictionProblem& problem, const Vector& r) {
  return friction_residual(problem, r, problem.q + problem.w * r);
}

double friction_residual(const FrictionProblem& problem, const Vector& r, const Vector& u) {
  const int d = problem.dimension;
  double worst = 0.0;
  for (Index c = 0; c < problem.contacts(); ++c) {
    std::array<double, 3> moved{};
    double slip = 0.0;
    for (int k = 1; k < d; ++k) slip = std::hypot(slip, u[c * d + k]);
    for (int k = 0; k < d; ++k) moved[static_cast<std::size_t>(k)] = r[c * d + k] - u[c * d + k];
    moved[0] -= problem.mu[c] * slip;
    project_on_cone(moved.data(), d, problem.mu[c]);
    for (int k = 0; k < d; ++k) {
      const double off = std::abs(r[c * d + k] - moved[static_cast<std::size_t>(k)]);
      if (!(off <= worst)) worst = std::isnan(off) ? mcp::infinity : off;
    }
  }
  return worst;
}

FrictionMcp linearised_mcp(const FrictionProblem& problem, int directions) {
  FrictionMcp mcp;
  mcp.dimension = problem.dimension;
  mcp.directions = problem.dimension == 2 ? 2 : directions;
  choose_scales(problem, mcp);
  const ContactLayout layout = layout_of(mcp);
  const Index n = layout.size() * problem.contacts();
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&entries](Index row, Index column, double value) {
    entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  };
  // r = E x and the rows of E' u: contact c's components against its unknowns.
  SparseMatrix e(problem.q.size(), n);
  for (Index c = 0; c < problem.contacts(); ++c) {
    add(c * mcp.dimension, layout.normal(c), 1.0);
    for (int k = 0; k < mcp.directions; ++k) {
      for (int t = 1; t < mcp.dimension; ++t) {
        add(c * mcp.dimension + t, layout.tangent(c, k), direction(mcp, k)[static_cast<std::size_t>(t - 1)]);
      }
    }
  }
  e.setFromTriplets(entries.begin(), entries.end());
  entries.clear();
  for (Index c = 0; c < problem.contacts(); ++c) {
    add(layout.slip(c), layout.normal(c), problem.mu[c]);
    for (int k = 0; k < mcp.directions; ++k) {
      add(layout.tangent(c, k), layout.slip(c), 1.0);
      add(layout.slip(c), layout.tangent(c, k), -1.0);
    }
  }
  SparseMatrix friction(n, n);
  friction.setFromTriplets(entries.begin(), entries.end());
  const SparseMatrix across = SparseMatrix(e.transpose());
  mcp.stored.m = SparseMatrix(across * problem.w * e) * (mcp.impulse / mcp.velocity) + friction;
  mcp.stored.m.makeCompressed();
  mcp.stored.q = across * problem.q / mcp.velocity;
  mcp.stored.lower = Vector::Zero(n);
  mcp.stored.upper = Vector::Constant(n, mcp::infinity);
  mcp.stored.start = Vector::Zero(n);
  return mcp;
}

FrictionMcp quadratic_mcp(const FrictionProblem& problem) {
  FrictionMcp mcp;
  mcp.dimension = problem.dimension;
  choose_scales(problem, mcp);
  const ContactLayout layout = layout_of(mcp);
  const int d = mcp.dimension;
  const Index n = layout.size() * problem.contacts();
  const double scale = mcp.impulse / mcp.velocity;
  StoredMcp& stored = mcp.stored;
  stored.q = Vector::Zero(n);
  stored.lower = Vector::Zero(n);
  stored.upper = Vector::Constant(n, mcp::infinity);
  stored.start = Vector::Zero(n);
  const auto unknown = [&layout, d](Index component) {
    const Index c = component / d;
    const int k = static_cast<int>(component % d);
    return static_cast<int>(k == 0 ? layout.normal(c) : layout.tangent(c, k - 1));
  };
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<FormulatedStep::QuadraticTerm>& quadratic = stored.quadratic;
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double mu = problem.mu[c];
    const int normal = static_cast<int>(layout.normal(c));
    const int slip = static_cast<int>(layout.slip(c));
    stored.q[normal] = problem.q[c * d] / mcp.velocity;
    if (mu > 0.0) quadratic.push_back({slip, normal, normal, mu * mu});
    for (int k = 1; k < d; ++k) {
      const int tangent = static_cast<int>(layout.tangent(c, k - 1));
      stored.lower[tangent] = mu > 0.0 ? -mcp::infinity : 0.0;
      stored.upper[tangent] = mu > 0.0 ? mcp::infinity : 0.0;
      if (!(mu > 0.0)) continue;
      entries.emplace_back(tangent, normal, mu * problem.q[c * d + k] / mcp.velocity);
      quadratic.push_back({tangent, slip, tangent, 1.0});
      quadratic.push_back({slip, tangent, tangent, -1.0});
    }
    // Without friction the cone's row would be 0 >= 0 for whatever slip.
    if (!(mu > 0.0)) stored.q[slip] = 1.0;
  }
  for (Index column = 0; column < problem.w.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(problem.w, column); it; ++it) {
      const Index c = it.row() / d;
      if (it.row() % d == 0) {
        entries.emplace_back(unknown(it.row()), unknown(column), scale * it.value());
      } else if (problem.mu[c] > 0.0) {
        quadratic.push_back({unknown(it.row()), static_cast<int>(layout.normal(c)), unknown(column),
                             scale * problem.mu[c] * it.value()});
      }
    }
  }
  stored.m.resize(n, n);
  stored.m.setFromTriplets(entries.begin(), entries.end());
  return mcp;
}

Vector impulses(const FrictionMcp& mcp, const Vector& x) {
  const ContactLayout layout = layout_of(mcp);
  const Index contacts = x.size() / layout.size();
  const int d = mcp.dimension;
  Vector r = Vector::Zero(contacts * d);
  for (Index c = 0; c < contacts; ++c) {
    r[c * d] = mcp.impulse * x[layout.normal(c)];
    for (int k = 0; k < layout.tangents; ++k) {
      if (mcp.directions == 0) {
        r[c * d + 1 + k] = mcp.impulse * x[layout.tangent(c, k)];
        continue;
      }
      for (int t = 1; t < d; ++t) {
        r[c * d + t] += mcp.impulse * direction(mcp, k)[static_cast<std::size_t>(t - 1)] * x[layout.tangent(c, k)];
      }
    }
  }
  return r;
}

Vector unknowns(const FrictionMcp& mcp, const FrictionProblem& problem, const Vector& r) {
  const ContactLayout layout = layout_of(mcp);
  const int d = mcp.dimension;
  const Vector u = problem.q + problem.w * r;
  Vector x = Vector::Zero(layout.size() * problem.contacts());
  for (Index c = 0; c < problem.contacts(); ++c) {
    x[layout.normal(c)] = std::max(0.0, r[c * d] / mcp.impulse);
    double slip = 0.0;
    for (int t = 1; t < d; ++t) slip = std::hypot(slip, u[c * d + t]);
    x[layout.slip(c)] = slip / mcp.velocity;
    if (mcp.directions == 0) {
      for (int t = 1; t < d; ++t) x[layout.tangent(c, t - 1)] = r[c * d + t] / mcp.impulse;
      continue;
    }
    // r_t between the two directions beside it.
    const double x1 = r[c * d + 1] / mcp.impulse;
    if (d == 2) {
      x[layout.tangent(c, x1 >= 0.0 ? 0 : 1)] = std::abs(x1);
      continue;
    }
    const double x2 = r[c * d + 2] / mcp.impulse;
    const double turn = 2.0 * std::numbers::pi / mcp.directions;
    const double angle = std::atan2(x2, x1) + (x2 < 0.0 ? 2.0 * std::numbers::pi : 0.0);
    const int before = static_cast<int>(angle / turn) % mcp.directions;
    const double inside = angle - turn * std::floor(angle / turn);
    const double length = std::hypot(x1, x2) / std::sin(turn);
    x[layout.tangent(c, before)] = length * std::sin(turn - inside);
    x[layout.tangent(c, (before + 1) % mcp.directions)] = length * std::sin(inside);
  }
  return x;
}

}  // namespace pegrasp::reference

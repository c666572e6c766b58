// SPDX-License-Identifier: Apache-2.0
#include "src/reference/step/layout.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pegrasp::reference {
namespace {

const std::vector<SparseVector>& tangents(const StepProblem& step, const FrictionBlock& block) {
  const auto i = static_cast<std::size_t>(block.index);
  return block.support ? step.supports[i].tangents : step.contacts[i].tangents;
}

Eigen::VectorXd sliding(const StepProblem& step, const FrictionBlock& block, const Vector& velocity) {
  const std::vector<SparseVector>& t = tangents(step, block);
  Eigen::VectorXd v(static_cast<Eigen::Index>(t.size()));
  for (std::size_t k = 0; k < t.size(); ++k) {
    v[static_cast<Eigen::Index>(k)] = t[k].dot(velocity);
    if (!block.support) {
      const Contact& contact = step.contacts[static_cast<std::size_t>(block.index)];
      if (k < contact.tangent_rate.size()) v[static_cast<Eigen::Index>(k)] += contact.tangent_rate[k];
    }
  }
  return v;
}

// Non-negative multiples of the directions that add up to `impulse`: of the two on either side of it.
Eigen::VectorXd along_directions(const Eigen::MatrixXd& directions, const Eigen::VectorXd& impulse) {
  Eigen::VectorXd share = Eigen::VectorXd::Zero(directions.cols());
  if (!(impulse.norm() > 0.0)) return share;
  if (impulse.size() == 1) {
    share[impulse[0] > 0.0 ? 0 : 1] = std::abs(impulse[0]);
    return share;
  }
  const Eigen::Index count = directions.cols();
  const auto cross = [](const Eigen::VectorXd& a, const Eigen::VectorXd& b) { return a[0] * b[1] - a[1] * b[0]; };
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::Index next = (k + 1) % count;
    const Eigen::VectorXd a = directions.col(k);
    const Eigen::VectorXd b = directions.col(next);
    const double area = cross(a, b);
    const double along_a = cross(impulse, b) / area;
    const double along_b = cross(a, impulse) / area;
    const double rounding = -1e-12 * impulse.norm();
    if (along_a >= rounding && along_b >= rounding) {
      share[k] = std::max(along_a, 0.0);
      share[next] = std::max(along_b, 0.0);
      return share;
    }
  }
  return share;
}

}  // namespace

StepSolution free_solution(const StepProblem& step) {
  StepSolution solution;
  solution.velocity = step.velocity;
  if (step.velocity.size() > 0) {
    Eigen::SimplicialLDLT<SparseMatrix> factor(step.mass);
    if (factor.info() != Eigen::Success) throw std::invalid_argument("the mass matrix must be positive definite");
    solution.velocity += factor.solve(step.external);
  }
  solution.normal.assign(step.contacts.size(), 0.0);
  for (const Contact& contact : step.contacts) solution.tangent.emplace_back(contact.tangents.size(), 0.0);
  for (const SupportPoint& point : step.supports) solution.support.emplace_back(point.tangents.size(), 0.0);
  solution.motor.assign(step.motors.size(), 0.0);
  solution.bilateral.assign(step.bilaterals.size(), 0.0);
  return solution;
}

StepSolution read_solution(const StepProblem& step, const Layout& layout, const mcp::Vector& x) {
  StepSolution solution;
  solution.velocity = x.head(layout.velocities);
  for (const std::vector<int>& variables : layout.impulses) {
    double sum = 0.0;
    for (const int variable : variables) sum += x[variable];
    solution.normal.push_back(sum);
  }
  for (const Contact& contact : step.contacts) solution.tangent.emplace_back(contact.tangents.size(), 0.0);
  for (const SupportPoint& point : step.supports) solution.support.emplace_back(point.tangents.size(), 0.0);
  for (const FrictionBlock& block : layout.friction) {
    const Eigen::VectorXd p = block.directions * x.segment(block.first, block.directions.cols());
    auto& target = block.support ? solution.support : solution.tangent;
    target[static_cast<std::size_t>(block.index)].assign(p.data(), p.data() + p.size());
  }
  for (std::size_t k = 0; k < step.motors.size(); ++k) solution.motor.push_back(x[layout.motor + static_cast<int>(k)]);
  for (std::size_t k = 0; k < step.bilaterals.size(); ++k) {
    solution.bilateral.push_back(x[layout.bilateral + static_cast<int>(k)]);
  }
  return solution;
}

mcp::Vector write_solution(const StepProblem& step, const Layout& layout, const StepSolution& solution) {
  mcp::Vector x = mcp::Vector::Zero(layout.count);
  x.head(layout.velocities) = solution.velocity;
  for (std::size_t k = 0; k < step.bilaterals.size(); ++k) {
    x[layout.bilateral + static_cast<int>(k)] = solution.bilateral[k];
  }
  // A contact that carries in several sets: its impulse goes where its row is nearest to zero.
  std::vector<double> least(step.contacts.size(), mcp::infinity);
  std::vector<int> taker(step.contacts.size(), -1);
  for (const ConstraintSet& set : layout.sets) {
    const auto gap_rate = [&](int i) {
      const auto k = static_cast<std::size_t>(i);
      return step.contacts[k].normal.dot(solution.velocity) + layout.offset[k];
    };
    // c_k = g_k - g_{k-1} with g_k = max(g_{k-1}, psi_k) (lemma 4.1.2), d = |min(psi, 0)| (lemma 4.1.3).
    for (const Chain& chain : set.chains) {
      double top = gap_rate(chain.contacts[0]);
      for (std::size_t k = 0; k < chain.slack.size(); ++k) {
        const double next = gap_rate(chain.contacts[k + 1]);
        x[chain.slack[k]] = std::max(next - top, 0.0);
        top = std::max(top, next);
      }
    }
    if (set.egan) {  // d = gamma - min c, and g is 1 for a contact of which c is least
      const EganConstants egan(step.h);
      std::size_t top = 0;
      for (std::size_t k = 0; k < set.shortfall.size(); ++k) {
        const std::size_t m = k - set.carriers.size();  // of masks
        const int i = k < set.carriers.size() ? set.carriers[k] : set.masks[m];
        x[set.shortfall[k]] = std::max(egan.one - gap_rate(i), 0.0);
        if (x[set.shortfall[k]] < x[set.shortfall[top]]) top = k;
      }
      x[set.share[top]] = 1.0;
      x[set.least] = std::max(egan.gamma - x[set.shortfall[top]], 0.0);
    }
    for (std::size_t k = 0; k < set.depth.size(); ++k) x[set.depth[k]] = std::max(-gap_rate(set.carriers[k]), 0.0);
    double top_carrier = -mcp::infinity, top = -mcp::infinity;
    for (const int i : set.carriers) top_carrier = std::max(top_carrier, gap_rate(i));
    for (const int i : set.masks) top = std::max(top, gap_rate(i));
    top = std::max(top, top_carrier);
    for (std::size_t k = 0; k < set.impulse.size(); ++k) {
      const auto i = static_cast<std::size_t>(set.carriers[k]);
      const double row = std::abs(top) + top_carrier - gap_rate(set.carriers[k]);
      if (row >= least[i]) continue;
      least[i] = row;
      taker[i] = set.impulse[k];
    }
  }
  for (std::size_t i = 0; i < taker.size(); ++i) {
    if (taker[i] >= 0) x[taker[i]] = std::max(solution.normal[i], 0.0);
  }
  for (const FrictionBlock& block : layout.friction) {
    const auto& source = block.support ? solution.support : solution.tangent;
    const std::vector<double>& p = source[static_cast<std::size_t>(block.index)];
    const Eigen::VectorXd impulse = Eigen::Map<const Eigen::VectorXd>(p.data(), static_cast<Eigen::Index>(p.size()));
    Eigen::VectorXd v = sliding(step, block, solution.velocity);
    if (!block.support) v += step.contacts[static_cast<std::size_t>(block.index)].tangent_compliance * impulse;
    if (block.quadratic) {
      x.segment(block.first, impulse.size()) = impulse;
      x[block.slip] = v.norm();
    } else {
      x.segment(block.first, block.directions.cols()) = along_directions(block.directions, impulse);
      x[block.slip] = std::max(0.0, -(block.directions.transpose() * v).minCoeff());
    }
  }
  for (std::size_t k = 0; k < step.motors.size(); ++k) {
    x[layout.motor + static_cast<int>(k)] = std::clamp(solution.motor[k], -step.motors[k].bound, step.motors[k].bound);
  }
  return x;
}

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/fit_impulses.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

namespace pegrasp::reference::spatial {
namespace {

// Impulses this close to their bound, relative to it, are at it.
constexpr double at_bound = 1.0 - 1e-6;

// A direction in which impulses may change, and what a change by 1 costs in the natural map [m/s].
struct Way {
  Vector impulses;
  double cost = 0.0;
};

Vector claimed_slip(const Contact& contact, const Vector& claimed) {
  Vector out(static_cast<Eigen::Index>(contact.tangents.size()));
  for (std::size_t k = 0; k < contact.tangents.size(); ++k) {
    out[static_cast<Eigen::Index>(k)] =
        contact.tangents[k].dot(claimed) + (contact.tangent_rate.empty() ? 0.0 : contact.tangent_rate[k]);
  }
  return out;
}

class Fit {
 public:
  Fit(const StepProblem& step, const ConeProblem& problem, const Vector& found, const Vector& claimed)
      : step_(step), problem_(problem), claimed_(claimed), p_(found) {
    for (std::size_t i = 0; i < problem.blocks().size(); ++i) add_ways(i);
  }

  StepSolution run() const {
    const StepSolution start = problem_.write(p_);
    if (ways_.empty()) return start;
    const Vector weight = step_.mass.diagonal().cwiseSqrt();
    const auto count = static_cast<Eigen::Index>(ways_.size());
    Eigen::MatrixXd gain = Eigen::MatrixXd::Zero(claimed_.size() + count, count);
    Vector wanted = Vector::Zero(gain.rows());
    wanted.head(claimed_.size()) = weight.cwiseProduct(claimed_ - start.velocity);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Way& way = ways_[static_cast<std::size_t>(k)];
      gain.col(k).head(claimed_.size()) =
          weight.cwiseProduct(problem_.write(p_ + way.impulses).velocity - start.velocity);
      gain(claimed_.size() + k, k) = weight.maxCoeff() * way.cost;
    }
    const Vector share = gain.completeOrthogonalDecomposition().solve(wanted);
    Vector out = p_;
    for (Eigen::Index k = 0; k < count; ++k) out += share[k] * ways_[static_cast<std::size_t>(k)].impulses;
    for (const ConeBlock& block : problem_.blocks()) keep_bound(block, out);
    return problem_.write(out);
  }

 private:
  void each(const ConeBlock& block) {
    for (Eigen::Index k = 0; k < block.rows; ++k) ways_.push_back({Vector::Unit(p_.size(), block.first + k)});
  }
  void add_ways(std::size_t i) {
    const ConeBlock& block = problem_.blocks()[i];
    if (block.kind == BlockKind::servo) {
      if (p_.segment(block.first, block.rows).norm() < at_bound * block.bound) each(block);
    } else if (p_[block.first] > 0.0) {
      slides(block) ? add_sliding(block, step_.contacts[i]) : each(block);
    }
  }
  bool slides(const ConeBlock& block) const {
    return block.rubs() && block.slip(p_).norm() >= at_bound * block.mu * p_[block.first];
  }
  // Along the side of the cone; and across it, by which friction turns away from the slip.
  void add_sliding(const ConeBlock& block, const Contact& contact) {
    const double speed = claimed_slip(contact, claimed_).norm();
    const double friction = block.slip(p_).norm();
    if (!(friction > 0.0)) return;
    const Vector along = block.slip(p_) / friction;
    Vector side = Vector::Unit(p_.size(), block.first);
    block.slip(side) = block.mu * along;
    ways_.push_back({side});
    const Eigen::MatrixXd across = Eigen::MatrixXd::Identity(along.size(), along.size()) - along * along.transpose();
    for (Eigen::Index k = 0; k < along.size(); ++k) {
      Vector turn = Vector::Zero(p_.size());
      block.slip(turn) = across.col(k);
      ways_.push_back({turn, speed / friction});
    }
  }
  void keep_bound(const ConeBlock& block, Vector& p) const {
    if (!block.rubs() || !slides(block)) return;
    const double length = block.slip(p).norm();
    if (length > 0.0) block.slip(p) *= block.mu * std::max(0.0, p[block.first]) / length;
  }

  const StepProblem& step_;
  const ConeProblem& problem_;
  const Vector& claimed_;
  Vector p_;
  std::vector<Way> ways_;
};

}  // namespace

StepSolution fit_impulses(const StepProblem& step, const ConeProblem& problem, const Vector& found,
                          const Vector& claimed) {
  return Fit(step, problem, found, claimed).run();
}

}  // namespace pegrasp::reference::spatial

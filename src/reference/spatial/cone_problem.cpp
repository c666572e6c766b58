// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/cone_problem.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "src/reference/common/residual.hpp"

namespace pegrasp::reference::spatial {
namespace {

// Rows that nothing moves, relative to the largest: they get a step all the same, so that nothing is divided by zero.
constexpr double immovable = 1e-12;

// Rows that take velocities, and those along which impulses act.
struct DenseRows {
  Eigen::MatrixXd rate, push;  // (rows, v)
  Vector offset;
  Eigen::Index count = 0;

  DenseRows(Eigen::Index rows, Eigen::Index velocities)
      : rate(Eigen::MatrixXd::Zero(rows, velocities)),
        push(Eigen::MatrixXd::Zero(rows, velocities)),
        offset(Vector::Zero(rows)) {}
  void add(const SparseVector& j, const SparseVector& g, double c) {
    rate.row(count) = Vector(j).transpose();
    push.row(count) = Vector(g).transpose();
    offset[count++] = c;
  }
};

bool rubs(const Contact& contact) { return contact.mu > 0.0 && contact.tangents.size() >= 2; }
Eigen::Index rows_of(const Contact& contact) {
  return rubs(contact) ? 1 + static_cast<Eigen::Index>(contact.tangents.size()) : 1;
}

}  // namespace

ConeProblem::ConeProblem(const StepProblem& step) : step_(step) {
  Eigen::Index count = 0;
  for (const Contact& contact : step.contacts) count += rows_of(contact);
  DenseRows rows(count + static_cast<Eigen::Index>(step.motors.size()), step.velocity.size());
  Vector compliance = Vector::Zero(rows.offset.size());
  for (const Contact& contact : step.contacts) {
    const BlockKind kind = rubs(contact) ? BlockKind::contact : BlockKind::push;
    blocks_.push_back({kind, rows.count, rows_of(contact), contact.mu, 0.0});
    compliance[rows.count] = contact.compliance;
    rows.add(contact.normal, push_of(contact), contact.gap / step.h + contact.rate);
    for (std::size_t k = 0; rubs(contact) && k < contact.tangents.size(); ++k) {
      if (k < 2) compliance[rows.count] = contact.tangent_compliance;
      rows.add(contact.tangents[k], contact.tangents[k], contact.tangent_rate.empty() ? 0.0 : contact.tangent_rate[k]);
    }
  }
  int mates = 0;
  for (const Motor& motor : step.motors) {
    if (mates-- == 0) {
      mates = motor.mates;
      blocks_.push_back({BlockKind::servo, rows.count, 1 + mates, 0.0, motor.bound});
    }
    compliance[rows.count] = motor.compliance;
    rows.add(motor.row, push_of(motor), motor.bias);
  }
  DenseRows joints(static_cast<Eigen::Index>(step.bilaterals.size()), step.velocity.size());
  for (const Bilateral& b : step.bilaterals) joints.add(b.row, push_of(b), b.gap / step.h + b.rate);

  const Vector inverse = step.mass.diagonal().cwiseInverse();
  const Vector free = step.velocity + inverse.cwiseProduct(step.external);
  const Eigen::MatrixXd moved = inverse.asDiagonal() * rows.push.transpose();
  const Eigen::MatrixXd joints_moved = inverse.asDiagonal() * joints.push.transpose();
  a_ = rows.rate * moved;
  a_.diagonal() += compliance;
  c_ = rows.rate * free + rows.offset;
  joint_of_impulses_ = Eigen::MatrixXd::Zero(joints.count, a_.rows());
  joint_offset_ = Vector::Zero(joints.count);
  if (joints.count > 0) {  // joints may say the same twice
    const auto factor = (joints.rate * joints_moved).eval().completeOrthogonalDecomposition();
    if (a_.rows() > 0)
      joint_of_impulses_ = -factor.solve(joints.rate * moved);  // Eigen steps past the end of no column
    joint_offset_ = -factor.solve(joints.rate * free + joints.offset);
    const Eigen::MatrixXd by_joints = rows.rate * joints_moved;
    a_ += by_joints * joint_of_impulses_;
    c_ += by_joints * joint_offset_;
  }
  scale_ = a_.diagonal();
  const double least = scale_.size() > 0 ? immovable * std::max(scale_.maxCoeff(), 0.0) : 0.0;
  scale_ = scale_.cwiseMax(least > 0.0 ? least : 1.0);
  share_scales();
}

ConeProblem::ConeProblem(const StepProblem& step, const Vector& claimed) : ConeProblem(step) {
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    ConeBlock& block = blocks_[i];
    if (block.kind != BlockKind::contact) continue;
    block.kind = BlockKind::cone;
    Vector slip(block.rows - 1);
    for (Eigen::Index k = 0; k < slip.size(); ++k) {
      const auto t = static_cast<std::size_t>(k);
      const std::vector<double>& rate = step.contacts[i].tangent_rate;
      slip[k] = step.contacts[i].tangents[t].dot(claimed) + (rate.empty() ? 0.0 : rate[t]);
    }
    c_[block.first] += block.mu * slip.norm();
  }
  share_scales();
}

bool ConeProblem::has_springs() const {
  const auto any = [&](const auto& is) { return std::any_of(step_.contacts.begin(), step_.contacts.end(), is); };
  return any([](const Contact& c) { return c.spring > 0.0; }) && any([](const Contact& c) { return rubs(c); });
}

ConeProblem ConeProblem::on_springs(double softness) const {
  ConeProblem out = *this;
  for (std::size_t i = 0; i < step_.contacts.size(); ++i) {
    const ConeBlock& block = blocks_[i];
    out.a_.diagonal().segment(block.first, block.rows).array() += softness * step_.contacts[i].spring;
  }
  return out;
}

// Rows that are projected together take steps of one length.
void ConeProblem::share_scales() {
  for (const ConeBlock& block : blocks_) {
    if (block.rows == 1) continue;
    const Eigen::Index first = block.first + (block.kind == BlockKind::contact ? 1 : 0);
    const Eigen::Index count = block.kind == BlockKind::contact ? block.rows - 1 : block.rows;
    scale_.segment(first, count).setConstant(scale_.segment(first, count).maxCoeff());
  }
}

void ConeProblem::project(const ConeBlock& block, Vector& p) const {
  double& first = p[block.first];
  if (block.kind == BlockKind::servo) {
    auto all = p.segment(block.first, block.rows);
    const double length = all.norm();
    if (length > block.bound) all *= block.bound / length;
    return;
  }
  if (block.kind == BlockKind::cone) {
    const double slip = block.slip(p).norm();
    if (slip <= block.mu * first) return;
    const double along = std::max(0.0, (first + block.mu * slip) / (1.0 + block.mu * block.mu));
    first = along;
    block.slip(p) *= block.mu * along / slip;
    return;
  }
  first = std::max(first, 0.0);
  if (block.kind != BlockKind::contact) return;
  const double radius = block.mu * first;
  const double length = block.slip(p).norm();
  if (length > radius) block.slip(p) *= radius / length;
}

Eigen::MatrixXd ConeProblem::projection_slope(const ConeBlock& block, const Vector& at) const {
  const Eigen::Index slips = block.rows - 1;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(block.rows, block.rows);
  const double first = at[block.first];
  if (block.kind == BlockKind::servo) {
    const Vector all = at.segment(block.first, block.rows);
    const double length = all.norm();
    if (length < block.bound) return Eigen::MatrixXd::Identity(block.rows, block.rows);
    if (!(length > 0.0)) return out;
    const Eigen::MatrixXd across =
        Eigen::MatrixXd::Identity(block.rows, block.rows) - all * all.transpose() / (length * length);
    return block.bound / length * across;
  }
  if (!block.rubs()) {
    out(0, 0) = first > 0.0 ? 1.0 : 0.0;
    return out;
  }
  const Vector t = block.slip(at);
  const double length = t.norm();
  const double mu = block.mu;
  if (length <= mu * first) return Eigen::MatrixXd::Identity(block.rows, block.rows);
  const Vector u = t / length;
  const Eigen::MatrixXd across = Eigen::MatrixXd::Identity(slips, slips) - u * u.transpose();
  if (block.kind == BlockKind::contact) {
    if (!(first > 0.0)) return out;
    out(0, 0) = 1.0;
    out.block(1, 0, slips, 1) = mu * u;
    out.block(1, 1, slips, slips) = mu * first / length * across;
    return out;
  }
  const double along = (first + mu * length) / (1.0 + mu * mu);
  if (!(along > 0.0)) return out;
  Vector side(block.rows);  // of the cone
  side << 1.0, mu * u;
  out = side * side.transpose() / (1.0 + mu * mu);
  out.block(1, 1, slips, slips) += mu * along / length * across;
  return out;
}

Vector ConeProblem::natural_map(const Vector& p, const Vector& w) const {
  Vector to = p - w.cwiseQuotient(scale_);
  for (const ConeBlock& block : blocks_) project(block, to);
  return p - to;
}

Vector ConeProblem::read(const StepSolution& solution) const {
  Vector p = Vector::Zero(size());
  const std::size_t contacts = step_.contacts.size();
  std::size_t motor = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Eigen::Index row = blocks_[i].first;
    if (i >= contacts) {
      for (Eigen::Index k = 0; k < blocks_[i].rows; ++k) p[row + k] = solution.motor[motor++];
      continue;
    }
    p[row] = solution.normal[i];
    if (!blocks_[i].rubs()) continue;
    for (std::size_t k = 0; k < solution.tangent[i].size(); ++k) {
      p[row + 1 + static_cast<Eigen::Index>(k)] = solution.tangent[i][k];
    }
  }
  return p;
}

StepSolution ConeProblem::write(const Vector& p) const {
  StepSolution out;
  const std::size_t contacts = step_.contacts.size();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Eigen::Index row = blocks_[i].first;
    if (i >= contacts) {
      for (Eigen::Index k = 0; k < blocks_[i].rows; ++k) out.motor.push_back(p[row + k]);
      continue;
    }
    out.normal.push_back(p[row]);
    out.tangent.emplace_back(step_.contacts[i].tangents.size(), 0.0);
    if (!blocks_[i].rubs()) continue;
    const auto slip = blocks_[i].slip(p);
    std::copy(slip.begin(), slip.end(), out.tangent.back().begin());
  }
  const Vector joints = joint_of_impulses_ * p + joint_offset_;
  out.bilateral.assign(joints.data(), joints.data() + joints.size());
  out.velocity = velocity_of_impulses(step_, out);
  return out;
}

}  // namespace pegrasp::reference::spatial

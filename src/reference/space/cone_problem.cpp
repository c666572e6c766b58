// SPDX-License-Identifier: Apache-2.0
#include "reference/space/cone_problem.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "reference/simulate/residual.hpp"

namespace pegrasp::reference::space {
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

bool rubs(const Contact& contact) { return contact.mu > 0.0 && contact.tangents.size() == 2; }

}  // namespace

ConeProblem::ConeProblem(const StepProblem& step) : step_(step) {
  Eigen::Index count = 0;
  for (const Contact& contact : step.contacts) count += rubs(contact) ? 3 : 1;
  DenseRows rows(count + static_cast<Eigen::Index>(step.motors.size()), step.velocity.size());
  Vector compliance = Vector::Zero(rows.offset.size());
  for (const Contact& contact : step.contacts) {
    blocks_.push_back({rubs(contact) ? BlockKind::contact : BlockKind::push, rows.count, contact.mu, 0.0});
    rows.add(contact.normal, push_of(contact), contact.gap / step.h + contact.rate);
    for (std::size_t k = 0; rubs(contact) && k < 2; ++k) {
      rows.add(contact.tangents[k], contact.tangents[k], contact.tangent_rate.empty() ? 0.0 : contact.tangent_rate[k]);
    }
  }
  for (const Motor& motor : step.motors) {
    blocks_.push_back({BlockKind::servo, rows.count, 0.0, motor.bound});
    compliance[rows.count] = motor.compliance;
    rows.add(motor.row, motor.row, motor.bias);
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
    Eigen::Vector2d slip;
    for (int k = 0; k < 2; ++k) {
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
    const Eigen::Index rows = block.rubs() ? 3 : 1;
    out.a_.diagonal().segment(block.first, rows).array() += softness * step_.contacts[i].spring;
  }
  return out;
}

// Rows that are projected together take steps of one length.
void ConeProblem::share_scales() {
  for (const ConeBlock& block : blocks_) {
    if (!block.rubs()) continue;
    const Eigen::Index first = block.first + (block.kind == BlockKind::contact ? 1 : 0);
    const Eigen::Index count = block.kind == BlockKind::contact ? 2 : 3;
    scale_.segment(first, count).setConstant(scale_.segment(first, count).maxCoeff());
  }
}

void ConeProblem::project(const ConeBlock& block, Vector& p) const {
  double& first = p[block.first];
  if (block.kind == BlockKind::servo) {
    first = std::clamp(first, -block.bound, block.bound);
    return;
  }
  if (block.kind == BlockKind::cone) {
    const double slip = p.segment<2>(block.first + 1).norm();
    if (slip <= block.mu * first) return;
    const double along = std::max(0.0, (first + block.mu * slip) / (1.0 + block.mu * block.mu));
    first = along;
    p.segment<2>(block.first + 1) *= block.mu * along / slip;
    return;
  }
  first = std::max(first, 0.0);
  if (block.kind != BlockKind::contact) return;
  const double radius = block.mu * first;
  const double length = p.segment<2>(block.first + 1).norm();
  if (length > radius) p.segment<2>(block.first + 1) *= radius / length;
}

Eigen::Matrix3d ConeProblem::projection_slope(const ConeBlock& block, const Vector& at) const {
  Eigen::Matrix3d out = Eigen::Matrix3d::Zero();
  const double first = at[block.first];
  if (block.kind == BlockKind::servo) {
    out(0, 0) = std::abs(first) < block.bound ? 1.0 : 0.0;
    return out;
  }
  if (!block.rubs()) {
    out(0, 0) = first > 0.0 ? 1.0 : 0.0;
    return out;
  }
  const Eigen::Vector2d t = at.segment<2>(block.first + 1);
  const double length = t.norm();
  const double mu = block.mu;
  if (length <= mu * first) return Eigen::Matrix3d::Identity();
  const Eigen::Vector2d u = t / length;
  const Eigen::Matrix2d across = Eigen::Matrix2d::Identity() - u * u.transpose();
  if (block.kind == BlockKind::contact) {
    if (!(first > 0.0)) return out;
    out(0, 0) = 1.0;
    out.block<2, 1>(1, 0) = mu * u;
    out.block<2, 2>(1, 1) = mu * first / length * across;
    return out;
  }
  const double along = (first + mu * length) / (1.0 + mu * mu);
  if (!(along > 0.0)) return out;
  Eigen::Vector3d side;  // of the cone
  side << 1.0, mu * u;
  out = side * side.transpose() / (1.0 + mu * mu);
  out.block<2, 2>(1, 1) += mu * along / length * across;
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
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Eigen::Index row = blocks_[i].first;
    p[row] = i < contacts ? solution.normal[i] : solution.motor[i - contacts];
    if (!blocks_[i].rubs()) continue;
    for (std::size_t k = 0; k < 2; ++k) p[row + 1 + static_cast<Eigen::Index>(k)] = solution.tangent[i][k];
  }
  return p;
}

StepSolution ConeProblem::write(const Vector& p) const {
  StepSolution out;
  const std::size_t contacts = step_.contacts.size();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Eigen::Index row = blocks_[i].first;
    if (i >= contacts) {
      out.motor.push_back(p[row]);
      continue;
    }
    out.normal.push_back(p[row]);
    out.tangent.emplace_back(step_.contacts[i].tangents.size(), 0.0);
    if (blocks_[i].rubs()) out.tangent.back() = {p[row + 1], p[row + 2]};
  }
  const Vector joints = joint_of_impulses_ * p + joint_offset_;
  out.bilateral.assign(joints.data(), joints.data() + joints.size());
  out.velocity = velocity_of_impulses(step_, out);
  return out;
}

}  // namespace pegrasp::reference::space

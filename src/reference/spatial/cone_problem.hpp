// SPDX-License-Identifier: Apache-2.0
// A step as a dense problem of its impulses alone: joints are eliminated, exactly, with the velocities.
//
//   w = A p + c,   p_block in K_block,   w complementary to p on K:
//   push: p >= 0;   contact: (p_n, p_t) with |p_t| <= mu p_n, w_t against p_t (Coulomb; p_t has two impulses, and moments by their arms
//   where the pair has torsional or rolling friction);   servo: |p| <= bound, of a spherical joint's three rows together
//   cone: the same (p_n, p_t), with (w_n, w_t) in the dual cone: friction as a convex problem, in which what slides also opens
//
// What cone_solver.cpp solves. Of small scenes only: the matrix is full.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference::spatial {

enum class BlockKind { push, contact, cone, servo };

struct ConeBlock {
  BlockKind kind;
  Eigen::Index first;  // row
  Eigen::Index rows =
      1;  // of a contact or cone three or more: the normal, two tangents, moments; of a ball's servo three
  double mu = 0.0;
  double bound = 0.0;  // of a servo
  bool rubs() const { return kind == BlockKind::contact || kind == BlockKind::cone; }
  auto slip(Vector& p) const { return p.segment(first + 1, rows - 1); }
  auto slip(const Vector& p) const { return p.segment(first + 1, rows - 1); }
};

class ConeProblem {
 public:
  // The mass matrix is diagonal.
  explicit ConeProblem(const StepProblem& step);
  // The convex problem that has the claimed velocities as its only ones exactly where they obey Coulomb's law with some impulses: every
  // contact is a cone, its normal row raised by mu times the claimed slip (Acary, Cadoux, Lemarechal, Malick 2011, ZAMM 91).
  ConeProblem(const StepProblem& step, const Vector& claimed);

  // The same with contacts that give way in proportion to what they carry (load sharing), to `softness` times Contact::spring; whether any
  // does, and friction hangs on it.
  ConeProblem on_springs(double softness) const;
  bool has_springs() const;

  const Eigen::MatrixXd& matrix() const { return a_; }
  const Vector& offset() const { return c_; }
  const std::vector<ConeBlock>& blocks() const { return blocks_; }
  Eigen::Index size() const { return c_.size(); }
  // Steps of the projection [m/s per N s]: A's own diagonal, of all tangents and moments of a contact the largest.
  const Vector& scale() const { return scale_; }

  // p projected on its set; of a contact the normal first, then the tangents on the ball that goes with it.
  void project(const ConeBlock& block, Vector& p) const;
  // The derivative of that projection at a point, where it has one, and one of several where it has a corner: of the block's rows.
  Eigen::MatrixXd projection_slope(const ConeBlock& block, const Vector& at) const;
  // The natural map p - proj(p - w / scale).
  Vector natural_map(const Vector& p, const Vector& w) const;

  Vector read(const StepSolution& solution) const;  // the impulses of a solution
  StepSolution write(const Vector& p) const;        // and back, with those of the joints and the velocity

 private:
  void share_scales();

  const StepProblem& step_;
  std::vector<ConeBlock> blocks_;
  Eigen::MatrixXd a_;
  Vector c_, scale_;
  Eigen::MatrixXd joint_of_impulses_;  // p_b = joint_of_impulses p + joint_offset
  Vector joint_offset_;
};

}  // namespace pegrasp::reference::spatial

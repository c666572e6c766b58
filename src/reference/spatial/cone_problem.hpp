// SPDX-License-Identifier: Apache-2.0
// A step as a dense problem of its impulses alone. Joints are eliminated exactly, together with the velocities:
//
//   w = A p + c,   p_block in K_block,   w complementary to p on K
//
//   push:     p >= 0
//   contact:  (p_n, p_t) with |p_t| <= mu p_n, and w_t against p_t (Coulomb). p_t has two impulses, and moments over
//             their arms where the pair has torsional or rolling friction.
//   servo:    |p| <= bound; for a spherical joint the three rows together
//   cone:     (p_n, p_t) as of a contact, with (w_n, w_t) in the dual cone: friction as a convex problem, in which a
//             sliding contact also opens
//
// cone_solver.cpp solves this problem. The matrix is full, which suits small scenes only.
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
  // The convex problem whose only velocities are the claimed ones exactly where these obey Coulomb's law with some
  // impulses. Every contact is a cone, and its normal row is raised by mu times the claimed slip (Acary, Cadoux,
  // Lemarechal and Malick 2011, ZAMM 91).
  ConeProblem(const StepProblem& step, const Vector& claimed);

  // The same problem with contacts on springs (load sharing), whose compliance is `softness` times Contact::spring; and
  // whether any contact with friction has a spring.
  ConeProblem on_springs(double softness) const;
  bool has_springs() const;

  const Eigen::MatrixXd& matrix() const { return a_; }
  const Vector& offset() const { return c_; }
  const std::vector<ConeBlock>& blocks() const { return blocks_; }
  Eigen::Index size() const { return c_.size(); }
  // Step lengths of the projection [m/s per N s]: the diagonal of A; for the tangents and moments of a contact the
  // largest of them.
  const Vector& scale() const { return scale_; }

  // Projects p on its set: of a contact first the normal, and then the tangents on the ball that belongs to it.
  void project(const ConeBlock& block, Vector& p) const;
  // The derivative of that projection at a point, for the rows of the block. At a corner of the set it is one of
  // several.
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

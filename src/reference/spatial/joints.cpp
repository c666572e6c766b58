// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/joints.hpp"

#include <cmath>
#include <numbers>

#include "src/reference/common/joint_targets.hpp"

namespace pegrasp::reference::spatial {
namespace {

JointGradient about(const Vector3& d) { return {{Vector3::Zero(), -d}, {Vector3::Zero(), d}}; }

}  // namespace

JointAt::JointAt(const SpatialNumbers& numbers, const JointSpec& joint, const std::vector<Vector3>& position,
                 const std::vector<Turn>& turns)
    : kind_(joint.kind),
      body_a_(joint.body_a),
      body_b_(joint.body_b),
      arm_(numbers.scene().joint_arm()),
      centre_a_(Vector3::Zero()) {
  const auto b = static_cast<std::size_t>(joint.body_b);
  const SpatialNumbers::JointFrames frames = numbers.joint_frames(joint);
  Placement frame_a;  // of the world
  if (joint.body_a >= 0) {
    const auto a = static_cast<std::size_t>(joint.body_a);
    centre_a_ = position[a];
    frame_a = frame_of(numbers, joint.body_a, position[a], turns[a]);
  }
  centre_b_ = position[b];
  const Placement frame_b = frame_of(numbers, joint.body_b, position[b], turns[b]);
  x_a_ = frame_a(frames.a.place);
  x_b_ = frame_b(frames.b.place);
  axes_a_ = frame_a.axes * frames.a.turn.toRotationMatrix();
  axes_b_ = frame_b.axes * frames.b.turn.toRotationMatrix();
}

JointGradient JointAt::turning(const Vector3& axis) { return about(axis); }

Vector3 JointAt::short_of(const Vector3& target) const {
  return logarithm(exponential(target) * Turn(Matrix3(axes_a_.transpose() * axes_b_)).conjugate());
}

// The arms of both bodies end in x_b, because d turns with body a.
JointGradient JointAt::along(const Vector3& d) const {
  return {{-d, -(x_b_ - centre_a_).cross(d)}, {d, (x_b_ - centre_b_).cross(d)}};
}

Vector3 JointAt::line() const {
  const Vector3 apart = x_b_ - x_a_;
  return apart.norm() > least_line ? Vector3(apart.normalized()) : Vector3(axes_a_.col(2));
}

// Where the ends answer to a push in one direction by more than in another, it matters which two directions are taken:
// the first is across the axis to which the line leans least.
JointRow JointAt::across(int direction) const {
  Eigen::Index least = 0;
  line().cwiseAbs().minCoeff(&least);
  const Vector3 first = line().cross(Vector3(Vector3::Unit(least))).normalized();
  const Vector3 d = direction == 1 ? first : Vector3(line().cross(first));
  return {0.0, {{-d, -(x_a_ - centre_a_).cross(d)}, {d, (x_b_ - centre_b_).cross(d)}}};
}

std::vector<JointRow> JointAt::rows() const {
  if (kind_ == JointKind::distance) return {};
  const bool slides = kind_ == JointKind::prismatic || kind_ == JointKind::cylindrical;
  int angular = 0;  // rows
  switch (kind_) {
    case JointKind::fixed:
    case JointKind::prismatic:
      angular = 3;
      break;
    case JointKind::revolute:
    case JointKind::cylindrical:
      angular = 2;
      break;
    case JointKind::spherical:
    case JointKind::distance:
      break;
  }
  std::vector<JointRow> out;
  for (int i = 0; i < (slides ? 2 : 3); ++i) {
    const Vector3 e = axes_a_.col(i);
    out.push_back({e.dot(x_b_ - x_a_), along(e)});
  }
  constexpr int of_a[] = {0, 1, 0};
  constexpr int of_b[] = {2, 2, 1};
  for (int i = 0; i < angular; ++i) {
    const Vector3 a = axes_a_.col(of_a[i]);
    const Vector3 b = axes_b_.col(of_b[i]);
    out.push_back({arm_ * a.dot(b), about(arm_ * b.cross(a))});
  }
  return out;
}

JointRow JointAt::coordinate(Freedom freedom, double about_turn) const {
  const Vector3 axis = axes_a_.col(2);
  if (freedom == Freedom::slide) {
    const Vector3 d = kind_ == JointKind::distance ? line() : axis;
    return {d.dot(x_b_ - x_a_), along(d)};
  }
  const double angle = std::atan2(axes_a_.col(1).dot(axes_b_.col(0)), axes_a_.col(0).dot(axes_b_.col(0)));
  if (kind_ == JointKind::spherical) return {swing(), about(swing_axis())};
  constexpr double whole = 2.0 * std::numbers::pi;
  return {angle + whole * std::round((about_turn - angle) / whole), about(axis)};
}

double JointAt::swing() const {
  const Vector3 a = axes_a_.col(2);
  const Vector3 b = axes_b_.col(2);
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

// If the axes are parallel, any axis across them is chosen.
Vector3 JointAt::swing_axis() const {
  const Vector3 across = axes_a_.col(2).cross(axes_b_.col(2));
  return across.norm() > 1e-12 ? Vector3(across.normalized()) : Vector3(axes_a_.col(2).unitOrthogonal());
}

double JointAt::turn_rate(const std::vector<Twist6>& velocity) const {
  Vector3 w = velocity[static_cast<std::size_t>(body_b_)].angular;
  if (body_a_ >= 0) w -= velocity[static_cast<std::size_t>(body_a_)].angular;
  return axes_a_.col(2).dot(w);
}

}  // namespace pegrasp::reference::spatial

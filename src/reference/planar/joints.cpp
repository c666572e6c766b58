// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/joints.hpp"

namespace pegrasp::reference {
namespace {

PlanarJointRow about(double arm, double value) { return {value, {0.0, 0.0, -arm}, {0.0, 0.0, arm}}; }

}  // namespace

PlanarJointAt::PlanarJointAt(const PlanarNumbers& numbers, const JointSpec& joint, const std::vector<Vector3>& pose)
    : kind_(joint.kind), arm_(numbers.scene().joint_arm()) {
  const auto at = [&pose](int body) {
    return body < 0 ? Vector3(Vector3::Zero()) : pose[static_cast<std::size_t>(body)];
  };
  const Vector3 a = at(joint.body_a);
  const Vector3 b = at(joint.body_b);
  const Placement frame_a = Placement::of(pose_of(a));
  const PlanarNumbers::JointFrames frames = numbers.joint_frames(joint);
  centre_a_ = a.head<2>();
  centre_b_ = b.head<2>();
  x_a_ = frame_a(frames.a.head<2>());
  x_b_ = Placement::of(pose_of(b))(frames.b.head<2>());
  axis_ = frame_a.direction(Point(std::cos(frames.a[2]), std::sin(frames.a[2])));
  turn_ = (b[2] + frames.b[2]) - (a[2] + frames.a[2]);
}

// The arms of both bodies end in x_b, because d turns with body a.
PlanarJointRow PlanarJointAt::along(const Point& d) const {
  return {
      d.dot(x_b_ - x_a_), {-d.x(), -d.y(), -cross(x_b_ - centre_a_, d)}, {d.x(), d.y(), cross(x_b_ - centre_b_, d)}};
}

std::vector<PlanarJointRow> PlanarJointAt::rows() const {
  if (kind_ == JointKind::distance) return {};
  std::vector<PlanarJointRow> out{along(turned_left(axis_))};
  if (kind_ != JointKind::prismatic) out.push_back(along(axis_));
  if (kind_ != JointKind::revolute) out.push_back(about(arm_, arm_ * turn_));
  return out;
}

PlanarJointRow PlanarJointAt::slide() const { return along(kind_ == JointKind::distance ? line() : axis_); }

Point PlanarJointAt::line() const {
  const Point apart = x_b_ - x_a_;
  return apart.norm() > least_line ? Point(apart.normalized()) : axis_;
}

PlanarJointRow PlanarJointAt::across() const {
  const Point d = turned_left(line());
  return {0.0, {-d.x(), -d.y(), -cross(x_a_ - centre_a_, d)}, {d.x(), d.y(), cross(x_b_ - centre_b_, d)}};
}

PlanarJointRow PlanarJointAt::turn() const { return about(1.0, turn_); }

std::vector<PlanarLimit> planar_limits(const PlanarScene& scene, std::span<const char> present) {
  std::vector<PlanarLimit> out;
  int k = -1;
  for (const JointSpec& joint : scene.spec().joints) {
    ++k;
    if (!joint_present(joint, present)) continue;
    if (joint.slide) out.push_back({k, false});
    if (joint.turn) out.push_back({k, true});
  }
  return out;
}

LimitGap limit_gap(const PlanarScene& scene, const PlanarLimit& limit, const PlanarJointAt& at) {
  const JointSpec& joint = scene.spec().joints[static_cast<std::size_t>(limit.joint)];
  return limit_gap(limit.turns ? *joint.turn : *joint.slide, at.coordinate(limit.turns).value,
                   limit.turns ? scene.joint_arm() : 1.0);
}

}  // namespace pegrasp::reference

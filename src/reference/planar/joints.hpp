// SPDX-License-Identifier: Apache-2.0
// Joints in 2D (Williams' thesis, table 2.1). Each of the two bodies carries a joint frame, and the joint allows some
// motion of frame b relative to frame a. Joints slide along x of frame a and turn about the normal of the plane.
//
//   linear rows    e . (x_b - x_a),  e = y (and x) of frame a
//   angular row    l (theta_b - theta_a - the angle between the frames in their bodies),  l an arm [m], so that all
//                  rows are lengths
#pragma once

#include <vector>

#include "src/reference/common/joint_targets.hpp"
#include "src/reference/planar/scene.hpp"

namespace pegrasp::reference {

// A value and its gradient with respect to the velocities (vx, vy, omega) of the two bodies. The gradient of the world
// is 0.
struct PlanarJointRow {
  double value = 0.0;
  Vector3 a, b;
};

// A joint at given poses (bodies).
class PlanarJointAt {
 public:
  PlanarJointAt(const PlanarNumbers& numbers, const JointSpec& joint, const std::vector<Vector3>& pose);
  // The rows of the motion that the joint does not allow [m]. They vanish where the joint is closed.
  std::vector<PlanarJointRow> rows() const;
  PlanarJointRow slide() const;  // [m] of a distance joint how far its points are from each other
  PlanarJointRow turn() const;   // [rad]
  // From the centres of mass to the joint, world [m].
  Point arm_a() const { return x_b_ - centre_a_; }
  Point arm_b() const { return x_b_ - centre_b_; }
  // Of a distance joint: the direction from the first point to the second one, and the velocity of the second against
  // the first one across it.
  Point line() const;
  PlanarJointRow across() const;
  PlanarJointRow coordinate(bool turns) const { return turns ? turn() : slide(); }

 private:
  PlanarJointRow along(const Point& d) const;

  JointKind kind_;
  double arm_;
  Point centre_a_, centre_b_, x_a_, x_b_, axis_;
  double turn_;
};

struct PlanarLimit {
  int joint;
  bool turns;
};
// The limits of joints whose bodies are present, in the order of their rows.
std::vector<PlanarLimit> planar_limits(const PlanarScene& scene, std::span<const char> present);
LimitGap limit_gap(const PlanarScene& scene, const PlanarLimit& limit, const PlanarJointAt& at);

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// Joints in 2D (Williams' thesis, table 2.1): each body carries a joint frame, and a joint leaves some of the motion of frame b in frame a.
// Joints slide along x of frame a and turn about the plane's normal.
//
//   linear rows    e . (x_b - x_a),  e = y (and x) of frame a
//   angular row    l (theta_b - theta_a - what the frames are turned by),  l an arm [m]: all rows are lengths
#pragma once

#include <vector>

#include "src/reference/common/joint_targets.hpp"
#include "src/reference/planar/scene.hpp"

namespace pegrasp::reference {

// A value, and its gradient by the velocities (vx, vy, omega) of a joint's two bodies; of the world's nothing comes.
struct PlanarJointRow {
  double value = 0.0;
  Vector3 a, b;
};

// A joint at poses (bodies) of centre of mass and turn.
class PlanarJointAt {
 public:
  PlanarJointAt(const PlanarScene& scene, const JointSpec& joint, const std::vector<Vector3>& pose);
  // What the joint does not leave: these vanish [m].
  std::vector<PlanarJointRow> rows() const;
  PlanarJointRow slide() const;  // [m]
  PlanarJointRow turn() const;   // [rad]
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
// Of joints whose bodies are present, in the order of their rows.
std::vector<PlanarLimit> planar_limits(const PlanarScene& scene, std::span<const char> present);
LimitGap limit_gap(const PlanarScene& scene, const PlanarLimit& limit, const PlanarJointAt& at);

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// Joints in 3D (Williams' thesis, table 2.1). Each of the two bodies carries a joint frame, and the joint allows some
// motion of frame b relative to frame a. The axis is z of frame a.
//
//   linear rows    e . (x_b - x_a),  e = x, y (and z) of frame a
//   angular rows   l a_i . b_j,  (i, j) = (x, z), (y, z), (x, y),  l an arm [m], so that all rows are lengths
#pragma once

#include <vector>

#include "src/reference/spatial/motion.hpp"

namespace pegrasp::reference::spatial {

// A linear function of the velocities of a joint's two bodies.
struct JointGradient {
  Twist6 a, b;  // linear . v + angular . w
  friend JointGradient operator*(double factor, const JointGradient& g) {
    return {{factor * g.a.linear, factor * g.a.angular}, {factor * g.b.linear, factor * g.b.angular}};
  }
};

// A value with its gradient.
struct JointRow {
  double value = 0.0;
  JointGradient gradient;
};

enum class Freedom { slide, turn };

// A joint at a pose of its bodies.
class JointAt {
 public:
  JointAt(const SpatialNumbers& numbers, const JointSpec& joint, const std::vector<Vector3>& position,
          const std::vector<Turn>& turn);
  // The rows of the motion that the joint does not allow [m]. They vanish where the joint is closed.
  std::vector<JointRow> rows() const;
  // A coordinate [m or rad]. Of the angles that the pose may mean, the one nearest to `about_turn` is returned. The
  // turn of a spherical joint is its swing.
  JointRow coordinate(Freedom freedom, double about_turn) const;
  // The rate at which frame b turns relative to frame a about the axis [rad/s]. velocity: (bodies)
  double turn_rate(const std::vector<Twist6>& velocity) const;

  // Of a distance joint, whose slide is the distance of its points: the direction from the first point to the second
  // one, and the velocity of the second against the first one in direction 1 or 2 across it.
  Vector3 line() const;
  JointRow across(int direction) const;

  // The axes of frame a in the world, and the gradient of the angle about an axis, as frame b turns relative to frame
  // a.
  const Matrix3& axes() const { return axes_a_; }
  static JointGradient turning(const Vector3& axis);
  // From the centres of mass to the joint, world [m].
  Vector3 arm_a() const { return x_b_ - centre_a_; }
  Vector3 arm_b() const { return x_b_ - centre_b_; }
  // The rotation vector, in frame a, of the shortest turn that brings frame b to exp(target).
  Vector3 short_of(const Vector3& target) const;

  // The angle between the axes of the two frames [rad], and the unit vector about which it grows.
  double swing() const;
  Vector3 swing_axis() const;

 private:
  JointGradient along(const Vector3& d) const;

  JointKind kind_;
  int body_a_, body_b_;
  double arm_;
  Vector3 centre_a_, centre_b_;  // of mass
  Vector3 x_a_, x_b_;            // origins of the joint frames
  Matrix3 axes_a_, axes_b_;
};

}  // namespace pegrasp::reference::spatial

// SPDX-License-Identifier: Apache-2.0
// The targets of joints and actuators in a step, in 2D and in 3D.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp::reference {

// Whether both bodies of the joint take part in the step.
inline bool joint_present(const JointSpec& joint, std::span<const char> present) {
  return present[static_cast<std::size_t>(joint.body_b)] != 0 &&
         (joint.body_a < 0 || present[static_cast<std::size_t>(joint.body_a)] != 0);
}

// Whether a coupling acts: the bodies of both its joints take part in the step.
inline bool coupling_present(const SceneSpec& scene, const CouplingSpec& coupling, std::span<const char> present) {
  return joint_present(scene.joints[static_cast<std::size_t>(coupling.joint)], present) &&
         joint_present(scene.joints[static_cast<std::size_t>(coupling.of_joint)], present);
}
// How many couplings act. Their rows stand behind those of the joints.
inline std::size_t active_couplings(const SceneSpec& scene, std::span<const char> present) {
  return static_cast<std::size_t>(
      std::count_if(scene.couplings.begin(), scene.couplings.end(),
                    [&](const CouplingSpec& coupling) { return coupling_present(scene, coupling, present); }));
}
// Whether an actuator is a spring: a position servo on the distance of two points.
inline bool is_spring(const SceneSpec& scene, const ActuatorSpec& actuator) {
  return actuator.joint >= 0 && actuator.kind == ActuatorKind::position_servo &&
         scene.joints[static_cast<std::size_t>(actuator.joint)].kind == JointKind::distance;
}
// Two points that are no farther apart [m] have no line through them.
constexpr double least_line = 1e-12;

inline bool only_turns(const JointSpec& joint) { return joint.kind == JointKind::revolute; }

// How a coupling becomes a length: x - factor x' - offset, times the joint's arm where the first coordinate is an
// angle. `share` is what multiplies the gradients of x and of x'.
struct CouplingRow {
  double share[2];
  double offset;
  double value(double x, double of_x) const { return share[0] * x + share[1] * of_x - offset; }
};
inline CouplingRow coupling_row(const SceneSpec& scene, const CouplingSpec& coupling, double arm) {
  const double scale = only_turns(scene.joints[static_cast<std::size_t>(coupling.joint)]) ? arm : 1.0;
  return {{scale, -scale * coupling.factor}, scale * coupling.offset};
}

// Up to this value of h (h K + D) a position servo has no stiffness, as in the product.
constexpr double least_gain = 1e-30;

// The value [m] that a joint's row is to have after a step that starts with the value `start`, and the gap that a limit
// is to have. A step may undo up to `recovery` [m].
inline double joint_target(double start, double recovery) { return start - std::clamp(start, -recovery, recovery); }
inline double limit_target(double start, double recovery) { return std::min(0.0, start + recovery); }

// The nearer end of a limited coordinate: how far inside the coordinate is [m; angles times the joint's arm], and the
// side that is inside, 1 or -1.
struct LimitGap {
  double gap;
  double side;
};
inline LimitGap limit_gap(const JointRange& range, double value, double scale) {
  const double low = scale * (value - range.low);
  const double high = scale * (range.high - value);
  return low <= high ? LimitGap{low, 1.0} : LimitGap{high, -1.0};
}

// What a program adds to a target: linear between keys, constant outside. of(key) returns a number or a vector.
template <class T, class Of>
T at_time(const std::vector<TargetKey>& program, double time, const T& none, const Of& of) {
  if (program.empty()) return none;
  if (time <= program.front().time) return of(program.front());
  for (std::size_t k = 1; k < program.size(); ++k) {
    if (time >= program[k].time) continue;
    const double share = (time - program[k - 1].time) / (program[k].time - program[k - 1].time);
    return of(program[k - 1]) + share * (of(program[k]) - of(program[k - 1]));
  }
  return of(program.back());
}

}  // namespace pegrasp::reference

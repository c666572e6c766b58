// SPDX-License-Identifier: Apache-2.0
// Joints (thesis 2.2.3 and table 2.1). Each of the two bodies carries a joint frame, and a joint constrains the motion
// of the second frame in the first.
//
//   rows   psi_i(q) = 0    the motion that the joint blocks
//   slide  s(q)            along the axis of the first frame (prismatic, cylindrical)
//   turn   theta(q)        about that axis (revolute, cylindrical), counted beyond full turns; of spherical joints
//                          the swing, the angle between the axes of the two frames
//
// Impulses act along the gradients G(q0) at the start of the step (of a swing that has no direction there, at its end),
// and psi is to vanish at the end of the step. So, as in SHAKE, a pendulum keeps its energy; impulses along the
// gradients at the end would take energy from it.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/joint.hpp"
#else
#include "kernels/planar/joint.hpp"
#endif
#include "kernels/base/team.hpp"
#include "kernels/contact/linearisation.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline JointPose start_joint(const SceneView& s, int joint) {
  const ModelView& m = *s.model;
  const int a = m.joint_body_a[joint];
  const int b = m.joint_body_b[joint];
  return joint_pose(s, joint, a < 0 ? world_frame() : start_frame(s, a), start_frame(s, b), s.pose);
}
PEGRASP_HD inline JointPose end_joint(const SceneView& s, int joint) {
  const ModelView& m = *s.model;
  const int a = m.joint_body_a[joint];
  const int b = m.joint_body_b[joint];
  return joint_pose(s, joint, a < 0 ? world_frame() : end_frame(s, a), end_frame(s, b), s.end_pose);
}

// Sets the frames of the joint as the scene begins: those of the model, or where parameters have put the bodies
// elsewhere in relation to each other, those that JointAnchor asks for.
PEGRASP_HD inline void anchor_joint(const SceneView& s, int joint) {
  constexpr double least = 1e-9;  // of the joint's arm: less is the rounding of poses, and frames stay as they are
  const ModelView& m = *s.model;
  double* data = s.joint_frame + joint_frame_size * joint;
  for (int i = 0; i < joint_frame_size; ++i) data[i] = m.joint_frame[joint_frame_size * joint + i];
  const auto anchor = static_cast<JointAnchor>(m.joint_anchor[joint]);
  if (anchor == JointAnchor::as_given) return;
  const JointPose at = start_joint(s, joint);
  if (frames_apart(at, m.joint_arm[joint]) <= least * m.joint_arm[joint]) return;
  const int a = m.joint_body_a[joint];
  if (anchor == JointAnchor::by_first) {
    move_frame_b(at, start_frame(s, m.joint_body_b[joint]), data);
  } else {
    move_frame_a(at, a < 0 ? world_frame() : start_frame(s, a), data);
  }
}

// Whether the bodies of the joint are present.
PEGRASP_HD inline bool joint_present(const SceneView& s, int joint) {
  const int a = s.model->joint_body_a[joint];
  return s.present[s.model->joint_body_b[joint]] && (a < 0 || s.present[a]);
}

// The value [m] that a row is to have at the end of a step that begins with `start`: 0, or what the recovery speed
// cannot undo in one step. With contact ratio the share 1 - gamma (13).
PEGRASP_HD inline double joint_target(double start, const StepOptions& options) {
  if (solves_once(options)) return (1.0 - options.gamma) * start;
  const double most = options.recovery_speed * options.h;
  return start - clamp(start, -most, most);
}

enum JointFreedom : int { free_slide = 0, free_turn = 1 };

// Whether the joint limits this freedom.
PEGRASP_HD inline bool has_limit(const ModelView& m, int joint, int freedom) {
  constexpr double none = 1e299;
  const double* range = m.joint_limit + 4 * joint + 2 * freedom;
  return range[0] > -none || range[1] < none;
}

// The coordinate of a freedom [m or rad], h [s] into the step: h = 0 is its start, options.h its end pose. A turn
// follows from the turn at the start and the velocities, so that a step may turn a joint by any angle.
PEGRASP_HD inline double joint_coordinate(const SceneView& s, const JointPose& at, int joint, int freedom, double h) {
  if (freedom == free_slide) return slide_of(*s.model, at, joint);
  const double turned = h > 0.0 ? h * turn_rate(s, at, joint) : 0.0;
  return turn_of_joint(*s.model, at, joint, s.joint_turn[joint] + turned);
}

// The nearer of the two ends of a limited coordinate, h [s] into the step: how far the coordinate is inside [m, of
// turns at the arm of the joint], and on which side inside is (1 or -1).
struct LimitGap {
  double gap;
  double side;
};
PEGRASP_HD inline LimitGap limit_gap(const SceneView& s, const JointPose& at, int joint, int freedom, double h) {
  const double* range = s.model->joint_limit + 4 * joint + 2 * freedom;
  const double x = joint_coordinate(s, at, joint, freedom, h);
  const double scale = freedom == free_slide ? 1.0 : s.model->joint_arm[joint];
  const double low = scale * (x - range[0]);
  const double high = scale * (range[1] - x);
  return low <= high ? LimitGap{low, 1.0} : LimitGap{high, -1.0};
}
// The gap [m] of a limit that the step is to reach.
PEGRASP_HD inline double limit_target(double start, const StepOptions& options) {
  return min2(0.0, start + options.recovery_speed * options.h);
}

// --- couplings -------------------------------------------------------------------------------------------------------

// A coupling holds x - factor x' - offset = 0 between the coordinates x and x' of two joints, of one freedom each. It
// is measured in metres (ModelView::coupling_scale). Its gradient has a half for each joint.

PEGRASP_HD inline int coupling_joint(const ModelView& m, int coupling, int half) {
  return m.coupling_joint[2 * coupling + half];
}
PEGRASP_HD inline int only_freedom(const ModelView& m, int joint) {
  return m.joint_kind[joint] == static_cast<int>(JointKind::revolute) ? free_turn : free_slide;
}
// What the gradient of a joint's coordinate is multiplied by in its half of a coupling.
PEGRASP_HD inline double coupling_share(const ModelView& m, int coupling, int half) {
  return m.coupling_scale[coupling] * (half == 0 ? 1.0 : -m.coupling_factor[coupling]);
}
// A dynamic body of the joint: every joint has one.
PEGRASP_HD inline int moved_by_joint(const SceneView& s, int joint) {
  const int b = s.model->joint_body_b[joint];
  return is_dynamic(s, b) ? b : s.model->joint_body_a[joint];
}
PEGRASP_HD inline bool coupling_present(const SceneView& s, int coupling) {
  return joint_present(s, coupling_joint(*s.model, coupling, 0)) &&
         joint_present(s, coupling_joint(*s.model, coupling, 1));
}
// The value [m] of a coupling at the start of the step, or at its end pose, h [s] later.
PEGRASP_HD inline double coupling_value(const SceneView& s, int coupling, bool at_end, double h) {
  const ModelView& m = *s.model;
  double x[2];
  for (int half = 0; half < 2; ++half) {
    const int joint = coupling_joint(m, coupling, half);
    x[half] = at_end ? joint_coordinate(s, end_joint(s, joint), joint, only_freedom(m, joint), h)
                     : joint_coordinate(s, start_joint(s, joint), joint, only_freedom(m, joint), 0.0);
  }
  return m.coupling_scale[coupling] * (x[0] - m.coupling_factor[coupling] * x[1] - m.coupling_offset[coupling]);
}
// Calls f(coupling) for the couplings by which a joint depends on others.
template <class F>
PEGRASP_HD inline void for_couplings_of(const SceneView& s, int joint, const F& f) {
  for (int k = 0; k < s.model->coupling_count; ++k) {
    if (coupling_joint(*s.model, k, 0) == joint && coupling_present(s, k)) f(k);
  }
}

// How far [m] the rows and limits of the joint, and its couplings to joints on which it depends, end from where the
// step was to take them.
PEGRASP_HD inline double joint_error(const SceneView& s, int joint, const StepOptions& options) {
  if (!joint_present(s, joint)) return 0.0;
  const ModelView& m = *s.model;
  const JointPose start = start_joint(s, joint);
  const JointPose end = end_joint(s, joint);
  double error = 0.0;
  for (int i = 0; i < joint_rows_of(m.joint_kind[joint]); ++i) {
    const double target = joint_target(joint_value(m, start, joint, i), options);
    error = max_or_nan(error, abs1(joint_value(m, end, joint, i) - target));
  }
  for (int freedom = 0; freedom < 2; ++freedom) {
    if (!has_limit(m, joint, freedom)) continue;
    const double target = limit_target(limit_gap(s, start, joint, freedom, 0.0).gap, options);
    error = max_or_nan(error, target - limit_gap(s, end, joint, freedom, options.h).gap);
  }
  for_couplings_of(s, joint, [&](int k) {
    const double target = joint_target(coupling_value(s, k, false, 0.0), options);
    error = max_or_nan(error, abs1(coupling_value(s, k, true, options.h) - target));
  });
  return error;
}

// Largest violation [m] of the rows of the joint, and of its couplings to joints on which it depends, at the start
// pose.
PEGRASP_HD inline double joint_apart_by(const SceneView& s, int joint) {
  const JointPose at = start_joint(s, joint);
  double apart = 0.0;
  for (int i = 0; i < joint_rows_of(s.model->joint_kind[joint]); ++i) {
    apart = max_or_nan(apart, abs1(joint_value(*s.model, at, joint, i)));
  }
  for_couplings_of(s, joint, [&](int k) { apart = max_or_nan(apart, abs1(coupling_value(s, k, false, 0.0))); });
  return apart;
}

// --- motors ----------------------------------------------------------------------------------------------------------

// ParameterLayout::target_component() where it runs on a device too.
PEGRASP_HD constexpr int target_component(int component) { return component == 0 ? 0 : 3 + component; }
static_assert(target_component(0) == ParameterLayout::target_component(0) &&
              target_component(1) == ParameterLayout::target_component(1) &&
              target_component(2) == ParameterLayout::target_component(2));

// The target of an actuator at a time [s]: its parameter, plus its program, which is linear between keys and held
// outside. Only targets of spherical joints have components beyond the first.
PEGRASP_HD inline double actuator_target(const SceneView& s, int k, double time, int component = 0) {
  const ModelView& m = *s.model;
  const double own = s.parameter(m.at.actuator + ParameterLayout::actuator_stride * k + target_component(component));
  const int first = m.actuator_first_key[k];
  const int last = m.actuator_first_key[k + 1] - 1;
  if (last < first) return own;
  int i = first;
  while (i < last && m.key_time[i + 1] <= time) ++i;
  const double* key = m.key_target + target_size * i + component;
  double target = *key;
  if (i < last && time > m.key_time[i]) {
    const double f = (time - m.key_time[i]) / (m.key_time[i + 1] - m.key_time[i]);
    target += f * (key[target_size] - *key);
  }
  return own + target;
}

// The impulse [N s or N m s] of a motor that gives the force it is set to, where a (sub)step of h [s] begins after one
// of `last` [s].
PEGRASP_HD inline double given_impulse(const SceneView& s, int k, double last, double h, int component = 0) {
  const double before = last > 0.0 ? 0.5 * last * actuator_target(s, k, s.tally->time0 - 0.5 * last, component) : 0.0;
  return before + 0.5 * h * actuator_target(s, k, s.tally->time0 + 0.5 * h, component);
}

// How long [s] the servo acts where a (sub)step of h [s] begins: the time of the body that it drives.
PEGRASP_HD inline double servo_time(const SceneView& s, int k, double h) {
  const ModelView& m = *s.model;
  const int joint = m.actuator_joint[k];
  if (joint < 0) return kick_time(s, m.actuator_body[k], h);
  const int b = m.joint_body_b[joint];
  return kick_time(s, is_dynamic(s, b) || m.joint_body_a[joint] < 0 ? b : m.joint_body_a[joint], h);
}

// Whether the actuator is the motor of a spherical joint.
PEGRASP_HD inline bool drives_ball(const ModelView& m, int actuator) {
  const int joint = m.actuator_joint[actuator];
  return joint >= 0 && m.joint_kind[joint] == static_cast<int>(JointKind::spherical);
}
PEGRASP_HD inline int motor_rows_of(const ModelView& m, int actuator) { return drives_ball(m, actuator) ? 3 : 1; }

PEGRASP_HD inline int freedom_of(const ModelView& m, int actuator) {
  return m.actuator_rotary[actuator] != 0 ? free_turn : free_slide;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

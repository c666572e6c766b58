// SPDX-License-Identifier: Apache-2.0
// Pushes as motions of a pusher: where it touches the body's outline, which way it goes and how far, and how it comes
// from one push to the next without touching the body (Berard's thesis, 4.3.2).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"

namespace pegrasp::plan {

// Of one push: `place` along the outline as a share of its length, counter-clockwise, any number modulo 1; the
// direction against the inner normal there [rad]; how far the pusher goes on from where it touches [m].
constexpr std::size_t push_size = 3;
struct PushRange {
  std::array<double, push_size> low{}, high{};
};

// What [plan] says, and the goal of [success].
struct PlanTask {
  int body = 0, pusher = 0;
  std::string body_name, pusher_name;
  double speed = 0.0, travel_speed = 0.0;  // [m/s] while it pushes, and on its way
  double clearance = 0.0;                  // [m] between the pusher on its way and the body
  std::vector<PushRange> pushes;           // in the order of the plan
  std::vector<Vec2> outline;               // the hull of the body in its frame [m], counter-clockwise
  double reach = 0.0;                      // [m] of the hull about the frame's origin
  double pusher_radius = 0.0;              // [m]
  Pose start;                              // of the body, with centres for what is uncertain
  Pose goal;                               // the middle of what [success] allows
  std::array<double, 3> allowed{};         // [m], [m], [rad] from there
};

// Throws InputError, one line with file, key and remedy.
PlanTask read_task(const RowEvaluator& rows);

// A push in the world: the centre of the pusher where it touches, and where the body is then.
struct Push {
  Vec2 touch, direction;
  double length = 0.0;  // [m]
  Pose body;
};
Push place_push(const PlanTask& task, const Pose& body, const double* numbers);

// The pusher's keyframes: of one push, and of pushes one after the other. It comes at each from `clearance` away, goes
// straight back after it, and round the body on a circle.
std::vector<Keyframe> motion_of(const PlanTask& task, const Push& push);
std::vector<Keyframe> motion_of(const PlanTask& task, const std::vector<Push>& pushes);

// What a row sets for that motion.
std::vector<Override> motion_overrides(const PlanTask& task, const std::vector<Keyframe>& motion);
// The same for a body that starts elsewhere.
std::vector<Override> pose_overrides(const PlanTask& task, const Pose& pose);

// How far a pose is from the goal, each coordinate in units of what is allowed: at most 1 in each where it succeeds.
std::array<double, 3> deviation(const PlanTask& task, const Pose& pose);

}  // namespace pegrasp::plan

// SPDX-License-Identifier: Apache-2.0
// From the phases of a protocol to motion, pulls, measures and success of a scene.
#include <algorithm>
#include <cmath>

#include "src/geometry/placement.hpp"
#include "src/problem/grasp_readers.hpp"

namespace pegrasp {
namespace {

constexpr double weight = 9.81;        // [m/s^2]
constexpr double onset = 0.02;         // [s] within which a pull changes, at most
constexpr double most_overlap = 1e-4;  // [m] of gripper and part that a grasp may begin with
constexpr int pieces_of_move = 16;     // of the motion of a phase, which begins and ends at rest

double smooth(double share) { return share * share * (3.0 - 2.0 * share); }

// Keyframes of the gripper's base. The own motion turns along with the base, from where the scene describes it.
std::vector<SpatialKeyframe> keyframes(const Protocol& protocol, const GripperAxes& axes, const SpatialPose& base) {
  std::vector<SpatialKeyframe> out;
  SpatialPose world = base, own;
  double time = 0.0;
  const auto add = [&](double at, const SpatialPose& in_world, const SpatialPose& in_own) {
    SpatialKeyframe key;
    key.time = at;
    key.pose = in_world;
    key.own = in_own;
    out.push_back(key);
  };
  add(0.0, world, own);
  for (const ProtocolPhase& phase : protocol.phases) {
    const bool moves = length(phase.move) > 0.0 || length(phase.turn) > 0.0;
    const auto frame = [&](Vec3 v) { return phase.world ? v : turned(base.turn, axes(v)); };
    const Vec3 shift = frame(phase.move), turn = frame(phase.turn);
    const SpatialPose before = phase.world ? world : own;
    for (int k = 1; k <= (moves ? pieces_of_move : 1); ++k) {
      const double share = moves ? static_cast<double>(k) / pieces_of_move : 1.0;
      SpatialPose& at = phase.world ? world : own;
      if (moves) {
        at.position = before.position + smooth(share) * shift;
        at.turn = normalised(turn_by(smooth(share) * turn) * before.turn);
      }
      add(time + share * phase.time, world, own);
    }
    time += phase.time;
  }
  return out;
}

// A pull of one kind: value(phase) in each phase.
template <class F>
void add_pull(const Protocol& protocol, int part, int in, bool force, const F& value, std::vector<Pull>& pulls) {
  Pull pull;
  pull.body = part;
  pull.in = in;
  pull.force = force;
  Vec3 last = value(protocol.phases.front());
  bool any = length(last) > 0.0;
  pull.program.push_back({0.0, last});
  double time = protocol.phases.front().time;
  for (std::size_t k = 1; k < protocol.phases.size(); ++k) {
    const ProtocolPhase& phase = protocol.phases[k];
    const Vec3 next = value(phase);
    any = any || length(next) > 0.0;
    if (length(next - last) > 0.0) {
      pull.program.push_back({time, last});
      pull.program.push_back({time + std::min(onset, 0.5 * phase.time), next});
    }
    last = next;
    time += phase.time;
  }
  if (any) pulls.push_back(pull);
}

void add_success(const Protocol& protocol, const Gripper& gripper, int part, double since, SceneSpec& scene) {
  Predicate held;
  held.kind = PredicateKind::held;
  held.body = part;
  held.body_b = gripper.base();
  held.since = since;
  held.value = protocol.slip;
  if (protocol.tilt < 3.1415) held.tilt = protocol.tilt;
  Predicate any;
  any.kind = PredicateKind::any;
  for (const int body : gripper.bodies()) {
    if (scene.bodies[static_cast<std::size_t>(body)].spatial().parts.empty()) continue;
    Predicate touches;
    touches.kind = PredicateKind::touching;
    touches.body = part;
    touches.body_b = body;
    touches.duration = protocol.touching;
    scene.success.push_back(touches);
    ++any.count;
  }
  scene.success.push_back(any);
  scene.success.push_back(held);
  Predicate all;
  all.kind = PredicateKind::all;
  all.count = 2;
  scene.success.push_back(all);
}

}  // namespace

Vec3 GripperAxes::operator()(Vec3 v) const { return v.x * closing + v.y * cross(approach, closing) + v.z * approach; }

ProtocolStart start_of(const Protocol& protocol, const GripperAxes& axes) {
  ProtocolStart start;
  for (std::size_t k = 0; k < protocol.closing(); ++k) {
    const ProtocolPhase& phase = protocol.phases[k];
    if (phase.world) {
      start.world = start.world - phase.move;
    } else {
      start.own = start.own - axes(phase.move);
    }
  }
  return start;
}

void add_protocol(const Protocol& protocol, const GripperAxes& axes, const Gripper& gripper, int part, bool own_success,
                  SceneSpec& scene) {
  SpatialBody& base = scene.bodies[static_cast<std::size_t>(gripper.base())].spatial();
  base.motion = keyframes(protocol, axes, start_pose(base));
  base.motion_in = gripper.base();
  const Quaternion described = start_pose(base).turn;
  for (const bool world : {true, false}) {
    const int in = world ? -1 : gripper.base();
    const auto value = [&](const ProtocolPhase& phase, Vec3 v, double unit) {
      if (phase.world != world) return Vec3{};
      return unit * (world ? v : turned(described, axes(v)));
    };
    add_pull(
        protocol, part, in, false, [&](const ProtocolPhase& p) { return value(p, p.pull, weight); }, scene.pulls);
    add_pull(
        protocol, part, in, true, [&](const ProtocolPhase& p) { return value(p, p.force, 1.0); }, scene.pulls);
  }
  const double since = protocol.begin_of(protocol.closing() + 1);
  scene.watch = {part, gripper.base(), gripper.bodies(), since, most_overlap};
  scene.measure_forces = true;
  if (!own_success) add_success(protocol, gripper, part, since, scene);
}

}  // namespace pegrasp

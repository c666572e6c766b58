// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/success.hpp"

#include <algorithm>

#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {
namespace {

// Durations are sums of steps: ten of 5 ms add up to a hair less than 50 ms.
constexpr double whole_steps = 1.0 - 1e-9;

double angle_between(const Turn& a, const Turn& b) { return logarithm(a * b.conjugate()).norm(); }

}  // namespace

SpatialSuccess::SpatialSuccess(const SpatialNumbers& numbers, const StepOptions& options, const SpatialState& initial)
    : numbers_(numbers), options_(options), initial_(initial) {}

SeenBody SpatialSuccess::seen(const SpatialState& state, int body, int base) const {
  const auto b = static_cast<std::size_t>(body);
  if (base < 0) return {state.position[b], state.turn[b]};
  const auto a = static_cast<std::size_t>(base);
  const Turn back = state.turn[a].conjugate();
  return {back * (state.position[b] - state.position[a]), back * state.turn[b]};
}

Placement SpatialSuccess::frame(const SpatialState& state, int body) const {
  const auto b = static_cast<std::size_t>(body);
  return frame_of(numbers_, body, state.position[b], state.turn[b]);
}

// The origin of the body's frame within a box, as the other body sees it, and the body turned by at most `tilt` since the start.
bool SpatialSuccess::pose_within(const SpatialState& state, const Predicate& p) const {
  Vector3 x = frame(state, p.body).origin;
  if (p.body_b >= 0) x = frame(state, p.body_b).back(x);
  const Vector3 low(p.low.x, p.low.y, p.low_z);
  const Vector3 high(p.high.x, p.high.y, p.high_z);
  if (!((x.array() >= low.array()).all() && (x.array() <= high.array()).all())) return false;
  return angle_between(seen(state, p.body, p.body_b).turn, seen(initial_, p.body, p.body_b).turn) <= p.tilt;
}

bool SpatialSuccess::leaf(const SpatialState& state, const SpatialClocks& clocks, std::size_t index) const {
  const SpatialScene& scene = numbers_.scene();
  const Predicate& p = scene.spec().success[index];
  switch (p.kind) {
    case PredicateKind::gap_below: {
      const int a = scene.part_body(p.part_a);
      const int b = scene.part_body(p.part_b);
      return best_separation(scene.place(p.part_a, frame(state, a)), scene.place(p.part_b, frame(state, b))).value() <=
             p.value;
    }
    case PredicateKind::pose_within:
      if (!(p.duration > 0.0)) return pose_within(state, p);
      return clocks.predicate[index] >= p.duration * whole_steps;
    case PredicateKind::speed_below:
      return clocks.predicate[index] > 0.0 && clocks.predicate[index] >= p.duration * whole_steps;
    case PredicateKind::held:
      return clocks.hold[index].first.has_value() && !clocks.hold[index].lost;
    case PredicateKind::displacement_below: {
      const auto b = static_cast<std::size_t>(p.body);
      return (state.position[b] - initial_.position[b]).norm() <= p.value;
    }
    case PredicateKind::all:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
  return false;
}

bool SpatialSuccess::keep_clocks(const SpatialState& state, const std::vector<char>& present, double time,
                                 SpatialClocks& clocks) const {
  const SpatialScene& scene = numbers_.scene();
  const double h = options_.h;
  const auto there = [&](int body) { return body < 0 || present[static_cast<std::size_t>(body)] != 0; };
  const auto still = [&](int body, double speed) {
    return !there(body) || fastest_point(numbers_, body, state.velocity[static_cast<std::size_t>(body)]) <= speed;
  };
  const std::vector<Predicate>& program = scene.spec().success;
  clocks.predicate.resize(program.size(), 0.0);
  clocks.hold.resize(program.size());
  for (std::size_t k = 0; k < program.size(); ++k) {
    const Predicate& p = program[k];
    double& clock = clocks.predicate[k];
    if (p.kind == PredicateKind::speed_below) clock = still(p.body, p.value) ? clock + h : 0.0;
    if (p.kind == PredicateKind::pose_within) {
      clock = there(p.body) && there(p.body_b) && pose_within(state, p) ? clock + h : 0.0;
    }
    if (p.kind != PredicateKind::held || !there(p.body) || !there(p.body_b)) continue;
    SpatialClocks::Hold& hold = clocks.hold[k];
    const SeenBody now = seen(state, p.body, p.body_b);
    if (!hold.first && time >= p.since * whole_steps) hold.first = now;
    if (!hold.first) continue;
    const bool kept =
        (now.position - hold.first->position).norm() <= p.value && angle_between(now.turn, hold.first->turn) <= p.tilt;
    hold.lost = hold.lost || !kept;
  }
  if (!(options_.still_time > 0.0)) return false;
  bool all = true;
  for (int body = 0; body < scene.body_count(); ++body) {
    if (scene.body(body).dynamic()) all = all && there(body) && still(body, options_.still_speed);
  }
  clocks.still = all ? clocks.still + h : 0.0;
  return clocks.still >= options_.still_time * whole_steps;
}

bool SpatialSuccess::succeeded(const SpatialState& state, const SpatialClocks& clocks) const {
  std::vector<bool> stack;
  const std::vector<Predicate>& program = numbers_.scene().spec().success;
  SpatialClocks all = clocks;  // before the first step there are none
  all.predicate.resize(program.size(), 0.0);
  all.hold.resize(program.size());
  for (std::size_t k = 0; k < program.size(); ++k) {
    const Predicate& p = program[k];
    if (p.kind == PredicateKind::negate) {
      stack.back() = !stack.back();
    } else if (p.kind == PredicateKind::all || p.kind == PredicateKind::any) {
      const auto first = stack.end() - p.count;
      const auto yes = std::count(first, stack.end(), true);
      stack.erase(first, stack.end());
      stack.push_back(p.kind == PredicateKind::all ? yes == p.count : yes > 0);
    } else {
      stack.push_back(leaf(state, all, k));
    }
  }
  return !stack.empty() && stack.back();
}

}  // namespace pegrasp::reference::spatial

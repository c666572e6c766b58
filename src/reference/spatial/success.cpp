// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/success.hpp"

#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {
namespace {

double angle_between(const Turn& a, const Turn& b) { return logarithm(a * b.conjugate()).norm(); }

}  // namespace

SpatialSuccess::SpatialSuccess(const SpatialNumbers& numbers, const StepOptions& options, const SpatialState& state)
    : SuccessTracker(numbers.scene().spec(), options),
      numbers_(numbers),
      state_(state),
      initial_(state),
      hold_(numbers.scene().spec().success.size()) {}

double SpatialSuccess::fastest_point(int body) const {
  return spatial::fastest_point(numbers_, body, state_.velocity[static_cast<std::size_t>(body)]);
}

SpatialSuccess::RelativePose SpatialSuccess::relative(const SpatialState& state, int body, int base) {
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

// A point of the body lies within a box in the frame of the other body, and the body has turned by at most
// `tilt` since the start.
bool SpatialSuccess::pose_within(const Predicate& p) const {
  Vector3 x = frame(state_, p.body)(vector3(p.point));
  if (p.body_b >= 0) x = frame(state_, p.body_b).back(x);
  const Vector3 low(p.low.x, p.low.y, p.low_z);
  const Vector3 high(p.high.x, p.high.y, p.high_z);
  if (!((x.array() >= low.array()).all() && (x.array() <= high.array()).all())) return false;
  return angle_between(relative(state_, p.body, p.body_b).turn, relative(initial_, p.body, p.body_b).turn) <= p.tilt;
}

bool SpatialSuccess::holds(const Predicate& p, std::size_t index) const {
  switch (p.kind) {
    case PredicateKind::gap_below: {
      const SpatialScene& scene = numbers_.scene();
      const PlacedSolid a = scene.place(p.part_a, frame(state_, scene.part_body(p.part_a)));
      const PlacedSolid b = scene.place(p.part_b, frame(state_, scene.part_body(p.part_b)));
      return best_separation(a, b).value() <= p.value;
    }
    case PredicateKind::pose_within:
      if (!(p.duration > 0.0)) return pose_within(p);
      return lasted(index) >= p.duration * whole_steps;
    case PredicateKind::held:
      return hold_[index].first.has_value() && !hold_[index].lost;
    case PredicateKind::displacement_below: {
      const auto b = static_cast<std::size_t>(p.body);
      return (state_.position[b] - initial_.position[b]).norm() <= p.value;
    }
    case PredicateKind::speed_below:  // SuccessTracker evaluates these
    case PredicateKind::touching:
    case PredicateKind::contact_force:
    case PredicateKind::all:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
  return false;
}

SpatialSuccess::Moved SpatialSuccess::watched_part() {
  const RelativePose now = relative(state_, scene().watch.part, scene().watch.base);
  if (!watched_) watched_ = now;
  return {(now.position - watched_->position).norm(), angle_between(now.turn, watched_->turn)};
}

void SpatialSuccess::remember(const Predicate& p, std::size_t index, const std::vector<char>& present, double time,
                              double& clock) {
  const bool both = there(present, p.body) && there(present, p.body_b);
  switch (p.kind) {
    case PredicateKind::pose_within:
      clock = both && pose_within(p) ? clock + step_length() : 0.0;
      break;
    case PredicateKind::held:
      if (both) remember_hold(p, index, time);
      break;
    case PredicateKind::gap_below:  // nothing about poses
    case PredicateKind::displacement_below:
    case PredicateKind::speed_below:
    case PredicateKind::touching:
    case PredicateKind::contact_force:
    case PredicateKind::all:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
}

void SpatialSuccess::remember_hold(const Predicate& p, std::size_t index, double time) {
  Hold& hold = hold_[index];
  const RelativePose now = relative(state_, p.body, p.body_b);
  if (!hold.first && time >= p.since * whole_steps) hold.first = now;
  if (!hold.first) return;
  const bool kept =
      (now.position - hold.first->position).norm() <= p.value && angle_between(now.turn, hold.first->turn) <= p.tilt;
  hold.lost = hold.lost || !kept;
}

}  // namespace pegrasp::reference::spatial

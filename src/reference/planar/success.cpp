// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/success.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/planar/separation.hpp"

namespace pegrasp::reference {

PlanarSuccess::PlanarSuccess(const PlanarScene& scene, const StepOptions& options, const PlanarState& state)
    : SuccessTracker(scene.spec(), options), planar_(scene), state_(state), initial_(state.pose) {}

double PlanarSuccess::fastest_point(int body) const {
  return reference::fastest_point(planar_.body(body), state_.velocity[static_cast<std::size_t>(body)]);
}

Placement PlanarSuccess::placement(int body) const {
  return Placement::of(pose_of(state_.pose[static_cast<std::size_t>(body)]));
}

// The parts are no farther apart than `value`, and b lies on the asked-for side of a.
bool PlanarSuccess::gap_below(const Predicate& p) const {
  const Placement at_a = placement(planar_.part_body(p.part_a));
  const PlacedOutline a = planar_.place(p.part_a, at_a);
  const PlacedOutline b = planar_.place(p.part_b, placement(planar_.part_body(p.part_b)));
  const PairSeparation now = best_separation(a, b);
  if (now.facet.kind == FacetKind::none || !(now.value() <= p.value)) return false;
  const Point side = point(p.side);
  return side.isZero(0.0) || at_a.direction_back(facet_normal(now.facet, a, b)).dot(side) >= 0.5;
}

bool PlanarSuccess::pose_within(const Predicate& p) const {
  Vector3 q = state_.pose[static_cast<std::size_t>(p.body)];
  const Point at = placement(p.body)({p.point.x, p.point.y});
  q.head<2>() = at;
  if (p.body_b >= 0) {
    const Point seen = placement(p.body_b).back(at);
    q = {seen.x(), seen.y(), q[2] - state_.pose[static_cast<std::size_t>(p.body_b)][2]};
  }
  if (p.value > 0.0) {
    const double middle = (p.low.theta + p.high.theta) / 2.0;
    q[2] = middle + std::remainder(q[2] - middle, p.value);
  }
  return (q.array() >= vector3(p.low).array()).all() && (q.array() <= vector3(p.high).array()).all();
}

bool PlanarSuccess::holds(const Predicate& p, std::size_t) const {
  switch (p.kind) {
    case PredicateKind::gap_below:
      return gap_below(p);
    case PredicateKind::pose_within:
      return pose_within(p);
    case PredicateKind::displacement_below: {
      const auto body = static_cast<std::size_t>(std::max(0, p.body));
      return (state_.pose[body] - initial_[body]).head<2>().norm() <= p.value;
    }
    case PredicateKind::held:      // refused when the scene is made (scene.cpp)
    case PredicateKind::touching:  // SuccessTracker evaluates these
    case PredicateKind::contact_force:
    case PredicateKind::speed_below:
    case PredicateKind::all:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
  return false;
}

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/success.hpp"

#include <algorithm>

#include "src/reference/planar/motion.hpp"
#include "src/reference/planar/separation.hpp"

namespace pegrasp::reference {
namespace {

// Durations are sums of steps: ten of 5 ms add up to a hair less than 50 ms.
constexpr double whole_steps = 1.0 - 1e-9;

struct Judge {
  const ReferenceScene& scene;
  const Motion& motion;
  const std::vector<Vector3>& initial;
  const Clocks& clocks;

  Placement placement(int body) const { return Placement::of(pose_of(motion.pose[static_cast<std::size_t>(body)])); }

  // The parts are no farther apart than `value`, and b lies on the asked-for side of a.
  bool gap_below(const Predicate& p) const {
    const Placement at_a = placement(scene.part_body(p.part_a));
    const PlacedOutline a = scene.place(p.part_a, at_a);
    const PlacedOutline b = scene.place(p.part_b, placement(scene.part_body(p.part_b)));
    const PairSeparation now = best_separation(a, b);
    if (now.facet.kind == FacetKind::none || !(now.value() <= p.value)) return false;
    const Point side = point(p.side);
    return side.isZero(0.0) || at_a.direction_back(facet_normal(now.facet, a, b)).dot(side) >= 0.5;
  }

  bool pose_within(const Predicate& p) const {
    Vector3 q = motion.pose[static_cast<std::size_t>(p.body)];
    if (p.body_b >= 0) {
      const Point seen = placement(p.body_b).back(q.head<2>());
      q = {seen.x(), seen.y(), q[2] - motion.pose[static_cast<std::size_t>(p.body_b)][2]};
    }
    return (q.array() >= vector3(p.low).array()).all() && (q.array() <= vector3(p.high).array()).all();
  }

  bool leaf(const Predicate& p, std::size_t index) const {
    const auto body = static_cast<std::size_t>(std::max(0, p.body));
    switch (p.kind) {
      case PredicateKind::gap_below:
        return gap_below(p);
      case PredicateKind::pose_within:
        return pose_within(p);
      case PredicateKind::speed_below:
        return clocks.predicate[index] > 0.0 && clocks.predicate[index] >= p.duration * whole_steps;
      case PredicateKind::displacement_below:
        return (motion.pose[body] - initial[body]).head<2>().norm() <= p.value;
      case PredicateKind::held:  // ReferenceScene refuses it
      case PredicateKind::all:
      case PredicateKind::any:
      case PredicateKind::negate:
        break;
    }
    return false;
  }
};

}  // namespace

bool keep_clocks(const ReferenceScene& scene, const StepOptions& options, const Motion& motion,
                 const std::vector<char>& present, Clocks& clocks) {
  const auto still = [&](int body, double speed) {
    const auto b = static_cast<std::size_t>(body);
    return present[b] == 0 || fastest_point(scene.body(body), motion.velocity[b]) <= speed;
  };
  const std::vector<Predicate>& program = scene.spec().success;
  clocks.predicate.resize(program.size(), 0.0);
  for (std::size_t k = 0; k < program.size(); ++k) {
    if (program[k].kind != PredicateKind::speed_below) continue;
    clocks.predicate[k] = still(program[k].body, program[k].value) ? clocks.predicate[k] + options.h : 0.0;
  }
  if (!(options.still_time > 0.0)) return false;
  bool all = true;
  for (int body = 0; body < scene.body_count(); ++body) {
    if (!scene.body(body).dynamic()) continue;
    all = all && present[static_cast<std::size_t>(body)] != 0 && still(body, options.still_speed);
  }
  clocks.still = all ? clocks.still + options.h : 0.0;
  return clocks.still >= options.still_time * whole_steps;
}

bool succeeded(const ReferenceScene& scene, const Motion& motion, const std::vector<Vector3>& initial,
               const Clocks& clocks) {
  const Judge judge{scene, motion, initial, clocks};
  std::vector<bool> stack;
  const std::vector<Predicate>& program = scene.spec().success;
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
      stack.push_back(judge.leaf(p, k));
    }
  }
  return !stack.empty() && stack.back();
}

}  // namespace pegrasp::reference

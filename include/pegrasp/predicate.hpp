// SPDX-License-Identifier: Apache-2.0
// Success conditions, as postfix programs: a list of predicates in which leaves push a truth value and all, any and
// negate combine the last ones. Plain data, shared by the host and the kernels.
#pragma once

#include <cstddef>

#include "pegrasp/geometry.hpp"
#include "pegrasp/kinds.hpp"

namespace pegrasp {

struct Predicate {
  PredicateKind kind = PredicateKind::all;
  int part_a = -1;  // part indices over all bodies, in order
  int part_b = -1;
  int body = -1;
  int body_b = -1;
  int count = 0;
  double value = 0.0;  // of pose_within: theta counts but for whole multiples of this [rad]; 0: as it is
  double duration = 0.0;
  Vec2 side;
  Pose low;
  Pose high;
  double low_z = -1e300;  // in 3D
  double high_z = 1e300;
  double tilt = 1e300;  // [rad]
  double since = 0.0;   // [s]
  double most = 1e300;  // [N]
  Vec3 point;           // of pose_within: which point of the body, in its frame [m]
};

constexpr std::size_t most_predicates = 64;  // in a condition of success

// What the margin of a condition is in: millimetres, degrees, milliseconds (and mm/s, N). A normal that is to point to
// a side (gap_below) counts by the cosine of its angle, which near 60 degrees falls by this part of one a degree.
constexpr double margin_mm = 1e3, margin_deg = 57.295779513082321, margin_ms = 1e3;
constexpr double margin_of_side = 66.159464155484994;

// What a predicate is about.
enum class PredicateSubject : int {
  last_value = 0,  // the last truth value of the program, which it takes
  last_values,     // the last `count` of them
  two_parts,       // part_a and part_b
  body,            // body
  body_and_other   // body, and another one, body_b, where that is not negative
};

// What becomes of a predicate when a planar problem runs in 3D ([space]).
enum class PredicateLift : int {
  as_it_is = 0,
  any_pieces,   // it holds where it holds for any two of the pieces that its parts become
  without_turn  // as it is, if it does not bound theta
};

// What all predicates of a kind have in common. Every check that is not about one kind alone reads it here.
struct PredicateProperties {
  PredicateSubject subject = PredicateSubject::last_value;
  PredicateLift lift = PredicateLift::as_it_is;
  bool forces = false;  // it is about contact forces
  bool bounds = false;  // `value` is a lower bound, `most` the upper one
  bool pose = false;    // `low` and `high` bound a pose
};

constexpr PredicateProperties properties(PredicateKind kind) {
  switch (kind) {
    case PredicateKind::gap_below:
      return {PredicateSubject::two_parts, PredicateLift::any_pieces};
    case PredicateKind::pose_within:
      return {PredicateSubject::body_and_other, PredicateLift::without_turn, false, false, true};
    case PredicateKind::speed_below:
    case PredicateKind::displacement_below:
      return {PredicateSubject::body};
    case PredicateKind::held:
      return {PredicateSubject::body_and_other};
    case PredicateKind::touching:
      return {PredicateSubject::body_and_other, PredicateLift::as_it_is, true};
    case PredicateKind::contact_force:
      return {PredicateSubject::body_and_other, PredicateLift::as_it_is, true, true};
    case PredicateKind::all:
    case PredicateKind::any:
      return {PredicateSubject::last_values};
    case PredicateKind::negate:
      break;
  }
  return {};
}

// When a predicate looks.
enum class PredicateTime : int {
  at_end = 0,  // when the scene is over
  lasting,     // after every step: for how long it has held up to now, which must be `duration`
  throughout   // after every step that ends at or after `since`
};

constexpr PredicateTime time_of(const Predicate& p) {
  switch (p.kind) {
    case PredicateKind::pose_within:
      return p.duration > 0.0 ? PredicateTime::lasting : PredicateTime::at_end;
    case PredicateKind::speed_below:
    case PredicateKind::touching:
      return PredicateTime::lasting;
    case PredicateKind::contact_force:
      return p.count != 0 ? PredicateTime::throughout : PredicateTime::lasting;
    case PredicateKind::held:
      return PredicateTime::throughout;
    case PredicateKind::gap_below:
    case PredicateKind::displacement_below:
    case PredicateKind::all:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
  return PredicateTime::at_end;
}

// The kinds that are about contact forces, a bit each, by their numbers: a constant, which device code can use.
constexpr unsigned kinds_of_forces() {
  unsigned kinds = 0;
  for (int kind = 0; kind < 32; ++kind) {
    if (properties(static_cast<PredicateKind>(kind)).forces) kinds |= 1u << kind;
  }
  return kinds;
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "src/penalty/impact.hpp"

#include <algorithm>

namespace pegrasp {
namespace {

Vec3 times(const double (&m)[6], Vec3 v) {
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[1] * v.x + m[3] * v.y + m[4] * v.z,
          m[2] * v.x + m[4] * v.y + m[5] * v.z};
}

// The velocity at x that an impulse there gives.
Vec3 answer(const PenaltyMotion& body, const PenaltyInertia& inertia, Vec3 x, Vec3 impulse) {
  const Vec3 arm = x - body.centre;
  return times(inertia.inverse_mass, impulse) + cross(times(inertia.inverse_inertia, cross(arm, impulse)), arm);
}

// The columns of a 3 x 3 matrix.
struct Columns {
  Vec3 x, y, z;
};

// K p = v; false where K has no inverse.
bool solve(const Columns& k, Vec3 v, Vec3& p) {
  const double det = dot(k.x, cross(k.y, k.z));
  const double size = length(k.x) * length(k.y) * length(k.z);
  if (!(det > 1e-12 * size)) return false;
  p = (1.0 / det) * Vec3{dot(v, cross(k.y, k.z)), dot(k.x, cross(v, k.z)), dot(k.x, cross(k.y, v))};
  return true;
}

}  // namespace

Vec3 meeting_impulse(const PenaltyMotion& a, const PenaltyInertia& of_a, const PenaltyMotion& b,
                     const PenaltyInertia& of_b, Vec3 x, Vec3 normal, double friction) {
  const Vec3 apart = velocity_at(b, x) - velocity_at(a, x);
  const double approach = -dot(apart, normal);
  if (!(approach > 0.0)) return {};
  const auto both = [&](Vec3 p) { return answer(a, of_a, x, p) + answer(b, of_b, x, p); };
  const double along = dot(normal, both(normal));
  if (!(along > 0.0)) return {};
  const Vec3 plain = (approach / along) * normal;
  if (!(friction > 0.0)) return plain;
  Vec3 stick;
  if (solve({both({1.0, 0.0, 0.0}), both({0.0, 1.0, 0.0}), both({0.0, 0.0, 1.0})}, -apart, stick)) {
    const double pressed = dot(stick, normal);
    if (pressed > 0.0 && length(stick - pressed * normal) <= friction * pressed) return stick;
  }
  const Vec3 slip = apart + approach * normal;
  const double speed = length(slip);
  if (!(speed > 0.0)) return plain;
  const Vec3 direction = normal - (friction / speed) * slip;
  const double answered = dot(normal, both(direction));
  // Friction that would press the bodies together without end is left out.
  return answered > 1e-3 * along ? (approach / answered) * direction : plain;
}

void push(PenaltyMotion& body, const PenaltyInertia& inertia, Vec3 x, Vec3 impulse) {
  body.velocity = body.velocity + times(inertia.inverse_mass, impulse);
  body.spin = body.spin + times(inertia.inverse_inertia, cross(x - body.centre, impulse));
}

}  // namespace pegrasp

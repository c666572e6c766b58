// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "src/model/model.hpp"

namespace pegrasp {
namespace {

bool same_predicate(const Predicate& a, const Predicate& b) {
  const auto same_pose = [](const Pose& p, const Pose& q) { return p.x == q.x && p.y == q.y && p.theta == q.theta; };
  return a.kind == b.kind && a.part_a == b.part_a && a.part_b == b.part_b && a.body == b.body && a.body_b == b.body_b &&
         a.count == b.count && a.value == b.value && a.duration == b.duration && a.side.x == b.side.x &&
         a.side.y == b.side.y && same_pose(a.low, b.low) && same_pose(a.high, b.high) && a.low_z == b.low_z &&
         a.high_z == b.high_z && a.tilt == b.tilt && a.since == b.since && a.most == b.most && a.point.x == b.point.x &&
         a.point.y == b.point.y && a.point.z == b.point.z;
}

template <class T>
bool same_array(const std::vector<T>& a, const std::vector<T>& b) {
  if constexpr (std::is_same_v<T, Predicate>) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_predicate);
  } else {
    return a == b;
  }
}

// Only what is carried, or turns along with a body, is moved from where the scene describes that.
bool needs_described(const ModelArrays& arrays) {
  const auto names_a_body = [](const std::vector<int>& bodies) {
    return std::any_of(bodies.begin(), bodies.end(), [](int body) { return body >= 0; });
  };
  return names_a_body(arrays.body_carrier) || names_a_body(arrays.body_motion_in) || names_a_body(arrays.pull_in);
}

bool same_arrays(const ModelArrays& a, const ModelArrays& b) {
  const HoldWatch &v = a.watch, &w = b.watch;
  const bool same_watch =
      v.part == w.part && v.base == w.base && v.bodies == w.bodies && v.since == w.since && v.overlap == w.overlap;
  if (!same_watch || a.node_count != b.node_count || a.support_sphere_count != b.support_sphere_count ||
      a.lists_pairs != b.lists_pairs || a.measures_forces != b.measures_forces ||
      a.measures_margin != b.measures_margin || a.spatial != b.spatial || a.model != b.model ||
      a.contact_rows != b.contact_rows || a.motor_rows != b.motor_rows) {
    return false;
  }
  const bool described = needs_described(a);
  bool same = true;
  const auto compare = [&](const auto& x, const auto& y) {
    const bool is_described = static_cast<const void*>(&x) == static_cast<const void*>(&a.body_described);
    if (same && (described || !is_described)) same = same_array(x, y);
  };
#define PEGRASP_ARRAY(type, name, length) compare(a.name, b.name);
#include "kernels/model/model_arrays.inc"
  return same;
}

}  // namespace

bool same_model(const Model& a, const Model& b) {
  if (a.functions().any || b.functions().any) return false;  // nobody can tell
  const ParameterLayout &p = a.layout(), &q = b.layout();
  const ModelView v = a.view(), w = b.view();
  return p.body_count == q.body_count && p.friction_count == q.friction_count && p.actuator_count == q.actuator_count &&
         p.support_count == q.support_count && p.support_sphere_count == q.support_sphere_count &&
         p.oscillation_count == q.oscillation_count && p.spatial == q.spatial && v.gravity_x == w.gravity_x &&
         v.gravity_y == w.gravity_y && v.gravity_z == w.gravity_z && a.length_scale() == b.length_scale() &&
         v.quasistatic == w.quasistatic && same_arrays(a.arrays(), b.arrays());
}

}  // namespace pegrasp

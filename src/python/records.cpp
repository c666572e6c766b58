// SPDX-License-Identifier: Apache-2.0
#include "src/python/records.hpp"

#include <cstddef>
#include <type_traits>

#include "pegrasp/simulation.hpp"

namespace nb = nanobind;

namespace pegrasp::python {
namespace {

template <class T>
constexpr const char* format_of() {
  if constexpr (std::is_same_v<T, double>) return "f8";
  if constexpr (std::is_same_v<T, Vec3>) return "3f8";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "u4";
  if constexpr (std::is_same_v<T, std::int64_t>) return "i8";
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(int) == 4);
  return "i4";
}

void add_field(nb::list& fields, const char* name, const char* format, std::size_t offset) {
  fields.append(nb::make_tuple(nb::str(name), nb::str(format), offset));
}

#define PEGRASP_FIELD(type, field) add_field(fields, #field, format_of<decltype(type::field)>(), offsetof(type, field))

nb::list outcome_fields() {
  nb::list fields;
  using S = SceneOutcome;
  PEGRASP_FIELD(S, status);
  PEGRASP_FIELD(S, success);
  PEGRASP_FIELD(S, stopped_still);
  PEGRASP_FIELD(S, steps);
  PEGRASP_FIELD(S, substeps_rejected);
  PEGRASP_FIELD(S, unresolved_steps);
  PEGRASP_FIELD(S, contacts_max);
  PEGRASP_FIELD(S, contacts_demand);
  PEGRASP_FIELD(S, contacts_sum);
  PEGRASP_FIELD(S, substeps);
  PEGRASP_FIELD(S, solves);
  PEGRASP_FIELD(S, iterations);
  PEGRASP_FIELD(S, time);
  PEGRASP_FIELD(S, residual_max);
  PEGRASP_FIELD(S, penetration_max);
  PEGRASP_FIELD(S, in_double);
  PEGRASP_FIELD(S, grip_force_max);
  PEGRASP_FIELD(S, slip_margin_min);
  PEGRASP_FIELD(S, slip_margin_end);
  PEGRASP_FIELD(S, start_overlap);
  PEGRASP_FIELD(S, touch_first);
  PEGRASP_FIELD(S, touch_last);
  PEGRASP_FIELD(S, hold_force_max);
  PEGRASP_FIELD(S, hold_margin_min);
  PEGRASP_FIELD(S, hold_slip_max);
  PEGRASP_FIELD(S, hold_tilt_max);
  add_field(fields, "", "", sizeof(S));
  return fields;
}

nb::list contact_fields() {
  nb::list fields;
  using C = ContactReport;
  PEGRASP_FIELD(C, body_a);
  PEGRASP_FIELD(C, body_b);
  PEGRASP_FIELD(C, part_a);
  PEGRASP_FIELD(C, part_b);
  PEGRASP_FIELD(C, feature);
  PEGRASP_FIELD(C, point);
  PEGRASP_FIELD(C, normal);
  PEGRASP_FIELD(C, gap);
  PEGRASP_FIELD(C, friction);
  PEGRASP_FIELD(C, normal_impulse);
  PEGRASP_FIELD(C, tangential_impulse);
  PEGRASP_FIELD(C, duration);
  PEGRASP_FIELD(C, impulse);
  PEGRASP_FIELD(C, moment);
  PEGRASP_FIELD(C, turn_a);
  PEGRASP_FIELD(C, turn_b);
  PEGRASP_FIELD(C, slip);
  PEGRASP_FIELD(C, state);
  PEGRASP_FIELD(C, margin);
  add_field(fields, "", "", sizeof(C));
  return fields;
}

nb::list load_fields() {
  nb::list fields;
  using L = LoadReport;
  PEGRASP_FIELD(L, kind);
  PEGRASP_FIELD(L, index);
  PEGRASP_FIELD(L, row);
  PEGRASP_FIELD(L, body_a);
  PEGRASP_FIELD(L, body_b);
  PEGRASP_FIELD(L, point);
  PEGRASP_FIELD(L, impulse);
  PEGRASP_FIELD(L, moment);
  PEGRASP_FIELD(L, turn_a);
  PEGRASP_FIELD(L, turn_b);
  PEGRASP_FIELD(L, duration);
  add_field(fields, "", "", sizeof(L));
  return fields;
}

nb::list body_fields() {
  nb::list fields;
  using B = BodyLoad;
  PEGRASP_FIELD(B, contact_impulse);
  PEGRASP_FIELD(B, contact_turn);
  PEGRASP_FIELD(B, constraint_impulse);
  PEGRASP_FIELD(B, constraint_turn);
  PEGRASP_FIELD(B, normal_impulse);
  PEGRASP_FIELD(B, duration);
  add_field(fields, "", "", sizeof(B));
  return fields;
}

#undef PEGRASP_FIELD

}  // namespace

nb::dict record_fields() {
  nb::dict all;
  all["outcome"] = outcome_fields();
  all["contact"] = contact_fields();
  all["load"] = load_fields();
  all["body"] = body_fields();
  return all;
}

}  // namespace pegrasp::python

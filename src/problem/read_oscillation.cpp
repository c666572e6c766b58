// SPDX-License-Identifier: Apache-2.0
// [body.oscillation]: a kinematic body that oscillates about its pose (Berard's thesis, 5.3).
#include "src/problem/readers.hpp"

namespace pegrasp {
namespace {

// Reads a list of `count` values, or one value where one will do. Each may be uncertain. The first goes to `out[0]`,
// and the parameters to the block of the body from `slot` on.
void read_values(Section& section, int body, const std::string& base, const Quantity& quantity, int count, int slot,
                 double* out) {
  ReadContext& context = section.context();
  const Unit& unit = quantity.units.front();
  const std::string key = unit_key(base, unit);
  const TargetSlot::Kind kind = TargetSlot::Kind::oscillation;
  if (!section.has(key)) return;
  const Node* node = section.raw(key);
  if (count == 1 && node->type != Node::Type::array) {
    const Value value = section.value(base, quantity, 0.0, any_number);
    context.uncertainties->bind(context, value, section.at(key), {kind, body, slot});
    out[0] = value.nominal;
    return;
  }
  if (node->type != Node::Type::array || static_cast<int>(node->items.size()) != count) {
    const std::string shape = count == 1   ? "a value"
                              : count == 2 ? "two values; write [8, 0]"
                                           : "three values; write [8, 0, 0]";
    section.fail(key, "must be " + shape);
  }
  std::vector<Node> resolved(node->items.size());
  for (int k = 0; k < count; ++k) {
    const Node& item = node->items[static_cast<std::size_t>(k)];
    const std::string path = section.at(key) + "[" + std::to_string(k) + "]";
    Value value;
    if (item.is_number()) {
      resolved[static_cast<std::size_t>(k)] = item;
      value = {checked_number(context, item, path, quantity, unit, any_number)};
    } else {
      value = context.uncertainties->read_value(context, item, path, path, quantity, unit, any_number,
                                                resolved[static_cast<std::size_t>(k)]);
    }
    context.uncertainties->bind(context, value, path, {kind, body, slot + k});
    out[k] = value.nominal;
  }
  section.put(key, Node::list(std::move(resolved)));
}

void check_alone(Section& section, const BodySpec& body) {
  if (body.kind != BodyKind::kinematic) {
    section.fail("oscillation", "is for kinematic bodies; set kind = \"kinematic\"");
  }
  for (const char* key : {"motion", "max_force_n", "max_torque_n_m"}) {
    if (section.has(key)) section.fail(key, "cannot stand beside oscillation; remove one of them");
  }
}

}  // namespace

void read_oscillation(Section& section, int index, BodySpec& body) {
  const Node* node = section.raw("oscillation");
  if (node == nullptr) return;
  check_alone(section, body);
  Section own(section.context(), node, section.at("oscillation"), keys::oscillation);
  own.set_label(body.name + ".oscillation");
  Oscillation out;
  const Value frequency = own.value("frequency", quantity::frequency, {}, positive);
  section.context().uncertainties->bind(section.context(), frequency, own.at("frequency"),
                                        {TargetSlot::Kind::oscillation, index, 0});
  out.frequency = frequency.nominal;
  const bool spatial = body.is_spatial();
  const int linear = spatial ? 3 : 2, angular = spatial ? 3 : 1;
  const int phases = 1 + linear + angular;
  double* turning = spatial ? &out.acceleration[3] : &out.acceleration[5];
  double* turning_phase = spatial ? &out.phase[3] : &out.phase[5];
  read_values(own, index, "acceleration", quantity::acceleration, linear, 1, out.acceleration.data());
  read_values(own, index, "angular_acceleration", quantity::angular_acceleration, angular, 1 + linear, turning);
  read_values(own, index, "phase", quantity::phase, linear, phases, out.phase.data());
  read_values(own, index, "angular_phase", quantity::phase, angular, phases + linear, turning_phase);
  static const std::vector<std::string> velocities{"mean", "end"};
  out.end_velocity = own.choice("velocity", velocities, 0) == 1;
  body.oscillation = out;
  section.put("oscillation", own.finish(true));
}

void read_repeats(Section& section, BodySpec& body) {
  if (!section.has("motion_repeats")) return;
  body.motion_repeats = section.boolean("motion_repeats", false);
  if (!section.has("motion")) section.fail("motion_repeats", "stands without motion; add its keyframes");
}

void read_turns(Section& section, BodySpec& body) {
  if (!section.has("turns")) return;
  body.turns = section.boolean("turns", true);
  if (!body.turns && body.kind != BodyKind::dynamic) {
    section.fail("turns", "is for dynamic bodies; others turn only where their motion says so");
  }
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/sampling/philox.hpp"
#include "src/problem/readers.hpp"
#include "src/sampling/distributions.hpp"
#include "src/sampling/support_tripod.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;

bool is_random(const Distribution& d) { return d.kind != DistributionKind::constant; }

bool has_random_loads(const UncertainTripod& tripod) {
  return std::any_of(tripod.load.begin(), tripod.load.end(), is_random);
}

bool is_uncertain(const UncertainTripod& tripod) {
  return is_random(tripod.radius) || is_random(tripod.turn) || has_random_loads(tripod);
}

// Reads a key that holds a number or a distribution written in place; `fallback` is in the quantity's first unit.
Distribution read_either(Section& section, const std::string& base, const Quantity& quantity,
                         std::optional<double> fallback, const Range& range) {
  if (!section.has(base, quantity)) {
    Distribution constant;
    constant.mean = section.number(base, quantity, fallback, range);
    return constant;
  }
  for (const Unit& unit : quantity.units) {
    const std::string key = unit_key(base, unit);
    if (!section.has(key)) {
      section.raw(key);
      continue;
    }
    const Node* node = section.raw(key);
    if (node->type != Node::Type::table) {
      Distribution constant;
      constant.mean = section.number(base, quantity, fallback, range);
      return constant;
    }
    Node resolved;
    const Distribution d = section.context().uncertainties->read_distribution(section.context(), *node, section.at(key),
                                                                              quantity, unit, range, resolved);
    section.put(key, std::move(resolved));
    return d;
  }
  return {};
}

std::array<Distribution, 3> read_loads(Section& section) {
  std::array<Distribution, 3> loads;
  const Node* node = section.raw("loads");
  const Unit& unit = quantity::number.units.front();
  Uncertainties& uncertain = *section.context().uncertainties;
  if (node == nullptr) {
    for (Distribution& load : loads) load.mean = 1.0;
    section.put("loads", Node::list({Node::of(1.0), Node::of(1.0), Node::of(1.0)}));
    return loads;
  }
  if (node->type == Node::Type::table) {  // one distribution, drawn once for each point
    Node resolved;
    loads.fill(uncertain.read_distribution(section.context(), *node, section.at("loads"), quantity::number, unit,
                                           positive, resolved));
    section.put("loads", std::move(resolved));
    return loads;
  }
  if (node->type != Node::Type::array || node->items.size() != 3) {
    section.fail("loads", "must be three relative loads or a distribution; write [1, 1, 1]");
  }
  std::vector<Node> items(3);
  for (std::size_t k = 0; k < 3; ++k) {
    loads[k] = uncertain.read_distribution(section.context(), node->items[k],
                                           section.at("loads") + "[" + std::to_string(k) + "]", quantity::number, unit,
                                           positive, items[k]);
  }
  section.put("loads", Node::list(std::move(items)));
  return loads;
}

// Estimates, from 4096 draws, how large a share of the loads drawn belong to a tripod that holds the centre of mass.
double share_of_valid_loads(const UncertainTripod& tripod) {
  int valid = 0;
  constexpr int trials = 4096;
  for (int i = 0; i < trials; ++i) {
    std::array<double, 3> load{};
    for (std::uint32_t k = 0; k < 3; ++k) {
      load[k] = draw(tripod.load[k], {0, 0, static_cast<std::uint32_t>(i), tripod.stream + 2 + k, 0});
    }
    valid += tripod_can_carry(load) ? 1 : 0;
  }
  return static_cast<double>(valid) / trials;
}

void read_points(Section& section, BodySpec& body, double weight, SupportTripod& support) {
  for (const char* key : {"radius_mm", "radius_m", "turn_deg", "turn_rad", "loads"}) {
    if (section.has(key)) section.fail(key, "cannot stand beside points, which fix the tripod; remove one of them");
  }
  const auto rows = section.rows("points", quantity::length, 2, 3, 3);
  for (std::size_t k = 0; k < 3; ++k) support.point[k] = {rows[k][0], rows[k][1]};
  const auto loads = tripod_loads(support.point, weight);
  if (!loads) {
    section.fail("", "the triangle of the support points does not hold the centre of mass (0, 0) of \"" +
                         printable(body.name) + "\", so the body would tip; move the points around it");
  }
  support.load = *loads;
}

void read_circle(Section& section, int index, BodySpec& body, double weight, SupportTripod& support,
                 BodyReadings& readings) {
  UncertainTripod tripod;
  tripod.name = body.name + ".support";
  tripod.body = index;
  tripod.gravity = readings.gravity;
  tripod.radius = read_either(section, "radius", quantity::length, {}, positive);
  tripod.turn = read_either(section, "turn", quantity::angle, 0.0, Range{-1e5, 1e5});
  tripod.load = read_loads(section);
  tripod.radius_key = section.has("radius_m") ? "radius_m" : "radius_mm";
  tripod.turn_key = section.has("turn_rad") ? "turn_rad" : "turn_deg";
  if (is_uncertain(tripod)) {
    tripod.stream = section.context().uncertainties->claim_stream(section.context(), tripod.name, 5);
    if (has_random_loads(tripod) && share_of_valid_loads(tripod) < 0.01) {
      section.fail("loads",
                   "almost never let a tripod hold the centre of mass: no load may exceed the sum of the other two; "
                   "narrow the distribution");
    }
  }
  std::array<double, 3> load{};
  for (std::size_t k = 0; k < 3; ++k) load[k] = central_value(tripod.load[k]);
  if (!tripod_can_carry(load)) {
    if (!has_random_loads(tripod)) {
      section.fail("loads",
                   "cannot be the loads of a tripod that holds the centre of mass: one exceeds the sum of the "
                   "other two; make them more equal");
    }
    load = {1.0, 1.0, 1.0};  // a stand-in that every sample overwrites
  }
  support = tripod_on_circle(central_value(tripod.radius), central_value(tripod.turn), load, weight);
  if (is_uncertain(tripod)) readings.tripods.push_back(tripod);
}

}  // namespace

Node read_support(ReadContext& context, const Node& node, const std::string& path, int body_index, BodySpec& body,
                  const Value& mass, BodyReadings& readings) {
  Section section(context, &node, path, keys::support);
  if (!(readings.gravity > 0.0)) section.fail("", "needs gravity.normal_m_s2 above 0; the points carry the weight");
  section.set_label(body.name + ".support");
  SupportTripod support;
  const double weight = body.mass * readings.gravity;
  if (section.has("points", quantity::length)) {
    read_points(section, body, weight, support);
  } else {
    read_circle(section, body_index, body, weight, support, readings);
  }
  // A sampled mass scales the loads, unless the tripod is sampled too: then the tripod divides the sampled weight.
  const bool sampled = !readings.tripods.empty() && readings.tripods.back().body == body_index;
  if (mass.parameter >= 0 && !sampled) {
    for (int k = 0; k < 3; ++k) {
      context.uncertainties->bind(context, mass, path, {Kind::support, body_index, 4 * k + 2},
                                  support.load[static_cast<std::size_t>(k)] / body.mass);
    }
  }
  const Value mu = section.value("friction", quantity::friction, {}, not_negative);
  for (int k = 0; k < 3; ++k) {
    support.friction[static_cast<std::size_t>(k)] = mu.nominal;
    context.uncertainties->bind(context, mu, section.at("friction"), {Kind::support, body_index, 4 * k + 3});
  }
  body.planar().support = support;
  return section.finish(true);
}

}  // namespace pegrasp

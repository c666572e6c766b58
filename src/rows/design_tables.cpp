// SPDX-License-Identifier: Apache-2.0
#include "src/rows/design_tables.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "src/decide/numbers.hpp"
#include "src/problem/overrides.hpp"
#include "src/problem/readers.hpp"

namespace pegrasp {
namespace {

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

// A number of a row. Whole ones are whole numbers, which keys that count want.
Node number_node(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return whole ? Node::of(static_cast<std::int64_t>(value)) : Node::of(value);
}

double number_or(Section& section, const std::string& key, double fallback) {
  return section.has(key) ? section.number(key, quantity::number, {}) : fallback;
}

// Fills what is left out, and checks that the numbers go together. fail: says what is wrong with a key.
template <class Fail>
void complete(const Node& document, DesignParameter& one, const Fail& fail) {
  if (std::isnan(one.start)) {
    if (one.keys.empty()) fail("start", "is missing; give the number for which the file is written");
    const Node* const value = find_value(document, one.keys.front());
    if (value == nullptr || !value->is_number()) {
      fail("start", "is missing, and the problem has no number at " + printable(one.keys.front()) + "; give start");
    }
    one.start = value->number();
  }
  for (const DesignParameter::Move& move : one.moves) {
    const Node* const value = find_value(document, move.key);
    if (value == nullptr || !value->is_number())
      fail("moves", "names " + printable(move.key) + ", where the problem has no number; correct the key");
  }
  if (!(one.low < one.high)) fail("high", "must be above low");
  if (one.start < one.low || one.start > one.high) fail("start", "must lie between low and high");
  const bool bounded = std::isfinite(one.low) && std::isfinite(one.high);
  if (std::isnan(one.scale)) {
    if (!bounded) fail("scale", "is missing; give the size of a first step, or low and high");
    one.scale = 0.25 * (one.high - one.low);
  }
  if (!(one.scale > 0.0)) fail("scale", "must be greater than 0");
}

// The start of a parameter that no table describes.
void take_start(const Node& document, DesignParameter& one, const std::string& origin) {
  const std::string what = origin + ": " + printable(one.name) + ": ";
  const Node* const value = find_value(document, one.keys.front());
  if (value == nullptr || !value->is_number())
    throw InputError(what + "the problem has no number there; correct the key, or write the number into the file");
  one.start = value->number();
  if (one.start < one.low || one.start > one.high)
    throw InputError(what + "the problem's number, " + decide::shortest_text(one.start) + ", is not within " +
                     decide::shortest_text(one.low) + " to " + decide::shortest_text(one.high) +
                     ", its bounds; correct either");
}

// moves = [{ key = "body.wall.part.0.vertices_mm.1.0", factor = -0.5 }, ...]
std::vector<DesignParameter::Move> read_moves(ReadContext& context, Section& section, const std::string& path) {
  std::vector<DesignParameter::Move> moves;
  Node resolved = Node::list({});
  for (const Node* item : table_list(context, section.raw("moves"), path + ".moves")) {
    Section move(context, item, path + ".moves[" + std::to_string(moves.size()) + "]", keys::design_move);
    moves.push_back({move.text("key", {}), number_or(move, "factor", 1.0)});
    resolved.items.push_back(move.finish(true));
  }
  if (!moves.empty()) section.put("moves", std::move(resolved));
  return moves;
}

DesignParameter read_table(ReadContext& context, const Node& node, const std::string& path, const Node& document) {
  Section section(context, &node, path, keys::design);
  DesignParameter one;
  if (section.has("key") && section.has("keys")) section.fail("key", "stands beside keys; give one of the two");
  if (section.has("key")) one.keys = {section.text("key", {})};
  if (section.has("keys")) one.keys = section.texts("keys", 1, any_count);
  one.moves = read_moves(context, section, path);
  if (one.keys.empty() && one.moves.empty()) section.fail("", "sets no key; give key = \"friction.0.mu\", for example");
  one.name = section.text("name", one.keys.empty() ? one.moves.front().key : one.keys.front());
  if (one.name.empty() || one.name.find_first_of(",\"\n\r") != std::string::npos)
    section.fail("name", "must be a word without commas and quotes");
  one.start = number_or(section, "start", not_given);
  one.scale = number_or(section, "scale", not_given);
  one.low = number_or(section, "low", one.low);
  one.high = number_or(section, "high", one.high);
  complete(document, one, [&section](const char* key, const std::string& text) { section.fail(key, text); });
  section.finish(true);
  return one;
}

}  // namespace

std::vector<DesignParameter> read_design(ReadContext& context, const Node& document,
                                         const std::vector<DesignParameter>& further) {
  std::vector<DesignParameter> out;
  for (const Node* item : table_list(context, document.find("design"), "design"))
    out.push_back(read_table(context, *item, "design[" + std::to_string(out.size()) + "]", document));
  for (DesignParameter one : further) {
    if (one.name.empty() && !one.keys.empty()) one.name = one.keys.front();
    if (std::isnan(one.start) && !one.keys.empty()) take_start(document, one, context.origin);
    complete(document, one, [&](const char* key, const std::string& text) {
      throw InputError(context.origin + ": " + printable(one.name) + ": " + key + " " + text);
    });
    out.push_back(std::move(one));
  }
  std::set<std::string> names, places, moved;
  for (const DesignParameter& one : out)
    for (const DesignParameter::Move& move : one.moves) moved.insert(place_of_key(document, move.key));
  for (const DesignParameter& one : out) {
    if (!names.insert(one.name).second)
      throw InputError(context.origin + ": design: two parameters are called " + printable(one.name));
    for (const std::string& key : one.keys) {
      const std::string place = place_of_key(document, key);
      if (places.insert(place).second && !moved.contains(place)) continue;
      throw InputError(context.origin + ": design: two parameters set " + printable(key) + "; leave it to one of them");
    }
  }
  return out;
}

Node with_values(const Node& document, const std::vector<DesignParameter>& parameters,
                 const std::vector<double>& values, const std::string& origin) {
  Node here = document;
  Node* const tables = here.find("design");
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Node number = number_node(values[k]);
    if (tables != nullptr && k < tables->items.size()) tables->items[k].set("start", number);
    for (const std::string& key : parameters[k].keys) set_value(here, key, number, origin, "design");
    for (const DesignParameter::Move& move : parameters[k].moves) {
      const double now = find_value(here, move.key)->number();
      const double by = move.factor * (values[k] - parameters[k].start);
      set_value(here, move.key, number_node(now + by), origin, "design");
    }
  }
  return here;
}

}  // namespace pegrasp

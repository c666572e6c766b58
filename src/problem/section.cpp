// SPDX-License-Identifier: Apache-2.0
#include "src/problem/section.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/geometry/vectors.hpp"
#include "src/problem/uncertainties.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

std::string short_number(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

std::string shown(const Node& node) {
  if (node.type == Node::Type::text) return "\"" + printable(node.text) + "\"";
  if (node.is_number() || node.type == Node::Type::boolean) return write_value(node);
  return type_name(node);
}

// The last step of a path: "mass_kg" of "body[0].mass_kg".
std::string last_step(const std::string& path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

void ReadContext::fail(const Node* node, const std::string& path, const std::string& message) const {
  if (node != nullptr && node->set_as.empty() && !node->given_by.empty()) {
    // An option stands for its key, but not for one that is missing in its table.
    const bool missing = node->type == Node::Type::table && path.find('.') != std::string::npos && path.back() != ']';
    const std::string key = node->line > 0 || missing ? printable(path) + ": " : "";
    throw InputError(node->given_by + (node->line > 0 ? ":" + std::to_string(node->line) : "") + ": " + key + message);
  }
  std::string where = origin;
  if (node != nullptr && node->line > 0) where += ":" + std::to_string(node->line);
  if (node == nullptr || node->set_as.empty()) throw InputError(where + ": " + printable(path) + ": " + message);
  // The message names the key as --set gave it. It adds the path where that says more, because what is missing or wrong
  // may lie below the key.
  const bool same = last_step(path) == last_step(node->set_as);
  throw InputError(where + ": --set " + printable(node->set_as) + (same ? "" : " (" + printable(path) + ")") + ": " +
                   message);
}

std::string range_text(const Range& range, const Unit& unit, bool both_bounds) {
  const std::string symbol = *unit.suffix == '\0' ? "" : std::string(" ") + unit.suffix;
  const std::string low = range.low <= -no_bound ? "-1e12" : short_number(unit.from_si(range.low));
  const std::string high = range.high >= no_bound ? "1e12" : short_number(unit.from_si(range.high));
  if (range.low <= -no_bound && range.high >= no_bound) return "must lie between -1e12 and 1e12";
  if (range.high >= no_bound && !both_bounds) {
    const std::string zero = range.low == 0.0 ? "0" : low + symbol;
    return (range.low_open ? "must be greater than " : "must not be less than ") + zero;
  }
  if (range.low <= -no_bound && !both_bounds) return "must not be more than " + high + symbol;
  return (range.low_open ? "must be greater than " : "must be at least ") + low + symbol + " and at most " + high +
         symbol;
}

double checked_number(const ReadContext& context, const Node& node, const std::string& path, const Quantity& quantity,
                      const Unit& unit, const Range& range) {
  if (!node.is_number()) {
    context.fail(&node, path, "must be a number, got " + shown(node) + "; " + quantity.remedy);
  }
  const double given = node.number();
  if (!std::isfinite(given)) context.fail(&node, path, std::string("must be a finite number; ") + quantity.remedy);
  const double si = unit.to_si(given);
  const bool low_ok = range.low_open ? si > range.low : si >= range.low;
  const bool in_range = low_ok && si <= range.high && std::abs(si) <= no_bound && std::abs(given) <= no_bound;
  if (!in_range) {
    const bool huge = std::abs(si) > no_bound || std::abs(given) > no_bound;
    context.fail(&node, path, range_text(range, unit, huge) + ", got " + short_number(given) + "; " + quantity.remedy);
  }
  return si;
}

Section::Section(ReadContext& context, const Node* node, std::string path, const KeyList& keys)
    : context_(context), node_(node), path_(std::move(path)) {
  if (node_ != nullptr && node_->type != Node::Type::table) {
    context_.fail(node_, path_,
                  std::string("must be a table, got ") + type_name(*node_) + "; write it as [" + printable(path_) +
                      "] with keys below");
  }
  if (node_ == nullptr) return;
  for (const auto& [key, value] : node_->members) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    context_.fail(&value, at(key),
                  "is not a key known here" + suggestion(key, keys) + " (docs/reference/problem-file.md)");
  }
}

std::string Section::at(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

void Section::fail(const std::string& key, const std::string& message) const {
  const Node* node = node_ == nullptr ? nullptr : node_->find(key);
  context_.fail(node != nullptr ? node : node_, key.empty() ? path_ : at(key), message);
}

bool Section::has(const std::string& base, const Quantity& quantity) const {
  return std::any_of(quantity.units.begin(), quantity.units.end(),
                     [&](const Unit& unit) { return has(unit_key(base, unit)); });
}

const Node* Section::raw(const std::string& key) {
  known_.push_back(key);
  return node_ == nullptr ? nullptr : node_->find(key);
}

const Node* Section::find_key(const std::string& key, bool required) {
  const Node* node = raw(key);
  if (node != nullptr || !required) return node;
  fail("", "\"" + key + "\" is missing; add it");
}

Section::Found Section::find_quantity(const std::string& base, const Quantity& quantity, bool required) {
  Found found;
  for (const Unit& unit : quantity.units) {
    const std::string key = unit_key(base, unit);
    const Node* node = raw(key);
    if (node == nullptr) continue;
    if (found.node != nullptr) {
      context_.fail(node, at(key), "is given twice, as \"" + found.key + "\" too; keep one of them");
    }
    found = {node, &unit, key};
  }
  if (found.node == nullptr) {
    found.unit = &quantity.units.front();
    found.key = unit_key(base, *found.unit);
    if (required) find_key(found.key, true);
  }
  return found;
}

double Section::number(const std::string& base, const Quantity& quantity, std::optional<double> fallback,
                       const Range& range) {
  const Found found = find_quantity(base, quantity, !fallback);
  if (found.node == nullptr) {
    put(found.key, Node::of(*fallback));
    return found.unit->to_si(*fallback);
  }
  put(found.key, *found.node);
  return checked_number(context_, *found.node, at(found.key), quantity, *found.unit, range);
}

double Section::number_or_auto(const std::string& base, const Quantity& quantity) {
  const Found found = find_quantity(base, quantity, false);
  if (found.node == nullptr) {
    put(found.key, Node::of("auto"));
    return 0.0;
  }
  put(found.key, *found.node);
  if (found.node->type == Node::Type::text) {
    if (found.node->text == "auto") return 0.0;
    context_.fail(found.node, at(found.key),
                  "must be a number or \"auto\", got " + shown(*found.node) + suggestion(found.node->text, {"auto"}));
  }
  return checked_number(context_, *found.node, at(found.key), quantity, *found.unit, positive);
}

Value Section::value(const std::string& base, const Quantity& quantity, std::optional<double> fallback,
                     const Range& range) {
  const Found found = find_quantity(base, quantity, !fallback);
  if (found.node == nullptr) {
    put(found.key, Node::of(*fallback));
    return {found.unit->to_si(*fallback)};
  }
  if (found.node->is_number()) {
    put(found.key, *found.node);
    return {checked_number(context_, *found.node, at(found.key), quantity, *found.unit, range)};
  }
  Node resolved;
  const Value value = context_.uncertainties->read_value(context_, *found.node, at(found.key),
                                                         label_.empty() ? at(base) : label_ + "." + base, quantity,
                                                         *found.unit, range, resolved);
  put(found.key, std::move(resolved));
  return value;
}

std::int64_t Section::integer(const std::string& key, std::optional<std::int64_t> fallback, std::int64_t low,
                              std::int64_t high) {
  const Node* node = find_key(key, !fallback);
  if (node == nullptr) {
    put(key, Node::of(*fallback));
    return *fallback;
  }
  const std::string bounds = "between " + std::to_string(low) + " and " + std::to_string(high);
  if (node->type != Node::Type::integer) {
    context_.fail(node, at(key), "must be a whole number, got " + shown(*node) + "; give one " + bounds);
  }
  if (node->integer < low || node->integer > high) {
    context_.fail(
        node, at(key),
        "must lie " + bounds + ", got " + std::to_string(node->integer) + "; give a whole number in that range");
  }
  put(key, *node);
  return node->integer;
}

std::int64_t Section::integer_or_auto(const std::string& key, std::int64_t low, std::int64_t high,
                                      std::int64_t automatic_value) {
  const Node* node = find_key(key, false);
  const bool automatic = node == nullptr || (node->type == Node::Type::text && node->text == "auto");
  if (!automatic && node->type == Node::Type::text) {
    context_.fail(node, at(key),
                  "must be a whole number or \"auto\", got " + shown(*node) + suggestion(node->text, {"auto"}));
  }
  if (!automatic) return integer(key, std::nullopt, low, high);
  put(key, Node::of("auto"));
  return automatic_value;
}

bool Section::boolean(const std::string& key, bool fallback) {
  const Node* node = find_key(key, false);
  if (node == nullptr) {
    put(key, Node::of(fallback));
    return fallback;
  }
  if (node->type != Node::Type::boolean) {
    context_.fail(node, at(key), "must be true or false, got " + shown(*node) + "; write it without quotes");
  }
  put(key, *node);
  return node->boolean;
}

std::string Section::text(const std::string& key, std::optional<std::string> fallback) {
  const Node* node = find_key(key, !fallback);
  if (node == nullptr) {
    put(key, Node::of(*fallback));
    return *fallback;
  }
  if (node->type != Node::Type::text) {
    context_.fail(node, at(key), "must be a text, got " + shown(*node) + "; put it in quotes");
  }
  put(key, *node);
  return node->text;
}

int Section::choice(const std::string& key, const std::vector<std::string>& names, std::optional<int> fallback) {
  std::optional<std::string> word;
  if (fallback) word = names[static_cast<std::size_t>(*fallback)];
  const std::string given = text(key, word);
  const auto found = std::find(names.begin(), names.end(), given);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  const std::string hint = suggestion(given, names);
  const bool has_hint = hint.find("did you mean") != std::string::npos;
  fail(key, "must be one of " + list + "; got \"" + printable(given) + "\"" +
                (has_hint ? hint : std::string("; give one of these")));
}

std::vector<double> Section::numbers(const std::string& base, const Quantity& quantity, std::size_t low_count,
                                     std::size_t high_count, const Range& range, const std::vector<double>& fallback) {
  const Found found = find_quantity(base, quantity, fallback.empty());
  std::vector<double> out;
  if (found.node == nullptr) {
    std::vector<Node> items;
    for (const double number : fallback) {
      items.push_back(Node::of(number));
      out.push_back(found.unit->to_si(number));
    }
    put(found.key, Node::list(std::move(items)));
    return out;
  }
  const std::string want = low_count == high_count ? std::to_string(low_count) : std::to_string(low_count) + " or more";
  if (found.node->type != Node::Type::array) {
    context_.fail(found.node, at(found.key),
                  "must be a list of " + want + " numbers, got " + shown(*found.node) + "; write it in brackets");
  }
  const std::size_t count = found.node->items.size();
  if (count < low_count || count > high_count) {
    context_.fail(found.node, at(found.key),
                  "must be a list of " + want + " numbers, got " + std::to_string(count) + "; correct the list");
  }
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(checked_number(context_, found.node->items[i], at(found.key) + "[" + std::to_string(i) + "]",
                                 quantity, *found.unit, range));
  }
  put(found.key, *found.node);
  return out;
}

Vec2 Section::point(const std::string& base, const Quantity& quantity, std::optional<Vec2> fallback) {
  std::vector<double> standard;
  if (fallback) standard = {fallback->x, fallback->y};
  const std::vector<double> xy = numbers(base, quantity, 2, 2, any_number, standard);
  return {xy[0], xy[1]};
}

Vec2 Section::direction(const std::string& key, std::optional<Vec2> fallback) {
  const Vec2 v = point(key, quantity::number, fallback);
  const double length = pegrasp::length(v);
  if (!(length > 1e-9)) fail(key, "must not be the zero vector; give a direction such as [1, 0]");
  return {v.x / length, v.y / length};
}

std::vector<std::vector<double>> Section::rows(const std::string& base, const Quantity& quantity, std::size_t columns,
                                               std::size_t low_count, std::size_t high_count) {
  const Found found = find_quantity(base, quantity, true);
  const std::string path = at(found.key);
  const std::string want = "a list of " + std::to_string(low_count) + (high_count == low_count ? "" : " or more") +
                           " points of " + std::to_string(columns) + " numbers";
  if (found.node->type != Node::Type::array || found.node->items.size() < low_count ||
      found.node->items.size() > high_count) {
    const std::string got = found.node->type == Node::Type::array ? std::to_string(found.node->items.size()) + " points"
                                                                  : shown(*found.node);
    context_.fail(found.node, path, "must be " + want + ", got " + got + "; write [[x, y], [x, y], ...]");
  }
  std::vector<std::vector<double>> out;
  for (std::size_t i = 0; i < found.node->items.size(); ++i) {
    const Node& item = found.node->items[i];
    const std::string below = path + "[" + std::to_string(i) + "]";
    if (item.type != Node::Type::array || item.items.size() != columns) {
      context_.fail(&item, below, "must be a list of " + std::to_string(columns) + " numbers; correct the point");
    }
    out.emplace_back();
    for (std::size_t k = 0; k < columns; ++k) {
      out.back().push_back(checked_number(context_, item.items[k], below + "[" + std::to_string(k) + "]", quantity,
                                          *found.unit, any_number));
    }
  }
  put(found.key, *found.node);
  return out;
}

std::filesystem::path Section::file(const std::string& key) {
  const std::string given = text(key, {});
  if (given.empty() || given.find('\0') != std::string::npos) fail(key, "is no path; give that of a file");
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(context_.folder / given, error).lexically_normal();
  if (error) fail(key, "cannot be made an absolute path; give one");
  put(key, Node::of(path.string()));
  return path;
}

void Section::check_contents(const std::string& fingerprint) {
  if (text("contents", fingerprint) == fingerprint) return;
  fail("contents",
       "is of another file: it has changed since this problem was resolved; remove the key to take the file as it is");
}

std::vector<std::string> Section::texts(const std::string& key, std::size_t low_count, std::size_t high_count) {
  const Node* node = find_key(key, true);
  const std::string want = low_count == high_count ? std::to_string(low_count) : std::to_string(low_count) + " or more";
  const bool list =
      node->type == Node::Type::array && node->items.size() >= low_count && node->items.size() <= high_count;
  if (!list) context_.fail(node, at(key), "must be a list of " + want + " names; write them in quotes in brackets");
  std::vector<std::string> out;
  for (const Node& item : node->items) {
    if (item.type != Node::Type::text) {
      context_.fail(&item, at(key), "must be a list of names, got " + shown(item) + " in it; put names in quotes");
    }
    out.push_back(item.text);
  }
  put(key, *node);
  return out;
}

Node Section::finish(bool expanded) {
  if (node_ != nullptr) {
    for (const auto& [key, node] : node_->members) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      context_.fail(&node, at(key), "does not apply here; remove it (docs/reference/problem-file.md)");
    }
  }
  resolved_.expanded = expanded;
  return std::move(resolved_);
}

}  // namespace pegrasp

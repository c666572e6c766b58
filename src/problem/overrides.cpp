// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "src/problem/overrides.hpp"
#include "src/text/default_names.hpp"
#include "src/text/document.hpp"
#include "src/text/suggest.hpp"
#include "src/text/units.hpp"

namespace pegrasp {
namespace {

// "body[0].mass_kg" and "body.0.mass_kg" -> {"body", "0", "mass_kg"}; a step in quotes may hold points; empty on a
// malformed path.
std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> steps(1);
  bool quoted = false;
  for (const char c : path) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '.' || c == '[')) {
      steps.emplace_back();
    } else if (quoted || c != ']') {
      steps.back() += c;
    }
  }
  if (quoted || std::any_of(steps.begin(), steps.end(), [](const std::string& step) { return step.empty(); }))
    return {};
  return steps;
}

// The text that `element` has for `key`; empty when it has none.
std::string text_of(const Node& element, const std::string& key) {
  const Node* node = element.find(key);
  return node != nullptr && node->type == Node::Type::text ? node->text : std::string();
}

// Names of the elements of the list `key`, with the default names that the readers give. An element without a name is
// called by its index.
std::vector<std::string> element_names(const Node& array, const std::string& key) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array.items.size(); ++i) {
    std::string name = text_of(array.items[i], "name");
    const std::string body = text_of(array.items[i], "body");
    if (name.empty() && key == "part") name = default_part_name(i);
    if (name.empty() && key == "actuator" && !body.empty()) name = default_actuator_name(body, i);
    names.push_back(name.empty() ? std::to_string(i) : name);
  }
  return names;
}

// Position of the element called `step` or, failing that, with the index `step`; -1 when there is none.
int find_element(const Node& array, const std::vector<std::string>& names, const std::string& step) {
  const auto found = std::find(names.begin(), names.end(), step);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  int index = -1;
  const auto result = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool whole = result.ec == std::errc() && result.ptr == step.data() + step.size();
  return whole && index >= 0 && index < static_cast<int>(array.items.size()) ? index : -1;
}

// A hint for a message that `step` is unknown: the nearest name or, where elements have no names, the range of indices.
std::string known_elements(const std::string& step, const std::vector<std::string>& names) {
  if (names.empty()) return "; the list is empty";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != std::to_string(i)) return suggestion(step, names);
  }
  return "; give an index from 0 to " + std::to_string(names.size() - 1);
}

// Removes the same quantity in another unit (`h_s` beside `h_ms`), which would contradict the new value.
void remove_other_units(Node& table, const std::string& key) {
  const std::string base = key_base(key);
  if (base == key) return;
  std::erase_if(table.members, [&](const auto& member) {
    return member.first != key && member.first != base && key_base(member.first) == base;
  });
}

}  // namespace

void apply_override(Node& root, const Override& change, const std::string& origin) {
  // "urdf.*.hull": of every element of the list
  if (const std::size_t star = change.key.find(".*."); star != std::string::npos) {
    const std::string list = change.key.substr(0, star);
    const Node* node = root.find(list);
    if (node == nullptr || node->type != Node::Type::array) {
      throw InputError(origin + ": --set " + printable(change.key) + ": the problem has no [[" + printable(list) +
                       "]]");
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      apply_override(root, {list + "." + std::to_string(i) + change.key.substr(star + 2), change.value}, origin);
    }
    return;
  }
  const std::vector<std::string> steps = split_path(change.key);
  const auto fail = [&](const std::string& message) {
    throw InputError(origin + ": --set " + printable(change.key) + ": " + message);
  };
  if (steps.empty()) fail("is not a dotted path; write it like body.gear.mass_kg");
  Node* node = &root;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& step = steps[i];
    const bool last = i + 1 == steps.size();
    if (node->type == Node::Type::array) {
      const std::vector<std::string> names = element_names(*node, steps[i - 1]);
      const int index = find_element(*node, names, step);
      if (index < 0) fail("there is no element " + printable(step) + known_elements(step, names));
      node = &node->items[static_cast<std::size_t>(index)];
      if (last) *node = parse_value(change.value, origin, change.key);
    } else if (node->type == Node::Type::table) {
      if (last) {
        remove_other_units(*node, step);
        node->set(step, parse_value(change.value, origin, change.key));
        return;
      }
      if (node->find(step) == nullptr) {
        Node empty;
        for (std::size_t k = 0; k <= i; ++k) empty.set_as += (k > 0 ? "." : "") + steps[k];
        node->set(step, empty);
      }
      node = node->find(step);
    } else {
      fail(printable(step) + " lies inside " + type_name(*node) + ", which has no keys; shorten the path");
    }
  }
}

}  // namespace pegrasp

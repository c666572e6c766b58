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

// "friction.gear.jaw": the element whose `between` names both, in either order; -1: there is none.
int find_pair(const Node& array, const std::string& a, const std::string& b) {
  for (std::size_t i = 0; i < array.items.size(); ++i) {
    const Node* between = array.items[i].find("between");
    if (between == nullptr || between->items.size() != 2) continue;
    const std::string &first = between->items[0].text, &second = between->items[1].text;
    if ((first == a && second == b) || (first == b && second == a)) return static_cast<int>(i);
  }
  return -1;
}

// Another file has other contents, whose fingerprint a resolved problem has.
void forget_contents(Node& table, const std::string& key, const Node& value) {
  const Node* file = table.find("file");
  if (key != "file" || (file != nullptr && file->text == value.text)) return;
  std::erase_if(table.members,
                [](const Member& member) { return member.first == "contents" || member.first == "pieces"; });
}

// option: how the user gave the key, for messages. set_as: whether tables that are made are named by the key.
void set_at(Node& root, const std::string& key, const Node& value, const std::string& origin, const std::string& option,
            bool set_as) {
  const std::vector<std::string> steps = split_path(key);
  const auto fail = [&](const std::string& message) {
    throw InputError(origin + ": " + option + " " + printable(key) + ": " + message);
  };
  if (steps.empty()) fail("is not a dotted path; write it like body.gear.mass_kg");
  Node* node = &root;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& step = steps[i];
    if (node->type == Node::Type::array) {
      const std::vector<std::string> names = element_names(*node, steps[i - 1]);
      int index = find_element(*node, names, step);
      if (index < 0 && i + 1 < steps.size()) index = find_pair(*node, step, steps[i + 1]);
      if (index < 0) fail("there is no element " + printable(step) + known_elements(step, names));
      if (find_element(*node, names, step) < 0) ++i;
      node = &node->items[static_cast<std::size_t>(index)];
      if (i + 1 == steps.size()) *node = value;
    } else if (node->type == Node::Type::table) {
      if (i + 1 == steps.size()) {
        remove_other_units(*node, step);
        forget_contents(*node, step, value);
        node->set(step, value);
        return;
      }
      if (node->find(step) == nullptr) {
        Node empty;
        empty.line = value.line;
        for (std::size_t k = 0; set_as && k <= i; ++k) empty.set_as += (k > 0 ? "." : "") + steps[k];
        node->set(step, empty);
      }
      node = node->find(step);
    } else {
      fail(printable(step) + " lies inside " + type_name(*node) + ", which has no keys; shorten the path");
    }
  }
}

// "urdf.*.hull" as the keys of all elements of the list.
std::vector<std::string> keys_of(const Node& root, const std::string& key, const std::string& origin,
                                 const std::string& option) {
  const std::size_t star = key.find(".*.");
  if (star == std::string::npos) return {key};
  const std::string list = key.substr(0, star);
  const Node* node = root.find(list);
  if (node == nullptr || node->type != Node::Type::array) {
    throw InputError(origin + ": " + option + " " + printable(key) + ": the problem has no [[" + printable(list) +
                     "]]");
  }
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < node->items.size(); ++i)
    keys.push_back(list + "." + std::to_string(i) + key.substr(star + 2));
  return keys;
}

}  // namespace

void apply_override(Node& root, const Override& change, const std::string& origin) {
  for (const std::string& key : keys_of(root, change.key, origin, "--set")) {
    if (split_path(key).empty()) set_at(root, key, {}, origin, "--set", true);  // refuses it
    set_at(root, key, parse_value(change.value, origin, key), origin, "--set", true);
  }
}

void set_value(Node& root, const std::string& key, const Node& value, const std::string& origin,
               const std::string& option) {
  for (const std::string& one : keys_of(root, key, origin, option)) set_at(root, one, value, origin, option, false);
}

const Node* find_value(const Node& root, const std::string& key, const Node** table) {
  const std::vector<std::string> steps = split_path(key);
  const Node* node = &root;
  if (table != nullptr) *table = nullptr;
  for (std::size_t i = 0; i < steps.size() && node != nullptr; ++i) {
    if (node->type == Node::Type::array) {
      int index = find_element(*node, element_names(*node, i > 0 ? steps[i - 1] : ""), steps[i]);
      if (index < 0 && i + 1 < steps.size()) {
        index = find_pair(*node, steps[i], steps[i + 1]);
        ++i;
      }
      node = index < 0 ? nullptr : &node->items[static_cast<std::size_t>(index)];
    } else {
      if (table != nullptr) *table = node;
      node = node->find(steps[i]);
    }
  }
  return node;
}

std::string place_of_key(const Node& root, const std::string& key) {
  const std::vector<std::string> steps = split_path(key);
  const Node* node = &root;
  std::string place;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::string step = steps[i];
    if (node != nullptr && node->type == Node::Type::array && i > 0) {
      int index = find_element(*node, element_names(*node, steps[i - 1]), step);
      if (index < 0 && i + 1 < steps.size()) {
        index = find_pair(*node, step, steps[i + 1]);
        if (index >= 0) ++i;
      }
      node = index < 0 ? nullptr : &node->items[static_cast<std::size_t>(index)];
      if (index >= 0) step = std::to_string(index);
    } else if (node != nullptr) {
      node = node->find(step);
    }
    if (i + 1 == steps.size()) step = key_base(step);
    place += (place.empty() ? "" : ".") + step;
  }
  return place;
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// The only file that uses toml++.

// toml++ 3.3 asserts (in release builds of clang: tells the optimiser) that a key starts with a key character, which is
// false for a damaged file such as "[/"; its code then reports the error all the same. So its assertions are switched
// off here, in a way that leaves no assumption behind.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "src/text/document.hpp"
#include "src/text/key_depth.hpp"

namespace pegrasp {
namespace {

Node convert(const toml::node& source) {
  Node node;
  node.line = static_cast<int>(source.source().begin.line);
  if (const auto* table = source.as_table()) {
    node.type = Node::Type::table;
    // toml++ sorts keys by name; the order of the file is recovered from the positions of the keys
    std::vector<std::tuple<toml::source_position, std::string, const toml::node*>> members;
    for (const auto& [key, value] : *table) members.emplace_back(key.source().begin, std::string(key.str()), &value);
    std::stable_sort(members.begin(), members.end(),
                     [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
    for (const auto& [position, key, value] : members) node.members.push_back({key, convert(*value)});
  } else if (const auto* array = source.as_array()) {
    node.type = Node::Type::array;
    for (const toml::node& item : *array) node.items.push_back(convert(item));
  } else if (const auto* text = source.as_string()) {
    node.type = Node::Type::text;
    node.text = text->get();
  } else if (const auto* integer = source.as_integer()) {
    node.type = Node::Type::integer;
    node.integer = integer->get();
  } else if (const auto* real = source.as_floating_point()) {
    node.type = Node::Type::real;
    node.real = real->get();
  } else if (const auto* boolean = source.as_boolean()) {
    node.type = Node::Type::boolean;
    node.boolean = boolean->get();
  } else {
    node.type = Node::Type::other;
  }
  return node;
}

void mark_overridden(Node& node, const std::string& key) {
  node.line = 0;
  node.set_as = key;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    mark_overridden(node.items[i], key + "[" + std::to_string(i) + "]");
  }
  for (auto& member : node.members) mark_overridden(member.second, key + "." + member.first);
}

constexpr int most_dots = 64;  // in a key; a problem needs 3

bool is_word(const std::string& text) {
  if (text.empty()) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

Node parse_toml(const std::string& text, const std::string& origin) {
  if (const int line = line_of_deep_key(text, most_dots)) {
    throw InputError(origin + ":" + std::to_string(line) + ": a key of more than " + std::to_string(most_dots) +
                     " dots: nothing in a problem nests so deep; correct the line");
  }
  try {
    return convert(toml::parse(std::string_view(text), std::string_view(origin)));
  } catch (const toml::parse_error& error) {
    throw InputError(origin + ":" + std::to_string(error.source().begin.line) +
                     ": not valid TOML: " + printable(std::string(error.description())) + "; correct the line");
  }
}

Node parse_value(const std::string& text, const std::string& origin, const std::string& key) {
  // a line break could smuggle in further keys
  if (text.find_first_of("\r\n") == std::string::npos && line_of_deep_key(text, most_dots) == 0) {
    try {
      Node document = convert(toml::parse("value = " + text));
      if (document.members.size() == 1) {
        mark_overridden(document.members[0].second, key);
        return document.members[0].second;
      }
    } catch (const toml::parse_error&) {
      if (is_word(text)) {
        Node node = Node::of(text);
        mark_overridden(node, key);
        return node;
      }
    }
  }
  if (text.empty()) {
    throw InputError(origin + ": --set " + printable(key) + ": has no value; for an empty text give \"\" in quotes");
  }
  throw InputError(origin + ": --set " + printable(key) + ": " + printable(text) +
                   " is not a TOML value; give a number, true, false, a quoted text or a list");
}

}  // namespace pegrasp

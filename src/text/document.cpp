// SPDX-License-Identifier: Apache-2.0
#include "src/text/document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace pegrasp {

Node Node::of(bool value) {
  Node node;
  node.type = Type::boolean;
  node.boolean = value;
  return node;
}

Node Node::of(double value) {
  Node node;
  node.type = Type::real;
  node.real = value;
  return node;
}

Node Node::of(std::int64_t value) {
  Node node;
  node.type = Type::integer;
  node.integer = value;
  return node;
}

Node Node::of(int value) { return of(static_cast<std::int64_t>(value)); }

Node Node::of(const std::string& value) {
  Node node;
  node.type = Type::text;
  node.text = value;
  return node;
}

Node Node::list(std::vector<Node> items) {
  Node node;
  node.type = Type::array;
  node.items = std::move(items);
  return node;
}

const Node* Node::find(const std::string& key) const {
  for (const auto& member : members) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

Node* Node::find(const std::string& key) { return const_cast<Node*>(static_cast<const Node&>(*this).find(key)); }

void Node::set(const std::string& key, Node value) {
  if (Node* present = find(key)) {
    *present = std::move(value);
  } else {
    members.push_back({key, std::move(value)});
  }
}

void mark_given_by(Node& node, const std::string& origin) {
  node.given_by = origin;
  for (Node& item : node.items) mark_given_by(item, origin);
  for (Member& member : node.members) mark_given_by(member.second, origin);
}

const char* type_name(const Node& node) {
  switch (node.type) {
    case Node::Type::boolean:
      return "true or false";
    case Node::Type::integer:
      return "a whole number";
    case Node::Type::real:
      return "a number";
    case Node::Type::text:
      return "a text";
    case Node::Type::array:
      return "a list";
    case Node::Type::table:
      return "a table";
    case Node::Type::other:
      break;
  }
  return "a date or time";
}

std::string write_real(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string out(buffer, end);
  // TOML tells reals from whole numbers by the point or the exponent
  if (std::isfinite(value) && out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

namespace {

bool is_bare_key(const std::string& key) {
  for (const char c : key) {
    const bool bare =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!bare) return false;
  }
  return !key.empty();
}

// Characters that cannot be seen, or that change how others are seen, are written by their numbers.
std::string write_text(const std::string& text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    const std::size_t length = std::max<std::size_t>(next.length, 1);
    if (next.length > 0 && is_unseen(next.code)) {
      char number[16];
      std::snprintf(number, sizeof number, next.code > 0xffff ? "\\U%08x" : "\\u%04x",
                    static_cast<unsigned>(next.code));
      out += number;
    } else {
      if (text[at] == '"' || text[at] == '\\') out += '\\';
      out.append(text, at, length);
    }
    at += length;
  }
  return out + "\"";
}

std::string write_key(const std::string& key) { return is_bare_key(key) ? key : write_text(key); }

bool has_header(const Node& node) {
  if (!node.expanded) return false;
  return node.type == Node::Type::table || (node.type == Node::Type::array && !node.items.empty());
}

void write_table(const Node& table, const std::string& path, std::string& out) {
  for (const auto& [key, node] : table.members) {
    if (!has_header(node)) out += write_key(key) + " = " + write_value(node) + "\n";
  }
  for (const auto& [key, node] : table.members) {
    if (!has_header(node)) continue;
    const std::string below = path.empty() ? write_key(key) : path + "." + write_key(key);
    if (node.type == Node::Type::table) {
      // a table of nothing but tables needs no header of its own
      const bool only_tables =
          !node.members.empty() && std::all_of(node.members.begin(), node.members.end(),
                                               [](const auto& member) { return has_header(member.second); });
      if (!only_tables) out += "\n[" + below + "]\n";
      write_table(node, below, out);
    } else {
      for (const Node& item : node.items) {
        out += "\n[[" + below + "]]\n";
        write_table(item, below, out);
      }
    }
  }
}

}  // namespace

std::string write_value(const Node& node) {
  switch (node.type) {
    case Node::Type::boolean:
      return node.boolean ? "true" : "false";
    case Node::Type::integer:
      return std::to_string(node.integer);
    case Node::Type::real:
      return write_real(node.real);
    case Node::Type::text:
      return write_text(node.text);
    case Node::Type::array: {
      std::string out = "[";
      for (std::size_t i = 0; i < node.items.size(); ++i) out += (i > 0 ? ", " : "") + write_value(node.items[i]);
      return out + "]";
    }
    case Node::Type::table: {
      std::string out = "{";
      for (std::size_t i = 0; i < node.members.size(); ++i) {
        out += (i > 0 ? ", " : " ") + write_key(node.members[i].first) + " = " + write_value(node.members[i].second);
      }
      return out + " }";
    }
    case Node::Type::other:
      break;
  }
  return "\"\"";
}

std::string write_toml(const Node& root) {
  std::string out = "# Every default written out (docs/reference/problem-file.md).\n";
  write_table(root, "", out);
  return out;
}

}  // namespace pegrasp

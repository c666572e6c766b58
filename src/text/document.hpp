// SPDX-License-Identifier: Apache-2.0
// A problem file as a tree: the keys and values of the TOML text, in its order, with line numbers. The readers go
// through this tree and build another one, the resolved problem.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pegrasp/error.hpp"
#include "src/text/printable.hpp"  // IWYU pragma: export

namespace pegrasp {

struct Member;

struct Node {
  enum class Type { boolean, integer, real, text, array, table, other };

  Type type = Type::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0.0;
  std::string text;
  std::vector<Node> items;      // array
  std::vector<Member> members;  // table, in order of the file
  int line = 0;                 // 0: not from the file
  std::string set_as;           // set by an Override: the path that it was given, and that below it; else empty
  std::string given_by;         // the option or other file that it comes from; empty: the problem file
  bool expanded = false;        // written as [header] or [[header]] instead of inline

  static Node of(bool value);
  static Node of(double value);
  static Node of(int value);
  static Node of(std::int64_t value);
  static Node of(const std::string& value);
  static Node of(const char* value);
  static Node list(std::vector<Node> items);

  bool is_number() const { return type == Type::integer || type == Type::real; }
  double number() const { return type == Type::integer ? static_cast<double>(integer) : real; }
  const Node* find(const std::string& key) const;
  Node* find(const std::string& key);
  void set(const std::string& key, Node value);  // appends, or replaces in place
};

// One entry of a table.
struct Member {
  std::string first;
  Node second;
};

inline Node Node::of(const char* value) { return of(std::string(value)); }

// Says that a tree comes from an option or another file than the problem's.
void mark_given_by(Node& node, const std::string& origin);

// "a number", "a list", ... for messages.
const char* type_name(const Node& node);

// Throws InputError, "origin:line: ...", for text that is not TOML.
Node parse_toml(const std::string& text, const std::string& origin);

// One TOML value; a bare word counts as a string. Throws InputError.
Node parse_value(const std::string& text, const std::string& origin, const std::string& key);

// TOML text of a tree; reals in the shortest form that reads back to the same bits.
std::string write_toml(const Node& root);
std::string write_value(const Node& node);
std::string write_real(double value);

}  // namespace pegrasp

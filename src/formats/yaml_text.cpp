// SPDX-License-Identifier: Apache-2.0
#include "src/formats/yaml_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>

namespace pegrasp {
namespace {

constexpr int deepest = 32;

bool is_space(char c) { return c == ' ' || c == '\t'; }

// The value of a scalar that is not in quotes.
Node plain_scalar(const std::string& text) {
  Node node;
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    node.type = Node::Type::other;
    return node;
  }
  if (text == "true" || text == "True" || text == "TRUE") return Node::of(true);
  if (text == "false" || text == "False" || text == "FALSE") return Node::of(false);
  const char* const begin = text.data() + (text.front() == '+' ? 1 : 0);
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(begin, end, whole); read.ec == std::errc() && read.ptr == end) {
    return Node::of(whole);
  }
  double real = 0.0;
  const bool begins_like_a_number = std::string("+-.0123456789").find(text.front()) != std::string::npos;
  if (const auto read = std::from_chars(begin, end, real);
      begins_like_a_number && read.ec == std::errc() && read.ptr == end) {
    return Node::of(real);
  }
  return Node::of(text);
}

class YamlReader {
 public:
  YamlReader(const std::string& text, const std::string& origin) : text_(text), origin_(origin) {
    if (text_.compare(0, 3, "\xef\xbb\xbf") == 0) at_ = 3;
  }

  Node read() {
    skip_lines();
    if (text_.compare(at_, 3, "---") == 0 && ends_word(at_ + 3)) {
      at_ += 3;
      skip_lines();
    }
    Node root = block(0, 0);
    skip_lines();
    if (text_.compare(at_, 3, "...") == 0 && ends_word(at_ + 3)) {
      at_ += 3;
      skip_lines();
    }
    if (at_ < text_.size()) fail("is indented as nothing above it, or begins another document; correct the line");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(origin_ + ":" + std::to_string(line_) + ": " + what);
  }
  char now() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  bool ends_word(std::size_t at) const {
    return at >= text_.size() || is_space(text_[at]) || text_[at] == '\n' || text_[at] == '\r';
  }
  void skip_spaces() {
    while (is_space(now()) || (now() == '\r' && at_ < text_.size())) ++at_;
  }
  // To the next thing that is neither a space nor a remark, on this or a later line.
  void skip_lines() {
    while (at_ < text_.size()) {
      skip_spaces();
      if (now() == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      }
      if (at_ >= text_.size() || text_[at_] != '\n') return;
      ++at_;
      ++line_;
    }
  }
  // Nothing but a remark may follow on the line.
  void end_line() {
    skip_spaces();
    if (now() == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }
    if (at_ < text_.size() && text_[at_] != '\n') {
      fail("has text after the end of a value: \"" + printable(rest_of_line()) + "\"; put it in quotes");
    }
  }
  std::string rest_of_line() const {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    return text_.substr(at_, std::min<std::size_t>(end - at_, 40));
  }
  std::size_t column() const {
    const std::size_t line = at_ == 0 ? std::string::npos : text_.rfind('\n', at_ - 1);
    const std::size_t begin = line == std::string::npos ? (text_.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0) : line + 1;
    for (std::size_t i = begin; i < at_; ++i) {
      if (text_[i] == '\t') fail("is indented by a tab; use spaces");
    }
    return at_ - begin;
  }
  bool is_item() const { return now() == '-' && ends_word(at_ + 1); }

  // A mapping, a list or a scalar that begins here, all of whose lines are indented by at least `least`.
  Node block(std::size_t least, int depth) {
    if (depth > deepest) fail("is nested more than 32 deep; nothing in a grasp file is");
    if (at_ >= text_.size() || column() < least) return plain_scalar("");
    if (is_item()) return list(column(), depth);
    if (begins_key()) return mapping(column(), depth);
    Node node = value(depth);
    end_line();
    return node;
  }

  // Whether the line holds "key:" here.
  bool begins_key() {
    const std::size_t at = at_;
    const int line = line_;
    bool found = false;
    if (now() == '"' || now() == '\'') {
      quoted();
      skip_spaces();
      found = line == line_ && now() == ':' && ends_word(at_ + 1);
    } else if (now() != '[' && now() != '{') {
      while (now() != '\n' && !found) {
        if (now() == '#' && at_ > at && is_space(text_[at_ - 1])) break;
        found = now() == ':' && ends_word(at_ + 1);
        ++at_;
      }
    }
    at_ = at;
    line_ = line;
    return found;
  }

  std::string key(bool in_brackets) {
    if (now() == '"' || now() == '\'') return quoted();
    if (now() == '?' || now() == '&' || now() == '*' || now() == '!') {
      fail("has a key of a kind that is not read (\"" + printable(rest_of_line()) +
           "\"); write a plain or quoted name");
    }
    const std::size_t from = at_;
    while (now() != '\n' && !(now() == ':' && (ends_word(at_ + 1) || in_brackets)) &&
           !(in_brackets && (now() == ',' || now() == '}')))
      ++at_;
    std::string name = text_.substr(from, at_ - from);
    while (!name.empty() && (is_space(name.back()) || name.back() == '\r')) name.pop_back();
    if (name.empty()) fail("has a value without a key; write NAME: VALUE");
    return name;
  }

  void add(Node& table, std::set<std::string>& seen, const std::string& name, Node node, int line) {
    if (!seen.insert(name).second) {
      line_ = line;
      fail("the key \"" + printable(name) + "\" is there twice; remove one");
    }
    node.line = line;
    table.members.push_back({name, std::move(node)});
  }

  Node mapping(std::size_t indent, int depth) {
    Node table;
    table.line = line_;
    std::set<std::string> seen;
    while (at_ < text_.size() && column() == indent && !is_item()) {
      if (text_.compare(at_, 3, "...") == 0 || text_.compare(at_, 3, "---") == 0) break;
      const int line = line_;
      const std::string name = key(false);
      skip_spaces();
      if (now() != ':') fail("is no \"key: value\"; write a colon and a space after the key");
      ++at_;
      add(table, seen, name, value_of_key(indent, depth), line);
      skip_lines();
    }
    if (at_ < text_.size() && column() > indent) fail("is indented more than the lines above; align it with them");
    return table;
  }

  Node value_of_key(std::size_t indent, int depth) {
    skip_spaces();
    if (now() != '\n' && now() != '#') {
      Node node = value(depth + 1);
      end_line();
      return node;
    }
    skip_lines();
    // A list may stand below its key without further indentation.
    if (at_ < text_.size() && column() == indent && is_item()) return list(indent, depth + 1);
    return block(indent + 1, depth + 1);
  }

  Node list(std::size_t indent, int depth) {
    Node all;
    all.type = Node::Type::array;
    all.line = line_;
    while (at_ < text_.size() && column() == indent && is_item()) {
      ++at_;
      const int line = line_;
      skip_spaces();
      if (now() == '\n' || now() == '#') skip_lines();
      Node item = line == line_ || column() > indent ? block(indent + 1, depth + 1) : plain_scalar("");
      all.items.push_back(std::move(item));
      skip_lines();
    }
    return all;
  }

  // A scalar, or a list or a mapping in brackets.
  Node value(int depth) {
    if (depth > deepest) fail("is nested more than 32 deep; nothing in a grasp file is");
    const int line = line_;
    Node node;
    if (now() == '[' || now() == '{') {
      node = now() == '[' ? flow_list(depth) : flow_mapping(depth);
    } else if (now() == '"' || now() == '\'') {
      node = Node::of(quoted());
    } else {
      node = plain(false);
    }
    node.line = line;
    return node;
  }

  Node plain(bool in_brackets) {
    if (std::string("&*!|>%@`").find(now()) != std::string::npos) {
      fail("has a value of a kind that is not read (\"" + printable(rest_of_line()) +
           "\"); write a number, a text in quotes, or a list in brackets");
    }
    const std::size_t from = at_;
    while (now() != '\n' && !(now() == '#' && at_ > from && is_space(text_[at_ - 1])) &&
           !(in_brackets && std::string(",]}").find(now()) != std::string::npos)) {
      if (!in_brackets && now() == ':' && ends_word(at_ + 1)) fail("has two keys; put each on a line of its own");
      ++at_;
    }
    std::string text = text_.substr(from, at_ - from);
    while (!text.empty() && (is_space(text.back()) || text.back() == '\r')) text.pop_back();
    return plain_scalar(text);
  }

  // After an item in brackets: whether there is another one.
  bool another(char close) {
    skip_lines();
    if (now() == ',' && at_ < text_.size()) {
      ++at_;
      skip_lines();
      if (now() != close) return true;
    }
    if (at_ >= text_.size() || now() != close) fail(std::string("a bracket is not closed; add ") + close);
    ++at_;
    return false;
  }

  Node flow_list(int depth) {
    Node all;
    all.type = Node::Type::array;
    ++at_;
    skip_lines();
    if (now() == ']') {
      ++at_;
      return all;
    }
    do {
      all.items.push_back(flow_item(depth + 1));
    } while (another(']'));
    return all;
  }

  Node flow_mapping(int depth) {
    Node table;
    std::set<std::string> seen;
    ++at_;
    skip_lines();
    if (now() == '}') {
      ++at_;
      return table;
    }
    do {
      const int line = line_;
      const std::string name = key(true);
      skip_lines();
      if (now() != ':') fail("is no \"key: value\"; write a colon and a space after the key");
      ++at_;
      skip_lines();
      add(table, seen, name, flow_item(depth + 1), line);
    } while (another('}'));
    return table;
  }

  Node flow_item(int depth) {
    if (at_ >= text_.size()) fail("a bracket is not closed; close it");
    const bool scalar = now() != '[' && now() != '{' && now() != '"' && now() != '\'';
    return scalar ? plain(true) : value(depth);
  }

  std::string quoted() {
    const char quote = text_[at_++];
    std::string out;
    while (at_ < text_.size() && text_[at_] != '\n') {
      const char c = text_[at_++];
      if (c == quote && quote == '\'' && now() == '\'') {
        out += text_[at_++];
      } else if (c == quote) {
        return out;
      } else if (c == '\\' && quote == '"') {
        out += escaped();
      } else {
        out += c;
      }
    }
    fail("a quote is not closed on its line; close it");
  }

  std::string escaped() {
    const char c = now();
    ++at_;
    switch (c) {
      case 'n':
        return "\n";
      case 't':
        return "\t";
      case 'r':
        return "\r";
      case '0':
        return std::string(1, '\0');
      case '"':
      case '\\':
      case '/':
      case ' ':
        return std::string(1, c);
      case 'x': {
        unsigned code = 0;
        const char* const begin = text_.data() + std::min(at_, text_.size());
        const char* const end = text_.data() + std::min(at_ + 2, text_.size());
        const auto read = std::from_chars(begin, end, code, 16);
        if (read.ec == std::errc() && read.ptr == end && end == begin + 2 && code < 0x80) {
          at_ += 2;
          return std::string(1, static_cast<char>(code));
        }
        break;
      }
      default:
        break;
    }
    fail("has an escape in a text that is not read; write the character itself");
  }

  const std::string& text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Node parse_yaml(const std::string& text, const std::string& origin) { return YamlReader(text, origin).read(); }

std::string yaml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", byte);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string yaml_number(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  std::string out(text, end.ptr);
  if (out.find('.') == std::string::npos) out.insert(std::min(out.find('e'), out.size()), ".0");
  return out;
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// What the readers of meshes in text have in common: words with their lines, numbers, vertices.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "pegrasp/geometry.hpp"
#include "pegrasp/shapes.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::mesh_words {

// A file with more is not a collision mesh. The limit also keeps indices far below the largest int.
constexpr std::size_t most_faces = 1'000'000;

// Splits a text into words and knows the line of each.
class Words {
 public:
  Words(std::string_view text, std::string place) : rest_(text), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw ShapeError(place_ + ":" + std::to_string(line_) + ": " + problem);
  }

  // The next word of this line, empty at its end. A backslash continues the line on the next one.
  std::string_view next() {
    skip_blanks();
    std::size_t length = 0;
    while (length < rest_.size() && !is_blank(rest_[length]) && rest_[length] != '\n') ++length;
    return take(length);
  }

  // Goes to the next line; false at the end of the text.
  bool next_line() {
    if (started_) {
      const std::size_t end = rest_.find('\n');
      if (end == std::string_view::npos) return false;
      rest_.remove_prefix(end + 1);
      ++line_;
    }
    started_ = true;
    return !rest_.empty();
  }

  // The next word on this line or a later one; empty at the end of the text.
  std::string_view next_anywhere() {
    started_ = true;
    while (true) {
      const std::string_view word = next();
      if (!word.empty() || !next_line()) return word;
    }
  }

  // The rest of this line, without blanks around it.
  std::string rest_of_line() {
    skip_blanks();
    std::string_view text = rest_.substr(0, rest_.find('\n'));
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return std::string(text);
  }

  double number(std::string_view word) const {
    double value = 0.0;
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) {
      fail("\"" + shown(word) + "\" is not a number: write one such as 0.25");
    }
    if (!std::isfinite(value)) fail("\"" + shown(word) + "\" is not finite: give real numbers");
    return value;
  }

  static std::string shown(std::string_view word) {
    constexpr std::size_t longest = 40;
    std::size_t end = std::min(longest, word.size());
    // not within a character of UTF-8
    while (end < word.size() && end > 0 && (static_cast<unsigned char>(word[end]) & 0xc0u) == 0x80u) --end;
    return printable(std::string(word.substr(0, end)));
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (!rest_.empty()) {
      if (is_blank(rest_.front())) {
        take(1);
      } else if (rest_.substr(0, 2) == "\\\n" || rest_.substr(0, 3) == "\\\r\n") {
        take(rest_.find('\n') + 1);
        ++line_;
      } else {
        return;
      }
    }
  }
  std::string_view take(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  std::string_view rest_;
  std::string place_;
  std::size_t line_ = 1;
  bool started_ = false;
};

inline Vec3 read_vertex(Words& words) {
  double x[3];
  for (double& value : x) {
    const std::string_view word = words.next();
    if (word.empty()) words.fail("a vertex has fewer than three coordinates: give x, y and z");
    value = words.number(word);
  }
  return {x[0], x[1], x[2]};
}

inline std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";  // the byte order mark of UTF-8
  return text.substr(0, mark.size()) == mark ? text.substr(mark.size()) : text;
}

// The lines of a text without its mark. Old systems end lines by a carriage return alone.
inline std::string lines_of(std::string_view text) {
  std::string lines(without_mark(text));
  if (lines.find('\n') == std::string::npos) std::replace(lines.begin(), lines.end(), '\r', '\n');
  return lines;
}

}  // namespace pegrasp::mesh_words

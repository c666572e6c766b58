// SPDX-License-Identifier: Apache-2.0
#include "src/text/key_depth.hpp"

#include <cstddef>

namespace pegrasp {
namespace {

// The position just behind the quoted text that begins at `at`, or the end of the text where it is not closed. Quotes
// are single (closed on their line) or triple. Basic quotes, "...", have backslash escapes; literal ones, '...', have
// none.
std::size_t behind_quotes(const std::string& text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool many_lines = text.compare(at, 3, three) == 0;
  for (std::size_t i = at + (many_lines ? 3 : 1); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (many_lines ? text.compare(i, 3, three) == 0 : text[i] == quote || text[i] == '\n') {
      return text[i] == '\n' ? i : i + (many_lines ? 3 : 1);
    }
  }
  return text.size();
}

}  // namespace

int line_of_deep_key(const std::string& text, int most) {
  int line = 1;
  int dots = 0;  // since the key, or whatever stands here, began; numbers have one at most
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = behind_quotes(text, i);
      for (; i < end; ++i) line += text[i] == '\n' ? 1 : 0;
      continue;
    }
    if (c == '#') {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    if (c == '.' && ++dots > most) return line;
    if (c == '\n' || c == ',' || c == '=' || c == '[' || c == ']' || c == '{' || c == '}') dots = 0;
    line += c == '\n' ? 1 : 0;
    ++i;
  }
  return 0;
}

}  // namespace pegrasp

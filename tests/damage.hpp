// SPDX-License-Identifier: Apache-2.0
// Damage for fuzz tests of readers.
#pragma once

#include <cstddef>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace pegrasp::test {

inline std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// One small damage: bytes changed, lines dropped, doubled or swapped, numbers replaced by awkward ones.
inline void damage(std::string& text, std::mt19937_64& random) {
  if (text.empty()) return;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  switch (random() % 6) {
    case 0:
      text[below(text.size())] = static_cast<char>(random() & 0xff);
      return;
    case 1:
      text.erase(below(text.size()), 1 + below(8));
      return;
    case 2: {
      static const char awkward[] = "0123456789-+.eE_\"'[]{}=,#\n \t";
      text.insert(below(text.size()), 1, awkward[below(sizeof awkward - 1)]);
      return;
    }
    case 3: {
      static const char* numbers[] = {"0",   "-1",   "nan",   "inf", "1e308", "1e-308", "9223372036854775807",
                                      "0.1", "true", "\"x\"", "[]",  "{}"};
      const std::size_t at = text.find_first_of("0123456789", below(text.size()));
      if (at == std::string::npos) return;
      const std::size_t end = text.find_first_not_of("0123456789.e-", at);
      text.replace(at, (end == std::string::npos ? text.size() : end) - at, numbers[below(std::size(numbers))]);
      return;
    }
    default:
      break;
  }
  std::vector<std::string> lines = split_lines(text);
  if (lines.size() < 2) return;
  const std::size_t a = below(lines.size());
  const std::size_t b = below(lines.size());
  if (random() % 2 == 0) {
    std::swap(lines[a], lines[b]);
  } else if (random() % 2 == 0) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(a));
  } else {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(b), lines[a]);
  }
  text.clear();
  for (const std::string& line : lines) text += line + "\n";
}

}  // namespace pegrasp::test

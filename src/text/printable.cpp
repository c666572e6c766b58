// SPDX-License-Identifier: Apache-2.0
#include "src/text/printable.hpp"

namespace pegrasp {

Character character_at(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {};
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(at + k) & 0xc0u) != 0x80u) return {};
    code = code << 6 | (byte(at + k) & 0x3fu);
  }
  const bool longer_than_needed = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (longer_than_needed || surrogate || code > 0x10ffff) return {};
  return {code, length};
}

bool is_unseen(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xe0000 && code <= 0xe0fff);
}

namespace {

std::string shown(const std::string& text, std::size_t longest) {
  static const char* digits = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    const std::size_t length = next.length == 0 ? 1 : next.length;
    if (next.length > 0 && !is_unseen(next.code)) {
      out.append(text, at, length);
    } else {
      for (std::size_t k = at; k < at + length; ++k) {
        const auto byte = static_cast<unsigned char>(text[k]);
        out += "\\x";
        out += digits[byte >> 4];
        out += digits[byte & 15];
      }
    }
    at += length;
    if (out.size() > longest && at < text.size()) return out + "...";
  }
  return out;
}

}  // namespace

std::string printable(const std::string& text) { return shown(text, 200); }

std::string printable_line(const std::string& text) { return shown(text, static_cast<std::size_t>(-1)); }

}  // namespace pegrasp

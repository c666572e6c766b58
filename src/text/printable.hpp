// SPDX-License-Identifier: Apache-2.0
// Text from outside in messages and tables of one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pegrasp {

// The text with control characters, broken UTF-8 and characters that change the direction or the lines of a terminal
// made visible as \x.., cut off after about 200 bytes. Letters of all scripts stay as they are. Applying it twice does
// no more than applying it once.
std::string printable(const std::string& text);

// The same without the cut, for a whole message, whose end is the remedy.
std::string printable_line(const std::string& text);

// A character of UTF-8: its number and its length in bytes; length 0 where the bytes are no character.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};
Character character_at(const std::string& text, std::size_t at);

// Characters that control a terminal, break the line, change its direction, or cannot be seen.
bool is_unseen(std::uint32_t code);

}  // namespace pegrasp

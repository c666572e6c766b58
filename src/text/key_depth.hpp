// SPDX-License-Identifier: Apache-2.0
// How deep a TOML text nests by dotted keys, found without recursion: toml++ bounds the nesting of its lists and inline
// tables, but follows a.b.c... down by recursion and would overflow the stack.
#pragma once

#include <string>

namespace pegrasp {

// Line (from 1) of the first key of more than `most` dots, 0 where there is none. Text in quotes and comments has no
// keys; the text need not be valid TOML.
int line_of_deep_key(const std::string& text, int most);

}  // namespace pegrasp

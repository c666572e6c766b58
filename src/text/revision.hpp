// SPDX-License-Identifier: Apache-2.0
// Which pegrasp made something, as text.
#pragma once

#include <string>
#include <string_view>

namespace pegrasp {

// "pegrasp 0.3.0 (3f2a91c)": version and revision; without parentheses where the revision is not known.
std::string version_text();

// A document of TOML that names what wrote it in a comment on its first line, and such a document without that line.
std::string with_version(const std::string& toml);
std::string_view without_version(std::string_view toml);

}  // namespace pegrasp

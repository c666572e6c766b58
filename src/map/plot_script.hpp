// SPDX-License-Identifier: Apache-2.0
// Pictures are drawn by scripts in Python: found beside the sources or where `install` put them, and run as children.
#pragma once

#include <filesystem>
#include <string>

namespace pegrasp {

// Runs `script source target`. Returns an empty string, or one line that says why there is no picture (no matplotlib,
// say); packages: Debian's, for that line. Throws WriteError, one line, when the picture could not be written.
std::string draw_by_script(const std::string& script, const std::filesystem::path& source,
                           const std::filesystem::path& target, const std::string& packages);

}  // namespace pegrasp

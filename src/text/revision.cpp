// SPDX-License-Identifier: Apache-2.0
#include "src/text/revision.hpp"

#include "pegrasp/version.hpp"

namespace pegrasp {

std::string version_text() {
  const std::string git = version::git;
  return std::string("pegrasp ") + version::number + (git.empty() ? "" : " (" + git + ")");
}

std::string with_version(const std::string& toml) { return "# " + version_text() + "\n" + toml; }

std::string_view without_version(std::string_view toml) {
  if (!toml.starts_with("# pegrasp ")) return toml;
  const std::size_t end = toml.find('\n');
  return end == std::string_view::npos ? std::string_view() : toml.substr(end + 1);
}

}  // namespace pegrasp

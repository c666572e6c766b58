// SPDX-License-Identifier: Apache-2.0
#include "src/formats/find_package.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

using std::filesystem::path;

bool is_there(const path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

// Whether the folder's package.xml names the package.
bool holds_package(const path& folder, const std::string& package) {
  constexpr std::size_t most = 1u << 20;  // bytes
  try {
    const std::string text = read_file(folder / "package.xml", most);
    const std::size_t begin = text.find("<name>"), end = text.find("</name>", begin);
    if (begin == std::string::npos || end == std::string::npos) return false;
    const std::string name = text.substr(begin + 6, end - begin - 6);
    const std::size_t first = name.find_first_not_of(" \t\r\n"), last = name.find_last_not_of(" \t\r\n");
    return first != std::string::npos && name.substr(first, last - first + 1) == package;
  } catch (const ReadError&) {
    return false;
  }
}

std::vector<path> folders_of(const char* variable) {
  std::vector<path> folders;
  const char* value = std::getenv(variable);
  const std::string list = value == nullptr ? "" : value;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) folders.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return folders;
}

// In a folder that holds packages, or is the package.
std::optional<path> find_under(const path& folder, const std::string& package, const path& rest) {
  if (is_there(folder / package / rest)) return folder / package / rest;
  if ((folder.filename() == package || holds_package(folder, package)) && is_there(folder / rest)) return folder / rest;
  return std::nullopt;
}

// Packages may be nested in folders of workspaces and repositories. Looks at the folders below, level by level, each
// level by name, as long as there are not too many.
std::optional<path> find_below(const path& top, const std::string& package, const path& rest) {
  constexpr int deepest = 5;
  constexpr std::size_t most_entries = 20'000;
  std::size_t entries = 0;
  std::vector<path> level{top};
  for (int depth = 0; depth < deepest && !level.empty(); ++depth) {
    std::vector<path> next;
    for (const path& folder : level) {
      const auto first = static_cast<std::ptrdiff_t>(next.size());
      std::error_code error;
      std::filesystem::directory_iterator entry(folder, error), end;
      for (; !error && entry != end && entries < most_entries; entry.increment(error), ++entries) {
        std::error_code unknown;
        const bool hidden = entry->path().filename().string().front() == '.';
        if (!hidden && entry->is_directory(unknown)) next.push_back(entry->path());
      }
      std::sort(next.begin() + first, next.end());
    }
    for (const path& folder : next) {
      if (auto found = find_under(folder, package, rest)) return found;
    }
    level = std::move(next);
  }
  return std::nullopt;
}

// Below the folders above, as far as these are likely to be one project.
std::optional<path> find_in_project(const path& from, const std::string& package, const path& rest) {
  constexpr int most_above = 4;
  std::error_code error;
  const path temporary = std::filesystem::temp_directory_path(error);
  const char* const home = std::getenv("HOME");
  path folder = from;
  for (int above = 0; above <= most_above; ++above, folder = folder.parent_path()) {
    if (folder == folder.parent_path() || folder == temporary || (home != nullptr && folder == path(home))) break;
    if (auto found = find_below(folder, package, rest)) return found;
  }
  return std::nullopt;
}

std::optional<path> find_by_environment(const std::string& package, const path& rest) {
  for (const char* variable : {"ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"}) {
    for (const path& folder : folders_of(variable)) {
      if (auto found = find_under(folder, package, rest)) return found;
      if (auto found = find_below(folder, package, rest)) return found;
    }
  }
  for (const char* variable : {"AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH"}) {
    for (const path& prefix : folders_of(variable)) {
      if (auto found = find_under(prefix / "share", package, rest)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<path> find_in_package(const std::string& file, const path& from) {
  const std::size_t slash = std::min(file.find('/'), file.size());
  const std::string package = file.substr(0, slash);
  const path rest = slash < file.size() ? path(file.substr(slash + 1)) : path();
  if (package.empty() || rest.empty() || rest.is_absolute()) return std::nullopt;
  std::error_code error;
  path begin = std::filesystem::absolute(from, error).lexically_normal();
  if (!begin.has_filename()) begin = begin.parent_path();  // it ended with a slash
  for (path folder = begin;; folder = folder.parent_path()) {
    if (auto found = find_under(folder, package, rest)) return found;
    if (folder == folder.parent_path()) break;
  }
  if (auto found = find_by_environment(package, rest)) return found;
  return find_in_project(begin, package, rest);
}

path find_beside(const std::string& file, const path& from) {
  if (is_there(from / file) || path(file).is_absolute()) return from / file;
  std::string slashes = file;
  std::replace(slashes.begin(), slashes.end(), '\\', '/');  // written on Windows
  std::error_code error;
  for (path folder = std::filesystem::absolute(from, error).lexically_normal();; folder = folder.parent_path()) {
    for (const std::string& name : {file, slashes}) {
      if (is_there(folder / name)) return folder / name;
    }
    if (folder == folder.parent_path()) return from / file;
  }
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "src/machine/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

namespace pegrasp {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

// Reads a number of bytes, or "max", which is infinite.
double limit_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  double bytes = 0.0;
  return stream >> bytes && bytes > 0.0 ? bytes : no_limit;
}

// The smallest limit of the group `inside` and of all groups around it.
double limit_along(const std::filesystem::path& mounted, const std::filesystem::path& inside, const char* file) {
  double limit = limit_in(mounted / file);
  std::filesystem::path place = mounted;
  for (const std::filesystem::path& name : inside.relative_path()) {
    place /= name;
    limit = std::min(limit, limit_in(place / file));
  }
  return limit;
}

}  // namespace

double control_group_memory(const std::filesystem::path& membership, const std::filesystem::path& groups) {
  double limit = no_limit;
  std::ifstream stream(membership);
  // "hierarchy:controllers:path"; version 2 names no controllers.
  for (std::string line; std::getline(stream, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::filesystem::path inside = line.substr(second + 1);
    if (controllers == ",,") limit = std::min(limit, limit_along(groups, inside, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos) {
      limit = std::min(limit, limit_along(groups / "memory", inside, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

double available_memory() {
  const double machine = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  return std::min(machine > 0.0 ? machine : no_limit, control_group_memory("/proc/self/cgroup", "/sys/fs/cgroup"));
}

void want_huge_pages(void* begin, std::size_t bytes) {
  constexpr std::size_t least = std::size_t{4} << 20;  // [bytes]; of less there is nothing to gain
  const long page_size = ::sysconf(_SC_PAGE_SIZE);
  if (bytes < least || page_size <= 0) return;
  const auto page = static_cast<std::uintptr_t>(page_size);
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t from = (at + page - 1) / page * page, to = (at + bytes) / page * page;
  (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
}

}  // namespace pegrasp

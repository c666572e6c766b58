// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace pegrasp {

// Memory [bytes] that this process may use at most: the machine's, or what a container or a batch system's job has of it.
double available_memory();

// The smallest limit of the control groups that the process is in, and of those around them; infinite where none is set.
// membership: /proc/self/cgroup; groups: where control groups are mounted, /sys/fs/cgroup.
double control_group_memory(const std::filesystem::path& membership, const std::filesystem::path& groups);

// Asks for large pages under memory that nobody has touched yet: thousands of small ones take as long to get as what is then written into them.
// A wish: nothing but time depends on it.
void want_huge_pages(void* begin, std::size_t bytes);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace pegrasp {

// Largest amount of memory [bytes] that this process may use: that of the machine, or the limit of its container or
// batch job.
double available_memory();

// The smallest limit of the control groups that the process is in, and of those around them; infinite where none is
// set. membership: /proc/self/cgroup; groups: where control groups are mounted, /sys/fs/cgroup.
double control_group_memory(const std::filesystem::path& membership, const std::filesystem::path& groups);

// Asks the system for large pages for memory that has not been touched yet, because getting thousands of small pages
// takes as long as writing into them. The request may be ignored; only time depends on it.
void want_huge_pages(void* begin, std::size_t bytes);

}  // namespace pegrasp

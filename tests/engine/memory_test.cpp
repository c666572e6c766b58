// SPDX-License-Identifier: Apache-2.0
#include "src/machine/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

void put(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(AvailableMemory, IsSomeAndNoMoreThanTheMachines) {
  EXPECT_GT(available_memory(), 1e6);
  EXPECT_LT(available_memory(), 1e18);
}

TEST(AvailableMemory, SmallestLimitOfTheGroupsAround) {
  const test::Folder folder;
  const std::filesystem::path groups = folder.path() / "groups";
  const std::filesystem::path membership = folder.path() / "cgroup";
  put(membership, "0::/job.slice/step\n");
  EXPECT_TRUE(std::isinf(control_group_memory(membership, groups)));  // no files at all
  put(groups / "job.slice" / "step" / "memory.max", "max\n");
  EXPECT_TRUE(std::isinf(control_group_memory(membership, groups)));
  put(groups / "job.slice" / "memory.max", "4000000000\n");
  put(groups / "other" / "memory.max", "1000\n");
  EXPECT_EQ(control_group_memory(membership, groups), 4e9);
  put(groups / "job.slice" / "step" / "memory.max", "3000000000\n");
  EXPECT_EQ(control_group_memory(membership, groups), 3e9);
  // Version 1: a controller of its own, and a number beyond all memory where there is no limit.
  put(membership, "11:cpu,cpuacct:/x\n9:memory:/job_7\n0::/\nnonsense\n");
  put(groups / "memory" / "memory.limit_in_bytes", "9223372036854771712\n");
  put(groups / "memory" / "job_7" / "memory.limit_in_bytes", "2000000000\n");
  EXPECT_EQ(control_group_memory(membership, groups), 2e9);
  EXPECT_TRUE(std::isinf(control_group_memory(folder.path() / "none", groups)));
}

}  // namespace
}  // namespace pegrasp

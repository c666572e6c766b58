// SPDX-License-Identifier: Apache-2.0
// ThreadSanitizer, where it looks on, ends the process with the first race; that it sees one is tested here.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "tests/teams/thread_sanitizer.hpp"
#include "tests/teams/thread_team.hpp"

#if PEGRASP_THREAD_SANITIZER
extern "C" const char* __tsan_default_options() { return "halt_on_error=1:exitcode=66"; }
#endif

namespace pegrasp::test {
namespace {

// Every rank reads what its neighbour wrote. Returns how the process ended.
int neighbours(bool with_sync) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const bool quiet = std::freopen("/dev/null", "w", stderr) != nullptr;
    std::vector<int> mine(4, -1), copied(4, -1);
    run_on_threads(4, [&](ThreadTeam& team) {
      const auto rank = static_cast<std::size_t>(team.rank());
      mine[rank] = team.rank();
      if (with_sync) team.sync();
      copied[rank] = mine[(rank + 1) % mine.size()];
    });
    _exit(quiet ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Race, AMissingSyncIsOne) {
  PEGRASP_NEEDS_THREAD_SANITIZER();
  EXPECT_EQ(neighbours(true), 0);
  EXPECT_EQ(neighbours(false), 66);
}

}  // namespace
}  // namespace pegrasp::test

// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cpu/thread_crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace pegrasp {
namespace {

// Every piece once, and all of it seen by the caller, over thousands of jobs that are over before some thread has come.
TEST(ThreadCrew, EveryPieceIsDoneOnceAndSeen) {
  for (const int threads : {1, 2, 3, 8}) {
    SCOPED_TRACE(threads);
    ThreadCrew crew(threads);
    EXPECT_LE(crew.size(), threads);
    for (int job = 0; job < 3000; ++job) {
      const int pieces = job % 17;
      std::vector<int> done(17, 0);
      crew.share(pieces, [&](int piece) { done[static_cast<std::size_t>(piece)] += 1 + job; });
      for (int piece = 0; piece < 17; ++piece) {
        ASSERT_EQ(done[static_cast<std::size_t>(piece)], piece < pieces ? 1 + job : 0) << "job " << job;
      }
    }
  }
}

TEST(ThreadCrew, OthersHelpWithWhatTakesLong) {
  ThreadCrew crew(3);
  std::atomic<int> at_once{0}, most{0};
  crew.share(12, [&](int) {
    const int now = ++at_once;
    for (int seen = most.load(); now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --at_once;
  });
  EXPECT_EQ(at_once.load(), 0);
  if (crew.size() > 1) {
    EXPECT_GT(most.load(), 1);
  }
}

// A crew that slept is there again.
TEST(ThreadCrew, WakesAfterAPause) {
  ThreadCrew crew(2);
  for (int k = 0; k < 3; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    std::atomic<int> sum{0};
    crew.share(5, [&](int piece) { sum += piece; });
    EXPECT_EQ(sum.load(), 10);
  }
}

// A crew ends while a thread is just about to enter the job that is over: it must not wait for another one.
TEST(ThreadCrew, EndsThoughSomeoneIsLate) {
  std::atomic<int> sum{0};
  for (int k = 0; k < 1000; ++k) {
    ThreadCrew crew(4);
    crew.share(2, [&](int) {
      for (int i = 0; i < 1000; ++i) sum.fetch_add(1, std::memory_order_relaxed);
    });
  }
  EXPECT_EQ(sum.load(), 2'000'000);
}

}  // namespace
}  // namespace pegrasp

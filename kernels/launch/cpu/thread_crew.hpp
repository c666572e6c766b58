// SPDX-License-Identifier: Apache-2.0
// Threads that share the loops of one large scene. A solve has thousands of short loops, so they wait for work by
// spinning a little before they sleep, and nobody waits for one that has not come: on a busy machine the caller does
// all the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace pegrasp {

class ThreadCrew {
 public:
  // threads: with the caller's own, at least 1. Where the machine gives fewer, fewer share the work.
  explicit ThreadCrew(int threads);
  ThreadCrew(const ThreadCrew&) = delete;
  ThreadCrew& operator=(const ThreadCrew&) = delete;
  ~ThreadCrew();

  int size() const { return 1 + static_cast<int>(others_.size()); }

  // Calls f(k) for 0 <= k < pieces, each once, on any thread; returns when all are done. f must not throw.
  template <class F>
  void share(int pieces, const F& f) {
    run([](const void* job, int piece) { (*static_cast<const F*>(job))(piece); }, &f, pieces);
  }

 private:
  using Call = void (*)(const void* job, int piece);
  void run(Call call, const void* job, int pieces);
  void take_pieces();
  void serve();

  std::vector<std::thread> others_;
  // The job at hand, written while it is closed and nobody is in it.
  Call call_ = nullptr;
  const void* job_ = nullptr;
  int pieces_ = 0;
  std::atomic<int> next_{0};
  // Twice the jobs begun (odd: one is open to who comes) in the upper half, its top bit set when all is over; threads
  // in the job in the lower.
  std::atomic<std::uint64_t> state_{0};
};

}  // namespace pegrasp

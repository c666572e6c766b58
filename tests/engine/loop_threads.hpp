// SPDX-License-Identifier: Apache-2.0
// Threads that share every loop, for ThreadSanitizer: nothing orders what one does in a loop before what another does
// in it.
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace pegrasp::test {

class LoopThreads {
 public:
  explicit LoopThreads(int size) : size_(size), begin_(size), end_(size) {
    for (int rank = 1; rank < size; ++rank) others_.emplace_back([this, rank] { serve(rank); });
  }
  LoopThreads(const LoopThreads&) = delete;
  LoopThreads& operator=(const LoopThreads&) = delete;
  ~LoopThreads() {
    work_ = nullptr;
    begin_.arrive_and_wait();
    for (std::thread& thread : others_) thread.join();
  }

  int size() const { return size_; }

  // Calls work(rank), 0 <= rank < size(), each on its thread; returns when all are done.
  void run(const std::function<void(int)>& work) {
    work_ = &work;
    begin_.arrive_and_wait();
    work(0);
    end_.arrive_and_wait();
  }

 private:
  void serve(int rank) {
    while (true) {
      begin_.arrive_and_wait();
      if (work_ == nullptr) return;
      (*work_)(rank);
      end_.arrive_and_wait();
    }
  }

  int size_;
  std::barrier<> begin_, end_;
  const std::function<void(int)>* work_ = nullptr;
  std::vector<std::thread> others_;
};

}  // namespace pegrasp::test

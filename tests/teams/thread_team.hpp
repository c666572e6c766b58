// SPDX-License-Identifier: Apache-2.0
// A team of real threads, for ThreadSanitizer and helgrind: the same scene code, every rank on a thread of its own.
#pragma once

#include <barrier>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

namespace pegrasp::test {

struct ThreadCrew {
  explicit ThreadCrew(int size) : barrier(size), maxima{zeros(size), zeros(size)} {}
  std::barrier<> barrier;
  std::vector<double> maxima[2];  // a max() in turn, so that the next may begin before all have read this one

 private:
  static std::vector<double> zeros(int size) { return std::vector<double>(static_cast<std::size_t>(size)); }
};

class ThreadTeam {
 public:
  ThreadTeam(ThreadCrew& crew, int rank) : crew_(crew), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(crew_.maxima[0].size()); }
  void sync() { crew_.barrier.arrive_and_wait(); }
  double max(double x) {
    std::vector<double>& values = crew_.maxima[parity_];
    parity_ = 1 - parity_;
    values[static_cast<std::size_t>(rank_)] = x;
    crew_.barrier.arrive_and_wait();
    double all = values[0];
    // as the kernels' max_or_nan(), of which each dimension has its own
    for (double value : values) all = std::isnan(all) || value <= all ? all : value;
    return all;
  }

 private:
  ThreadCrew& crew_;
  int rank_;
  int parity_ = 0;
};

// Runs body on every rank, each on its own thread.
inline void run_on_threads(int size, const std::function<void(ThreadTeam&)>& body) {
  ThreadCrew crew(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadTeam team(crew, rank);
      body(team);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace pegrasp::test

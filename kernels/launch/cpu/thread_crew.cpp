// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cpu/thread_crew.hpp"

#include <system_error>

namespace pegrasp {
namespace {

constexpr int spins = 4000;
constexpr std::uint64_t one_thread = 1;
constexpr std::uint64_t one_phase = std::uint64_t{1} << 32;
constexpr std::uint64_t over_bit = std::uint64_t{1} << 63;

std::uint64_t phase(std::uint64_t state) { return state / one_phase; }
bool open(std::uint64_t state) { return phase(state) % 2 == 1; }
std::uint64_t inside(std::uint64_t state) { return state % one_phase; }
bool over(std::uint64_t state) { return state >= over_bit; }

// Waits until `value` is no longer `old`.
std::uint64_t next_after(const std::atomic<std::uint64_t>& value, std::uint64_t old) {
  for (int i = 0; i < spins; ++i) {
    const std::uint64_t now = value.load();
    if (now != old) return now;
  }
  value.wait(old);
  return value.load();
}

}  // namespace

ThreadCrew::ThreadCrew(int threads) {
  try {
    for (int rank = 1; rank < threads; ++rank) others_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // The machine gives no more threads.
  }
}

ThreadCrew::~ThreadCrew() {
  state_.fetch_add(over_bit);  // closed, and another phase: who sleeps wakes
  state_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void ThreadCrew::take_pieces() {
  for (int piece = next_.fetch_add(1); piece < pieces_; piece = next_.fetch_add(1)) call_(job_, piece);
}

void ThreadCrew::run(Call call, const void* job, int pieces) {
  call_ = call;
  job_ = job;
  pieces_ = pieces;
  next_.store(0);
  if (others_.empty()) return take_pieces();
  state_.fetch_add(one_phase);
  state_.notify_all();
  take_pieces();
  std::uint64_t state = state_.fetch_add(one_phase) + one_phase;
  while (inside(state) != 0) state = next_after(state_, state);
}

void ThreadCrew::serve() {
  // Whether all is over is read from the value that is waited for: read apart, the end could come in between.
  for (std::uint64_t state = 0; !over(state);) {
    if (!open(state)) {
      state = next_after(state_, state);
      continue;
    }
    if (!state_.compare_exchange_weak(state, state + one_thread)) continue;
    take_pieces();
    // Not into the same job again: it has no pieces left.
    const std::uint64_t done = phase(state);
    state = state_.fetch_sub(one_thread) - one_thread;
    state_.notify_all();
    while (phase(state) == done) state = next_after(state_, state);
  }
}

}  // namespace pegrasp

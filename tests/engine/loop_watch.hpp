// SPDX-License-Identifier: Apache-2.0
// Who reads and writes what in a loop of the batched strategy (unordered_device.hpp), as tests/teams/access_watch.hpp
// does it for teams: two items of one loop must not touch the same four bytes, unless both read them. What lies on the
// stack is an item's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/teams/access_listener.hpp"

namespace pegrasp::test {

class LoopWatch final : public AccessListener {
 public:
  LoopWatch();
  LoopWatch(const LoopWatch&) = delete;
  LoopWatch& operator=(const LoopWatch&) = delete;
  ~LoopWatch() { current = nullptr; }

  void begin_loop();
  void turn(int item);
  static void end_loop();

  void touch(const void* address, std::size_t size, bool writes) override;

  std::int64_t loops() const { return static_cast<std::int64_t>(loop_); }
  std::int64_t touched() const { return touched_; }
  std::int64_t conflicts() const { return conflicts_; }
  const std::string& first_conflict() const { return first_conflict_; }

 private:
  static constexpr std::uintptr_t grain = 4;
  static constexpr int nobody = -1, many = -2;
  struct Cell {
    std::uintptr_t place;
    std::uint64_t loop;
    int writer, reader;
  };

  void look(int other);

  std::vector<Cell> cells_;
  std::uintptr_t stack_ = 0;
  std::size_t stack_bytes_ = 0;
  std::uint64_t loop_ = 0;
  int item_ = 0;
  std::int64_t touched_ = 0, conflicts_ = 0;
  std::string first_conflict_;
};

}  // namespace pegrasp::test

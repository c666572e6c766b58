// SPDX-License-Identifier: Apache-2.0
// Not in the header: code that is itself watched would have slow copies, and its compiler would move what it sees
// through across the calls of hooks.
#include "tests/engine/loop_watch.hpp"

#include <pthread.h>

namespace pegrasp::test {

LoopWatch::LoopWatch() : cells_(std::size_t{1} << 20) {
  pthread_attr_t about;
  void* lowest = nullptr;
  pthread_getattr_np(pthread_self(), &about);
  pthread_attr_getstack(&about, &lowest, &stack_bytes_);
  pthread_attr_destroy(&about);
  stack_ = reinterpret_cast<std::uintptr_t>(lowest);
}

void LoopWatch::begin_loop() {
  ++loop_;
  current = this;
}
void LoopWatch::turn(int item) { item_ = item; }
void LoopWatch::end_loop() { current = nullptr; }

void LoopWatch::touch(const void* address, std::size_t size, bool writes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (begin - stack_ < stack_bytes_) return;
  ++touched_;
  for (std::uintptr_t place = begin / grain; place <= (begin + size - 1) / grain; ++place) {
    Cell& cell = cells_[place % cells_.size()];
    // Another loop's, or, which is rare, of memory that shares the cell: forgotten.
    if (cell.loop != loop_ || cell.place != place) cell = {place, loop_, nobody, nobody};
    look(cell.writer);
    if (writes) look(cell.reader);
    int& known = writes ? cell.writer : cell.reader;
    known = known == nobody || known == item_ ? item_ : many;
  }
}

void LoopWatch::look(int other) {
  if (other == nobody || other == item_ || conflicts_++ > 0) return;
  first_conflict_ = "items " + (other == many ? "of many" : std::to_string(other)) + " and " + std::to_string(item_) +
                    " of loop " + std::to_string(loop_);
}

}  // namespace pegrasp::test

// SPDX-License-Identifier: Apache-2.0
// The one replacement of operator new in the test binary, and a test that it sees allocations.
#include "tests/allocation_counter.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace {
std::atomic<std::size_t> calls{0};
}

// not inlined: compilers would otherwise warn that the vector in the test below mixes new and free
[[gnu::noinline]] void* operator new(std::size_t size) {
  calls.fetch_add(1, std::memory_order_relaxed);
  if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}

// Replaced as well (std::stable_sort calls it): AddressSanitizer's own would pair with the operator delete below.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  calls.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}

[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }

namespace pegrasp::test {

std::size_t allocation_count() { return calls.load(std::memory_order_relaxed); }

// Compilers may leave out a new expression whose object they see through, but not what escapes to elsewhere.
TEST(AllocationCounter, SeesNewAndVectors) {
  static volatile const void* seen;
  const std::size_t before = allocation_count();
  const auto number = std::make_unique<int>(3);
  seen = number.get();
  const std::vector<double> many(100, 1.0);
  seen = many.data();
  EXPECT_EQ(allocation_count() - before, 2u) << seen;
}

}  // namespace pegrasp::test

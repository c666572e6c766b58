// SPDX-License-Identifier: Apache-2.0
// Counts heap allocations of the test binary, so that a test can show that a call makes none.
#pragma once

#include <cstddef>

namespace pegrasp::test {

// Calls of operator new so far, in all threads.
std::size_t allocation_count();

}  // namespace pegrasp::test

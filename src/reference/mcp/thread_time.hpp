// SPDX-License-Identifier: Apache-2.0
// The processor time of the calling thread: the cost of a solve, independent of other programs. A call costs some
// tenths of a microsecond. Deadlines use the wall clock instead.
#pragma once

#include <ctime>

namespace pegrasp::mcp {

// [s], from an arbitrary origin.
inline double thread_seconds() {
  std::timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace pegrasp::mcp

// SPDX-License-Identifier: Apache-2.0
// Processor time of the calling thread: what a solve costs, whoever else uses the machine. A call costs some tenths of
// a microsecond. Deadlines are another matter: they are in the time of the clock on the wall.
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

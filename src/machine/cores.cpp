// SPDX-License-Identifier: Apache-2.0
#include "src/machine/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace pegrasp {

int available_cores() {
  cpu_set_t set;
  // This fails on machines with more cores than the set can hold; then all cores of the machine count.
  const int count = ::sched_getaffinity(0, sizeof set, &set) == 0
                        ? CPU_COUNT(&set)
                        : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, count);
}

}  // namespace pegrasp

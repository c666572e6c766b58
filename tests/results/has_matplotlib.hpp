// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace pegrasp::test {

// Whether pictures can be drawn on this machine.
inline bool has_matplotlib() {
  return std::system(
             "/usr/bin/python3 -c 'import h5py, matplotlib' 2>/dev/null || "
             "python3 -c 'import h5py, matplotlib' 2>/dev/null") == 0;
}

}  // namespace pegrasp::test

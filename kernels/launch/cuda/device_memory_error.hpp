// SPDX-License-Identifier: Apache-2.0
// A device has no more memory: what was asked of it may succeed in smaller groups.
#pragma once

#include <stdexcept>

namespace pegrasp {

class DeviceMemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// The listener that hears what instrumented code reads and writes (access_hooks.cpp). There is at most one at a time,
// in one thread.
#pragma once

#include <cstddef>

namespace pegrasp::test {

class AccessListener {
 public:
  virtual void touch(const void* address, std::size_t size, bool writes) = 0;

  static inline AccessListener* current = nullptr;

 protected:
  ~AccessListener() = default;
};

}  // namespace pegrasp::test

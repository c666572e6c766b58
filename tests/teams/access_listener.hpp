// SPDX-License-Identifier: Apache-2.0
// Who is reported what instrumented code reads and writes (access_hooks.cpp). At most one at a time, in one thread.
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

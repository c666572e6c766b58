// SPDX-License-Identifier: Apache-2.0
// As if the disk were full: files of this process cannot grow beyond a size.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

namespace pegrasp::test {

class FileLimit {
 public:
  explicit FileLimit(std::uintmax_t bytes) : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{static_cast<rlim_t>(bytes), limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  void (*before_)(int);
  rlimit limit_{};
};

}  // namespace pegrasp::test

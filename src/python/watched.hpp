// SPDX-License-Identifier: Apache-2.0
// Long work for Python: it runs in a thread of its own, without the interpreter's lock, while the calling thread looks
// at signals and tells how far it is.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

namespace pegrasp::python {

// What the work tells, and what stops it.
struct Watched {
  std::atomic<bool> stop{false};
  void tell(std::size_t done, std::size_t total, const std::string& what);

  // The newest of what was told; false where nothing came since the last time.
  bool newest(std::size_t& done, std::size_t& total, std::string& what);

 private:
  std::mutex mutex_;
  bool news_ = false;
  std::size_t done_ = 0, total_ = 0;
  std::string what_;
};

// Runs `work`, which throws nothing, and returns when it has ended. progress: None, or is called with what was told:
// done, total, what. Ctrl-C, or an exception of `progress`, sets `stop`; the exception is thrown once the work has
// ended.
void run_watched(Watched& watched, const nanobind::object& progress, const std::function<void()>& work);

}  // namespace pegrasp::python

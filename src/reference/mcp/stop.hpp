// SPDX-License-Identifier: Apache-2.0
// Ends solves early when someone asks for it: a solve may take minutes, and who waits for it may press Ctrl-C.
#pragma once

#include <atomic>

namespace pegrasp::mcp {

namespace detail {
inline thread_local const std::atomic<bool>* stop = nullptr;
}

// While it lives, solves of this thread end as at their time limit soon after `stop`, which may be null, was set.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* stop) : before_(detail::stop) { detail::stop = stop; }
  ~StopScope() { detail::stop = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

inline bool stop_asked() { return detail::stop != nullptr && detail::stop->load(std::memory_order_relaxed); }

}  // namespace pegrasp::mcp

// SPDX-License-Identifier: Apache-2.0
#include "src/python/watched.hpp"

#include <chrono>
#include <condition_variable>
#include <optional>
#include <thread>

namespace nb = nanobind;

namespace pegrasp::python {
namespace {

constexpr std::chrono::milliseconds between_looks{50};

// Signals, and what was told. Throws what Python raises.
void look(Watched& watched, const nb::object& progress) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  std::size_t done = 0, total = 0;
  std::string what;
  if (!progress.is_none() && watched.newest(done, total, what)) progress(done, total, nb::str(what.c_str()));
}

}  // namespace

void Watched::tell(std::size_t done, std::size_t total, const std::string& what) {
  const std::lock_guard lock(mutex_);
  news_ = true;
  done_ = done;
  total_ = total;
  what_ = what;
}

bool Watched::newest(std::size_t& done, std::size_t& total, std::string& what) {
  const std::lock_guard lock(mutex_);
  if (!news_) return false;
  news_ = false;
  done = done_;
  total = total_;
  what = what_;
  return true;
}

void run_watched(Watched& watched, const nb::object& progress, const std::function<void()>& work) {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::thread worker([&] {
    work();
    const std::lock_guard lock(mutex);
    done = true;
    ended.notify_one();
  });
  std::optional<nb::python_error> raised;
  for (bool over = false; !over;) {
    {
      const nb::gil_scoped_release free;
      std::unique_lock lock(mutex);
      over = ended.wait_for(lock, between_looks, [&] { return done; });
    }
    try {
      if (!raised) look(watched, progress);
    } catch (nb::python_error& error) {
      raised.emplace(error);
      watched.stop.store(true);
    }
  }
  worker.join();
  if (raised) throw nb::python_error(std::move(*raised));
}

}  // namespace pegrasp::python

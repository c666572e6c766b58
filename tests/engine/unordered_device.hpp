// SPDX-License-Identifier: Apache-2.0
// A device for the batched strategy (kernels/batch/round.hpp) that is as unkind as a GPU may be, so that what leans on
// the kindness of HostDevice gives other bytes or throws:
//   loops       in another order each time, however short; backwards; or side by side on threads, for ThreadSanitizer
//   memory      new at every capacity(), full of NaN and -1, what it held before gone
//   recording   as GpuDevice: a round's end is recorded and played back, and nothing in it may wait or allocate
//   products    by add_block_product, as the kernel that multiplies on a GPU
// Sorts, scans and groups are HostDevice's.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernels/launch/cpu/host_device.hpp"
#include "tests/engine/loop_threads.hpp"
#include "tests/engine/loop_watch.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

class UnorderedDevice {
 public:
  static constexpr int iterations_a_look = 3;
  enum class Order { backwards, shuffled, side_by_side };

  template <class T>
  class Buffer {
   public:
    T* capacity(int count) {
      refuse_while_recording();
      data_ = std::vector<T>(static_cast<std::size_t>(std::max(count, 1)));
      std::memset(static_cast<void*>(data_.data()), 0xff, data_.size() * sizeof(T));
      return data_.data();
    }

   private:
    std::vector<T> data_;
  };

  explicit UnorderedDevice(Order order, std::uint64_t seed = 1) : order_(order), random_(seed) {
    constexpr int threads = 3;
    if (order == Order::side_by_side) crew_ = std::make_unique<test::LoopThreads>(threads);
  }

  template <class F>
  void for_each(int n, const F& f) {
    static_assert(std::is_trivially_copyable_v<F>, "a kernel's argument is copied as bytes");
    launch([this, n, f] { for_each_place(n, [&](int i) { f(i); }); });
  }

  template <class F>
  void for_each(Items items, const F& f) {
    for_each(items.count, f);
  }
  // All, as on a GPU: what HostDevice leaves out must change nothing.
  template <class F>
  static Items narrowed(std::size_t, Items items, const F&) {
    return items;
  }

  template <class F>
  bool any(int n, const F& f) {
    static_assert(std::is_trivially_copyable_v<F>, "a kernel's argument is copied as bytes");
    refuse_while_recording();
    return found(n, f);
  }

  template <class F>
  void record(const F& f, bool whole) {
    if (!loaded_) {
      f();
      loaded_ = whole;
      return;
    }
    play(taped(f));
    ++played_;
  }

  template <class Body, class F>
  void repeat(const Body& body, int n, const F& goes_on) {
    if (tape_ == nullptr) {
      until_done([&] { body(); }, n, goes_on);
      return;
    }
    launch([this, loop = taped(body), n, goes_on] { until_done([&] { play(loop); }, n, goes_on); });
  }

  int scan(int* x, int n) { return kind().scan(x, n); }
  void sort(std::uint64_t* keys, int n) { kind().sort(keys, n); }
  void sort_within(int segments, int size, std::uint64_t* keys, int* values) {
    kind().sort_within(segments, size, keys, values);
  }
  void group(const int* group_of, int n, int groups, int* first, int* order) {
    kind().group(group_of, n, groups, first, order);
  }

  template <int Height, int Width, class Wanted>
  void multiply(const BlockMatrix& a, Items rows, int, const Real* x, const Real* add, Real* y, const Wanted& wanted) {
    for_each(rows, [=](int i) {
      if (!wanted(i)) return;
      Real sum[Height];
      for (int r = 0; r < Height; ++r) sum[r] = add != nullptr ? add[Height * i + r] : Real(0);
      for (int k = a.first[i]; k < a.first[i + 1]; ++k) {
        add_block_product<Height, Width>(a.value + Height * Width * k, x + Width * a.column[k], sum);
      }
      for (int r = 0; r < Height; ++r) y[Height * i + r] = sum[r];
    });
  }

  template <class T>
  void read(T* to, const T* from, std::size_t count) {
    kind().read(to, from, count);
  }
  template <class T>
  void write(T* to, const T* from, std::size_t count) {
    kind().write(to, from, count);
  }

  // From now on, whose turn it is. Without threads.
  void tell(test::LoopWatch* watch) { watch_ = watch; }

  int played() const { return played_; }  // rounds, from a recording

 private:
  using Tape = std::vector<std::function<void()>>;

  static void refuse_while_recording() {
    if (tape_ != nullptr) throw std::logic_error("a graph that is being recorded must not wait or allocate");
  }
  HostDevice& kind() {
    refuse_while_recording();
    return kind_;
  }

  template <class Work>
  void launch(const Work& work) {
    if (tape_ != nullptr) {
      tape_->push_back(work);
    } else {
      work();
    }
  }
  template <class F>
  Tape taped(const F& f) {
    Tape tape;
    Tape* const around = tape_;
    tape_ = &tape;
    try {
      f();
    } catch (...) {
      tape_ = around;
      throw;
    }
    tape_ = around;
    return tape;
  }
  static void play(const Tape& tape) {
    for (const std::function<void()>& work : tape) work();
  }

  template <class Body, class F>
  void until_done(const Body& body, int n, const F& goes_on) {
    int times = 0;
    do {
      body();
      if (++times > most_times) throw std::runtime_error("a loop that does not end");
    } while (found(n, goes_on));
  }

  template <class F>
  bool found(int n, const F& f) {
    std::atomic<bool> any = false;
    for_each_place(n, [&](int i) {
      if (f(i)) any = true;
    });
    return any;
  }

  // Places 0 .. n - 1: shared by threads, each of which takes every third; from the last to the first, or from anywhere
  // by a stride that visits all.
  template <class F>
  void for_each_place(int n, const F& f) {
    if (n <= 0) return;
    if (crew_ != nullptr) {
      return crew_->run([&](int rank) {
        for (int i = rank; i < n; i += crew_->size()) f(i);
      });
    }
    std::int64_t stride = n - 1, place = n - 1;
    if (order_ == Order::shuffled) {
      const auto size = static_cast<std::size_t>(n);
      do stride = 1 + static_cast<std::int64_t>(random_.below(size));
      while (std::gcd(stride, static_cast<std::int64_t>(n)) != 1);
      place = static_cast<std::int64_t>(random_.below(size));
    }
    if (watch_ != nullptr) watch_->begin_loop();
    for (int k = 0; k < n; ++k, place = (place + stride) % n) {
      if (watch_ != nullptr) watch_->turn(static_cast<int>(place));
      f(static_cast<int>(place));
    }
    if (watch_ != nullptr) watch_->end_loop();
  }

  static constexpr int most_times = 200'000;  // more than any solver is given iterations

  Order order_;
  scenes::Random random_;
  HostDevice kind_{1};
  std::unique_ptr<test::LoopThreads> crew_;
  test::LoopWatch* watch_ = nullptr;
  bool loaded_ = false;
  int played_ = 0;
  // Of the device that records: buffers know none, and no two record at a time.
  static inline thread_local Tape* tape_ = nullptr;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC

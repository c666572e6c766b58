// SPDX-License-Identifier: Apache-2.0
// The batched strategy's loops on the threads of a CPU, its products of small blocks with Eigen.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/batch/batch_view.hpp"
#include "kernels/launch/cpu/island_newton.hpp"
#include "kernels/launch/cpu/thread_crew.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

class HostDevice {
 public:
  // Of a solve: a look costs as much as an iteration of a scene that is nearly done, and a scene that is done waits for
  // the next.
  static constexpr int iterations_a_look = 8;

  // Memory that grows; what it held is lost when it does.
  template <class T>
  class Buffer {
   public:
    T* capacity(int count) {
      const auto wanted = static_cast<std::size_t>(std::max(count, 1));
      if (data_.size() < wanted) data_ = std::vector<T>(std::max(wanted, data_.size() + data_.size() / 2));
      return data_.data();
    }

   private:
    std::vector<T> data_;
  };

  explicit HostDevice(int threads) : crew_(threads) {}

  // Has repeat() look at `stop` (null: at nothing). What is done after it was set is of no use.
  void heed(const std::atomic<bool>* stop) { stop_ = stop; }
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  template <class F>
  void for_each(int n, const F& f) {
    if (n < worth_sharing || crew_.size() == 1) {
      for (int i = 0; i < n; ++i) f(i);
      return;
    }
    const int pieces = std::min(pieces_a_thread * crew_.size(), n / (worth_sharing / 2));
    crew_.share(pieces, [&](int piece) {
      const auto place = [&](int k) { return static_cast<int>(static_cast<std::int64_t>(n) * k / pieces); };
      const int end = place(piece + 1);
      for (int i = place(piece); i < end; ++i) f(i);
    });
  }

  template <class F>
  void for_each(Items items, const F& f) {
    if (items.listed == nullptr) return for_each(items.count, f);
    for_each(items.count, [&](int i) { f(items.listed[i]); });
  }

  // Those of the items that are wanted, in a list of that number.
  template <class F>
  Items narrowed(std::size_t list, Items items, const F& wanted) {
    std::vector<int>& kept = lists_[list];
    if (items.listed == nullptr) {
      kept.clear();
      for (int i = 0; i < items.count; ++i) {
        if (wanted(i)) kept.push_back(i);
      }
    } else {
      std::erase_if(kept, [&](int i) { return !wanted(i); });
    }
    return {static_cast<int>(kept.size()), kept.data()};
  }

  template <class F>
  bool any(int n, const F& f) {
    for (int i = 0; i < n; ++i) {
      if (f(i)) return true;
    }
    return false;
  }

  template <class F>
  void record(const F& f, bool) {
    f();
  }

  template <class Body, class F>
  void repeat(const Body& body, int n, const F& goes_on) {
    do body();
    while (!stopped() && any(n, goes_on));
  }

  int scan(int* x, int n) {
    std::int64_t sum = 0;
    for (int i = 0; i < n; ++i) {
      const int count = x[i];
      x[i] = static_cast<int>(sum);
      sum = std::min(sum + count, most_items + 1);
    }
    check_items(sum);
    x[n] = static_cast<int>(sum);
    return x[n];
  }

  void sort(std::uint64_t* keys, int n) { std::sort(keys, keys + n); }

  // `segments` lists of `size` keys, each sorted with its values; equal keys by value.
  void sort_within(int segments, int size, std::uint64_t* keys, int* values) {
    sorted_.resize(static_cast<std::size_t>(size));
    for (int segment = 0; segment < segments; ++segment, keys += size, values += size) {
      for (int i = 0; i < size; ++i) sorted_[static_cast<std::size_t>(i)] = {keys[i], values[i]};
      std::sort(sorted_.begin(), sorted_.end());
      for (int i = 0; i < size; ++i) std::tie(keys[i], values[i]) = sorted_[static_cast<std::size_t>(i)];
    }
  }

  // Items of group g: order[first[g]] .. order[first[g + 1] - 1], increasing.
  void group(const int* group_of, int n, int groups, int* first, int* order) {
    std::fill(first, first + groups + 1, 0);
    for (int i = 0; i < n; ++i) ++first[group_of[i]];
    scan(first, groups);
    next_.assign(first, first + groups);
    for (int i = 0; i < n; ++i) order[next_[static_cast<std::size_t>(group_of[i])]++] = i;
  }

  // y = add + A x on the block rows that are wanted; add may be null.
  template <int Height, int Width, class Wanted>
  void multiply(const BlockMatrix& a, Items rows, int, const Real* x, const Real* add, Real* y, const Wanted& wanted) {
    using Vector = Eigen::Matrix<Real, Height, 1>;
    using Matrix = Eigen::Matrix<Real, Height, Width, Eigen::RowMajor>;
    for_each(rows, [&](int i) {
      if (!wanted(i)) return;
      Vector sum = Vector::Zero();
      if (add != nullptr) sum = Eigen::Map<const Vector>(add + Height * i);
      for (int k = a.first[i]; k < a.first[i + 1]; ++k) {
        // Column by column, as add_block_product does: an order that vector instructions do not change.
        const Eigen::Map<const Matrix> block(a.value + static_cast<std::ptrdiff_t>(Height * Width) * k);
        const Real* const with = x + Width * a.column[k];
        for (int c = 0; c < Width; ++c) sum += block.col(c) * with[c];
      }
      Eigen::Map<Vector>(y + Height * i) = sum;
    });
  }

  // Solves islands by Newton's method before AJ does.
  void solve_islands(const BatchView& b) { island_newton_.solve(crew_, stop_, b); }

  template <class T>
  void read(T* to, const T* from, std::size_t count) {
    std::copy_n(from, count, to);
  }
  template <class T>
  void write(T* to, const T* from, std::size_t count) {
    std::copy_n(from, count, to);
  }

 private:
  static constexpr std::size_t most_lists = 4;
  static constexpr int worth_sharing = 512;  // below it a loop is over before another thread has heard of it
  static constexpr int pieces_a_thread = 4;

  ThreadCrew crew_;
  IslandNewton island_newton_;
  const std::atomic<bool>* stop_ = nullptr;
  std::vector<std::pair<std::uint64_t, int>> sorted_;
  std::vector<int> next_;
  std::array<std::vector<int>, most_lists> lists_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC

// SPDX-License-Identifier: Apache-2.0
#include "map/sample_drawer.hpp"

#include <algorithm>
#include <utility>

#include "backend/cores.hpp"
#include "backend/memory.hpp"

namespace pegrasp {
namespace {

// A thread takes as long to start as some hundred samples to draw: fewer are not worth one.
constexpr std::size_t samples_worth_a_thread = 256;

}  // namespace

SampleDrawer::SampleDrawer(const Problem& problem, SuccessMap& map, int threads)
    : problem_(problem),
      map_(map),
      base_(scene_parameters(problem.scene)),
      threads_(static_cast<std::size_t>(threads > 0 ? threads : available_cores())) {}

SampleDrawer::~SampleDrawer() {
  given_up_.store(true);
  for (const std::future<void>& one : drawing_) one.wait();
}

void SampleDrawer::begin(const SampleRange& range) {
  wait();
  ahead_.range = range;
  make_room(ahead_, range.count, 0);
  start(ahead_, 0, true);
}

std::span<const double> SampleDrawer::take(const SampleRange& range) {
  wait();
  std::size_t there = 0;
  if (ahead_.range.first == range.first) {
    std::swap(taken_, ahead_);
    there = std::min(taken_.range.count, range.count);
  }
  ahead_.range = {};
  taken_.range = range;
  make_room(taken_, range.count, there);
  start(taken_, there, false);
  wait();
  return {taken_.parameters.get(), range.count * base_.size()};
}

void SampleDrawer::make_room(Drawn& drawn, std::size_t count, std::size_t kept) const {
  if (count <= drawn.room) return;
  if (kept == 0) drawn.parameters.reset();  // before there is as much again
  auto wider = std::make_unique_for_overwrite<double[]>(count * base_.size());
  want_huge_pages(wider.get(), count * base_.size() * sizeof(double));
  if (kept > 0) std::copy_n(drawn.parameters.get(), kept * base_.size(), wider.get());
  drawn.parameters = std::move(wider);
  drawn.room = count;
}

void SampleDrawer::start(const Drawn& drawn, std::size_t from, bool beside) {
  const std::size_t count = drawn.range.count - from;
  const std::size_t team = std::min(threads_, (count + samples_worth_a_thread - 1) / samples_worth_a_thread);
  for (std::size_t k = 0; k < team; ++k) {
    const std::size_t begin = from + count * k / team, end = from + count * (k + 1) / team;
    // Where the machine gives no more threads, wait() does it; so it does the first share where somebody waits.
    const auto when = beside || k > 0 ? std::launch::async | std::launch::deferred : std::launch::deferred;
    drawing_.push_back(std::async(when, [this, &drawn, begin, end] { draw_rows(drawn, begin, end); }));
  }
}

void SampleDrawer::draw_rows(const Drawn& drawn, std::size_t from, std::size_t to) const {
  const std::size_t columns = map_.sampled.size(), stride = base_.size();
  const auto samples = static_cast<std::size_t>(map_.samples);
  for (std::size_t i = from; i < to && !given_up_.load(std::memory_order_relaxed); ++i) {
    const std::size_t number = drawn.range.first + i;
    const std::size_t row = number - map_.held.first;
    map_.redrawn[row] =
        draw_sample(problem_, base_, static_cast<int>(number / samples), static_cast<int>(number % samples),
                    {drawn.parameters.get() + i * stride, stride}, {map_.values.data() + row * columns, columns});
  }
}

// Throws what the first of the samples has thrown, as one thread would.
void SampleDrawer::wait() {
  std::vector<std::future<void>> drawing = std::exchange(drawing_, {});
  for (std::future<void>& one : drawing) one.wait();
  for (std::future<void>& one : drawing) one.get();
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Draws a map's samples on several threads and, where asked to, before they are needed: a device simulates thousands in less time than it takes
// one thread to draw them. A sample depends on its number alone, so neither threads nor order show.
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <span>
#include <vector>

#include "pegrasp/map.hpp"

namespace pegrasp {

class SampleDrawer {
 public:
  // Problem and map outlive it. threads: at most; 0: all that the process may use.
  SampleDrawer(const Problem& problem, SuccessMap& map, int threads);
  SampleDrawer(const SampleDrawer&) = delete;
  SampleDrawer& operator=(const SampleDrawer&) = delete;
  // Gives up what was begun; what fails now is not told.
  ~SampleDrawer();

  // Begins to draw these samples of the map, once those begun before are done with. Nobody else may touch their rows of the map until take().
  void begin(const SampleRange& range);
  // Parameters of these samples, until the next take(); what the map keeps of them is in its rows. Draws what was not begun. Throws what
  // drawing has thrown.
  std::span<const double> take(const SampleRange& range);

 private:
  // Some samples' parameters: room that is not filled with zeros first, which would take as long as a part of the drawing.
  struct Drawn {
    SampleRange range;
    std::unique_ptr<double[]> parameters;
    std::size_t room = 0;  // samples
  };

  void make_room(Drawn& drawn, std::size_t count, std::size_t kept) const;
  // Begins samples range.first + from and all after it. beside: somebody else has work for this thread.
  void start(const Drawn& drawn, std::size_t from, bool beside);
  void draw_rows(const Drawn& drawn, std::size_t from, std::size_t to) const;
  void wait();

  const Problem& problem_;
  SuccessMap& map_;
  const std::vector<double> base_;
  const std::size_t threads_;
  std::atomic<bool> given_up_{false};
  Drawn taken_, ahead_;
  std::vector<std::future<void>> drawing_;  // in the samples' order
};

}  // namespace pegrasp

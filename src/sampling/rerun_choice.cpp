// SPDX-License-Identifier: Apache-2.0
// Which trials of a map the step check simulates again. A trial is known by counters alone, so any part of a map knows
// which of its own trials they are.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/sampling/philox.hpp"
#include "pegrasp/step_check.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t most_reruns = 0xffffffffu;  // so that no product below is too large for its type

}  // namespace

std::size_t rerun_count(double share, std::size_t trials) {
  if (!(share > 0.0)) return 0;
  const double wanted = std::ceil(std::min(share, 1.0) * static_cast<double>(trials));
  const std::size_t most = std::min(trials, most_reruns);
  const std::size_t of_share = wanted < static_cast<double>(most) ? static_cast<std::size_t>(wanted) : most;
  return std::min(std::max(of_share, fewest_reruns), most);
}

std::size_t rerun_trial(std::size_t k, std::size_t reruns, std::size_t trials, std::uint64_t seed) {
  const auto start = [&](std::size_t i) { return trials / reruns * i + trials % reruns * i / reruns; };
  const std::size_t first = start(k), length = start(k + 1) - first;
  DrawKey key;
  key.seed = seed;
  key.cell = static_cast<std::uint32_t>(k);
  key.stream = stream_of("pegrasp.step_check");
  return first + static_cast<std::size_t>(random_words(key).first % length);
}

}  // namespace pegrasp

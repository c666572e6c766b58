// SPDX-License-Identifier: Apache-2.0
// One draw from a distribution, a function of its key alone.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/sampling/philox.hpp"
#include "kernels/sampling/portable_math.hpp"
#include "pegrasp/kinds.hpp"

namespace pegrasp {

// As Distribution, without its owners. Of a mixture its components and their weights.
struct DistributionView {
  DistributionKind kind;
  double mean, sd, low, high;
  int value_count;   // of a choice
  int weight_count;  // those that are missing are 1
  const double* values;
  const double* weights;
  int first_component, component_count;  // a mixture's, in the list that it is from
  std::uint32_t group_stream;            // a mixture's: that picks its component; 0: its own
};

// Index drawn with the given weights; u in (0, 1].
PEGRASP_HD inline int pick(const double* weights, int weight_count, int count, double u) {
  double total = 0.0;
  for (int i = 0; i < count; ++i) total += i < weight_count ? weights[i] : 1.0;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    sum += i < weight_count ? weights[i] : 1.0;
    if (u * total <= sum) return i;
  }
  return count - 1;
}

// (low, high], also where low + u (high - low) rounds down to low.
PEGRASP_HD inline double uniform_at(double low, double high, double u) {
  const double value = low + u * (high - low);
  if (!(value > low)) return high > low ? portable::next_above(low) : low;
  return value < high ? value : high;
}

PEGRASP_HD inline double truncated_normal_at(const DistributionView& d, double u) {
  const double from = portable::normal_cdf((d.low - d.mean) / d.sd);
  const double to = portable::normal_cdf((d.high - d.mean) / d.sd);
  const double p = portable::clamp(from + u * (to - from), 0x1p-1000, 1.0 - 0x1p-53);
  return portable::clamp(d.mean + d.sd * portable::normal_quantile(p), d.low, d.high);
}

// Which component of a mixture the key draws, by its index in the mixture.
PEGRASP_HD inline int drawn_component(const DistributionView& mixture, DrawKey key) {
  // the second word picks the component, the first draws from it
  if (mixture.group_stream != 0) {
    key.stream = mixture.group_stream;
    key.redraw = 0;
  }
  return pick(mixture.weights, mixture.weight_count, mixture.component_count,
              unit_open_below(random_words(key).second));
}

// Of anything but a mixture.
PEGRASP_HD inline double draw_simple(const DistributionView& d, const DrawKey& key) {
  if (d.kind == DistributionKind::constant) return d.mean;
  const std::uint64_t word = random_words(key).first;
  switch (d.kind) {
    case DistributionKind::uniform:
      return uniform_at(d.low, d.high, unit_open_below(word));
    case DistributionKind::normal:
      return d.mean + d.sd * portable::normal_quantile(unit_open(word));
    case DistributionKind::truncated_normal:
      return truncated_normal_at(d, unit_open(word));
    case DistributionKind::log_normal:
      return portable::exp(d.mean + d.sd * portable::normal_quantile(unit_open(word)));
    case DistributionKind::choice:
      return d.values[pick(d.weights, d.weight_count, d.value_count, unit_open_below(word))];
    case DistributionKind::constant:
    case DistributionKind::mixture:  // draw_of() has chosen a component
      break;
  }
  return d.mean;
}

// Number `index` of a list; components of mixtures, which may be mixtures, are in it, too.
PEGRASP_HD inline double draw_of(const DistributionView* list, int index, const DrawKey& key) {
  while (list[index].kind == DistributionKind::mixture)
    index = list[index].first_component + drawn_component(list[index], key);
  return draw_simple(list[index], key);
}

}  // namespace pegrasp

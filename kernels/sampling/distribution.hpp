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
  int value_count;   // of a choice, of what was measured or given
  int weight_count;  // those that are missing are 1
  const double* values;
  const double* weights;
  int first_component, component_count;  // a mixture's, in the list that it is from
  std::uint32_t group_stream;            // that picks a mixture's component, 0: its own; or the row of a file
};

// Draws of a standard normal whose words are independent stay within this, and so do those of correlated ones.
constexpr double farthest_score = 8.2;

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
template <class Words>
PEGRASP_HD inline int drawn_component(const DistributionView& mixture, DrawKey key, const Words& words) {
  // the second word picks the component, the first draws from it
  if (mixture.group_stream != 0) {
    key.stream = mixture.group_stream;
    key.redraw = 0;
  }
  return pick(mixture.weights, mixture.weight_count, mixture.component_count, unit_open_below(words(key).second));
}

// The key whose word decides a draw from `d`, none of a mixture.
PEGRASP_HD inline DrawKey deciding_key(const DistributionView& d, DrawKey key) {
  if (d.kind == DistributionKind::measured) key.stream = d.group_stream;
  return key;
}

// Whether a random word decides a draw from it.
PEGRASP_HD inline bool takes_word(const DistributionView& d) {
  return d.kind != DistributionKind::constant && d.kind != DistributionKind::given;
}

// What no random word decides.
PEGRASP_HD inline double certain_value(const DistributionView& d, std::uint32_t sample) {
  if (d.kind != DistributionKind::given) return d.mean;
  const auto last = static_cast<std::uint32_t>(d.value_count - 1);
  return d.values[sample < last ? sample : last];
}

// The draw that a random word stands for.
PEGRASP_HD inline double draw_at(const DistributionView& d, std::uint64_t word) {
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
    case DistributionKind::measured:
      return d.values[static_cast<int>(unit_open(word) * d.value_count)];
    case DistributionKind::constant:
    case DistributionKind::given:
    case DistributionKind::mixture:  // draw_of() has chosen a component
      break;
  }
  return d.mean;
}

// The draw at Phi(score). A choice is taken in the order of its list.
PEGRASP_HD inline double draw_at_score(const DistributionView& d, double score) {
  if (d.kind == DistributionKind::normal) return d.mean + d.sd * score;
  if (d.kind == DistributionKind::log_normal) return portable::exp(d.mean + d.sd * score);
  const double u = portable::clamp(portable::normal_cdf(score), 0x1p-53, 1.0 - 0x1p-53);
  if (d.kind == DistributionKind::uniform) return uniform_at(d.low, d.high, u);
  if (d.kind == DistributionKind::truncated_normal) return truncated_normal_at(d, u);
  if (d.kind == DistributionKind::choice) return d.values[pick(d.weights, d.weight_count, d.value_count, u)];
  return d.mean;
}

// Of anything but a mixture.
template <class Words>
PEGRASP_HD inline double draw_simple(const DistributionView& d, const DrawKey& key, const Words& words) {
  if (!takes_word(d)) return certain_value(d, key.sample);
  return draw_at(d, words(deciding_key(d, key)).first);
}

// What is drawn of number `index` of a list: its index, or where that is a mixture that of a component.
template <class Words>
PEGRASP_HD inline int drawn_simple(const DistributionView* list, int index, const DrawKey& key, const Words& words) {
  while (list[index].kind == DistributionKind::mixture)
    index = list[index].first_component + drawn_component(list[index], key, words);
  return index;
}

// Number `index` of a list; components of mixtures, which may be mixtures, are in it, too.
template <class Words>
PEGRASP_HD inline double draw_of(const DistributionView* list, int index, const DrawKey& key, const Words& words) {
  return draw_simple(list[drawn_simple(list, index, key, words)], key, words);
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "sampling/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sampling/portable_math.hpp"

namespace pegrasp {
namespace {

// Index drawn with the given weights; u in (0, 1].
std::size_t pick(const std::vector<double>& weights, std::size_t count, double u) {
  double total = 0.0;
  for (std::size_t i = 0; i < count; ++i) total += i < weights.size() ? weights[i] : 1.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += i < weights.size() ? weights[i] : 1.0;
    if (u * total <= sum) return i;
  }
  return count - 1;
}

// (low, high], also where low + u (high - low) rounds down to low.
double draw_uniform(double low, double high, double u) {
  const double value = low + u * (high - low);
  if (!(value > low)) return std::nextafter(low, high);
  return value < high ? value : high;
}

double draw_truncated(const Distribution& d, double u) {
  const double from = portable::normal_cdf((d.low - d.mean) / d.sd);
  const double to = portable::normal_cdf((d.high - d.mean) / d.sd);
  const double p = std::clamp(from + u * (to - from), 0x1p-1000, 1.0 - 0x1p-53);
  return std::clamp(d.mean + d.sd * portable::normal_quantile(p), d.low, d.high);
}

}  // namespace

double draw(const Distribution& d, const DrawKey& key) {
  if (d.kind == DistributionKind::constant) return d.mean;
  const RandomWords words = random_words(key);
  switch (d.kind) {
    case DistributionKind::constant:
      break;
    case DistributionKind::uniform:
      return draw_uniform(d.low, d.high, unit_open_below(words.first));
    case DistributionKind::normal:
      return d.mean + d.sd * portable::normal_quantile(unit_open(words.first));
    case DistributionKind::truncated_normal:
      return draw_truncated(d, unit_open(words.first));
    case DistributionKind::log_normal:
      return portable::exp(d.mean + d.sd * portable::normal_quantile(unit_open(words.first)));
    case DistributionKind::choice:
      return d.values[pick(d.weights, d.values.size(), unit_open_below(words.first))];
    case DistributionKind::mixture:
      return draw(d.components[draw_group(d, key)], key);
  }
  return d.mean;
}

std::size_t draw_group(const Distribution& mixture, const DrawKey& key) {
  // the second word picks the component, the first draws from it
  DrawKey group_key = key;
  if (mixture.group_stream != 0) {
    group_key.stream = mixture.group_stream;
    group_key.redraw = 0;
  }
  return pick(mixture.weights, mixture.components.size(), unit_open_below(random_words(group_key).second));
}

DrawBounds draw_bounds(const Distribution& d) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double reach = 8.3;  // 52-bit draws of a standard normal lie within +-8.21
  switch (d.kind) {
    case DistributionKind::constant:
      return {d.mean, d.mean, false};
    case DistributionKind::uniform:
      return {d.low, d.high, true};
    case DistributionKind::normal:
      return {d.mean - reach * d.sd, d.mean + reach * d.sd, false};
    case DistributionKind::truncated_normal:
      return {d.low, d.high, false};
    case DistributionKind::log_normal:
      return {portable::exp(d.mean - reach * d.sd), portable::exp(d.mean + reach * d.sd), false};
    case DistributionKind::choice: {
      const auto [low, high] = std::minmax_element(d.values.begin(), d.values.end());
      return {*low, *high, false};
    }
    case DistributionKind::mixture: {
      DrawBounds all{infinite, -infinite, true};
      for (const Distribution& component : d.components) {
        const DrawBounds one = draw_bounds(component);
        if (one.low < all.low || (one.low == all.low && !one.low_open)) all.low_open = one.low_open;
        all.low = std::min(all.low, one.low);
        all.high = std::max(all.high, one.high);
      }
      return all;
    }
  }
  return {};
}

double normal_probability(double mean, double sd, double low, double high) {
  return portable::normal_cdf((high - mean) / sd) - portable::normal_cdf((low - mean) / sd);
}

double log_of_median(double median) { return portable::log(median); }

double central_value(const Distribution& d) {
  switch (d.kind) {
    case DistributionKind::uniform:
      return 0.5 * (d.low + d.high);
    case DistributionKind::truncated_normal:
      return std::clamp(d.mean, d.low, d.high);
    case DistributionKind::log_normal:
      return portable::exp(d.mean);
    case DistributionKind::choice:
      return d.values.front();
    case DistributionKind::mixture:
      return central_value(d.components.front());
    case DistributionKind::constant:
    case DistributionKind::normal:
      break;
  }
  return d.mean;
}

}  // namespace pegrasp

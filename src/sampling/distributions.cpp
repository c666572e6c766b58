// SPDX-License-Identifier: Apache-2.0
#include "src/sampling/distributions.hpp"

#include <algorithm>
#include <limits>

#include "kernels/sampling/portable_math.hpp"

namespace pegrasp {

DistributionView view_of(const Distribution& d) {
  DistributionView view{};
  view.kind = d.kind;
  view.mean = d.mean;
  view.sd = d.sd;
  view.low = d.low;
  view.high = d.high;
  view.value_count = static_cast<int>(d.values.size());
  view.weight_count = static_cast<int>(d.weights.size());
  view.values = d.values.data();
  view.weights = d.weights.data();
  view.component_count = static_cast<int>(d.components.size());
  view.group_stream = d.group_stream;
  return view;
}

double draw(const Distribution& d, const DrawKey& key) {
  const Distribution* at = &d;
  while (at->kind == DistributionKind::mixture) at = &at->components[draw_group(*at, key)];
  return draw_simple(view_of(*at), key, PhiloxWords{});
}

std::size_t draw_group(const Distribution& mixture, const DrawKey& key) {
  return static_cast<std::size_t>(drawn_component(view_of(mixture), key, PhiloxWords{}));
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
    case DistributionKind::choice:
    case DistributionKind::measured:
    case DistributionKind::given: {
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
    case DistributionKind::measured:
    case DistributionKind::given:
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

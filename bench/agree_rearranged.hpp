// SPDX-License-Identifier: Apache-2.0
// A backend that runs its scenes in another order, or a few at a time. Neither may change a bit. On a GPU the order is
// that of the queue from which teams take scenes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/simulation.hpp"

namespace pegrasp::bench {

struct Arrangement {
  int split = 0;         // scenes a call; 0: all at once
  bool shuffle = false;  // in an order drawn from a fixed seed
  bool as_given() const { return split == 0 && !shuffle; }
};

class Rearranged : public Backend {
 public:
  Rearranged(Backend& inner, const Arrangement& arrangement) : inner_(inner), arrangement_(arrangement) {}
  std::string name() const override { return inner_.name(); }
  std::string device() const override { return inner_.device(); }
  std::string shape() const override { return inner_.shape(); }

  bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) override {
    const std::size_t count = outcomes.size();
    const std::size_t row = parameters.size() / count, numbers = final_poses.size() / count;
    const std::vector<std::size_t> order = order_of(count);
    std::vector<double> ordered(parameters.size()), poses(final_poses.size());
    std::vector<SceneOutcome> results(count);
    for (std::size_t i = 0; i < count; ++i) copy(parameters, order[i], std::span(ordered), i, row);
    const std::size_t split = arrangement_.split > 0 ? static_cast<std::size_t>(arrangement_.split) : count;
    for (std::size_t first = 0; first < count; first += split) {
      const std::size_t some = std::min(split, count - first);
      if (!inner_.run(model, options, std::span(ordered).subspan(first * row, some * row),
                      std::span(results).subspan(first, some),
                      std::span(poses).subspan(first * numbers, some * numbers), stop)) {
        return false;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      outcomes[order[i]] = results[i];
      copy(std::span<const double>(poses), i, final_poses, order[i], numbers);
    }
    return true;
  }

 private:
  static void copy(std::span<const double> from, std::size_t at, std::span<double> to, std::size_t to_at,
                   std::size_t numbers) {
    std::copy_n(from.subspan(at * numbers).begin(), numbers, to.subspan(to_at * numbers).begin());
  }
  std::vector<std::size_t> order_of(std::size_t count) const {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(11);
    if (arrangement_.shuffle) {
      for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    }
    return order;
  }

  Backend& inner_;
  Arrangement arrangement_;
};

}  // namespace pegrasp::bench

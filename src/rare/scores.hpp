// SPDX-License-Identifier: Apache-2.0
// The trials of a cell as functions of independent standard normal numbers, the scores: each stands for a random word,
// whose share of all words is what the normal distribution has below the score. What is correlated, measured or drawn
// by groups is a function of them like all else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"

namespace pegrasp::rare {

class ScoreSpace {
 public:
  // Throws InputError for a problem whose trials are no such functions.
  explicit ScoreSpace(const Problem& problem);

  std::size_t dimensions() const { return places_.size(); }
  std::size_t parameters() const { return sampler_.parameters(); }
  std::size_t values() const { return sampler_.values(); }

  // The parameters and sampled numbers of the trial. False where the loads of a support are such that a map would draw
  // them again: there is no such trial. May be called by several threads.
  bool draw(int cell, std::span<const double> scores, std::span<double> parameters, std::span<double> values) const;

  // A random word of a stream of draws.
  struct Place {
    std::uint32_t stream;
    int word;  // 0: the first, 1: the second, which picks a group
    bool operator==(const Place&) const = default;
    bool operator<(const Place& other) const {
      return stream != other.stream ? stream < other.stream : word < other.word;
    }
  };

 private:
  Sampler sampler_;
  std::vector<Place> places_;  // in order
};

}  // namespace pegrasp::rare

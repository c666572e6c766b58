// SPDX-License-Identifier: Apache-2.0
// The trials of a cell as functions of independent standard normal numbers, the scores: each stands for a random word,
// whose share of all words is what the normal distribution has below the score. What is correlated, measured or drawn
// by groups is a function of them like all else, and so is the variant of a body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"

namespace pegrasp::rare {

// The problem of a cell at each combination of variants, the first body's vary fastest; without variants there is one.
std::vector<Problem> kinds_of_cell(const Problem& problem, int cell);

class ScoreSpace {
 public:
  // Of kinds_of_cell() and what chooses between them. Throws InputError for problems whose trials are no such
  // functions.
  explicit ScoreSpace(std::span<const Problem> kinds, std::span<const BodyVariants> variants = {});

  const std::vector<BodyVariants>& variants() const { return variants_; }
  std::size_t dimensions() const { return places_.size(); }
  // Which of the kinds a trial is.
  std::size_t kind_of(std::span<const double> scores) const;
  std::size_t parameters(std::size_t kind = 0) const { return samplers_[kind].parameters(); }
  std::size_t values() const { return samplers_.front().values(); }  // of all kinds

  // The parameters and sampled numbers of the trial, which is of this kind. False where the loads of a support are such
  // that a map would draw them again: there is no such trial. May be called by several threads.
  bool draw(std::size_t kind, int cell, std::span<const double> scores, std::span<double> parameters,
            std::span<double> values) const;

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
  std::vector<Sampler> samplers_;  // of the kinds
  std::vector<BodyVariants> variants_;
  std::vector<Place> places_;  // in order
};

}  // namespace pegrasp::rare

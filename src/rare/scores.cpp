// SPDX-License-Identifier: Apache-2.0
#include "src/rare/scores.hpp"

#include <algorithm>

#include "kernels/sampling/draw_sample.hpp"
#include "kernels/sampling/sample_plan.hpp"
#include "src/sampling/distributions.hpp"

namespace pegrasp::rare {
namespace {

using Place = ScoreSpace::Place;

// The word whose place among all words is that of the score among normal numbers.
std::uint64_t word_of_score(double score) {
  constexpr double words = 0x1p52;  // that draws tell apart
  const double at = portable::normal_cdf(score) * words;
  return static_cast<std::uint64_t>(portable::clamp(at, 0.0, words - 1.0)) << 12;
}

// Words that scores stand for, in place of random ones.
struct ScoredWords {
  std::span<const Place> places;
  std::span<const double> scores;
  std::uint32_t redraws = 1;

  RandomWords operator()(const DrawKey& key) const {
    RandomWords words;
    auto at = std::lower_bound(places.begin(), places.end(), Place{key.stream, 0});
    for (; at != places.end() && at->stream == key.stream; ++at) {
      const std::uint64_t word = word_of_score(scores[static_cast<std::size_t>(at - places.begin())]);
      (at->word == 0 ? words.first : words.second) = word;
    }
    return words;
  }
};

// Collects the words that draws of a plan take.
class PlaceList {
 public:
  explicit PlaceList(const SamplePlanView& plan) : plan_(plan) {
    for (int i = 0; i < plan.number_count; ++i) {
      const NumberView& number = plan.numbers[i];
      add_draw(number.distribution, number.stream);
      for (int k = 0; k < number.member_count; ++k) add(plan.numbers[number.members[k]].stream, 0);
    }
    if (plan.error.columns > 0) {
      const int streams = plan.error.offset_count > 0 ? 1 : pose_error_columns;
      for (int i = 0; i < streams; ++i) add(plan.error.stream + static_cast<std::uint32_t>(i), 0);
    }
    for (int i = 0; i < plan.tripod_count; ++i) {
      const TripodView& tripod = plan.tripods[i];
      add_draw(tripod.radius, tripod.stream);
      add_draw(tripod.turn, tripod.stream + 1);
      for (std::uint32_t k = 0; k < 3; ++k) add_draw(tripod.load[k], tripod.stream + 2 + k);
    }
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  }
  std::vector<Place> places() const { return places_; }

 private:
  void add(std::uint32_t stream, int word) { places_.push_back({stream, word}); }
  void add_draw(int index, std::uint32_t stream) {
    const DistributionView& d = plan_.distributions[index];
    if (d.kind == DistributionKind::mixture) {
      add(d.group_stream != 0 ? d.group_stream : stream, 1);
      for (int k = 0; k < d.component_count; ++k) add_draw(d.first_component + k, stream);
    } else if (takes_word(d)) {
      add(deciding_key(d, {0, 0, 0, stream, 0}).stream, 0);
    }
  }

  const SamplePlanView& plan_;
  std::vector<Place> places_;
};

void must_be_drawn(const Problem& problem) {
  if (problem.sampling == Sampling::sobol) {
    throw InputError("map.sampling = \"sobol\" is for the trials of a map; leave it out (--set map.sampling=random)");
  }
  if (problem.rows) {
    throw InputError(
        "map.samples_from: trials that a file gives are not drawn, so that rarer ones cannot be sought; "
        "leave it out");
  }
  for (const UncertainTripod& tripod : problem.tripods) {
    for (const Distribution& load : tripod.load) {
      if (load.kind == DistributionKind::mixture) {
        throw InputError("support of " + tripod.name +
                         ": loads that draw a group are not supported here; choose one group");
      }
    }
  }
}

}  // namespace

std::vector<Problem> kinds_of_cell(const Problem& problem, int cell) {
  if (!problem.variants) return {problem.of_trial(cell, 0)};
  std::vector<Problem> kinds;
  for (const auto& kind : problem.variants->problems) kinds.push_back(kind->of_trial(cell, 0));
  return kinds;
}

ScoreSpace::ScoreSpace(std::span<const Problem> kinds, std::span<const BodyVariants> variants)
    : variants_(variants.begin(), variants.end()) {
  for (const Problem& kind : kinds) {
    must_be_drawn(kind);
    samplers_.emplace_back(kind);
    const std::vector<Place> own = PlaceList(SamplePlan::of(samplers_.back())).places();
    places_.insert(places_.end(), own.begin(), own.end());
  }
  for (const BodyVariants& body : variants_) places_.push_back({body.stream, 0});
  std::sort(places_.begin(), places_.end());
  places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  if (places_.empty()) throw InputError("nothing of the problem is uncertain: all its trials are the same");
}

std::size_t ScoreSpace::kind_of(std::span<const double> scores) const {
  const ScoredWords words{places_, scores};
  std::size_t kind = 0, each = 1;
  for (const BodyVariants& body : variants_) {
    kind += each * static_cast<std::size_t>(draw_at(view_of(body.chosen), words({0, 0, 0, body.stream, 0}).first));
    each *= body.names.size();
  }
  return kind;
}

bool ScoreSpace::draw(std::size_t kind, int cell, std::span<const double> scores, std::span<double> parameters,
                      std::span<double> values) const {
  return draw_sample(SamplePlan::of(samplers_[kind]), static_cast<std::uint32_t>(cell), 0, ScoredWords{places_, scores},
                     parameters.data(), values.data()) >= 0;
}

}  // namespace pegrasp::rare

// SPDX-License-Identifier: Apache-2.0
#include "src/rare/subset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/sampling/philox.hpp"
#include "kernels/sampling/portable_math.hpp"

namespace pegrasp::rare {
namespace {

constexpr int tenth = 10;                    // a level holds a tenth of the one before
constexpr double most_at_a_threshold = 0.5;  // of a level's trials: with more the level does not lead anywhere
constexpr double wanted_acceptance = 0.44;   // Papaioannou et al., section 4.3
constexpr std::uint32_t stream_of_scores = stream_of("rare scores");
constexpr std::uint32_t stream_of_seeds = stream_of("rare seeds");
constexpr std::uint32_t most_attempts = 100000;  // at a possible trial

// A standard normal number, a function of its arguments. `turn` tells the draws of a run apart.
double normal_number(std::uint64_t seed, std::size_t run, std::uint32_t turn, std::size_t item, std::size_t dimension) {
  const DrawKey key{seed, static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(item),
                    stream_of_scores + static_cast<std::uint32_t>(dimension), turn};
  return portable::normal_quantile(unit_open(random_words(key).first));
}

// Trials with their scores.
struct Group {
  std::vector<double> scores;  // (trials, dimensions)
  std::vector<double> distance;
  std::vector<char> resolved;
  std::size_t size() const { return distance.size(); }
  void resize(std::size_t count, std::size_t dimensions) {
    scores.resize(count * dimensions);
    distance.resize(count);
    resolved.resize(count);
  }
};

void copy_trial(const Group& from, std::size_t i, Group& to, std::size_t k, std::size_t dimensions) {
  const double* const row = from.scores.data() + i * dimensions;
  std::copy(row, row + dimensions, to.scores.data() + k * dimensions);
  to.distance[k] = from.distance[i];
  to.resolved[k] = from.resolved[i];
}

// How a level is made from the one before: its trials have at most this distance, and the chains step so far, as a
// share of the spread of each score.
struct LevelPlan {
  double threshold;
  double scale;
  std::vector<double> spread;
};

// One run: its trials, and the chains that make the next level of them. Candidates of all runs are simulated together.
class Chains {
 public:
  // plan: of another run; null: the run makes one as it goes.
  Chains(const SubsetOptions& options, std::size_t run, std::size_t dimensions, const std::vector<LevelPlan>* plan)
      : seed_(options.seed),
        plan_(plan),
        run_(run),
        dimensions_(dimensions),
        samples_(static_cast<std::size_t>(options.samples)),
        smallest_(options.smallest) {
    trials_.resize(samples_, dimensions);
    missing_.resize(samples_);
    std::iota(missing_.begin(), missing_.end(), std::size_t{0});
    level_.trials = 0;
  }

  bool done() const { return done_; }
  const Run& result() const { return result_; }
  const Group& trials() const { return trials_; }
  const std::vector<LevelPlan>& plan() const { return own_plan_; }

  // Appends the scores of the trials that are wanted next; take() gets what became of them, in their order.
  void ask(std::vector<double>& scores) const {
    if (done_) return;
    if (!chaining_) {
      for (const std::size_t i : missing_) {
        for (std::size_t d = 0; d < dimensions_; ++d) scores.push_back(normal_number(seed_, run_, turn_, i, d));
      }
      return;
    }
    for (const std::size_t chain : moving_) {
      for (std::size_t d = 0; d < dimensions_; ++d) {
        const double width = std::min(scale_ * spread_[d], 1.0);
        const double old = now_.scores[chain * dimensions_ + d];
        scores.push_back(std::sqrt(1.0 - width * width) * old + width * normal_number(seed_, run_, turn_, chain, d));
      }
    }
  }
  std::size_t asked() const { return done_ ? 0 : chaining_ ? moving_.size() : missing_.size(); }

  void take(std::span<const double> scores, std::span<const Trial> trials) {
    if (done_) return;
    for (const Trial& trial : trials) {
      if (!trial.possible) continue;
      ++level_.trials;
      if (!trial.resolved) ++level_.unresolved;
    }
    ++turn_;
    if (chaining_) {
      take_steps(scores, trials);
    } else {
      take_first(scores, trials);
    }
  }

 private:
  static double distance_of(const Trial& trial) {
    const bool counts = trial.resolved && !std::isnan(trial.distance);
    return counts ? trial.distance : -std::numeric_limits<double>::infinity();
  }
  void put(Group& group, std::size_t k, std::span<const double> scores, std::size_t i, const Trial& trial) const {
    const double* const row = scores.data() + i * dimensions_;
    std::copy(row, row + dimensions_, group.scores.data() + k * dimensions_);
    group.distance[k] = distance_of(trial);
    group.resolved[k] = trial.resolved ? 1 : 0;
  }

  // Trials of the first level, drawn until they are possible.
  void take_first(std::span<const double> scores, std::span<const Trial> trials) {
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < missing_.size(); ++i) {
      if (trials[i].possible) {
        put(trials_, missing_[i], scores, i, trials[i]);
      } else {
        again.push_back(missing_[i]);
      }
    }
    missing_ = std::move(again);
    if (missing_.empty() || turn_ > most_attempts) end_level();
  }

  // One step of all chains that are not long enough.
  void take_steps(std::span<const double> scores, std::span<const Trial> trials) {
    std::size_t taken = 0;
    std::vector<std::size_t> moving;
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      const std::size_t chain = moving_[i];
      if (trials[i].possible && distance_of(trials[i]) <= threshold_) {
        put(now_, chain, scores, i, trials[i]);
        ++taken;
      }
      copy_trial(now_, chain, next_, first_[chain] + step_, dimensions_);
      if (first_[chain] + step_ + 1 < first_[chain + 1]) moving.push_back(chain);
    }
    steps_ += moving_.size();
    steps_taken_ += taken;
    if (plan_ == nullptr) {
      const double share = static_cast<double>(taken) / static_cast<double>(moving_.size());
      scale_ *= portable::exp((share - wanted_acceptance) / std::sqrt(static_cast<double>(step_)));
    }
    ++step_;
    moving_ = std::move(moving);
    if (!moving_.empty()) return;
    std::swap(trials_, next_);
    if (plan_ == nullptr) own_plan_.back().scale = scale_;
    level_.acceptance = static_cast<double>(steps_taken_) / static_cast<double>(steps_);
    end_level();
  }

  void end_run(End end) {
    result_.end = end;
    done_ = true;
  }

  // All trials of a level are there.
  void end_level() {
    if (plan_ == nullptr) {
      end_level_of_pilot();
    } else if (result_.levels.size() == plan_->size()) {
      end_with_events();
    } else {
      const LevelPlan& next = (*plan_)[result_.levels.size()];
      begin_level(next.threshold);
      if (done_) return;
      scale_ = next.scale;
      spread_ = next.spread;
    }
  }

  std::size_t count_below(double distance, bool or_equal) const {
    const auto inside = [&](double x) { return x < distance || (or_equal && x == distance); };
    return static_cast<std::size_t>(std::count_if(trials_.distance.begin(), trials_.distance.end(), inside));
  }

  // Of the last level, in which the event is not rare.
  void end_with_events() {
    std::size_t resolved = 0;
    for (std::size_t i = 0; i < samples_; ++i) resolved += trials_.distance[i] < 0.0 && trials_.resolved[i] != 0;
    const double each = probability_ / static_cast<double>(samples_);
    result_.probability = each * static_cast<double>(count_below(0.0, false));
    result_.resolved = each * static_cast<double>(resolved);
    finish_level(0.0, result_.probability);
    end_run(End::reached);
  }

  // The first run puts the next threshold where a tenth of the trials are.
  void end_level_of_pilot() {
    std::vector<double> sorted = trials_.distance;
    std::sort(sorted.begin(), sorted.end());
    result_.nearest = sorted.front();
    const std::size_t wanted = samples_ / tenth;
    if (sorted[wanted - 1] < 0.0) return end_with_events();
    begin_level(sorted[wanted - 1]);
    if (done_) return;
    measure_spread();
    own_plan_.push_back({threshold_, scale_, spread_});
  }

  // Begins the chains of the trials with at most this distance, where there are any and they are not too many.
  void begin_level(double threshold) {
    threshold_ = threshold;
    const std::size_t inside = count_below(threshold, true);
    const double share = static_cast<double>(inside) / static_cast<double>(samples_);
    probability_ *= share;
    finish_level(threshold, probability_);
    if (inside == 0) return end_run(End::reached);  // with a probability of 0
    if (plan_ == nullptr && share > most_at_a_threshold) {
      result_.stuck_share = share;
      result_.stuck_at = threshold;
      return end_run(End::atoms);
    }
    if (plan_ == nullptr && probability_ < smallest_) return end_run(End::not_reached);
    begin_chains(inside);
  }

  void finish_level(double threshold, double probability) {
    level_.threshold = threshold;
    level_.probability = probability;
    result_.levels.push_back(level_);
    level_ = {};
  }

  // As many chains at every level, of equal length, so that their number says nothing about where they begin: at every
  // so many-th of the trials that lie inside, counted from a random place (systematic resampling).
  void begin_chains(std::size_t inside) {
    std::vector<std::size_t> seeds;
    for (std::size_t i = 0; i < samples_; ++i) {
      if (trials_.distance[i] <= threshold_) seeds.push_back(i);
    }
    const std::size_t chains = samples_ / tenth;
    const DrawKey key{seed_, static_cast<std::uint32_t>(run_), 0, stream_of_seeds, turn_};
    const double from = unit_open(random_words(key).first);
    now_.resize(chains, dimensions_);
    next_.resize(samples_, dimensions_);
    first_.assign(1, 0);
    moving_.clear();
    for (std::size_t k = 0; k < chains; ++k) {
      const double at = (static_cast<double>(k) + from) * static_cast<double>(inside) / static_cast<double>(chains);
      copy_trial(trials_, seeds[std::min(static_cast<std::size_t>(at), inside - 1)], now_, k, dimensions_);
      copy_trial(now_, k, next_, first_[k], dimensions_);
      first_.push_back(samples_ * (k + 1) / chains);
      if (first_[k] + 1 < first_[k + 1]) moving_.push_back(k);
    }
    chaining_ = true;
    step_ = 1;
    steps_ = steps_taken_ = 0;
  }

  // Of the scores from which the chains begin.
  void measure_spread() {
    const std::size_t count = now_.size();
    spread_.assign(dimensions_, 0.0);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      double sum = 0.0, squares = 0.0;
      for (std::size_t k = 0; k < count; ++k) sum += now_.scores[k * dimensions_ + d];
      const double mean = sum / static_cast<double>(count);
      for (std::size_t k = 0; k < count; ++k) {
        const double apart = now_.scores[k * dimensions_ + d] - mean;
        squares += apart * apart;
      }
      spread_[d] = std::sqrt(squares / static_cast<double>(count - 1));
    }
  }

  std::uint64_t seed_;
  const std::vector<LevelPlan>* plan_;
  std::vector<LevelPlan> own_plan_;
  std::size_t run_, dimensions_, samples_;
  double smallest_;
  Run result_;
  bool done_ = false, chaining_ = false;
  double probability_ = 1.0, threshold_ = 0.0;
  Level level_;
  Group trials_, now_, next_;         // of the level; where chains are; of the next level
  std::vector<std::size_t> missing_;  // of the first level
  std::vector<std::size_t> first_;    // where in `next_` each chain begins
  std::vector<std::size_t> moving_;   // chains that are not long enough
  std::size_t step_ = 1, steps_ = 0, steps_taken_ = 0;
  double scale_ = 0.6;  // of the steps; Papaioannou et al. begin there
  std::vector<double> spread_;
  std::uint32_t turn_ = 0;
};

// Trials with the smallest distance of those that are resolved; what chains repeat counts once.
void keep_worst(const std::vector<Chains>& runs, std::size_t dimensions, std::size_t count,
                std::vector<Extreme>& worst) {
  if (count == 0) return;
  for (const Chains& run : runs) {
    const Group& trials = run.trials();
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (trials.resolved[i] == 0) continue;
      if (worst.size() == count && trials.distance[i] >= worst.back().distance) continue;
      const double* const row = trials.scores.data() + i * dimensions;
      const auto same = [&](const Extreme& one) { return std::equal(one.scores.begin(), one.scores.end(), row); };
      if (std::any_of(worst.begin(), worst.end(), same)) continue;
      const Extreme found{{row, row + dimensions}, trials.distance[i]};
      const auto nearer = [](const Extreme& a, const Extreme& b) { return a.distance < b.distance; };
      worst.insert(std::upper_bound(worst.begin(), worst.end(), found, nearer), found);
      if (worst.size() > count) worst.pop_back();
    }
  }
}

}  // namespace

namespace {

// Simulates runs to their end. False when stopped.
bool finish_runs(std::vector<Chains>& runs, std::size_t dimensions, const Simulate& simulate) {
  std::vector<double> scores;
  std::vector<Trial> trials;
  while (true) {
    scores.clear();
    for (const Chains& run : runs) run.ask(scores);
    if (scores.empty()) return true;
    trials.assign(scores.size() / dimensions, Trial{});
    if (!simulate(scores, trials)) return false;
    std::size_t at = 0;
    for (Chains& run : runs) {
      const std::size_t count = run.asked();
      run.take(std::span(scores).subspan(at * dimensions, count * dimensions), std::span(trials).subspan(at, count));
      at += count;
    }
  }
}

void count_trials(const Run& run, SubsetResult& result) {
  for (const Level& level : run.levels) {
    result.trials += level.trials;
    result.unresolved += level.unresolved;
  }
}

}  // namespace

SubsetResult run_subsets(const SubsetOptions& options, std::size_t dimensions, std::size_t worst,
                         const Simulate& simulate) {
  SubsetResult result;
  std::vector<Chains> pilot, runs;
  pilot.emplace_back(options, 0, dimensions, nullptr);
  result.stopped = !finish_runs(pilot, dimensions, simulate);
  if (result.stopped) return result;
  result.pilot = pilot.front().result();
  count_trials(result.pilot, result);
  if (result.pilot.end == End::reached) {
    const std::vector<LevelPlan>& plan = pilot.front().plan();
    for (int r = 1; r <= options.runs; ++r) runs.emplace_back(options, static_cast<std::size_t>(r), dimensions, &plan);
    result.stopped = !finish_runs(runs, dimensions, simulate);
    if (result.stopped) return result;
  }
  for (const Chains& run : runs) {
    result.runs.push_back(run.result());
    count_trials(run.result(), result);
  }
  keep_worst(pilot, dimensions, worst, result.worst);
  keep_worst(runs, dimensions, worst, result.worst);
  return result;
}

}  // namespace pegrasp::rare

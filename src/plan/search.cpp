// SPDX-License-Identifier: Apache-2.0
#include "src/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "kernels/sampling/philox.hpp"
#include "pegrasp/map.hpp"
#include "src/decide/numbers.hpp"
#include "src/optimise/nelder_mead.hpp"

namespace pegrasp::plan {
namespace {

// What a trial that is unresolved counts as: so many times what is allowed.
constexpr double lost = 20.0;
// Of the ranges of [[plan.push]]: the first steps of a refinement.
constexpr std::array<double, push_size> first_step{0.02, 0.08, 0.05};

// Columns of the log.
enum Column : std::size_t { end_x = 0, end_y, end_turn, miss, trials, successes, unresolved, column_count };

// Six digits, which a file shows in full.
double rounded(double value) { return std::strtod(decide::text_of("%.6g", value).c_str(), nullptr); }

double norm(const std::array<double, 3>& d) { return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]); }

// The pushes of a plan, and where the body is after each of them, without any draw.
struct Chain {
  std::vector<Push> pushes;
  std::vector<Pose> ends;
  bool broken = false;  // a push was not resolved
};

class Search {
 public:
  Search(const RowEvaluator& rows, RowLog& log, const PlanTask& task, const PlanOptions& options)
      : rows_(rows), log_(log), task_(task), options_(options), blank_(rows.start()) {
    const int refinements = 2 * options.refined * options.evaluations;
    expected_ = static_cast<std::size_t>(options.plans) + static_cast<std::size_t>(options.finalists) +
                static_cast<std::size_t>(refinements) + 1;
  }

  PlanResult run() {
    PlanResult result;
    result.task = task_;
    draw(result.plans);
    try_finalists(result.plans);
    rank(result);
    const std::size_t count = std::min(result.ranking.size(), static_cast<std::size_t>(options_.refined));
    const std::vector<std::size_t> chosen(result.ranking.begin(),
                                          result.ranking.begin() + static_cast<std::ptrdiff_t>(count));
    for (const std::size_t i : chosen) result.plans.push_back(refine(result.plans[i], static_cast<int>(i)));
    rank(result);
    confirm(result);
    result.resumed = log_.resumed();
    result.evaluations = done_;
    return result;
  }

 private:
  void tell(std::size_t more) {
    done_ += more;
    expected_ = std::max(expected_, done_);
    if (options_.progress) options_.progress(done_, expected_);
    if (options_.stop && options_.stop->load()) throw Interrupted("stopped");
  }

  RowOptions row_options(bool nominal) const {
    RowOptions out;
    out.nominal = nominal;
    out.threads = options_.threads;
    out.stop = options_.stop;
    return out;
  }

  // (rows, column_count)
  std::vector<double> evaluate(const std::vector<Row>& rows, const RowOptions& options, const std::string& note) {
    const auto judge = [this](const Row&, const RowResult& result, std::span<double> numbers) {
      if (!result.refused.empty()) throw InputError(result.refused);
      double sum = 0.0;
      for (std::size_t t = 0; t < result.trials(); ++t) {
        const bool resolved = result.outcomes[t].status == status_ok;
        const double far = resolved ? norm(deviation(task_, pose_of(result, t))) : lost;
        sum += std::min(far, lost) * std::min(far, lost);
      }
      const Pose end = pose_of(result, 0);
      numbers[end_x] = end.x;
      numbers[end_y] = end.y;
      numbers[end_turn] = end.theta;
      numbers[miss] = std::sqrt(sum / static_cast<double>(result.trials()));
      numbers[trials] = static_cast<double>(result.trials());
      numbers[successes] = result.successes;
      numbers[unresolved] = result.unresolved;
    };
    return log_.evaluate(rows, options, judge, note);
  }

  Pose pose_of(const RowResult& result, std::size_t trial) const {
    const auto q = result.pose(trial, static_cast<std::size_t>(task_.body));
    return {q[0], q[1], q[2]};
  }

  // Without any draw push after push can be simulated by itself, from where the one before left the body at rest.
  std::vector<Chain> chains(const std::vector<std::vector<double>>& plans) {
    std::vector<Chain> out(plans.size());
    std::size_t longest = 0;
    for (const std::vector<double>& plan : plans) longest = std::max(longest, plan.size() / push_size);
    for (std::size_t k = 0; k < longest; ++k) {
      std::vector<Row> rows;
      std::vector<std::size_t> which;
      for (std::size_t i = 0; i < plans.size(); ++i) {
        if (out[i].broken || plans[i].size() <= push_size * k) continue;
        const Pose from = k == 0 ? task_.start : out[i].ends.back();
        const Push push = place_push(task_, from, &plans[i][push_size * k]);
        out[i].pushes.push_back(push);
        Row row{blank_, motion_overrides(task_, motion_of(task_, push))};
        for (Override& one : pose_overrides(task_, from)) row.set.push_back(std::move(one));
        rows.push_back(std::move(row));
        which.push_back(i);
      }
      const std::vector<double> numbers = evaluate(rows, row_options(true), "push");
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double* const of = &numbers[column_count * r];
        Chain& chain = out[which[r]];
        chain.ends.push_back({of[end_x], of[end_y], of[end_turn]});
        chain.broken = of[unresolved] > 0.0;
      }
    }
    return out;
  }

  Row row_of(const std::vector<Push>& pushes) const {
    return {blank_, motion_overrides(task_, motion_of(task_, pushes))};
  }

  double far(const Pose& end) const { return norm(deviation(task_, end)); }

  // Draws plans. Of each the pushes count after which the body is nearest to the goal.
  void draw(std::vector<PlanRecord>& plans) {
    std::vector<std::vector<double>> numbers;
    for (int i = 0; i < options_.plans; ++i) {
      numbers.emplace_back();
      for (std::size_t k = 0; k < push_size * task_.pushes.size(); ++k) {
        const PushRange& range = task_.pushes[k / push_size];
        const double low = range.low[k % push_size], high = range.high[k % push_size];
        const DrawKey key{rows_.problem().seed, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k),
                          stream_of("plan push"), 0};
        numbers.back().push_back(
            std::clamp(rounded(low + (high - low) * unit_open(random_words(key).first)), low, high));
      }
    }
    constexpr std::size_t together = 256;
    for (std::size_t first = 0; first < numbers.size(); first += together) {
      const std::size_t last = std::min(numbers.size(), first + together);
      const std::vector<std::vector<double>> part(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                                                  numbers.begin() + static_cast<std::ptrdiff_t>(last));
      const std::vector<Chain> found = chains(part);
      for (std::size_t i = 0; i < part.size(); ++i) plans.push_back(shortened(part[i], found[i]));
      tell(part.size());
    }
  }

  PlanRecord shortened(const std::vector<double>& numbers, const Chain& chain) const {
    PlanRecord out;
    out.nominal = std::numeric_limits<double>::infinity();
    std::size_t best = 1;
    for (std::size_t k = 0; k < chain.ends.size() - (chain.broken ? 1 : 0); ++k) {
      if (!(far(chain.ends[k]) < out.nominal)) continue;
      out.nominal = far(chain.ends[k]);
      best = k + 1;
    }
    out.numbers.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(push_size * best));
    return out;
  }

  static void fill(PlanRecord& plan, const double* numbers) {
    plan.miss = numbers[miss];
    plan.trials = static_cast<int>(numbers[trials]);
    plan.successes = static_cast<int>(numbers[successes]);
    plan.unresolved = static_cast<int>(numbers[unresolved]);
    plan.interval.low = wilson_interval(plan.successes, plan.trials).low;
    plan.interval.high = wilson_interval(plan.successes + plan.unresolved, plan.trials).high;
  }

  void try_finalists(std::vector<PlanRecord>& plans) {
    std::vector<std::size_t> order(plans.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&plans](std::size_t a, std::size_t b) { return plans[a].nominal < plans[b].nominal; });
    std::erase_if(order, [&plans](std::size_t i) { return !std::isfinite(plans[i].nominal); });
    if (order.empty())
      throw InputError(rows_.origin() +
                       ": plan.push: the first push of every drawn plan is unresolved; make simulation.h_ms smaller");
    order.resize(std::min(order.size(), static_cast<std::size_t>(options_.finalists)));
    std::vector<std::vector<double>> numbers;
    for (const std::size_t i : order) numbers.push_back(plans[i].numbers);
    const std::vector<Chain> found = chains(numbers);
    std::vector<Row> rows;
    for (const Chain& chain : found) rows.push_back(row_of(chain.pushes));
    constexpr std::size_t together = 10;
    for (std::size_t first = 0; first < rows.size(); first += together) {
      const std::size_t last = std::min(rows.size(), first + together);
      const std::vector<Row> part(rows.begin() + static_cast<std::ptrdiff_t>(first),
                                  rows.begin() + static_cast<std::ptrdiff_t>(last));
      const std::vector<double> of = evaluate(part, row_options(false), "plan");
      for (std::size_t r = 0; r < part.size(); ++r) {
        PlanRecord& plan = plans[order[first + r]];
        fill(plan, &of[column_count * r]);
        plan.stage = Stage::tried;
      }
      tell(part.size());
    }
  }

  // By the lower bound; of equal ones the one that misses by less.
  static void rank(PlanResult& result) {
    result.ranking.clear();
    for (std::size_t i = 0; i < result.plans.size(); ++i)
      if (result.plans[i].trials > 0) result.ranking.push_back(i);
    std::stable_sort(result.ranking.begin(), result.ranking.end(), [&result](std::size_t a, std::size_t b) {
      const PlanRecord &x = result.plans[a], &y = result.plans[b];
      return x.interval.low != y.interval.low ? x.interval.low > y.interval.low : x.miss < y.miss;
    });
  }

  optimise::SimplexOptions simplex(const std::vector<double>& start, double share) const {
    optimise::SimplexOptions out;
    for (std::size_t k = 0; k < start.size(); ++k) {
      const PushRange& range = task_.pushes[k / push_size];
      const double low = range.low[k % push_size], high = range.high[k % push_size];
      const bool all_round = k % push_size == 0 && high - low >= 1.0;
      out.start.push_back(start[k]);
      out.scale.push_back(share * first_step[k % push_size] * (high > low ? high - low : 1.0));
      out.low.push_back(all_round ? -std::numeric_limits<double>::infinity() : low);
      out.high.push_back(all_round ? std::numeric_limits<double>::infinity() : high);
    }
    out.evaluations = options_.evaluations;
    return out;
  }

  // First towards the goal without any draw, then to come near with all samples.
  PlanRecord refine(const PlanRecord& from, int number) {
    const auto nominal = [this](std::span<const std::vector<double>> points, const std::string&) {
      std::vector<double> values;
      for (const Chain& chain : chains({points.begin(), points.end()}))
        values.push_back(chain.broken ? lost : far(chain.ends.back()));
      tell(values.size());
      return values;
    };
    const auto sampled = [this](std::span<const std::vector<double>> points, const std::string&) {
      // Where a broken chain's body is nobody knows, so that the pushes after it cannot be placed.
      std::vector<double> values(points.size(), lost);
      std::vector<Row> rows;
      std::vector<std::size_t> which;
      const std::vector<Chain> found = chains({points.begin(), points.end()});
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].broken) continue;
        rows.push_back(row_of(found[i].pushes));
        which.push_back(i);
      }
      const std::vector<double> numbers = evaluate(rows, row_options(false), "plan");
      for (std::size_t r = 0; r < rows.size(); ++r) values[which[r]] = numbers[column_count * r + miss];
      tell(values.size());
      return values;
    };
    PlanRecord out;
    out.stage = Stage::refined;
    out.from = number;
    const std::vector<double> near = optimise::nelder_mead(simplex(from.numbers, 1.0), nominal).best;
    const bool nearer = sampled(std::span(&near, 1), "")[0] < from.miss;
    out.numbers = optimise::nelder_mead(simplex(nearer ? near : from.numbers, 0.5), sampled).best;
    const Chain chain = chains({out.numbers})[0];
    out.nominal = std::numeric_limits<double>::infinity();
    if (chain.broken) return out;  // no trials: it is not ranked
    out.nominal = far(chain.ends.back());
    fill(out, evaluate({row_of(chain.pushes)}, row_options(false), "plan").data());
    return out;
  }

  // The best plan with draws that had no part in its choice: the samples after those of the problem.
  void confirm(PlanResult& result) {
    const PlanRecord& best = result.plans[result.ranking.front()];
    const Chain chain = chains({best.numbers})[0];
    result.pushes = chain.pushes;
    result.end = chain.ends.back();
    result.motion = motion_of(task_, chain.pushes);
    result.best = row_of(chain.pushes);
    if (options_.fresh == 0) return;
    result.fresh = best;
    RowOptions options = row_options(false);
    options.first_sample = rows_.problem().samples;
    options.samples = options_.fresh;
    fill(result.fresh, evaluate({result.best}, options, "fresh").data());
    tell(1);
  }

  const RowEvaluator& rows_;
  RowLog& log_;
  const PlanTask& task_;
  const PlanOptions& options_;
  std::vector<double> blank_;
  std::size_t done_ = 0, expected_ = 0;
};

}  // namespace

RowLogOptions log_options(const PlanOptions& options) {
  const std::string what = "plan " + std::to_string(options.plans) + " " + std::to_string(options.finalists) + " " +
                           std::to_string(options.refined) + " " + std::to_string(options.evaluations) + " " +
                           std::to_string(options.fresh);
  return {
      options.folder, options.resume, what, {"x_m", "y_m", "turn_rad", "miss", "trials", "successes", "unresolved"}};
}

PlanResult search_plans(const RowEvaluator& rows, RowLog& log, const PlanTask& task, const PlanOptions& options) {
  return Search(rows, log, task, options).run();
}

}  // namespace pegrasp::plan

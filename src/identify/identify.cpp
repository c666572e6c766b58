// SPDX-License-Identifier: Apache-2.0
#include "src/identify/identify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "pegrasp/map.hpp"
#include "pegrasp/row_log.hpp"
#include "pegrasp/simulation.hpp"
#include "src/identify/least_squares.hpp"
#include "src/identify/particles.hpp"
#include "src/identify/states.hpp"
#include "src/rows/trial_batch.hpp"

namespace pegrasp::identify {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// Parameters, or parameters and a state, that make trials follow some records of the track.
struct Fit {
  std::size_t first = 0;  // of its records
  std::unique_ptr<LeastSquares> search;
};

class Fitter {
 public:
  Fitter(const RowEvaluator& rows, std::size_t fitted, const Track& track, Backend& backend,
         const IdentifyOptions& options)
      : rows_(rows), fitted_(fitted), track_(track), options_(options) {
    const bool windows = options.method == Method::window;
    records_ = windows ? options.window : track.records;
    if (windows) states_ = std::make_unique<States>(rows, track, "window");
    std::vector<std::string> columns;
    for (std::size_t r = 0; r < records_; ++r)
      for (const std::size_t b : track.bodies)
        for (const char* name : {"x", "y", "theta"})
          columns.push_back(rows.problem().scene.bodies[b].name + "_" + name + "_" + std::to_string(r));
    if (windows) {
      for (std::size_t first = 0; first + records_ <= track.records; ++first) add(first);
    } else {
      add(0);
    }
    log_ = std::make_unique<RowLog>(
        rows, backend,
        RowLogOptions{options.folder, options.resume, windows ? "identify window" : "identify batch", columns});
  }

  IdentifyResult run() {
    for (;;) {
      std::vector<Row> asked;
      for (const Fit& fit : fits_)
        for (const LeastSquares::Point& point : fit.search->asked()) asked.push_back(row_of(point));
      if (asked.empty()) break;
      if (options_.stop && options_.stop->load()) throw Interrupted("stopped");
      hand_out(simulated(asked));
      if (options_.progress)
        options_.progress(static_cast<std::size_t>(std::count_if(fits_.begin(), fits_.end(),
                                                                 [](const Fit& fit) { return fit.search->done(); })),
                          fits_.size());
    }
    return result();
  }

 private:
  void add(std::size_t first) {
    LeastSquaresOptions search;
    const std::size_t all = rows_.parameters().size();
    for (std::size_t k = 0; k < fitted_; ++k) {
      const DesignParameter& one = rows_.parameters()[all - fitted_ + k];
      const bool bounded = std::isfinite(one.low) && std::isfinite(one.high);
      search.start.push_back(one.start);
      search.low.push_back(one.low);
      search.high.push_back(one.high);
      search.step.push_back(1e-4 * (bounded && one.high > one.low ? one.high - one.low
                                    : one.start != 0.0            ? std::fabs(one.start)
                                                                  : 1.0));
    }
    if (states_) {
      add_state(first, search);
    } else {
      search.golden = fitted_;
    }
    fits_.push_back({first, std::make_unique<LeastSquares>(std::move(search))});
  }

  // Begins with the first pose that is seen, and the mean velocity over the first records.
  void add_state(std::size_t first, LeastSquaresOptions& search) const {
    const std::size_t after = std::min<std::size_t>(records_ - 1, 4);
    std::vector<double> state(states_->size()), later(states_->size());
    seen(first, state);
    seen(first + after, later);
    for (std::size_t i = 0; i < state.size(); i += 6)
      for (std::size_t c = 0; c < 3; ++c)
        state[i + 3 + c] = (later[i + c] - state[i + c]) / (static_cast<double>(after) * track_.interval);
    for (const std::size_t k : states_->free()) {
      search.start.push_back(state[k]);
      search.low.push_back(-std::numeric_limits<double>::infinity());
      search.high.push_back(std::numeric_limits<double>::infinity());
      search.step.push_back(k % 6 < 3 ? 1e-5 : 1e-4);  // [m, rad, and a second]
    }
  }

  // Fills in the poses of a record; what is not seen stays 0.
  void seen(std::size_t record, std::vector<double>& state) const {
    std::size_t found = 0;
    for (const Observation& one : track_.observations) {
      if (one.record != record) continue;
      const std::size_t at = 6 * place_of(one.body);
      state[at] = one.x;
      state[at + 1] = one.y;
      if (one.turn_seen) state[at + 2] = one.turn;
      ++found;
    }
    if (found < track_.bodies.size())
      throw InputError("--data: no row of some body at " +
                       std::to_string(track_.interval * static_cast<double>(record)) +
                       " s; windows need every body at every time: use --method batch");
  }

  std::size_t place_of(std::size_t body) const {
    return static_cast<std::size_t>(std::find(track_.bodies.begin(), track_.bodies.end(), body) -
                                    track_.bodies.begin());
  }

  Row row_of(const LeastSquares::Point& point) const {
    Row row{rows_.start()};
    for (std::size_t k = 0; k < fitted_; ++k) row.values[row.values.size() - fitted_ + k] = point[k];
    if (states_) {
      std::vector<double> state = states_->start();
      for (std::size_t k = 0; k < states_->free().size(); ++k) state[states_->free()[k]] = point[fitted_ + k];
      states_->set(row, state);
    }
    set_duration(row, track_.interval * static_cast<double>(records_ - 1));
    return row;
  }

  // Poses of the track's bodies at its records, a row each; the first is NaN where there are none.
  std::vector<double> simulated(const std::vector<Row>& asked) {
    RowOptions trials;
    trials.nominal = true;
    trials.record_every = track_.interval;
    trials.threads = options_.threads;
    trials.stop = options_.stop;
    const JudgeRow judge = [&](const Row&, const RowResult& result, std::span<double> numbers) {
      if (!result.refused.empty() && refused_.empty()) refused_ = result.refused;
      if (!result.refused.empty() || result.outcomes[0].status != status_ok) {
        std::fill(numbers.begin(), numbers.end(), nothing);
        return;
      }
      std::size_t at = 0;
      for (std::size_t r = 0; r < records_; ++r)
        for (const std::size_t b : track_.bodies)
          for (const double one : result.recorded_pose(0, std::min(r, result.records - 1), b)) numbers[at++] = one;
    };
    trials_ += asked.size();
    return log_->evaluate(asked, trials, judge);
  }

  std::vector<double> residuals(const Fit& fit, std::span<const double> poses) const {
    if (std::isnan(poses[0])) return {};
    std::vector<double> out;
    for (const Observation& one : track_.observations) {
      if (one.record < fit.first || one.record >= fit.first + records_) continue;
      const std::size_t at = 3 * ((one.record - fit.first) * track_.bodies.size() + place_of(one.body));
      out.push_back((one.x - poses[at]) / options_.noise);
      out.push_back((one.y - poses[at + 1]) / options_.noise);
      if (one.turn_seen) out.push_back((one.turn - poses[at + 2]) / options_.turn_noise);
    }
    return out;
  }

  void hand_out(const std::vector<double>& poses) {
    const std::size_t width = 3 * records_ * track_.bodies.size();
    std::size_t at = 0;
    for (Fit& fit : fits_) {
      if (fit.search->done()) continue;
      std::vector<std::vector<double>> given;
      for (std::size_t i = 0; i < fit.search->asked().size(); ++i, at += width)
        given.push_back(residuals(fit, std::span(poses).subspan(at, width)));
      if (fit.search->take(given)) continue;
      throw Unfit(refused_.empty() ? rows_.origin() +
                                         ": the trial at the start of --fit is unresolved; give another "
                                         "start, or a smaller step"
                                   : refused_ + " (at the start of --fit)");
    }
  }

  IdentifyResult result() {
    IdentifyResult out;
    std::vector<Row> best;
    for (const Fit& fit : fits_) best.push_back(row_of(fit.search->best()));
    const std::vector<double> poses = simulated(best);
    const std::size_t bodies = 3 * track_.bodies.size(), width = records_ * bodies;
    for (std::size_t f = 0; f < fits_.size(); ++f) {
      const LeastSquares& search = *fits_[f].search;
      out.iterations = std::max(out.iterations, search.iterations());
      for (std::size_t r = states_ ? records_ - 1 : 0; r < records_; ++r) {
        Estimate one;
        one.record = fits_[f].first + r;
        const auto from = poses.begin() + static_cast<std::ptrdiff_t>(f * width + r * bodies);
        one.poses.assign(from, from + static_cast<std::ptrdiff_t>(bodies));
        one.values.assign(search.best().begin(), search.best().begin() + static_cast<std::ptrdiff_t>(fitted_));
        one.sd.assign(search.sd().begin(), search.sd().begin() + static_cast<std::ptrdiff_t>(fitted_));
        out.estimates.push_back(std::move(one));
      }
    }
    if (!states_) {
      out.objective = fits_[0].search->value();
      for (const Observation& one : track_.observations) {
        const std::size_t at = one.record * bodies + 3 * place_of(one.body);
        out.sum_of_squares +=
            (one.x - poses[at]) * (one.x - poses[at]) + (one.y - poses[at + 1]) * (one.y - poses[at + 1]);
      }
    }
    out.trials = trials_;
    out.resumed = log_->resumed();
    return out;
  }

  const RowEvaluator& rows_;
  std::size_t fitted_;
  const Track& track_;
  const IdentifyOptions& options_;
  std::size_t records_ = 0, trials_ = 0;
  std::unique_ptr<States> states_;
  std::unique_ptr<RowLog> log_;
  std::vector<Fit> fits_;
  std::string refused_;
};

// The numbers that the trial without draws of a problem takes, and what it is simulated with.
PreparedRow trial_of(const RowEvaluator& rows, const Row& row) {
  RowOptions nominal;
  nominal.nominal = true;
  return prepare_row(rows.problem_at(row), nominal);
}

// Refuses keys by which motion does not change, or not as that of a model with other parameters: steps, draws, shapes.
void refuse_other_keys(const RowEvaluator& rows, std::size_t fitted) {
  const std::size_t all = rows.parameters().size();
  const PreparedRow here = trial_of(rows, {rows.start()});
  for (std::size_t k = all - fitted; k < all; ++k) {
    const DesignParameter& one = rows.parameters()[k];
    Row moved{rows.start()};
    const double step = 1e-4 * std::max(1e-3, std::fabs(one.start));
    moved.values[k] += one.start + step > one.high ? -step : step;
    PreparedRow there;
    try {
      there = trial_of(rows, moved);
    } catch (const InputError&) {
      continue;  // trials say more
    } catch (const std::invalid_argument&) {
      continue;
    }
    bool same = here.groups.size() == there.groups.size();
    for (std::size_t g = 0; same && g < here.groups.size(); ++g)
      same = here.groups[g].step == there.groups[g].step && same_model(*here.groups[g].model, *there.groups[g].model);
    if (same && here.drawn != there.drawn) continue;
    throw InputError(rows.origin() + ": --fit " + one.name +
                     ": is no parameter of the model; name a number of a body, but of its parts, of its support, of "
                     "friction or of an actuator");
  }
}

// Means over time and their spread, of estimates that change with it.
void summarise(IdentifyResult& result, std::size_t fitted) {
  const auto count = static_cast<double>(result.estimates.size());
  result.values.assign(fitted, 0.0);
  result.sd.assign(fitted, 0.0);
  result.sd_over_time.assign(fitted, 0.0);
  for (std::size_t k = 0; k < fitted; ++k) {
    for (const Estimate& one : result.estimates) {
      result.values[k] += one.values[k] / count;
      result.sd[k] += one.sd[k] / count;
    }
    for (const Estimate& one : result.estimates)
      result.sd_over_time[k] += (one.values[k] - result.values[k]) * (one.values[k] - result.values[k]) / count;
    result.sd_over_time[k] = std::sqrt(result.sd_over_time[k]);
  }
}

}  // namespace

IdentifyResult identify(const RowEvaluator& rows, std::size_t fitted, const Track& track, Backend& backend,
                        const IdentifyOptions& options) {
  if (rows.problem().scene.spatial)
    throw InputError(rows.origin() +
                     ": dim: problems in 3D cannot be identified yet by a track of x, y and theta; "
                     "describe the motion in the plane");
  if (options.method == Method::window && (options.window < 3 || options.window > track.records))
    throw InputError("--method window:" + std::to_string(options.window) + ": a window has 3 times or more, and the " +
                     std::to_string(track.records) + " of this track at most");
  refuse_other_keys(rows, fitted);
  IdentifyResult out = options.method == Method::particles ? filter(rows, fitted, track, backend, options)
                                                           : Fitter(rows, fitted, track, backend, options).run();
  if (options.method == Method::batch) {
    out.values = out.estimates.front().values;
    out.sd = out.estimates.front().sd;
  } else {
    summarise(out, fitted);
  }
  out.numbers = track.numbers();
  out.device = backend.device();
  return out;
}

}  // namespace pegrasp::identify

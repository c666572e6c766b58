// SPDX-License-Identifier: Apache-2.0
#include "src/identify/particles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "kernels/sampling/philox.hpp"
#include "kernels/sampling/portable_math.hpp"
#include "pegrasp/map.hpp"
#include "pegrasp/row_log.hpp"
#include "src/decide/numbers.hpp"
#include "src/identify/states.hpp"

namespace pegrasp::identify {
namespace {

// Particles live on by what was seen, and by the options.
std::string what_decides(const Track& track, const IdentifyOptions& options) {
  std::string out = "identify particles " + std::to_string(options.seed);
  const auto add = [&out](double number) { out += " " + decide::shortest_text(number); };
  for (const double one : {options.walk, options.noise, options.turn_noise, track.interval}) add(one);
  for (const Observation& one : track.observations) {
    out += "\n" + std::to_string(one.record) + " " + std::to_string(one.body);
    for (const double number : {one.x, one.y}) add(number);
    if (one.turn_seen) add(one.turn);
  }
  return out;
}

class Filter {
 public:
  Filter(const RowEvaluator& rows, std::size_t fitted, const Track& track, Backend& backend,
         const IdentifyOptions& options)
      : rows_(rows),
        fitted_(fitted),
        track_(track),
        backend_(backend),
        options_(options),
        states_(rows, track, "particles"),
        width_(fitted + states_.size()) {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < options.particles * width_; ++i) columns.push_back(std::to_string(i));
    log_ = std::make_unique<RowLog>(
        rows, backend, RowLogOptions{options.folder, options.resume, what_decides(track, options), columns});
  }

  IdentifyResult run() {
    begin();
    IdentifyResult out;
    for (std::size_t record = 0; record < track_.records; ++record) {
      if (options_.stop && options_.stop->load()) throw Interrupted("stopped");
      if (record > 0) advance(record);
      const std::vector<double> weights = weighed(record);
      out.estimates.push_back(estimate(record, weights));
      resample(record, weights);
      if (options_.progress) options_.progress(record + 1, track_.records);
    }
    out.trials = options_.particles * (track_.records - 1);
    out.resumed = log_->resumed();
    return out;
  }

 private:
  const DesignParameter& parameter(std::size_t k) const {
    return rows_.parameters()[rows_.parameters().size() - fitted_ + k];
  }

  std::uint64_t word(std::size_t record, std::size_t particle, std::size_t stream) const {
    return random_words({options_.seed, static_cast<std::uint32_t>(record), static_cast<std::uint32_t>(particle),
                         static_cast<std::uint32_t>(stream), 0})
        .first;
  }

  // All at the problem's state; parameters anywhere within their bounds, or at their start where they have none.
  void begin() {
    const std::vector<double> state = states_.start();
    for (std::size_t i = 0; i < options_.particles; ++i) {
      for (std::size_t k = 0; k < fitted_; ++k) {
        const DesignParameter& one = parameter(k);
        const bool bounded = std::isfinite(one.low) && std::isfinite(one.high);
        cloud_.push_back(bounded ? one.low + unit_open(word(0, i, k)) * (one.high - one.low) : one.start);
      }
      cloud_.insert(cloud_.end(), state.begin(), state.end());
    }
  }

  void advance(std::size_t record) {
    // The numbers of this step follow from what_decides() and all steps before: its row tells the steps apart.
    Row mark{rows_.start()};
    mark.set.push_back({"identify.record", std::to_string(record) + ": " + std::to_string(options_.seed)});
    cloud_ = log_->keep(mark, [&] { return moved(record); });
  }

  std::vector<double> moved(std::size_t record) const {
    std::vector<double> out = cloud_;
    std::vector<Row> asked;
    for (std::size_t i = 0; i < options_.particles; ++i) {
      Row row{rows_.start()};
      for (std::size_t k = 0; k < fitted_; ++k) {
        double& value = out[i * width_ + k];
        value += options_.walk * portable::normal_quantile(unit_open(word(record, i, k)));
        value = std::clamp(value, parameter(k).low, parameter(k).high);
        row.values[row.values.size() - fitted_ + k] = value;
      }
      states_.set(row, std::span(out).subspan(i * width_ + fitted_, states_.size()));
      set_duration(row, track_.interval);
      asked.push_back(std::move(row));
    }
    RowOptions trials;
    trials.nominal = true;
    trials.threads = options_.threads;
    trials.stop = options_.stop;
    // After every step: whoever stands still may end before the interval does.
    trials.watch = [&](std::size_t row, std::size_t, const Simulation& simulation) {
      States::read(std::span(out).subspan(row * width_ + fitted_, states_.size()), simulation, track_);
    };
    const std::vector<RowResult> results = rows_.evaluate(asked, backend_, trials);
    if (std::all_of(results.begin(), results.end(), [](const RowResult& one) { return !one.refused.empty(); }))
      throw Unfit(results[0].refused);
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!results[i].refused.empty() || results[i].outcomes[0].status != status_ok)  // it is nowhere, and dies
        std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(i * width_ + fitted_), states_.size(),
                    std::numeric_limits<double>::quiet_NaN());
    return out;
  }

  // Of Gaussian noise; equal where nothing is seen, but 0 of those that are nowhere. Their sum is 1.
  std::vector<double> weighed(std::size_t record) const {
    std::vector<double> out(options_.particles, 0.0);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (std::isnan(cloud_[i * width_ + fitted_])) out[i] = -std::numeric_limits<double>::infinity();
    for (const Observation& one : track_.observations) {
      if (one.record != record) continue;
      const auto place = static_cast<std::size_t>(std::find(track_.bodies.begin(), track_.bodies.end(), one.body) -
                                                  track_.bodies.begin());
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double* const at = cloud_.data() + i * width_ + fitted_ + 6 * place;
        const double x = (one.x - at[0]) / options_.noise, y = (one.y - at[1]) / options_.noise;
        const double turn = one.turn_seen ? (one.turn - at[2]) / options_.turn_noise : 0.0;
        out[i] -= 0.5 * (x * x + y * y + turn * turn);
      }
    }
    double most = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (const double one : out) most = one > most ? one : most;
    if (std::isinf(most))
      throw Unfit(rows_.origin() +
                  ": the trials of all particles are unresolved; give bounds "
                  "to --fit, or a smaller step");
    for (double& one : out) sum += one = one >= most - 700.0 ? portable::exp(one - most) : 0.0;
    for (double& one : out) one /= sum;
    return out;
  }

  Estimate estimate(std::size_t record, const std::vector<double>& weights) const {
    Estimate out;
    out.record = record;
    const auto mean = [&](std::size_t c) {
      double sum = 0.0;
      for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0.0) sum += weights[i] * cloud_[i * width_ + c];
      return sum;
    };
    for (std::size_t k = 0; k < fitted_; ++k) {
      out.values.push_back(mean(k));
      double sum = 0.0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double apart = cloud_[i * width_ + k] - out.values[k];
        sum += weights[i] * apart * apart;
      }
      out.sd.push_back(std::sqrt(sum));
    }
    for (std::size_t i = 0; i < track_.bodies.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) out.poses.push_back(mean(fitted_ + 6 * i + c));
    return out;
  }

  void resample(std::size_t record, const std::vector<double>& weights) {
    std::vector<double> next;
    next.reserve(cloud_.size());
    const std::vector<std::size_t> times = resampled(weights, unit_open_below(word(record, 0, fitted_)));
    for (std::size_t i = 0; i < times.size(); ++i)
      for (std::size_t k = 0; k < times[i]; ++k)
        next.insert(next.end(), cloud_.begin() + static_cast<std::ptrdiff_t>(i * width_),
                    cloud_.begin() + static_cast<std::ptrdiff_t>((i + 1) * width_));
    cloud_ = std::move(next);
  }

  const RowEvaluator& rows_;
  std::size_t fitted_;
  const Track& track_;
  Backend& backend_;
  const IdentifyOptions& options_;
  States states_;
  std::size_t width_;
  std::unique_ptr<RowLog> log_;
  std::vector<double> cloud_;  // (particles, width_): parameters, state
};

}  // namespace

std::vector<std::size_t> resampled(std::span<const double> weights, double at) {
  std::vector<std::size_t> out(weights.size(), 0);
  const auto count = static_cast<double>(weights.size());
  double sum = 0.0;
  std::size_t taken = 0, last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0.0) last = i;  // takes what rounding leaves
  for (std::size_t i = 0; i <= last; ++i) {
    sum += weights[i];
    while (taken < weights.size() && ((static_cast<double>(taken) + at) / count <= sum || i == last)) {
      ++out[i];
      ++taken;
    }
  }
  return out;
}

IdentifyResult filter(const RowEvaluator& rows, std::size_t fitted, const Track& track, Backend& backend,
                      const IdentifyOptions& options) {
  return Filter(rows, fitted, track, backend, options).run();
}

}  // namespace pegrasp::identify

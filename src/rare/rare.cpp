// SPDX-License-Identifier: Apache-2.0
#include "src/rare/rare.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pegrasp/map.hpp"
#include "src/decide/numbers.hpp"
#include "src/map/journal.hpp"
#include "src/rare/measure.hpp"
#include "src/rare/measure_log.hpp"
#include "src/rare/scores.hpp"

namespace pegrasp::rare {
namespace {

// The problem of the cell, measuring what is asked for.
Problem measured_problem(const Problem& problem, const Measure& measure, int cell) {
  Problem own = problem.of_trial(cell, 0);
  measure.prepare(own.scene);
  return own;
}

std::uint64_t hash_of_run(const Problem& problem, const std::string& backend, const RareOptions& options) {
  const std::string text = options.measure + (options.above ? " above " : " below ") +
                           decide::shortest_text(options.limit) + " " + std::to_string(options.cell) + " " +
                           std::to_string(options.runs) + " " + std::to_string(options.samples);
  std::uint64_t hash = problem_hash(problem, backend);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Draws and simulates trials by their scores.
class TrialMaker {
 public:
  TrialMaker(const Problem& problem, Backend& backend, const RareOptions& options)
      : measure_(problem.of_trial(options.cell, 0), options.measure),
        problem_(measured_problem(problem, measure_, options.cell)),
        backend_(backend),
        options_(options),
        space_(problem_),
        model_(compile_model(problem_.scene)),
        step_(derive_options(problem_.options, problem_.scene, problem_.arithmetic)),
        poses_(problem_.scene.bodies.size() * (problem_.scene.spatial ? 7 : 3)) {
    if (step_.on_unresolved == OnUnresolved::automatic) step_.on_unresolved = OnUnresolved::stop;
    if (!options.journal.empty())
      log_.emplace(options.journal, hash_of_run(problem, backend.name(), options), options.resume);
  }

  const ScoreSpace& space() const { return space_; }
  const Measure& measure() const { return measure_; }
  std::size_t recalled() const { return recalled_; }

  bool simulate(std::span<const double> scores, std::span<Trial> trials) {
    // Every run takes as many trials as the pilot, about.
    const auto samples = static_cast<std::size_t>(options_.samples);
    if (trials.size() > samples && expected_ == 0) expected_ = done_ * static_cast<std::size_t>(options_.runs + 1);
    std::size_t first = log_ ? log_->recall(trials) : 0;
    recalled_ += first;
    done_ += first;
    const std::size_t most = backend_.name() == "cpu" ? 1024 : 65536;
    const std::size_t dimensions = space_.dimensions();
    while (first < trials.size()) {
      const std::size_t count = std::min(most, trials.size() - first);
      const std::span<Trial> part = trials.subspan(first, count);
      if (!run(scores.subspan(first * dimensions, count * dimensions), part)) return false;
      if (log_) log_->append(part);
      first += count;
      done_ += count;
      const std::size_t usual = 5 * samples * static_cast<std::size_t>(options_.runs + 1);
      if (options_.progress) options_.progress(done_, std::max(done_, expected_ > 0 ? expected_ : usual));
    }
    return !(options_.stop && options_.stop->load());
  }

  WorstTrial worst(const Extreme& extreme) const {
    WorstTrial out{options_.limit + (options_.above ? -extreme.distance : extreme.distance), {}};
    std::vector<double> parameters(space_.parameters());
    out.values.resize(space_.values());
    space_.draw(options_.cell, extreme.scores, parameters, out.values);
    return out;
  }

 private:
  bool run(std::span<const double> scores, std::span<Trial> trials) {
    const std::size_t dimensions = space_.dimensions(), stride = space_.parameters();
    parameters_.resize(trials.size() * stride);
    values_.resize(space_.values());
    rows_.clear();
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const std::span<double> own = std::span(parameters_).subspan(rows_.size() * stride, stride);
      trials[i] = {};
      trials[i].possible = space_.draw(options_.cell, scores.subspan(i * dimensions, dimensions), own, values_);
      if (trials[i].possible) rows_.push_back(i);
    }
    parameters_.resize(rows_.size() * stride);
    outcomes_.assign(rows_.size(), {});
    final_poses_.resize(rows_.size() * poses_);
    if (!rows_.empty() && !backend_.run(*model_, step_, parameters_, outcomes_, final_poses_, options_.stop))
      return false;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      Trial& trial = trials[rows_[k]];
      const double measure = measure_.of(outcomes_[k], std::span(final_poses_).subspan(k * poses_, poses_));
      trial.distance = options_.above ? options_.limit - measure : measure - options_.limit;
      trial.resolved = outcomes_[k].status == status_ok && !std::isnan(measure);
    }
    return true;
  }

  Measure measure_;
  Problem problem_;
  Backend& backend_;
  const RareOptions& options_;
  ScoreSpace space_;
  std::shared_ptr<const Model> model_;
  StepOptions step_;
  std::size_t poses_;
  std::optional<MeasureLog> log_;
  std::size_t recalled_ = 0, done_ = 0, expected_ = 0;
  std::vector<std::size_t> rows_;
  std::vector<double> parameters_, values_, final_poses_;
  std::vector<SceneOutcome> outcomes_;
};

}  // namespace

RareResult seek_rare(const Problem& problem, Backend& backend, const RareOptions& options) {
  if (problem.variants) {
    throw InputError("body." + problem.variants->bodies.front().body +
                     ".variants: are drawn for each trial, which is not sought over; choose one with --set body." +
                     problem.variants->bodies.front().body + ".variant=NAME");
  }
  if (options.cell < 0 || options.cell >= problem.cells()) {
    throw InputError("--cell " + std::to_string(options.cell) + ": the problem has cells 0 to " +
                     std::to_string(problem.cells() - 1));
  }
  TrialMaker maker(problem, backend, options);
  RareResult result;
  result.measure = maker.measure().name();
  result.unit = maker.measure().unit();
  result.device = backend.device();
  const SubsetOptions subset{options.runs, options.samples, 1e-12, problem.seed};
  result.subsets = run_subsets(
      subset, maker.space().dimensions(), static_cast<std::size_t>(options.worst),
      [&maker](std::span<const double> scores, std::span<Trial> trials) { return maker.simulate(scores, trials); });
  if (result.subsets.stopped) throw Interrupted("stopped");
  result.resumed = maker.recalled();
  result.end = result.subsets.pilot.end;
  for (const Extreme& extreme : result.subsets.worst) result.worst.push_back(maker.worst(extreme));
  if (result.end != End::reached) return result;
  std::vector<double> all, resolved;
  for (const Run& run : result.subsets.runs) {
    all.push_back(run.probability);
    resolved.push_back(run.resolved);
    result.runs_without += run.probability > 0.0 ? 0 : 1;
  }
  result.estimate = estimate_of(resolved);
  if (result.subsets.unresolved > 0) result.estimate.interval.high = estimate_of(all).interval.high;
  result.counting = trials_to_count(result.estimate.mean, result.estimate.interval);
  return result;
}

std::string worst_rows(const Problem& problem, const RareResult& result, std::string& why) {
  std::string names;
  struct Column {
    std::size_t place;
    double factor;
    bool divides;
  };
  std::vector<Column> columns;
  const auto add = [&](const std::string& name, std::size_t place, double factor, bool divides) {
    names += (names.empty() ? "" : ",") + decide::csv_cell(name);
    columns.push_back({place, factor, divides});
  };
  for (std::size_t i = 0; i < problem.uncertain.size(); ++i) {
    const UncertainParameter& p = problem.uncertain[i];
    add(p.name, i, p.unit_factor, p.unit_divides);
  }
  std::size_t place = problem.uncertain.size();
  if (problem.grasps.error.body >= 0) why = "errors of a gripper's pose cannot be given by a file";
  for (const UncertainTripod& tripod : problem.tripods) {
    const auto random = [](const Distribution& d) { return d.kind != DistributionKind::constant; };
    const std::string key = "body." + tripod.name + ".";
    if (random(tripod.radius)) add(key + tripod.radius_key, place, tripod.radius_key == "radius_mm" ? 1e3 : 1.0, true);
    if (random(tripod.turn))
      add(key + tripod.turn_key, place + 1, tripod.turn_key == "turn_deg" ? margin_deg : 1.0, true);
    if (std::any_of(tripod.load.begin(), tripod.load.end(), random))
      why = "loads of a support cannot be given by a file";
    place += 11;
  }
  if (!why.empty()) return {};
  std::string text = names + "\n";
  for (const WorstTrial& trial : result.worst) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double value = trial.values[columns[k].place];
      text += (k > 0 ? "," : "") +
              decide::shortest_text(columns[k].divides ? value * columns[k].factor : value / columns[k].factor);
    }
    text += "\n";
  }
  return text;
}

}  // namespace pegrasp::rare

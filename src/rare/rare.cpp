// SPDX-License-Identifier: Apache-2.0
#include "src/rare/rare.hpp"

#include <algorithm>
#include <cmath>

#include "pegrasp/map.hpp"
#include "src/decide/numbers.hpp"
#include "src/map/journal.hpp"
#include "src/map/map_options.hpp"
#include "src/rare/measure.hpp"
#include "src/rare/scores.hpp"

namespace pegrasp::rare {
namespace {

// The problems of the cell, measuring what is asked for.
std::vector<Problem> measured_kinds(const Problem& problem, const Measure& measure, int cell) {
  std::vector<Problem> kinds = kinds_of_cell(problem, cell);
  for (Problem& kind : kinds) measure.prepare(kind.scene);
  return kinds;
}

std::span<const BodyVariants> variants_of(const Problem& problem) {
  return problem.variants ? std::span<const BodyVariants>(problem.variants->bodies) : std::span<const BodyVariants>();
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
        kinds_(measured_kinds(problem, measure_, options.cell)),
        backend_(backend),
        options_(options),
        space_(kinds_, variants_of(problem)),
        poses_(kinds_.front().scene.bodies.size() * (kinds_.front().scene.spatial ? 7 : 3)) {
    for (const Problem& kind : kinds_) {
      models_.push_back(kind.changes.any() ? nullptr : compile_model(kind.scene));
      steps_.push_back(map_options(kind, typical_scene(kind)));
    }
    if (!options.journal.empty())
      log_ =
          std::make_shared<MeasureLog>(options.journal, hash_of_run(problem, backend.name(), options), options.resume);
  }

  const ScoreSpace& space() const { return space_; }
  const Measure& measure() const { return measure_; }
  std::size_t recalled() const { return recalled_; }
  std::shared_ptr<MeasureLog> log() const { return log_; }

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
    WorstTrial out{options_.limit + (options_.above ? -extreme.distance : extreme.distance), {}, {}};
    const std::size_t kind = space_.kind_of(extreme.scores);
    std::vector<double> parameters(space_.parameters(kind));
    out.values.resize(space_.values());
    space_.draw(kind, options_.cell, extreme.scores, parameters, out.values);
    std::size_t rest = kind;
    for (const BodyVariants& body : space_.variants()) {
      out.variants.push_back(body.names[rest % body.names.size()]);
      rest /= body.names.size();
    }
    return out;
  }

 private:
  bool run(std::span<const double> scores, std::span<Trial> trials) {
    const std::size_t dimensions = space_.dimensions();
    std::vector<std::vector<std::size_t>> rows(kinds_.size());
    for (std::size_t i = 0; i < trials.size(); ++i)
      rows[kinds_.size() > 1 ? space_.kind_of(scores.subspan(i * dimensions, dimensions)) : 0].push_back(i);
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      if (!run_kind(kind, scores, trials, rows[kind])) return false;
    return true;
  }

  // Of the trials those in `rows`, all of the same kind.
  bool run_kind(std::size_t kind, std::span<const double> scores, std::span<Trial> trials,
                const std::vector<std::size_t>& rows) {
    const std::size_t dimensions = space_.dimensions(), stride = space_.parameters(kind);
    parameters_.resize(rows.size() * stride);
    values_.resize(space_.values());
    rows_.clear();
    for (const std::size_t i : rows) {
      const std::span<double> own = std::span(parameters_).subspan(rows_.size() * stride, stride);
      trials[i] = {};
      trials[i].possible = space_.draw(kind, options_.cell, scores.subspan(i * dimensions, dimensions), own, values_);
      if (trials[i].possible) rows_.push_back(i);
    }
    parameters_.resize(rows_.size() * stride);
    outcomes_.assign(rows_.size(), {});
    final_poses_.resize(rows_.size() * poses_);
    if (!rows_.empty() && !simulate_kind(kind, stride)) return false;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      Trial& trial = trials[rows_[k]];
      const double measure = measure_.of(outcomes_[k], std::span(final_poses_).subspan(k * poses_, poses_));
      trial.distance = options_.above ? options_.limit - measure : measure - options_.limit;
      trial.resolved = outcomes_[k].status == status_ok && !std::isnan(measure);
    }
    return true;
  }

  // Of parameters_ makes outcomes_ and final_poses_.
  bool simulate_kind(std::size_t kind, std::size_t stride) {
    const Problem& problem = kinds_[kind];
    if (models_[kind])
      return backend_.run(*models_[kind], steps_[kind], parameters_, outcomes_, final_poses_, options_.stop);
    const auto make = [&](std::size_t i) {
      TrialScene trial = scene_of_trial(problem, std::span(parameters_).subspan(i * stride, stride));
      return OwnScene{compile_model(trial.scene), map_options(problem, trial.scene), std::move(trial.parameters)};
    };
    return backend_.run_each(make, outcomes_, final_poses_, options_.stop);
  }

  Measure measure_;
  std::vector<Problem> kinds_;
  Backend& backend_;
  const RareOptions& options_;
  ScoreSpace space_;
  std::vector<std::shared_ptr<const Model>> models_;  // of the kinds; null where each trial has its own
  std::vector<StepOptions> steps_;
  std::size_t poses_;
  std::shared_ptr<MeasureLog> log_;
  std::size_t recalled_ = 0, done_ = 0, expected_ = 0;
  std::vector<std::size_t> rows_;
  std::vector<double> parameters_, values_, final_poses_;
  std::vector<SceneOutcome> outcomes_;
};

}  // namespace

RareResult seek_rare(const Problem& problem, Backend& backend, const RareOptions& options) {
  if (options.cell < 0 || options.cell >= problem.cells()) {
    throw InputError("--cell " + std::to_string(options.cell) + ": the problem has cells 0 to " +
                     std::to_string(problem.cells() - 1));
  }
  TrialMaker maker(problem, backend, options);
  RareResult result;
  result.measure = maker.measure().name();
  result.unit = maker.measure().unit();
  result.device = backend.device();
  result.log = maker.log();
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

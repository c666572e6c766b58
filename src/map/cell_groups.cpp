// SPDX-License-Identifier: Apache-2.0
#include "src/map/cell_groups.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <numeric>
#include <utility>

#include "src/machine/cores.hpp"

namespace pegrasp {
namespace {

// Of which samplers know at a time, where they do not know all.
constexpr std::size_t grasps_a_piece = 4096;

double seconds_since_then(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

CellGroup::CellGroup(const Problem& of_group, const GraspRange* grasps)
    : problem(of_group),
      step(map_options(of_group, typical_scene(of_group))),
      sampler(grasps != nullptr ? Sampler(of_group, *grasps) : Sampler(of_group)) {}

CellGroups::CellGroups(const Problem& problem, const MapOptions& options) : problem_(problem), options_(options) {
  if (in_pieces()) known_ = piece_at(0);
  groups_.reserve(problem.group_count());
  for (std::size_t g = 0; g < problem.group_count(); ++g) {
    CellGroup& group = groups_.emplace_back(problem.of_group(g), in_pieces() ? &known_ : nullptr);
    if (options.fallback != Fallback::reference) continue;
    group.fallback = std::make_unique<ReferenceFallback>(options.reference, group.problem, group.step, options.threads);
  }
  model_of(groups_.front());
}

GraspRange CellGroups::piece_at(std::size_t cell) const {
  return {cell, std::min(grasps_a_piece, problem_.grasps.size() - cell)};
}

std::size_t CellGroups::take_cells(std::size_t number) {
  const auto a_cell = static_cast<std::size_t>(problem_.samples);
  if (!in_pieces()) return static_cast<std::size_t>(problem_.cells()) * a_cell;
  const std::size_t cell = number / a_cell;
  if (cell < known_.first || cell >= known_.first + known_.count) {
    known_ = piece_at(cell);
    drawn_from_ = cell * a_cell;
    for (CellGroup& group : groups_) group.sampler = Sampler(group.problem, known_);
  }
  return (known_.first + known_.count) * a_cell;
}

std::size_t CellGroups::index_of(std::size_t number) const {
  if (groups_.size() == 1) return 0;
  const auto a_cell = static_cast<std::size_t>(problem_.samples);
  return problem_.group_of(static_cast<int>(number / a_cell), static_cast<int>(number % a_cell));
}

const Model& CellGroups::model_of(CellGroup& group) const {
  if (!group.model) group.model = compile_model(group.problem.scene);
  return *group.model;
}

bool CellGroups::for_each_group(
    std::size_t count, const SampleNumber& number_of,
    const std::function<bool(CellGroup& group, const std::vector<std::size_t>& items)>& visit) {
  std::vector<std::size_t> items(count);
  std::iota(items.begin(), items.end(), std::size_t{0});
  if (groups_.size() == 1) return count == 0 || visit(groups_.front(), items);
  std::vector<std::size_t> index(count);
  for (std::size_t i = 0; i < count; ++i) index[i] = index_of(number_of(i));
  std::stable_sort(items.begin(), items.end(), [&](std::size_t a, std::size_t b) { return index[a] < index[b]; });
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i;
    while (end < count && index[items[end]] == index[items[i]]) ++end;
    const std::vector<std::size_t> own(items.begin() + static_cast<std::ptrdiff_t>(i),
                                       items.begin() + static_cast<std::ptrdiff_t>(end));
    if (!visit(groups_[index[items[i]]], own)) return false;
    i = end;
  }
  return true;
}

void CellGroups::draw(const CellGroup& group, const std::vector<std::size_t>& items, const SampleNumber& number_of,
                      std::vector<double>& parameters, SuccessMap* map, std::size_t first) const {
  const std::size_t stride = group.sampler.parameters(), columns = group.sampler.values();
  parameters.resize(items.size() * stride);
  const auto rows = [&](std::size_t from, std::size_t to) {
    std::vector<double> unused(map == nullptr ? columns : 0);
    for (std::size_t i = from; i < to; ++i) {
      const std::span<double> own = std::span(parameters).subspan(i * stride, stride);
      const std::size_t number = number_of(items[i]) - drawn_from_, row = first + items[i];
      if (map == nullptr) {
        group.sampler.draw(number, own, unused);
      } else {
        map->redrawn[row] = group.sampler.draw(number, own, std::span(map->values).subspan(row * columns, columns));
      }
    }
  };
  constexpr std::size_t samples_worth_a_thread = 256;
  const auto threads = static_cast<std::size_t>(options_.threads > 0 ? options_.threads : available_cores());
  const std::size_t team = std::clamp<std::size_t>(items.size() / samples_worth_a_thread, 1, threads);
  std::vector<std::future<void>> drawing;
  for (std::size_t k = 0; k < team; ++k) {
    drawing.push_back(std::async(k > 0 ? std::launch::async | std::launch::deferred : std::launch::deferred, rows,
                                 items.size() * k / team, items.size() * (k + 1) / team));
  }
  for (const std::future<void>& one : drawing) one.wait();
  for (std::future<void>& one : drawing) one.get();
}

bool CellGroups::simulate(Backend& backend, CellGroup& group, const OptionsOf& options_of,
                          std::span<const double> drawn, std::span<SceneOutcome> outcomes,
                          std::span<double> final_poses) const {
  const Problem& problem = group.problem;
  if (!problem.changes.any())
    return backend.run(model_of(group), options_of(problem.scene), drawn, outcomes, final_poses, options_.stop);
  const std::size_t stride = group.sampler.parameters();
  const auto make = [&](std::size_t i) {
    TrialScene trial = scene_of_trial(problem, drawn.subspan(i * stride, stride));
    return OwnScene{compile_model(trial.scene), options_of(trial.scene), std::move(trial.parameters)};
  };
  return backend.run_each(make, outcomes, final_poses, options_.stop);
}

bool CellGroups::run(Backend& backend, SuccessMap& map, std::size_t first, std::size_t count,
                     const SampleNumber& number_of) {
  simulated = 0.0;
  const std::size_t begin = number_of(first), index = index_of(begin);
  const auto item_number = [&](std::size_t item) { return number_of(first + item); };
  bool in_order = !groups_[index].problem.changes.any();
  for (std::size_t i = 0; i < count && in_order; ++i)
    in_order = item_number(i) == begin + i && index_of(begin + i) == index;
  bool finished = false;
  if (in_order) {
    finished = run_in_order(backend, map, groups_[index], first, count, begin);
  } else {
    finished = for_each_group(count, item_number, [&](CellGroup& group, const std::vector<std::size_t>& items) {
      return run_group(backend, map, group, items, first, item_number);
    });
  }
  if (!finished || options_.fallback != Fallback::reference) return finished;
  const auto again = std::chrono::steady_clock::now();
  finished = run_fallback(map, first, count, number_of);
  map.timing.fallback += seconds_since_then(again);
  simulated += seconds_since_then(again);
  return finished;
}

// Of one group, and samples that follow each other: a device may draw them itself.
bool CellGroups::run_in_order(Backend& backend, SuccessMap& map, CellGroup& group, std::size_t first, std::size_t count,
                              std::size_t number) {
  const std::size_t poses = map.poses(), columns = map.sampled.size();
  SampleJob job{group.sampler,
                number - drawn_from_,
                {map.outcomes.data() + first, count},
                {map.final_poses.data() + first * poses, count * poses},
                {map.values.data() + first * columns, count * columns},
                {map.redrawn.data() + first, count},
                options_.threads};
  const auto begin = std::chrono::steady_clock::now();
  const bool finished = backend.run_samples(model_of(group), group.step, job, options_.stop);
  simulated = seconds_since_then(begin) - job.drawing;
  map.timing.sampling += job.drawing;
  map.timing.simulating += simulated;
  return finished;
}

bool CellGroups::run_group(Backend& backend, SuccessMap& map, CellGroup& group, const std::vector<std::size_t>& items,
                           std::size_t first, const SampleNumber& number_of) {
  const auto begin = std::chrono::steady_clock::now();
  draw(group, items, number_of, parameters_, &map, first);
  if (!group.problem.changes.any()) model_of(group);
  map.timing.sampling += seconds_since_then(begin);
  const auto begin_simulating = std::chrono::steady_clock::now();
  const std::size_t poses = map.poses();
  outcomes_.assign(items.size(), {});
  final_poses_.resize(items.size() * poses);
  const auto options_of = [&](const SceneSpec& scene) { return map_options(group.problem, scene); };
  const bool finished = simulate(backend, group, options_of, parameters_, outcomes_, final_poses_);
  for (std::size_t i = 0; i < items.size() && finished; ++i) {
    map.outcomes[first + items[i]] = outcomes_[i];
    const double* const from = final_poses_.data() + i * poses;
    std::copy(from, from + poses, map.final_poses.data() + (first + items[i]) * poses);
  }
  const double seconds = seconds_since_then(begin_simulating);
  map.timing.simulating += seconds;
  simulated += seconds;
  return finished;
}

bool CellGroups::run_fallback(SuccessMap& map, std::size_t first, std::size_t count, const SampleNumber& number_of) {
  std::vector<std::size_t> rows;
  for (std::size_t row = first; row < first + count; ++row)
    if (map.outcomes[row].status != status_ok) rows.push_back(row);
  const auto item_number = [&](std::size_t item) { return number_of(rows[item]); };
  const auto drawn_number = [&](std::size_t row) { return number_of(row) - drawn_from_; };
  return for_each_group(rows.size(), item_number, [&](CellGroup& group, const std::vector<std::size_t>& items) {
    std::vector<std::size_t> own;
    for (const std::size_t item : items) own.push_back(rows[item]);
    return group.fallback->run(group.sampler, drawn_number, map, own, options_.stop);
  });
}

}  // namespace pegrasp

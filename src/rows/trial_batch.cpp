// SPDX-License-Identifier: Apache-2.0
#include "src/rows/trial_batch.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <future>
#include <limits>
#include <map>
#include <mutex>

#include "pegrasp/map.hpp"
#include "src/machine/cores.hpp"
#include "src/map/map_options.hpp"

namespace pegrasp {

void for_each_on_threads(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::vector<std::exception_ptr> wrong(count);
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        wrong[i] = std::current_exception();
      }
    }
  };
  const auto team = std::min(count, static_cast<std::size_t>(threads > 0 ? threads : available_cores()));
  std::vector<std::future<void>> helpers;
  for (std::size_t k = 1; k < team; ++k)
    helpers.push_back(std::async(std::launch::async | std::launch::deferred, loop));
  loop();
  for (std::future<void>& helper : helpers) helper.get();
  for (const std::exception_ptr& one : wrong)
    if (one) std::rethrow_exception(one);
}

namespace {

// One model may be compared with so many others before it counts as new: rows that all differ would otherwise be
// compared with each other. Results do not depend on it.
constexpr std::size_t compared_classes = 32;
// Classes with fewer trials on average are simulated side by side, a model each.
constexpr std::size_t trials_worth_a_batch = 16;

[[noreturn]] void stopped() { throw Interrupted("stopped"); }

struct Trial {
  std::size_t row = 0, trial = 0;
};

class TrialBatch {
 public:
  TrialBatch(std::span<PreparedRow> rows, Backend& backend, const RowOptions& options)
      : rows_(rows), backend_(backend), options_(options) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!rows[r].result.refused.empty()) continue;
      for (std::size_t t = 0; t < rows[r].drawn.size(); ++t) trials_.push_back({r, t});
    }
  }

  void run() {
    const bool watched = options_.watch || options_.record_every > 0.0 || options_.record_free_steps;
    if (watched) {
      for (PreparedRow& row : rows_) make_records(row);
      std::atomic<std::size_t> done{0};
      for_each_on_threads(trials_.size(), options_.threads, [&](std::size_t i) {
        watch(trials_[i]);
        if (options_.progress && trials_.size() > 1) tell(++done);
      });
      return;
    }
    sort_into_classes();
    const bool side_by_side = own_.size() == trials_.size() || trials_.size() < trials_worth_a_batch * classes_.size();
    if (classes_.size() + own_.size() > 1 && side_by_side) {
      run_side_by_side(trials_);
      return;
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) run_class(c);
    if (!own_.empty()) run_side_by_side(own_);
  }

 private:
  void tell(std::size_t done) {
    const std::lock_guard<std::mutex> lock(telling_);
    options_.progress(done, trials_.size());
  }

  PreparedRow& row_of(const Trial& at) { return rows_[at.row]; }
  std::size_t poses_of(const Trial& at) { return row_of(at).result.bodies * row_of(at).result.pose_size; }
  const SceneClass& group_of(const Trial& at) { return row_of(at).groups[row_of(at).group[at.trial]]; }

  OwnScene own_scene(const Trial& at) {
    const PreparedRow& row = row_of(at);
    if (!row.own_scenes) return {group_of(at).model, group_of(at).step, row.drawn[at.trial]};
    const Problem& problem = row.problem.of_group(row.group[at.trial]);
    TrialScene scene = scene_of_trial(problem, row.drawn[at.trial]);
    return {compile_model(scene.scene), map_options(problem, scene.scene), std::move(scene.parameters)};
  }

  void sort_into_classes() {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      PreparedRow& row = rows_[r];
      if (row.own_scenes || !row.result.refused.empty()) continue;
      for (SceneClass& group : row.groups) class_of_group_[&group] = find_class(group);
    }
    for (const Trial& at : trials_) {
      if (row_of(at).own_scenes) {
        own_.push_back(at);
      } else {
        members_[class_of_group_[&group_of(at)]].push_back(at);
      }
    }
  }

  std::size_t find_class(const SceneClass& group) {
    const std::size_t first = classes_.size() > compared_classes ? classes_.size() - compared_classes : 0;
    for (std::size_t c = first; c < classes_.size(); ++c)
      if (classes_[c].step == group.step && same_model(*classes_[c].model, *group.model)) return c;
    classes_.push_back(group);
    members_.emplace_back();
    return classes_.size() - 1;
  }

  void run_class(std::size_t c) {
    const std::vector<Trial>& members = members_[c];
    if (members.empty()) return;
    const std::size_t stride = row_of(members.front()).drawn[members.front().trial].size();
    const std::size_t poses = poses_of(members.front());
    std::vector<double> parameters;
    parameters.reserve(members.size() * stride);
    for (const Trial& at : members) {
      const std::vector<double>& own = row_of(at).drawn[at.trial];
      parameters.insert(parameters.end(), own.begin(), own.end());
    }
    std::vector<SceneOutcome> outcomes(members.size());
    std::vector<double> final_poses(members.size() * poses);
    if (!backend_.run(*classes_[c].model, classes_[c].step, parameters, outcomes, final_poses, options_.stop))
      stopped();
    put(members, outcomes, final_poses, poses);
  }

  // Of equally many bodies each: trials of others are run after them.
  void run_side_by_side(const std::vector<Trial>& all) {
    std::map<std::size_t, std::vector<Trial>> by_size;
    for (const Trial& at : all) by_size[poses_of(at)].push_back(at);
    for (const auto& [poses, members] : by_size) {
      std::vector<SceneOutcome> outcomes(members.size());
      std::vector<double> final_poses(members.size() * poses);
      const auto make = [this, &members = members](std::size_t i) { return own_scene(members[i]); };
      if (!backend_.run_each(make, outcomes, final_poses, options_.stop)) stopped();
      put(members, outcomes, final_poses, poses);
    }
  }

  void put(const std::vector<Trial>& members, std::span<const SceneOutcome> outcomes, std::span<const double> poses,
           std::size_t count) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      RowResult& result = row_of(members[i]).result;
      result.outcomes[members[i].trial] = outcomes[i];
      std::copy_n(poses.begin() + static_cast<std::ptrdiff_t>(i * count), count,
                  result.final_poses.begin() + static_cast<std::ptrdiff_t>(members[i].trial * count));
    }
    done_ += members.size();
    if (options_.progress) tell(done_);
  }

  void make_records(PreparedRow& row) {
    RowResult& result = row.result;
    if (!result.refused.empty()) return;
    if (options_.record_every > 0.0) {
      const double times = row.problem.options.duration / options_.record_every;
      result.records = static_cast<std::size_t>(std::floor(times + 1e-6)) + 1;
      result.recorded.resize(result.trials() * result.records * result.bodies * result.pose_size);
    }
    if (options_.record_free_steps) result.free_steps.assign(result.trials() * result.bodies, 0);
  }

  static void put_pose(const Simulation& simulation, std::size_t body, std::size_t size, double* out) {
    if (size == 3) {
      const Pose pose = simulation.pose(static_cast<int>(body));
      out[0] = pose.x;
      out[1] = pose.y;
      out[2] = pose.theta;
      return;
    }
    const SpatialPose pose = simulation.spatial_pose(static_cast<int>(body));
    const double numbers[7] = {pose.position.x, pose.position.y, pose.position.z, pose.turn.w,
                               pose.turn.x,     pose.turn.y,     pose.turn.z};
    std::copy_n(numbers, 7, out);
  }

  // Simulates one trial step by step.
  void watch(const Trial& at) {
    if (options_.stop && options_.stop->load()) stopped();
    RowResult& result = row_of(at).result;
    const OwnScene own = own_scene(at);
    Simulation simulation(own.model, own.options, own.parameters, group_of(at).arithmetic);
    simulation.heed(options_.stop);
    if (options_.record_free_steps) simulation.watch_contacts();
    const std::size_t poses = poses_of(at);
    double* const recorded = result.recorded.data() + at.trial * result.records * poses;
    std::size_t records = 0;
    const auto record = [&](double until) {
      while (records < result.records && static_cast<double>(records) * options_.record_every <= until) {
        for (std::size_t b = 0; b < result.bodies; ++b)
          put_pose(simulation, b, result.pose_size, recorded + records * poses + b * result.pose_size);
        ++records;
      }
    };
    const double half = 0.5 * own.options.h;
    if (options_.watch) options_.watch(at.row, at.trial, simulation);
    record(half);
    for (bool more = true; more;) {
      const double before = simulation.time();
      more = simulation.step();
      if (options_.stop && options_.stop->load()) stopped();
      if (simulation.time() == before) break;
      if (options_.watch) options_.watch(at.row, at.trial, simulation);
      record(simulation.time() + half);
      if (options_.record_free_steps) count_free(simulation, result, at.trial);
    }
    record(std::numeric_limits<double>::infinity());
    result.outcomes[at.trial] = simulation.outcome();
    for (std::size_t b = 0; b < result.bodies; ++b)
      put_pose(simulation, b, result.pose_size, result.final_poses.data() + at.trial * poses + b * result.pose_size);
  }

  void count_free(const Simulation& simulation, RowResult& result, std::size_t trial) const {
    const std::vector<BodyLoad>& loads = simulation.contents().bodies;
    for (std::size_t b = 0; b < result.bodies && b < loads.size(); ++b)
      result.free_steps[trial * result.bodies + b] += loads[b].normal_impulse > 0.0 ? 0 : 1;
  }

  std::span<PreparedRow> rows_;
  Backend& backend_;
  const RowOptions& options_;
  std::vector<Trial> trials_, own_;
  std::deque<SceneClass> classes_;
  std::vector<std::vector<Trial>> members_;
  std::map<const SceneClass*, std::size_t> class_of_group_;
  std::mutex telling_;
  std::size_t done_ = 0;
};

}  // namespace

void run_trials(std::span<PreparedRow> rows, Backend& backend, const RowOptions& options) {
  TrialBatch(rows, backend, options).run();
}

}  // namespace pegrasp

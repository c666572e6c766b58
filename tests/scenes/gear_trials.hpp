// SPDX-License-Identifier: Apache-2.0
// Single trials of the gear grasp anywhere in the window, for the accuracy study (bench/studies/gear/README.md): a
// uniform set, and a hard set of which two thirds lie near a boundary of success.
#pragma once

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::scenes {

// x, y [m]: fingertip midpoint from the gear's centre; friction of the gripper and of the surface; tripod: which draw
// of the support tripod (sample index of cell 0); success: the outcome at the finest step, -1 where it is not known.
struct GearTrial {
  double x = 0.0, y = 0.0, gripper = 0.0, surface = 0.0;
  int tripod = 0;
  int success = -1;
};

// The finest step [s]: contact peg, exact arcs, solver newton.
inline constexpr double gear_reference_h = 0.25e-3;

class GearStudy {
 public:
  explicit GearStudy(const std::string& problem_file, BackendKind backend = BackendKind::automatic)
      : problem_(load_problem(problem_file, {{"uncertain.surface_friction.group", "\"any\""},
                                             {"uncertain.gripper_friction.group", "\"any\""}})),
        base_(scene_parameters(problem_.scene)),
        model_(compile_model(problem_.scene)),
        backend_(make_backend(backend, Arithmetic::strict, 0)) {}

  const Problem& problem() const { return problem_; }
  std::string device() const { return backend_->name() + ", " + backend_->device(); }

  // Fills in the outcomes at the finest step.
  void set_outcomes(std::vector<GearTrial>& trials) const {
    const std::vector<SceneOutcome> outcomes = run(trials, gear_reference_h);
    for (std::size_t i = 0; i < trials.size(); ++i) trials[i].success = outcomes[i].success;
  }

  // Outcomes of all trials at step h [s].
  std::vector<SceneOutcome> run(const std::vector<GearTrial>& trials, double h,
                                ContactModel contact = ContactModel::peg,
                                SolverKind solver = SolverKind::newton) const {
    std::vector<double> parameters(trials.size() * base_.size());
    for (std::size_t i = 0; i < trials.size(); ++i)
      place(trials[i], {parameters.data() + i * base_.size(), base_.size()});
    StepOptions options = problem_.options;
    options.h = h;
    options.contact = contact;
    options.solver = solver;
    options = derive_options(options, problem_.scene);
    std::vector<SceneOutcome> outcomes(trials.size());
    std::vector<double> poses(trials.size() * 3 * problem_.scene.bodies.size());
    backend_->run(*model_, options, parameters, outcomes, poses, nullptr);
    return outcomes;
  }

  // Trial number `index` of a seed: uniform over the window and all friction.
  static GearTrial draw(std::uint64_t seed, int index) {
    Random random(seed * 1000003u + static_cast<std::uint64_t>(index));
    GearTrial trial;
    trial.x = -0.010 + 0.020 * random.uniform(0.0, 1.0);
    trial.y = -0.020 + 0.020 * random.uniform(0.0, 1.0);
    trial.gripper = 0.99 * random.uniform(0.0, 1.0);
    trial.surface = 0.99 * random.uniform(0.0, 1.0);
    trial.tripod = index;
    return trial;
  }

  static std::vector<GearTrial> uniform_set(std::uint64_t seed, int count) {
    std::vector<GearTrial> trials;
    for (int i = 0; i < count; ++i) trials.push_back(draw(seed, i));
    return trials;
  }

  // `near` trials whose outcome flips when x or y moves by 0.4 mm or a friction by 0.04 (found at h = 1 ms, where it is
  // cheap; only those that flip at the finest step too are kept), then half as many plain ones.
  std::vector<GearTrial> hard_set(std::uint64_t seed, int near) const {
    std::vector<GearTrial> set;
    constexpr int batch = 100;
    for (int next = 100000; static_cast<int>(set.size()) < near; next += batch) {
      std::vector<GearTrial> candidates;
      for (int i = 0; i < batch; ++i) candidates.push_back(draw(seed, next + i));
      candidates = flipping(flipping(candidates, 1e-3), gear_reference_h);
      const std::size_t capacity = static_cast<std::size_t>(near) - set.size();
      set.insert(set.end(), candidates.begin(),
                 candidates.begin() + static_cast<std::ptrdiff_t>(std::min(capacity, candidates.size())));
    }
    for (int i = 0; i < near / 2; ++i) set.push_back(draw(seed, i));
    return set;
  }

 private:
  // Those of the trials whose outcome at step h flips under one of the small changes.
  std::vector<GearTrial> flipping(const std::vector<GearTrial>& trials, double h) const {
    std::vector<GearTrial> variants;
    for (const GearTrial& trial : trials) append_variants(trial, variants);
    const std::vector<SceneOutcome> outcomes = run(variants, h);
    const std::size_t group = trials.empty() ? 0 : variants.size() / trials.size();
    std::vector<GearTrial> out;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      bool flips = false;
      for (std::size_t k = 1; k < group; ++k)
        flips = flips || outcomes[i * group + k].success != outcomes[i * group].success;
      if (flips) out.push_back(trials[i]);
    }
    return out;
  }

  // A trial and its eight neighbours.
  static void append_variants(const GearTrial& trial, std::vector<GearTrial>& out) {
    out.push_back(trial);
    for (double sign : {-1.0, 1.0}) {
      GearTrial t = trial;
      t.x += sign * 4e-4;
      out.push_back(t);
      t = trial;
      t.y += sign * 4e-4;
      out.push_back(t);
      t = trial;
      t.gripper = std::max(1e-3, t.gripper + sign * 0.04);
      out.push_back(t);
      t = trial;
      t.surface = std::max(1e-3, t.surface + sign * 0.04);
      out.push_back(t);
    }
  }

  void place(const GearTrial& trial, std::span<double> parameters) const {
    std::vector<double> values(sampled_columns(problem_).size());
    draw_sample(problem_, base_, 0, trial.tripod, parameters, values);
    const Grid& grid = problem_.grid;
    const auto move = [&](const std::vector<int>& target, const std::vector<double>& factor, double by) {
      for (std::size_t k = 0; k < target.size(); ++k) parameters[static_cast<std::size_t>(target[k])] += factor[k] * by;
    };
    move(grid.x_target, grid.x_factor, trial.x - grid.x[0]);
    move(grid.y_target, grid.y_factor, trial.y - grid.y[0]);
    const ParameterLayout layout = parameter_layout(problem_.scene);
    for (int finger = 1; finger <= 2; ++finger) {
      parameters[static_cast<std::size_t>(layout.friction(friction_slot(problem_.scene, 0, finger)))] = trial.gripper;
    }
    for (int point = 0; point < layout.support_count; ++point) {
      parameters[static_cast<std::size_t>(layout.support(point) + 3)] = trial.surface;
    }
  }

  Problem problem_;
  std::vector<double> base_;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Backend> backend_;
};

// Share of trials whose outcome is that at the finest step [0, 1]; unresolved ones count with the outcome they ended
// in.
inline double agreement(const std::vector<SceneOutcome>& outcomes, const std::vector<GearTrial>& trials) {
  int same = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) same += outcomes[i].success == trials[i].success ? 1 : 0;
  return static_cast<double>(same) / static_cast<double>(trials.size());
}

// A stored set with its reference outcomes: x,y,gripper,surface,tripod,success a line, 17 digits.
inline void write_trials(const std::string& file, const std::vector<GearTrial>& trials) {
  std::ofstream out(file);
  out.precision(17);
  out << "x_m,y_m,gripper_friction,surface_friction,tripod,success\n";
  for (const GearTrial& t : trials) {
    out << t.x << ',' << t.y << ',' << t.gripper << ',' << t.surface << ',' << t.tripod << ',' << t.success << '\n';
  }
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot be written");
}

inline std::vector<GearTrial> read_trials(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  std::vector<GearTrial> trials;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    GearTrial t;
    numbers >> t.x >> t.y >> t.gripper >> t.surface >> t.tripod >> t.success;
    if (!numbers) throw std::runtime_error(file + ": not a set of trials: " + line);
    trials.push_back(t);
  }
  return trials;
}

}  // namespace pegrasp::scenes

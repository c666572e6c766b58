// SPDX-License-Identifier: Apache-2.0
// The product against the reference, trial by trial: step by step from the same states, and as whole trajectories.
// docs/explanation/validation.md says what is compared and what counts as agreement.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "src/reference/batch.hpp"

namespace pegrasp::reference {

// What a solver's residual, of its own impulses, may become of its velocities alone, where rows are nearly
// parallel: 80 times as much was measured in one step of 200,000, at most 2.5 times in 99 %.
constexpr double residual_of_velocities = 100.0;
constexpr double residual_of_velocities_99 = 5.0;

// What counts as agreement; the command's exit code follows these. Residuals in m/s, by docs/explanation/solvers.md.
struct ValidateTolerances {
  double residual = 1e-6;          // of every resolved step, on both sides, as each says itself
  double step_residual = 1e-4;     // [m/s] of the product's velocities in the reference's rows, every step
  double step_residual_99 = 5e-6;  // [m/s] the same, 99 % of the steps
  double velocity = 1e-6;          // [m/s] 99 % of the steps without friction at contacts differ by less
  double unique_velocity = 1e-5;   // [m/s] all of them do that no tie of features leaves open
  double agreement = 0.995;        // share of the trials resolved on both sides that end alike (one may always differ)
  double reference_resolved =
      0.99;  // share of the trials, and steps, that the reference resolves (one may always be left)
  double product_resolved = 0.95;  // the same of the product
  double assessed_in_3d = 0.9;    // in 3D: share of the steps that are not left open (StepDifference::left_open)
  double assessed = 0.99;            // share of the steps that no tie of features leaves open (one always may be)
};
// For the problem's own tolerance, where a solver stops: residuals can be no smaller.
ValidateTolerances tolerances_for(const StepOptions& options);

struct ValidateCase;
// In 3D velocities without friction are compared where the reference's rows confirm the product's answer to the bound of 99 % of the
// steps: no closer than that.
ValidateTolerances tolerances_for(const ValidateCase& job);

struct Trial {
  int cell = -1, sample = -1;  // -1: a scene file
  std::vector<double> parameters;
};

// `count` trials over all cells, every cell as often as any other, give or take one; no sample twice. Deterministic.
// Throws InputError when the problem has fewer.
std::vector<Trial> spread_trials(const Problem& problem, int count);
Trial one_trial(const Problem& problem, int cell, int sample);

struct ValidateCase {
  SceneSpec scene;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const PlanarScene> planar_scene;             // the scene for the reference simulator, in 2D,
  std::shared_ptr<const spatial::SpatialScene> spatial_scene;  // or in 3D
  StepOptions options;                                 // derived
  std::optional<StepOptions> product_options;          // the product's, step by step in 3D, where they are others
  Arithmetic arithmetic = Arithmetic::strict;
  std::vector<Trial> trials;

  AnyScene other() const { return {planar_scene, spatial_scene}; }
};

struct Watch {
  int threads = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t total)> progress;
};

// One side's steps.
struct SideTally {
  // [m/s] natural map, over the steps without a status bit. Step by step the product's is that of its velocities in the
  // reference's rows, momentum included; else each side says it of itself.
  double residual_max = 0.0;
  double reported_residual_max = 0.0;  // [m/s] step by step: what the product says of itself
  double mcp_residual_max = 0.0;  // step by step: of the reference's complementarity problems, at either side's answer
  double penetration_max = 0.0;   // [m]
  std::int64_t iterations = 0, solves = 0;
  std::int64_t mcp_short = 0;   // reference: steps in which an MCP ended short of its own tolerance
  std::int64_t unresolved = 0;  // steps with a status bit; whole trajectories: trials
  double seconds = 0.0;         // stepping, summed over the threads
};

struct StepDifference {
  std::size_t trial = 0;
  int step = 0;                       // 0-based
  double velocity = 0.0;              // [m/s] fastest point of the fastest body, of the two solutions' difference
  double residual_fast = 0.0;         // [m/s] of the product's velocities in the reference's rows
  double reported_fast = 0.0;         // [m/s] what the product says of itself
  double residual_other = 0.0;        // [m/s] of the reference
  double complementarity_fast = 0.0;  // of the reference's complementarity problem at the product's answer
  int contacts_fast = 0, contacts_other = 0;
  int solves_fast = 0, solves_other = 0;  // linearisations, over all substeps
  bool tie = false;                       // of features (PlanarSimulation::last_tie)
  // In 3D: the product took it in substeps, or linearised it more than once and no pass of the reference confirms it.
  bool left_open = false;
  bool both_found = false;  // the product's answer solves other rows that the reference's rules allow
  // In 3D: the product's answer solves the reference's last linearisation of the whole step, not only one before.
  bool at_last = true;
  // In 3D: the product accepted a linearisation that left bodies deeper in each other than its penetration tolerance.
  bool sank = false;
  // Both linearised as often, and no tie was there for them to decide differently.
  bool same_linearisation() const { return !tie && contacts_fast == contacts_other && solves_fast == solves_other; }
};

// Every step of the product's trajectories, taken by both from the same state.
struct StepComparison {
  std::int64_t steps = 0;
  // Steps of trials without friction at contacts, solved by both, in 3D those not left open that end at the same linearisation (at_last); of them
  // those that both linearised as often, without a tie of features: their velocities are unique.
  std::int64_t frictionless_steps = 0, unique_steps = 0;
  std::int64_t ties = 0;             // steps in which two features were equally good
  std::int64_t otherwise = 0;        // other steps that the two linearised differently often, or with other contacts
  std::int64_t compared = 0;         // steps that both resolved
  std::int64_t assessed = 0;           // of them, those that no tie leaves open
  std::int64_t found_otherwise = 0;  // steps solved in other rows only (StepDifference::both_found)
  std::int64_t unexplained = 0;      // assessed steps whose answer is not a solution
  double residual_99 = 0.0;          // [m/s] 99 % of the assessed steps leave less in the reference's rows
  std::int64_t open_passes = 0;      // in 3D: StepDifference::left_open
  std::int64_t sank = 0;             // in 3D: StepDifference::sank, of all steps that the product resolved
  std::int64_t open_ties = 0;  // steps with a tie whose answer is not a solution of the features that it is asked of
  double largest = 0.0, quantile_99 = 0.0;  // [m/s] of the steps that both resolved
  double frictionless_quantile_99 = 0.0, unique_largest = 0.0;
  double within = 0.0;  // share of them that differ by less than the tolerance
  SideTally fast, other;
  std::vector<StepDifference> worst;  // the largest, at most ten
};
// Throws Interrupted when stopped.
StepComparison compare_steps(const ValidateCase& job, const ValidateTolerances& tolerances, const Watch& watch);

struct Disagreement {
  std::size_t trial = 0;
  SceneOutcome fast, other;
  int parted = -1;             // first step from the same state that the two take apart, -1: none
  StepDifference parting;      // that step
  std::vector<int> fast_set;   // outcomes that the product finds with other solvers, warm and cold
  std::vector<int> other_set;  // outcomes that the reference finds, warm and cold
  bool not_unique() const;     // one outcome is found by both
  // In 3D: every step of the product's that is assessed (StepDifference::left_open) is a solution by the reference's rows, and the one in
  // which the two part is assessed.
  bool every_step_allowed = false;
  std::string reason;  // in words
};

// Whole trajectories.
struct TrajectoryComparison {
  std::size_t trials = 0;
  bool has_outcomes = false;        // the scene has a success rule
  bool same_bits_promised = false;  // two backends, both in strict arithmetic
  std::size_t both_resolved = 0, alike = 0;
  std::size_t allowed = 0;  // in 3D: that differ, though every assessed step of the product's solves the reference's rows
  std::size_t successes_fast = 0, successes_other = 0;  // of the trials that both resolved
  // Whether there is anything to assess but residuals.
  bool assessed() const { return has_outcomes || same_bits_promised; }
  std::size_t identical = 0;                          // to the last bit of outcome and poses
  double pose_largest = 0.0, pose_quantile_50 = 0.0;  // [m] farthest point moved, of the final poses' difference
  SideTally fast, other;
  std::vector<Disagreement> disagreements;
  std::vector<std::size_t> unresolved_fast, unresolved_other;  // trials
};

// Against the reference; every disagreement is looked into.
TrajectoryComparison compare_with_reference(const ValidateCase& job, Backend& fast, const Watch& watch);
// Between two backends of the product.
TrajectoryComparison compare_backends(const ValidateCase& job, Backend& fast, Backend& other, const Watch& watch);

// What keeps the two from agreeing, a line each; empty: they agree.
std::vector<std::string> failures(const StepComparison& steps, const ValidateTolerances& tolerances);
std::vector<std::string> failures(const TrajectoryComparison& trajectories, const ValidateTolerances& tolerances,
                                  bool against_reference);

}  // namespace pegrasp::reference

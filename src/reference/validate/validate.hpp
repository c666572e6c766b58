// SPDX-License-Identifier: Apache-2.0
// Compares the product with the reference simulator, trial by trial: step by step from the same states, and as whole
// trajectories. docs/explanation/validation.md says what is compared and what counts as agreement. "Rows" are the
// equations and inequalities of a linearised step.
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

// The residual of the product's velocities alone may be so many times the residual of its velocities and impulses,
// where rows are nearly parallel. Measured: 80 times in one step of 200,000, at most 2.5 times in 99 % of them.
constexpr double residual_of_velocities = 100.0;
constexpr double residual_of_velocities_99 = 5.0;

// What counts as agreement. The exit code of the command follows from these. Residuals are those of
// docs/explanation/solvers.md, in m/s.
struct ValidateTolerances {
  double residual = 1e-6;          // of every resolved step, on both sides, by their own account
  double step_residual = 1e-4;     // [m/s] of the product's velocities in the reference simulator's rows, every step
  double step_residual_99 = 5e-6;  // [m/s] the same, 99 % of the steps
  double velocity = 1e-6;          // [m/s] 99 % of the steps without friction at contacts differ by less
  double unique_velocity = 1e-5;   // [m/s] all steps with unique velocities differ by less
  double agreement = 0.995;        // share of the trials resolved on both sides that end alike (one may always differ)
  double reference_resolved =
      0.99;  // share of the trials and steps that the reference simulator resolves (one may always be left)
  double product_resolved = 0.95;  // share that the product resolves
  double assessed_passes =
      0.9;                 // share of the steps that are not left open (StepDifference::left_open); in 2D `assessed`
  double assessed = 0.99;  // share of the steps that no tie of features leaves open (one always may be)
};
// The tolerances for a problem: a residual can be no smaller than the tolerance at which the solver stops.
ValidateTolerances tolerances_for(const StepOptions& options);

struct ValidateCase;
// In 3D velocities without friction are compared where the reference simulator's rows confirm the product's answer up
// to step_residual_99, so that they are compared no closer than that.
ValidateTolerances tolerances_for(const ValidateCase& job);

struct Trial {
  int cell = -1, sample = -1;      // -1: a scene file
  std::vector<double> parameters;  // as drawn: base_parameters()
  // A trial with a scene of its own (SceneChanges): the case of this trial alone, with the parameters of its scene.
  std::shared_ptr<const ValidateCase> own = nullptr;
};

// Spreads `count` trials over all cells, so that the cells have equally many, up to one, and no sample comes twice. The
// choice is deterministic. Throws InputError if the problem has fewer trials.
std::vector<Trial> spread_trials(const Problem& problem, int count);
Trial one_trial(const Problem& problem, int cell, int sample);

struct ValidateCase {
  SceneSpec scene;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const PlanarScene> planar_scene;             // the scene for the reference simulator, in 2D,
  std::shared_ptr<const spatial::SpatialScene> spatial_scene;  // or in 3D
  StepOptions options;                                         // of both sides, derived
  std::optional<StepOptions> product_options;                  // of the product step by step in 3D, if they differ
  Arithmetic arithmetic = Arithmetic::strict;
  std::vector<Trial> trials;

  AnyScene other() const { return {planar_scene, spatial_scene}; }
  // The case in whose scene a trial is, and which of its trials that is.
  const ValidateCase& of(std::size_t trial) const { return trials[trial].own ? *trials[trial].own : *this; }
  std::size_t place_of(std::size_t trial) const { return trials[trial].own ? 0 : trial; }
  bool has_own_scenes() const { return !trials.empty() && trials.front().own != nullptr; }
};

struct Watch {
  int threads = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t total)> progress;
};

// Sums over the steps, or trials, of one side.
struct SideTally {
  // [m/s] natural-map residual, over the steps without a status bit. In the comparison step by step, the product's is
  // that of its velocities in the reference simulator's rows, missing momentum included. In whole trajectories each
  // side reports its own.
  double residual_max = 0.0;
  double reported_residual_max = 0.0;  // [m/s] step by step: what the product reports
  double mcp_residual_max = 0.0;       // step by step: of the reference simulator's MCP, at the answer of each side
  double penetration_max = 0.0;        // [m]
  std::int64_t iterations = 0, solves = 0;
  std::int64_t mcp_short = 0;   // steps in which an MCP of the reference simulator missed its own tolerance
  std::int64_t unresolved = 0;  // steps with a status bit; whole trajectories: trials
  double seconds = 0.0;         // stepping, summed over the threads
};

struct StepDifference {
  std::size_t trial = 0;
  int step = 0;                       // 0-based
  double velocity = 0.0;              // [m/s] difference of the two solutions, at the fastest point of any body
  double residual_fast = 0.0;         // [m/s] of the product's velocities in the reference simulator's rows
  double reported_fast = 0.0;         // [m/s] what the product reports
  double residual_other = 0.0;        // [m/s] of the reference simulator
  double complementarity_fast = 0.0;  // residual of the reference simulator's MCP at the product's answer
  int contacts_fast = 0, contacts_other = 0;
  int solves_fast = 0, solves_other = 0;  // linearisations, over all substeps
  bool tie = false;                       // of features (SimulationFrame::last_tie)
  // The product took the step in substeps (in 2D: and no answer of the reference simulator confirms its own), or, in
  // 3D, linearised it more than once and no pass of the reference simulator confirms its answer.
  bool left_open = false;
  bool both_found = false;  // the product's answer solves other rows that the rules allow
  // In 3D: the product's answer solves the reference simulator's last linearisation of the whole step, and not only an
  // earlier one.
  bool at_last = true;
  // In 3D: the product accepted a linearisation that leaves bodies overlapping by more than the penetration tolerance.
  bool sank = false;
  // Whether both linearised the step equally often, with equally many contacts, and without a tie.
  bool same_linearisation() const { return !tie && contacts_fast == contacts_other && solves_fast == solves_other; }
};

// Sums over every step of the trajectories of the product, taken by both from the same state.
struct StepComparison {
  std::int64_t steps = 0;
  // Steps of trials without friction at contacts that both resolved; in 3D without the steps that are left open or that
  // end at another linearisation (at_last). The unique ones are those that both linearised equally often, without a tie
  // of features: their velocities are unique.
  std::int64_t frictionless_steps = 0, unique_steps = 0;
  std::int64_t ties = 0;             // steps with a tie: two features were equally good
  std::int64_t otherwise = 0;        // steps without a tie that the two linearised differently
  std::int64_t compared = 0;         // steps that both resolved
  std::int64_t assessed = 0;         // of them, those that are not left open
  std::int64_t found_otherwise = 0;  // StepDifference::both_found
  std::int64_t unexplained = 0;      // assessed steps whose answer is not a solution
  double residual_99 = 0.0;          // [m/s] 99 % of the assessed steps have a smaller residual_fast
  std::int64_t open_passes = 0;      // StepDifference::left_open
  std::int64_t sank = 0;             // in 3D: StepDifference::sank, of all steps that the product resolved
  std::int64_t open_ties = 0;        // steps with a tie whose answer does not solve the rows of the chosen features
  double largest = 0.0, quantile_99 = 0.0;  // [m/s] of the steps that both resolved
  double frictionless_quantile_99 = 0.0, unique_largest = 0.0;
  double within = 0.0;  // share of them that differ by less than the tolerance
  SideTally fast, other;
  std::vector<StepDifference> worst;  // the largest, at most ten
};
// Compares every step of all trials. Throws Interrupted when stopped.
StepComparison compare_steps(const ValidateCase& job, const ValidateTolerances& tolerances, const Watch& watch);

struct Disagreement {
  std::size_t trial = 0;
  SceneOutcome fast, other;
  int parted = -1;             // first step in which the two part although they start from the same state; -1: none
  StepDifference parting;      // that step
  std::vector<int> fast_set;   // outcomes that the product finds with other solvers, warm and cold
  std::vector<int> other_set;  // outcomes that the reference simulator finds, warm and cold
  bool not_unique() const;     // both sides find one and the same outcome
  // In 3D: every step of the product that is assessed (not StepDifference::left_open) is a solution of the reference
  // simulator's rows, and the step in which the two part is assessed.
  bool every_step_allowed = false;
  std::string reason;  // in words
};

// Sums over whole trajectories.
struct TrajectoryComparison {
  std::size_t trials = 0;
  bool has_outcomes = false;        // the scene has a success rule
  bool same_bits_promised = false;  // two backends, both in strict arithmetic
  std::size_t both_resolved = 0, alike = 0;
  std::size_t allowed = 0;                              // in 3D: outcomes that differ with every_step_allowed
  std::size_t successes_fast = 0, successes_other = 0;  // of the trials that both resolved
  // Whether anything besides residuals is compared.
  bool assessed() const { return has_outcomes || same_bits_promised; }
  std::size_t identical = 0;                          // outcome and poses are the same bits
  double pose_largest = 0.0, pose_quantile_50 = 0.0;  // [m] distance of final poses, at the farthest point
  SideTally fast, other;
  std::vector<Disagreement> disagreements;
  std::vector<std::size_t> unresolved_fast, unresolved_other;  // trials
};

// Compares with the reference simulator and looks for the reason of every disagreement.
TrajectoryComparison compare_with_reference(const ValidateCase& job, Backend& fast, const Watch& watch);
// Compares two backends of the product.
TrajectoryComparison compare_backends(const ValidateCase& job, Backend& fast, Backend& other, const Watch& watch);

// What is outside the tolerances, one line each. Empty if the two sides agree.
std::vector<std::string> failures(const StepComparison& steps, const ValidateTolerances& tolerances);
std::vector<std::string> failures(const TrajectoryComparison& trajectories, const ValidateTolerances& tolerances,
                                  bool against_reference);

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// One scene, stepped by the reference simulator, in 2D and in 3D: the loop over attempts, the halving of steps, the
// status bits and sums of a scene, its end and its outcome. planar/simulation.hpp and spatial/simulation.hpp have the
// rest.
#pragma once

#include <cstdint>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/common/attempt_frame.hpp"
#include "src/reference/common/success_tracker.hpp"

namespace pegrasp::reference {

class SimulationFrame {
 public:
  SimulationFrame(const SimulationFrame&) = delete;  // parts of a simulation refer to each other
  SimulationFrame& operator=(const SimulationFrame&) = delete;
  virtual ~SimulationFrame() = default;

  // Advances by one step h, with substeps inside where they are needed. Returns false once the scene has ended: by the
  // stop rule, by its time limit, or by a fault.
  bool step();
  void run() {
    while (step()) {
    }
  }

  double time() const { return outcome_.time; }  // [s]
  bool present(int body) const { return present_[static_cast<std::size_t>(body)] != 0; }
  int contact_count() const { return contacts_; }                   // of the last accepted substep
  double last_residual() const { return last_.residual; }           // [m/s] natural map, largest of the last step
  double last_mcp_residual() const { return last_.mcp_residual; }   // of the last step's complementarity problems
  double last_penetration() const { return last_.depth; }           // [m] largest of the last step
  std::uint32_t last_status() const { return last_.status; }        // bits that the last step set
  mcp::Status last_mcp_status() const { return last_.mcp_status; }  // the worst of the last step
  // Whether in the last step two facets of a pair that carries force were equally good, up to the accepted overlap.
  // Then rounding chose one, and another program may choose the other.
  bool last_tie() const { return last_.tie; }
  double solver_seconds() const { return solver_seconds_; }
  // The outcome up to now. `iterations` are pivots; `success` is that of the present state.
  SceneOutcome outcome() const;

 protected:
  // How a rejected attempt is halved beyond StepOptions::max_substep_level.
  struct Halving {
    int further_levels;       // for steps with a pair that could pass through each other
    bool also_if_not_finite;  // an end that is not finite is tried again with half the step
  };

  // drop_times: (bodies) [s] when each body appears.
  SimulationFrame(const StepOptions& options, std::vector<double> drop_times, const Halving& halving);
  // The options of a step of length 0.
  static StepOptions without_length(StepOptions options);
  void refuse_parameters() { outcome_.status = status_non_finite; }
  // The part that is watched and what is to hold it overlap by so much as the scene begins [m]; most: beyond it the
  // scene ends there, without success.
  void begin_with_overlap(double overlap, double most) {
    outcome_.start_overlap = overlap;
    in_collision_ = overlap > most;
  }
  // The next step is step number `step` of the scene (0-based), also if the stop rule had ended the scene. Sums go on.
  void continue_at(int step);
  const std::vector<char>& present() const { return present_; }
  const StepOptions& options() const { return options_; }

  // Makes an attempt at a substep of options.h from `time` [s]. Its end is taken by take_end().
  virtual const AttemptReport& attempt(const StepOptions& options, double time) = 0;
  virtual bool end_is_finite() const = 0;
  virtual void take_end() = 0;
  virtual void forget_impulses() = 0;
  virtual double last_length(int body) const = 0;  // [s] of its last (sub)step; 0: it has made none
  virtual SuccessTracker& success() = 0;
  virtual const SuccessTracker& success() const = 0;

 private:
  struct LastStep {
    double residual = 0.0, mcp_residual = 0.0, depth = 0.0;
    bool tie = false;
    std::uint32_t status = status_ok;
    mcp::Status mcp_status = mcp::Status::solved;
  };

  bool over() const;
  void appear(double time);
  bool take_substeps();
  void accept(const AttemptReport& end, double h, std::uint32_t status);

  StepOptions options_;
  std::vector<double> drop_times_;
  Halving halving_;
  std::vector<char> present_;  // (bodies)
  SceneOutcome outcome_;
  bool in_collision_ = false;
  int step_ = 0;
  int contacts_ = 0;
  double solver_seconds_ = 0.0;
  LastStep last_;
};

}  // namespace pegrasp::reference

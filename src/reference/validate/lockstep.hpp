// SPDX-License-Identifier: Apache-2.0
// One trial of the product with the reference simulator beside it, in 2D and in 3D: both take every step from the
// product's state.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "src/reference/validate/validate.hpp"

namespace pegrasp::reference {

// `Reference`: PlanarSimulation or SpatialSimulation.
template <class Reference>
class LockstepFrame {
 public:
  LockstepFrame(const LockstepFrame&) = delete;  // the reference simulator's solver writes to the derived class
  LockstepFrame& operator=(const LockstepFrame&) = delete;

  // Has the product look at `stop` within a step; what is said of such a step is of no use.
  void heed(const std::atomic<bool>* stop) { fast_.heed(stop); }
  const StepDifference& last() const { return last_; }
  const Simulation& fast() const { return fast_; }
  const Reference& other() const { return other_; }
  // Whether both resolved the last step.
  bool resolved() const { return fast_.last_status() == status_ok && other_.last_status() == status_ok; }
  double seconds_fast() const { return seconds_fast_; }
  double seconds_other() const { return seconds_other_; }

 protected:
  template <class Scene>
  LockstepFrame(const ValidateCase& job, std::size_t trial, const StepOptions& product_options, const Scene& scene,
                StepSolver solver)
      : job_(job),
        fast_(job.model, product_options, job.trials[trial].parameters, job.arithmetic),
        other_(scene, job.options, job.trials[trial].parameters, std::move(solver)) {
    last_.trial = trial;
  }
  ~LockstepFrame() = default;

  // Both return false once the trial has ended.
  bool step_product() {
    bool more = false;
    seconds_fast_ += seconds_of([&] { more = fast_.step(); });
    return more;
  }
  bool step_reference() {
    bool more = false;
    seconds_other_ += seconds_of([&] { more = other_.step(); });
    return more;
  }
  // Puts the reference simulator into the state that the product's next step starts from.
  template <class Pose, class Velocity, class... More>
  void place_reference(const std::vector<Pose>& poses, const std::vector<Velocity>& velocities,
                       const std::vector<double>& last, const More&... more) {
    other_.set_state(next_, poses, velocities, last, more...);
  }
  // Fills last_ with what both say of the step, after both have taken it. Returns the product's substeps.
  std::int64_t note_step() {
    last_.step = next_++;
    last_.reported_fast = fast_.last_residual();
    last_.residual_other = other_.last_residual();
    last_.contacts_fast = fast_.contact_count();
    last_.contacts_other = other_.contact_count();
    const SceneOutcome fast = fast_.outcome();
    const SceneOutcome other = other_.outcome();
    last_.solves_fast = static_cast<int>(fast.solves - fast_before_.solves);
    last_.solves_other = static_cast<int>(other.solves - other_before_.solves);
    last_.tie = other_.last_tie();
    const std::int64_t substeps = fast.substeps - fast_before_.substeps;
    fast_before_ = fast;
    other_before_ = other;
    return substeps;
  }

  const ValidateCase& job_;
  Simulation fast_;
  Reference other_;
  StepDifference last_;
  SceneOutcome fast_before_;  // the product's sums before the last step

 private:
  template <class F>
  static double seconds_of(const F& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  int next_ = 0;
  SceneOutcome other_before_;
  double seconds_fast_ = 0.0, seconds_other_ = 0.0;
};

}  // namespace pegrasp::reference

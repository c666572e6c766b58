// SPDX-License-Identifier: Apache-2.0
#include "src/reference/common/simulation_frame.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pegrasp::reference {
namespace {

// Status bits that end a scene at once.
constexpr std::uint32_t fatal_bits = status_capacity | status_non_finite;
// A body appears at its drop time; sums of steps come to it up to rounding [s].
constexpr double drop_tolerance = 1e-9;

}  // namespace

SimulationFrame::SimulationFrame(const StepOptions& options, std::vector<double> drop_times, const Halving& halving)
    : options_(options), drop_times_(std::move(drop_times)), halving_(halving) {
  appear(0.0);
}

void SimulationFrame::appear(double time) {
  present_.clear();
  for (const double drop_time : drop_times_) present_.push_back(drop_time <= time + drop_tolerance ? 1 : 0);
}

bool SimulationFrame::over() const {
  return in_collision_ || outcome_.stopped_still != 0 || (outcome_.status & fatal_bits) != 0 ||
         (options_.on_unresolved == OnUnresolved::stop && outcome_.unresolved_steps > 0) ||
         (step_ + 0.5) * options_.h > options_.duration;
}

StepOptions SimulationFrame::without_length(StepOptions options) {
  options.h = 0.0;
  options.max_passes = 1;
  options.look_ahead = false;
  options.landing_halvings = 0;
  options.warm_start = false;
  return options;
}

void SimulationFrame::continue_at(int step) {
  step_ = step;
  outcome_.stopped_still = 0;
}

// h: of the (sub)step [s]. status: bits that it leaves.
void SimulationFrame::accept(const AttemptReport& end, double h, std::uint32_t status) {
  last_.status |= status;
  last_.residual = std::isnan(end.residual) ? end.residual : std::max(last_.residual, end.residual);
  last_.mcp_residual = std::max(last_.mcp_residual, end.mcp_residual);
  last_.depth = std::max(last_.depth, end.depth);
  if (end.mcp_status != mcp::Status::solved) last_.mcp_status = end.mcp_status;
  contacts_ = end.contacts;
  outcome_.contacts_max = std::max(outcome_.contacts_max, end.contacts);
  outcome_.contacts_sum += end.contacts;
  ++outcome_.substeps;
  std::vector<ContactPush> pushes = end.pushes;
  for (ContactPush& p : pushes) {
    p.force_a = h / (0.5 * (last_length(p.body_a) + h));
    p.force_b = h / (0.5 * (last_length(p.body_b) + h));
  }
  success().note(pushes);
  take_end();
  if (end.held) forget_impulses();
}

// Takes the step at once. Where an attempt is rejected it takes halves, and halves of these: substeps lie on the dyadic
// grid of the step, and grow again as soon as they are aligned with it. Returns false when the scene came to a state
// that is not finite.
bool SimulationFrame::take_substeps() {
  const int least = options_.max_substep_level > 0 ? 1 << halving_.further_levels : 1;
  const int whole = least << options_.max_substep_level;
  const double begin = step_ * options_.h;
  bool risk = false;
  for (int at = 0, size = whole; at < whole;) {
    StepOptions options = options_;
    options.h = options_.h * (static_cast<double>(size) / whole);
    // After a substep that no motion obeys the rest of the step is taken as it stands.
    const bool hurries = (last_.status & status_infeasible) != 0;
    if (hurries) options.max_passes = 1;
    const bool may_land = !hurries && size > std::max(least, whole >> options_.landing_halvings);
    options.landing_halvings = may_land ? 1 : 0;
    const AttemptReport& end = attempt(options, begin + options_.h * (static_cast<double>(at) / whole));
    if (end.lands) {
      ++outcome_.substeps_rejected;
      size /= 2;
      continue;
    }
    last_.tie = last_.tie || end.tie;
    risk = risk || end.risk;
    outcome_.solves += end.solves;
    outcome_.iterations += end.pivots;
    solver_seconds_ += end.seconds;
    const bool finite = end_is_finite();
    const bool too_deep = end.too_deep(options);
    const bool unsolved = end.unsolved(options);
    const bool rejected = finite ? too_deep || unsolved : halving_.also_if_not_finite;
    if (!finite) forget_impulses();
    if (rejected && !hurries && size > (risk ? 1 : least)) {
      ++outcome_.substeps_rejected;
      size /= 2;
    } else if (!finite) {
      last_.status |= status_non_finite;
      return false;
    } else {
      // A joint that was open at the start is closed at the recovery speed. Until then the scene is not the one
      // described.
      const bool open = end.joints_open > options.reject_depth;
      const std::uint32_t deep = too_deep || open ? status_too_deep : status_ok;
      const std::uint32_t bits = deep | (unsolved ? status_not_converged : status_ok);
      const std::uint32_t no_motion = status_infeasible | (open ? status_too_deep : status_ok);
      accept(end, options.h, end.infeasible && unsolved ? no_motion : bits);
      at += size;
      while (size < whole && at % (2 * size) == 0 && at + 2 * size <= whole) size *= 2;
    }
  }
  return true;
}

bool SimulationFrame::step() {
  if (over()) return false;
  appear(step_ * options_.h);
  last_ = {};
  const bool fine = take_substeps();
  if (fine) ++step_;
  outcome_.steps = step_;
  outcome_.time = step_ * options_.h;
  outcome_.status |= last_.status;
  outcome_.unresolved_steps += last_.status != status_ok ? 1 : 0;
  outcome_.residual_max = std::max(outcome_.residual_max, last_.residual);
  outcome_.penetration_max = std::max(outcome_.penetration_max, last_.depth);
  if (fine && success().advance(present_, outcome_.time)) outcome_.stopped_still = 1;
  return fine;
}

SceneOutcome SimulationFrame::outcome() const {
  SceneOutcome out = outcome_;
  out.success = (out.status & fatal_bits) == 0 && !in_collision_ && success().succeeded() ? 1 : 0;
  success().measure(out);
  return out;
}

}  // namespace pegrasp::reference

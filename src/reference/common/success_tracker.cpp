// SPDX-License-Identifier: Apache-2.0
#include "src/reference/common/success_tracker.hpp"

#include <algorithm>

namespace pegrasp::reference {

SuccessTracker::SuccessTracker(const SceneSpec& scene, const StepOptions& options)
    : scene_(scene),
      h_(options.h),
      still_time_(options.still_time),
      still_speed_(options.still_speed),
      lasted_(scene.success.size(), 0.0) {}

bool SuccessTracker::advance(const std::vector<char>& present, double time) {
  for (std::size_t k = 0; k < scene_.success.size(); ++k) {
    const Predicate& p = scene_.success[k];
    if (p.kind == PredicateKind::speed_below) {
      lasted_[k] = still(present, p.body, p.value) ? lasted_[k] + h_ : 0.0;
    } else {
      remember(p, k, present, time, lasted_[k]);
    }
  }
  if (!(still_time_ > 0.0)) return false;
  bool all = true;
  int body = -1;
  for (const BodySpec& spec : scene_.bodies) {
    ++body;
    if (spec.kind == BodyKind::dynamic) all = all && there(present, body) && still(present, body, still_speed_);
  }
  still_ = all ? still_ + h_ : 0.0;
  return still_ >= still_time_ * whole_steps;
}

bool SuccessTracker::succeeded() const {
  std::vector<bool> stack;
  for (std::size_t k = 0; k < scene_.success.size(); ++k) {
    const Predicate& p = scene_.success[k];
    switch (p.kind) {
      case PredicateKind::negate:
        stack.back() = !stack.back();
        break;
      case PredicateKind::all:
      case PredicateKind::any: {
        const auto first = stack.end() - p.count;
        const auto yes = std::count(first, stack.end(), true);
        stack.erase(first, stack.end());
        stack.push_back(p.kind == PredicateKind::all ? yes == p.count : yes > 0);
        break;
      }
      case PredicateKind::speed_below:
        stack.push_back(lasted_[k] > 0.0 && lasted_[k] >= p.duration * whole_steps);
        break;
      case PredicateKind::gap_below:
      case PredicateKind::pose_within:
      case PredicateKind::held:
      case PredicateKind::displacement_below:
        stack.push_back(holds(p, k));
        break;
    }
  }
  return !stack.empty() && stack.back();
}

}  // namespace pegrasp::reference

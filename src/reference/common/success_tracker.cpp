// SPDX-License-Identifier: Apache-2.0
#include "src/reference/common/success_tracker.hpp"

#include <algorithm>

namespace pegrasp::reference {
namespace {

// Contacts that carry less than this share of the largest normal force on their body have no say in its margin to slip.
constexpr double force_that_counts = 1e-3;

}  // namespace

SuccessTracker::SuccessTracker(const SceneSpec& scene, const StepOptions& options)
    : scene_(scene),
      h_(options.h),
      still_time_(options.still_time),
      still_speed_(options.still_speed),
      lasted_(scene.success.size(), 0.0),
      margin_(scene.bodies.size(), 1.0),
      kept_(scene.success.size(), 0) {}

void SuccessTracker::note(const std::vector<ContactPush>& pushes) {
  pushes_.insert(pushes_.end(), pushes.begin(), pushes.end());
  if (!scene_.measure_forces) return;
  std::vector<double> largest(scene_.bodies.size(), 0.0);
  for (const ContactPush& p : pushes) {
    for (const int body : {p.body_a, p.body_b}) {
      double& most = largest[static_cast<std::size_t>(body)];
      most = std::max(most, p.normal);
    }
  }
  for (const ContactPush& p : pushes) {
    const double bound = p.mu * p.normal;
    if (!(bound > 0.0)) continue;
    for (const int body : {p.body_a, p.body_b}) {
      const auto b = static_cast<std::size_t>(body);
      if (dynamic(body) && p.normal >= force_that_counts * largest[b])
        margin_[b] = std::min(margin_[b], std::max(0.0, 1.0 - p.tangent / bound));
    }
  }
}

double SuccessTracker::force_of(const Predicate& p) const {
  double sum = 0.0;
  for (const ContactPush& push : pushes_) {
    const bool first = push.body_a == p.body && (p.body_b < 0 || push.body_b == p.body_b);
    const bool second = push.body_b == p.body && (p.body_b < 0 || push.body_a == p.body_b);
    // A contact of two dynamic bodies counts with the first.
    if (first || second) sum += push.normal * (dynamic(push.body_a) ? push.force_a : push.force_b);
  }
  return sum / h_;
}

void SuccessTracker::advance_measures(const std::vector<char>& present) {
  last_margin_ = 1.0;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!dynamic(body) || !there(present, body)) continue;
    double sum = 0.0;
    for (const ContactPush& p : pushes_) {
      if (p.body_a == body) sum += p.normal * p.force_a;
      if (p.body_b == body) sum += p.normal * p.force_b;
    }
    grip_ = std::max(grip_, sum / h_);
    last_margin_ = std::min(last_margin_, margin_[b]);
  }
  least_margin_ = std::min(least_margin_, last_margin_);
}

void SuccessTracker::advance_watch(double time) {
  const HoldWatch& watch = scene_.watch;
  const auto holds = [&watch](int body) {
    return std::find(watch.bodies.begin(), watch.bodies.end(), body) != watch.bodies.end();
  };
  double sum = 0.0;
  for (const ContactPush& p : pushes_) {
    if (p.body_a == watch.part && holds(p.body_b)) sum += p.normal * p.force_a;
    if (p.body_b == watch.part && holds(p.body_a)) sum += p.normal * p.force_b;
  }
  if (sum > 0.0) {
    watched_.touch_last = time;
    if (watched_.touch_first < 0.0) watched_.touch_first = time;
    watched_.hold_force_max = std::max(watched_.hold_force_max, sum / h_);
  }
  if (time < watch.since * whole_steps) return;
  const Moved moved = watched_part();
  watched_.hold_slip_max = std::max(watched_.hold_slip_max, moved.slip);
  watched_.hold_tilt_max = std::max(watched_.hold_tilt_max, moved.tilt);
  watched_.hold_margin_min = std::min(watched_.hold_margin_min, margin_[static_cast<std::size_t>(watch.part)]);
}

void SuccessTracker::measure(SceneOutcome& outcome) const {
  if (!scene_.measure_forces) return;
  outcome.grip_force_max = grip_;
  outcome.slip_margin_min = least_margin_;
  outcome.slip_margin_end = last_margin_;
  outcome.touch_first = watched_.touch_first;
  outcome.touch_last = watched_.touch_last;
  outcome.hold_force_max = watched_.hold_force_max;
  outcome.hold_margin_min = watched_.hold_margin_min;
  outcome.hold_slip_max = watched_.hold_slip_max;
  outcome.hold_tilt_max = watched_.hold_tilt_max;
}

bool SuccessTracker::advance(const std::vector<char>& present, double time) {
  for (std::size_t k = 0; k < scene_.success.size(); ++k) {
    const Predicate& p = scene_.success[k];
    const auto last = [&](bool yes) { lasted_[k] = yes ? lasted_[k] + h_ : 0.0; };
    switch (p.kind) {
      case PredicateKind::touching:
        last(force_of(p) > 0.0);
        break;
      case PredicateKind::contact_force: {
        const double force = force_of(p);
        const bool yes = force >= p.value && force <= p.most;
        last(yes);
        if (time >= p.since * whole_steps && kept_[k] != 2) kept_[k] = yes ? 1 : 2;
        break;
      }
      case PredicateKind::speed_below:
        last(still(present, p.body, p.value));
        break;
      case PredicateKind::pose_within:
      case PredicateKind::held:
        remember(p, k, present, time, lasted_[k]);
        break;
      case PredicateKind::gap_below:  // looked at when the scene is over
      case PredicateKind::displacement_below:
      case PredicateKind::all:
      case PredicateKind::any:
      case PredicateKind::negate:
        break;
    }
  }
  if (scene_.measure_forces) advance_measures(present);
  if (scene_.watch.part >= 0) advance_watch(time);
  pushes_.clear();
  std::fill(margin_.begin(), margin_.end(), 1.0);
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
  // Takes the last values from the stack; returns how many were true.
  const auto take = [&stack](int count) {
    const auto first = stack.end() - count;
    const auto yes = std::count(first, stack.end(), true);
    stack.erase(first, stack.end());
    return yes;
  };
  for (std::size_t k = 0; k < scene_.success.size(); ++k) {
    const Predicate& p = scene_.success[k];
    switch (p.kind) {
      case PredicateKind::negate:
        stack.back() = !stack.back();
        break;
      case PredicateKind::all:
        stack.push_back(take(p.count) == p.count);
        break;
      case PredicateKind::any:
        stack.push_back(take(p.count) > 0);
        break;
      case PredicateKind::touching:
      case PredicateKind::contact_force:
      case PredicateKind::speed_below: {
        const bool long_enough = lasted_[k] > 0.0 && lasted_[k] >= p.duration * whole_steps;
        stack.push_back(time_of(p) == PredicateTime::throughout ? kept_[k] == 1 : long_enough);
        break;
      }
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

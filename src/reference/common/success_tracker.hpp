// SPDX-License-Identifier: Apache-2.0
// The stop rule and the success program of a scene, in 2D and in 3D. The program is a list in reverse Polish notation
// (SceneSpec::success); predicates that have to last have a clock each. Also the contact forces of a step, which some
// predicates, and scenes that measure forces, ask for.
#pragma once

#include <vector>

#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"
#include "src/reference/common/attempt_frame.hpp"

namespace pegrasp::reference {

// Durations are sums of steps: ten steps of 5 ms add up to slightly less than 50 ms.
constexpr double whole_steps = 1.0 - 1e-9;

class SuccessTracker {
 public:
  SuccessTracker(const SceneSpec& scene, const StepOptions& options);
  virtual ~SuccessTracker() = default;

  // Call it for each attempt of a step that is taken, with its contacts.
  void note(const std::vector<ContactPush>& pushes);
  // Call it after each whole step, which ended at `time` [s]. present: (bodies). Returns true when the scene has come
  // to rest by the stop rule.
  bool advance(const std::vector<char>& present, double time);
  // Whether the success program holds in the present state. False for a scene without one.
  bool succeeded() const;
  // Writes the grip force and the margins to slip up to now, where the scene measures forces.
  void measure(SceneOutcome& outcome) const;

 protected:
  virtual double fastest_point(int body) const = 0;  // [m/s] speed of the body's fastest point, at present
  // A predicate other than those of speed and force, at present.
  virtual bool holds(const Predicate& predicate, std::size_t index) const = 0;
  // Slip [m] and tilt [rad] of the part that is watched, from where it was when this was asked first.
  struct Moved {
    double slip = 0.0, tilt = 0.0;
  };
  virtual Moved watched_part() { return {}; }
  // What a predicate about poses has to remember after a step. `clock` [s]: how long it has lasted, to be updated.
  virtual void remember(const Predicate&, std::size_t, const std::vector<char>&, double, double&) {}

  static bool there(const std::vector<char>& present, int body) {
    return body < 0 || present[static_cast<std::size_t>(body)] != 0;
  }
  double lasted(std::size_t index) const { return lasted_[index]; }
  const SceneSpec& scene() const { return scene_; }
  double step_length() const { return h_; }

 private:
  bool still(const std::vector<char>& present, int body, double speed) const {
    return !there(present, body) || fastest_point(body) <= speed;
  }

  const SceneSpec& scene_;
  double h_, still_time_, still_speed_;
  std::vector<double> lasted_;  // (predicates) [s]
  double still_ = 0.0;          // [s] for how long all dynamic bodies have been still

  bool dynamic(int body) const { return scene_.bodies[static_cast<std::size_t>(body)].kind == BodyKind::dynamic; }
  // [N] sum of the normal forces that a predicate is about, the mean of the present step.
  double force_of(const Predicate& predicate) const;
  void advance_measures(const std::vector<char>& present);
  void advance_watch(double time);

  std::vector<ContactPush> pushes_;  // of the present step
  std::vector<double> margin_;       // (bodies) least of the present step
  std::vector<char> kept_;           // (predicates) of a force throughout: 0 not looked at, 1 held, 2 lost
  double grip_ = 0.0, least_margin_ = 1.0, last_margin_ = 1.0;
  SceneOutcome watched_;  // its measures of the part that is watched
};

}  // namespace pegrasp::reference

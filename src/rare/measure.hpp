// SPDX-License-Identifier: Apache-2.0
// The continuous numbers of a trial by which rare failures are sought.
#pragma once

#include <span>
#include <string>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp::rare {

class Measure {
 public:
  // Throws InputError for a name that the problem does not have.
  Measure(const Problem& problem, const std::string& name);

  const std::string& name() const { return name_; }
  const std::string& unit() const { return unit_; }
  bool is_margin() const { return kind_ == Kind::margin; }
  // Has the scene measure it.
  void prepare(SceneSpec& scene) const;
  // Of a resolved trial; NaN where it has none. poses: of its bodies at the end.
  double of(const SceneOutcome& outcome, std::span<const double> poses) const;

 private:
  enum class Kind : int {
    margin = 0,
    grip_force,
    slip_margin,
    slip_margin_end,
    slip,
    tilt,
    hold_force,
    hold_margin,
    pose
  };
  std::string name_, unit_;
  Kind kind_ = Kind::margin;
  std::size_t place_ = 0;  // of `pose`: in the poses
  double factor_ = 1.0;    // to the unit
};

}  // namespace pegrasp::rare

// SPDX-License-Identifier: Apache-2.0
// How well particles on a plate follow a field of velocities v = F x (Berard's thesis, chapter 6).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "src/optimise/objective.hpp"

namespace pegrasp::optimise {

struct FieldSettings {
  std::string body;                            // that is to follow the field
  std::array<std::array<double, 2>, 2> field;  // F [1/s], about the world's origin
  double record_every = 0.25;                  // [s]
  double period = 0.0;                         // [s] of the plate: velocities are means over it
  double radius_weight = 1.0;                  // [1/s] of millimetres beside the millimetres a second of velocities
  double separation_weight = 0.0;              // [mm/s] of the share of steps without contact
  std::vector<std::array<double, 2>> starts;   // [m]
};

// What a particle did from one start.
struct FieldTrack {
  double velocity_error = 0.0;  // mean over the records of |v - F x|, x the middle of the way of v [m/s]
  double radius_error = 0.0;    // mean of | |x| - |exp(F t) x_0| | [m]
  double free_share = 0.0;      // of the steps after the first record, without contact force
  double relative_error = 0.0;  // velocity_error beside the mean of |F x|
  double rate = 0.0;            // mean angular speed about the origin [rad/s]
};

class FieldObjective : public Objective {
 public:
  FieldObjective(FieldSettings settings, int body) : settings_(std::move(settings)), body_(body) {}
  std::string kind() const override { return "field"; }
  bool follows_trials() const override { return true; }
  // objective, velocity_error_mm_s, radius_error_mm, free_share, and of each start rate_N_rad_s and relative_error_N.
  std::vector<std::string> columns() const override;
  std::vector<double> at(const RowEvaluator& rows, const Row& point, Backend& backend, const RowOptions& options,
                         std::string& why) const override;

 private:
  FieldSettings settings_;
  int body_;
};

}  // namespace pegrasp::optimise

// SPDX-License-Identifier: Apache-2.0
// The motion of a body in few whole numbers: points are left out where the straight way between their neighbours says
// the same, and the rest are rounded to a grid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "src/report/recording.hpp"

namespace pegrasp::report {

inline constexpr double position_grain = 4e-6;    // [m]
inline constexpr double angle_grain = 4e-5;       // [rad] in 2D
inline constexpr double quaternion_grain = 2e-5;  // of each number of a quaternion; turns are wrong by twice as much
// What thinning and rounding may change at most, together.
inline constexpr double position_error = 9e-6;  // [m]
inline constexpr double angle_error = 9e-5;     // [rad]

struct TrackKey {
  int step = 0;
  std::array<std::int64_t, 7> grid{};  // as PosePoint::pose, in grains
};

struct Track {
  std::vector<TrackKey> keys;
  double position_error = 0.0, angle_error = 0.0;  // what it did change: the largest over all steps [m], [rad]
};

Track thinned(const std::vector<PosePoint>& points, bool spatial);

// The pose at a step between two keys: a straight way; a turn by the mean of the quaternions, of length 1.
std::array<double, 7> pose_between(const TrackKey& a, const TrackKey& b, double step, bool spatial);

}  // namespace pegrasp::report

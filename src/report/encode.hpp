// SPDX-License-Identifier: Apache-2.0
// A recording as JSON: its numbers are one text, whole numbers as bytes in base 64.
#pragma once

#include <cstdint>
#include <string>

#include "src/report/drawing.hpp"
#include "src/report/recording.hpp"

namespace pegrasp::report {

// Signed whole numbers as bytes: zigzag (0, -1, 1, -2, ...), then seven bits a byte, the lowest first; a byte of 128 or
// more is followed by another. Neighbours in a sequence are near each other, so differences take one byte or two.
class PackedNumbers {
 public:
  void put(std::int64_t number);
  std::string text() const;  // base 64 (RFC 4648)

 private:
  std::string bytes_;
};

// The numbers, in order:
//   each body   how many keys; of each key the step and the pose (3 numbers, in 3D 7), each as the difference to the
//               key before
//   forces      how many frames; of each frame the difference of steps, how many marks, and of each mark kind, body_a,
//               body_b, point (2 numbers, in 3D 3) and force (likewise), the last two as differences to the mark of the
//               same place in the frame before
// Poses are in the grains of track.hpp, points in `point_grain` [m], forces in `force_grain` [N]. `position_error` [m]
// and `angle_error` [rad] are the largest differences to the simulated poses.
Json encoded(const Recording& recording);

}  // namespace pegrasp::report

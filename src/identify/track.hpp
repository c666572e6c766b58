// SPDX-License-Identifier: Apache-2.0
// Where bodies were seen: the file of `pegrasp identify --data`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"

namespace pegrasp::identify {

struct Observation {
  std::size_t record = 0;               // at the time record * interval
  std::size_t body = 0;                 // of the scene
  double x = 0.0, y = 0.0, turn = 0.0;  // [m, rad]
  bool turn_seen = false;
};

struct Track {
  double interval = 0.0;    // [s]
  std::size_t records = 0;  // one more than intervals up to the last observation
  std::vector<std::size_t> bodies;
  std::vector<Observation> observations;  // by record, then as in the file
  std::size_t numbers() const;            // seen
  bool turns_seen(std::size_t body) const;
};

// CSV with the columns time [s], body (a name; of a scene with one dynamic body it may be missing), x, y [m], and theta
// [rad], which may be missing or empty. Times of a body increase. All are multiples of one interval, but for 1 % of it
// and, as digits are rounded, 1 ms more, of which at most a tenth of the interval counts. An interval is a whole number
// of the problem's steps, which up to no row add up to more than a tenth of a step more or less. Throws InputError.
Track read_track(const std::string& text, const std::string& name, const Problem& problem);

}  // namespace pegrasp::identify

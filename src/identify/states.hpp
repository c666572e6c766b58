// SPDX-License-Identifier: Apache-2.0
// The state of the bodies of a track, as keys of a problem that begins with it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"
#include "src/identify/track.hpp"

namespace pegrasp::identify {

class States {
 public:
  // Throws InputError for problems whose motion depends on more than that state and the parameters: they could not
  // begin at any time. method: for messages.
  States(const RowEvaluator& rows, const Track& track, const std::string& method);

  std::size_t size() const { return 6 * bodies_.size(); }  // x, y [m], turn [rad], and their velocities, of each body
  // That free to be found: all but the turns of bodies whose turn is not seen.
  const std::vector<std::size_t>& free() const { return free_; }
  std::vector<double> start() const;  // of the problem
  void set(Row& row, std::span<const double> state) const;
  static void read(std::span<double> state, const Simulation& simulation, const Track& track);

 private:
  const RowEvaluator& rows_;
  std::vector<std::size_t> bodies_, free_;
};

// Sets simulation.duration_s.
void set_duration(Row& row, double seconds);

}  // namespace pegrasp::identify

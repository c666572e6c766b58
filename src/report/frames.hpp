// SPDX-License-Identifier: Apache-2.0
// Single pictures of a recording, as the script draw_replay.py draws them.
#pragma once

#include <string>
#include <vector>

#include "src/report/drawing.hpp"
#include "src/report/recording.hpp"

namespace pegrasp::report {

// The source of a picture or, of several steps, of a film with so many frames a second.
Json frames_json(const std::string& title, const Json& drawing, const Recording& recording,
                 const std::vector<int>& steps, double frames_per_second);

// Steps of a film that lasts at least `least` seconds at that rate: in real time, or slower.
std::vector<int> film_steps(const Recording& recording, double frames_per_second, double least);

}  // namespace pegrasp::report

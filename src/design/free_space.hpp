// SPDX-License-Identifier: Apache-2.0
// The geometric model of a planar scene: does a path exist along which one body gets to its goal, without overlap and
// whatever forces would have to move it? A cheap test that refuses designs before any dynamics (Berard's thesis,
// 4.3.1).
#pragma once

#include <cstddef>
#include <numbers>
#include <optional>
#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp::design {

// Places and turns are divided into cells. A cell counts as free unless the body overlaps a fixed body in every pose of
// the cell, so that no path is overlooked: where the body at the middle of the cell overlaps by more than any of its
// points moves within the cell.
struct PathQuestion {
  int body = -1;                                                // a dynamic body of the scene
  std::vector<Pose> starts;                                     // [m], [rad]
  Pose low{-1e300, -1e300, -1e300}, high{1e300, 1e300, 1e300};  // the goal; turns count but for whole turns
  double cell = 1e-3;                                           // side of a cell [m]
  double turn_cell = std::numbers::pi / 36.0;                   // the same of turns [rad]; made to divide a whole turn
};

// Whether there is a path from each of the starts to the goal: the first one from which there is none, or nothing.
// Only fixed bodies that the body may touch are in its way; it does not rise above its starts where nothing but gravity
// along -y moves it. Throws std::invalid_argument for a scene in 3D and for a space of more than 10^9 cells.
std::optional<std::size_t> first_without_path(const SceneSpec& scene, const PathQuestion& question);

}  // namespace pegrasp::design

// SPDX-License-Identifier: Apache-2.0
// What a picture of a design shows: its fixed parts, and where bodies are in the course of some trials.
#pragma once

#include <vector>

#include "pegrasp/evaluate_rows.hpp"

namespace pegrasp::design {

struct DesignPicture {
  std::vector<std::vector<Vec2>> fixed;   // outlines in the world [m]
  std::vector<std::vector<Vec2>> moving;  // of the parts of the first dynamic body, in its frame
  std::vector<std::vector<Pose>> paths;   // of that body, a trial each, at equal times
};

// Of a planar problem with axes: the first trial of the grid, and the one in the middle of the first axis; without axes
// the first two random ones. Nothing of a problem in 3D.
DesignPicture picture_of(const RowEvaluator& rows, Backend& backend, const Row& row);

}  // namespace pegrasp::design

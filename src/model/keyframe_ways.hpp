// SPDX-License-Identifier: Apache-2.0
// The way that a body with keyframes goes (keyframe_way of kernels/model/model_arrays.inc).
#pragma once

#include <vector>

#include "src/geometry/vectors.hpp"

namespace pegrasp {

// places: of the keyframes. Appends for each the unit vector to the next one. Where two are at the same place, it is
// the way that the body went last; before it has moved, the one that it will go first; x for a body that does not move.
inline void add_ways(const std::vector<Vec3>& places, std::vector<double>& out) {
  const auto step = [&](std::size_t k) { return k + 1 < places.size() ? places[k + 1] - places[k] : Vec3{}; };
  Vec3 way{1.0, 0.0, 0.0};
  for (std::size_t k = places.size(); k-- > 0;) {
    if (length(step(k)) > 0.0) way = (1.0 / length(step(k))) * step(k);
  }
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (length(step(k)) > 0.0) way = (1.0 / length(step(k))) * step(k);
    out.insert(out.end(), {way.x, way.y, way.z});
  }
}

}  // namespace pegrasp

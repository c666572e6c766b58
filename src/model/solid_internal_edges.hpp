// SPDX-License-Identifier: Apache-2.0
// Where the convex parts of a body in 3D cover each other: faces that are no surface of the body, and the directions in
// which a vertex or an edge that lies on a sibling is (docs/explanation/pair-modes.md).
#pragma once

#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Of one part. A feature is a surface point of the body along an outward direction n only if n . w <= a sliver for each
// of its w: the unit vectors from it to what siblings that hold it reach. Features that no sibling holds have none.
struct SolidInternalEdges {
  std::vector<int> face_use;              // EdgeUse
  std::vector<std::vector<Vec3>> vertex;  // per vertex
  std::vector<std::vector<Vec3>> edge;    // per edge, across it
};
// boxes: part_boxes(parts), so that the parts of a body that has thousands are looked at only where they are near.
struct PartBox {
  Vec3 low, high;  // [m], in the body's frame
};
std::vector<PartBox> part_boxes(const std::vector<SolidPart>& parts);
SolidInternalEdges solid_internal_edges(const std::vector<SolidPart>& parts, const std::vector<PartBox>& boxes,
                                        std::size_t part);

}  // namespace pegrasp

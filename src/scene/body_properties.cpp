// SPDX-License-Identifier: Apache-2.0
#include "src/scene/body_properties.hpp"

#include "src/geometry/placement.hpp"

namespace pegrasp {
namespace {

// Adds the parallel-axis terms of a solid of volume v [m^3] with its centre at c [m].
void add_offset(InertiaTensor& inertia, double v, Vec3 c) {
  inertia.xx += v * (c.y * c.y + c.z * c.z);
  inertia.yy += v * (c.x * c.x + c.z * c.z);
  inertia.zz += v * (c.x * c.x + c.y * c.y);
  inertia.xy -= v * c.x * c.y;
  inertia.xz -= v * c.x * c.z;
  inertia.yz -= v * c.y * c.z;
}

}  // namespace

SolidProperties body_properties(const SpatialBody& body) {
  SolidProperties sum;
  for (const SolidPart& part : body.parts) {
    const SolidProperties p = solid_properties(part);
    sum.volume += p.volume;
    sum.centroid = sum.centroid + p.volume * p.centroid;
    sum.inertia.xx += p.inertia.xx;
    sum.inertia.yy += p.inertia.yy;
    sum.inertia.zz += p.inertia.zz;
    sum.inertia.xy += p.inertia.xy;
    sum.inertia.xz += p.inertia.xz;
    sum.inertia.yz += p.inertia.yz;
    add_offset(sum.inertia, p.volume, p.centroid);
  }
  sum.centroid = (1.0 / sum.volume) * sum.centroid;
  add_offset(sum.inertia, -sum.volume, sum.centroid);
  return sum;
}

double inertia_per_mass(const std::vector<ConvexPart>& parts, Vec2& centroid) {
  double area = 0.0;
  double moment = 0.0;
  Vec2 first;
  for (const ConvexPart& part : parts) {
    if (part.kind != PartKind::chain) continue;
    const AreaProperties p = area_properties(part);
    area += p.area;
    first.x += p.area * p.centroid.x;
    first.y += p.area * p.centroid.y;
    moment += p.second_moment + p.area * (p.centroid.x * p.centroid.x + p.centroid.y * p.centroid.y);
  }
  if (!(area > 0.0)) return 0.0;
  centroid = {first.x / area, first.y / area};
  return moment / area;
}

}  // namespace pegrasp

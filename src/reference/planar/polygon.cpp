// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/polygon.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pegrasp::reference {

Polygon make_world_polygon(const ConvexPart& part, const Pose& pose) {
  Eigen::Matrix2d turn;
  turn << std::cos(pose.theta), -std::sin(pose.theta), std::sin(pose.theta), std::cos(pose.theta);
  const Point origin(pose.x, pose.y);
  Polygon polygon;
  if (part.kind == PartKind::half_plane) {
    Edge edge;
    const Point normal = Point(part.normal.x, part.normal.y).normalized();
    edge.normal = turn * normal;
    edge.from = origin + turn * (part.offset * normal);
    edge.to = edge.from + turned(edge.normal);
    edge.endless = true;
    polygon.edges.push_back(edge);
    return polygon;
  }
  for (const Corner& corner : part.corners) {
    if (corner.radius != 0.0 || part.curve) {
      throw std::invalid_argument("part '" + part.name +
                                  "' is round; the sources' formulations are for polygons: describe it by vertices");
    }
    polygon.vertices.push_back(origin + turn * Point(corner.centre.x, corner.centre.y));
  }
  for (std::size_t i = 0; i < polygon.vertices.size(); ++i) {
    Edge edge;
    edge.from = polygon.vertices[i];
    edge.to = polygon.vertices[polygon.next(i)];
    edge.normal = -turned((edge.to - edge.from).normalized());
    polygon.edges.push_back(edge);
  }
  return polygon;
}

double distance(const Point& v, const Edge& e) {
  if (e.endless) return std::abs(gap(v, e));
  const Point along = e.to - e.from;
  const double t = std::clamp((v - e.from).dot(along) / along.squaredNorm(), 0.0, 1.0);
  return (v - e.from - t * along).norm();
}

double applicability(const Polygon& polygon, std::size_t vertex, const Point& normal) {
  const Point& v = polygon.vertices[vertex];
  const Point before = (polygon.vertices[polygon.previous(vertex)] - v).normalized();
  const Point after = (polygon.vertices[polygon.next(vertex)] - v).normalized();
  return std::min(normal.dot(before), normal.dot(after));
}

bool feasible(const Point& v, const Edge& e, double depth, double slope) {
  double beyond = 0.0;
  if (!e.endless) {
    const Point along = (e.to - e.from).normalized();
    beyond = std::max({0.0, (e.from - v).dot(along), (v - e.to).dot(along)});
  }
  return gap(v, e) > -depth - slope * beyond;
}

}  // namespace pegrasp::reference

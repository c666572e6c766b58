// SPDX-License-Identifier: Apache-2.0
#include "src/penalty/placed_part.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pegrasp {
namespace {

Vec3 at3(const double* x) { return {x[0], x[1], x[2]}; }

Vec3 turned_by(const PenaltyMotion& body, Vec3 v) {
  return {dot(body.row[0], v), dot(body.row[1], v), dot(body.row[2], v)};
}

PenaltyShape shape_of(const ModelView& m, int part) {
  PenaltyShape shape;
  shape.round = m.part_round[part];
  for (int v = m.part_first_vertex[part]; v < m.part_first_vertex[part + 1]; ++v) {
    shape.points.push_back(at3(m.vertex + 3 * v));
  }
  for (int f = m.part_first_face[part]; f < m.part_first_face[part + 1]; ++f) {
    shape.sides.push_back({at3(m.face_normal + 3 * f), m.face_offset[f], m.face_use[f] == edge_feature});
    shape.loops.emplace_back(m.face_corner + m.face_first_corner[f], m.face_corner + m.face_first_corner[f + 1]);
  }
  shape.radius = -1.0;
  if (shape.points.empty()) return shape;
  for (const Vec3& point : shape.points) shape.middle = shape.middle + point;
  shape.middle = (1.0 / static_cast<double>(shape.points.size())) * shape.middle;
  shape.radius = 0.0;
  for (const Vec3& point : shape.points) shape.radius = std::max(shape.radius, length(point - shape.middle));
  shape.radius += shape.round;
  return shape;
}

}  // namespace

std::vector<PenaltyShape> penalty_shapes(const ModelView& model) {
  std::vector<PenaltyShape> shapes;
  for (int part = 0; part < model.part_count; ++part) shapes.push_back(shape_of(model, part));
  return shapes;
}

void place_part(const PenaltyShape& shape, const PenaltyMotion& body, PlacedPart& out) {
  out.shape = &shape;
  out.points.resize(shape.points.size());
  for (std::size_t i = 0; i < shape.points.size(); ++i) out.points[i] = turned_by(body, shape.points[i]) + body.origin;
  out.sides.resize(shape.sides.size());
  for (std::size_t f = 0; f < shape.sides.size(); ++f) {
    const Vec3 normal = turned_by(body, shape.sides[f].normal);
    out.sides[f] = {normal, shape.sides[f].offset + dot(normal, body.origin), shape.sides[f].surface};
  }
  out.middle = turned_by(body, shape.middle) + body.origin;
}

}  // namespace pegrasp

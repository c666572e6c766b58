// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/solid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pegrasp::reference::spatial {
namespace {

// The distance outside a face at which its cover is looked for, and the distance at which a sibling holds a feature,
// relative to the size of the part. It is well above rounding and well below any feature.
constexpr double probe = 1e-6;
// The share of that distance that counts as inside a sibling.
constexpr double touch = 1e-3;
// The uncovered area that a covered face may have, relative to the square of the size of the part.
constexpr double no_area = 1e-9;
// Siblings in line with the feature may seem to lean out by so much [rad], by rounding.
constexpr double in_line = 1e-6;

using Polygon = std::vector<Vector3>;

// The two sides of a plane: n . x <= offset, and the rest.
void split(const Polygon& polygon, const Vector3& n, double offset, Polygon& inside, Polygon& outside) {
  inside.clear();
  outside.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector3& here = polygon[i];
    const Vector3& next = polygon[(i + 1) % polygon.size()];
    const double s = n.dot(here) - offset;
    const double t = n.dot(next) - offset;
    (s <= 0.0 ? inside : outside).push_back(here);
    if ((s <= 0.0) == (t <= 0.0)) continue;
    const Vector3 cut = here + s / (s - t) * (next - here);
    inside.push_back(cut);
    outside.push_back(cut);
  }
}

double area(const Polygon& polygon) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    sum += 0.5 * (polygon[i] - polygon[0]).cross(polygon[i + 1] - polygon[0]);
  }
  return sum.norm();
}

// What a convex part leaves uncovered of the polygons.
std::vector<Polygon> without(const std::vector<Polygon>& polygons, const Solid& part, double tolerance) {
  std::vector<Polygon> out;
  for (Polygon rest : polygons) {
    for (const SolidFace& face : part.faces) {
      Polygon inside, outside;
      split(rest, face.normal, face.offset + tolerance, inside, outside);
      if (outside.size() > 2) out.push_back(outside);
      rest = inside;
    }
  }
  return out;
}

bool covered(const std::vector<Solid>& parts, std::size_t part, const SolidFace& face) {
  const Solid& own = parts[part];
  const double away = probe * own.size;
  std::vector<Polygon> open(1);
  for (const int v : face.loop) open[0].push_back(own.vertices.col(v) + away * face.normal);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    if (j != part && parts[j].hides()) open = without(open, parts[j], touch * away);
  }
  double left = 0.0;
  for (const Polygon& polygon : open) left += area(polygon);
  return left <= no_area * own.size * own.size;
}

// Whether a sibling reaches farther along d than the point x of it, by more than rounding.
bool reaches_past(const Solid& sibling, const Vector3& x, const Vector3& d) {
  if (sibling.half_space()) {
    const Vector3& n = sibling.faces[0].normal;
    return d.dot(n) < 0.0 || d.cross(n).norm() > in_line * d.norm();
  }
  for (Eigen::Index v = 0; v < sibling.vertices.cols(); ++v) {
    const Vector3 way = sibling.vertices.col(v) - x;
    if (d.dot(way) > in_line * way.norm()) return true;
  }
  return false;
}

void make_smooth(const SolidPart& part, Solid& out) {
  out.smooth = true;
  out.order = part.order;
  out.vertex_siblings.resize(1);
  for (int k = 0; k < 3; ++k) {
    const PolyhedronFace& axis = part.shape.faces[static_cast<std::size_t>(k)];
    out.axes.col(k) = vector3(axis.normal);
    out.half[k] = axis.offset;
  }
  out.inradius = out.half.minCoeff();
  const Vec3 reach = round_reach(part);
  out.size = vector3(reach).norm();
}

}  // namespace

bool Solid::contains(const Vector3& x, double tolerance) const {
  return std::all_of(faces.begin(), faces.end(),
                     [&](const SolidFace& face) { return face.normal.dot(x) <= face.offset + tolerance; });
}

Solid make_solid(const Polyhedron& shape) {
  Solid out;
  out.vertices.resize(3, static_cast<Eigen::Index>(shape.vertices.size()));
  Eigen::Index column = 0;
  for (const Vec3& v : shape.vertices) out.vertices.col(column++) = vector3(v);
  for (const PolyhedronFace& face : shape.faces) {
    out.faces.push_back({vector3(face.normal), face.offset, face.vertices, false});
  }
  for (const PolyhedronEdge& edge : shape.edges) out.edges.push_back({edge.tail, edge.head, edge.left, edge.right, {}});
  out.vertex_siblings.resize(shape.vertices.size());
  const Vector3 middle = out.vertices.rowwise().mean();
  out.inradius = std::numeric_limits<double>::infinity();
  for (const SolidFace& face : out.faces) out.inradius = std::min(out.inradius, face.offset - face.normal.dot(middle));
  out.size = 0.5 * (out.vertices.rowwise().maxCoeff() - out.vertices.rowwise().minCoeff()).norm();
  return out;
}

Solid make_solid(const SolidPart& part) {
  if (part.kind == SolidKind::polyhedron) return make_solid(part.shape);
  Solid out;
  if (part.kind == SolidKind::half_space) {
    const PolyhedronFace& face = part.shape.faces[0];
    out.faces.push_back({vector3(face.normal), face.offset, {}, false});
    out.inradius = out.size = std::numeric_limits<double>::infinity();
    return out;
  }
  const auto points = static_cast<Eigen::Index>(part.shape.vertices.size());
  out.vertices.resize(3, points);
  for (Eigen::Index v = 0; v < points; ++v) {
    out.vertices.col(v) = vector3(part.shape.vertices[static_cast<std::size_t>(v)]);
  }
  if (part.kind == SolidKind::superellipsoid) {
    make_smooth(part, out);
    return out;
  }
  out.edges.push_back({0, static_cast<int>(points) - 1, -1, -1, {}});
  out.vertex_siblings.resize(part.shape.vertices.size());
  out.size = 0.5 * (out.vertices.rowwise().maxCoeff() - out.vertices.rowwise().minCoeff()).norm();
  out.inradius = out.radius = part.radius;
  if (part.kind != SolidKind::cylinder) return out;
  out.cylinder = true;
  for (const PolyhedronFace& face : part.shape.faces)
    out.faces.push_back({vector3(face.normal), face.offset, {}, false});
  out.inradius = std::min(part.radius, 0.5 * (out.vertices.col(1) - out.vertices.col(0)).norm());
  const Vector3 axis = out.faces[1].normal;
  Vector3 reach;
  for (int k = 0; k < 3; ++k) reach[k] = part.radius * std::sqrt(std::max(0.0, 1.0 - axis[k] * axis[k]));
  const Vector3 size = (out.vertices.rowwise().maxCoeff() - out.vertices.rowwise().minCoeff()) + 2.0 * reach;
  out.size = 0.5 * size.norm();
  return out;
}

void mark_internal_edges(std::vector<Solid>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Solid& own = parts[i];
    if (!own.polyhedron()) continue;
    const double away = probe * own.size;
    if (parts.size() > 1) {
      for (SolidFace& face : own.faces) face.covered = covered(parts, i, face);
    }
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (j == i || !parts[j].hides()) continue;
      const auto holds = [&](int v) { return parts[j].contains(own.vertices.col(v), away); };
      for (int v = 0; v < static_cast<int>(own.vertices.cols()); ++v) {
        if (holds(v)) own.vertex_siblings[static_cast<std::size_t>(v)].push_back(static_cast<int>(j));
      }
      for (SolidEdge& edge : own.edges) {
        if (holds(edge.tail) && holds(edge.head)) edge.siblings.push_back(static_cast<int>(j));
      }
    }
  }
}

PlacedSolid::PlacedSolid(const std::vector<Solid>& parts, int part, const Placement& placement)
    : body(&parts),
      solid(&parts[static_cast<std::size_t>(part)]),
      at(placement),
      vertices((placement.axes * solid->vertices).colwise() + placement.origin),
      normals(3, static_cast<Eigen::Index>(solid->faces.size())),
      offsets(static_cast<Eigen::Index>(solid->faces.size())) {
  Eigen::Index f = 0;
  for (const SolidFace& face : solid->faces) {
    normals.col(f) = at.axes * face.normal;
    offsets[f] = face.offset + normals.col(f).dot(at.origin);
    ++f;
  }
}

Support PlacedSolid::support(const Vector3& d) const {
  Eigen::Index best = 0;
  const double value = (d.transpose() * vertices).maxCoeff(&best);
  return {static_cast<int>(best), value};
}

bool PlacedSolid::vertex_on_surface(int v, const Vector3& d) const {
  const std::vector<int>& siblings = solid->vertex_siblings[static_cast<std::size_t>(v)];
  return std::none_of(siblings.begin(), siblings.end(), [&](int j) {
    return reaches_past((*body)[static_cast<std::size_t>(j)], solid->vertices.col(v), at.axes.transpose() * d);
  });
}

// Along the normal of an edge only what lies across it counts, which d does by itself.
bool PlacedSolid::edge_on_surface(int e, const Vector3& d) const {
  const std::vector<int>& siblings = edge(e).siblings;
  return std::none_of(siblings.begin(), siblings.end(), [&](int j) {
    return reaches_past((*body)[static_cast<std::size_t>(j)], solid->vertices.col(edge(e).tail),
                        at.axes.transpose() * d);
  });
}

}  // namespace pegrasp::reference::spatial

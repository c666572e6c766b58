// SPDX-License-Identifier: Apache-2.0
// make_polyhedron() from points: it computes the exact hull on a grid, merges coplanar triangles, drops the points that
// are no vertices, and repeats this with the vertices that stay. Then it makes the faces, the edges and their
// adjacency.
#include "pegrasp/polyhedron.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "src/geometry/coplanar.hpp"
#include "src/geometry/hull.hpp"
#include "src/geometry/merge_vertices.hpp"
#include "src/geometry/polyhedron_build.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace solid {
namespace {

// The grid has 2^41 = 2e12 steps. With a tolerance below a few steps, rounding to the grid would be taken for shape.
constexpr double least_tolerance = 1e-11;
constexpr double largest_tolerance = 1e-2;
// How far a point of the input may lie outside the result, in tolerances: the plane of a face is within one tolerance
// of its corners, and a dropped point within another of these, sometimes after a corner beside it was dropped. This is
// part of what polyhedron.hpp promises.
constexpr double slack_factor = 4.0;
// The factor by which the tolerance is raised where the coordinates have noise of about its size. It is part of the
// same promise.
constexpr double coarsening = 8.0;
// Sizes [m] whose fifth powers, squared under a root, stay within the range of a double.
constexpr double least_extent = 1e-25;
constexpr double largest_extent = 1e25;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void fail(const std::string& problem) { throw ShapeError("polyhedron: " + problem); }

std::string vertex_text(const std::vector<Vec3>& vertices, std::size_t i) {
  std::ostringstream text;
  text << "vertices[" << i << "] (" << vertices[i].x << ", " << vertices[i].y << ", " << vertices[i].z << ")";
  return text.str();
}

double checked_extent(const std::vector<Vec3>& vertices, double tolerance) {
  if (!(tolerance >= least_tolerance && tolerance <= largest_tolerance)) {
    std::ostringstream text;
    text << "tolerance " << tolerance << " is not between " << least_tolerance << " and " << largest_tolerance
         << ": it is relative to the size";
    fail(text.str());
  }
  if (vertices.size() < 4)
    fail("has " + std::to_string(vertices.size()) + " vertices, needs at least 4: add what is missing");
  Vec3 low = vertices[0], high = vertices[0];
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec3 v = vertices[i];
    if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) {
      fail(vertex_text(vertices, i) + " is not finite: give real numbers");
    }
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  const double farthest = std::max(
      {std::fabs(low.x), std::fabs(low.y), std::fabs(low.z), std::fabs(high.x), std::fabs(high.y), std::fabs(high.z)});
  const double extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  if (!(farthest <= largest_extent)) fail("is too large to compute with: use metres");
  if (extent == 0.0) fail("has zero volume (all vertices are the same point): give the vertices of a solid");
  if (!(extent >= least_extent)) fail("is too small to compute with: use metres");
  return extent;
}

Vec3 loop_area(const std::vector<Vec3>& vertices, const std::vector<int>& loop) {
  const Vec3 origin = vertices[index(loop[0])];
  Vec3 area;
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
    area = area + triangle_area(origin, vertices[index(loop[k])], vertices[index(loop[k + 1])]);
  }
  return area;
}

void fit_planes(Polyhedron& polyhedron) {
  for (PolyhedronFace& face : polyhedron.faces) {
    const Vec3 area = loop_area(polyhedron.vertices, face.vertices);
    const double size = length(area);
    face.normal = {area.x / size + 0.0, area.y / size + 0.0, area.z / size + 0.0};  // no -0
    face.offset = dot(face.normal, polyhedron.vertices[index(face.vertices[0])]);
    for (const Vec3& v : polyhedron.vertices) face.offset = std::max(face.offset, dot(face.normal, v));
  }
}

namespace {

// The points of the input, scaled to unit size, as numbers and on the grid.
struct Cloud {
  std::vector<Vec3> points;
  std::vector<hull::GridPoint> grid;
};

Cloud cloud_of(const std::vector<Vec3>& vertices, double extent) {
  Vec3 low = vertices[0];
  for (const Vec3& v : vertices) low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
  Cloud cloud;
  constexpr double steps = static_cast<double>(std::int64_t{1} << hull::grid_bits);
  const auto to_grid = [&](double x) { return static_cast<std::int64_t>(x * steps + 0.5); };
  for (const Vec3& v : vertices) {
    const Vec3 p{(v.x - low.x) / extent, (v.y - low.y) / extent, (v.z - low.z) / extent};
    cloud.points.push_back(p);
    cloud.grid.push_back({to_grid(p.x), to_grid(p.y), to_grid(p.z)});
  }
  return cloud;
}

// For each distinct grid point the smallest index of an input point there, in ascending order.
std::vector<int> distinct(const std::vector<hull::GridPoint>& grid) {
  std::vector<int> order;
  for (std::size_t i = 0; i < grid.size(); ++i) order.push_back(static_cast<int>(i));
  const auto key = [&](int i) { return std::make_tuple(grid[index(i)].x, grid[index(i)].y, grid[index(i)].z); };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::make_pair(key(a), a) < std::make_pair(key(b), b); });
  order.erase(std::unique(order.begin(), order.end(), [&](int a, int b) { return key(a) == key(b); }), order.end());
  std::sort(order.begin(), order.end());
  return order;
}

void check_thickness(const Cloud& cloud, const std::vector<int>& chosen, double tolerance) {
  const hull::Simplex simplex = hull::spanning_simplex(cloud.grid, chosen);
  const double step = 1.0 / static_cast<double>(std::int64_t{1} << hull::grid_bits);
  if (!(simplex.height * step > tolerance)) {
    fail("has zero volume (all vertices lie on one line): move a vertex off the line");
  }
  if (!(simplex.depth * step > tolerance)) {
    fail("has zero volume (all vertices lie in one plane): move a vertex off the plane");
  }
}

std::vector<int> corners_of(const std::vector<hull::Triangle>& triangles) {
  std::vector<int> corners;
  for (const hull::Triangle& triangle : triangles) corners.insert(corners.end(), triangle.begin(), triangle.end());
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  return corners;
}

// The points without those that lie within the tolerance of an earlier one.
std::vector<int> apart(const Cloud& cloud, const std::vector<int>& corners, double tolerance) {
  std::vector<int> kept;
  for (const int i : corners) {
    const auto close = [&](int j) { return length(cloud.points[index(i)] - cloud.points[index(j)]) <= tolerance; };
    if (std::none_of(kept.begin(), kept.end(), close)) kept.push_back(i);
  }
  return kept;
}

// The points that belong to at least three faces.
std::vector<int> true_corners(const std::vector<hull::Triangle>& triangles, const std::vector<int>& face) {
  std::vector<std::pair<int, int>> touching;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const int corner : triangles[t]) touching.emplace_back(corner, face[t]);
  }
  std::sort(touching.begin(), touching.end());
  touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
  std::vector<int> kept;
  for (std::size_t i = 0, end = 0; i < touching.size(); i = end) {
    while (end < touching.size() && touching[end].first == touching[i].first) ++end;
    if (end - i >= 3) kept.push_back(touching[i].first);
  }
  return kept;
}

// The loop of corners around each face, from its smallest corner on. Empty if the boundary of a face is not one simple
// loop.
std::optional<std::vector<std::vector<int>>> loops_of(const std::vector<hull::Triangle>& triangles,
                                                      const std::vector<int>& face) {
  const std::vector<std::array<int, 3>> neighbours = hull::triangle_neighbours(triangles);
  const int count = *std::max_element(face.begin(), face.end()) + 1;
  std::vector<std::map<int, int>> next(index(count));  // of each face: tail to head
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (face[index(neighbours[t][k])] == face[t]) continue;
      if (!next[index(face[t])].emplace(triangles[t][k], triangles[t][(k + 1) % 3]).second) return std::nullopt;
    }
  }
  std::vector<std::vector<int>> loops;
  for (const std::map<int, int>& sides : next) {
    if (sides.size() < 3) return std::nullopt;
    std::vector<int> loop{sides.begin()->first};
    for (int at = sides.begin()->second; at != loop[0]; at = sides.at(at)) loop.push_back(at);
    if (loop.size() != sides.size()) return std::nullopt;
    loops.push_back(std::move(loop));
  }
  std::sort(loops.begin(), loops.end());
  return loops;
}

// Makes the edges, and the cycles around the vertices, from the loops. False if the loops do not form one closed
// surface.
bool connect(Polyhedron& polyhedron) {
  std::map<std::pair<int, int>, int> left;  // (tail, head) to the face that runs so
  for (std::size_t f = 0; f < polyhedron.faces.size(); ++f) {
    const std::vector<int>& loop = polyhedron.faces[f].vertices;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      if (!left.emplace(std::make_pair(loop[k], loop[(k + 1) % loop.size()]), static_cast<int>(f)).second) return false;
    }
  }
  std::map<std::pair<int, int>, int> edge_of;
  for (const auto& [ends, face] : left) {
    const auto twin = left.find({ends.second, ends.first});
    if (twin == left.end()) return false;
    if (ends.first > ends.second) continue;
    edge_of[ends] = static_cast<int>(polyhedron.edges.size());
    polyhedron.edges.push_back({ends.first, ends.second, face, twin->second});
  }
  if (polyhedron.vertices.size() + polyhedron.faces.size() != polyhedron.edges.size() + 2) return false;
  // The cycle around a vertex, counter-clockwise: the edge by which the loop of a face leaves it, that face, and the
  // edge by which the loop arrives.
  std::vector<std::map<int, std::pair<int, int>>> turn(polyhedron.vertices.size());  // edge to (face, next edge)
  for (std::size_t f = 0; f < polyhedron.faces.size(); ++f) {
    PolyhedronFace& face = polyhedron.faces[f];
    const std::size_t n = face.vertices.size();
    for (std::size_t k = 0; k < n; ++k) {
      const int a = face.vertices[k], b = face.vertices[(k + 1) % n];
      face.edges.push_back(edge_of.at({std::min(a, b), std::max(a, b)}));
    }
    for (std::size_t k = 0; k < n; ++k) {
      turn[index(face.vertices[k])][face.edges[k]] = {static_cast<int>(f), face.edges[(k + n - 1) % n]};
    }
  }
  for (const auto& next : turn) {
    std::vector<int> edges, faces;
    int edge = next.begin()->first;
    do {
      edges.push_back(edge);
      faces.push_back(next.at(edge).first);
      edge = next.at(edge).second;
    } while (edge != edges[0] && edges.size() <= next.size());
    if (edges.size() != next.size() || edges.size() < 3) return false;
    polyhedron.vertex_edges.push_back(std::move(edges));
    polyhedron.vertex_faces.push_back(std::move(faces));
  }
  return true;
}

// Whether no vertex of the input lies outside by more than the slack. Positions are taken relative to a vertex of the
// face, because far from the origin absolute coordinates would lose the digits that matter.
bool holds(const Polyhedron& polyhedron, const std::vector<Vec3>& vertices, double slack) {
  for (const PolyhedronFace& face : polyhedron.faces) {
    const Vec3 origin = polyhedron.vertices[index(face.vertices[0])];
    double plane = 0.0;  // mean of the face's own vertices
    for (const int v : face.vertices) plane += dot(face.normal, polyhedron.vertices[index(v)] - origin);
    plane /= static_cast<double>(face.vertices.size());
    for (const Vec3& v : vertices) {
      if (!(dot(face.normal, v - origin) - plane <= slack)) return false;
    }
  }
  return true;
}

std::optional<Polyhedron> build(const std::vector<Vec3>& vertices, const Cloud& cloud, std::vector<int> chosen,
                                double extent, double tolerance) {
  // Takes the corners of the hull, then those that are apart, then those of at least three faces, and repeats this
  // until no point is dropped.
  for (bool first = true;; first = false) {
    const std::vector<hull::Triangle> triangles = hull::hull_triangles(cloud.grid, chosen);
    if (triangles.empty()) return std::nullopt;
    std::vector<int> corners = corners_of(triangles);
    if (first) {
      std::vector<int> kept = apart(cloud, corners, tolerance);
      if (kept.size() < corners.size()) {
        chosen = std::move(kept);
        continue;
      }
    }
    const std::vector<int> face = hull::coplanar_faces(cloud.points, triangles, tolerance);
    std::vector<int> kept = true_corners(triangles, face);
    if (kept.size() < corners.size()) {
      chosen = std::move(kept);
      continue;
    }
    std::optional<std::vector<std::vector<int>>> loops = loops_of(triangles, face);
    if (!loops) return std::nullopt;
    Polyhedron polyhedron;
    std::map<int, int> renumbered;
    for (const int i : corners) {
      renumbered[i] = static_cast<int>(polyhedron.vertices.size());
      polyhedron.vertices.push_back(vertices[index(i)]);
    }
    for (std::vector<int>& loop : *loops) {
      for (int& corner : loop) corner = renumbered.at(corner);
      polyhedron.faces.push_back({{}, 0.0, std::move(loop), {}});
    }
    if (!connect(polyhedron)) return std::nullopt;
    fit_planes(polyhedron);
    if (!holds(polyhedron, vertices, slack_factor * tolerance * extent)) return std::nullopt;
    return polyhedron;
  }
}

}  // namespace

namespace {

// Empty where no tolerance up to `coarsening` times the given one makes a closed polyhedron.
std::optional<Hull> try_hull(const std::vector<Vec3>& vertices, double tolerance) {
  const double extent = checked_extent(vertices, tolerance);
  const Cloud cloud = cloud_of(vertices, extent);
  const std::vector<int> chosen = distinct(cloud.grid);
  check_thickness(cloud, chosen, tolerance);
  // Where coordinates have noise of about the size of the tolerance, some facets are merged and some are not, and
  // dropping one corner after the other can add up to more than is promised. A tolerance above the noise avoids that.
  for (double coarser = tolerance; coarser <= coarsening * tolerance; coarser *= 2.0) {
    if (std::optional<Polyhedron> polyhedron = build(vertices, cloud, chosen, extent, coarser)) {
      return Hull{std::move(*polyhedron), slack_factor * coarser * extent};
    }
  }
  return std::nullopt;
}

[[noreturn]] void fail_of_noise() {
  fail("has features about as small as the tolerance: give a larger one, or drop vertices that lie close together");
}

// How many corners a part can have at least: a corner has three edges, and an edge two corners.
constexpr std::size_t most_part_corners = 2 * static_cast<std::size_t>(most_part_edges) / 3;

// Refuses points of which more are corners of their hull than a part may have, before that hull is made, whose time
// grows with the square of their number. A point that is farthest in some direction is a corner.
void refuse_many_corners(const std::vector<Vec3>& points) {
  if (points.size() <= most_part_corners) return;
  std::vector<bool> extreme(points.size(), false);
  const int directions = 4 * static_cast<int>(most_part_corners);
  std::uint64_t state = 1;
  const auto next = [&state] {  // of -1 to 1: Knuth's linear congruential generator
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
  };
  for (int k = 0; k < directions; ++k) {
    const double x = next(), y = next(), z = next();
    const Vec3 direction{x, y, z};
    std::size_t best = 0;
    double farthest = dot(direction, points[0]);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double here = dot(direction, points[i]);
      if (here > farthest) farthest = here, best = i;
    }
    extreme[best] = true;
  }
  const auto count = static_cast<std::size_t>(std::count(extreme.begin(), extreme.end(), true));
  if (count <= most_part_corners) return;
  fail("has at least " + std::to_string(count) + " corners, and " + std::to_string(most_part_corners) +
       " are the most of a part of " + std::to_string(most_part_edges) + " edges: thin the mesh out");
}

}  // namespace

Hull make_hull(const std::vector<Vec3>& vertices, double tolerance) {
  if (std::optional<Hull> hull = try_hull(vertices, tolerance)) return std::move(*hull);
  fail_of_noise();
}

Hull make_file_hull(const std::vector<Vec3>& vertices, double tolerance) {
  constexpr double finest = 1e-6;  // single precision, or six digits
  const double extent = checked_extent(vertices, tolerance);
  const std::vector<int> stands_for = merged_vertices(vertices, tolerance * extent);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (stands_for[i] == static_cast<int>(i)) points.push_back(vertices[i]);
  }
  if (points.size() < 4)
    fail("has zero volume: its vertices are " + std::to_string(points.size()) +
         " points: give the vertices of a solid");
  refuse_many_corners(points);
  for (double flat = std::min(finest, tolerance); flat <= tolerance; flat *= 10.0) {
    if (std::optional<Hull> hull = try_hull(points, flat)) {
      hull->slack += tolerance * extent;
      return std::move(*hull);
    }
  }
  fail_of_noise();
}

}  // namespace solid

Polyhedron make_polyhedron(const std::vector<Vec3>& vertices, double tolerance) {
  return solid::make_hull(vertices, tolerance).polyhedron;
}

Polyhedron hull_of_mesh(const std::vector<Vec3>& vertices, double tolerance) {
  return solid::make_file_hull(vertices, tolerance).polyhedron;
}

Polyhedron moved(const Polyhedron& polyhedron, const SpatialPose& pose) {
  const Quaternion q = pose.turn;
  const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!(square > 0.0) || !std::isfinite(square)) solid::fail("cannot be turned by a quaternion of zero length");
  const double s = 2.0 / square;
  Polyhedron result = polyhedron;
  for (Vec3& v : result.vertices) {
    const Vec3 axis{q.x, q.y, q.z};
    const Vec3 across = cross(axis, v);
    const Vec3 turned = q.w * across + cross(axis, across);
    v = pose.position + (v + s * turned);
  }
  solid::fit_planes(result);
  return result;
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// make_polyhedron() from a closed mesh. The faces of the mesh are checked and not used further; the result is the hull
// of its vertices.
//
// A closed, oriented mesh is the surface of the hull once around if and only if each of its faces lies on the hull and
// it encloses the hull's volume. This check needs no normal of a triangle, which would be mostly rounding in a sliver.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include "pegrasp/polyhedron.hpp"
#include "src/geometry/merge_vertices.hpp"
#include "src/geometry/polyhedron_build.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

using solid::fail;

struct Mesh {
  const std::vector<Vec3>& vertices;
  const std::vector<std::vector<int>>& faces;
  std::vector<std::vector<int>> welded;  // faces, with the first of all vertices of equal coordinates

  Vec3 at(int i) const { return vertices[static_cast<std::size_t>(i)]; }
};

std::string face_text(std::size_t f) { return "faces[" + std::to_string(f) + "]"; }

std::string edge_text(std::pair<int, int> ends) {
  return std::to_string(ends.first) + "-" + std::to_string(ends.second);
}

void check_indices(const Mesh& mesh) {
  if (mesh.faces.size() < 4)
    fail("has " + std::to_string(mesh.faces.size()) + " faces, needs at least 4: add what is missing");
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const std::vector<int>& face = mesh.faces[f];
    if (face.size() < 3) {
      fail(face_text(f) + " has " + std::to_string(face.size()) +
           " vertices, needs at least 3: add them, or drop the face");
    }
    for (const int i : face) {
      if (i >= 0 && static_cast<std::size_t>(i) < mesh.vertices.size()) continue;
      fail(face_text(f) + " names vertex " + std::to_string(i) + ", but there are " +
           std::to_string(mesh.vertices.size()) + ": count from 0");
    }
  }
}

// A mesh of separate triangles repeats its vertices. Vertices are the same when their coordinates are equal bit by bit,
// except that -0 equals 0.
void weld(Mesh& mesh) {
  std::map<std::tuple<double, double, double>, int> first;
  std::vector<int> same;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3 v = mesh.vertices[i];
    same.push_back(first.emplace(std::make_tuple(v.x, v.y, v.z), static_cast<int>(i)).first->second);
  }
  mesh.welded = mesh.faces;
  for (std::size_t f = 0; f < mesh.welded.size(); ++f) {
    for (int& i : mesh.welded[f]) i = same[static_cast<std::size_t>(i)];
    std::vector<int> sorted = mesh.welded[f];
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) continue;
    fail(face_text(f) + " passes " + solid::vertex_text(mesh.vertices, static_cast<std::size_t>(*twice)) +
         " twice: drop the face, or the vertex from it");
  }
}

// Merges vertices within `distance` [m]. Faces that lose their area so go.
void weld_within(Mesh& mesh, double distance) {
  const std::vector<int> stands_for = merged_vertices(mesh.vertices, distance);
  for (const std::vector<int>& face : mesh.faces) {
    std::vector<int> kept = merged_face(face, stands_for);
    if (kept.size() >= 3) mesh.welded.push_back(std::move(kept));
  }
  if (mesh.welded.size() < 4) {
    fail("has zero volume (all but " + std::to_string(mesh.welded.size()) +
         " faces are lines or points within the tolerance): give the faces of a solid, or a smaller tolerance");
  }
}

// As check_closed(), but faces may lie back to back, as they do where merging has closed a sliver.
void check_balanced(const Mesh& mesh) {
  std::map<std::pair<int, int>, int> balance;  // of an edge, by its lower end: uses one way less those the other way
  for (const std::vector<int>& face : mesh.welded) {
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int a = face[k], b = face[(k + 1) % face.size()];
      balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  }
  for (const auto& [ends, uses] : balance) {
    if (uses == 0) continue;
    fail("is not closed: edge " + edge_text(ends) +
         " has no face on its other side: fill the hole, and let faces that " + "meet share their vertices");
  }
}

void check_closed(const Mesh& mesh) {
  std::map<std::pair<int, int>, std::size_t> user;
  for (std::size_t f = 0; f < mesh.welded.size(); ++f) {
    const std::vector<int>& face = mesh.welded[f];
    for (std::size_t k = 0; k < face.size(); ++k) {
      const std::pair<int, int> ends{face[k], face[(k + 1) % face.size()]};
      const auto [before, fresh] = user.emplace(ends, f);
      if (fresh) continue;
      fail("edge " + edge_text(ends) + " runs the same way in " + face_text(before->second) + " and " + face_text(f) +
           ": list each face once, counter-clockwise seen from outside");
    }
  }
  for (const auto& [ends, f] : user) {
    if (user.count({ends.second, ends.first}) != 0) continue;
    fail("is not closed: edge " + edge_text(ends) + " of " + face_text(f) +
         " has no face on its other side: fill the hole, and let faces that meet share their vertices");
  }
}

// Six times the enclosed volume, as a sum over tetrahedra from one origin.
double enclosed(const std::vector<Vec3>& vertices, const std::vector<int>& loop, Vec3 origin) {
  double sum = 0.0;
  const auto arm = [&](std::size_t k) { return vertices[static_cast<std::size_t>(loop[k])] - origin; };
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) sum += dot(arm(0), cross(arm(k), arm(k + 1)));
  return sum;
}

Vec3 mean_point(const Mesh& mesh, const std::vector<int>& face) {
  Vec3 sum;
  for (const int i : face) sum = sum + mesh.at(i);
  return (1.0 / static_cast<double>(face.size())) * sum;
}

// The largest distance of a vertex from the mean plane of the face, and that vertex.
std::pair<double, int> unevenness(const Mesh& mesh, const std::vector<int>& face) {
  const Vec3 area = solid::loop_area(mesh.vertices, face);
  const double size = length(area);
  const Vec3 middle = mean_point(mesh, face);
  std::pair<double, int> worst{0.0, face[0]};
  for (const int i : face) {
    const double off = std::fabs(dot(area, mesh.at(i) - middle)) / size;
    if (off > worst.first) worst = {off, i};
  }
  return worst;
}

// How deep the face lies inside the hull: the depth of its deepest vertex below the hull face for which this is
// smallest.
double buried(const Mesh& mesh, const std::vector<int>& face, const Polyhedron& hull) {
  double least = std::numeric_limits<double>::infinity();
  for (const PolyhedronFace& side : hull.faces) {
    double depth = 0.0;
    for (const int i : face) {
      depth = std::max(depth, side.offset - dot(side.normal, mesh.at(i)));
      if (depth >= least) break;
    }
    least = std::min(least, depth);
  }
  return least;
}

void check_convexity(const Mesh& mesh, const Polyhedron& hull, double slack) {
  double deepest = slack;
  std::size_t worst = mesh.welded.size();
  for (std::size_t f = 0; f < mesh.welded.size(); ++f) {
    const double depth = buried(mesh, mesh.welded[f], hull);
    if (!(depth > slack)) continue;
    if (mesh.welded[f].size() > 3) {
      const auto [off, vertex] = unevenness(mesh, mesh.welded[f]);
      if (off > slack) {
        std::ostringstream text;
        text << face_text(f) << " is not flat: " << solid::vertex_text(mesh.vertices, static_cast<std::size_t>(vertex))
             << " lies " << off << " m off its plane: split it into triangles, or set hull = true";
        fail(text.str());
      }
    }
    if (depth > deepest) deepest = depth, worst = f;
  }
  if (worst == mesh.welded.size()) return;
  const Vec3 where = mean_point(mesh, mesh.welded[worst]);
  std::ostringstream text;
  text << "is not convex: " << face_text(worst) << " at (" << where.x << ", " << where.y << ", " << where.z
       << ") lies up to " << deepest << " m inside the hull of the vertices: decompose it into convex parts, e.g. with "
       << "pegrasp convexify, V-HACD or CoACD, or set convexify = true, or hull = true to take its convex hull";
  fail(text.str());
}

// The vertices that faces use.
std::vector<Vec3> used_vertices(const Mesh& mesh) {
  std::vector<bool> used(mesh.vertices.size(), false);
  for (const std::vector<int>& face : mesh.welded) {
    for (const int i : face) used[static_cast<std::size_t>(i)] = true;
  }
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (used[i]) kept.push_back(mesh.vertices[i]);
  }
  return kept;
}

// Checks that the mesh is the surface of the hull, once around.
void check_surface(const Mesh& mesh, const Polyhedron& hull, double slack, double tolerance) {
  const Vec3 origin = hull.vertices[0];
  double volume = 0.0, hull_volume = 0.0;
  for (const std::vector<int>& face : mesh.welded) volume += enclosed(mesh.vertices, face, origin);
  for (const PolyhedronFace& face : hull.faces) hull_volume += enclosed(hull.vertices, face.vertices, origin);
  // A smaller difference may be the rounding of a folded surface, which the check below reports.
  if (volume < -tolerance * hull_volume)
    fail("is inside out (its volume is negative): reverse the order of the vertices in every face");
  check_convexity(mesh, hull, slack);
  // A surface that lies on the hull goes around it a whole number of times.
  if (volume < 0.5 * hull_volume)
    fail("has zero volume (its faces fold back on each other): list every face once, seen from outside");
  if (volume > 1.5 * hull_volume) fail("goes around its volume more than once: list every face once");
}

}  // namespace

Polyhedron make_polyhedron(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces,
                           double tolerance) {
  solid::checked_extent(vertices, tolerance);
  Mesh mesh{vertices, faces, {}};
  check_indices(mesh);
  weld(mesh);
  check_closed(mesh);
  const std::vector<Vec3> kept = used_vertices(mesh);
  const auto [hull, slack] = solid::make_hull(kept, tolerance);

  check_surface(mesh, hull, slack, tolerance);
  return hull;
}

Polyhedron polyhedron_of_mesh(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces,
                              double tolerance) {
  solid::checked_extent(vertices, tolerance);
  Mesh mesh{vertices, faces, {}};
  check_indices(mesh);
  weld_within(mesh, tolerance * box_extent(vertices));
  check_balanced(mesh);
  const auto [hull, slack] = solid::make_file_hull(used_vertices(mesh), tolerance);
  check_surface(mesh, hull, slack, tolerance);
  return hull;
}

}  // namespace pegrasp

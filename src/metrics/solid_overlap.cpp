// SPDX-License-Identifier: Apache-2.0
// The smaller solid is cut by the sides of the other, one after the other. A cut divides the vertices into inner and
// outer ones; everything after that is combinatorial. An edge between an inner and an outer vertex gets one new vertex,
// which both of its faces use, and the edges that the cut leaves open form the new face. So the surface stays closed
// whatever rounding does to heights, no tolerance is needed, and rounding changes the volume only by its own size.
#include "src/metrics/solid_overlap.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace pegrasp {
namespace {

using solids::HalfSpace;
using solids::PlacedPair;
using solids::PlacedSolid;
using solids::Shell;

// The point where the edge from an inner vertex (height <= 0) to an outer one (height > 0) meets the plane, measured
// from the nearer end.
Vec3 crossing(Vec3 in, double height_in, Vec3 out, double height_out) {
  const double total = height_out - height_in;
  if (height_out < -height_in) return out + (height_out / total) * (in - out);
  return in + (-height_in / total) * (out - in);
}

// One cut. run() returns the shell that is left of `whole`.
class Cut {
 public:
  Cut(const Shell& whole, const HalfSpace& keep) : whole_(whole), kept_(whole.points.size(), -1) {
    heights_.reserve(whole.points.size());
    for (const Vec3& point : whole.points) heights_.push_back(dot(keep.normal, point) - keep.offset);
  }

  bool leaves_all() const { return !(*std::max_element(heights_.begin(), heights_.end()) > 0.0); }

  Shell run() {
    if (!(*std::min_element(heights_.begin(), heights_.end()) < 0.0)) return {};
    if (leaves_all()) return whole_;
    for (std::size_t i = 0; i < heights_.size(); ++i) {
      if (inside(static_cast<int>(i))) kept_[i] = add_point(whole_.points[i]);
    }
    for (const std::vector<int>& face : whole_.faces) cut_face(face);
    close();
    return std::move(left_);
  }

 private:
  bool inside(int i) const { return heights_[i] <= 0.0; }

  int add_point(Vec3 point) {
    left_.points.push_back(point);
    next_.push_back(-1);
    return static_cast<int>(left_.points.size()) - 1;
  }

  int crossing_of(int in, int out) {
    for (const Crossing& one : crossings_) {
      if (one.in == in && one.out == out) return one.point;
    }
    const int point = add_point(crossing(whole_.points[in], heights_[in], whole_.points[out], heights_[out]));
    crossings_.push_back({in, out, point});
    return point;
  }

  // Starts at an inner vertex, so that the loop leaves the half-space before it returns.
  void cut_face(const std::vector<int>& face) {
    const auto first = std::find_if(face.begin(), face.end(), [&](int i) { return inside(i); });
    if (first == face.end()) return;
    const std::size_t start = static_cast<std::size_t>(first - face.begin());
    std::vector<int> loop;
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int i = face[(start + k) % face.size()];
      const int j = face[(start + k + 1) % face.size()];
      if (inside(i)) loop.push_back(kept_[i]);
      if (inside(i) && !inside(j)) {
        loop.push_back(crossing_of(i, j));
      } else if (!inside(i) && inside(j)) {
        const int back = crossing_of(j, i);
        next_[back] = loop.back();  // the new face has the edge the other way round
        loop.push_back(back);
      }
    }
    left_.faces.push_back(std::move(loop));
  }

  // Every crossing has one edge that leaves it and one that reaches it, so that following the edges gives loops.
  // Rounding may make more than one loop. A loop of two is the same edge in both directions; the two faces beside it
  // already close each other.
  void close() {
    std::vector<bool> seen(next_.size(), false);
    for (std::size_t begin = 0; begin < next_.size(); ++begin) {
      if (next_[begin] < 0 || seen[begin]) continue;
      std::vector<int> loop;
      for (int i = static_cast<int>(begin); !seen[i]; i = next_[i]) {
        seen[i] = true;
        loop.push_back(i);
      }
      if (loop.size() > 2) left_.faces.push_back(std::move(loop));
    }
  }

  const Shell& whole_;
  std::vector<double> heights_;
  std::vector<int> kept_;  // index of an old vertex among the new, -1: outside
  std::vector<int> next_;  // of a crossing, along the new face
  struct Crossing {
    int in, out, point;
  };
  std::vector<Crossing> crossings_;  // of edges: there are few
  Shell left_;
};

// Whether all of the other solid lies beyond one side of a solid.
bool is_beside(const PlacedSolid& one, const PlacedSolid& other) {
  const auto beyond = [&](const HalfSpace& side) {
    return side.has_direction() && std::all_of(other.points.begin(), other.points.end(), [&](const Vec3& point) {
             return dot(side.normal, point) >= side.offset;
           });
  };
  return std::any_of(one.sides.begin(), one.sides.end(), beyond);
}

}  // namespace

double intersection_volume(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                           const SpatialPose& pose_b) {
  if (a.empty() || b.empty()) return 0.0;
  const PlacedPair pair = solids::place_pair(a, pose_a, b, pose_b);
  if (is_beside(pair.a, pair.b) || is_beside(pair.b, pair.a)) return 0.0;
  const PlacedSolid& smaller = pair.a_is_smaller ? pair.a : pair.b;
  const PlacedSolid& larger = pair.a_is_smaller ? pair.b : pair.a;
  const Shell whole{smaller.points, *smaller.faces};
  Shell left = whole;
  for (const HalfSpace& side : larger.sides) {
    if (left.points.empty()) return 0.0;
    if (!side.has_direction()) continue;
    Cut cut(left, side);
    if (!cut.leaves_all()) left = cut.run();
  }
  // The sides of a needle that is as thin as rounding have random normals, which may leave more than the needle itself.
  const double most = std::min(solids::shell_volume(whole), solids::shell_volume({larger.points, *larger.faces}));
  return std::max(0.0, std::min(most, solids::shell_volume(left)));
}

ConvexSolid cut_solid(const ConvexSolid& solid, Vec3 normal, double offset, double tolerance) {
  check_solid(solid, tolerance);
  const HalfSpace keep{normal, offset};
  if (!keep.has_direction()) throw std::invalid_argument("cut_solid: the plane's normal is zero");
  if (solid.vertices.empty()) return {};
  const Shell left = Cut(solids::shell_of(solid), keep).run();
  return {left.points, left.faces};
}

}  // namespace pegrasp

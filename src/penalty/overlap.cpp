// SPDX-License-Identifier: Apache-2.0
#include "src/penalty/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pegrasp {
namespace {

// Of two facets that are as near but for rounding the first is taken, so that the choice does not hang on the rounding.
constexpr double nearer = 1.0 - 1e-6;
// Points nearer to each other than this share of the overlap's size are one point.
constexpr double same_place = 1e-9;
// Points less deep than this share of the deepest lie on the contact plane, but for rounding.
constexpr double on_the_plane = 1e-9;

// What of a convex polygon lies in a half-space.
void cut_polygon(std::vector<Vec3>& polygon, const PenaltySide& side, std::vector<Vec3>& scratch) {
  scratch.clear();
  const std::size_t n = polygon.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 here = polygon[k], next = polygon[k + 1 == n ? 0 : k + 1];
    const double from = dot(side.normal, here) - side.offset, to = dot(side.normal, next) - side.offset;
    if (from <= 0.0) scratch.push_back(here);
    if ((from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0)) {
      // From the inner end, so that both faces at an edge get the same point.
      const Vec3 inner = from < 0.0 ? here : next, outer = from < 0.0 ? next : here;
      const double depth = from < 0.0 ? from : to, height = from < 0.0 ? to : from;
      scratch.push_back(inner + (depth / (depth - height)) * (outer - inner));
    }
  }
  polygon.swap(scratch);
}

// Whether all of a part lies beyond a side of the other.
bool is_beyond(const PlacedPart& part, const PlacedPart& other) {
  if (part.points.empty()) return false;  // a half-space
  return std::any_of(other.sides.begin(), other.sides.end(), [&](const PenaltySide& side) {
    return std::all_of(part.points.begin(), part.points.end(),
                       [&](const Vec3& point) { return dot(side.normal, point) >= side.offset; });
  });
}

// The faces of a part inside the other: their corners are appended to `points`. Returns which faces have some.
std::vector<bool> faces_inside(const PlacedPart& part, const PlacedPart& other, std::vector<OverlapPoint>& points) {
  std::vector<bool> reached(part.sides.size(), false);
  std::vector<Vec3> polygon, scratch;
  for (std::size_t f = 0; f < part.sides.size(); ++f) {
    polygon.clear();
    for (const int i : part.shape->loops[f]) polygon.push_back(part.points[static_cast<std::size_t>(i)]);
    for (const PenaltySide& side : other.sides) {
      if (polygon.empty()) break;
      cut_polygon(polygon, side, scratch);
    }
    reached[f] = polygon.size() >= 3;
    for (const Vec3& point : polygon) points.push_back({point, 0.0});
  }
  return reached;
}

// The plane to which the farthest of the points is nearest, of those that `reached` names and that are surface.
struct ContactPlane {
  const PenaltySide* side = nullptr;
  double depth = 0.0;
};
void find_plane(const PlacedPart& part, const std::vector<bool>& reached, const std::vector<OverlapPoint>& points,
                ContactPlane& best) {
  for (std::size_t f = 0; f < part.sides.size(); ++f) {
    if (!reached[f] || !part.sides[f].surface) continue;
    double depth = 0.0;
    for (const OverlapPoint& point : points) {
      depth = std::max(depth, part.sides[f].offset - dot(part.sides[f].normal, point.at));
    }
    if (best.side == nullptr || depth < nearer * best.depth) best = {&part.sides[f], depth};
  }
}

bool polyhedra_overlap(const PlacedPart& a, const PlacedPart& b, PartOverlap& out) {
  if (is_beyond(a, b) || is_beyond(b, a)) return false;
  std::vector<OverlapPoint> points;
  std::vector<bool> of_a = faces_inside(a, b, points);
  std::vector<bool> of_b = faces_inside(b, a, points);
  if (a.shape->is_half_space()) of_a.assign(1, true);
  if (b.shape->is_half_space()) of_b.assign(1, true);
  if (points.size() < 3) return false;
  ContactPlane plane;
  find_plane(a, of_a, points, plane);
  const PenaltySide* first = plane.side;
  find_plane(b, of_b, points, plane);
  if (plane.side == nullptr || !(plane.depth > 0.0)) return false;
  out.face_of_b = plane.side != first;
  out.normal = out.face_of_b ? -plane.side->normal : plane.side->normal;
  for (OverlapPoint& point : points) {
    point.depth = std::max(0.0, plane.side->offset - dot(plane.side->normal, point.at));
  }
  out.points = bottom_points(std::move(points), out.normal);
  return true;
}

// The point of a convex polygon that is nearest to x.
Vec3 nearest_of_face(const PlacedPart& part, std::size_t face, Vec3 x) {
  const std::vector<int>& loop = part.shape->loops[face];
  const Vec3 normal = part.sides[face].normal;
  Vec3 best = x - (dot(normal, x) - part.sides[face].offset) * normal;
  bool inside = true;
  double least = 0.0;
  const Vec3 foot = best;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec3 from = part.points[static_cast<std::size_t>(loop[k])];
    const Vec3 along = part.points[static_cast<std::size_t>(loop[(k + 1) % loop.size()])] - from;
    if (dot(cross(along, foot - from), normal) >= 0.0) continue;
    const double share = std::clamp(dot(foot - from, along) / dot(along, along), 0.0, 1.0);
    const Vec3 candidate = from + share * along;
    const double distance = length(candidate - x);
    if (inside || distance < least) {
      best = candidate;
      least = distance;
    }
    inside = false;
  }
  return best;
}

// How far a point is from a part with sides; outward: from there to the point, unit. Far where a side that is no
// surface is nearest: there another part of the body goes on.
double distance_of(const PlacedPart& part, Vec3 x, Vec3& outward) {
  constexpr double far = 1e300, as_near = 1.0 + 1e-9;
  double inside = -1e300;
  double outside = far;
  double hidden = far;
  for (std::size_t f = 0; f < part.sides.size(); ++f) {
    const double height = dot(part.sides[f].normal, x) - part.sides[f].offset;
    if (!part.sides[f].surface) {
      if (height > 0.0) hidden = std::min(hidden, length(x - nearest_of_face(part, f, x)));
      continue;
    }
    if (height > inside) {
      inside = height;
      if (outside == far) outward = part.sides[f].normal;
    }
    if (!(height > 0.0) || part.shape->is_half_space()) continue;
    const Vec3 away = x - nearest_of_face(part, f, x);
    const double distance = length(away);
    if (distance < outside && distance > 0.0) {
      outside = distance;
      outward = (1.0 / distance) * away;
    }
  }
  if (hidden <= as_near * outside && hidden < far) return far;
  return outside < far ? outside : inside;
}

// A sphere and any other part; outward: from the other to the sphere.
bool sphere_overlap(const PlacedPart& sphere, const PlacedPart& other, Vec3& outward, OverlapPoint& point) {
  const Vec3 centre = sphere.points[0];
  double gap = -sphere.shape->round;
  if (other.shape->is_sphere()) {
    const Vec3 apart = centre - other.points[0];
    const double distance = length(apart);
    outward = distance > 0.0 ? (1.0 / distance) * apart : Vec3{0.0, 0.0, 1.0};
    gap += distance - other.shape->round;
  } else {
    gap += distance_of(other, centre, outward);
  }
  point = {centre - sphere.shape->round * outward, -gap};
  return gap < 0.0;
}

bool balls_meet(const PlacedPart& a, const PlacedPart& b) {
  const double ra = a.shape->radius, rb = b.shape->radius;
  if (ra < 0.0 && rb < 0.0) return false;
  if (ra < 0.0) return dot(a.sides[0].normal, b.middle) - a.sides[0].offset < rb;
  if (rb < 0.0) return dot(b.sides[0].normal, a.middle) - b.sides[0].offset < ra;
  const Vec3 apart = b.middle - a.middle;
  return dot(apart, apart) < (ra + rb) * (ra + rb);
}

// A polygon that grows by points, in a plane.
class GrowingPolygon {
 public:
  // Whether a point lies outside by more than `margin`; then it is added.
  bool take(Vec2 p, double margin) {
    if (!is_outside(p, margin)) return false;
    corners_.push_back(p);
    make_hull();
    return true;
  }

 private:
  bool is_outside(Vec2 p, double margin) const {
    const std::size_t n = corners_.size();
    if (n == 0) return true;
    if (n == 1) return length(p - corners_[0]) > margin;
    if (n == 2) {
      const Vec2 along = corners_[1] - corners_[0];
      const double share = std::clamp(dot(p - corners_[0], along) / dot(along, along), 0.0, 1.0);
      return length(p - (corners_[0] + share * along)) > margin;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const Vec2 along = corners_[(k + 1) % n] - corners_[k];
      if (cross(along, p - corners_[k]) < -margin * length(along)) return true;
    }
    return false;
  }
  // Counter-clockwise hull of the corners (Andrew's chain).
  void make_hull() {
    if (corners_.size() < 3) return;
    std::sort(corners_.begin(), corners_.end(), [](Vec2 a, Vec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    std::vector<Vec2> hull;
    const auto add = [&hull](Vec2 p, std::size_t least) {
      while (hull.size() >= least && !(cross(hull.back() - hull[hull.size() - 2], p - hull.back()) > 0.0)) {
        hull.pop_back();
      }
      hull.push_back(p);
    };
    for (const Vec2& p : corners_) add(p, 2);
    const std::size_t lower = hull.size() + 1;
    for (std::size_t k = corners_.size() - 1; k-- > 0;) add(corners_[k], lower);
    hull.pop_back();
    corners_ = hull;
  }

  std::vector<Vec2> corners_;
};

}  // namespace

std::vector<OverlapPoint> bottom_points(std::vector<OverlapPoint> points, Vec3 normal) {
  std::stable_sort(points.begin(), points.end(),
                   [](const OverlapPoint& a, const OverlapPoint& b) { return a.depth > b.depth; });
  const Vec3 least = std::fabs(normal.x) <= std::fabs(normal.y) && std::fabs(normal.x) <= std::fabs(normal.z)
                         ? Vec3{1.0, 0.0, 0.0}
                         : (std::fabs(normal.y) <= std::fabs(normal.z) ? Vec3{0.0, 1.0, 0.0} : Vec3{0.0, 0.0, 1.0});
  const Vec3 across = cross(normal, least);
  const Vec3 u = (1.0 / length(across)) * across, v = cross(normal, u);
  double size = 0.0;
  for (const OverlapPoint& point : points) size = std::max(size, length(point.at - points[0].at));
  GrowingPolygon polygon;
  std::vector<OverlapPoint> bottom;
  for (const OverlapPoint& point : points) {
    if (!(point.depth > on_the_plane * points[0].depth)) break;
    const Vec3 from_first = point.at - points[0].at;
    if (polygon.take({dot(u, from_first), dot(v, from_first)}, same_place * size)) bottom.push_back(point);
  }
  return bottom;
}

bool find_overlap(const PlacedPart& a, const PlacedPart& b, PartOverlap& out) {
  if (!balls_meet(a, b)) return false;
  if (!a.shape->is_sphere() && !b.shape->is_sphere()) return polyhedra_overlap(a, b, out);
  const bool b_is_round = b.shape->is_sphere();
  OverlapPoint point;
  Vec3 outward;
  if (!sphere_overlap(b_is_round ? b : a, b_is_round ? a : b, outward, point)) return false;
  out.face_of_b = !b_is_round;
  out.normal = b_is_round ? outward : -outward;
  out.points.assign(1, point);
  return true;
}

}  // namespace pegrasp

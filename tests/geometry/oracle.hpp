// SPDX-License-Identifier: Apache-2.0
// An independent oracle for the geometry of two convex parts: slow, simple, and without a line in common with kernels/.
//
// A part is spelled out as points (vertices and the ends of arcs) and arcs, placed in the world with the C library's
// sine and cosine. Its support along n is then the largest of n . point over the points and of n . centre + radius over
// the arcs that have n among their normals. With s(n) = min_b n . b - max_a n . a the signed distance of two parts is
// the maximum of s over all unit n: the Euclidean distance of disjoint parts, minus the penetration depth of
// overlapping ones. All stationary points of s are normals of edges, and lines of centres of two corners, so trying all
// of them is exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pegrasp/shapes.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::oracle {

constexpr double pi = 3.14159265358979323846;

struct Arc {
  Vec2 centre;
  double radius;
  double half;    // [rad] half of the arc's angle
  Vec2 middle;    // the middle normal
  double cosine;  // of half
};

// A corner's outward normals: within `half` of `middle`.
struct Cone {
  Vec2 centre;
  double radius;
  double half;  // [rad]
  Vec2 middle;
};

struct Shape {
  std::vector<Vec2> points;
  std::vector<Vec2> normals;  // of the edges
  std::vector<Arc> arcs;
  std::vector<Vec2> centres;  // of all corners
  std::vector<Cone> cones;    // of all corners
};

// Angle brought into [0, 2 pi).
inline double wrapped(double angle) {
  angle = std::fmod(angle, 2.0 * pi);
  return angle < 0.0 ? angle + 2.0 * pi : angle;
}

// Direction [rad] of the outward normal of the edge from corner a to corner b of a counter-clockwise chain.
inline double normal_angle(const Corner& a, const Corner& b) {
  const double dx = b.centre.x - a.centre.x;
  const double dy = b.centre.y - a.centre.y;
  const double along = (a.radius - b.radius) / std::hypot(dx, dy);
  // An arc and its own end point: acos would turn the last bit of `along` into 1e-8 rad.
  constexpr double on_the_arc = 1.0 - 1e-13;
  if (along > on_the_arc) return std::atan2(dy, dx);
  if (along < -on_the_arc) return std::atan2(dy, dx) - pi;
  return std::atan2(dy, dx) - std::acos(along);
}

// A chain at a pose.
inline Shape place(const ConvexPart& part, const Pose& pose) {
  const double c = std::cos(pose.theta);
  const double s = std::sin(pose.theta);
  std::vector<Corner> corners = part.corners;
  for (Corner& corner : corners) {
    const Vec2 p = corner.centre;
    corner.centre = {pose.x + c * p.x - s * p.y, pose.y + s * p.x + c * p.y};
  }
  Shape shape;
  const std::size_t n = corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Corner& corner = corners[i];
    shape.centres.push_back(corner.centre);
    if (n == 1) {
      shape.arcs.push_back({corner.centre, corner.radius, pi, {1.0, 0.0}, -1.0});
      shape.cones.push_back({corner.centre, corner.radius, pi, {1.0, 0.0}});
      break;
    }
    const double before = normal_angle(corners[(i + n - 1) % n], corner);
    const double after = normal_angle(corner, corners[(i + 1) % n]);
    const double half_cone = 0.5 * wrapped(after - before);
    shape.cones.push_back(
        {corner.centre, corner.radius, half_cone, {std::cos(before + half_cone), std::sin(before + half_cone)}});
    if (corner.radius == 0.0) {
      shape.points.push_back(corner.centre);
      const Corner& next = corners[(i + 1) % n];
      if (next.radius == 0.0) {  // without trigonometry, so that polygons are exact to rounding
        const double dx = next.centre.x - corner.centre.x;
        const double dy = next.centre.y - corner.centre.y;
        const double length = std::hypot(dx, dy);
        shape.normals.push_back({dy / length, -dx / length});
        continue;
      }
    } else {
      const double half = 0.5 * wrapped(after - before);
      shape.arcs.push_back(
          {corner.centre, corner.radius, half, {std::cos(before + half), std::sin(before + half)}, std::cos(half)});
      for (const double angle : {before, after}) {
        shape.points.push_back(
            {corner.centre.x + corner.radius * std::cos(angle), corner.centre.y + corner.radius * std::sin(angle)});
      }
    }
    shape.normals.push_back({std::cos(after), std::sin(after)});
  }
  return shape;
}

inline double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }

// max over the shape of n . x, n of unit length.
inline double support(const Shape& shape, Vec2 n) {
  double best = -1e300;
  for (const Vec2& p : shape.points) best = std::max(best, dot(n, p));
  for (const Arc& arc : shape.arcs) {
    if (arc.half < pi && dot(n, arc.middle) < arc.cosine) continue;  // n is not among its normals
    best = std::max(best, dot(n, arc.centre) + arc.radius);
  }
  return best;
}

// s(n): gap of the two shadows on the axis n, b beyond a.
inline double separation_along(const Shape& a, const Shape& b, Vec2 n) {
  return -support(b, {-n.x, -n.y}) - support(a, n);
}

struct Axis {
  double separation;
  Vec2 normal;  // from a to b
};

// max over n of s(n), and where, by trying every stationary point.
inline Axis best_axis(const Shape& a, const Shape& b) {
  Axis best{-1e300, {1.0, 0.0}};
  const auto attempt = [&](Vec2 n) {
    const double s = separation_along(a, b, n);
    if (s > best.separation) best = {s, n};
  };
  for (const Vec2& n : a.normals) attempt(n);
  for (const Vec2& n : b.normals) attempt({-n.x, -n.y});
  for (const Vec2& ca : a.centres) {
    for (const Vec2& cb : b.centres) {
      const double dx = cb.x - ca.x;
      const double dy = cb.y - ca.y;
      const double length = std::sqrt(dx * dx + dy * dy);
      if (!(length > 0.0)) {  // concentric: any direction is as good
        attempt({1.0, 0.0});
        continue;
      }
      attempt({dx / length, dy / length});
      attempt({-dx / length, -dy / length});
    }
  }
  return best;
}

inline double signed_distance(const Shape& a, const Shape& b) { return best_axis(a, b).separation; }

// max of s(n) over the facets of the obstacle alone: normals of edges, and lines of centres of two corners with a
// positive sum of radii while they lie within both corners' cones. Of overlapping parts it is the signed distance; of
// disjoint ones it is less where the nearest features are two vertices. Where a line lies within `slack` [rad] of a
// cone's end, rounding decides whether it counts: `least` without such lines, `most` with them.
struct FacetBounds {
  double least, most;
};

// How far inside a cone n lies [rad], negative outside.
inline double depth_in_cone(const Cone& cone, Vec2 n) {
  if (cone.half >= pi) return pi;
  const double sine = cone.middle.x * n.y - cone.middle.y * n.x;
  return cone.half - std::atan2(std::fabs(sine), dot(cone.middle, n));
}

inline FacetBounds facet_separation(const Shape& a, const Shape& b, double slack) {
  double least = -1e300;
  for (const Vec2& n : a.normals) least = std::max(least, separation_along(a, b, n));
  for (const Vec2& n : b.normals) least = std::max(least, separation_along(a, b, {-n.x, -n.y}));
  double most = least;
  for (const Cone& ca : a.cones) {
    for (const Cone& cb : b.cones) {
      const double dx = cb.centre.x - ca.centre.x;
      const double dy = cb.centre.y - ca.centre.y;
      const double length = std::sqrt(dx * dx + dy * dy);
      const double s = length - ca.radius - cb.radius;
      if (ca.radius + cb.radius == 0.0 || !(length > 0.0) || s <= least) continue;
      const Vec2 n{dx / length, dy / length};
      const double depth = std::min(depth_in_cone(ca, n), depth_in_cone(cb, {-n.x, -n.y}));
      if (depth > slack) least = std::max(least, s);
      if (depth > -slack) most = std::max(most, s);
    }
  }
  return {least, std::max(least, most)};
}

// The same by search, without knowing the stationary points: dense directions, then golden section around the best
// ones.
inline double searched_distance(const Shape& a, const Shape& b, int directions = 720) {
  const auto s = [&](double angle) { return separation_along(a, b, {std::cos(angle), std::sin(angle)}); };
  const double step = 2.0 * pi / directions;
  std::vector<double> value(static_cast<std::size_t>(directions));
  for (int i = 0; i < directions; ++i) value[static_cast<std::size_t>(i)] = s(step * i);
  double best = -1e300;
  for (int i = 0; i < directions; ++i) {
    const double here = value[static_cast<std::size_t>(i)];
    const double left = value[static_cast<std::size_t>((i + directions - 1) % directions)];
    const double right = value[static_cast<std::size_t>((i + 1) % directions)];
    if (here < left || here < right) continue;
    double low = step * (i - 1), high = step * (i + 1);
    constexpr double golden = 0.61803398874989484820;
    for (int k = 0; k < 60; ++k) {
      const double p = high - golden * (high - low);
      const double q = low + golden * (high - low);
      (s(p) > s(q) ? high : low) = s(p) > s(q) ? q : p;
    }
    best = std::max({best, here, s(0.5 * (low + high))});
  }
  return best;
}

// Euclidean distance of two polygons, segment against segment; 0 where they cross or one holds the other.
inline double segment_distance(Vec2 a, Vec2 b, Vec2 p) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double t = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

inline double polygon_distance(const Shape& a, const Shape& b) {
  double best = 1e300;
  const auto scan = [&best](const Shape& edges, const Shape& vertices) {
    for (std::size_t i = 0; i < edges.points.size(); ++i) {
      const Vec2 from = edges.points[i], to = edges.points[(i + 1) % edges.points.size()];
      for (const Vec2& p : vertices.points) best = std::min(best, segment_distance(from, to, p));
    }
  };
  scan(a, b);
  scan(b, a);
  return best;
}

// --- areas -----------------------------------------------------------------------------------------------------------

// Outline of a placed part as a polygon, `pieces` chords an arc.
inline std::vector<Vec2> polygonise(const ConvexPart& part, const Pose& pose, int pieces) {
  std::vector<Vec2> outline;
  const double c = std::cos(pose.theta), s = std::sin(pose.theta);
  const std::size_t n = part.corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Corner& corner = part.corners[i];
    double from = 0.0, angle = 2.0 * pi;
    if (n > 1) {
      from = normal_angle(part.corners[(i + n - 1) % n], corner);
      angle = wrapped(normal_angle(corner, part.corners[(i + 1) % n]) - from);
    }
    const int count = corner.radius > 0.0 ? pieces : 0;
    for (int k = 0; k <= count; ++k) {
      const double at = from + (count > 0 ? angle * k / count : 0.0);
      const Vec2 p{corner.centre.x + corner.radius * std::cos(at), corner.centre.y + corner.radius * std::sin(at)};
      const Vec2 placed{pose.x + c * p.x - s * p.y, pose.y + s * p.x + c * p.y};
      // an arc's end and the vertex there are one point: an edge between the two would have a random direction
      const auto apart = [&placed](Vec2 q) { return std::hypot(placed.x - q.x, placed.y - q.y) > 1e-7; };
      if (outline.empty() || (apart(outline.back()) && apart(outline.front()))) outline.push_back(placed);
    }
  }
  return outline;
}

// Area of the intersection of two convex outlines (Sutherland and Hodgman).
inline double clipped_area(std::vector<Vec2> subject, const std::vector<Vec2>& clip) {
  for (std::size_t i = 0; i < clip.size() && !subject.empty(); ++i) {
    const Vec2 a = clip[i], b = clip[(i + 1) % clip.size()];
    const auto height = [&](Vec2 p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); };
    std::vector<Vec2> kept;
    for (std::size_t k = 0; k < subject.size(); ++k) {
      const Vec2 p = subject[k], q = subject[(k + 1) % subject.size()];
      const double hp = height(p), hq = height(q);
      if (hp >= 0.0) kept.push_back(p);
      if ((hp > 0.0 && hq < 0.0) || (hp < 0.0 && hq > 0.0)) {
        const double t = hp / (hp - hq);
        kept.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
      }
    }
    subject = std::move(kept);
  }
  double twice = 0.0;
  for (std::size_t k = 1; k + 1 < subject.size(); ++k) {
    const Vec2 o = subject[0], p = subject[k], q = subject[k + 1];
    twice += (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
  }
  return 0.5 * twice;
}

inline double polygonal_overlap(const ConvexPart& a, const Pose& pose_a, const ConvexPart& b, const Pose& pose_b,
                                int pieces) {
  return clipped_area(polygonise(a, pose_a, pieces), polygonise(b, pose_b, pieces));
}

// --- random parts ----------------------------------------------------------------------------------------------------

// 3 to 20 vertices on a random ellipse, size about 0.1 to 1 m.
inline ConvexPart random_polygon(scenes::Random& random) {
  for (;;) {
    const std::size_t n = 3 + random.below(18);
    const double a = random.uniform(0.1, 0.8), b = random.uniform(0.1, 0.8);
    std::vector<double> angles;
    for (std::size_t i = 0; i < n; ++i) angles.push_back(random.uniform(0.0, 2.0 * pi));
    std::sort(angles.begin(), angles.end());
    std::vector<Vec2> vertices;
    for (const double angle : angles) {
      const Vec2 v{a * std::cos(angle) + 0.1, b * std::sin(angle) - 0.05};
      // vertices a hair apart make edges whose normals are rounding noise: not what this generator is for
      if (vertices.empty() || std::hypot(v.x - vertices.back().x, v.y - vertices.back().y) > 1e-4)
        vertices.push_back(v);
    }
    while (vertices.size() > 3 &&
           std::hypot(vertices.front().x - vertices.back().x, vertices.front().y - vertices.back().y) < 1e-4) {
      vertices.pop_back();
    }
    try {
      return make_polygon("polygon", vertices);
    } catch (const ShapeError&) {
    }
  }
}

inline ConvexPart random_rounded_polygon(scenes::Random& random) {
  for (;;) {
    std::vector<Corner> corners;
    const std::size_t n = 2 + random.below(6);
    const double start = random.uniform(0.0, 2.0 * pi);
    for (std::size_t i = 0; i < n; ++i) {
      const double angle =
          start + 2.0 * pi * (static_cast<double>(i) + random.uniform(0.0, 0.8)) / static_cast<double>(n);
      const double radius = random.below(3) == 0 ? 0.0 : random.uniform(0.01, 0.3);
      const double x = random.uniform(0.4, 0.6) * std::cos(angle);
      const double y = random.uniform(0.4, 0.6) * std::sin(angle);
      corners.push_back({{x, y}, radius});
    }
    try {
      return make_rounded_polygon("rounded", corners);
    } catch (const ShapeError&) {  // one corner buried by the others: draw again
    }
  }
}

// Draws are made one a statement: compilers evaluate arguments in different orders, and a seed must mean one scene.
inline ConvexPart random_part(scenes::Random& random) {
  switch (random.below(5)) {
    case 0: {
      const Vec2 centre{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)};
      return make_disc("disc", centre, random.uniform(0.05, 0.6));
    }
    case 1:
      return random_rounded_polygon(random);
    case 2: {
      const double from = random.uniform(-4.0, 4.0);
      const Vec2 centre{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)};
      const double radius = random.uniform(0.1, 0.8);
      return make_circular_segment("segment", centre, radius, from, from + random.uniform(0.2, 6.0));
    }
    default:
      return random_polygon(random);
  }
}

}  // namespace pegrasp::oracle

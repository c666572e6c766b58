// SPDX-License-Identifier: Apache-2.0
#include "src/model/compiled_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/sincos.hpp"
#include "kernels/model/model.hpp"
#include "src/geometry/angle.hpp"
#include "src/geometry/chain.hpp"

namespace pegrasp {
namespace {

// An edge shorter than this, relative to the part, has no length: arcs that meet tangentially leave such edges.
constexpr double no_length = 1e-7;
// How far outside an edge its cover is probed, relative to the part.
constexpr double probe = 1e-6;

Vec2 turned(Vec2 v, double angle) {
  const strict::SinCos t = strict::sin_cos(angle);
  return {t.cos * v.x - t.sin * v.y, t.sin * v.x + t.cos * v.y};
}

double distance(Vec2 a, Vec2 b) { return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)); }

CompiledEdge make_edge(const Corner& corner, const ChainEdge& chain) {
  CompiledEdge edge;
  edge.normal = chain.normal;
  edge.offset = chain.normal.x * corner.centre.x + chain.normal.y * corner.centre.y + corner.radius;
  edge.tail = chain.start;
  edge.head = chain.end;
  edge.use = edge_feature;
  return edge;
}

// Splits arc i (between edges i - 1 and i) into pieces of at most a right angle.
void append_arc(const Corner& corner, int name, Vec2 from, const CompiledEdge& to, CompiledPart& out) {
  const double angle = turn_between(from, to.normal);
  const int pieces = corner.radius > 0.0 ? std::max(1, static_cast<int>(std::ceil(angle / (0.5 * pi) - 1e-9))) : 1;
  for (int k = 1; k <= pieces; ++k) {
    out.corners.push_back(corner);
    out.names.push_back(name);
    if (k == pieces) {
      out.edges.push_back(to);
      break;
    }
    const Vec2 n = turned(from, angle * k / pieces);
    const Vec2 end{corner.centre.x + corner.radius * n.x, corner.centre.y + corner.radius * n.y};
    CompiledEdge edge = make_edge(corner, {n, end, end});
    edge.use = edge_hidden;
    out.edges.push_back(edge);
  }
}

bool contains(const CompiledPart& part, Vec2 x, double tolerance) {
  if (part.curve) return part.curve->shape.distance(x) <= tolerance;
  for (const CompiledEdge& edge : part.edges) {
    if (edge.normal.x * x.x + edge.normal.y * x.y - edge.offset > tolerance) return false;
  }
  const std::size_t n = part.corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Corner& corner = part.corners[i];
    const double dx = x.x - corner.centre.x;
    const double dy = x.y - corner.centre.y;
    const bool full = part.edges.empty();
    bool in_cone = full;
    if (!full) {
      const Vec2 from = part.edges[(i + n - 1) % n].normal;
      const Vec2 to = part.edges[i].normal;
      in_cone = from.x * dy - from.y * dx >= 0.0 && dx * to.y - dy * to.x >= 0.0 &&
                (from.x + to.x) * dx + (from.y + to.y) * dy > 0.0;
    }
    if (in_cone && std::sqrt(dx * dx + dy * dy) > corner.radius + tolerance) return false;
  }
  return true;
}

// The other parts of a body, as seen from one of them.
struct Siblings {
  const std::vector<CompiledPart>* parts;
  std::size_t self;
  double tolerance;

  bool one_holds(Vec2 a, Vec2 b) const {
    for (std::size_t j = 0; j < parts->size(); ++j) {
      if (j != self && contains((*parts)[j], a, tolerance) && contains((*parts)[j], b, tolerance)) return true;
    }
    return false;
  }
  // Whether the segment lies in the union of these parts. A convex part that holds both ends holds the segment. A
  // segment shorter than `shortest` whose ends lie in different parts is where one part ends and the next begins.
  bool cover(Vec2 a, Vec2 b, double shortest) const {
    if (one_holds(a, b)) return true;
    if (!one_holds(a, a) || !one_holds(b, b)) return false;
    if (distance(a, b) < shortest) return true;
    const Vec2 middle{0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
    return cover(a, middle, shortest) && cover(middle, b, shortest);
  }
};

// Angle [rad] by which the cone of a vertex on an internal edge is widened: siblings whose edges are in line may
// differ by rounding.
constexpr double cone_sliver = 1e-6;

// Outward directions from `from` counter-clockwise to `to`, less than half a turn apart.
struct Cone {
  Vec2 from, to;
  bool narrowed, empty;

  static double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }

  // Keeps only the directions d with d . w <= 0, along which nothing of the body beyond w is farther out.
  void stay_behind(Vec2 w) {
    if (empty) return;
    const double length = std::sqrt(w.x * w.x + w.y * w.y);
    const Vec2 unit{w.x / length, w.y / length};
    const double at_from = from.x * unit.x + from.y * unit.y;
    const double at_to = to.x * unit.x + to.y * unit.y;
    if (at_from <= cone_sliver && at_to <= cone_sliver) {
      // between them d . w is larger only where w itself lies in the cone
      if (!(cross(from, unit) > 0.0 && cross(unit, to) > 0.0 && from.x * to.x + from.y * to.y < 0.0)) return;
    }
    narrowed = true;
    if (at_from > cone_sliver && at_to > cone_sliver) {
      empty = true;
    } else if (at_from > cone_sliver) {
      from = {-unit.y, unit.x};  // counter-clockwise of w by a right angle
    } else {
      to = {unit.y, -unit.x};
    }
    if (cross(from, to) < -cone_sliver) empty = true;
  }

  // Narrows the cone by a part that contains the vertex v.
  void stay_outside(const CompiledPart& part, Vec2 v, double near) {
    if (part.curve) {
      Vec2 n;
      if (part.curve->shape.distance(v, &n) < -near) empty = narrowed = true;
      stay_behind({-n.y, n.x});
      stay_behind({n.y, -n.x});
      stay_behind({-n.x, -n.y});
      return;
    }
    for (const Corner& corner : part.corners) {
      const Vec2 w{corner.centre.x - v.x, corner.centre.y - v.y};
      const double length = std::sqrt(w.x * w.x + w.y * w.y);
      if (length <= near && corner.radius <= near) continue;
      // within the arc's circle: the arc may still be far off, so only its ends count
      if (length <= corner.radius * (1.0 - probe) && part.corners.size() > 1) continue;
      if (length <= corner.radius * (1.0 - probe)) {
        empty = narrowed = true;
        continue;
      }
      // the two tangents from v to the arc's circle; both are w for a vertex
      const double sine = std::min(1.0, corner.radius / length);
      const double cosine = std::sqrt((1.0 - sine) * (1.0 + sine));
      stay_behind({cosine * w.x - sine * w.y, cosine * w.y + sine * w.x});
      if (sine > 0.0) stay_behind({cosine * w.x + sine * w.y, cosine * w.y - sine * w.x});
    }
    for (const CompiledEdge& edge : part.edges) {
      if (part.radius < 0.0) {
        stay_behind({-edge.normal.y, edge.normal.x});
        stay_behind({edge.normal.y, -edge.normal.x});
        stay_behind({-edge.normal.x, -edge.normal.y});
        if (edge.normal.x * v.x + edge.normal.y * v.y < edge.offset - near) empty = narrowed = true;
        continue;
      }
      for (const Vec2 end : {edge.tail, edge.head}) {
        if (distance(end, v) > near) stay_behind({end.x - v.x, end.y - v.y});
      }
    }
  }
};

// A smooth part is one corner whose circle holds it.
void compile_curve(const Superellipse& curve, CompiledPart& out) {
  SmoothCurve shape(curve);
  out.centre = curve.centre;
  out.radius = shape.bounding_radius();
  out.inradius = std::min(curve.semi_axis_x, curve.semi_axis_y);
  out.corners = {{curve.centre, out.radius}};
  out.names = {0};
  std::vector<double> numbers(strict::curve_size, 0.0);
  numbers[strict::curve_a] = curve.semi_axis_x;
  numbers[strict::curve_b] = curve.semi_axis_y;
  numbers[strict::curve_order] = curve.order;
  numbers[strict::curve_cos] = shape.cosine();
  numbers[strict::curve_sin] = shape.sine();
  numbers[strict::curve_least_radius] = shape.least_radius();
  out.curve = CompiledCurve{shape, std::move(numbers)};
}

// Writes the ranges of normals along which siblings cover a smooth part, the longest if there are too many.
template <class Held>
void mark_ranges(CompiledCurve& curve, const Held& held) {
  constexpr int samples = 1024;
  const auto at = [&](int i) { return SmoothCurve::around * ((i + samples) % samples) / samples; };
  std::vector<bool> in(samples);
  for (int i = 0; i < samples; ++i) in[static_cast<std::size_t>(i)] = held(curve.shape.at(at(i)));
  const auto is_in = [&](int i) { return in[static_cast<std::size_t>((i + samples) % samples)]; };
  struct Range {
    Vec2 from, to;
    int length;
  };
  std::vector<Range> ranges;
  const auto first_out = static_cast<int>(std::find(in.begin(), in.end(), false) - in.begin());
  if (first_out == samples) {
    ranges = {{{1.0, 0.0}, {-1.0, 0.0}, 1}, {{-1.0, 0.0}, {1.0, 0.0}, 1}};
  }
  // The last normal inside between a sample inside and its neighbour outside.
  const auto edge = [&](int inside, int step) {
    double low = at(inside), high = low + step * SmoothCurve::around / samples;
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (low + high);
      const double w = middle < 0.0 ? middle + SmoothCurve::around : middle;
      (held(curve.shape.at(w)) ? low : high) = middle;
    }
    return curve.shape.at(low < 0.0 ? low + SmoothCurve::around : low).normal;
  };
  for (int k = 1, begin = 0; k <= samples && first_out < samples; ++k) {
    const int i = first_out + k;
    if (is_in(i) && !is_in(i - 1)) begin = i;
    if (!is_in(i) && is_in(i - 1)) ranges.push_back({edge(begin % samples, -1), edge((i - 1) % samples, 1), i - begin});
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.length > b.length; });
  for (std::size_t k = 0; k < ranges.size() && k < strict::curve_ranges; ++k) {
    double* out = curve.numbers.data() + strict::curve_covered + 4 * k;
    out[0] = ranges[k].from.x;
    out[1] = ranges[k].from.y;
    out[2] = ranges[k].to.x;
    out[3] = ranges[k].to.y;
  }
}

}  // namespace

CompiledPart compile_part(const ConvexPart& part) {
  CompiledPart out;
  if (part.kind == PartKind::half_plane) {
    CompiledEdge edge;
    edge.normal = part.normal;
    edge.offset = part.offset;
    edge.use = edge_feature;
    out.edges.push_back(edge);
    out.radius = -1.0;
    out.inradius = std::numeric_limits<double>::infinity();
    return out;
  }
  if (part.curve) {
    compile_curve(*part.curve, out);
    return out;
  }
  const std::size_t n = part.corners.size();
  for (const Corner& corner : part.corners) {
    out.centre.x += corner.centre.x / static_cast<double>(n);
    out.centre.y += corner.centre.y / static_cast<double>(n);
  }
  for (const Corner& corner : part.corners) {
    out.radius = std::max(out.radius, distance(corner.centre, out.centre) + corner.radius);
  }
  if (n == 1) {
    out.corners = part.corners;
    out.names = {0};
    out.inradius = part.corners[0].radius;
    return out;
  }
  const std::vector<ChainEdge> chain = chain_edges(part.corners, part.name);
  std::vector<CompiledEdge> edges;
  for (std::size_t i = 0; i < n; ++i) {
    CompiledEdge edge = make_edge(part.corners[i], chain[i]);
    // Two arcs that meet tangentially leave an edge of no length, which separates nothing; where an arc meets its own
    // end point, the tangent there is a facet.
    const bool arcs = part.corners[i].radius > 0.0 && part.corners[(i + 1) % n].radius > 0.0;
    if (arcs && !(distance(edge.tail, edge.head) > no_length * out.radius)) edge.use = edge_hidden;
    edges.push_back(edge);
  }
  for (std::size_t i = 0; i < n; ++i) {
    append_arc(part.corners[i], static_cast<int>(i), edges[(i + n - 1) % n].normal, edges[i], out);
  }
  const Vec2 middle = area_properties(part).centroid;
  out.inradius = std::numeric_limits<double>::infinity();
  for (const CompiledEdge& edge : out.edges) {
    out.inradius = std::min(out.inradius, edge.offset - edge.normal.x * middle.x - edge.normal.y * middle.y);
  }
  out.inradius = std::max(out.inradius, 0.0);
  return out;
}

void mark_covered(std::vector<CompiledPart>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].radius < 0.0) continue;
    const double out = probe * parts[i].radius;
    const Siblings siblings{&parts, i, 1e-3 * out};
    for (CompiledEdge& edge : parts[i].edges) {
      if (edge.use != edge_feature) continue;
      const auto outside = [&](Vec2 x) { return Vec2{x.x + out * edge.normal.x, x.y + out * edge.normal.y}; };
      if (siblings.cover(outside(edge.tail), outside(edge.head), no_length * parts[i].radius)) edge.use = edge_covered;
    }
    if (!parts[i].curve || parts.size() == 1) continue;
    mark_ranges(*parts[i].curve, [&](const SmoothCurve::Point& p) {
      const Vec2 x{p.at.x + out * p.normal.x, p.at.y + out * p.normal.y};
      return siblings.one_holds(x, x);
    });
  }
}

void restrict_corners(std::vector<CompiledPart>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CompiledPart& part = parts[i];
    part.cones.assign(part.corners.size(), CornerCone{});
    const std::size_t n = part.corners.size();
    if (part.radius < 0.0 || n < 2) continue;
    const double near = probe * part.radius;
    for (std::size_t k = 0; k < n; ++k) {
      if (part.corners[k].radius > 0.0) continue;
      Cone cone{part.edges[(k + n - 1) % n].normal, part.edges[k].normal, false, false};
      for (std::size_t j = 0; j < parts.size(); ++j) {
        if (j != i && contains(parts[j], part.corners[k].centre, near))
          cone.stay_outside(parts[j], part.corners[k].centre, near);
      }
      if (cone.empty) {
        part.cones[k] = {{1.0, 0.0}, {-1.0, 0.0}};
      } else if (cone.narrowed) {
        part.cones[k] = {turned(cone.from, -cone_sliver), turned(cone.to, cone_sliver)};
      }
    }
  }
}

}  // namespace pegrasp

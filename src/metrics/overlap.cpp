// SPDX-License-Identifier: Apache-2.0
// The area of the intersection of two unions of parts is the integral over x of the length that the two unions have in
// common on the vertical line at x. Between neighbouring break points (ends of boundary pieces and their crossings)
// that length is a fixed combination of boundary pieces, so each slab is a trapezoid plus the bulges of its arcs: no
// term is negative, up to rounding, and nothing cancels.
#include "src/metrics/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/base/sincos.hpp"
#include "pegrasp/parameters.hpp"
#include "src/metrics/outline.hpp"

namespace pegrasp {
namespace {

// The corners of a part in a frame with the world's axes and the given origin.
std::vector<Corner> placed_corners(const ConvexPart& part, const Pose& pose, Vec2 origin) {
  const strict::SinCos turn = strict::sin_cos(pose.theta);
  const Vec2 at{pose.x - origin.x, pose.y - origin.y};
  std::vector<Corner> placed = part.corners;
  for (Corner& corner : placed) {
    const Vec2 c = corner.centre;
    corner.centre = {at.x + (turn.cos * c.x - turn.sin * c.y), at.y + (turn.sin * c.x + turn.cos * c.y)};
  }
  return placed;
}

// The piece of a half-plane within reach of everything inside the box: a rectangle.
std::vector<Corner> half_plane_corners(const ConvexPart& part, const Pose& pose, Vec2 origin, Vec2 low, Vec2 high) {
  const strict::SinCos turn = strict::sin_cos(pose.theta);
  const Vec2 n{turn.cos * part.normal.x - turn.sin * part.normal.y,
               turn.sin * part.normal.x + turn.cos * part.normal.y};
  const double offset = part.offset + n.x * (pose.x - origin.x) + n.y * (pose.y - origin.y);
  const Vec2 middle{0.5 * (low.x + high.x), 0.5 * (low.y + high.y)};
  const double reach = (high.x - low.x) + (high.y - low.y) + 1e-9;
  const double height = n.x * middle.x + n.y * middle.y - offset;  // of the box's middle above the boundary
  const double depth = std::max(0.0, -height) + reach;
  const Vec2 nearest{middle.x - height * n.x, middle.y - height * n.y};
  const Vec2 along{-n.y * reach, n.x * reach};
  const Vec2 down{-n.x * depth, -n.y * depth};
  return {{{nearest.x + along.x, nearest.y + along.y}, 0.0},
          {{nearest.x + along.x + down.x, nearest.y + along.y + down.y}, 0.0},
          {{nearest.x - along.x + down.x, nearest.y - along.y + down.y}, 0.0},
          {{nearest.x - along.x, nearest.y - along.y}, 0.0}};
}

bool boxes_meet(const Outline& a, const Outline& b) {
  return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y;
}

std::vector<Outline> chain_outlines(const BodySpec& body, const Pose& pose, Vec2 origin) {
  std::vector<Outline> outlines;
  for (const ConvexPart& part : body.planar().parts) {
    if (part.kind == PartKind::chain) outlines.push_back(make_outline(placed_corners(part, pose, origin)));
  }
  return outlines;
}

void add_half_planes(const BodySpec& body, const Pose& pose, Vec2 origin, const std::vector<Outline>& others,
                     std::vector<Outline>& outlines) {
  if (others.empty()) return;
  Vec2 low = others[0].low, high = others[0].high;
  for (const Outline& other : others) {
    low = {std::min(low.x, other.low.x), std::min(low.y, other.low.y)};
    high = {std::max(high.x, other.high.x), std::max(high.y, other.high.y)};
  }
  for (const ConvexPart& part : body.planar().parts) {
    if (part.kind != PartKind::half_plane) continue;
    outlines.push_back(make_outline(half_plane_corners(part, pose, origin, low, high)));
  }
}

// Keeps the outlines whose boxes meet that of one of the others.
void keep_meeting(std::vector<Outline>& outlines, const std::vector<Outline>& others) {
  std::erase_if(outlines, [&](const Outline& outline) {
    return std::none_of(others.begin(), others.end(), [&](const Outline& other) { return boxes_meet(outline, other); });
  });
}

// The interval of a vertical line that one part covers.
struct Span {
  const BoundaryPiece* lower;
  const BoundaryPiece* upper;
  double low, high;  // at the middle of the slab
};

const BoundaryPiece* piece_over(const std::vector<BoundaryPiece>& pieces, double x) {
  for (const BoundaryPiece& piece : pieces) {
    if (piece.x0 <= x && x <= piece.x1) return &piece;
  }
  return nullptr;
}

std::vector<Span> spans_at(const std::vector<Outline>& outlines, double x) {
  std::vector<Span> spans;
  for (const Outline& outline : outlines) {
    const BoundaryPiece* lower = piece_over(outline.lower, x);
    const BoundaryPiece* upper = piece_over(outline.upper, x);
    if (lower != nullptr && upper != nullptr) spans.push_back({lower, upper, lower->at(x), upper->at(x)});
  }
  return spans;
}

// Union of the spans of one body: disjoint, from bottom to top.
std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.low < b.low; });
  std::vector<Span> result;
  for (const Span& span : spans) {
    if (result.empty() || span.low > result.back().high) {
      result.push_back(span);
    } else if (span.high > result.back().high) {
      result.back().upper = span.upper;
      result.back().high = span.high;
    }
  }
  return result;
}

double slab_area(const std::vector<Outline>& a, const std::vector<Outline>& b, double from, double to) {
  const double middle = 0.5 * (from + to);
  const std::vector<Span> spans_a = merged(spans_at(a, middle));
  const std::vector<Span> spans_b = merged(spans_at(b, middle));
  double area = 0.0;
  for (const Span& sa : spans_a) {
    for (const Span& sb : spans_b) {
      const bool a_lower = sa.low > sb.low;
      const bool a_upper = sa.high < sb.high;
      if (!((a_upper ? sa.high : sb.high) > (a_lower ? sa.low : sb.low))) continue;
      const BoundaryPiece& lower = a_lower ? *sa.lower : *sb.lower;
      const BoundaryPiece& upper = a_upper ? *sa.upper : *sb.upper;
      // Heights are not clamped. Where rounding has lost a grazing crossing, the integral is then slightly negative
      // instead of wrong by a whole bulge.
      const double heights = (upper.at(from) - lower.at(from)) + (upper.at(to) - lower.at(to));
      area += std::max(0.0, 0.5 * (to - from) * heights + upper.bulge(from, to) + lower.bulge(from, to));
    }
  }
  return area;
}

void sort_unique(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

double common_area(const std::vector<Outline>& a, const std::vector<Outline>& b) {
  std::vector<double> ends;
  for (const std::vector<Outline>* side : {&a, &b}) {
    for (const Outline& outline : *side) {
      for (const std::vector<BoundaryPiece>* pieces : {&outline.upper, &outline.lower}) {
        for (const BoundaryPiece& piece : *pieces) {
          ends.push_back(piece.x0);
          ends.push_back(piece.x1);
        }
      }
    }
  }
  sort_unique(ends);
  double area = 0.0;
  std::vector<const BoundaryPiece*> active;
  std::vector<double> stations;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const double from = ends[i];
    const double to = ends[i + 1];
    const double middle = 0.5 * (from + to);
    active.clear();
    std::size_t sides = 0;  // both bodies must be there
    for (const std::vector<Outline>* side : {&a, &b}) {
      const std::size_t before = active.size();
      for (const Span& span : spans_at(*side, middle)) {
        active.push_back(span.lower);
        active.push_back(span.upper);
      }
      sides += active.size() > before ? 1 : 0;
    }
    if (sides < 2) continue;
    stations = {from, to};
    for (std::size_t p = 0; p < active.size(); ++p) {
      for (std::size_t q = p + 1; q < active.size(); ++q) append_crossings(*active[p], *active[q], from, to, stations);
    }
    sort_unique(stations);
    for (std::size_t k = 0; k + 1 < stations.size(); ++k) area += slab_area(a, b, stations[k], stations[k + 1]);
  }
  return area;
}

struct BodyBox {
  Vec2 low, high;
  std::size_t body;
};

// A box around the body, enlarged by a little more than rounding may lose.
BodyBox body_box(const BodySpec& body, const Pose& pose, std::size_t index) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  BodyBox box{{infinite, infinite}, {-infinite, -infinite}, index};
  for (const ConvexPart& part : body.planar().parts) {
    if (part.kind == PartKind::half_plane) return {{-infinite, -infinite}, {infinite, infinite}, index};
    for (const Corner& corner : placed_corners(part, pose, {})) {
      const double x = std::abs(corner.centre.x) + corner.radius, y = std::abs(corner.centre.y) + corner.radius;
      const double reach = corner.radius + 1e-12 * (x + y);
      box.low = {std::min(box.low.x, corner.centre.x - reach), std::min(box.low.y, corner.centre.y - reach)};
      box.high = {std::max(box.high.x, corner.centre.x + reach), std::max(box.high.y, corner.centre.y + reach)};
    }
  }
  return box;
}

// The pairs of bodies whose boxes meet, each once, in the order of their indices.
std::vector<std::pair<std::size_t, std::size_t>> meeting(std::vector<BodyBox> boxes) {
  std::sort(boxes.begin(), boxes.end(), [](const BodyBox& a, const BodyBox& b) { return a.low.x < b.low.x; });
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (auto a = boxes.begin(); a != boxes.end(); ++a) {
    for (auto b = a + 1; b != boxes.end() && b->low.x <= a->high.x; ++b) {
      if (b->low.y <= a->high.y && a->low.y <= b->high.y) pairs.push_back(std::minmax(a->body, b->body));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

bool has_half_plane(const BodySpec& body) {
  return std::any_of(body.planar().parts.begin(), body.planar().parts.end(),
                     [](const ConvexPart& part) { return part.kind == PartKind::half_plane; });
}

}  // namespace

double overlap_area(const BodySpec& a, const Pose& pose_a, const BodySpec& b, const Pose& pose_b) {
  // The origin is next to both bodies, so that their distance from the world's origin costs no digits.
  const Vec2 origin = has_half_plane(a) ? Vec2{pose_b.x, pose_b.y} : Vec2{pose_a.x, pose_a.y};
  std::vector<Outline> outlines_a = chain_outlines(a, pose_a, origin);
  std::vector<Outline> outlines_b = chain_outlines(b, pose_b, origin);
  const std::vector<Outline> chains_a = outlines_a;
  add_half_planes(a, pose_a, origin, outlines_b, outlines_a);
  add_half_planes(b, pose_b, origin, chains_a, outlines_b);
  keep_meeting(outlines_a, outlines_b);
  keep_meeting(outlines_b, outlines_a);
  if (outlines_a.empty() || outlines_b.empty()) return 0.0;
  return common_area(outlines_a, outlines_b);
}

double total_overlap_area(const SceneSpec& scene, std::span<const Pose> poses, const std::vector<bool>& present) {
  std::vector<BodyBox> boxes;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (present[i]) boxes.push_back(body_box(scene.bodies[i], poses[i], i));
  }
  double total = 0.0;
  for (const auto& [i, j] : meeting(std::move(boxes))) {
    if (!may_touch(scene, static_cast<int>(i), static_cast<int>(j))) continue;
    total += overlap_area(scene.bodies[i], poses[i], scene.bodies[j], poses[j]);
  }
  return total;
}

double total_dynamic_area(const SceneSpec& scene) {
  double total = 0.0;
  for (const BodySpec& body : scene.bodies) {
    if (body.kind != BodyKind::dynamic) continue;
    for (const ConvexPart& part : body.planar().parts) {
      if (part.kind == PartKind::chain) total += area_properties(part).area;
    }
  }
  return total;
}

}  // namespace pegrasp

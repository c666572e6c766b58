// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/side_overlap.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/spatial/cylinder_touch.hpp"

namespace pegrasp::reference::spatial {
namespace {

constexpr int levels = 3;
constexpr double first_depth = 0.25, deeper = 64.0;
constexpr std::size_t most_corners = 36;
enum SideKey : int { of_flat_first = 999, of_side_corner = 1000 };

struct Corner {
  Vector3 x;
  bool own = true;  // of the outline before it was cut
};
using Corners = std::vector<Corner>;

Corners below(const Corners& from, const Vector3& n, double offset) {
  Corners out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double s = n.dot(from[i].x) - offset;
    if (s <= 0.0) out.push_back(from[i]);
    if (from.size() == 2 && i == 1) break;
    const Corner& next = from[(i + 1) % from.size()];
    const double t = n.dot(next.x) - offset;
    if ((s <= 0.0) != (t <= 0.0)) out.push_back({from[i].x + s / (s - t) * (next.x - from[i].x), false});
  }
  return out;
}

// A side that has no curvature along one or two of the body's axes, in the world.
struct FlatSide {
  SmoothBody body;
  std::vector<Eigen::Index> flat;
  Vector3 middle = Vector3::Zero();
  double high = 0.0;

  // d: unit, outward
  FlatSide(const SmoothBody& of, const Vector3& d, double flat_sine) : body(of) {
    const Vector3 own = body.axes.transpose() * d;
    Vector3 level = own;
    for (Eigen::Index k = 0; k < 3 && flat.size() < 2 && body.order > 2; ++k) {
      if (!(std::abs(own[k]) < flat_sine)) continue;
      flat.push_back(k);
      level[k] = 0.0;
    }
    if (flat.empty()) return;
    middle = body.axes.transpose() * (body.farthest((body.axes * level).normalized()) - body.centre);
    high = level.normalized().dot(middle);
  }
  double size(double tolerance, int depth) const {
    const double n = body.order;
    const double share = std::max(0.0, 1.0 - first_depth * tolerance * std::pow(deeper, depth) / high);
    return std::pow((1.0 - std::pow(share, n)) / static_cast<double>(flat.size()), 1.0 / n);
  }
  double place(const Vector3& x, Eigen::Index k) const { return body.axes.col(k).dot(x - body.centre) / body.half[k]; }
  // The point of the surface beside x.
  Vector3 beside(const Vector3& x) const {
    const double n = body.order;
    double left = 1.0;
    for (const Eigen::Index k : flat) left -= std::pow(std::abs(place(x, k)), n);
    Vector3 own = std::pow(std::max(0.0, left), 1.0 / n) * middle;
    for (const Eigen::Index k : flat) own[k] = place(x, k) * body.half[k];
    return body.centre + body.axes * own;
  }
  Corners outline(double reach) const {
    const auto at = [&](double first, double second) {
      Vector3 x = body.centre + first * body.half[flat[0]] * body.axes.col(flat[0]);
      if (flat.size() > 1) x += second * body.half[flat[1]] * body.axes.col(flat[1]);
      return Corner{beside(x)};
    };
    if (flat.size() == 1) return {at(-reach, 0.0), at(reach, 0.0)};
    return {at(-reach, -reach), at(reach, -reach), at(reach, reach), at(-reach, reach)};
  }
  Corners within(Corners from, double reach) const {
    for (const Eigen::Index k : flat) {
      const Vector3 axis = body.axes.col(k);
      from = below(from, axis, axis.dot(body.centre) + reach * body.half[k]);
      from = below(from, -axis, -axis.dot(body.centre) + reach * body.half[k]);
    }
    return from;
  }
  bool holds(const Vector3& x, double reach) const {
    return std::all_of(flat.begin(), flat.end(), [&](Eigen::Index k) { return std::abs(place(x, k)) <= reach; });
  }
  // Whether any of them lies at the end of the side.
  bool ends_at(const Corners& corners, double reach) const {
    return std::any_of(corners.begin(), corners.end(),
                       [&](const Corner& c) { return !holds(c.x, (1.0 - 1e-9) * reach); });
  }
};

struct Beside {
  const Facet& facet;
  const PlacedSolid& a;
  const PlacedSolid& b;
  double flat_sine, slack;
  const EarlierRims& rims;
  std::vector<ContactPoint>& out;
  bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& p = c_is_b ? a : b;
  const PlacedSolid& c = c_is_b ? b : a;
  std::size_t corners = 0;

  FacetKind face_of_p() const { return c_is_b ? FacetKind::face_of_a : FacetKind::face_of_b; }
  FacetKind face_of_c() const { return c_is_b ? FacetKind::face_of_b : FacetKind::face_of_a; }

  // outward: from the part that has the facet
  void add(FacetKind kind, const Vector3& x, const Vector3& outward, double gap, int number, double round) {
    const Vector3 n = kind == FacetKind::face_of_a ? outward : Vector3(-outward);
    out.push_back(
        {x, n, gap, {static_cast<int>(kind), number, facet.i, static_cast<int>(kind)}, round, 0.0, Role::core_alone});
  }
  int next_key() { return of_side_corner + static_cast<int>(corners++); }

  void over_face(int f, bool with_farthest) {
    const Vector3 n = p.normals.col(f);
    const SmoothBody body = smooth_body(c);
    const auto add_at = [&](const Vector3& x, int number) {
      add(face_of_p(), x, n, n.dot(x) - p.offsets[f], number, 0.0);
    };
    std::vector<Vector3> points = body.side_points(-n, flat_sine, slack);
    for (const Vector3& x : c_is_b ? rims.of_b : rims.of_a) points.push_back(c.at(x));
    if (with_farthest) points.push_back(body.farthest(-n));
    int number = 0;
    for (const Vector3& x : points) {
      ++number;
      if (is_over_face(p, f, x, slack)) add_at(x, number);
    }
    const FlatSide side(body, -n, flat_sine);
    if (side.flat.empty() || p.solid->half_space()) return;
    std::vector<Vector3> loop;
    for (const int v : p.face(f).loop) loop.push_back(p.vertices.col(v));
    if (p.solid->cylinder) loop = octagon_of_cap(p, f);
    for (int depth = 0; depth < levels; ++depth) {
      const double reach = side.size(slack, depth);
      Corners both = side.outline(reach);
      for (std::size_t k = 0; k < loop.size(); ++k) {
        const Vector3 tail = loop[(k + loop.size() - 1) % loop.size()];
        const Vector3 outward = (loop[k] - tail).cross(n).normalized();
        both = below(both, outward, outward.dot(tail) + slack);
      }
      for (const Corner& corner : both) {
        if (!corner.own && corners < most_corners) add_at(side.beside(corner.x), next_key());
      }
      if (!both.empty() && !side.ends_at(both, reach)) return;
    }
  }

  // A point of a part that ends `radius` beyond it against a smooth body.
  void against(const SmoothBody& body, FacetKind kind, const Vector3& x, double radius, double round) {
    const Vector3 outward = -body.direction_from(x);
    const double s = outward.dot(x - body.farthest(outward));
    add(kind, x - radius * outward, outward, s - radius, next_key(), round);
  }
  void over_line(const FlatSide& side, const Vector3& tail, const Vector3& head, double radius, double round) {
    for (int depth = 0; depth < levels; ++depth) {
      const double reach = side.size(slack, depth);
      const Corners both = side.within({{tail}, {head}}, reach);
      for (const Corner& corner : both) {
        if (corners < most_corners) against(side.body, face_of_c(), corner.x, radius, round);
      }
      if (!both.empty() && !side.ends_at(both, reach)) return;
    }
  }
  void over_smooth(const FlatSide& side, const FlatSide& other) {
    const bool on_p = other.flat.size() < side.flat.size();
    const FlatSide& one = on_p ? other : side;
    const FlatSide& under = on_p ? side : other;
    const FacetKind kind = on_p ? face_of_c() : face_of_p();
    for (int depth = 0; depth < levels; ++depth) {
      for (const Corner& corner : under.within(one.outline(one.size(slack, depth)), under.size(slack, depth))) {
        if (corners < most_corners) against(under.body, kind, one.beside(corner.x), 0.0, 0.0);
      }
    }
    if (rims.shell) return;
    ContactPoint& first = out.front();
    const Vector3 on_c = c_is_b ? first.position : Vector3(first.position - first.gap * first.normal);
    if (!side.holds(on_c, side.size(slack, 0)) || !other.holds(on_c, other.size(slack, 0))) return;
    first.position = on_c;
    first.key = {static_cast<int>(face_of_p()), of_flat_first, facet.i, static_cast<int>(face_of_p())};
    first.round = first.round_other = 0.0;
  }

  // The face, or cap, that faces most squarely along m and lies flat there; -1: none.
  int face_along(const Vector3& m) const {
    int best = -1;
    double most = 0.0;
    for (int f = 0; f < static_cast<int>(p.normals.cols()); ++f) {
      const double facing = p.normals.col(f).dot(m);
      if (!(facing > most) || p.face(f).covered) continue;
      most = facing;
      best = f;
    }
    return 1.0 - most * most < flat_sine * flat_sine ? best : -1;
  }
  void beside_curved() {
    const Vector3 m = c_is_b ? out.front().normal : Vector3(-out.front().normal);
    const FlatSide side(smooth_body(c), -m, flat_sine);
    if (side.flat.empty()) return;
    const auto lies_along = [&](const Vector3& way) { return std::abs(way.dot(m)) < flat_sine * way.norm(); };
    if (p.solid->smooth) {
      const FlatSide other(smooth_body(p), m, flat_sine);
      if (!other.flat.empty()) over_smooth(side, other);
    } else if (const int f = face_along(m); f >= 0) {
      over_face(f, true);
    } else if (p.solid->cylinder) {
      const Roller roll = roller(p);
      const double across = roll.across(m).norm();
      if (lies_along(roll.u)) {
        over_line(side, roll.on_rim(0, m), roll.on_rim(1, m), 0.0, across >= 0.5 ? roll.radius / across : 0.0);
      }
    } else if (p.solid->round()) {
      if (p.vertices.cols() == 2 && lies_along(p.along(0))) {
        over_line(side, p.tail(0), p.tail(0) + p.along(0), p.solid->radius, p.solid->radius);
      }
    } else {
      for (int e = 0; e < static_cast<int>(p.solid->edges.size()); ++e) {
        const bool here = facet.kind == FacetKind::curved_edge ? e == facet.i
                                                               : p.edge(e).tail == facet.i || p.edge(e).head == facet.i;
        if (here && lies_along(p.along(e))) over_line(side, p.tail(e), p.tail(e) + p.along(e), 0.0, 0.0);
      }
    }
  }
};

}  // namespace

void add_side_contacts(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine, double slack,
                       const EarlierRims& rims, std::vector<ContactPoint>& out) {
  Beside beside{facet, a, b, flat_sine, slack, rims, out};
  if (facet.kind == FacetKind::face_of_a || facet.kind == FacetKind::face_of_b) {
    beside.over_face(facet.i, false);
  } else {
    beside.beside_curved();
  }
}

}  // namespace pegrasp::reference::spatial

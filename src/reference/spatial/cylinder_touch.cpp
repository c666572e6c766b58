// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/cylinder_touch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "src/reference/spatial/round_axis.hpp"
#include "src/reference/spatial/smooth.hpp"

namespace pegrasp::reference::spatial {
namespace {

// As of capsules in touch.cpp: what leans by less than this (sine) lies flat.
constexpr double flat_lean = 0.5;
constexpr double line_sine = 0.15;
constexpr double line_depth = 1e-3;

enum TouchKey : int { rim_key = 20, cut_key, corner_key, line_key, crossing_key, other_rim_key, curved_key };

bool on_side(const Roller& c, const Vector3& n) { return std::abs(n.dot(c.u)) < flat_lean; }
bool on_cap(const Roller& c, const Vector3& n) { return 1.0 - std::pow(n.dot(c.u), 2) < flat_lean * flat_lean; }
// From the surface along the normal to the axis, where that is near.
double to_axis(const Roller& c, const Vector3& n) {
  const double cosine = c.across(n).norm();
  return cosine >= 0.5 ? c.radius / cosine : 0.0;
}

// The eight directions that turn with the body, then the one along which the cap is deepest against a plane, and those
// along which it was.
constexpr int deepest_number = 8;
std::vector<Vector3> rim_directions(const PlacedSolid& part, const Vector3& down, const std::vector<Vector3>& earlier) {
  constexpr double as_good = 1e-5;  // half the square of the angle to the deepest
  const Roller c = roller(part);
  const Vector3 own = part.solid->faces[1].normal;
  int axis = 0;
  own.cwiseAbs().minCoeff(&axis);
  const Vector3 e = part.at.axes * own.cross(Vector3(Vector3::Unit(axis))).normalized();
  std::vector<Vector3> out;
  for (int k = 0; k < 8; ++k) {
    const double angle = 0.25 * std::numbers::pi * k;
    out.push_back(std::cos(angle) * e + std::sin(angle) * c.u.cross(e));
  }
  if (!(down.norm() > 1e-9)) return out;
  const Vector3 deepest = down.normalized();
  out.push_back(deepest);
  for (const Vector3& own_direction : earlier) {
    const Vector3 d = part.at.axes * own_direction;
    if (d.dot(deepest) < 1.0 - as_good) out.push_back(d);
  }
  return out;
}

// A piece of a segment between two fractions of it.
struct Piece {
  double low = 0.0, high = 1.0;
  int low_key = 0, high_key = 1;
  bool empty() const { return !(low <= high); }
  // Keeps the fractions t with from + t (to - from) <= 0.
  void keep_below(double from, double to, int key) {
    if (from <= 0.0 && to <= 0.0) return;
    const double t = from / (from - to);
    if (from > 0.0 && to > 0.0) {
      high = -1.0;
    } else if (from > 0.0) {
      if (t > low) low_key = key;
      low = std::max(low, t);
    } else {
      if (t < high) high_key = key;
      high = std::min(high, t);
    }
  }
  // Keeps the fractions at which the segment is within r of an axis.
  void keep_within(const Roller& c, const Vector3& from, const Vector3& along, double r) {
    const Vector3 f = c.across(from - c.ends[0]), w = c.across(along);
    const double a = w.squaredNorm(), b = f.dot(w), left = b * b - a * (f.squaredNorm() - r * r);
    if (a > 0.0 && left > 0.0) {
      const double root = std::sqrt(left);
      if ((-b - root) / a > low) low_key = 2;
      if ((-b + root) / a < high) high_key = 3;
      low = std::max(low, (-b - root) / a);
      high = std::min(high, (-b + root) / a);
    } else if (a > 0.0 || f.squaredNorm() > r * r) {
      high = -1.0;
    }
  }
};

// An outline in a plane, counter-clockwise seen along `view` from outside.
struct Loop {
  std::vector<Vector3> corners;
  Vector3 normal, point, view;
  double slack;

  Vector3 side(std::size_t k) const {
    return (corners[(k + 1) % corners.size()] - corners[k]).cross(view).normalized();
  }
  double outside(std::size_t k, const Vector3& x) const { return side(k).dot(x - corners[k]) - slack; }
  bool holds(const Vector3& x, std::size_t but) const {
    for (std::size_t k = 0; k < corners.size(); ++k) {
      if (k != but && outside(k, x) > 0.0) return false;
    }
    return true;
  }
  Vector3 in_plane(const Vector3& x) const { return x + normal.dot(point - x) / normal.dot(view) * view; }
};
constexpr std::size_t no_side = static_cast<std::size_t>(-1);

class Touches {
 public:
  Touches(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine, double slack,
          const EarlierRims& rims)
      : facet_(facet), a_(a), b_(b), flat_sine_(flat_sine), slack_(slack), rims_(rims) {}

  std::vector<ContactPoint> out;

  // What lies over face f of a part; false if nothing does.
  bool face(FacetKind kind, int f) {
    kind_ = kind;
    of_a_ = kind == FacetKind::face_of_a;
    const PlacedSolid& p = of_a_ ? a_ : b_;
    const PlacedSolid& q = of_a_ ? b_ : a_;
    n_ = p.normals.col(f);
    base_ = p.offsets[f];
    const std::size_t before = out.size();
    if (p.solid->cylinder) {
      over_cap(p, f, q);
    } else {
      over_polygon(p, f, q);
    }
    return out.size() > before;
  }

  void deepest(FacetKind kind, int f) {
    face_of(kind, f);
    const PlacedSolid& q = of_a_ ? b_ : a_;
    if (q.solid->cylinder) {
      touch(farthest_point_of(q, -n_), 0.0, to_axis(roller(q), n_), line_key, 2, 0);
    } else {
      const int v = q.support(-n_).vertex;
      touch(q.vertices.col(v), q.solid->radius, q.solid->radius, 0, v, 0);
    }
  }

  void curved() {
    const bool c_is_b = curved_is_b(a_, b_);
    const PlacedSolid& p = c_is_b ? a_ : b_;
    const Vector3 n = curved_peak(facet_, a_, b_).n;
    const bool vertex = facet_.kind == FacetKind::curved_vertex;
    const Line la = line_of(a_), lb = line_of(b_);
    const double aa = la.along.squaredNorm(), bb = lb.along.squaredNorm();
    const double sine = aa > 0.0 && bb > 0.0 ? la.along.cross(lb.along).norm() / std::sqrt(aa * bb) : 1.0;
    const bool sides =
        (!a_.solid->cylinder || on_side(roller(a_), n)) && (!b_.solid->cylinder || on_side(roller(b_), n));
    if (vertex || !sides || !(sine < line_sine) || !along_lines(la, lb, n, sine)) at_a_point(la, lb, n, vertex);
    beside(p, c_is_b, n, vertex);
  }

 private:
  const std::vector<Vector3>& earlier(const PlacedSolid& part) const { return &part == &a_ ? rims_.of_a : rims_.of_b; }

  // The line along which a part may touch.
  struct Line {
    Vector3 tail, along;
  };
  Line line_of(const PlacedSolid& p) const {
    const int e = p.solid->polyhedron() && facet_.kind == FacetKind::curved_edge ? facet_.i : 0;
    return {p.tail(e), p.along(e)};
  }
  static double reach(const PlacedSolid& p, const Vector3& n) {
    return p.solid->cylinder ? p.solid->radius * roller(p).across(n).norm() : p.solid->radius;
  }
  static Vector3 surface(const PlacedSolid& p, const Vector3& x, const Vector3& n) {
    if (!p.solid->cylinder) return x + p.solid->radius * n;
    const Vector3 out = roller(p).across(n);
    return out.norm() > 0.0 ? Vector3(x + p.solid->radius * out.normalized()) : x;
  }
  static double round(const PlacedSolid& p, const Vector3& n) {
    return p.solid->cylinder ? to_axis(roller(p), n) : p.solid->radius;
  }

  void face_of(FacetKind kind, int f) {
    kind_ = kind;
    of_a_ = kind == FacetKind::face_of_a;
    const PlacedSolid& p = of_a_ ? a_ : b_;
    n_ = p.normals.col(f);
    base_ = p.offsets[f];
  }
  void touch(const Vector3& x, double radius, double round, int key, int i, int j) {
    out.push_back({x - radius * n_,
                   of_a_ ? n_ : Vector3(-n_),
                   n_.dot(x) - base_ - radius,
                   {static_cast<int>(kind_), key, i, j},
                   round,
                   0.0});
  }

  // Where the springs of a shell are under a cap, whose contacts are those from number `first` on: at the corners of
  // the region and the eight points of a rim; of a cap that leans, at its deepest point, of two caps that of the one
  // that rests on the face; where that is not over the face, at the corners and at the other's deepest point.
  void place_springs(std::size_t first, double lean) {
    const auto number = [](const ContactPoint& c, int key) { return c.key[1] == key ? c.key[3] : -1; };
    const auto deepest = [&](const ContactPoint& c) { return number(c, rim_key) == deepest_number; };
    const bool flat = lean < flat_sine_;
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
    const bool alone = !flat && std::any_of(begin, out.end(), deepest);
    for (auto c = begin; c != out.end(); ++c) {
      const int on_rim = std::max(number(*c, rim_key), number(*c, other_rim_key));
      const bool corner = on_rim < 0;
      const bool bears =
          flat ? corner || on_rim < deepest_number : (alone ? deepest(*c) : corner || on_rim == deepest_number);
      if (!bears) c->role = Role::core_alone;
    }
  }

  // What of a cap and an outline are seen over each other; of_cap: the points on the cap count, else those on the
  // plane.
  void disc_and_loop(const PlacedSolid& part, int cap, const Loop& loop, bool of_cap) {
    const Roller c = roller(part);
    const Vector3 middle = c.ends[cap];
    const std::size_t before = out.size();
    int number = 0;
    for (const Vector3& d : rim_directions(part, -c.across(loop.normal), earlier(part))) {
      const Vector3 x = middle + c.radius * d;
      if (loop.holds(x, no_side)) touch(of_cap ? x : loop.in_plane(x), 0.0, 0.0, rim_key, cap, number);
      ++number;
    }
    for (std::size_t k = 0; k < loop.corners.size(); ++k) {
      const Vector3 side = c.across(loop.side(k));
      const double far = -loop.outside(k, middle) / side.norm();
      if (far * far < c.radius * c.radius) {
        const Vector3 d = side.normalized();
        const Vector3 half = std::sqrt(c.radius * c.radius - far * far) * c.u.cross(d);
        for (const int turn : {0, 1}) {
          const Vector3 x = middle + far * d + (turn == 0 ? half : Vector3(-half));
          if (!loop.holds(x, k)) continue;
          touch(of_cap ? x : loop.in_plane(x), 0.0, 0.0, cut_key, cap, 2 * static_cast<int>(k) + turn);
        }
      }
      const Vector3& corner = loop.corners[k];
      const Vector3 seen = corner + c.u.dot(middle - corner) / c.u.dot(loop.view) * loop.view;
      if ((seen - middle).norm() < c.radius) {
        touch(of_cap ? seen : corner, 0.0, 0.0, corner_key, cap, static_cast<int>(k));
      }
    }
    place_springs(before, c.across(loop.normal).norm());
  }

  // The cylinder q over a face of a polyhedron or over a half-space.
  void over_polygon(const PlacedSolid& p, int f, const PlacedSolid& q) {
    const Roller c = roller(q);
    Loop loop{{}, n_, base_ * n_, n_, slack_};
    for (const int v : p.face(f).loop) loop.corners.push_back(p.vertices.col(v));
    if (on_cap(c, n_)) {
      disc_and_loop(q, c.farther_end(-n_), loop, true);
    } else if (on_side(c, n_)) {
      const Vector3 from = c.on_rim(0, -n_), along = c.on_rim(1, -n_) - from;
      Piece piece;
      for (std::size_t k = 0; k < loop.corners.size(); ++k) {
        piece.keep_below(loop.outside(k, from), loop.outside(k, from + along), 4 + static_cast<int>(k));
      }
      add_piece(piece, from, along, 0.0, to_axis(c, n_));
    } else if (loop.holds(farthest_point_of(q, -n_), no_side)) {
      touch(farthest_point_of(q, -n_), 0.0, to_axis(c, n_), line_key, 2, 0);
    }
  }
  void add_piece(const Piece& piece, const Vector3& from, const Vector3& along, double radius, double round) {
    if (piece.empty()) return;
    touch(from + piece.low * along, radius, round, line_key, piece.low_key, 0);
    if (piece.low < piece.high) touch(from + piece.high * along, radius, round, line_key, piece.high_key, 1);
  }

  // Any other part q over a cap of the cylinder p.
  void over_cap(const PlacedSolid& p, int cap, const PlacedSolid& q) {
    const Roller own = roller(p);
    const double within = own.radius + slack_;
    if (q.solid->cylinder) {
      const Roller c = roller(q);
      if (on_cap(c, n_)) {
        cap_over_cap(p, cap, q);
      } else if (on_side(c, n_)) {
        const Vector3 from = c.on_rim(0, -n_), along = c.on_rim(1, -n_) - from;
        Piece piece;
        piece.keep_within(own, from, along, within);
        add_piece(piece, from, along, 0.0, to_axis(c, n_));
      } else if (own.across(farthest_point_of(q, -n_) - own.ends[0]).norm() <= within) {
        touch(farthest_point_of(q, -n_), 0.0, to_axis(c, n_), line_key, 2, 0);
      }
      return;
    }
    const std::vector<Vector3> resting = resting_points(q, n_, flat_sine_);
    if (resting.size() > 2) {
      Vector3 area = Vector3::Zero();
      for (std::size_t i = 1; i + 1 < resting.size(); ++i) {
        area += (resting[i] - resting[0]).cross(resting[i + 1] - resting[0]);
      }
      disc_and_loop(p, cap, {resting, area.normalized(), resting[0], -n_, slack_}, false);
    } else if (resting.size() == 2) {
      Piece piece;
      piece.keep_within(own, resting[0], resting[1] - resting[0], within);
      add_piece(piece, resting[0], resting[1] - resting[0], q.solid->radius, q.solid->radius);
    } else if (own.across(resting[0] - own.ends[0]).norm() <= within) {
      touch(resting[0], q.solid->radius, q.solid->radius, line_key, 2, 0);
    }
  }

  void cap_over_cap(const PlacedSolid& p, int cap, const PlacedSolid& q) {
    const Roller own = roller(p), other = roller(q);
    const int end = other.farther_end(-n_);
    const std::size_t before = out.size();
    const auto to_plane = [this](const Roller& c, int k, const Vector3& x) {
      return Vector3(x + c.u.dot(c.ends[k] - x) / c.u.dot(n_) * n_);
    };
    int number = 0;
    const auto facing = [](const Roller& c, int k, const Roller& to) { return c.out(k).dot(to.u) < 0.0 ? -1.0 : 1.0; };
    for (const Vector3& d : rim_directions(q, facing(other, end, own) * other.across(own.u), earlier(q))) {
      const Vector3 x = other.ends[end] + other.radius * d;
      if ((to_plane(own, cap, x) - own.ends[cap]).norm() <= own.radius + slack_)
        touch(x, 0.0, 0.0, rim_key, end, number);
      ++number;
    }
    number = 0;
    for (const Vector3& d : rim_directions(p, facing(own, cap, other) * own.across(other.u), earlier(p))) {
      const Vector3 x = to_plane(other, end, own.ends[cap] + own.radius * d);
      if ((x - other.ends[end]).norm() <= other.radius - slack_) touch(x, 0.0, 0.0, other_rim_key, end, number);
      ++number;
    }
    for (const int turn : {0, 1}) {
      const auto x = crossing(own, cap, other, end, turn);
      if (x) touch(*x, 0.0, 0.0, crossing_key, end, turn);
    }
    place_springs(before, own.across(other.u).norm());
    // no corners of the region where all of the rim lies over the cap
    const double aside = own.across(own.ends[cap] - other.ends[end]).norm();
    for (std::size_t i = before; i < out.size() && aside + other.radius <= own.radius + slack_; ++i) {
      if (out[i].key[1] == crossing_key) out[i].role = Role::core_alone;
    }
  }

  // Where the rim of `other` crosses that of `own`, seen along the latter's axis.
  static std::optional<Vector3> crossing(const Roller& own, int cap, const Roller& other, int end, int turn) {
    const Vector3 between = own.across(own.ends[cap] - other.ends[end]);
    const double d = between.norm();
    if (!(d > 0.0)) return {};
    const double along = 0.5 * (d * d + other.radius * other.radius - own.radius * own.radius) / d;
    if (!(std::abs(along) < other.radius)) return {};
    const Vector3 half = std::sqrt(other.radius * other.radius - along * along) * own.u.cross(between / d);
    Vector3 out = other.across(along / d * between + (turn == 0 ? half : Vector3(-half))).normalized();
    for (int k = 0; k < 8; ++k) {
      const Vector3 x = other.ends[end] + other.radius * out;
      const Vector3 from = own.across(x - own.ends[cap]);
      const double miss = from.squaredNorm() - own.radius * own.radius;
      if (std::abs(miss) <= 1e-12 * own.radius * own.radius) return x;
      const double rate = 2.0 * other.radius * from.dot(other.u.cross(out));
      if (!(std::abs(miss) < 0.5 * std::abs(rate))) return {};
      out = other.across(out - miss / rate * other.u.cross(out)).normalized();
    }
    return {};
  }

  void add_curved(const Vector3& x, const Vector3& n, double gap, int key, double round_b, double round_a) {
    out.push_back({x,
                   n,
                   gap,
                   {static_cast<int>(FacetKind::round), key, facet_.i, static_cast<int>(facet_.kind)},
                   round_b,
                   round_a});
  }
  // Between points of both lines, along the unit vector n.
  void add_between(const Vector3& xa, const Vector3& xb, const Vector3& n, int key) {
    const double gap = n.dot(xb - xa) - reach(a_, n) - reach(b_, n);
    add_curved(surface(b_, xb, -n), n, gap, key, round(b_, n), round(a_, n));
  }

  bool along_lines(const Line& la, const Line& lb, const Vector3& n, double sine) {
    const EdgePoints closest = closest_points(a_, edge_of(a_), b_, edge_of(b_));
    const double a0 = closest.on_a, b0 = closest.on_b;
    const double rate = la.along.squaredNorm() / la.along.dot(lb.along);
    const double b_low = rate > 0.0 ? 0.0 : 1.0;
    const double low = std::max(-a0, (b_low - b0) / rate), high = std::min(1.0 - a0, (1.0 - b_low - b0) / rate);
    if (!(low < high)) return false;
    const double half = std::sqrt(2.0 * line_depth) * (a_.solid->radius + b_.solid->radius) / la.along.norm();
    for (const int end : {0, 1}) {
      const double outer = end == 0 ? low : high;
      const bool all = std::abs(outer) * sine <= half;
      const double step = all ? outer : (end == 0 ? -half : half) / sine;
      add_between(la.tail + (a0 + step) * la.along, lb.tail + (b0 + step * rate) * lb.along, n, curved_key + 1 + end);
      if (all) continue;
      const double a_end = end == 0 ? 0.0 : 1.0, b_end = end == 0 ? b_low : 1.0 - b_low;
      const Vector3 between = lb.tail - la.tail;
      double on_a = a_end, on_b = b_end;
      if (outer == a_end - a0) {
        on_b = std::clamp((a_end * la.along - between).dot(lb.along) / lb.along.squaredNorm(), 0.0, 1.0);
      } else {
        on_a = std::clamp((between + b_end * lb.along).dot(la.along) / la.along.squaredNorm(), 0.0, 1.0);
      }
      const Vector3 xa = la.tail + on_a * la.along, xb = lb.tail + on_b * lb.along;
      const bool own = (xb - xa).dot(n) > 0.5 * (xb - xa).norm();
      add_between(xa, xb, own ? Vector3((xb - xa).normalized()) : n, curved_key + 3 + end);
      out.back().role = Role::core_alone;
    }
    return true;
  }
  int edge_of(const PlacedSolid& p) const {
    return p.solid->polyhedron() && facet_.kind == FacetKind::curved_edge ? facet_.i : 0;
  }

  // The point or the line at which a part is farthest along d.
  Line farthest_line(const PlacedSolid& p, const Line& line, const Vector3& d, bool vertex) const {
    constexpr double level = 1e-7;
    if (p.solid->cylinder) {
      const Roller c = roller(p);
      if (std::abs(d.dot(c.u)) < level) return {c.on_rim(0, d), line.along};
      return {farthest_point_of(p, d), Vector3::Zero()};
    }
    if (vertex) return {p.vertices.col(facet_.i), Vector3::Zero()};
    const double slope = line.along.dot(d);
    if (p.solid->polyhedron() || std::abs(slope) <= level * line.along.norm()) {
      return {line.tail + p.solid->radius * d, line.along};
    }
    return {line.tail + (slope > 0.0 ? 1.0 : 0.0) * line.along + p.solid->radius * d, Vector3::Zero()};
  }
  void at_a_point(const Line& la, const Line& lb, const Vector3& n, bool vertex) {
    const Line ta = farthest_line(a_, la, n, vertex), tb = farthest_line(b_, lb, -n, vertex);
    const auto [on_a, on_b] = nearest(ta, tb);
    const Vector3 xa = ta.tail + on_a * ta.along, xb = tb.tail + on_b * tb.along;
    const auto rounds = [&](const PlacedSolid& p) { return vertex && !p.solid->cylinder ? 0.0 : round(p, n); };
    add_curved(xb, n, n.dot(xb - xa), curved_key, rounds(b_), rounds(a_));
  }
  // Fractions of two segments, which may have no length, at which they are nearest.
  static std::pair<double, double> nearest(const Line& a, const Line& b) {
    const Vector3 between = b.tail - a.tail;
    const double aa = a.along.squaredNorm(), bb = b.along.squaredNorm(), ab = a.along.dot(b.along);
    const double left = aa * bb - ab * ab;
    double s = 0.0;
    if (aa > 0.0) {
      if (left > 1e-24 * aa * bb) {
        s = std::clamp((between.dot(a.along) * bb - between.dot(b.along) * ab) / left, 0.0, 1.0);
      } else {
        const double from = between.dot(a.along) / aa, to = (between + b.along).dot(a.along) / aa;
        s = std::clamp(0.5 * (std::max(0.0, std::min(from, to)) + std::min(1.0, std::max(from, to))), 0.0, 1.0);
      }
    }
    double t = bb > 0.0 ? (s * ab - between.dot(b.along)) / bb : 0.0;
    if (t < 0.0 || t > 1.0) {
      t = std::clamp(t, 0.0, 1.0);
      if (aa > 0.0) s = std::clamp((between.dot(a.along) + t * ab) / aa, 0.0, 1.0);
    }
    return {s, t};
  }

  // What lies over a face or a cap beside the facet that is nearly flat.
  void beside(const PlacedSolid& p, bool c_is_b, const Vector3& n, bool vertex) {
    const Vector3 m = c_is_b ? n : Vector3(-n);  // from p
    if (p.solid->polyhedron() && !vertex) {
      const SolidEdge& edge = p.edge(facet_.i);
      const int f = p.normals.col(edge.left).dot(m) >= p.normals.col(edge.right).dot(m) ? edge.left : edge.right;
      const double cosine = p.normals.col(f).dot(m);
      if (cosine > 0.0 && 1.0 - cosine * cosine < flat_lean * flat_lean && !p.face(f).covered &&
          face(c_is_b ? FacetKind::face_of_a : FacetKind::face_of_b, f))
        return;
    }
    const Roller c = roller(c_is_b ? b_ : a_);
    if (on_cap(c, n) && face(c_is_b ? FacetKind::face_of_b : FacetKind::face_of_a, c.farther_end(-m))) return;
    if (p.solid->cylinder && on_cap(roller(p), n)) {
      face(c_is_b ? FacetKind::face_of_a : FacetKind::face_of_b, roller(p).farther_end(m));
    }
  }

  const Facet& facet_;
  const PlacedSolid& a_;
  const PlacedSolid& b_;
  double flat_sine_, slack_;
  const EarlierRims& rims_;
  FacetKind kind_ = FacetKind::none;  // of the face at hand: whose it is, its normal, where its plane is
  bool of_a_ = true;
  Vector3 n_ = Vector3::Zero();
  double base_ = 0.0;
};

}  // namespace

std::vector<ContactPoint> cylinder_contacts(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b,
                                            double flat_sine, double slack, const EarlierRims& rims, bool* over) {
  if (with_smooth(a, b)) return smooth_contacts(facet, a, b, flat_sine, slack, rims, over);
  Touches touches(facet, a, b, flat_sine, slack, rims);
  if (over != nullptr) *over = true;
  if (facet.kind == FacetKind::curved_edge || facet.kind == FacetKind::curved_vertex) {
    touches.curved();
  } else if (facet.kind != FacetKind::none) {
    const bool any = touches.face(facet.kind, facet.i);
    if (!any) touches.deepest(facet.kind, facet.i);
    if (over != nullptr) *over = any;
  }
  return touches.out;
}

std::vector<Vector3> octagon_of_cap(const PlacedSolid& part, int cap) {
  const Roller c = roller(part);
  std::vector<Vector3> out;
  for (const Vector3& d : rim_directions(part, Vector3::Zero(), {})) out.push_back(c.ends[cap] + c.radius * d);
  if (cap == 0) std::reverse(out.begin(), out.end());
  return out;
}

void remember_rims(const std::vector<ContactPoint>& contacts, const PlacedSolid& a, const PlacedSolid& b,
                   EarlierRims& rims) {
  constexpr std::size_t most = 2;
  if (with_smooth(a, b)) {
    remember_farthest(contacts, a, b, rims);
    return;
  }
  for (const ContactPoint& c : contacts) {
    if ((c.key[1] != rim_key && c.key[1] != other_rim_key) || c.key[3] != deepest_number) continue;
    const bool face_of_a = c.key[0] == static_cast<int>(FacetKind::face_of_a);
    const bool both = a.solid->cylinder && b.solid->cylinder;
    const bool of_a = both ? face_of_a == (c.key[1] == other_rim_key) : a.solid->cylinder;
    const PlacedSolid& part = of_a ? a : b;
    std::vector<Vector3>& of_part = of_a ? rims.of_a : rims.of_b;
    const Roller r = roller(part);
    of_part.insert(of_part.begin(), part.at.axes.transpose() * r.across(c.position - r.ends[0]).normalized());
    if (of_part.size() > most) of_part.pop_back();
  }
}

}  // namespace pegrasp::reference::spatial

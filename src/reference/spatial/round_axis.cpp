// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/round_axis.hpp"

#include <algorithm>
#include <cmath>

namespace pegrasp::reference::spatial {
namespace {

// Edges closer to parallel than the first angle (sine) are closest along their whole overlap, up to rounding. Edges
// closer to parallel than the second have no usable common normal.
constexpr double lost_sine = 1e-12;
constexpr double parallel_sine = 1e-7;

// The error of a separation by rounding. `sliver` is proportional to what is measured. `unsure` is proportional to the
// square of the size over the distance, because the axis of cores that nearly touch is affected by rounding, as long as
// a direction is left.
double sliver(double distance, double reach) { return 1e-9 * (distance + reach); }
double unsure(double distance, double reach, double squares) {
  return distance > 0.0 ? std::min(1e-14 * (squares + reach * reach) / distance, 1e-6 * std::sqrt(squares)) : 0.0;
}

Vector3 any_across(const Vector3& along) {
  return along.isZero(0.0) ? Vector3(Vector3::UnitX()) : along.unitOrthogonal();
}

}  // namespace

// Finds the point of a's edge nearest to the line of b, the point of b's edge nearest to that, and the point of a's
// edge once more if b's point had to stay within its ends (Ericson 2005, Real-Time Collision Detection, 5.1.9). The
// first point is found by cross products: squares of distances would distinguish points only to the square root of
// rounding, and the direction needs more.
EdgePoints closest_points(const PlacedSolid& a, int i, const PlacedSolid& b, int j) {
  const Vector3 u = a.along(i);
  const Vector3 v = b.along(j);
  const Vector3 between = b.tail(j) - a.tail(i);
  const double uu = u.squaredNorm();
  const double vv = v.squaredNorm();
  const auto share = [](double x, double of) { return of > 0.0 ? std::clamp(x / of, 0.0, 1.0) : 0.0; };
  EdgePoints out;
  const Vector3 across = u.cross(v);
  if (across.norm() > lost_sine * std::sqrt(uu * vv)) {
    out.on_a = share(between.cross(v).dot(across), across.squaredNorm());
  } else if (uu > 0.0) {  // of the overlap, or of a point, the middle
    const double from = between.dot(u);
    const double to = from + v.dot(u);
    out.on_a = 0.5 * (share(std::min(from, to), uu) + share(std::max(from, to), uu));
  }
  const double on_line = vv > 0.0 ? v.dot(out.on_a * u - between) / vv : 0.0;
  out.on_b = std::clamp(on_line, 0.0, 1.0);
  if (out.on_b != on_line) out.on_a = share(u.dot(between + out.on_b * v), uu);
  out.way = between + out.on_b * v - out.on_a * u;
  return out;
}

double separation_along(const Vector3& n, const PlacedSolid& a, const PlacedSolid& b) {
  return -b.support(-n).value - a.support(n).value - a.solid->radius - b.solid->radius;
}

namespace {

RoundAxis best_axis(const PlacedSolid& a, int i, const PlacedSolid& b, int j) {
  const double reach = a.solid->radius + b.solid->radius;
  RoundAxis out;
  out.closest = closest_points(a, i, b, j);
  const double distance = out.closest.way.norm();
  const Vector3 u = a.along(i);
  const Vector3 v = b.along(j);
  const double sure = sliver(distance, reach);
  const double slack = sure + unsure(distance, reach, u.squaredNorm() + v.squaredNorm());
  out.s = -1e300;
  if (distance > 0.0) {
    out.n = out.closest.way / distance;
    out.along_points = true;
    out.s = separation_along(out.n, a, b);
    out.facet = out.s >= distance - reach - slack;
    if (out.s >= distance - reach - sure) return out;
  }
  Vector3 across = u.cross(v);
  if (!(across.norm() > parallel_sine * u.norm() * v.norm())) {
    if (distance > 0.0) return out;
    const Vector3& longer = u.squaredNorm() >= v.squaredNorm() ? u : v;
    across = any_across(longer);  // any direction across is as good
    if (!longer.isZero(0.0)) across *= longer.squaredNorm();
  }
  // what rounding may turn it by, in proportion to the size
  const double turned = 1e-14 * (u.squaredNorm() + v.squaredNorm()) * std::max(u.norm(), v.norm()) / across.norm();
  across.normalize();
  for (const Vector3& n : {across, Vector3(-across)}) {
    const double s = separation_along(n, a, b);
    if (!(s > out.s)) continue;
    out.n = n;
    out.s = s;
    out.along_points = false;
    out.facet = s >= n.dot(b.tail(j) - a.tail(i)) - reach - sure - turned;
  }
  return out;
}

}  // namespace

// Two round parts have no other facet than that of their closest points, though these may give no direction.
RoundAxis round_axis(const PlacedSolid& a, int i, const PlacedSolid& b, int j) {
  RoundAxis out = best_axis(a, i, b, j);
  if (a.solid->round() && b.solid->round()) {
    out.facet = true;
    out.s = out.closest.way.norm() - a.solid->radius - b.solid->radius;
  }
  return out;
}

bool on_surface(const RoundAxis& axis, const PlacedSolid& a, int i, const PlacedSolid& b, int j) {
  const auto has = [](const PlacedSolid& p, int e, double at, const Vector3& n) {
    if (p.solid->round()) return true;
    if (at > 0.0 && at < 1.0) return p.edge_on_surface(e, n);
    return p.vertex_on_surface(at > 0.0 ? p.edge(e).head : p.edge(e).tail, n);
  };
  return has(a, i, axis.closest.on_a, axis.n) && has(b, j, axis.closest.on_b, -axis.n);
}

double least_on_straight_way(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1,
                             const PlacedSolid& b1) {
  constexpr double none = 1e300;
  if (!a0.solid->round() || !b0.solid->round()) return none;
  const Vector3 start = closest_points(a0, 0, b0, 0).way;
  const Vector3 end = closest_points(a1, 0, b1, 0).way;
  if (start.dot(end) >= 0.0) return none;
  const Vector3 moved = end - start;
  const double t = std::clamp(-start.dot(moved) / moved.squaredNorm(), 0.0, 1.0);
  return (start + t * moved).norm() - a0.solid->radius - b0.solid->radius;
}

}  // namespace pegrasp::reference::spatial

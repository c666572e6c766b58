// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/cylinder.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/reference/spatial/smooth.hpp"

namespace pegrasp::reference::spatial {
namespace {

// [rad] from the ends of an arc, where bends of s do not matter.
constexpr double within_arc = 1e-8;

// s on an arc of directions m = cos t e + sin t f, from P to C, along which P's point is x.
struct Arc {
  Vector3 e, f, x;
  const PlacedSolid& c;

  Vector3 at(double t) const { return std::cos(t) * e + std::sin(t) * f; }
  Vector3 ahead(double t) const { return std::cos(t) * f - std::sin(t) * e; }
  double rate(double t) const { return ahead(t).dot(farthest_point_of(c, -at(t)) - x); }
  double value(double t) const { return at(t).dot(farthest_point_of(c, -at(t)) - x); }

  // Angles between which s has one peak at most. Seen across the arc both rims of C are half ellipses, whose bends
  // are at their ends: there angles become dense, evenly as seen from the middle of the ellipse and then ever more.
  std::vector<double> divided(double from, double to) const {
    constexpr int even = 12, halvings = 30;
    const Roller r = roller(c);
    const double flat = std::abs(r.u.dot(e.cross(f)));
    const double middle = std::atan2(r.u.dot(f), r.u.dot(e));
    std::vector<double> share;
    for (int k = 0; k < even; ++k) share.push_back(static_cast<double>(k) / even);
    for (int k = 1; k <= halvings; ++k) share.push_back(1.0 - std::ldexp(1.0 / even, -k));
    share.push_back(1.0);
    std::vector<double> out{from, to};
    for (const double part : share) {
      const double half =
          part < 1.0 ? std::atan(flat * std::tan(0.5 * std::numbers::pi * part)) : 0.5 * std::numbers::pi;
      for (const double angle : {middle + half, middle - half}) {
        for (int turns = -4; turns <= 4; ++turns) {
          const double t = angle + turns * std::numbers::pi;
          if (t > from && t < to) out.push_back(t);
        }
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  // Calls found(t) for the peaks between two angles.
  template <class Found>
  void peaks(double from, double to, const Found& found) const {
    const std::vector<double> angles = divided(from, to);
    double low = angles.front();
    bool rises = rate(low) > 0.0;
    for (std::size_t k = 1; k < angles.size(); ++k) {
      const double there = rate(angles[k]);
      if (rises && there < 0.0) {
        double left = low, right = angles[k];
        for (int turn = 0; turn < 100; ++turn) {
          const double between = 0.5 * (left + right);
          (rate(between) > 0.0 ? left : right) = between;
        }
        found(0.5 * (left + right));
      }
      if (there == 0.0) continue;  // level, as at a peak that is an angle of the list
      rises = there > 0.0;
      low = angles[k];
    }
  }
};

// The highest peak; of an arc without one the higher end.
CurvedPeak peak_of_edge(const PlacedSolid& p, int edge, const PlacedSolid& c) {
  const Vector3 left = p.normals.col(p.edge(edge).left), right = p.normals.col(p.edge(edge).right);
  const Vector3 f = (right - right.dot(left) * left).normalized();
  const double angle = std::atan2(right.dot(f), right.dot(left));
  const Arc arc{left, f, p.tail(edge), c};
  CurvedPeak out{arc.value(0.0) > arc.value(angle) ? left : right, false};
  double most = nothing_separates;
  arc.peaks(within_arc, angle - within_arc, [&](double t) {
    if (!(arc.value(t) > most)) return;
    most = arc.value(t);
    out = {arc.at(t), true};
  });
  return out;
}

// From the point x towards a cylinder: along the shortest way, or where x is between the planes of its caps straight to
// its axis. Not there over a cap.
CurvedPeak peak_of_point(const Vector3& x, const Roller& c, double& distance) {
  const Vector3 middle = 0.5 * (c.ends[0] + c.ends[1]);
  const double half = 0.5 * (c.ends[1] - c.ends[0]).norm();
  const double along = (x - middle).dot(c.u);
  const Vector3 side = c.across(x - middle);
  const double rho = side.norm();
  const double over = std::max(0.0, std::abs(along) - half);
  if (rho == 0.0 || (over > 0.0 && rho <= c.radius)) {
    distance = over;
    return {along > 0.0 ? Vector3(-c.u) : c.u, false};
  }
  if (over == 0.0) {
    distance = rho - c.radius;
    return {-side / rho, true};
  }
  const Vector3 way = (rho - c.radius) / rho * side + (along > 0.0 ? over : -over) * c.u;
  distance = way.norm();
  return {-way / distance, true};
}

CurvedPeak peak_of_vertex(const PlacedSolid& p, int v, const PlacedSolid& c) {
  constexpr double sliver = 1e-9;
  double distance = 0.0;
  CurvedPeak out = peak_of_point(p.vertices.col(v), roller(c), distance);
  const double beyond = p.support(out.n).value - out.n.dot(p.vertices.col(v));
  out.there = out.there && beyond <= sliver * (std::abs(distance) + c.solid->radius);
  return out;
}

Matrix3 curvature(const Roller& c, const Vector3& m) {
  const Vector3 t = c.u.cross(m);
  const double q = std::max(t.norm(), 1e-12);
  return c.radius / (q * q * q) * t * t.transpose();
}

// Climbs from a direction as far as Newton's method does, with both rims as they count there.
Vector3 climb(Vector3 m, const PlacedSolid& p, const PlacedSolid& c) {
  const Roller rp = roller(p), rc = roller(c);
  const double reach = rp.radius + rc.radius;
  for (int k = 0; k < 50; ++k) {
    const Vector3 way = farthest_point_of(c, -m) - farthest_point_of(p, m);
    const double s = way.dot(m);
    const Vector3 slope = way - s * m;
    if (slope.norm() <= 1e-14 * reach) break;
    const Matrix3 bend = curvature(rp, m) + curvature(rc, m) + (std::max(s, 0.0) + 1e-9 * reach) * Matrix3::Identity() +
                         reach * m * m.transpose();
    Vector3 step = bend.ldlt().solve(slope);
    step -= step.dot(m) * m;
    if (step.norm() > 1.0) step.normalize();
    bool higher = false;
    for (int turn = 0; turn < 20 && !higher; ++turn, step *= 0.5) {
      const Vector3 next = (m + step).normalized();
      higher = separation_of_all(next, p, c) > s;
      if (higher) m = next;
    }
    if (!higher) break;
  }
  return m;
}

// The best direction from P, a sphere, a capsule or a cylinder, to C that is no cap's.
Vector3 best_direction(const PlacedSolid& p, const PlacedSolid& c) {
  Vector3 best = Vector3::UnitX();
  double most = nothing_separates;
  const auto look_at = [&](const Vector3& m) {
    const double s = separation_of_all(m, p, c);
    if (!(s > most)) return;
    most = s;
    best = m;
  };
  const auto circle = [](const Vector3& axis, const Vector3& x, const PlacedSolid& other, const auto& found) {
    constexpr double overlap = 0.1;  // [rad], lest the ends of the circle hide a peak
    const Vector3 e = axis.unitOrthogonal();
    const Arc arc{e, axis.cross(e), x, other};
    arc.peaks(0.0, 2.0 * std::numbers::pi + overlap, [&](double t) { found(arc.at(t)); });
  };
  if (!p.solid->cylinder) {
    for (Eigen::Index v = 0; v < p.vertices.cols(); ++v) {
      double distance = 0.0;
      look_at(peak_of_point(p.vertices.col(v), roller(c), distance).n);
    }
    if (p.vertices.cols() == 2) circle(p.along(0).normalized(), p.tail(0), c, look_at);
    return best;
  }
  const Roller rp = roller(p), rc = roller(c);
  circle(rp.u, rp.ends[0], c, look_at);
  circle(rc.u, rc.ends[0], p, [&](const Vector3& m) { look_at(-m); });
  constexpr int starts = 60;
  for (int k = 0; k < starts; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / starts, turn = std::numbers::pi * (3.0 - std::sqrt(5.0)) * k;
    const double r = std::sqrt(1.0 - z * z);
    look_at(climb({r * std::cos(turn), r * std::sin(turn), z}, p, c));
  }
  return best;
}

}  // namespace

Vector3 Roller::on_rim(int cap, const Vector3& d) const {
  const Vector3 first = across(d);
  if (first.norm() <= 1e-14 * d.norm()) return ends[cap];
  return ends[cap] + radius * across(first.normalized()).normalized();
}

Roller roller(const PlacedSolid& part) {
  return {{part.vertices.col(0), part.vertices.col(1)}, part.normals.col(1), part.solid->radius};
}

bool with_curved(const PlacedSolid& a, const PlacedSolid& b) {
  return a.solid->cylinder || b.solid->cylinder || with_smooth(a, b);
}
bool curved_is_b(const PlacedSolid& a, const PlacedSolid& b) {
  return with_smooth(a, b) ? b.solid->smooth : b.solid->cylinder;
}

Vector3 farthest_point_of(const PlacedSolid& part, const Vector3& d) {
  if (part.solid->smooth) return smooth_body(part).farthest(d);
  if (!part.solid->cylinder) return part.vertices.col(part.support(d).vertex) + part.solid->radius * d;
  const Roller c = roller(part);
  return c.on_rim(c.farther_end(d), d);
}

double separation_of_all(const Vector3& n, const PlacedSolid& a, const PlacedSolid& b) {
  return n.dot(farthest_point_of(b, -n)) - n.dot(farthest_point_of(a, n));
}

std::vector<Facet> cylinder_facets(const PlacedSolid& a, const PlacedSolid& b) {
  if (with_smooth(a, b)) return smooth_facets(a, b);
  const bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& p = c_is_b ? a : b;
  std::vector<Facet> out;
  for (int f = 0; f < static_cast<int>(p.solid->faces.size()); ++f) {
    out.push_back({c_is_b ? FacetKind::face_of_a : FacetKind::face_of_b, f, 0});
  }
  if (p.solid->half_space()) return out;
  for (const int cap : {0, 1}) out.push_back({c_is_b ? FacetKind::face_of_b : FacetKind::face_of_a, cap, 0});
  if (!p.solid->polyhedron()) {
    out.push_back({FacetKind::curved_edge, 0, 0});
    return out;
  }
  for (int e = 0; e < static_cast<int>(p.solid->edges.size()); ++e) out.push_back({FacetKind::curved_edge, e, 0});
  for (int v = 0; v < static_cast<int>(p.vertices.cols()); ++v) out.push_back({FacetKind::curved_vertex, v, 0});
  return out;
}

CurvedPeak curved_peak(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b) {
  if (with_smooth(a, b)) {
    const SmoothPeak peak = smooth_peak(facet, a, b);
    return {peak.n, peak.there};
  }
  const bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& p = c_is_b ? a : b;
  const PlacedSolid& c = c_is_b ? b : a;
  CurvedPeak out;
  if (!p.solid->polyhedron()) {
    out = {best_direction(p, c), true};
  } else if (facet.kind == FacetKind::curved_edge) {
    out = peak_of_edge(p, facet.i, c);
  } else {
    out = peak_of_vertex(p, facet.i, c);
  }
  if (!c_is_b) out.n = -out.n;
  return out;
}

bool curved_on_surface(const Facet& facet, const Vector3& n, const PlacedSolid& a, const PlacedSolid& b) {
  const bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& p = c_is_b ? a : b;
  if (!p.solid->polyhedron()) return true;
  const Vector3 m = c_is_b ? n : Vector3(-n);
  return facet.kind == FacetKind::curved_edge ? p.edge_on_surface(facet.i, m) : p.vertex_on_surface(facet.i, m);
}

}  // namespace pegrasp::reference::spatial

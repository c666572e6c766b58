// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/smooth.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "src/reference/spatial/cylinder.hpp"
#include "src/reference/spatial/side_overlap.hpp"

namespace pegrasp::reference::spatial {
namespace {

// The farthest points of both parts along m and -m, P's first.
using Points = std::function<std::pair<Vector3, Vector3>(const Vector3& m)>;

Vector3 slope_at(const Points& points, const Vector3& m, double& s) {
  const auto [p, c] = points(m);
  const Vector3 way = c - p;
  s = way.dot(m);
  return way - s * m;
}

// Climbs from a direction by Newton's method, whose second derivatives are differences of first ones.
Vector3 climb(const Points& points, double reach, Vector3 m) {
  constexpr double apart = 1e-6;
  for (int k = 0; k < 60; ++k) {
    double s = 0.0, there = 0.0;
    const Vector3 slope = slope_at(points, m, s);
    if (slope.norm() <= 1e-15 * reach) break;
    const Vector3 t[2] = {m.unitOrthogonal(), m.cross(m.unitOrthogonal())};
    Eigen::Matrix2d bend;
    for (int j = 0; j < 2; ++j) {
      const Vector3 rise = slope_at(points, (m + apart * t[j]).normalized(), there) -
                           slope_at(points, (m - apart * t[j]).normalized(), there);
      for (int i = 0; i < 2; ++i) bend(i, j) = -rise.dot(t[i]) / (2.0 * apart);
    }
    bend = 0.5 * (bend + bend.transpose().eval());
    // far from a peak s may bend upwards
    const double least = Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(bend).eigenvalues()[0];
    if (least < 1e-6 * reach) bend += (1e-6 * reach - least) * 1.5 * Eigen::Matrix2d::Identity();
    const Eigen::Vector2d flat = bend.ldlt().solve(Eigen::Vector2d(slope.dot(t[0]), slope.dot(t[1])));
    Vector3 step = flat[0] * t[0] + flat[1] * t[1];
    if (step.norm() > 1.0) step.normalize();
    bool higher = false;
    for (int turn = 0; turn < 30 && !higher; ++turn, step *= 0.5) {
      const Vector3 next = (m + step).normalized();
      const Vector3 left = slope_at(points, next, there);
      higher = there > s || (there > s - 1e-15 * reach && left.norm() < 0.5 * slope.norm());
      if (higher) m = next;
    }
    if (!higher) break;
  }
  return m;
}

struct Best {
  const Points& points;
  Vector3 m = Vector3::UnitX();
  double s = nothing_separates;

  void look_at(const Vector3& at) {
    double here = 0.0;
    slope_at(points, at, here);
    if (!(here > s)) return;
    s = here;
    m = at;
  }
};

Vector3 best_of_all(const Points& points, double reach, const Vector3& towards) {
  constexpr int starts = 24;
  Best best{points};
  if (!towards.isZero(0.0)) best.look_at(climb(points, reach, towards.normalized()));
  if (best.s > 0.0) return best.m;
  for (int k = 0; k < starts; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / starts, turn = std::numbers::pi * (3.0 - std::sqrt(5.0)) * k;
    const double r = std::sqrt(1.0 - z * z);
    best.look_at(climb(points, reach, {r * std::cos(turn), r * std::sin(turn), z}));
  }
  return best.m;
}

// The highest peak on an arc of directions cos t e + sin t f, along which P's point is x; an end where there is none.
SmoothPeak peak_on_arc(const SmoothBody& c, const Vector3& x, const Vector3& e, const Vector3& f, double from,
                       double to) {
  constexpr int pieces = 24;
  const auto at = [&](double t) { return Vector3(std::cos(t) * e + std::sin(t) * f); };
  const auto value = [&](double t) { return at(t).dot(c.farthest(-at(t)) - x); };
  const auto rises = [&](double t) { return (std::cos(t) * f - std::sin(t) * e).dot(c.farthest(-at(t)) - x) > 0.0; };
  SmoothPeak out{value(from) > value(to) ? at(from) : at(to), false};
  double most = nothing_separates;
  for (int k = 0; k < pieces; ++k) {
    double low = from + (to - from) * k / pieces, high = from + (to - from) * (k + 1) / pieces;
    if (!rises(low) || rises(high)) continue;
    for (int turn = 0; turn < 70; ++turn) {
      const double middle = 0.5 * (low + high);
      (rises(middle) ? low : high) = middle;
    }
    const double t = 0.5 * (low + high);
    if (!(value(t) > most)) continue;
    most = value(t);
    out = {at(t), true};
  }
  return out;
}
SmoothPeak peak_across(const SmoothBody& c, const Vector3& x, const Vector3& axis) {
  constexpr double overlap = 0.1;  // [rad], lest the ends of the circle hide a peak
  const Vector3 e = axis.unitOrthogonal();
  return peak_on_arc(c, x, e, axis.cross(e), 0.0, 2.0 * std::numbers::pi + overlap);
}

SmoothPeak peak_of_edge(const PlacedSolid& p, int edge, const SmoothBody& c) {
  const Vector3 left = p.normals.col(p.edge(edge).left), right = p.normals.col(p.edge(edge).right);
  const Vector3 f = (right - right.dot(left) * left).normalized();
  return peak_on_arc(c, p.tail(edge), left, f, 0.0, std::atan2(right.dot(f), right.dot(left)));
}

SmoothPeak peak_of_vertex(const PlacedSolid& p, int v, const SmoothBody& c) {
  constexpr double sliver = 1e-9;
  const Vector3 x = p.vertices.col(v);
  const Vector3 m = c.direction_from(x);
  const double s = m.dot(c.farthest(-m) - x);
  return {m, p.support(m).value - m.dot(x) <= sliver * (std::abs(s) + c.half.maxCoeff())};
}

Vector3 best_smooth_direction(const PlacedSolid& p, const PlacedSolid& other) {
  const SmoothBody c = smooth_body(other);
  const Points points = [&](const Vector3& m) {
    return std::pair<Vector3, Vector3>(farthest_point_of(p, m), c.farthest(-m));
  };
  const double reach = c.half.maxCoeff() + (p.solid->smooth ? p.solid->half.maxCoeff() : p.solid->radius);
  const Vector3 middle = p.vertices.rowwise().mean();
  if (p.solid->smooth) return best_of_all(points, reach, c.centre - middle);
  Best best{points};
  if (!p.solid->cylinder) {
    for (Eigen::Index v = 0; v < p.vertices.cols(); ++v) best.look_at(c.direction_from(p.vertices.col(v)));
    if (p.vertices.cols() == 2) best.look_at(peak_across(c, p.tail(0), p.along(0).normalized()).n);
    return best.m;
  }
  const Roller roll = roller(p);
  for (const int end : {0, 1}) {
    const Points rim = [&](const Vector3& m) {
      return std::pair<Vector3, Vector3>(roll.on_rim(end, m), c.farthest(-m));
    };
    best.look_at(best_of_all(rim, reach, c.centre - roll.ends[end]));
  }
  best.look_at(peak_across(c, roll.ends[0], roll.u).n);
  return best.m;
}

// P's point where it touches C's along m.
Vector3 point_beside(const PlacedSolid& p, const Facet& facet, const Vector3& m, const Vector3& on_c) {
  const auto on_line = [&](const Vector3& tail, const Vector3& along) {
    return Vector3(tail + std::clamp((on_c - tail).dot(along) / along.squaredNorm(), 0.0, 1.0) * along);
  };
  constexpr double level = 1e-9;
  if (p.solid->polyhedron()) {
    return facet.kind == FacetKind::curved_edge ? on_line(p.tail(facet.i), p.along(facet.i))
                                                : Vector3(p.vertices.col(facet.i));
  }
  if (p.solid->cylinder) {
    const Roller roll = roller(p);
    if (std::abs(m.dot(roll.u)) < level) return on_line(roll.on_rim(0, m), roll.ends[1] - roll.ends[0]);
  } else if (p.vertices.cols() == 2 && std::abs(m.dot(p.along(0))) < level * p.along(0).norm()) {
    return on_line(p.tail(0), p.along(0)) + p.solid->radius * m;
  }
  return farthest_point_of(p, m);
}

double round_of(const PlacedSolid& p, const Vector3& d) {
  if (p.solid->smooth) return smooth_body(p).mean_radius(d);
  if (!p.solid->cylinder) return p.solid->radius;
  const double q = roller(p).across(d).norm();
  return q >= 0.5 ? p.solid->radius / q : 0.0;
}

}  // namespace

bool is_over_face(const PlacedSolid& p, int f, const Vector3& x, double slack) {
  if (p.solid->half_space()) return true;
  if (p.solid->cylinder) {
    const Roller roll = roller(p);
    return roll.across(x - roll.ends[0]).norm() <= roll.radius + slack;
  }
  const std::vector<int>& loop = p.face(f).loop;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vector3 tail = p.vertices.col(loop[k]), head = p.vertices.col(loop[(k + 1) % loop.size()]);
    if ((head - tail).cross(p.normals.col(f)).normalized().dot(x - tail) > slack) return false;
  }
  return true;
}

SmoothBody smooth_body(const PlacedSolid& part) {
  return {part.vertices.col(0), part.at.axes * part.solid->axes, part.solid->half, part.solid->order};
}

Vector3 SmoothBody::farthest(const Vector3& d) const {
  const Vector3 share = half.cwiseProduct(axes.transpose() * d);
  const double n = order, most = share.cwiseAbs().maxCoeff();
  Vector3 own;
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) {
    own[k] = std::pow(std::abs(share[k]) / most, 1.0 / (n - 1.0));
    sum += std::pow(own[k], n);
  }
  for (int k = 0; k < 3; ++k) own[k] = std::copysign(half[k] * own[k] / std::pow(sum, 1.0 / n), share[k]);
  return centre + axes * own;
}

// The nearest point y of a point with coordinates >= 0 has x_k = y_k + lambda (y_k / a_k)^(n-1) / a_k.
Vector3 SmoothBody::nearest_outside(const Vector3& own) const {
  const double n = order;
  const auto halved = [](double low, double high, const auto& above) {
    for (int turn = 0; turn < 200; ++turn) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) break;
      (above(middle) ? high : low) = middle;
    }
    return 0.5 * (low + high);
  };
  const auto place = [&](double lambda) {
    Vector3 y;
    for (int k = 0; k < 3; ++k) {
      if (order == 2) {
        y[k] = own[k] / (1.0 + lambda / (half[k] * half[k]));
        continue;
      }
      y[k] = halved(0.0, own[k],
                    [&](double at) { return at + lambda * std::pow(at / half[k], n - 1.0) / half[k] > own[k]; });
    }
    return y;
  };
  const auto inside = [&](double lambda) { return place(lambda).cwiseQuotient(half).array().pow(n).sum() < 1.0; };
  double high = half.squaredNorm();
  while (!inside(high)) high *= 2.0;
  return place(halved(0.0, high, inside));
}

Vector3 SmoothBody::direction_from(const Vector3& x) const {
  const Vector3 own = axes.transpose() * (x - centre);
  if (own.cwiseAbs().cwiseQuotient(half).array().pow(order).sum() > 1.0) {
    const Vector3 y = nearest_outside(own.cwiseAbs());
    Vector3 out;
    for (int k = 0; k < 3; ++k) out[k] = std::copysign(std::pow(y[k] / half[k], order - 1.0) / half[k], own[k]);
    return -(axes * out).normalized();
  }
  const Points points = [&](const Vector3& m) { return std::pair<Vector3, Vector3>(x, farthest(-m)); };
  return best_of_all(points, half.maxCoeff(), centre - x);
}

double SmoothBody::mean_radius(const Vector3& d) const { return std::min(0.5 * both_radii(d), 10.0 * half.maxCoeff()); }
bool SmoothBody::nearly_flat(const Vector3& d) const { return order > 2 || both_radii(d) > 4.0 * half.maxCoeff(); }

double SmoothBody::both_radii(const Vector3& d) const {
  const Vector3 x = (axes.transpose() * (farthest(d) - centre)).cwiseAbs().cwiseQuotient(half);
  const double n = order;
  Vector3 slope, bend;
  for (int k = 0; k < 3; ++k) {
    slope[k] = std::pow(x[k], n - 1.0) / half[k];
    bend[k] = (n - 1.0) * std::pow(x[k], n - 2.0) / (half[k] * half[k]);
  }
  // mean and Gaussian curvature of an implicit surface
  const double steep = slope.norm();
  const double mean =
      (steep * steep * bend.sum() - slope.dot(bend.cwiseProduct(slope))) / (2.0 * steep * steep * steep);
  const double gauss = (slope[0] * slope[0] * bend[1] * bend[2] + slope[1] * slope[1] * bend[0] * bend[2] +
                        slope[2] * slope[2] * bend[0] * bend[1]) /
                       (steep * steep * steep * steep);
  return 2.0 * mean / gauss;
}

bool with_smooth(const PlacedSolid& a, const PlacedSolid& b) { return a.solid->smooth || b.solid->smooth; }

std::vector<Facet> smooth_facets(const PlacedSolid& a, const PlacedSolid& b) {
  const bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& p = c_is_b ? a : b;
  std::vector<Facet> out;
  for (int f = 0; f < static_cast<int>(p.solid->faces.size()); ++f) {
    out.push_back({c_is_b ? FacetKind::face_of_a : FacetKind::face_of_b, f, 0});
  }
  if (p.solid->half_space()) return out;
  if (!p.solid->polyhedron()) {
    out.push_back({FacetKind::curved_edge, 0, 0});
    return out;
  }
  for (int e = 0; e < static_cast<int>(p.solid->edges.size()); ++e) out.push_back({FacetKind::curved_edge, e, 0});
  for (int v = 0; v < static_cast<int>(p.vertices.cols()); ++v) out.push_back({FacetKind::curved_vertex, v, 0});
  return out;
}

SmoothPeak smooth_peak(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b) {
  const bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& p = c_is_b ? a : b;
  const PlacedSolid& c = c_is_b ? b : a;
  SmoothPeak out;
  if (!p.solid->polyhedron()) {
    out = {best_smooth_direction(p, c), true};
  } else if (facet.kind == FacetKind::curved_edge) {
    out = peak_of_edge(p, facet.i, smooth_body(c));
  } else {
    out = peak_of_vertex(p, facet.i, smooth_body(c));
  }
  if (!c_is_b) out.n = -out.n;
  return out;
}

std::vector<Vector3> SmoothBody::side_points(const Vector3& d, double flat_sine, double tolerance) const {
  constexpr int levels = 3;
  constexpr double first_back = 0.25, further = 64.0;
  const Vector3 own = axes.transpose() * d;
  std::vector<Vector3> out;
  if (order == 2) {
    if (!nearly_flat(d)) return out;
    // circles on the unit ball of which the ellipsoid is an image
    const Vector3 place = (axes.transpose() * (farthest(d) - centre)).cwiseQuotient(half);
    const Vector3 one = place.unitOrthogonal(), other = place.cross(one);
    for (int k = 0; k < levels; ++k) {
      const double depth = first_back * tolerance * std::pow(further, k);
      const double share = std::max(0.0, 1.0 - depth / d.dot(farthest(d) - centre));
      for (int i = 0; i < 8; ++i) {
        const double turn = 0.25 * std::numbers::pi * i;
        const Vector3 at =
            share * place + std::sqrt(1.0 - share * share) * (std::cos(turn) * one + std::sin(turn) * other);
        out.push_back(centre + axes * half.cwiseProduct(at));
      }
    }
    return out;
  }
  std::vector<int> flat;
  Vector3 level = own;
  for (int k = 0; k < 3 && flat.size() < 2; ++k) {
    if (!(std::abs(own[k]) < flat_sine)) continue;
    flat.push_back(k);
    level[k] = 0.0;
  }
  if (flat.empty()) return out;
  const Vector3 towards = (axes * level).normalized();
  const Vector3 middle = axes.transpose() * (farthest(towards) - centre);
  const double high = towards.dot(axes * middle);
  for (int k = 0; k < levels; ++k) {
    const double share = std::max(0.0, 1.0 - first_back * tolerance * std::pow(further, k) / high);
    const double rest = std::pow(1.0 - std::pow(share, order), 1.0 / order);
    const auto add = [&](double first, double second) {
      Vector3 x = share * middle;
      x[flat[0]] = rest * first * half[flat[0]];
      if (flat.size() > 1) x[flat[1]] = rest * second * half[flat[1]];
      out.push_back(centre + axes * x);
    };
    add(1.0, 0.0);
    add(-1.0, 0.0);
    if (flat.size() == 1) continue;
    add(0.0, 1.0);
    add(0.0, -1.0);
    const double diagonal = std::pow(2.0, -1.0 / order);
    for (const double second : {diagonal, -diagonal}) {
      for (const double first : {diagonal, -diagonal}) add(first, second);
    }
  }
  for (const int k : flat) {
    for (const double side : {1.0, -1.0}) {
      Vector3 turned = own;
      turned[k] = side * flat_sine;
      out.push_back(farthest(axes * turned));
    }
  }
  return out;
}

std::vector<Vector3> SmoothBody::side_corners(const Vector3& d, const Vector3& touching, double flat_sine,
                                              double tolerance) const {
  const Vector3 own = axes.transpose() * d;
  std::vector<int> flat;
  Vector3 level = own;
  for (int k = 0; k < 3 && flat.size() < 2 && order > 2; ++k) {
    if (!(std::abs(own[k]) < flat_sine)) continue;
    flat.push_back(k);
    level[k] = 0.0;
  }
  if (flat.empty()) return {};
  const Vector3 towards = (axes * level).normalized();
  const Vector3 middle = axes.transpose() * (farthest(towards) - centre);
  const Vector3 nearest = axes.transpose() * (touching - centre);
  const double n = order, share = std::max(0.0, 1.0 - 0.25 * tolerance / towards.dot(axes * middle));
  const double size = std::pow((1.0 - std::pow(share, n)) / static_cast<double>(flat.size()), 1.0 / n);
  // from end to end along each axis without curvature, in half-axes
  const auto end = [&](int axis, bool far) {
    const double there = nearest[axis] / half[axis];
    return far ? std::max(size, there) : std::min(-size, there);
  };
  std::vector<Vector3> out;
  for (int i = 0; i < 2 * static_cast<int>(flat.size()); ++i) {
    const double places[] = {end(flat.front(), i == 1 || i == 2), end(flat.back(), i >= 2)};
    double left = 1.0;
    for (std::size_t k = 0; k < flat.size(); ++k) left -= std::pow(std::abs(places[k]), n);
    Vector3 x = std::pow(std::max(0.0, left), 1.0 / n) * middle;
    for (std::size_t k = 0; k < flat.size(); ++k) x[flat[k]] = places[k] * half[flat[k]];
    out.push_back(centre + axes * x);
  }
  return out;
}

std::vector<ContactPoint> smooth_contacts(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b,
                                          double flat_sine, double slack, const EarlierRims& rims, bool* over) {
  if (facet.kind == FacetKind::none) return {};
  std::vector<ContactPoint> out{smooth_contact(facet, a, b, over)};
  add_side_contacts(facet, a, b, flat_sine, slack, rims, out);
  return out;
}

void remember_farthest(const std::vector<ContactPoint>& contacts, const PlacedSolid& a, const PlacedSolid& b,
                       EarlierRims& rims) {
  if (contacts.empty()) return;
  const ContactPoint& first = contacts.front();
  if (first.key[0] == static_cast<int>(FacetKind::round) || !runs_along_smooth(first.key)) return;
  const bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& c = c_is_b ? b : a;
  std::vector<Vector3>& point = c_is_b ? rims.of_b : rims.of_a;
  point.clear();
  const Vector3 out = c_is_b ? Vector3(-first.normal) : first.normal;
  if (smooth_body(c).nearly_flat(out)) point.push_back(c.at.back(first.position));
}

bool runs_along_smooth(const FeatureKey& key) { return key[1] == 0; }

Facet facet_of_smooth(const FeatureKey& key) { return {static_cast<FacetKind>(key[3]), key[2], 0}; }

ContactPoint smooth_contact(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, bool* over) {
  const bool c_is_b = curved_is_b(a, b);
  const PlacedSolid& p = c_is_b ? a : b;
  const SmoothBody c = smooth_body(c_is_b ? b : a);
  const int kind = static_cast<int>(facet.kind);
  if (over != nullptr) *over = true;
  if (facet.kind == FacetKind::face_of_a || facet.kind == FacetKind::face_of_b) {
    const Vector3 n = p.normals.col(facet.i);
    const Vector3 x = c.farthest(-n);
    if (over != nullptr) *over = is_over_face(p, facet.i, x, 0.0);
    return {x,  c_is_b ? n : Vector3(-n), n.dot(x) - p.offsets[facet.i], {kind, 0, facet.i, kind}, c.mean_radius(-n),
            0.0};
  }
  const Vector3 n = smooth_peak(facet, a, b).n;
  const Vector3 m = c_is_b ? n : Vector3(-n);
  const Vector3 on_c = c.farthest(-m);
  const Vector3 on_p = point_beside(p, facet, m, on_c);
  const double of_p = round_of(p, m), of_c = c.mean_radius(-m);
  return {c_is_b ? on_c : on_p, n,
          m.dot(on_c - on_p),   {static_cast<int>(FacetKind::round), 0, facet.i, kind},
          c_is_b ? of_c : of_p, c_is_b ? of_p : of_c};
}

}  // namespace pegrasp::reference::spatial

// SPDX-License-Identifier: Apache-2.0
#include "src/metrics/ratio_metric.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// gradient . y <= bound.
template <int Dimension>
struct Inequality {
  std::array<double, Dimension> gradient;
  double bound;
};
template <int Dimension>
using PointOf = std::array<double, Dimension>;

template <int Dimension>
double product(const PointOf<Dimension>& a, const PointOf<Dimension>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < Dimension; ++i) sum += a[i] * b[i];
  return sum;
}

// What rounding leaves of an inequality of unit gradient, its numbers being of the order of 1.
constexpr double slack = 1e-13;

// The inequality on the plane where `tight` holds with equality, without the coordinate `gone`.
template <int Dimension>
Inequality<Dimension - 1> on_plane(const Inequality<Dimension>& of, const Inequality<Dimension>& tight,
                                   std::size_t gone) {
  Inequality<Dimension - 1> out{};
  const double factor = of.gradient[gone] / tight.gradient[gone];
  for (std::size_t i = 0, k = 0; i < Dimension; ++i) {
    if (i != gone) out.gradient[k++] = of.gradient[i] - factor * tight.gradient[i];
  }
  out.bound = of.bound - factor * tight.bound;
  const double size = std::sqrt(product<Dimension - 1>(out.gradient, out.gradient));
  if (size > slack) {
    for (double& g : out.gradient) g /= size;
    out.bound /= size;
  }
  return out;
}

// The point of least cost among those that obey the inequalities and lie in the box |y_i| <= reach. The inequalities
// have unit gradients, or none at all where they say nothing; there is such a point.
template <int Dimension>
PointOf<Dimension> cheapest(std::span<const Inequality<Dimension>> all, const PointOf<Dimension>& cost, double reach,
                            long long& tested) {
  if constexpr (Dimension == 1) {
    double low = -reach, high = reach;
    for (const Inequality<1>& one : all) {
      ++tested;
      const double g = one.gradient[0];
      if (g > slack) high = std::fmin(high, one.bound / g);
      if (g < -slack) low = std::fmax(low, one.bound / g);
    }
    if (low > high) low = high = 0.5 * (low + high);  // by rounding
    return {cost[0] > 0.0 ? low : high};
  } else {
    PointOf<Dimension> best;
    for (std::size_t i = 0; i < Dimension; ++i) best[i] = cost[i] > 0.0 ? -reach : reach;
    std::vector<Inequality<Dimension - 1>> earlier;
    for (std::size_t k = 0; k < all.size(); ++k) {
      ++tested;
      const Inequality<Dimension>& tight = all[k];
      if (product<Dimension>(tight.gradient, best) <= tight.bound + slack * (1.0 + std::fabs(tight.bound))) continue;
      std::size_t gone = 0;
      for (std::size_t i = 1; i < Dimension; ++i) {
        if (std::fabs(tight.gradient[i]) > std::fabs(tight.gradient[gone])) gone = i;
      }
      if (!(std::fabs(tight.gradient[gone]) > slack)) continue;  // of a direction that rounding has left
      earlier.clear();
      for (std::size_t i = 0; i < k; ++i) earlier.push_back(on_plane<Dimension>(all[i], tight, gone));
      for (const double side : {-1.0, 1.0}) {  // the box, for the coordinate that goes
        Inequality<Dimension> wall{};
        wall.gradient[gone] = side;
        wall.bound = reach;
        earlier.push_back(on_plane<Dimension>(wall, tight, gone));
      }
      tested += static_cast<long long>(earlier.size());
      PointOf<Dimension - 1> reduced;
      const double factor = cost[gone] / tight.gradient[gone];
      for (std::size_t i = 0, j = 0; i < Dimension; ++i) {
        if (i != gone) reduced[j++] = cost[i] - factor * tight.gradient[i];
      }
      const PointOf<Dimension - 1> found = cheapest<Dimension - 1>(earlier, reduced, reach, tested);
      double rest = tight.bound;
      for (std::size_t i = 0, j = 0; i < Dimension; ++i) {
        if (i == gone) continue;
        best[i] = found[j++];
        rest -= tight.gradient[i] * best[i];
      }
      best[gone] = rest / tight.gradient[gone];
    }
    return best;
  }
}

// Always the same order, by xorshift.
template <class T>
void shuffle_alike(std::vector<T>& items) {
  std::uint64_t state = 0x9e3779b97f4a7c15ULL;
  for (std::size_t i = items.size(); i > 1; --i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::swap(items[i - 1], items[static_cast<std::size_t>(state % i)]);
  }
}

// Unknowns: the point, seen from the first centre, in units of the distance of the centres, and t.
template <int Space>
RatioMetric solve_ratio(const GrowingPolytope& a, const GrowingPolytope& b) {
  const Vec3 apart = b.centre - a.centre;
  const double unit = length(apart);
  std::vector<Inequality<Space + 1>> all;
  double narrowest = std::numeric_limits<double>::infinity();
  for (const GrowingPolytope* of : {&a, &b}) {
    if (of->planes.size() <= Space) throw std::invalid_argument("ratio metric: too few planes to bound a polytope");
    for (const BoundingPlane& plane : of->planes) {
      const double size = length(plane.normal);
      const double height = (plane.offset - dot(plane.normal, of->centre)) / size;
      if (!(height > 0.0) || !std::isfinite(height)) {
        throw std::invalid_argument("ratio metric: a polytope's centre is not inside it");
      }
      narrowest = std::fmin(narrowest, height);
      if (!(unit > 0.0)) continue;
      Inequality<Space + 1> one;
      const double n[3] = {plane.normal.x / size, plane.normal.y / size, plane.normal.z / size};
      for (std::size_t i = 0; i < Space; ++i) one.gradient[i] = n[i];
      one.gradient[Space] = -height / unit;
      one.bound = of == &a ? 0.0 : dot(plane.normal, apart) / (size * unit);
      const double norm = std::sqrt(product<Space + 1>(one.gradient, one.gradient));
      for (double& g : one.gradient) g /= norm;
      one.bound /= norm;
      all.push_back(one);
    }
  }
  RatioMetric out{0.0, -std::numeric_limits<double>::infinity(), a.centre, 0};
  if (!(unit > 0.0)) return out;
  shuffle_alike(all);
  PointOf<Space + 1> cost{};
  cost[Space] = 1.0;
  // t is at most unit / narrowest; the point is then within that of both centres.
  const double reach = 4.0 * (1.0 + unit / narrowest);
  const PointOf<Space + 1> at = cheapest<Space + 1>(all, cost, reach, out.tested);
  out.ratio = at[Space];
  out.metric = (out.ratio - 1.0) / out.ratio;
  out.point = a.centre + unit * Vec3{at[0], at[1], Space == 3 ? at[2] : 0.0};
  return out;
}

}  // namespace

RatioMetric ratio_metric_2d(const GrowingPolytope& a, const GrowingPolytope& b) { return solve_ratio<2>(a, b); }
RatioMetric ratio_metric_3d(const GrowingPolytope& a, const GrowingPolytope& b) { return solve_ratio<3>(a, b); }

GrowingPolytope growing(const Polyhedron& polyhedron) {
  GrowingPolytope out;
  for (const PolyhedronFace& face : polyhedron.faces) out.planes.push_back({face.normal, face.offset});
  for (const Vec3& vertex : polyhedron.vertices) out.centre = out.centre + vertex;
  out.centre = (1.0 / static_cast<double>(polyhedron.vertices.size())) * out.centre;
  return out;
}

GrowingPolytope growing(const ConvexPart& polygon) {
  const auto refuse = [&](const char* what) {
    throw std::invalid_argument("ratio metric: part \"" + polygon.name + "\" " + what + ", which is no polytope");
  };
  if (polygon.kind != PartKind::chain) refuse("is a half-plane");
  GrowingPolytope out;
  for (std::size_t i = 0; i < polygon.corners.size(); ++i) {
    const Corner& from = polygon.corners[i];
    const Vec2 along = polygon.corners[(i + 1) % polygon.corners.size()].centre - from.centre;
    if (from.radius > 0.0) refuse("has arcs");
    const Vec3 normal{along.y, -along.x, 0.0};
    out.planes.push_back({normal, normal.x * from.centre.x + normal.y * from.centre.y});
    out.centre = out.centre + Vec3{from.centre.x, from.centre.y, 0.0};
  }
  out.centre = (1.0 / static_cast<double>(polygon.corners.size())) * out.centre;
  return out;
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Modes and contacts of random pairs with exact cylinders. Two oracles that share no line with kernels/: points of both
// parts, found by projecting on one and the other in turn, bound the distance from above; the support functions of both
// along many directions bound the separation from below. What the kernels find lies between, and the two meet.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>

#include "kernels/spatial/manifold.hpp"
#include "pegrasp/solid_part.hpp"
#include "src/geometry/placement.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

using spatial::Frame;

enum class Kind { cylinder, box, sphere, capsule, half_space, hull };

// A part with the placement of its body, as the oracles see it.
struct Shape {
  Kind kind;
  SolidPart part;
  SpatialPose pose;
  Vec3 half;  // of a box

  Vec3 own(Vec3 x) const { return turned(conjugate(pose.turn), x - pose.position); }
  Vec3 world(Vec3 x) const { return transformed(pose, x); }
  double h(Vec3 d) const {
    const Vec3 n = turned(conjugate(pose.turn), d);
    double most = -1e300;
    for (const Vec3& v : part.shape.vertices) most = std::max(most, dot(n, v));
    if (kind == Kind::cylinder) {
      const Vec3 u = part.shape.faces[1].normal;
      most += part.radius * length(n - dot(n, u) * u);
    } else {
      most += part.radius * length(n);
    }
    return most + dot(d, pose.position);
  }
  // The point of the part nearest to x (world); not of hulls.
  Vec3 nearest(Vec3 x) const {
    Vec3 y = own(x);
    if (kind == Kind::box) {
      y = {std::clamp(y.x, -half.x, half.x), std::clamp(y.y, -half.y, half.y), std::clamp(y.z, -half.z, half.z)};
      return world(y);
    }
    const Vec3 tail = part.shape.vertices.front(), head = part.shape.vertices.back();
    const Vec3 along = head - tail;
    const double t = dot(along, along) > 0.0 ? std::clamp(dot(y - tail, along) / dot(along, along), 0.0, 1.0) : 0.0;
    const Vec3 core = tail + t * along;
    Vec3 out = y - core;
    if (kind == Kind::cylinder) {
      const Vec3 u = part.shape.faces[1].normal;
      out = out - dot(out, u) * u;
    }
    const double far = length(out);
    return world(far > part.radius ? core + (part.radius / far) * out : kind == Kind::cylinder ? core + out : y);
  }
};

double along_axis(const Shape& a, const Shape& b, Vec3 n) { return -a.h(n) - b.h(-1.0 * n); }

// An upper bound on the distance.
double distance_above(const Shape& a, const Shape& b, int turns) {
  Vec3 x = a.pose.position, y{};
  for (int k = 0; k < turns; ++k) {
    y = b.nearest(x);
    const Vec3 next = a.nearest(y);
    if (length(next - x) < 1e-15) break;
    x = next;
  }
  return length(y - x);
}

// A lower bound on the largest separation along an axis: many axes, and from the best ones steps that shrink.
double separation_below(const Shape& a, const Shape& b) {
  constexpr int axes = 400;
  std::vector<std::pair<double, Vec3>> tried;
  for (int k = 0; k < axes; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / axes, angle = 2.39996322972865332 * k, r = std::sqrt(1.0 - z * z);
    const Vec3 n{r * std::cos(angle), r * std::sin(angle), z};
    tried.emplace_back(along_axis(a, b, n), n);
  }
  std::sort(tried.begin(), tried.end(), [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = -1e300;
  for (int k = 0; k < 6; ++k) {
    auto [s, n] = tried[static_cast<std::size_t>(k)];
    for (double step = 0.1; step > 1e-9;) {
      bool better = false;
      for (int turn = 0; turn < 12; ++turn) {
        const double angle = 2.0 * 3.14159265358979 * (turn + 0.37 * step) / 12;
        const Vec3 t = std::fabs(n.x) < 0.6 ? cross(n, {1.0, 0.0, 0.0}) : cross(n, {0.0, 1.0, 0.0});
        const Vec3 t1 = (1.0 / length(t)) * t, t2 = cross(n, t1);
        const Vec3 m = n + step * (std::cos(angle) * t1 + std::sin(angle) * t2);
        const Vec3 unit = (1.0 / length(m)) * m;
        const double here = along_axis(a, b, unit);
        if (!(here > s)) continue;
        s = here;
        n = unit;
        better = true;
        break;
      }
      if (!better) step *= 0.5;
    }
    best = std::max(best, s);
  }
  return best;
}

struct Draw {
  scenes::Random& random;

  Vec3 point(double reach) const {
    const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach);
    return {x, y, random.uniform(-reach, reach)};
  }
  SpatialPose pose(bool plain) const {
    SpatialPose out{point(1.2), {}};
    if (plain) return out;
    const Vec3 axis = point(1.0);
    out.turn = turn_by((random.uniform(0.0, 3.0) / length(axis)) * axis);
    return out;
  }
  Shape shape(Kind kind, bool plain) const {
    Shape out{kind, {}, pose(plain), {}};
    const double size = random.uniform(0.1, 0.6), other = random.uniform(0.1, 0.6);
    const Vec3 axis = plain ? Vec3{0.0, 0.0, 1.0} : point(1.0);
    const Vec3 along = (size / length(axis)) * axis;
    switch (kind) {
      case Kind::cylinder:
        out.part = make_cylinder("cylinder", -1.0 * along, along, other);
        break;
      case Kind::box:
        out.half = {size, other, random.uniform(0.1, 0.6)};
        out.part = {"box", scenes::cuboid(out.half.x, out.half.y, out.half.z)};
        break;
      case Kind::sphere:
        out.part = make_sphere("sphere", {}, size);
        break;
      case Kind::capsule:
        out.part = make_capsule("capsule", -1.0 * along, along, 0.5 * other);
        break;
      case Kind::half_space:
        out.part = make_half_space("plane", plain ? Vec3{0.0, 0.0, 1.0} : point(1.0), random.uniform(-0.5, 0.5));
        break;
      case Kind::hull: {
        std::vector<Vec3> points;
        for (int k = 0; k < 10; ++k) points.push_back(point(0.6));
        out.part = {"hull", make_polyhedron(points)};
        break;
      }
    }
    return out;
  }
};

Frame frame(const SpatialPose& pose) {
  Frame f{};
  f.origin = {pose.position.x, pose.position.y, pose.position.z};
  spatial::matrix_of({pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z}, f.row);
  return f;
}

// What a compiled model stores of a part, and the kernels' view of it.
struct Stored {
  std::vector<double> x, normal, offset, box;
  std::vector<int> use, first, corner, ridge, none;

  explicit Stored(const SolidPart& part) : none(part.shape.vertices.size() + part.shape.edges.size() + 1, 0) {
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    const Vec3 reach = round_reach(part);
    for (const Vec3& v : part.shape.vertices) {
      x.insert(x.end(), {v.x, v.y, v.z});
      low = {std::min(low.x, v.x - reach.x), std::min(low.y, v.y - reach.y), std::min(low.z, v.z - reach.z)};
      high = {std::max(high.x, v.x + reach.x), std::max(high.y, v.y + reach.y), std::max(high.z, v.z + reach.z)};
    }
    box = {low.x, low.y, low.z, high.x, high.y, high.z};
    for (const PolyhedronFace& face : part.shape.faces) {
      normal.insert(normal.end(), {face.normal.x, face.normal.y, face.normal.z});
      offset.push_back(face.offset);
      use.push_back(edge_feature);
      first.push_back(static_cast<int>(corner.size()));
      corner.insert(corner.end(), face.vertices.begin(), face.vertices.end());
    }
    first.push_back(static_cast<int>(corner.size()));
    for (const PolyhedronEdge& e : part.shape.edges) ridge.insert(ridge.end(), {e.tail, e.head, e.left, e.right});
  }
  spatial::PartView view(double radius) const {
    return {x.data(),
            normal.data(),
            offset.data(),
            use.data(),
            first.data(),
            corner.data(),
            ridge.data(),
            box.data(),
            none.data(),
            none.data(),
            nullptr,
            nullptr,
            static_cast<int>(x.size() / 3),
            static_cast<int>(offset.size()),
            static_cast<int>(ridge.size() / 4),
            radius};
  }
};

struct Pair {
  Shape a, b;
  Stored stored_a, stored_b;
  spatial::PartView pa, pb;

  Pair(Shape one, Shape other)
      : a(std::move(one)),
        b(std::move(other)),
        stored_a(a.part),
        stored_b(b.part),
        pa(stored_a.view(a.part.radius)),
        pb(stored_b.view(b.part.radius)) {}
};

spatial::Separation separation_of(const Pair& p) {
  return spatial::best_separation(p.pa, p.pb, frame(p.a.pose), frame(p.b.pose), 1e-9);
}

class CylinderPairs : public testing::TestWithParam<Kind> {
 protected:
  Pair draw(scenes::Random& random, int trial) const {
    const Draw draw{random};
    const bool plain = trial % 4 == 3;  // parallel axes and faces
    Shape one = draw.shape(Kind::cylinder, plain), other = draw.shape(GetParam(), plain);
    return trial % 2 == 0 ? Pair(one, other) : Pair(other, one);
  }
};

TEST_P(CylinderPairs, SeparationLiesBetweenItsBounds) {
  const std::uint64_t seed = test::fuzz_seed(20261128);
  scenes::Random random(seed);
  int apart = 0, shallow = 0;
  double most_below = 0.0, most_above = 0.0;
  for (int trial = 0; trial < 400; ++trial) {
    Pair p = draw(random, trial);
    // half of the trials touch, or nearly so
    if (trial % 8 >= 4) {
      const spatial::Separation at = separation_of(p);
      const double want = trial % 3 == 0 ? -1e-5 : 1e-4;
      if (p.a.kind == Kind::half_space || p.b.kind == Kind::half_space || !(at.s > 0.0)) continue;
      double near = 0.0, far = 1.0;  // towards each other until they are so far apart
      const Vec3 start = p.b.pose.position;
      const Vec3 way = p.a.pose.position - start;
      for (int turn = 0; turn < 60; ++turn) {
        const double middle = 0.5 * (near + far);
        p.b.pose.position = start + middle * way;
        (separation_of(p).s > want ? near : far) = middle;
      }
    }
    const spatial::Separation best = separation_of(p);
    ASSERT_NE(best.mode, spatial::mode_none) << trial;
    if (p.a.kind == Kind::half_space || p.b.kind == Kind::half_space) {
      const Shape& plane = p.a.kind == Kind::half_space ? p.a : p.b;
      const Shape& other = p.a.kind == Kind::half_space ? p.b : p.a;
      const PolyhedronFace& face = plane.part.shape.faces[0];
      const Vec3 n = turned(plane.pose.turn, face.normal);
      const double s = -other.h(-1.0 * n) - face.offset - dot(n, plane.pose.position);
      ASSERT_NEAR(best.s, s, 1e-12) << trial;
      ++apart;
      continue;
    }
    const double below = best.s > -1e-3 ? separation_below(p.a, p.b) : -1e300;
    if (best.s > -1e-3) {
      ++shallow;
      most_below = std::max(most_below, below - best.s);
      ASSERT_GE(best.s, below - 1e-9) << "trial " << trial << ", seed " << seed;
    }
    if (best.s > 0.0 && GetParam() != Kind::hull) {
      ++apart;
      const double above = distance_above(p.a, p.b, best.s < 1e-3 ? 60000 : 6000);
      most_above = std::max(most_above, above - best.s);
      ASSERT_GE(above, best.s - 1e-12) << "trial " << trial << ", seed " << seed;
      ASSERT_LE(above, best.s + 2e-5) << "trial " << trial << ", seed " << seed;
    }
  }
  std::cout << apart << " apart, at most " << most_above << " m below the distance; " << shallow << " shallow, at most "
            << most_below << " m below a direction found by search\n";
  EXPECT_GT(apart + shallow, 100);
}

// The contacts of a pair that nearly touches: the least gap is the separation, the points lie on the surface of one and
// at the gap from that of the other, and gaps change as rigid motion of the points says.
TEST_P(CylinderPairs, ContactsAreOnTheSurfaces) {
  const std::uint64_t seed = test::fuzz_seed(20261129);
  scenes::Random random(seed);
  int checked = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Pair p = draw(random, trial);
    const spatial::Separation at = separation_of(p);
    if (!(at.s > 0.0)) continue;
    double near = 0.0, far = 1.0;
    const Vec3 start = p.b.pose.position;
    const Vec3 way = GetParam() == Kind::half_space ? Vec3{} : p.a.pose.position - start;
    for (int turn = 0; turn < 60; ++turn) {
      const double middle = 0.5 * (near + far);
      p.b.pose.position = start + middle * way;
      (separation_of(p).s > 1e-7 ? near : far) = middle;
    }
    const spatial::Separation best = separation_of(p);
    const spatial::PairGeometry g{p.pa, p.pb, frame(p.a.pose), frame(p.b.pose)};
    double least = 1e300;
    int count = 0;
    spatial::mode_contacts(g, best.mode, 0.05, 1e-7, [&](const spatial::ContactPoint& c) {
      ++count;
      least = std::min(least, c.gap);
      EXPECT_NEAR(norm(c.n), 1.0, 1e-12);
    });
    ASSERT_GT(count, 0) << trial;
    ASSERT_LE(count, 40) << trial;
    ++checked;
    // where the chosen facet is a tie below the best one
    EXPECT_NEAR(least, best.s, 5e-8) << "trial " << trial << ", seed " << seed << ", mode " << best.mode;
  }
  EXPECT_GT(checked, 60);
}

std::string name_of(const testing::TestParamInfo<Kind>& info) {
  static const char* const names[] = {"Cylinder", "Box", "Sphere", "Capsule", "HalfSpace", "Hull"};
  return names[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(All, CylinderPairs,
                         testing::Values(Kind::cylinder, Kind::box, Kind::sphere, Kind::capsule, Kind::half_space,
                                         Kind::hull),
                         name_of);

}  // namespace
}  // namespace pegrasp

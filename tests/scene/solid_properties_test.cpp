// SPDX-License-Identifier: Apache-2.0
// Mass properties of polyhedra: closed formulas, an oracle of tetrahedra that shares no code, Monte Carlo; and hulls of
// random points against every triple of points.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "pegrasp/polyhedron.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scene/polyhedron_shapes.hpp"

namespace pegrasp {
namespace {

using test::box_vertices;
using test::expect_consistent;
using test::placed;

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

Quaternion random_turn(Random& random) {
  for (;;) {
    const Quaternion q{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
    const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (size > 0.1 && size < 1.0) return {q.w / size, q.x / size, q.y / size, q.z / size};
  }
}

Eigen::Vector3d eigen(Vec3 v) { return {v.x, v.y, v.z}; }

Eigen::Matrix3d eigen(const InertiaTensor& t) {
  Eigen::Matrix3d m;
  m << t.xx, t.xy, t.xz, t.xy, t.yy, t.yz, t.xz, t.yz, t.zz;
  return m;
}

Eigen::Matrix3d matrix(Quaternion q) { return Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix(); }

void expect_near(const SolidProperties& p, double volume, Vec3 centroid, const Eigen::Matrix3d& inertia, double slack) {
  EXPECT_NEAR(p.volume, volume, slack * volume);
  EXPECT_LE((eigen(p.centroid) - eigen(centroid)).norm(), slack * std::fmax(1.0, eigen(centroid).norm()));
  EXPECT_LE((eigen(p.inertia) - inertia).norm(), slack * inertia.norm());
}

Eigen::Matrix3d box_inertia(double x, double y, double z) {
  return (x * y * z / 12.0 * Eigen::Vector3d(y * y + z * z, x * x + z * z, x * x + y * y)).asDiagonal();
}

TEST(SolidProperties, BoxesMovedAndTurned) {
  Random random(test::fuzz_seed(7001));
  for (int i = 0; i < 200; ++i) {
    const double x = uniform(random, 0.01, 1), y = uniform(random, 0.01, 1), z = uniform(random, 0.01, 1);
    const Quaternion q = i == 0 ? Quaternion{} : random_turn(random);
    const Vec3 shift{uniform(random, -3, 3), uniform(random, -3, 3), uniform(random, -3, 3)};
    const Eigen::Matrix3d turn = matrix(q);
    const Eigen::Vector3d middle = turn * Eigen::Vector3d(x / 2, y / 2, z / 2) + eigen(shift);
    expect_near(solid_properties(make_polyhedron(placed(box_vertices(x, y, z), q, shift))), x * y * z,
                {middle.x(), middle.y(), middle.z()}, turn * box_inertia(x, y, z) * turn.transpose(), 1e-12);
  }
}

TEST(SolidProperties, PlatonicSolids) {
  const double f = test::golden;
  struct Known {
    std::vector<Vec3> vertices;
    double edge, volume, inertia;  // of edge 1: volume, and moment over mass
  };
  const double root2 = std::sqrt(2.0), root5 = std::sqrt(5.0);
  for (const Known& k :
       {Known{test::tetrahedron_vertices(), 1.0, root2 / 12.0, 0.05}, Known{box_vertices(2, 2, 2), 2.0, 1.0, 1.0 / 6.0},
        Known{test::octahedron_vertices(), root2, root2 / 3.0, 0.1},
        Known{test::dodecahedron_vertices(), 2.0 / f, (15.0 + 7.0 * root5) / 4.0, (39.0 * f + 28.0) / 150.0},
        Known{test::icosahedron_vertices(), 2.0, 5.0 / 12.0 * (3.0 + root5), f * f / 10.0}}) {
    const Polyhedron p = make_polyhedron(placed(k.vertices, {0.1, 0.5, -0.7, 0.5}, {0.5, 0.25, -4.0}));
    const SolidProperties s = solid_properties(p);
    const double volume = k.volume * k.edge * k.edge * k.edge;
    EXPECT_NEAR(s.volume, volume, 1e-13 * volume);
    const Eigen::Matrix3d want = k.inertia * volume * k.edge * k.edge * Eigen::Matrix3d::Identity();
    EXPECT_LE((eigen(s.inertia) - want).norm(), 1e-12 * want.norm());
    const PrincipalAxes axes = principal_axes(s.inertia);
    EXPECT_EQ(axes.turn.w, 1.0);
    EXPECT_EQ(axes.turn.x, 0.0);
    EXPECT_EQ(axes.turn.y, 0.0);
    EXPECT_EQ(axes.turn.z, 0.0);
  }
}

TEST(SolidProperties, PlatesAndNeedles) {
  const Quaternion q{0.1, 0.5, -0.7, 0.5};
  for (const Vec3 size : {Vec3{1, 0.01, 0.01}, {1, 1, 0.01}, {1, 1e-4, 1e-4}, {1, 1, 1e-6}}) {
    const SolidProperties s =
        solid_properties(make_polyhedron(placed(box_vertices(size.x, size.y, size.z), q, {1, 1, 1})));
    const Eigen::Matrix3d want = matrix(q) * box_inertia(size.x, size.y, size.z) * matrix(q).transpose();
    const double lost = 1e-15 / std::fmin(size.y, size.z);  // rounding of the coordinates, over the thickness
    EXPECT_NEAR(s.volume, size.x * size.y * size.z, 10 * lost * s.volume);
    EXPECT_LE((eigen(s.inertia) - want).norm(), 10 * lost * want.norm());
    const PrincipalAxes axes = principal_axes(s.inertia);
    const Eigen::Matrix3d r = matrix(axes.turn);
    const Eigen::Matrix3d back = r * eigen(axes.moments).asDiagonal() * r.transpose();
    EXPECT_LE((back - eigen(s.inertia)).norm(), 4e-12 * want.norm());
  }
}

// A hull by trying every triple of points, and its moments by quadrature over tetrahedra from an inner point: four
// points of weight 1/4 each are exact for polynomials of degree two. For points in general position.
struct Tried {
  int faces = 0;
  double volume = 0.0;
  Eigen::Vector3d centroid = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

Tried try_all(const std::vector<Vec3>& vertices) {
  const double near = (5.0 - std::sqrt(5.0)) / 20.0, far = (5.0 + 3.0 * std::sqrt(5.0)) / 20.0;
  Eigen::Vector3d inner = Eigen::Vector3d::Zero();
  for (const Vec3& v : vertices) inner += eigen(v) / static_cast<double>(vertices.size());
  Tried tried;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  const std::size_t n = vertices.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t k = j + 1; k < n; ++k) {
        const Eigen::Vector3d a = eigen(vertices[i]), b = eigen(vertices[j]), c = eigen(vertices[k]);
        const Eigen::Vector3d normal = (b - a).cross(c - a);
        int above = 0, below = 0;
        for (std::size_t l = 0; l < n; ++l) {
          if (l == i || l == j || l == k) continue;
          (normal.dot(eigen(vertices[l]) - a) > 0.0 ? above : below) += 1;
        }
        if (above != 0 && below != 0) continue;
        ++tried.faces;
        const double volume = std::fabs(normal.dot(inner - a)) / 6.0;
        const std::vector<Eigen::Vector3d> ends{a - inner, b - inner, c - inner, Eigen::Vector3d::Zero()};
        const Eigen::Vector3d sum = ends[0] + ends[1] + ends[2];
        for (const Eigen::Vector3d& end : ends) {
          const Eigen::Vector3d node = near * sum + (far - near) * end;
          first += 0.25 * volume * node;
          second += 0.25 * volume * node * node.transpose();
        }
        tried.volume += volume;
      }
    }
  }
  const Eigen::Vector3d arm = first / tried.volume;
  second -= tried.volume * arm * arm.transpose();
  tried.centroid = inner + arm;
  tried.inertia = second.trace() * Eigen::Matrix3d::Identity() - second;
  return tried;
}

TEST(PolyhedronFuzz, AgreesWithEveryTriple) {
  Random random(test::fuzz_seed(7002));
  for (int round = 0; round < 200; ++round) {
    std::vector<Vec3> points;
    const int n = 4 + static_cast<int>(random() % 17);
    const double flat = round % 3 == 0 ? 0.05 : 1.0;
    for (int i = 0; i < n; ++i) {
      points.push_back({uniform(random, -1, 1), uniform(random, -1, 1), flat * uniform(random, -1, 1)});
    }
    const Polyhedron p = make_polyhedron(points);
    const Tried tried = try_all(points);
    ASSERT_EQ(static_cast<int>(p.faces.size()), tried.faces) << "round " << round;
    expect_near(solid_properties(p), tried.volume, {tried.centroid.x(), tried.centroid.y(), tried.centroid.z()},
                tried.inertia, 1e-11);
  }
}

TEST(PolyhedronFuzz, HullsAreClosedAndHoldTheirPoints) {
  Random random(test::fuzz_seed(7003));
  for (int round = 0; round < 600; ++round) {
    // Clouds, lattices (many points on faces and edges), spheres, and lattices with noise from a ten-thousandth of the
    // tolerance to ten times it, as boxes and as plates; turned.
    std::vector<Vec3> points;
    const int n = 8 + static_cast<int>(random() % 120);
    const int kind = round % 5;
    const int side = 1 + static_cast<int>(random() % 5);
    const auto lattice = [&] { return static_cast<double>(random() % static_cast<unsigned>(side + 1)) / side; };
    for (int i = 0; i < n; ++i) {
      Vec3 v{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
      if (kind == 1 || kind >= 3) v = {lattice(), lattice(), lattice()};
      if (kind == 2) {
        const double size = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        v = {v.x / size, v.y / size, v.z / size};
      }
      points.push_back(v);
    }
    if (kind >= 3) {
      for (const Vec3& v : box_vertices(1, 1, 1)) points.push_back(v);
      for (int i = 0; i < n; ++i) points.push_back(points[static_cast<std::size_t>(i)]);
      double noise = 1e-9;
      for (std::uint64_t k = random() % 5; k > 0; --k) noise *= 0.1;
      for (Vec3& v : points) {
        v = {v.x + uniform(random, -noise, noise), v.y + uniform(random, -noise, noise),
             v.z + uniform(random, -noise, noise)};
      }
    }
    const double stretch = kind == 4 ? 0.01 : 1.0;
    for (Vec3& v : points) v = {v.x, v.y, stretch * v.z};
    points = placed(points, random_turn(random), {uniform(random, -1, 1), 0, 0});
    Polyhedron p;
    try {
      p = make_polyhedron(points);
    } catch (const ShapeError& error) {
      const std::string message = error.what();
      // Few points of a coarse lattice do lie in one plane.
      if (message.find("one plane") == std::string::npos) ADD_FAILURE() << "round " << round << ": " << message;
      continue;
    }
    const double slack = 32 * polyhedron_tolerance * 2 * std::sqrt(3.0);
    expect_consistent(p, slack);
    for (const Vec3& v : points) EXPECT_LE(test::outside(p, v), slack) << "round " << round;
    if (kind < 3) {
      test::expect_convex_edges(p);
      std::vector<std::vector<int>> faces;
      for (const PolyhedronFace& face : p.faces) faces.push_back(face.vertices);
      test::expect_same(make_polyhedron(p.vertices, faces), p);
    }
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "first failure in round " << round;
      return;
    }
  }
}

TEST(PolyhedronFuzz, ThousandsOfPoints) {
  Random random(test::fuzz_seed(7004));
  std::vector<Vec3> points;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 v{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
    const double size = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    points.push_back({v.x / size, v.y / size, v.z / size});
  }
  const Polyhedron p = make_polyhedron(points);
  test::expect_counts(p, 2000, 5994, 3996);
  const SolidProperties s = solid_properties(p);
  const double ball = 4.0 / 3.0 * std::acos(-1.0);
  EXPECT_NEAR(s.volume, ball, 0.01 * ball);
  EXPECT_NEAR(s.inertia.xx, 0.4 * ball, 0.01 * ball);
}

TEST(SolidProperties, AgreesWithMonteCarlo) {
  // A truncated, sheared prism, in which faces have many corners.
  std::vector<Vec3> vertices = test::prism_vertices(7, 1.0);
  for (Vec3& v : vertices) v = {v.x + 0.4 * v.z, v.y, v.z * (1.0 + 0.2 * v.x + 0.1 * v.y)};
  const Polyhedron p = make_polyhedron(vertices);
  const SolidProperties s = solid_properties(p);
  Random random(test::fuzz_seed(7005));
  constexpr int draws = 400000;
  const Vec3 low{-1.2, -1.2, -0.1}, high{1.8, 1.2, 1.4};
  const double box = (high.x - low.x) * (high.y - low.y) * (high.z - low.z);
  int hits = 0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (int i = 0; i < draws; ++i) {
    const Vec3 v{uniform(random, low.x, high.x), uniform(random, low.y, high.y), uniform(random, low.z, high.z)};
    if (test::outside(p, v) > 0.0) continue;
    ++hits;
    first += eigen(v);
    second += eigen(v) * eigen(v).transpose();
  }
  const Eigen::Vector3d centroid = first / hits;
  second = second / hits - centroid * centroid.transpose();
  const Eigen::Matrix3d inertia = s.volume * (second.trace() * Eigen::Matrix3d::Identity() - second);
  EXPECT_NEAR(box * hits / draws, s.volume, 0.01 * s.volume);
  EXPECT_LE((centroid - eigen(s.centroid)).norm(), 0.01);
  EXPECT_LE((inertia - eigen(s.inertia)).norm(), 0.02 * inertia.norm());
}

TEST(SolidProperties, CentredPolyhedraAreAboutTheOrigin) {
  const Polyhedron p = make_polyhedron(placed(box_vertices(1, 2, 3), {0.1, 0.5, -0.7, 0.5}, {7, -8, 9}));
  const CentredPolyhedron c = centred(p);
  const SolidProperties before = solid_properties(p), after = solid_properties(c.polyhedron);
  EXPECT_LE(eigen(after.centroid).norm(), 1e-14);
  EXPECT_EQ(c.shift.x, -before.centroid.x);
  EXPECT_EQ(c.polyhedron.vertices[3].y, p.vertices[3].y + c.shift.y);
  EXPECT_LE((eigen(after.inertia) - eigen(before.inertia)).norm(), 1e-13 * eigen(before.inertia).norm());
  expect_consistent(c.polyhedron, 1e-14);
}

TEST(PrincipalAxes, AgreeWithEigen) {
  Random random(test::fuzz_seed(7006));
  for (int i = 0; i < 2000; ++i) {
    // Apart, close, and two alike.
    Eigen::Vector3d moments(uniform(random, 0.1, 1), uniform(random, 0.1, 1), uniform(random, 0.1, 1));
    if (i % 4 == 1) moments[1] = moments[0];
    if (i % 4 == 2) moments[2] = moments[0] * (1 + 1e-9);
    if (i % 4 == 3) moments[0] *= 1e-6;
    const Eigen::Matrix3d turn = matrix(random_turn(random));
    const Eigen::Matrix3d m = turn * moments.asDiagonal() * turn.transpose();
    const PrincipalAxes axes = principal_axes({m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)});
    const Eigen::Matrix3d r = matrix(axes.turn);
    EXPECT_LE((r * eigen(axes.moments).asDiagonal() * r.transpose() - m).norm(), 4e-12 * m.norm());
    EXPECT_NEAR(eigen(axes.moments).prod(), moments.prod(), 1e-11 * moments.maxCoeff() * moments.maxCoeff());
    const Quaternion q = axes.turn;
    EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1.0, 1e-15);
    EXPECT_GE(q.w, 0.0);
    Eigen::Vector3d sorted = eigen(axes.moments);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_LE((sorted - Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m).eigenvalues()).norm(), 1e-11);
  }
}

TEST(PrincipalAxes, OfADiagonalAreTheCoordinateAxes) {
  const PrincipalAxes axes = principal_axes({3, 1, 2, 1e-14, -1e-13, 0});
  EXPECT_EQ(axes.turn.w, 1.0);
  EXPECT_EQ(axes.turn.x, 0.0);
  EXPECT_EQ(axes.turn.y, 0.0);
  EXPECT_EQ(axes.turn.z, 0.0);
  EXPECT_EQ(axes.moments.x, 3.0);
  EXPECT_EQ(axes.moments.y, 1.0);
  EXPECT_EQ(axes.moments.z, 2.0);
  EXPECT_EQ(principal_axes({}).turn.w, 1.0);
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Exact ellipsoids and superellipsoids of the product against Berard's (3.82) and (3.83) without friction for two
// bodies, whose closest points are unknowns of a complementarity problem, and against the reference simulator.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <memory>

#include "pegrasp/simulation.hpp"
#include "pegrasp_reference/mcp.hpp"
#include "src/geometry/placement.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scenes/random.hpp"
#include "tests/scenes/smooth_solids.hpp"

namespace pegrasp::reference {
namespace {

constexpr int unknowns = 21;  // velocities, closest points, l_1, l_2 and p_n

// A number with its derivatives by the unknowns.
struct Dual {
  double value = 0.0;
  Eigen::Matrix<double, unknowns, 1> by = Eigen::Matrix<double, unknowns, 1>::Zero();

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): constants are numbers
  Dual(double v, const Eigen::Matrix<double, unknowns, 1>& slopes) : value(v), by(slopes) {}
};
Dual operator+(const Dual& x, const Dual& y) { return {x.value + y.value, x.by + y.by}; }
Dual operator-(const Dual& x, const Dual& y) { return {x.value - y.value, x.by - y.by}; }
Dual operator*(const Dual& x, const Dual& y) { return {x.value * y.value, y.value * x.by + x.value * y.by}; }
Dual power(const Dual& x, double n) { return {std::pow(x.value, n), n * std::pow(x.value, n - 1.0) * x.by}; }
Dual absolute(const Dual& x) { return x.value < 0.0 ? Dual(-1.0) * x : x; }

using Dual3 = std::array<Dual, 3>;
Dual3 operator+(const Dual3& a, const Dual3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Dual3 operator-(const Dual3& a, const Dual3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Dual3 operator*(const Dual& s, const Dual3& a) { return {s * a[0], s * a[1], s * a[2]}; }
Dual dot(const Dual3& a, const Dual3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Dual3 cross(const Dual3& a, const Dual3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Dual3 constant(const Eigen::Vector3d& v) { return {Dual(v[0]), Dual(v[1]), Dual(v[2])}; }
// exp(phi) v, for turns of less than a radian.
Dual3 turned_by(const Dual3& phi, const Dual3& v) {
  Dual3 sum = v, term = v;
  for (int k = 1; k < 25; ++k) {
    term = Dual(1.0 / k) * cross(phi, term);
    sum = sum + term;
  }
  return sum;
}

// A body whose inertia is the same about all axes, so that nothing but the contact turns it otherwise.
struct Body {
  Eigen::Vector3d half;
  double order, mass, inertia;
  Eigen::Vector3d position = Eigen::Vector3d::Zero(), velocity = Eigen::Vector3d::Zero();
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();
};

struct Surface {
  Dual f;
  Dual3 gradient;
};
// f = (|x/a|^n + |y/b|^n + |z/c|^n)^(1/n) - 1 in the axes of the body at the end of the step.
Surface surface_at(const Body& body, const Dual3& origin, const Dual3& phi, const Dual3& point) {
  const Dual3 d = point - origin;
  const double n = body.order;
  std::array<Dual3, 3> axis;
  Dual3 own;
  Dual sum;
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    axis[i] = turned_by(phi, constant(body.turn * Eigen::Vector3d::Unit(k)));
    own[i] = Dual(1.0 / body.half[k]) * dot(axis[i], d);
    sum = sum + power(absolute(own[i]), n);
  }
  Surface out{power(sum, 1.0 / n) - Dual(1.0), {}};
  const Dual scale = power(sum, 1.0 / n - 1.0);
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double sign = own[i].value < 0.0 ? -1.0 : 1.0;
    out.gradient = out.gradient + (Dual(sign / body.half[k]) * scale * power(absolute(own[i]), n - 1.0)) * axis[i];
  }
  return out;
}

struct Step {
  std::array<Body, 2> body;
  double h = 0.01;

  std::vector<Dual> evaluate(const mcp::Vector& z) const {
    const auto unknown = [&](int i) { return Dual(z[i], Eigen::Matrix<double, unknowns, 1>::Unit(i)); };
    const auto three = [&](int i) { return Dual3{unknown(i), unknown(i + 1), unknown(i + 2)}; };
    std::array<Dual3, 2> v{three(0), three(6)}, w{three(3), three(9)}, point{three(12), three(15)}, origin;
    for (std::size_t b = 0; b < 2; ++b) origin[b] = constant(body[b].position) + Dual(h) * v[b];
    const Dual l1 = unknown(18), l2 = unknown(19), p = unknown(20);
    const Surface f = surface_at(body[0], origin[0], Dual(h) * w[0], point[0]);
    const Surface g = surface_at(body[1], origin[1], Dual(h) * w[1], point[1]);
    const Dual3 impulse = (p * power(dot(f.gradient, f.gradient), -0.5)) * f.gradient;
    std::vector<Dual> rows;
    const auto add = [&](const Dual3& row) { rows.insert(rows.end(), row.begin(), row.end()); };
    for (std::size_t b = 0; b < 2; ++b) {
      const Dual3 own = Dual(b == 0 ? -1.0 : 1.0) * impulse;
      add(Dual(body[b].mass) * (v[b] - constant(body[b].velocity)) - own);
      add(Dual(body[b].inertia) * (w[b] - constant(body[b].spin)) - cross(point[b] - origin[b], own));
    }
    add(point[0] - point[1] + l1 * f.gradient);
    add(f.gradient + l2 * g.gradient);
    rows.push_back(Dual(-1.0) * f.f);
    rows.push_back(Dual(-1.0) * g.f);
    rows.push_back(surface_at(body[0], origin[0], Dual(h) * w[0], point[1]).f);
    return rows;
  }

  // start: poses and velocities near a solution, from which closest points are guessed.
  mcp::Result solve(mcp::Workspace* workspace, const mcp::Vector& start) const {
    mcp::Problem problem;
    problem.lower = mcp::Vector::Constant(unknowns, -mcp::infinity);
    problem.lower.tail(3).setZero();
    problem.upper = mcp::Vector::Constant(unknowns, mcp::infinity);
    problem.evaluate = [this](const mcp::Vector& z, mcp::Vector& f, mcp::SparseMatrix* jacobian) {
      const std::vector<Dual> rows = evaluate(z);
      f.resize(unknowns);
      std::vector<Eigen::Triplet<double>> entries;
      for (int i = 0; i < unknowns; ++i) {
        const Dual& row = rows[static_cast<std::size_t>(i)];
        f[i] = row.value;
        if (!std::isfinite(row.value) || !row.by.allFinite()) return false;
        for (int j = 0; j < unknowns; ++j) {
          if (row.by[j] != 0.0) entries.emplace_back(i, j, row.by[j]);
        }
      }
      if (jacobian == nullptr) return true;
      jacobian->resize(unknowns, unknowns);
      jacobian->setFromTriplets(entries.begin(), entries.end());
      return true;
    };
    mcp::Options options;
    options.tolerance = 1e-12;
    return mcp::solve(problem, start, options, workspace);
  }
};

Vec3 vec(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
Eigen::Vector3d eigen(Vec3 v) { return {v.x, v.y, v.z}; }

SceneSpec scene_of(const Step& step) {
  SceneSpec scene = scenes::scene_3d("pair");
  scene.gravity_z = 0.0;
  for (const Body& body : step.body) {
    BodySpec spec = scenes::ellipsoid(scene.bodies.empty() ? "a" : "b", vec(body.half), vec(body.position), 0.0,
                                      static_cast<int>(body.order));
    spec.mass = body.mass;
    spec.spatial().inertia = {body.inertia, body.inertia, body.inertia, 0.0, 0.0, 0.0};
    spec.spatial().pose.turn = {body.turn.w(), body.turn.x(), body.turn.y(), body.turn.z()};
    spec.spatial().velocity = {vec(body.velocity), vec(body.spin)};
    scene.bodies.push_back(spec);
  }
  return scene;
}

// Where the surface of a body is farthest along d, placed.
Eigen::Vector3d farthest(const Body& body, const Eigen::Vector3d& d) {
  const SolidPart part = make_ellipsoid("part", {}, vec(body.half), {}, static_cast<int>(body.order));
  return body.position + body.turn * eigen(farthest_point(part, vec(body.turn.conjugate() * d)));
}
// The direction that separates most: uphill from the line between the centres, by steps that shrink.
Eigen::Vector3d separating(const std::array<Body, 2>& body, double& s) {
  Eigen::Vector3d n = (body[1].position - body[0].position).normalized();
  const auto apart = [&](const Eigen::Vector3d& d) { return d.dot(farthest(body[1], -d) - farthest(body[0], d)); };
  s = apart(n);
  for (double step = 0.3; step > 1e-7; step *= 0.5) {
    for (bool better = true; better;) {
      better = false;
      const Eigen::Vector3d way = farthest(body[1], -n) - farthest(body[0], n);
      const Eigen::Vector3d rise = way - way.dot(n) * n;
      const Eigen::Vector3d next = (n + step * rise.normalized()).normalized();
      const double there = apart(next);
      if (!(there > s)) break;
      s = there;
      n = next;
      better = true;
    }
  }
  return n;
}

// Bodies that come at each other at random, 3 mm apart at most.
Step meeting(scenes::Random& random, double order) {
  const auto vector = [&](double reach) {
    const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach);
    return Eigen::Vector3d(x, y, random.uniform(-reach, reach));
  };
  Step step;
  for (Body& body : step.body) {
    const double a = random.uniform(0.05, 0.2), b = random.uniform(0.05, 0.2);
    body.half = {a, b, random.uniform(0.05, 0.2)};
    body.order = order;
    body.mass = random.uniform(0.5, 2.0);
    body.inertia = 0.13 * body.mass * body.half.squaredNorm();
    body.turn =
        Eigen::Quaterniond(random.uniform(-1.0, 1.0), 0.3, random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
    body.turn.normalize();
    body.spin = vector(2.0);
  }
  Body& other = step.body[1];
  const Eigen::Vector3d way = vector(1.0).normalized();
  double d = 1.0, apart = 1.0;
  while (apart > 0.003 && d > 0.0) {
    other.position = d * way;
    separating(step.body, apart);
    d -= apart - 0.001;
  }
  other.velocity = -way + vector(0.5);
  return step;
}

// A point near the solution: the motion of the product, made a little wrong, and the farthest points there.
mcp::Vector start_of(const Step& step, const Simulation& simulation) {
  mcp::Vector z = mcp::Vector::Zero(unknowns);
  Step end = step;
  for (int b = 0; b < 2; ++b) {
    Body& body = end.body[static_cast<std::size_t>(b)];
    const SpatialTwist nu = simulation.spatial_velocity(b);
    constexpr double off = 1.0 + 1e-3;
    z.segment<3>(6 * b) = off * eigen(nu.velocity);
    z.segment<3>(6 * b + 3) = off * eigen(nu.angular);
    body.position += step.h * z.segment<3>(6 * b);
    const Eigen::Vector3d phi = step.h * z.segment<3>(6 * b + 3);
    body.turn = Eigen::AngleAxisd(phi.norm(), phi.normalized()) * body.turn;
  }
  double s = 0.0;
  const Eigen::Vector3d n = separating(end.body, s);
  z.segment<3>(12) = farthest(end.body[0], n);
  z.segment<3>(15) = farthest(end.body[1], -n);
  z[20] = step.body[0].mass * (step.body[0].velocity - Eigen::Vector3d(z.segment<3>(0))).norm();
  // gradients from the rows: with l_2 = 1 less that with l_2 = 0
  mcp::Vector other = z;
  other[19] = 1.0;
  const std::vector<Dual> without = step.evaluate(z), with = step.evaluate(other);
  Eigen::Vector3d f, g;
  for (int k = 0; k < 3; ++k) {
    const auto row = static_cast<std::size_t>(15 + k);
    f[k] = without[row].value;
    g[k] = with[row].value - f[k];
  }
  z[18] = std::max(0.0, s) / f.norm();
  z[19] = f.norm() / g.norm();
  return z;
}

// How far [m] the bodies end from where the oracle has them; turns by a decimetre.
double off_by(const Step& step, const mcp::Vector& z, const Simulation& simulation) {
  double most = 0.0;
  for (int b = 0; b < 2; ++b) {
    const Body& body = step.body[static_cast<std::size_t>(b)];
    const SpatialPose pose = simulation.spatial_pose(b);
    const Eigen::Vector3d phi = step.h * z.segment<3>(6 * b + 3);
    const Eigen::Quaterniond turn = Eigen::AngleAxisd(phi.norm(), phi.normalized()) * body.turn;
    const Eigen::Quaterniond own(pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z);
    most = std::max({most, (eigen(pose.position) - body.position - step.h * z.segment<3>(6 * b)).norm(),
                     0.1 * turn.angularDistance(own)});
  }
  return most;
}

// most_off: pairs that end farther than 1e-8 m from there. A pass ends where gaps are closed to 1e-14 m, with a normal
// that may be off by the root of that; and where corners of high order meet, a step has several solutions.
void compare_with_the_literal_step(double order, int pairs, int most_halved, int most_off, double farthest_off) {
  mcp::Workspace workspace;
  scenes::Random random(test::fuzz_seed(11));
  int compared = 0, halved = 0, close = 0, unsolved = 0, touched = 0;
  double worst = 0.0;
  for (int pair = 0; pair < pairs; ++pair) {
    const Step step = meeting(random, order);
    const SceneSpec scene = scene_of(step);
    StepOptions options;
    options.h = options.duration = step.h;
    options.landing_halvings = 0;
    options.penetration_tolerance = 1e-14;
    options.tolerance = 1e-13;
    options.max_passes = 50;
    options.solver = SolverKind::newton;
    const std::vector<double> parameters = scene_parameters(scene);
    Simulation simulation(compile_model(scene), derive_options(options, scene), parameters);
    simulation.step();
    if (simulation.outcome().substeps_rejected > 0 || simulation.last_passes() >= options.max_passes) {
      ++halved;
      continue;
    }
    const mcp::Result result = step.solve(&workspace, start_of(step, simulation));
    if (result.status != mcp::Status::solved) {
      ++unsolved;
      continue;
    }
    ++compared;
    touched += result.x[20] > 1e-9 ? 1 : 0;
    const double off = off_by(step, result.x, simulation);
    worst = std::max(worst, off);
    close += off < 1e-8 ? 1 : 0;
    EXPECT_LT(off, farthest_off) << order << " " << pair;
  }
  std::cout << "order " << order << ": " << compared << " compared, of which " << touched << " touch, " << halved
            << " halved, " << unsolved << " unsolved by the oracle, " << close << " closer than 1e-8 m, at most "
            << worst << " m off\n";
  EXPECT_LE(halved, most_halved);
  EXPECT_EQ(compared, pairs - halved);
  EXPECT_GE(close, compared - most_off);
  EXPECT_GT(touched, compared / 2);
}

TEST(SmoothSolids, EndWhereTheLiteralStepHasThem) { compare_with_the_literal_step(2.0, 25, 0, 0, 1e-8); }
TEST(SmoothSolidsLong, EndWhereTheLiteralStepHasThem) {
  compare_with_the_literal_step(2.0, 1000, 0, 20, 1e-7);
  for (const double order : {3.0, 4.0}) compare_with_the_literal_step(order, 200, 10, 2, 2e-8);
  compare_with_the_literal_step(8.0, 200, 40, 8, 1e-2);
}

// On the ground, beside a box and on each other.
TEST(SmoothSolids, FallAndRestAsInTheReferenceSimulator) {
  SceneSpec scene = scenes::sloping(0.0, 0.4);
  scene.bodies.push_back(scenes::ellipsoid("egg", {0.05, 0.04, 0.03}, {0.0, 0.0, 0.06}, 0.4));
  scene.bodies[1].spatial().velocity = {{0.1, 0.0, 0.0}, {1.0, 2.0, -1.0}};
  scene.bodies.push_back(scenes::ellipsoid("tooth", {0.03, 0.05, 0.04}, {0.03, 0.01, 0.15}, 0.4));
  scene.bodies.push_back(scenes::fixed_cuboid("box", {0.03, 0.03, 0.03}, {0.09, 0.01, 0.02}, 0.4));
  StepOptions options;
  options.h = 0.004;
  options.duration = 0.4;
  options = derive_options(options, scene);
  const std::vector<double> parameters = scene_parameters(scene);
  Simulation product(compile_model(scene), options, parameters);
  spatial::SpatialSimulation reference(std::make_shared<const spatial::SpatialScene>(scene), options, parameters);
  double worst = 0.0;
  for (int step = 0; step < 100; ++step) {
    product.step();
    reference.step();
    for (int body = 1; body < 3; ++body) {
      const Vec3 a = product.spatial_pose(body).position, b = reference.pose(body).position;
      worst = std::max(worst, length(a - b));
      ASSERT_LT(length(a - b), 2e-5) << step << " " << body;
    }
  }
  std::cout << "at most " << worst << " m apart\n";
}

}  // namespace
}  // namespace pegrasp::reference

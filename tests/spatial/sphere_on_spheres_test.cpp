// SPDX-License-Identifier: Apache-2.0
// A small sphere on two large fixed ones (Berard 3.5.3.2, after Tzitzouris and Pang): it rolls on one and slides on the
// other, comes to slide on both, and leaves one after the other, at one fixed step. Friction there also resists spin
// about the normal (3.82, e_r = 0.3); without that the sphere, which is free to spin about either normal, first rolls
// on both.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/spatial/vector.hpp"
#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using spatial::V3;

constexpr double mu = 0.2;
constexpr double torsion_of_thesis = 0.3;  // e_r [m]
// Of a solid unit sphere of 1 kg. The thesis gives neither mass nor inertia.
constexpr double solid = 0.4;  // [kg m^2]

// The constant force of the example is gravity here, as the mass is 1 kg. Units as in the thesis.
SceneSpec sphere_on_spheres(double torsion) {
  SceneSpec scene = scenes::scene_3d("sphere on two spheres");
  scene.gravity = {1.0, 2.6};
  scene.gravity_z = -9.81;
  const auto add = [&](const std::string& name, double radius, Vec3 at) {
    BodySpec body;
    body.form = SpatialBody{};
    body.name = name;
    body.spatial().parts = {make_sphere(name, {}, radius)};
    body.spatial().pose.position = at;
    body.kind = BodyKind::fixed;
    body.friction = mu;
    scene.bodies.push_back(body);
  };
  add("ten", 10.0, {0.0, 0.0, 0.0});
  add("nine", 9.0, {0.0, 11.4, 0.0});
  add("small", 1.0, {0.0, 6.62105263157895, 8.78417110772903});
  scene.bodies[2].kind = BodyKind::dynamic;
  scene.bodies[2].spatial().inertia = {solid, solid, solid, 0.0, 0.0, 0.0};
  if (torsion > 0.0) scene.friction = {{0, 2, mu, torsion, 0.0}, {1, 2, mu, torsion, 0.0}};
  return scene;
}

// When what happens [s], and how fast it goes at 3 s.
struct Course {
  double slides_on_ten = 0.0;
  double slides_on_nine = 0.0;
  double leaves_ten = 0.0;
  double leaves_nine = 0.0;
  V3 velocity;
};

constexpr double radius_ten = 11.0, radius_nine = 10.0;  // of the spheres that the small one's centre moves on [m]
constexpr V3 nine{0.0, 11.4, 0.0};
// What counts as sliding [m/s]: well above what curvature within a step leaves of slip, and what the friction law below
// does.
constexpr double sliding = 0.05;

// The same by an ordinary differential equation. Against the slip u and the spin w_n friction is a force mu N u / s and
// a moment mu N e_r^2 w_n / s, s^2 = u^2 + (e_r w_n)^2 + small^2; normal forces follow from the accelerations that keep
// the contacts.
class Equation {
 public:
  explicit Equation(double torsion, double inertia = solid) : torsion_(torsion), inertia_(inertia) {}

  Course solve() {
    Course course;
    while (course.leaves_nine == 0.0) {
      const double t = dt * static_cast<double>(count_);
      step();
      if (course.slides_on_ten == 0.0 && slip_[0] > sliding) course.slides_on_ten = t;
      if (course.slides_on_nine == 0.0 && slip_[1] > sliding) course.slides_on_nine = t;
      if (course.leaves_ten == 0.0 && !on_ten_) course.leaves_ten = t;
      if (force_nine_ < 0.0) course.leaves_nine = t;
      if (t < 3.0) course.velocity = now_.v;
      if (t > 10.0) break;
    }
    return course;
  }

 private:
  static constexpr double dt = 1e-5;
  static constexpr double small_slip = 1e-3;  // [m/s]

  struct State {
    V3 x, v, w;
  };

  static State sum(const State& a, double t, const State& b) { return {a.x + t * b.x, a.v + t * b.v, a.w + t * b.w}; }

  // What goes with a unit normal force along n: with friction the force, and the torque about the centre, from which
  // the arm is -n.
  struct Load {
    V3 force, torque;
  };
  Load load(const State& s, V3 n, double& slip) const {
    const V3 u = s.v - cross(s.w, n);
    const V3 along = u - dot(u, n) * n;
    slip = norm(along);
    const double spin = torsion_ * dot(s.w, n);
    const double rub = mu / std::sqrt(slip * slip + spin * spin + small_slip * small_slip);
    const V3 force = n - rub * along;
    return {force, -cross(n, force) - (rub * torsion_ * spin) * n};
  }

  State rate(const State& s) {
    const V3 gravity{1.0, 2.6, -9.81};
    const V3 out_ten = (1.0 / norm(s.x)) * s.x;
    const V3 out_nine = (1.0 / norm(s.x - nine)) * (s.x - nine);
    const Load f[2] = {load(s, out_ten, slip_[0]), load(s, out_nine, slip_[1])};
    const double v2 = dot(s.v, s.v);
    // a . n = -v^2 / R for the contacts that are kept
    const double want[2] = {-v2 / radius_ten - dot(gravity, out_ten), -v2 / radius_nine - dot(gravity, out_nine)};
    double normal[2] = {0.0, want[1] / dot(f[1].force, out_nine)};
    if (on_ten_) {
      const double m[2][2] = {{dot(f[0].force, out_ten), dot(f[1].force, out_ten)},
                              {dot(f[0].force, out_nine), dot(f[1].force, out_nine)}};
      const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
      normal[0] = (want[0] * m[1][1] - m[0][1] * want[1]) / det;
      normal[1] = (m[0][0] * want[1] - want[0] * m[1][0]) / det;
    }
    force_ten_ = normal[0];
    force_nine_ = normal[1];
    return {s.v, gravity + normal[0] * f[0].force + normal[1] * f[1].force,
            (1.0 / inertia_) * (normal[0] * f[0].torque + normal[1] * f[1].torque)};
  }

  void step() {  // Runge and Kutta's of fourth order
    const State a = rate(now_);
    if (on_ten_ && force_ten_ < 0.0) on_ten_ = false;
    const State b = rate(sum(now_, 0.5 * dt, a));
    const State c = rate(sum(now_, 0.5 * dt, b));
    const State d = rate(sum(now_, dt, c));
    now_ = sum(sum(sum(sum(now_, dt / 6.0, a), dt / 3.0, b), dt / 3.0, c), dt / 6.0, d);
    ++count_;
  }

  double torsion_, inertia_;
  State now_{{0.0, 6.62105263157895, 8.78417110772903}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  bool on_ten_ = true;
  double force_ten_ = 0.0, force_nine_ = 0.0;
  double slip_[2] = {0.0, 0.0};
  int count_ = 0;
};

// While the sphere rolls on nine and does not spin about the normal there, but slides and spins on ten, it has one
// freedom: its speed u along the circle on which it touches both, at the angle phi from the top. With unit normals n =
// (a, b), along y and away from it, c = n_ten . n_nine and s = b_nine a_ten - a_nine b_ten, the slip on ten is (1 - c)
// u and the spin s u, so that friction takes mu N_ten S u, S^2 = (1 - c)^2 + (e_r s)^2:
//   (1 + I) u' = F_tau - mu S N_ten,     s N_ten = a_nine ((1 + I) u^2 / rho + F_rho) - b_nine F_y,
// which for u^2 against phi is a linear equation with constant coefficients.
class RollingOnNine {
 public:
  explicit RollingOnNine(double inertia = solid) : inertia_(inertia) {
    c_ = a_ten * a_nine + b_ten * b_nine;
    s_ = b_nine * a_ten - a_nine * b_ten;
    S_ = std::hypot(1.0 - c_, torsion_of_thesis * s_);
    // (u^2)' + k u^2 = g + g_cos cos(phi) + g_sin sin(phi)
    k_ = 2.0 * mu * S_ * a_nine / s_;
    const double factor = 2.0 * rho / (1.0 + inertia_), rub = mu * S_ / s_;
    const double g = factor * rub * b_nine * Fy;
    const double g_cos = factor * (Fx - rub * a_nine * Fz), g_sin = factor * (-Fz - rub * a_nine * Fx);
    even_ = g / k_;
    sine_ = (g_cos + k_ * g_sin) / (1.0 + k_ * k_);
    cosine_ = k_ * sine_ - g_sin;
  }

  double speed(double phi) const { return std::sqrt(square(phi)); }

  // How much more friction nine has than rolling needs, of its ellipsoid's half axis [N].
  double spare(double phi) const {
    const double u2 = square(phi);
    const double along = Fx * std::cos(phi) - Fz * std::sin(phi), away = Fx * std::sin(phi) + Fz * std::cos(phi);
    const double ten = (a_nine * ((1.0 + inertia_) * u2 / rho + away) - b_nine * Fy) / s_;
    const double normal = (b_ten * Fy - a_ten * away - (a_ten + inertia_ * a_nine * c_) * u2 / rho) / s_;
    const double rate = (along - mu * S_ * ten) / (1.0 + inertia_);
    const double arm2 = torsion_of_thesis * torsion_of_thesis, rub = mu * ten / S_;
    const double forward = -inertia_ * rate + rub * ((1.0 - c_) * c_ - arm2 * s_ * s_);
    const double across = -inertia_ * a_nine * u2 / rho;
    const double moment = rub * s_ * ((1.0 - c_) + arm2 * c_);
    return mu * normal - std::sqrt(forward * forward + across * across + moment * moment / arm2);
  }

  double last_angle() const {
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 60; ++k) (spare(0.5 * (low + high)) > 0.0 ? low : high) = 0.5 * (low + high);
    return low;
  }

  // When it comes to phi: rho / u over the angle. As u grows from 0 with the root of the angle, that is the variable.
  double time(double phi) const {
    constexpr int count = 2000;
    const double width = std::sqrt(phi) / count;
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
      const double root = (k + 0.5) * width;
      sum += 2.0 * rho * root / speed(root * root) * width;
    }
    return sum;
  }

 private:
  static constexpr double Fx = 1.0, Fy = 2.6, Fz = -9.81;
  static constexpr double rho = 8.78417110772903,
                          height = 6.62105263157895;  // the circle's radius, and where on y it is
  static constexpr double a_ten = height / radius_ten, b_ten = rho / radius_ten;
  static constexpr double a_nine = (height - 11.4) / radius_nine, b_nine = rho / radius_nine;

  double square(double phi) const {
    return even_ + cosine_ * std::cos(phi) + sine_ * std::sin(phi) - (even_ + cosine_) * std::exp(-k_ * phi);
  }

  double inertia_;
  double c_, s_, S_, k_;
  double even_, cosine_, sine_;
};

V3 from(Vec3 v) { return {v.x, v.y, v.z}; }

Course simulated(double h, double torsion) {
  Simulation simulation = test::simulate(sphere_on_spheres(torsion), h, 4.0);
  Course course;
  V3 last{0.0, 0.0, 0.0};
  while (simulation.step()) {
    const V3 x = from(simulation.spatial_pose(2).position);
    const V3 v = from(simulation.spatial_velocity(2).velocity), w = from(simulation.spatial_velocity(2).angular);
    const double t = simulation.time();
    const auto slip = [&](V3 centre) {
      const V3 n = (1.0 / norm(x - centre)) * (x - centre);
      const V3 u = v - cross(w, n);
      return norm(u - dot(u, n) * n);
    };
    constexpr double apart = 1e-5;  // [m]
    if (course.slides_on_ten == 0.0 && slip({0.0, 0.0, 0.0}) > sliding) course.slides_on_ten = t;
    if (course.slides_on_nine == 0.0 && slip(nine) > sliding) course.slides_on_nine = t;
    if (course.leaves_ten == 0.0 && norm(x) > radius_ten + apart) course.leaves_ten = t;
    if (course.leaves_nine == 0.0 && norm(x - nine) > radius_nine + apart) course.leaves_nine = t;
    if (t < 3.0 + 0.5 * h) course.velocity = v;
    // No jumps when contacts are lost: a step changes the velocity by no more than the applied force does.
    EXPECT_LT(norm(v - last), 10.6 * h);
    EXPECT_LT(simulation.last_penetration(), h < 0.1 ? 1e-7 : 3e-7);
    last = v;
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  EXPECT_LE(simulation.outcome().substeps_rejected, h < 0.1 ? 0 : 10);  // it turns by a quarter of a radian a step
  return course;
}

void expect_alike(const Course& course, const Course& exact, double h) {
  // a contact that is lost takes its time to show as a gap
  const double near = 2.0 * h + 0.03;
  EXPECT_NEAR(course.slides_on_ten, exact.slides_on_ten, near);
  EXPECT_NEAR(course.slides_on_nine, exact.slides_on_nine, near);
  EXPECT_NEAR(course.leaves_ten, exact.leaves_ten, near);
  EXPECT_NEAR(course.leaves_nine, exact.leaves_nine, near);
  EXPECT_LT(norm(course.velocity - exact.velocity), 7.0 * h + 0.01);  // of 4.9 m/s; it gains 0.01 m/s in a millisecond
}

TEST(SphereOnSpheres, RollsSlidesAndSeparates) {
  for (const double torsion : {0.0, torsion_of_thesis}) {
    const Course exact = Equation(torsion).solve();
    EXPECT_LT(exact.slides_on_ten, exact.slides_on_nine);
    EXPECT_LT(exact.slides_on_nine, exact.leaves_ten);
    EXPECT_LT(exact.leaves_ten, exact.leaves_nine);
    for (const double h : {0.1, 0.01, 0.001}) {
      SCOPED_TRACE(testing::Message() << "torsion " << torsion << ", h " << h);
      expect_alike(simulated(h, torsion), exact, h);
    }
  }
}

TEST(SphereOnSpheres, RollsOnNineByAClosedFormula) {
  const RollingOnNine rolling;
  for (const double h : {0.01, 0.001}) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    Simulation simulation = test::simulate(sphere_on_spheres(torsion_of_thesis), h, 2.9);
    while (simulation.step()) {
      const V3 x = from(simulation.spatial_pose(2).position);
      const V3 v = from(simulation.spatial_velocity(2).velocity), w = from(simulation.spatial_velocity(2).angular);
      const V3 n = (1.0 / norm(x - nine)) * (x - nine);
      ASSERT_NEAR(norm(v), rolling.speed(std::atan2(x.x, x.z)), 2.0 * h) << simulation.time();
      ASSERT_LT(norm(v - cross(w, n)), 1.0 * h) << simulation.time();
      ASSERT_LT(std::fabs(dot(w, n)), 1.0 * h) << simulation.time();
    }
    EXPECT_NEAR(rolling.time(std::atan2(simulation.spatial_pose(2).position.x, simulation.spatial_pose(2).position.z)),
                simulation.time(), 2.0 * h);
  }
}

// The thesis reads from its figures, of steps of 0.01 s, that contact 2 (nine) rolls until about 3 s, contact 1 (ten)
// slides from the start and is lost at about 3.2 s, and contact 2 at about 3.6 s. With a solid sphere of 1 kg the times
// are 2.94, 3.21 and 3.70 s: the last is a tenth late. It is neither the step (above) nor e_r, for with a smaller one
// the sphere soon slips on nine, too. A moment of inertia of 0.36 kg m^2 would give 2.97, 3.16 and 3.65 s, at the edge
// of what rounds to the thesis' three; nothing says that it is meant.
TEST(SphereOnSpheres, ComparesWithTheTimesOfTheThesis) {
  const RollingOnNine rolling;
  const Course exact = Equation(torsion_of_thesis).solve();
  const double rolls_until = rolling.time(rolling.last_angle());
  EXPECT_NEAR(rolls_until, 2.945, 0.001);
  EXPECT_NEAR(rolls_until, 3.0, 0.06);
  EXPECT_LT(exact.slides_on_ten, 0.25);  // where slip on ten has grown to what counts as sliding
  EXPECT_GT(exact.slides_on_nine, rolls_until);
  EXPECT_NEAR(exact.leaves_ten, 3.2, 0.05);
  EXPECT_NEAR(exact.leaves_nine, 3.70, 0.01);
  // at the thesis' step
  const Course course = simulated(0.01, torsion_of_thesis);
  EXPECT_LT(course.slides_on_ten, 0.25);
  EXPECT_NEAR(course.slides_on_nine, 3.0, 0.11);
  EXPECT_NEAR(course.leaves_ten, 3.2, 0.05);
  EXPECT_NEAR(course.leaves_nine, 3.70, 0.05);

  EXPECT_LT(Equation(0.2).solve().slides_on_nine, 2.5);
  const RollingOnNine lighter(0.36);
  const Course other = Equation(torsion_of_thesis, 0.36).solve();
  EXPECT_NEAR(lighter.time(lighter.last_angle()), 2.97, 0.01);
  EXPECT_NEAR(other.leaves_ten, 3.16, 0.01);
  EXPECT_NEAR(other.leaves_nine, 3.65, 0.01);
}

}  // namespace
}  // namespace pegrasp

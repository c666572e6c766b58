// SPDX-License-Identifier: Apache-2.0
// A small sphere on two large fixed ones (Berard 3.5.3.2, after Tzitzouris and Pang): it rolls on one and slides on the other, comes to slide on
// both, and leaves one after the other, at one fixed step.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <cmath>

#include "math/vec3.hpp"
#include "scenes/polyhedron_box.hpp"
#include "space/simulate.hpp"

namespace pegrasp {
namespace {

using spatial::V3;

// Unit sphere, 1 kg; the constant force of the example is gravity here. Units as in the thesis.
SceneSpec sphere_on_spheres() {
  SceneSpec scene = scenes::space_scene("sphere on two spheres");
  scene.gravity = {1.0, 2.6};
  scene.gravity_z = -9.81;
  const auto add = [&](const std::string& name, double radius, Vec3 at) {
    BodySpec body;
    body.name = name;
    body.space.parts = {make_sphere(name, {}, radius)};
    body.space.pose.position = at;
    body.kind = BodyKind::fixed;
    body.friction = 0.2;
    scene.bodies.push_back(body);
  };
  add("ten", 10.0, {0.0, 0.0, 0.0});
  add("nine", 9.0, {0.0, 11.4, 0.0});
  add("small", 1.0, {0.0, 6.62105263157895, 8.78417110772903});
  scene.bodies[2].kind = BodyKind::dynamic;
  scene.bodies[2].space.inertia = {0.4, 0.4, 0.4, 0.0, 0.0, 0.0};
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
// What counts as sliding [m/s]: well above what curvature within a step leaves of slip, and what the friction law below does.
constexpr double sliding = 0.05;

// The same by an ordinary differential equation. Friction is mu N s / sqrt(s^2 + e^2) against the slip s; normal forces follow from the
// accelerations that keep the contacts.
class Equation {
 public:
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
  static constexpr double mu = 0.2, inertia = 0.4, small_slip = 1e-3;

  struct State {
    V3 x, v, w;
  };

  static State sum(const State& a, double t, const State& b) { return {a.x + t * b.x, a.v + t * b.v, a.w + t * b.w}; }

  // Force of a unit normal force along n: normal and friction.
  V3 force(const State& s, V3 n, double& slip) const {
    const V3 u = s.v - cross(s.w, n);
    const V3 along = u - dot(u, n) * n;
    slip = norm(along);
    return n - (mu / std::sqrt(slip * slip + small_slip * small_slip)) * along;
  }

  State rate(const State& s) {
    const V3 gravity{1.0, 2.6, -9.81};
    const V3 out_ten = (1.0 / norm(s.x)) * s.x;
    const V3 out_nine = (1.0 / norm(s.x - nine)) * (s.x - nine);
    const V3 f[2] = {force(s, out_ten, slip_[0]), force(s, out_nine, slip_[1])};
    const double v2 = dot(s.v, s.v);
    // a . n = -v^2 / R for the contacts that are kept
    const double want[2] = {-v2 / radius_ten - dot(gravity, out_ten), -v2 / radius_nine - dot(gravity, out_nine)};
    double normal[2] = {0.0, want[1] / dot(f[1], out_nine)};
    if (on_ten_) {
      const double m[2][2] = {{dot(f[0], out_ten), dot(f[1], out_ten)}, {dot(f[0], out_nine), dot(f[1], out_nine)}};
      const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
      normal[0] = (want[0] * m[1][1] - m[0][1] * want[1]) / det;
      normal[1] = (m[0][0] * want[1] - want[0] * m[1][0]) / det;
    }
    force_ten_ = normal[0];
    force_nine_ = normal[1];
    const V3 all[2] = {normal[0] * f[0], normal[1] * f[1]};
    const V3 torque = -cross(out_ten, all[0]) - cross(out_nine, all[1]);  // the arm is -n
    return {s.v, gravity + all[0] + all[1], (1.0 / inertia) * torque};
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

  State now_{{0.0, 6.62105263157895, 8.78417110772903}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  bool on_ten_ = true;
  double force_ten_ = 0.0, force_nine_ = 0.0;
  double slip_[2] = {0.0, 0.0};
  int count_ = 0;
};

V3 from(Vec3 v) { return {v.x, v.y, v.z}; }

Course simulated(double h) {
  Simulation simulation = test::simulate(sphere_on_spheres(), h, 4.0);
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
    EXPECT_LT(norm(v - last), 10.3 * h);
    EXPECT_LT(simulation.last_penetration(), 1e-7);
    last = v;
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
  return course;
}

// The thesis' friction also resists spin (e_r = 0.3), so that its times, 3, 3.2 and 3.6 s, come a little later.
TEST(SphereOnSpheres, RollsSlidesAndSeparates) {
  const Course exact = Equation().solve();
  EXPECT_LT(exact.slides_on_ten, exact.slides_on_nine);
  EXPECT_LT(exact.slides_on_nine, exact.leaves_ten);
  EXPECT_LT(exact.leaves_ten, exact.leaves_nine);
  for (const double h : {0.1, 0.01, 0.001}) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    const Course course = simulated(h);
    // a contact that is lost takes its time to show as a gap
    const double near = 2.0 * h + 0.03;
    EXPECT_NEAR(course.slides_on_ten, exact.slides_on_ten, near);
    EXPECT_NEAR(course.slides_on_nine, exact.slides_on_nine, near);
    EXPECT_NEAR(course.leaves_ten, exact.leaves_ten, near);
    EXPECT_NEAR(course.leaves_nine, exact.leaves_nine, near);
    EXPECT_LT(norm(course.velocity - exact.velocity), 7.0 * h);  // of 4.9 m/s
  }
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Slow pushing of a body on three points, solved in another way than the simulators do: by the twist of least power.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>

#include "tests/scenes/basic.hpp"

namespace pegrasp::test {

using Tripod = std::array<Vec2, 3>;

inline const Tripod lopsided{Vec2{0.04, 0.005}, Vec2{-0.01, 0.03}, Vec2{-0.025, -0.02}};

// Minimum of a convex function of one number.
inline double golden(double low, double high, const std::function<double(double)>& f) {
  const double ratio = 0.61803398874989485;
  double a = high - ratio * (high - low);
  double b = low + ratio * (high - low);
  double fa = f(a);
  double fb = f(b);
  for (int k = 0; k < 90; ++k) {
    if (fa < fb) {
      high = b;
      b = a;
      fb = fa;
      a = high - ratio * (high - low);
      fa = f(a);
    } else {
      low = a;
      a = b;
      fa = fb;
      b = low + ratio * (high - low);
      fb = f(b);
    }
  }
  return 0.5 * (low + high);
}

// Slow pushing: inertia is nothing, so the twist is the one that costs friction the least power among those that move
// the touched point at the pusher's speed along the (frictionless) normal: the principle behind the limit surface.
// `power`: of one point, of its slip velocity, per unit of mu N. arm: from the centre of mass to the touched point. All
// in the world.
inline Twist quasistatic_twist(const SupportTripod& support, double turn, Vec2 arm, Vec2 normal, double speed,
                               const std::function<double(Vec2)>& power) {
  const double cosine = std::cos(turn);
  const double sine = std::sin(turn);
  const double lever = arm.x * normal.y - arm.y * normal.x;
  const auto twist = [&](double omega, double across) {
    const double along = speed - omega * lever;
    return Twist{along * normal.x - across * normal.y, along * normal.y + across * normal.x, omega};
  };
  const auto dissipated = [&](const Twist& v) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec2 r{cosine * support.point[k].x - sine * support.point[k].y,
                   sine * support.point[k].x + cosine * support.point[k].y};
      sum += support.friction[k] * support.load[k] * power({v.vx - v.omega * r.y, v.vy + v.omega * r.x});
    }
    return sum;
  };
  const double most = 4.0 * speed;  // across; far beyond any minimum
  const double spin = 4.0 * speed / 0.02;
  const auto best_across = [&](double omega) {
    return golden(-most, most, [&](double across) { return dissipated(twist(omega, across)); });
  };
  const double omega = golden(-spin, spin, [&](double w) { return dissipated(twist(w, best_across(w))); });
  return twist(omega, best_across(omega));
}

inline double euclidean(Vec2 slip) { return std::hypot(slip.x, slip.y); }
inline double per_axis(Vec2 slip) { return std::fabs(slip.x) + std::fabs(slip.y); }

inline constexpr double half_side = 0.05;  // [m] of the pushed square
inline constexpr double pusher_radius = 0.01;

// A square on a tripod, pushed along x by a disc that touches its left side at height y.
inline SceneSpec pushed_square(const Tripod& points, double y, double speed) {
  SceneSpec scene = scenes::tripod_slider(points, 0.4, {});
  BodySpec& square = scene.bodies[0];
  square.planar().parts = {scenes::box_part("square", 2.0 * half_side, 2.0 * half_side)};
  BodySpec pusher = scenes::disc_body("pusher", pusher_radius, 1.0);
  pusher.kind = BodyKind::kinematic;
  pusher.planar().pose = {-half_side - pusher_radius, y, 0.0};
  pusher.planar().velocity.vx = speed;
  scene.bodies.push_back(pusher);
  return scene;
}

// The motion of that square over `seconds`: the exact twist integrated in time (midpoint rule). The pusher touches the
// left side, whose normal turns with the square.
inline Pose pushed_pose(const Tripod& points, double y, double speed, double seconds) {
  const SceneSpec scene = pushed_square(points, y, speed);
  const auto rate = [&](const Pose& q, double t) {
    const Vec2 normal{std::cos(q.theta), std::sin(q.theta)};
    const Vec2 touched{-half_side - pusher_radius + speed * t + pusher_radius * normal.x - q.x,
                       y + pusher_radius * normal.y - q.y};
    return quasistatic_twist(*scene.bodies[0].planar().support, q.theta, touched, normal, speed * normal.x, euclidean);
  };
  Pose q;
  const double dt = 0.1;
  for (int k = 0; k < static_cast<int>(seconds / dt + 0.5); ++k) {
    const Twist first = rate(q, k * dt);
    const Pose middle{q.x + 0.5 * dt * first.vx, q.y + 0.5 * dt * first.vy, q.theta + 0.5 * dt * first.omega};
    const Twist v = rate(middle, (k + 0.5) * dt);
    q = {q.x + dt * v.vx, q.y + dt * v.vy, q.theta + dt * v.omega};
  }
  return q;
}

}  // namespace pegrasp::test

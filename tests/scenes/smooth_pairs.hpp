// SPDX-License-Identifier: Apache-2.0
// Steps of two smooth bodies (src/reference/workbench/implicit_step.hpp).
#pragma once

#include <cmath>

#include "src/reference/workbench/implicit_step.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::scenes {

// The disc of Berard's thesis, 3.5.3.1, rolls on a half-plane; or another shape in its place.
inline reference::ImplicitStep rolling_smooth(const reference::SmoothShape& shape) {
  reference::ImplicitStep step;
  step.mu = 0.4;
  step.h = 0.01;
  step.body[0].shape = shape;
  step.body[0].inertia = 0.5;
  step.body[0].pose = {0.0, 1.0, 0.0};
  step.body[0].velocity = {-3.0, 0.0, 3.0};
  step.body[0].force = {0.0, -9.81, 0.0};
  step.body[1].shape.half_plane = true;
  step.body[1].moves = false;
  return step;
}

// Superellipses of one order that come at each other at random, 3 mm apart at most.
inline reference::ImplicitStep meeting(Random& random, double order, bool friction) {
  using Eigen::Vector2d;
  reference::ImplicitStep step;
  step.mu = friction ? random.uniform(0.1, 0.8) : 0.0;
  for (reference::SmoothBody& body : step.body) {
    body.shape = {random.uniform(0.05, 0.2), random.uniform(0.05, 0.2), order, false};
    body.mass = random.uniform(0.5, 2.0);
    body.inertia = 0.25 * body.mass * (std::pow(body.shape.semi_x, 2) + std::pow(body.shape.semi_y, 2));
  }
  reference::SmoothBody& other = step.body[1];
  other.pose[2] = random.uniform(-3.0, 3.0);
  const double angle = random.uniform(-3.0, 3.0);
  const Vector2d way(std::cos(angle), std::sin(angle));
  // Let in until they are near: by as much as they are apart, they cannot meet.
  double d = 1.0, apart = 1.0;
  while (apart > 0.003 && d > 0.0) {
    other.pose.head<2>() = d * way;
    apart = reference::separation(step.body[0], other);
    d -= apart - 0.001;
  }
  other.velocity = {-way.x() + random.uniform(-0.5, 0.5), -way.y() + random.uniform(-0.5, 0.5),
                    random.uniform(-3.0, 3.0)};
  return step;
}

}  // namespace pegrasp::scenes

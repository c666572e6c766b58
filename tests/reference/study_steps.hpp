// SPDX-License-Identifier: Apache-2.0
// Steps of the theses' figures, for tests and for pegrasp_thesis_figures.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "pegrasp/scene.hpp"
#include "tests/reference/steps.hpp"
#include "tests/scenes/shapes.hpp"

namespace pegrasp::reference::test {

// A body on one support point under its centre of mass that may give `bound` [N s]; `push` [N s] acts on it.
inline StepProblem supported_particle(double mass, double h, double bound, std::array<double, 2> velocity,
                                      std::array<double, 2> push) {
  StepProblem step = planar_body(mass, 1.0, h, {velocity[0], velocity[1], 0.0});
  step.external = vector({push[0], push[1], 0.0});
  step.supports = {{{sparse({1.0, 0.0, 0.0}), sparse({0.0, 1.0, 0.0})}, bound}};
  return step;
}

// A disc of 0.3 kg and 0.1 m across that slides on a tripod of three points (2.5D, B 3.25), turned by theta.
inline StepProblem tripod_disc(double h, double theta, const std::vector<double>& twist) {
  constexpr double mass = 0.3, radius = 0.04, mu = 0.2;
  StepProblem step = planar_body(mass, 3.75e-4, h, twist);
  step.external.setZero();
  for (int k = 0; k < 3; ++k) {
    const double a = theta + 2.0 * std::numbers::pi * k / 3.0, x = radius * std::cos(a), y = radius * std::sin(a);
    step.supports.push_back({{sparse({1.0, 0.0, -y}), sparse({0.0, 1.0, x})}, mass * gravity / 3.0 * mu * h});
  }
  return step;
}

// A block of 1 kg in 3D that slides on `count` contacts with level ground, in a ring: 12 + 3 d unknowns for three of
// them (B 5.2.4).
inline StepProblem spatial_block(double h, const std::vector<double>& twist, int count = 3) {
  constexpr double radius = 0.08, height = 0.05, mu = 0.3;
  StepProblem step;
  step.h = h;
  step.mass = diagonal({1.0, 1.0, 1.0, 4e-3, 4e-3, 6e-3});
  step.velocity = vector(twist);
  step.external = vector({0.0, 0.0, -gravity * h, 0.0, 0.0, 0.0});
  for (int k = 0; k < count; ++k) {
    const double a = 2.0 * std::numbers::pi * k / count, x = radius * std::cos(a), y = radius * std::sin(a);
    Contact c;
    c.normal = sparse({0.0, 0.0, 1.0, y, -x, 0.0});
    c.tangents = {sparse({1.0, 0.0, 0.0, 0.0, -height, -y}), sparse({0.0, 1.0, 0.0, height, 0.0, x})};
    c.tangent_rate = {0.0, 0.0};
    c.mu = mu;
    step.contacts.push_back(c);
    step.unilateral.push_back(k);
  }
  return step;
}

// W figure 4.4: a fixed part with its tip up, at the origin, and a spike that points to the left, its tip at (x, y).
inline SceneSpec crossing_scene() {
  SceneSpec scene;
  const double c = std::cos(std::numbers::pi / 6.0), s = 0.5;
  BodySpec below;
  below.name = "below";
  below.kind = BodyKind::fixed;
  below.planar().parts = {make_polygon("below", {{0.0, 0.0}, {-s, -c}, {s, -c}})};
  BodySpec spike;
  spike.name = "spike";
  spike.planar().parts = {make_polygon("spike", {{-0.5, 0.0}, {c - 0.5, -s}, {c - 0.5, s}})};
  spike.planar().inertia = 0.1;
  scene.bodies = {below, spike};
  return scene;
}
inline std::vector<Pose> crossing_poses(double x, double y) { return {{}, {x + 0.5, y, 0.0}}; }

// The largest angle between motion and push of a body pushed with `push` [N s] from rest against the bound b of a
// pyramid of d directions is asin(b / push sin(pi / d)): friction is the direction nearest to the push, of full size,
// until the motion is half-way to the next direction, where two share.
inline double pyramid_drift(double push, double bound, int directions) {
  return std::asin(bound / push * std::sin(std::numbers::pi / directions));
}

// (4.52) and (4.53) with d velocities a body.
inline int standard_size(int velocities, int joints, int contacts, int directions) {
  return velocities + joints + contacts * (2 + directions);
}
inline int peg_size(int velocities, int joints, int contacts, int in_sets, int directions) {
  return velocities + joints + (contacts - in_sets) * (2 + directions) + in_sets + in_sets / 2 * (directions + 1);
}

}  // namespace pegrasp::reference::test

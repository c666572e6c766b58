// SPDX-License-Identifier: Apache-2.0
// Running a scene step by step in a test, and what tests ask of it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pegrasp/names.hpp"
#include "pegrasp/simulation.hpp"
#include "src/metrics/overlap.hpp"

namespace pegrasp::test {

constexpr std::array<SolverKind, 6> every_solver{SolverKind::aj,   SolverKind::pgs,    SolverKind::jacobi,
                                                 SolverKind::nncg, SolverKind::newton, SolverKind::stiff_newton};

// The scene's options for steps of h up to `duration`; everything else is the default.
inline StepOptions steps_of(double h, double duration, ContactModel contact = ContactModel::peg) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.contact = contact;
  return options;
}

inline Simulation simulate(const SceneSpec& scene, const StepOptions& options) {
  return Simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
}

inline const BodySpec& body_of(const SceneSpec& scene, int body) {
  return scene.bodies[static_cast<std::size_t>(body)];
}

// Kinetic energy [J] of one body.
inline double kinetic_energy(const SceneSpec& scene, const Simulation& simulation, int body) {
  const Twist v = simulation.velocity(body);
  return 0.5 * body_of(scene, body).mass * (v.vx * v.vx + v.vy * v.vy) +
         0.5 * body_of(scene, body).planar().inertia * v.omega * v.omega;
}

// Total overlap area [m^2] of the scene as it stands.
inline double overlap_now(const SceneSpec& scene, const Simulation& simulation) {
  std::vector<Pose> poses;
  std::vector<bool> present;
  for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
    poses.push_back(simulation.pose(body));
    present.push_back(simulation.present(body));
  }
  return total_overlap_area(scene, poses, present);
}

// Fastest dynamic body: the larger of its speed [m/s] and its angular speed [rad/s].
inline double fastest(const SceneSpec& scene, const Simulation& simulation) {
  double most = 0.0;
  for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
    if (body_of(scene, body).kind != BodyKind::dynamic || !simulation.present(body)) continue;
    const Twist v = simulation.velocity(body);
    most = std::fmax(most, std::fmax(std::hypot(v.vx, v.vy), std::fabs(v.omega)));
  }
  return most;
}

}  // namespace pegrasp::test

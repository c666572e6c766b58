// SPDX-License-Identifier: Apache-2.0
// Drops a disc for a tenth of a second and compares with the formula. Uses what is installed, nothing else.
#include <cmath>
#include <cstdio>

#include "pegrasp/simulation.hpp"
#include "pegrasp/version.hpp"

int main() {
  pegrasp::SceneSpec scene;
  scene.gravity = {0.0, -9.81};
  pegrasp::BodySpec disc;
  disc.name = "disc";
  disc.planar().parts = {pegrasp::make_disc("disc", {0.0, 0.0}, 0.02)};
  disc.mass = 0.1;
  disc.planar().inertia = 0.5 * 0.1 * 0.02 * 0.02;
  scene.bodies = {disc};

  pegrasp::StepOptions options;
  options.h = 0.001;
  options.duration = 0.1;
  const auto parameters = pegrasp::scene_parameters(scene);
  pegrasp::Simulation simulation(pegrasp::compile_model(scene), pegrasp::derive_options(options, scene), parameters);
  simulation.run();

  const double expected = -0.5 * 9.81 * 0.1 * 0.1;
  const double y = simulation.pose(0).y;
  std::printf("pegrasp %s: the disc fell to y = %.6f m, expected %.6f m\n", pegrasp::version::number, y, expected);
  return std::abs(y - expected) < 1e-9 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// Bodies without weight, joints and motors: nothing but the tolerances is left to measure errors by once they rest.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/runs.hpp"
#include "tests/scenes/weightless.hpp"

namespace pegrasp {
namespace {

struct Case {
  bool spatial;
  Strategy strategy;
  double friction;
};

class Weightless : public testing::TestWithParam<Case> {};

StepOptions options_of(const Case& c, const SceneSpec& scene, double duration) {
  StepOptions options = test::steps_of(0.005, duration);
  options.strategy = c.strategy;
  return derive_options(options, scene);
}

double speed_along(const Simulation& simulation, bool spatial, int body) {
  return spatial ? simulation.spatial_velocity(body).velocity.x : simulation.velocity(body).vx;
}

// A blow without bounce leaves one body of all three: momentum is kept, and v = P / m.
TEST_P(Weightless, ABlowLeavesTheCommonVelocity) {
  const Case c = GetParam();
  for (const double left : {10.0, 12.5}) {
    const SceneSpec scene = scenes::closing_boxes(c.spatial, c.friction, left, -10.0);
    const StepOptions options = options_of(c, scene, 0.1);
    Simulation simulation(compile_model(scene), options, scene_parameters(scene));
    double momentum = 0.0, mass = 0.0;
    for (const BodySpec& body : scene.bodies) mass += body.mass;
    momentum = 0.2 * (left - 10.0);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
    EXPECT_EQ(simulation.outcome().steps, 20);
    EXPECT_GT(simulation.contact_count(), 0);
    double after = 0.0;
    for (int body = 0; body < 3; ++body) {
      const double v = speed_along(simulation, c.spatial, body);
      EXPECT_NEAR(v, momentum / mass, 3.0 * options.tolerance) << body;
      after += test::body_of(scene, body).mass * v;
    }
    EXPECT_NEAR(after, momentum, 1e-13);
  }
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.spatial ? "in3D" : "in2D") +
         (info.param.strategy == Strategy::batched ? "Batched" : "PerScene") +
         (info.param.friction > 0.0 ? "Rough" : "Smooth");
}

INSTANTIATE_TEST_SUITE_P(All, Weightless,
                         testing::Values(Case{false, Strategy::per_scene, 0.0}, Case{true, Strategy::per_scene, 0.0},
                                         Case{false, Strategy::batched, 0.0}, Case{true, Strategy::batched, 0.0},
                                         Case{false, Strategy::per_scene, 0.4}, Case{true, Strategy::per_scene, 0.4},
                                         Case{true, Strategy::batched, 0.4}),
                         name_of_case);

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Scenes with joints, stepped as the sources write it: joints stay closed to the error of one linearisation, h^2 w^2 r
// / 2, a crank leads its slider, and a pendulum and a cart keep their energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "pegrasp/scene_json.hpp"
#include "src/reference/workbench/formulation_run.hpp"
#include "src/reference/workbench/spatial_formulation_run.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"

namespace pegrasp {
namespace {

using namespace reference;
using spatial::Vector3;

SceneSpec example(const std::string& name) {
  return load_scene_json(test::source_dir() + "/examples/scenes/" + name + ".json").scene;
}

template <class Run>
Run run_of(const SceneSpec& scene, double h, double duration, Form form) {
  FormulationChoice choice;
  choice.formulation.form = form;
  return {scene, scene_parameters(scene), derive_options(test::steps_of(h, duration), scene), choice};
}

// Crank of 0.1 m, rod of 0.3 m, one turn a second.
TEST(JointedFormulation, CrankLeadsItsSlider) {
  constexpr double h = 0.005, crank = 0.1, rod = 0.3, speed = 2.0 * std::numbers::pi;
  constexpr double error = 2.0 * h * h * speed * speed * crank;
  const SceneSpec scene = example("slider_crank");
  for (const Form form : {Form::lcp, Form::mixed, Form::quadratic}) {
    FormulationRun run = run_of<FormulationRun>(scene, h, 1.1, form);
    while (run.step()) {
      ASSERT_EQ(run.last().status, mcp::Status::solved);
      EXPECT_NEAR(run.velocities()[0].omega, speed, 1e-8);
      const double angle = run.poses()[0].theta, c = std::cos(angle), s = std::sin(angle);
      EXPECT_NEAR(angle, speed * run.time(), 1e-8);
      EXPECT_NEAR(run.poses()[0].x, 0.5 * crank * c, error);
      EXPECT_NEAR(run.poses()[0].y, 0.5 * crank * s, error);
      EXPECT_NEAR(run.poses()[2].x, crank * c + std::sqrt(rod * rod - crank * crank * s * s), 3.0 * error);
      EXPECT_NEAR(run.poses()[2].y, 0.0, 1e-9);
      EXPECT_NEAR(run.poses()[2].theta, 0.0, 1e-9);
    }
  }
}

// The slider of a rail with limits is held at its end.
TEST(JointedFormulation, LimitsHold) {
  SceneSpec scene = example("slider_crank");
  scene.joints[3].slide = JointRange{-0.05, 0.01};
  FormulationRun run = run_of<FormulationRun>(scene, 0.005, 1.0, Form::mixed);
  double least = 1.0;
  while (run.step()) {
    ASSERT_EQ(run.last().status, mcp::Status::solved);
    least = std::min(least, run.poses()[2].x);
  }
  EXPECT_NEAR(least, 0.35, 1e-4);
  EXPECT_LT(run.velocities()[0].omega, 1.0);  // the crank waits, however hard the motor pushes
}

double energy(const SceneSpec& scene, const SpatialFormulationRun& run) {
  double sum = 0.0;
  for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
    const BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
    if (spec.kind != BodyKind::dynamic) continue;
    const SpatialTwist v = run.velocity(body);
    sum += spec.mass * (0.5 * spatial::vector3(v.velocity).squaredNorm() + 9.81 * run.pose(body).position.z);
  }
  return sum;
}

// The end of the rod at the hinge stays there.
TEST(JointedFormulation, RodHangsOnItsHinge) {
  const SceneSpec scene = example("hanging_rod");
  const Vector3 hinge(0.0, 0.0, 0.25);
  for (const Form form : {Form::lcp, Form::mixed, Form::quadratic}) {
    SpatialFormulationRun run = run_of<SpatialFormulationRun>(scene, 0.002, 1.5, form);
    const auto in_rod = [&] {
      return Vector3(spatial::turn(run.pose(0).turn).conjugate() * (hinge - spatial::vector3(run.pose(0).position)));
    };
    const Vector3 start = in_rod();
    double worst = 0.0, lowest = 1.0, highest = -1.0;
    while (run.step()) {
      ASSERT_EQ(run.last().status, mcp::Status::solved);
      worst = std::max(worst, (in_rod() - start).norm());
      lowest = std::min(lowest, run.pose(0).position.z);
      if (run.time() > 0.8) highest = std::max(highest, run.pose(0).position.z);
    }
    EXPECT_LT(worst, 2e-5);
    EXPECT_NEAR(lowest, 0.0, 1e-4);
    EXPECT_NEAR(highest, 0.0477, 2e-4);  // back where it was let go
  }
}

TEST(JointedFormulation, CartRollsDownhill) {
  const SceneSpec scene = example("rolling_cart");
  SpatialFormulationRun run = run_of<SpatialFormulationRun>(scene, 0.01, 0.5, Form::mixed);
  const double begin = energy(scene, run);
  double worst = 0.0, most = begin;
  while (run.step()) {
    ASSERT_EQ(run.last().status, mcp::Status::solved);
    most = std::max(most, energy(scene, run));
    for (int wheel = 2; wheel < 6; ++wheel) {
      const Vector3 apart = spatial::vector3(run.pose(wheel).position) - spatial::vector3(run.pose(1).position);
      const double x = wheel % 2 == 0 ? 0.5 : -0.5, y = wheel < 4 ? 1.3 : -1.3;
      worst = std::max(worst, (spatial::turn(run.pose(1).turn).conjugate() * apart - Vector3(x, y, -0.25)).norm());
    }
  }
  EXPECT_LT(worst, 1e-3);
  EXPECT_LT(most, begin + 1e-6);
  EXPECT_NEAR(run.pose(1).position.y, 0.5 * 0.83 * 0.25, 0.01);  // of five masses and the inertia of four wheels
}

}  // namespace
}  // namespace pegrasp

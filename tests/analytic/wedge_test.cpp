// SPDX-License-Identifier: Apache-2.0
// Two fingers squeeze a disc at height y above its centre: it jams iff mu > |y| / sqrt(R^2 - y^2).
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

constexpr double radius = 0.02;  // [m]

// Whether the disc stays where it is.
bool jams(SceneSpec scene, double h) {
  Simulation simulation = simulate(scene, steps_of(h, 0.3));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const Pose end = simulation.pose(scenes::wedge_disc);
  return std::hypot(end.x, end.y) < 1e-4;
}

double threshold(double y, double h, SceneSpec (*make)(double y, double mu)) {
  const double exact = scenes::wedge_threshold(radius, y);
  double low = exact - 0.1;
  double high = exact + 0.1;
  EXPECT_FALSE(jams(make(y, low), h)) << y;
  EXPECT_TRUE(jams(make(y, high), h)) << y;
  while (high - low > 0.0005) {
    const double mu = 0.5 * (low + high);
    (jams(make(y, mu), h) ? high : low) = mu;
  }
  return 0.5 * (low + high);
}

SceneSpec forced(double y, double mu) { return scenes::wedge(radius, y, mu); }

SceneSpec servoed(double y, double mu) {
  SceneSpec scene = scenes::wedge(radius, y, mu);
  for (ActuatorSpec& push : scene.actuators) {
    push.kind = ActuatorKind::velocity_servo;
    push.limit = std::fabs(push.target);
    push.target = push.target > 0.0 ? 0.05 : -0.05;
  }
  return scene;
}

TEST(Wedge, JamsAtTheExactFrictionUnderConstantForces) {
  for (const double y : {0.25 * radius, 0.5 * radius, 0.7 * radius, 0.8 * radius, -0.6 * radius}) {
    for (const double h : {0.001, 0.005}) {
      const double found = threshold(y, h, forced);

      EXPECT_NEAR(found, scenes::wedge_threshold(radius, y), 0.005) << y << " " << h;
    }
  }
}

TEST(Wedge, JamsAtTheExactFrictionUnderVelocityServos) {
  for (const double y : {0.3 * radius, 0.6 * radius, 0.8 * radius}) {
    const double found = threshold(y, 0.002, servoed);

    EXPECT_NEAR(found, scenes::wedge_threshold(radius, y), 0.005) << y;
  }
}

}  // namespace
}  // namespace pegrasp::test

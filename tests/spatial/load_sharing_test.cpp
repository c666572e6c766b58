// SPDX-License-Identifier: Apache-2.0
// StepOptions::load_sharing: contacts share a load evenly where nothing else decides it, so that motions do not hang on
// a solver's path.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/lift_trials.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

constexpr double mu = 0.3;
constexpr double g = 10.0;
const Vec3 plate_half{0.3, 0.1, 1e-4};

SceneSpec sliding_plate(Vec3 velocity, double spin) {
  SceneSpec scene = scenes::scene_3d("plate");
  scene.gravity_z = -g;
  scene.bodies.push_back(scenes::fixed_cuboid("plane", {50.0, 50.0, 0.5}, {0.0, 0.0, -0.5}, mu));
  BodySpec plate = scenes::solid_body("plate", scenes::cuboid(plate_half.x, plate_half.y, plate_half.z), 1000.0);
  plate.friction = mu;
  plate.spatial().pose.position = {0.0, 0.0, plate_half.z};
  plate.spatial().velocity.velocity = velocity;
  plate.spatial().velocity.angular = {0.0, 0.0, spin};
  scene.bodies.push_back(plate);
  return scene;
}

struct Slide {
  double x, y, yaw;
};

Slide simulated(const SceneSpec& scene, double h, double duration, bool load_sharing, bool warm_start) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.load_sharing = load_sharing;
  options.warm_start = warm_start;
  const std::vector<double> parameters = scene_parameters(scene);
  Simulation simulation(compile_model(scene), derive_options(options, scene), parameters);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const SpatialPose pose = simulation.spatial_pose(1);
  return {pose.position.x, pose.position.y, 2.0 * std::atan2(pose.turn.z, pose.turn.w)};
}

// A plate without height weighs on its four corners alike, however it moves: its motion is that of four sliding points.
Slide four_points(Vec3 velocity, double spin, double duration) {
  std::array<double, 6> state{0.0, 0.0, 0.0, velocity.x, velocity.y, spin};
  // per mass: a full box's moment about the vertical
  const double inertia = (plate_half.x * plate_half.x + plate_half.y * plate_half.y) / 3.0;
  const auto rates = [&](const std::array<double, 6>& s) {
    std::array<double, 6> out{s[3], s[4], s[5], 0.0, 0.0, 0.0};
    for (const double side : {-1.0, 1.0}) {
      for (const double end : {-1.0, 1.0}) {
        const double rx = std::cos(s[2]) * end * plate_half.x - std::sin(s[2]) * side * plate_half.y;
        const double ry = std::sin(s[2]) * end * plate_half.x + std::cos(s[2]) * side * plate_half.y;
        const double vx = s[3] - s[5] * ry;
        const double vy = s[4] + s[5] * rx;
        const double pull = -0.25 * mu * g / std::hypot(vx, vy);
        out[3] += pull * vx;
        out[4] += pull * vy;
        out[5] += pull * (rx * vy - ry * vx) / inertia;
      }
    }
    return out;
  };
  constexpr int steps = 20000;  // midpoints
  const double dt = duration / steps;
  for (int k = 0; k < steps; ++k) {
    std::array<double, 6> middle = state;
    const std::array<double, 6> first = rates(state);
    for (std::size_t i = 0; i < 6; ++i) middle[i] += 0.5 * dt * first[i];
    const std::array<double, 6> there = rates(middle);
    for (std::size_t i = 0; i < 6; ++i) state[i] += dt * there[i];
  }
  return {state[0], state[1], state[2]};
}

TEST(LoadSharing, APlateSlidesAsFourPointsThatCarryAlike) {
  const Vec3 velocity{1.0, 0.4, 0.0};
  constexpr double spin = 3.0;
  constexpr double duration = 0.3;
  const Slide expected = four_points(velocity, spin, duration);
  const SceneSpec scene = sliding_plate(velocity, spin);
  for (const double h : {0.002, 0.001, 0.0005}) {
    const Slide found = simulated(scene, h, duration, true, true);
    EXPECT_NEAR(found.x, expected.x, 0.6 * h) << h;
    EXPECT_NEAR(found.y, expected.y, 0.6 * h) << h;
    EXPECT_NEAR(found.yaw, expected.yaw, 2.0 * h) << h;
  }
}

// The same from the last impulses and from none.
TEST(LoadSharing, WhereASolveStartsDecidesNothing) {
  const SceneSpec scene = sliding_plate({1.0, 0.4, 0.0}, 3.0);
  const auto apart = [&](bool load_sharing) {
    const Slide warm = simulated(scene, 0.005, 0.3, load_sharing, true);
    const Slide cold = simulated(scene, 0.005, 0.3, load_sharing, false);
    return std::hypot(warm.x - cold.x, warm.y - cold.y) + std::abs(warm.yaw - cold.yaw);
  };
  EXPECT_LT(apart(true), 1e-5);
  EXPECT_GT(apart(false), 1e-4) << "otherwise this shows nothing";
}

// Sliding jaws, a part that turns between them, fingers that come down on it: trials end as they end without a warm
// start, and half of them where. Small overlaps may stay (gap_to_close), whose sizes hang on the start, and with them
// which corner of a jaw touches first.
TEST(LoadSharing, TrialsOfTheLiftHangLittleOnTheStart) {
  constexpr int count = 61;
  const test::LiftTrials trials(count);
  const auto run = [&](bool load_sharing, bool warm_start) {
    StepOptions options = trials.problem.options;
    options.load_sharing = load_sharing;
    options.warm_start = warm_start;
    return test::run_batch(trials.problem.scene, options, Arithmetic::strict, 2, trials.parameters);
  };
  const auto apart = [&](bool load_sharing) {  // [m] largest of a trial's poses, in order
    const test::BatchResults warm = run(load_sharing, true);
    const test::BatchResults cold = run(load_sharing, false);
    const std::size_t values = warm.poses.size() / count;
    std::vector<double> out;
    for (std::size_t trial = 0; trial < count; ++trial) {
      if (load_sharing) {
        EXPECT_EQ(warm.outcomes[trial].success, cold.outcomes[trial].success) << trial;
      }
      double most = 0.0;
      for (std::size_t i = trial * values; i < (trial + 1) * values; ++i) {
        most = std::max(most, std::abs(warm.poses[i] - cold.poses[i]));
      }
      out.push_back(most);
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  const std::vector<double> with = apart(true), without = apart(false);
  const auto reported = [](const char* what, const std::vector<double>& all) {
    std::printf("[ APART    ] %s: %.1e m in the median, %.1e m at nine in ten\n", what, all[count / 2],
                all[count * 9 / 10]);
  };
  reported("load sharing", with);
  reported("without", without);
  EXPECT_LT(with[count / 2], 1e-6);
  EXPECT_LT(with[count * 9 / 10], 1e-3);
  EXPECT_GT(without[count / 2], 2e-4) << "otherwise this shows nothing";
}

TEST(LoadSharing, IsRefusedIn2D) {
  SceneSpec scene;
  BodySpec disc;
  disc.name = "disc";
  disc.mass = 1.0;
  disc.planar().inertia = 1.0;
  scene.bodies.push_back(disc);
  scene.length_scale = 1.0;
  StepOptions options;
  options.load_sharing = true;
  try {
    derive_options(options, scene);
    FAIL() << "load sharing in 2D";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "load_sharing is for scenes in 3D; leave it out");
  }
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Solver island-newton: Newton's method in the islands of the batched strategy, with an elimination by fronts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/launch/batched_scenes.hpp"
#include "src/model/model.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/polyhedron_pour.hpp"
#include "tests/scenes/stack.hpp"

namespace pegrasp {
namespace {

StepOptions batched(const SceneSpec& scene, SolverKind solver, double h, double duration, int most = 0) {
  StepOptions options = test::steps_of(h, duration);
  options.solver = solver;
  options.strategy = Strategy::batched;
  options.max_iterations = most;
  return derive_options(options, scene);
}

std::string refusal(const StepOptions& options, const SceneSpec& scene, Arithmetic arithmetic = Arithmetic::strict) {
  try {
    derive_options(options, scene, arithmetic);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(IslandNewton, TakesTheBatchedStrategyAndSaysWhatItDoesNotTake) {
  const SceneSpec scene = scenes::stack(0, 0.25);
  StepOptions options = test::steps_of(0.01, 1.0);
  options.solver = SolverKind::island_newton;
  const StepOptions derived = derive_options(options, scene);
  EXPECT_EQ(derived.strategy, Strategy::batched);
  EXPECT_EQ(derived.solver, SolverKind::island_newton);
  EXPECT_NE(refusal(options, scene, Arithmetic::fast).find("arithmetic strict"), std::string::npos);
  options.strategy = Strategy::per_scene;
  EXPECT_NE(refusal(options, scene).find("strategy batched"), std::string::npos);
  options.strategy = Strategy::automatic;
  const SceneSpec spatial = scenes::stack_3d(3, 0.3);
  for (const ContactModel contact : {ContactModel::penalty, ContactModel::ratio}) {
    options.contact = contact;
    EXPECT_NE(refusal(options, spatial).find("peg, standard or corrective"), std::string::npos)
        << refusal(options, spatial);
  }
}

struct Comparison {
  SceneOutcome newton, aj;
  double apart = 0.0;  // [m] largest distance of a body between the two at the end
};

Comparison compare(const SceneSpec& scene, double h, double duration, int most = 0) {
  const auto model = compile_model(scene);
  Simulation a(model, batched(scene, SolverKind::island_newton, h, duration, most), scene_parameters(scene));
  Simulation b(model, batched(scene, SolverKind::aj, h, duration, most), scene_parameters(scene));
  while (a.step()) {
  }
  while (b.step()) {
  }
  Comparison result{a.outcome(), b.outcome()};
  for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
    if (scene.spatial) {
      const Vec3 p = a.spatial_pose(body).position, q = b.spatial_pose(body).position;
      result.apart = std::max({result.apart, std::fabs(p.x - q.x), std::fabs(p.y - q.y), std::fabs(p.z - q.z)});
    } else {
      const Pose p = a.pose(body), q = b.pose(body);
      result.apart = std::max({result.apart, std::fabs(p.x - q.x), std::fabs(p.y - q.y)});
    }
  }
  return result;
}

// A stack on which each box carries those above: both solvers leave it where it landed.
TEST(IslandNewton, LeavesAStackWhereAjLeavesIt) {
  const Comparison planar = compare(scenes::stack(0, 0.25), 0.01, 1.0);
  EXPECT_EQ(planar.newton.status, status_ok);
  EXPECT_LT(planar.apart, 1e-6);
  const Comparison spatial = compare(scenes::stack_3d(5, 0.3), 0.01, 0.5);
  EXPECT_EQ(spatial.newton.status, status_ok);
  EXPECT_LT(spatial.apart, 1e-6);
}

// Until bodies have met often enough for rounding to show, a pour goes as with AJ.
TEST(IslandNewton, PoursAsAjDoes) {
  const Comparison planar = compare(scenes::polygon_pour(0, 0.25, 40, 10), 0.004, 0.36);
  EXPECT_EQ(planar.newton.status, status_ok);
  EXPECT_GT(planar.newton.contacts_max, 10);
  EXPECT_EQ(planar.newton.contacts_sum, planar.aj.contacts_sum);
  EXPECT_LT(planar.apart, 1e-5);
  const Comparison spatial = compare(scenes::polyhedron_pour(0, 0.3, 27, 3), 0.004, 0.32);
  EXPECT_EQ(spatial.newton.status, status_ok);
  EXPECT_GT(spatial.newton.contacts_max, 10);
  EXPECT_EQ(spatial.newton.contacts_sum, spatial.aj.contacts_sum);
  EXPECT_LT(spatial.apart, 1e-5);
}

// Three layers that have met: with 500 iterations a solve AJ leaves steps unresolved.
TEST(IslandNewtonLong, ResolvesAPileThatAjLeavesUnresolved) {
  const Comparison pile = compare(scenes::polyhedron_pour(0, 0.3, 48, 4), 0.004, 0.8, 500);
  EXPECT_EQ(pile.newton.unresolved_steps, 0);
  EXPECT_EQ(pile.newton.status, status_ok);
  EXPECT_GT(pile.aj.unresolved_steps, 0);
  EXPECT_LT(pile.newton.penetration_max, 1e-5);
}

TEST(IslandNewtonLong, TakesFarFewerIterations) {
  const Comparison pile = compare(scenes::polyhedron_pour(0, 0.3, 48, 4), 0.004, 0.6);
  EXPECT_EQ(pile.newton.unresolved_steps, 0);
  EXPECT_LT(20 * pile.newton.iterations, pile.aj.iterations);
}

template <class Make>
void expect_same_bytes(const SceneSpec& scene, const StepOptions& options, const Make& make) {
  const auto model = compile_model(scene);
  const std::vector<double> parameters = scene_parameters(scene);
  std::vector<double> expected;
  SceneOutcome first;
  for (const int threads : {1, 2, 5}) {
    const auto batch = make(model->view(), options, threads);
    batch->begin(parameters.data(), 1);
    while (batch->round()) {
    }
    SceneOutcome outcome;
    std::vector<double> poses((scene.spatial ? 7 : 3) * scene.bodies.size());
    batch->results(&outcome, poses.data());
    EXPECT_EQ(outcome.status, status_ok);
    EXPECT_GT(outcome.contacts_max, 10);
    if (expected.empty()) {
      expected = poses;
      first = outcome;
    }
    EXPECT_EQ(std::memcmp(expected.data(), poses.data(), poses.size() * sizeof(double)), 0) << threads;
    EXPECT_EQ(std::memcmp(&first, &outcome, sizeof outcome), 0) << threads;
  }
}

TEST(IslandNewton, ThreadsDoNotShow) {
  const SceneSpec planar = scenes::polygon_pour(2, 0.25, 120, 40);
  expect_same_bytes(planar, batched(planar, SolverKind::island_newton, 0.008, 0.32), make_strict_batched);
  const SceneSpec spatial = scenes::polyhedron_pour(1, 0.3, 48, 5);
  expect_same_bytes(spatial, batched(spatial, SolverKind::island_newton, 0.008, 0.32), make_spatial_batched);
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Capacity for contacts: none, just enough, too little. An overflow is reported, the demand is measured, the scene is
// run again, and no trace is left.
#include <cstring>

#include "src/backend/run_to_end.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/all.hpp"
#include "tests/scenes/heaps.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::test {
namespace {

struct End {
  SceneOutcome outcome;
  std::vector<double> poses;
  bool operator==(const End& other) const {
    return std::memcmp(&outcome, &other.outcome, sizeof outcome) == 0 && poses == other.poses;
  }
};

End run_with(const SceneSpec& scene, const StepOptions& options, Capacity capacity) {
  const auto model = compile_model(scene);
  const std::vector<double> parameters = scene_parameters(scene);
  End end{{}, std::vector<double>((scene.spatial ? 7 : 3) * scene.bodies.size())};
  const auto make = scene.spatial ? make_spatial_worker : make_strict_worker;
  make(model->view(), options, capacity)->run(parameters.data(), &end.outcome, end.poses.data());
  return end;
}

struct Case {
  SceneSpec scene;
  StepOptions options;
};

Case stack_case() {
  Case c{scenes::stack(0, 0.25, 6), {}};
  c.options = derive_options(steps_of(0.005, 1.0), c.scene);
  return c;
}

// A polygon of very many edges: the standard model makes a contact of each that is near.
Case fine_polygon_case() {
  Case c{scenes::polygon_on_plane(200, 0.1, 1.0, 0.3, {0.5, 0.0, 0.0}), {}};
  c.scene.bodies[1].planar().pose.y += 0.05;
  c.options = derive_options(steps_of(0.005, 0.5, ContactModel::standard), c.scene);
  return c;
}

// In 3D islands need capacity for the contacts of the whole step.
Case space_case() {
  Case c{scenes::two_heaps(), {}};
  c.options = derive_options(steps_of(0.005, 0.6), c.scene);
  return c;
}

void expect_just_enough(const Case& c) {
  const Capacity ample{100, 1000, 0};
  const End big = run_with(c.scene, c.options, ample);
  ASSERT_EQ(big.outcome.status, status_ok);
  const int demand = big.outcome.contacts_demand;
  ASSERT_GT(demand, 4);
  EXPECT_TRUE(run_with(c.scene, c.options, {100, demand, 0}) == big);
  const End small = run_with(c.scene, c.options, {100, demand - 1, 0});
  EXPECT_EQ(small.outcome.status & status_capacity, status_capacity);
  EXPECT_EQ(small.outcome.contacts_demand, demand);
  EXPECT_LT(small.outcome.steps, big.outcome.steps) << "the scene ends where it ran out";
}

TEST(Capacity, JustEnoughIsEnoughAndOneLessIsNot) {
  expect_just_enough(stack_case());
  expect_just_enough(space_case());
}

TEST(Capacity, NoneAtAllServesUntilSomethingIsNear) {
  const Case c = stack_case();
  const End none = run_with(c.scene, c.options, {0, 0, 0});
  EXPECT_EQ(none.outcome.status, status_capacity);
  EXPECT_GT(none.outcome.contacts_demand, 0);
  EXPECT_GT(none.outcome.steps, 20) << "the boxes first fall freely";

  SceneSpec flight = scenes::free_flight({1.0, 2.0, 3.0});
  const StepOptions options = derive_options(steps_of(0.01, 1.0), flight);
  EXPECT_EQ(run_with(flight, options, {0, 0, 0}).outcome.status, status_ok);
}

TEST(Capacity, TooFewPairsAreSaidAsWell) {
  const Case c = stack_case();
  const End few = run_with(c.scene, c.options, {2, 1000, 0});
  EXPECT_EQ(few.outcome.status & status_capacity, status_capacity);
  EXPECT_GE(few.outcome.contacts_demand, 6) << "two contacts for each of three pairs";
}

TEST(Capacity, ThePoolMakesRoomAndTheOutcomeIsThatOfABigStart) {
  const Case c = fine_polygon_case();
  const auto model = compile_model(c.scene);
  const Capacity first = first_capacity(*model, c.options);
  const End big = run_with(c.scene, c.options, {1000, 100000, 0});
  ASSERT_GT(big.outcome.contacts_demand, first.contacts) << "the case must overflow what it is given first";
  ASSERT_EQ(big.outcome.status & status_capacity, 0u);

  const std::vector<double> parameters = scene_parameters(c.scene);
  ScenePool pool(*model, c.options, Arithmetic::strict);
  End grown_end{{}, std::vector<double>(3 * c.scene.bodies.size())};
  pool.run(parameters.data(), &grown_end.outcome, grown_end.poses.data());
  EXPECT_TRUE(grown_end == big);
  End again = grown_end;
  pool.run(parameters.data(), &again.outcome, again.poses.data());
  EXPECT_TRUE(again == big) << "the grown pool serves the next scene";
}

// The same through the backend under test, which on a device grows in a way of its own; scenes that fit, scenes that do
// not.
TEST(Capacity, TheBackendMakesRoomAndTheOutcomeIsThatOfABigStart) {
  const Case c = fine_polygon_case();
  const auto model = compile_model(c.scene);
  const ParameterLayout layout = parameter_layout(c.scene);
  const std::vector<double> lying = scene_parameters(c.scene);
  std::vector<double> flying = lying;  // too high to come down within the time limit
  flying[static_cast<std::size_t>(layout.pose(1)) + 1] += 10.0;
  std::vector<double> parameters;
  std::vector<End> expected;
  for (int i = 0; i < 6; ++i) {
    const std::vector<double>& one = i % 2 == 0 ? flying : lying;
    parameters.insert(parameters.end(), one.begin(), one.end());
    End end{{}, std::vector<double>(3 * c.scene.bodies.size())};
    make_strict_worker(model->view(), c.options, {1000, 100000, 0})->run(one.data(), &end.outcome, end.poses.data());
    expected.push_back(end);
  }
  const int capacity = first_capacity(*model, c.options).contacts;
  ASSERT_LE(expected[0].outcome.contacts_demand, capacity);
  ASSERT_GT(expected[1].outcome.contacts_demand, capacity);

  std::vector<SceneOutcome> outcomes(expected.size());
  std::vector<double> poses(expected.size() * 3 * c.scene.bodies.size());
  ASSERT_TRUE(make_backend_under_test(2)->run(*model, c.options, parameters, outcomes, poses, nullptr));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto at = poses.begin() + static_cast<std::ptrdiff_t>(i * expected[i].poses.size());
    const End end{outcomes[i], {at, at + static_cast<std::ptrdiff_t>(expected[i].poses.size())}};
    EXPECT_TRUE(end == expected[i]) << "scene " << i;
  }
}

TEST(Capacity, ASimulationThatOutgrowsItsRoomGoesOnWhereItWas) {
  const Case c = fine_polygon_case();
  const End big = run_with(c.scene, c.options, {1000, 100000, 0});
  Simulation simulation(compile_model(c.scene), c.options, scene_parameters(c.scene));
  double last = 0.0;
  while (simulation.step()) {
    EXPECT_GT(simulation.time(), last);
    last = simulation.time();
  }
  EXPECT_EQ(simulation.outcome().status, big.outcome.status);
  EXPECT_EQ(simulation.outcome().steps, big.outcome.steps);
  EXPECT_EQ(simulation.pose(1).x, big.poses[3]);
  EXPECT_EQ(simulation.pose(1).y, big.poses[4]);
  EXPECT_EQ(simulation.pose(1).theta, big.poses[5]);
}

TEST(Capacity, PegNeverNeedsMoreThanItsBound) {
  const Case c = stack_case();
  const auto model = compile_model(c.scene);
  const End big = run_with(c.scene, c.options, {100, 1000, 0});
  EXPECT_LE(big.outcome.contacts_demand, capacity(*model, c.options).contact_bound);
}

}  // namespace
}  // namespace pegrasp::test

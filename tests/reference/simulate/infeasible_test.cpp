// SPDX-License-Identifier: Apache-2.0
// Steps that no motion obeys, in the reference simulator, where the MCP solver's certificates tell them; and the same
// in the product, which is asked for the same answer step by step.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "src/reference/common/feasibility.hpp"
#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/squeeze.hpp"

namespace pegrasp::reference {
namespace {

PlanarSimulation planar_reference(const SceneSpec& scene, const StepOptions& options) {
  return {scene, options, scene_parameters(scene)};
}
spatial::SpatialSimulation spatial_reference(const SceneSpec& scene, const StepOptions& options) {
  return {std::make_shared<const spatial::SpatialScene>(scene), options, scene_parameters(scene)};
}

// Runs both simulators and expects the same status of every step. Returns how many steps were infeasible.
int infeasible_in_both(SimulationFrame& reference, const SceneSpec& scene, const StepOptions& options) {
  Simulation product = test::simulate(scene, options);
  int infeasible = 0;
  while (reference.step()) {
    EXPECT_TRUE(product.step());
    EXPECT_EQ(reference.last_status(), product.last_status()) << reference.time();
    infeasible += reference.last_status() == std::uint32_t{status_infeasible} ? 1 : 0;
  }
  return infeasible;
}

int infeasible_in_both(const SceneSpec& scene, double duration) {
  const StepOptions options = derive_options(test::steps_of(0.005, duration), scene);
  if (scene.spatial) {
    spatial::SpatialSimulation reference = spatial_reference(scene, options);
    return infeasible_in_both(reference, scene, options);
  }
  PlanarSimulation reference = planar_reference(scene, options);
  return infeasible_in_both(reference, scene, options);
}

class InfeasibleReference : public testing::TestWithParam<bool> {};

TEST_P(InfeasibleReference, TellsJawsThatAreTooNarrow) {
  EXPECT_EQ(infeasible_in_both(scenes::closing_jaws(GetParam(), {.narrower = 1e-3}), 0.11), 4);
  EXPECT_EQ(infeasible_in_both(scenes::closing_jaws(GetParam()), 0.11), 3);
}

TEST_P(InfeasibleReference, TellsAHandThatLandsInABox) {
  EXPECT_GE(infeasible_in_both(scenes::landing_hand(GetParam(), 1e-3), 0.11), 3);
}

TEST_P(InfeasibleReference, CallsNothingInfeasibleThatHasRoom) {
  EXPECT_EQ(infeasible_in_both(scenes::closing_jaws(GetParam(), {.narrower = -1e-7}), 0.11), 0);
  EXPECT_EQ(infeasible_in_both(scenes::landing_hand(GetParam(), 0.0), 0.11), 0);
}

TEST_P(InfeasibleReference, EndsWhereThatIsAsked) {
  const SceneSpec scene = scenes::closing_jaws(GetParam(), {.narrower = 1e-3});
  StepOptions options = derive_options(test::steps_of(0.005, 0.2), scene);
  options.on_unresolved = OnUnresolved::stop;
  SceneOutcome outcome;
  if (scene.spatial) {
    spatial::SpatialSimulation reference = spatial_reference(scene, options);
    reference.run();
    outcome = reference.outcome();
  } else {
    PlanarSimulation reference = planar_reference(scene, options);
    reference.run();
    outcome = reference.outcome();
  }
  EXPECT_EQ(outcome.unresolved_steps, 1);
  EXPECT_NEAR(outcome.time, 0.095, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, InfeasibleReference, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "spatial" : "planar"); });

// A body of one coordinate between two walls that leave `room` [m].
StepProblem between_walls(double room) {
  StepProblem step;
  step.h = 0.01;
  step.mass.resize(1, 1);
  step.mass.insert(0, 0) = 2.0;
  step.velocity = Vector::Zero(1);
  step.external = Vector::Zero(1);
  for (const double side : {1.0, -1.0}) {
    Contact contact;
    contact.normal.resize(1);
    contact.normal.insert(0) = side;
    contact.gap = 0.5 * room;
    step.contacts.push_back(contact);
    step.unilateral.push_back(static_cast<int>(step.contacts.size()) - 1);
  }
  return step;
}

TEST(Feasibility, IsAQuestionOfRoom) {
  EXPECT_FALSE(proven_infeasible(between_walls(0.0), 0.0));
  EXPECT_FALSE(proven_infeasible(between_walls(1e-9), 0.0));
  EXPECT_TRUE(proven_infeasible(between_walls(-1e-9), 0.0));
  EXPECT_TRUE(proven_infeasible(between_walls(-1e-3), 0.0));
  // What is granted counts on both sides.
  EXPECT_FALSE(proven_infeasible(between_walls(-1e-3), 0.51e-3));
  EXPECT_TRUE(proven_infeasible(between_walls(-1e-3), 0.49e-3));
}

TEST(Feasibility, TheLeastViolationIsAMotion) {
  const auto solution = least_violation(between_walls(-1e-3), 1e-6);
  ASSERT_TRUE(solution.has_value());
  EXPECT_LE(std::abs(solution->velocity[0]) * 0.01, 1.1e-3);
  EXPECT_FALSE(least_violation(between_walls(-1e300), 1e-6).has_value());
}

}  // namespace
}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// What validation must find out: a product that is wrong, with friction too; a comparison of nothing; what is no
// number.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/reference/planar/attempt.hpp"
#include "src/reference/validate/planar_lockstep.hpp"
#include "src/reference/validate/worst.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/stack.hpp"

namespace pegrasp::reference {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The product is compiled with gravity times `factor`, the reference simulator with the right one.
ValidateCase with_gravity(const SceneSpec& scene, const StepOptions& options, double factor) {
  SceneSpec wrong = scene;
  wrong.gravity.y *= factor;
  ValidateCase out;
  out.scene = scene;
  out.model = compile_model(wrong);
  out.planar_scene = std::make_shared<const PlanarScene>(scene);
  out.options = derive_options(options, scene);
  out.trials = {Trial{-1, -1, scene_parameters(scene)}};
  return out;
}

TEST(StepAssessment, AWrongProductFailsWithFrictionToo) {
  for (const double mu : {0.25, 0.0}) {
    const SceneSpec scene = scenes::polygon_box(4, mu, 5);
    for (const double factor : {0.5, 0.9, 0.99, 0.999}) {
      const ValidateCase job = with_gravity(scene, test::steps_of(0.004, 0.8), factor);
      const StepComparison steps = compare_steps(job, ValidateTolerances{}, Watch{});
      EXPECT_FALSE(failures(steps, ValidateTolerances{}).empty()) << "mu " << mu << ", gravity times " << factor;
      if (factor < 0.995) {
        EXPECT_GT(steps.unexplained, steps.assessed / 4) << "mu " << mu << ", gravity times " << factor;
      }
      // What the product says of itself is faultless.
      EXPECT_LE(steps.fast.reported_residual_max, 1e-6);
    }
    const ValidateCase right = with_gravity(scene, test::steps_of(0.004, 2.0), 1.0);
    const StepComparison steps = compare_steps(right, ValidateTolerances{}, Watch{});
    for (const std::string& line : failures(steps, ValidateTolerances{})) ADD_FAILURE() << "mu " << mu << ": " << line;
    EXPECT_GT(steps.assessed, 9 * steps.compared / 10) << "mu " << mu;
  }
}

// Flight is right, shapes are not: one part is larger by a hundredth.
TEST(StepAssessment, AWrongShapeFails) {
  const SceneSpec scene = scenes::stack(2, 0.5, 4);
  ValidateCase job = with_gravity(scene, test::steps_of(0.01, 1.5), 1.0);
  EXPECT_TRUE(failures(compare_steps(job, ValidateTolerances{}, Watch{}), ValidateTolerances{}).empty());
  SceneSpec wrong = scene;
  for (Corner& corner : wrong.bodies.back().planar().parts[0].corners) {
    corner.centre = {1.01 * corner.centre.x, 1.01 * corner.centre.y};
  }
  job.model = compile_model(wrong);
  EXPECT_GT(compare_steps(job, ValidateTolerances{}, Watch{}).unexplained, 0);
}

// A solver that stops early, under a tolerance that calls this resolved.
TEST(StepAssessment, AnUnfinishedSolveFails) {
  const SceneSpec scene = scenes::polygon_box(4, 0.25, 5);
  ValidateCase job = with_gravity(scene, test::steps_of(0.004, 1.5), 1.0);
  job.options.tolerance = 1e-3;
  job.options.solver = SolverKind::pgs;
  const StepComparison steps = compare_steps(job, ValidateTolerances{}, Watch{});
  EXPECT_GT(steps.unexplained, 0);
  EXPECT_GT(steps.fast.residual_max, ValidateTolerances{}.step_residual);
}

// A block of 2 kg on the ground (weight 19.62 N), pushed with 9 N for a second: at mu 0.5 friction holds it, at mu 0.4
// it slides with (9 - 7.848) / 2 m/s. Two contacts share the load in any way they like.
class PushedBlock : public ::testing::Test {
 protected:
  static SceneSpec scene() {
    SceneSpec out;
    out.name = "block";
    BodySpec block = scenes::box_body("block", 1.0, 1.0, 2.0);
    block.mass = 2.0;
    block.planar().inertia = 1.0;
    out.bodies = {block};
    return out;
  }
  static StepProblem pushed(double mu) {
    StepProblem step;
    step.h = 1.0;
    step.mass.resize(3, 3);
    for (int i = 0; i < 3; ++i) step.mass.insert(i, i) = i < 2 ? 2.0 : 1.0;
    step.velocity = Vector::Zero(3);
    step.external = Eigen::Vector3d(9.0, -19.62, 0.0);
    for (const double arm : {-0.2, -0.1, 0.1, 0.2}) {
      Contact contact;
      contact.normal.resize(3);
      contact.normal.insert(1) = 1.0;
      contact.normal.insert(2) = arm;
      contact.tangents.emplace_back(3);
      contact.tangents[0].insert(0) = 1.0;
      contact.tangents[0].insert(2) = 0.0;
      contact.tangent_rate = {0.0};
      contact.mu = mu;
      step.unilateral.push_back(static_cast<int>(step.contacts.size()));
      step.contacts.push_back(contact);
    }
    return step;
  }
  Shortfall of(double mu, const Vector3& velocity) const {
    const PlanarNumbers numbers(scene_, parameters_);
    return StepAssessment(numbers, {1}, {velocity}).assess(pushed(mu), nullptr, 1e-9);
  }

  PlanarScene scene_{scene()};
  std::vector<double> parameters_ = scene_parameters(scene());
};

TEST_F(PushedBlock, SolutionsLeaveNothing) {
  const double slides = (9.0 - 0.4 * 19.62) / 2.0;
  for (const auto& [mu, speed] : {std::pair{0.5, 0.0}, std::pair{0.4, slides}}) {
    const Shortfall left = of(mu, {speed, 0.0, 0.0});
    EXPECT_LE(left.residual(), 1e-9) << mu;
    EXPECT_LE(left.complementarity, 1e-9) << mu;
  }
}

// An error is reported as what the rows see of it: of a turn, the outermost contacts, 0.2 m from the centre of mass.
TEST_F(PushedBlock, OthersLeaveTheirError) {
  const double slides = (9.0 - 0.4 * 19.62) / 2.0;
  for (const double error : {1e-5, 1e-3, 0.1}) {
    for (const Vector3& off : {Vector3(error, 0.0, 0.0), Vector3(0.0, error, 0.0), Vector3(0.0, 0.0, error)}) {
      EXPECT_GE(of(0.4, Vector3(slides, 0.0, 0.0) + off).residual(), 0.19 * error) << off.transpose();
      EXPECT_GE(of(0.5, off).residual(), 0.19 * error) << off.transpose();
      EXPECT_GT(of(0.4, Vector3(slides, 0.0, 0.0) + off).complementarity, 0.0);
    }
  }
  EXPECT_GT(of(0.4, Vector3::Zero()).residual(), 0.1) << "friction cannot hold it";
  EXPECT_GT(of(0.5, {-slides, 0.0, 0.0}).residual(), 0.1) << "friction does not push";
  EXPECT_TRUE(std::isinf(of(0.5, {not_a_number, 0.0, 0.0}).residual()));
}

TEST(StepAssessment, WhatIsNoNumberIsAsBadAsCanBe) {
  EXPECT_EQ(worst(1.0, 2.0), 2.0);
  EXPECT_EQ(worst(2.0, 1.0), 2.0);
  EXPECT_TRUE(std::isinf(worst(1.0, not_a_number)));
  EXPECT_TRUE(std::isinf(worst(not_a_number, 1.0)));
  EXPECT_TRUE(std::isinf(worst(worst(0.0, not_a_number), 1.0)));
  EXPECT_TRUE(std::isinf(quantile({1.0, std::numeric_limits<double>::infinity()}, 1.0)));
}

// A backend that claims to have resolved everything, with a residual that is no number.
class Claims final : public Backend {
 public:
  explicit Claims(double residual) : residual_(residual) {}
  std::string name() const override { return "cpu"; }
  std::string device() const override { return "claims"; }
  bool run(const Model&, const StepOptions&, std::span<const double>, std::span<SceneOutcome> outcomes,
           std::span<double>, const std::atomic<bool>*) override {
    for (SceneOutcome& outcome : outcomes) {
      outcome = SceneOutcome{};
      outcome.residual_max = outcome.penetration_max = residual_;
    }
    if (outcomes.size() > 1) outcomes.back().residual_max = outcomes.back().penetration_max = 0.0;
    return true;
  }

 private:
  double residual_;
};

TEST(StepAssessment, AResidualThatIsNoNumberFails) {
  ValidateCase job = with_gravity(scenes::stack(1, 0.0, 2), test::steps_of(0.01, 0.1), 1.0);
  job.trials.push_back(job.trials[0]);
  Claims claims(not_a_number);
  Claims fine(0.0);
  const TrajectoryComparison both = compare_backends(job, claims, fine, Watch{});
  EXPECT_TRUE(std::isinf(both.fast.residual_max));
  EXPECT_TRUE(std::isinf(both.fast.penetration_max));
  EXPECT_FALSE(failures(both, ValidateTolerances{}, false).empty());
  EXPECT_TRUE(failures(compare_backends(job, fine, fine, Watch{}), ValidateTolerances{}, false).empty());
}

TEST(StepAssessment, NothingComparedFails) {
  EXPECT_NE(failures(StepComparison{}, ValidateTolerances{})[0].find("nothing was compared"), std::string::npos);
  EXPECT_NE(failures(TrajectoryComparison{}, ValidateTolerances{}, true)[0].find("nothing was compared"),
            std::string::npos);
  TrajectoryComparison some;
  some.trials = 100;
  some.both_resolved = some.alike = some.identical = 94;
  some.unresolved_fast.resize(6);
  const std::vector<std::string> wrong = failures(some, ValidateTolerances{}, true);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0], "the product leaves 6 of 100 trials unresolved, more than 5 %");
  some.unresolved_fast.resize(5);
  EXPECT_TRUE(failures(some, ValidateTolerances{}, true).empty());
}

}  // namespace
}  // namespace pegrasp::reference

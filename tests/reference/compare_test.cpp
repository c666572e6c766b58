// SPDX-License-Identifier: Apache-2.0
// Solvers compared: performance profiles by hand, any solver on any kind of problem, steps as friction problems.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <memory>

#include "pegrasp/scene_json.hpp"
#include "src/reference/compare/profile.hpp"
#include "src/reference/io/friction_mcp.hpp"
#include "src/reference/io/friction_step.hpp"
#include "src/reference/io/step_source.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/places.hpp"
#include "tests/reference/io_samples.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/stack.hpp"

namespace pegrasp {
namespace {

using namespace reference;

Attempt took(double seconds, Outcome outcome = Outcome::solved) {
  Attempt attempt;
  attempt.outcome = outcome;
  attempt.seconds = seconds;
  attempt.residual = outcome == Outcome::solved ? 1e-9 : 1.0;
  return attempt;
}

// Three problems counted, one proven infeasible: a solves all, b two, one of them twice as fast.
TEST(PerformanceProfile, ByHand) {
  Comparison comparison;
  comparison.solvers = {"a", "b"};
  comparison.problems = {"p", "q, \"r\"", "s", "t"};
  comparison.files.assign(4, "f.h5");
  comparison.attempts = {
      {took(2.0), took(1.0), took(4.0), took(1.0, Outcome::infeasible)},
      {took(1.0), took(4.0), took(0.1, Outcome::unsolved), took(1.0, Outcome::not_applicable)},
  };
  const Profile profile = performance_profile(comparison.attempts);
  EXPECT_EQ(profile.problems, 3);
  EXPECT_EQ(profile.tau, (std::vector<double>{1.0, 2.0, 4.0}));
  EXPECT_EQ(profile.rho[0], (std::vector<double>{2.0 / 3.0, 1.0, 1.0}));
  EXPECT_EQ(profile.rho[1], (std::vector<double>{1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0}));
  EXPECT_EQ(profile_csv(comparison).substr(0, 8), "tau,a,b\n");
  EXPECT_NE(solves_csv(comparison).find("f.h5,\"q, \"\"r\"\"\",b,solved,1e-09,4,0,\n"), std::string::npos);
  const SolverSums b = sums(comparison.attempts[1]);
  EXPECT_EQ(b.solved, 2);
  EXPECT_EQ(b.unsolved, 1);
  EXPECT_EQ(b.not_applicable, 1);
  EXPECT_EQ(b.seconds_median, 1.0);
  EXPECT_EQ(b.seconds_90, 4.0);
  EXPECT_DOUBLE_EQ(b.seconds_total, 5.1);
}

TEST(PerformanceProfile, OfNothingIsEmpty) {
  EXPECT_TRUE(performance_profile({}).tau.empty());
  EXPECT_TRUE(performance_profile({{took(1.0, Outcome::infeasible)}}).tau.empty());
}

TEST(Attempt, EverySolverOnRandomContacts) {
  const std::uint64_t seed = test::fuzz_seed(40);
  for (std::uint64_t k = 0; k < 6; ++k) {
    const int dimension = k % 2 == 0 ? 2 : 3;
    StoredProblem problem;
    problem.content = test::random_friction(dimension, 4, seed + k);
    for (const std::string& solver : compared_solvers()) {
      const Attempt done = attempt(problem, solver, {});
      const bool linear_only = solver == "lemke" || solver == "interior-point";
      const bool out_of_place = solver == "path-library" || (linear_only && dimension == 3);
      if (solver == "josephy-newton" && done.outcome == Outcome::unsolved) continue;  // has no safeguards
      if (solver.ends_with("-augmented")) {                                           // solves another problem
        EXPECT_EQ(done.outcome, Outcome::unsolved) << solver;
        continue;
      }
      EXPECT_EQ(done.outcome, out_of_place ? Outcome::not_applicable : Outcome::solved)
          << solver << " seed " << seed + k << ": " << done.message;
      if (!out_of_place) {
        EXPECT_LE(done.residual, 1e-6);
      }
    }
  }
}

TEST(Attempt, ProofsOfInfeasibilityAreReported) {
  StoredMcp mcp;  // x >= 0 with F = -1 - x
  mcp.m = test::sparse(Eigen::MatrixXd::Constant(1, 1, -1.0));
  mcp.q = mcp::Vector::Constant(1, -1.0);
  mcp.lower = mcp.start = mcp::Vector::Zero(1);
  mcp.upper = mcp::Vector::Constant(1, mcp::infinity);
  StoredProblem problem;
  problem.content = mcp;
  EXPECT_EQ(attempt(problem, "path", {}).outcome, Outcome::infeasible);
  EXPECT_EQ(attempt(problem, "lemke", {}).outcome, Outcome::unsolved);
  EXPECT_EQ(attempt(problem, "pgs", {}).outcome, Outcome::not_applicable);
}

// Steps of a stack that rests on itself, with Coulomb's law as it is.
std::vector<StoredProblem> quadratic_steps() {
  const SceneSpec scene = scenes::stack(1, 0.3);
  const StepOptions options = derive_options(test::steps_of(0.004, 2.0), scene);
  Simulation simulation(compile_model(scene), options, scene_parameters(scene));
  StepSource source(scene, options, scene_parameters(scene), StepModel::pair_modes);
  Formulation formulation;
  formulation.form = Form::quadratic;
  std::vector<StoredProblem> problems;
  for (int step = 1; simulation.step(); ++step) {
    if (step < 200 || step % 20 != 0) continue;
    if (const std::optional<StepProblem> next = source.next(simulation, step)) {
      problems.emplace_back().content = to_stored(*next, formulation);
    }
  }
  return problems;
}

// From no impulses at all whole Newton steps lead nowhere: Coulomb's rows have no gradient there.
TEST(Attempt, QuadraticStepsStartFromTheirLinearisation) {
  AttemptOptions options;
  options.tolerance = 1e-9;
  const std::vector<StoredProblem> problems = quadratic_steps();
  ASSERT_GT(problems.size(), 5u);
  int cold = 0;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const auto& stored = std::get<StoredMcp>(problems[k].content);
    ASSERT_NE(stored.linearised, nullptr);
    StoredProblem linear, without = problems[k];
    linear.content = stored.linearised->problem;
    std::get<StoredMcp>(without.content).linearised = nullptr;
    for (const char* solver : {"path", "josephy-newton"}) {
      const Attempt done = attempt(problems[k], solver, options);
      EXPECT_EQ(done.outcome, Outcome::solved) << solver << ", problem " << k << ": " << done.message;
      EXPECT_GE(done.iterations, attempt(linear, solver, options).iterations);  // its cost is counted
    }
    cold += attempt(without, "josephy-newton", options).outcome == Outcome::solved ? 1 : 0;
    EXPECT_EQ(attempt(problems[k], "lemke", options).outcome, Outcome::not_applicable);
  }
  EXPECT_LT(cold, static_cast<int>(problems.size()));
}

// Where the linearised problem is no help, the problem's own start is tried, too.
TEST(Attempt, AUselessLinearisationDoesNoHarm) {
  StoredMcp stored;  // 0 <= x with F = x^2 - 4
  stored.m = test::sparse(Eigen::MatrixXd::Zero(1, 1));
  stored.q = mcp::Vector::Constant(1, -4.0);
  stored.lower = mcp::Vector::Zero(1);
  stored.upper = mcp::Vector::Constant(1, mcp::infinity);
  stored.start = mcp::Vector::Constant(1, 3.0);
  stored.quadratic = {{0, 0, 0, 1.0}};
  StoredMcp linear = stored;  // F = -4 - x: has no solution
  linear.quadratic.clear();
  linear.m = test::sparse(Eigen::MatrixXd::Constant(1, 1, -1.0));
  stored.linearised = std::make_shared<const StoredLinearisation>(
      StoredLinearisation{linear, test::sparse(Eigen::MatrixXd::Zero(1, 1))});
  StoredProblem problem;
  problem.content = stored;
  for (const char* solver : {"path", "josephy-newton"}) {
    EXPECT_EQ(attempt(problem, solver, {}).outcome, Outcome::solved) << solver;
  }
}

// The impulses that solve the friction problem of a step solve its LCP: both move the bodies alike.
TEST(FrictionStep, IsTheStepsLcp) {
  const SceneSpec scene = scenes::stack(1, 0.3);
  const StepOptions options = test::steps_of(0.01, 2.0);
  Simulation simulation = test::simulate(scene, options);
  StepSource source(scene, derive_options(options, scene), scene_parameters(scene), StepModel::pair_modes);
  int compared = 0;
  for (int step = 0; simulation.step(); ++step) {
    if (step % 10 != 9) continue;
    const std::optional<StepProblem> next = source.next(simulation, step + 1);
    if (!next) continue;
    const StepProblem& problem = *next;
    const FrictionProblem friction = friction_problem(problem);
    const FrictionMcp mcp = linearised_mcp(friction);
    mcp::Options tight;
    tight.tolerance = 1e-12;
    const mcp::Result local = mcp::solve(to_problem(mcp.stored), mcp.stored.start, tight);
    ASSERT_EQ(local.status, mcp::Status::solved);
    const mcp::Vector r = impulses(mcp, local.x);
    EXPECT_LT(friction_residual(friction, r), 1e-8);
    Formulation formulation;
    const FormulatedStep whole = formulate(problem, formulation);
    const mcp::Result mixed = mcp::solve(whole.problem, whole.start, tight);
    ASSERT_EQ(mixed.status, mcp::Status::solved);
    const StepSolution solution = whole.read(mixed.x);
    mcp::Vector moved = mcp::Vector::Zero(problem.velocity.size());
    for (std::size_t c = 0; c < problem.unilateral.size(); ++c) {
      const Contact& contact = problem.contacts[static_cast<std::size_t>(problem.unilateral[c])];
      moved += r[static_cast<Eigen::Index>(2 * c)] * mcp::Vector(contact.normal);
      moved += r[static_cast<Eigen::Index>(2 * c + 1)] * mcp::Vector(contact.tangents[0]);
    }
    const Eigen::MatrixXd mass = problem.mass;
    const mcp::Vector velocity = problem.velocity + mass.ldlt().solve(mcp::Vector(problem.external + moved));
    EXPECT_LT((velocity - solution.velocity).cwiseAbs().maxCoeff(), 1e-6);
    ++compared;
  }
  EXPECT_GT(compared, 2);
}

TEST(FrictionStep, SaysWhatItHasNoPlaceFor) {
  StepProblem step;
  step.h = 0.01;
  EXPECT_THROW(friction_problem(step), std::invalid_argument);
  step.motors.emplace_back();
  EXPECT_THROW(friction_problem(step), std::invalid_argument);
  step.motors.clear();
  step.inter.emplace_back();
  EXPECT_THROW(friction_problem(step), std::invalid_argument);
}

TEST(StepSource, ParametersAreWrittenBack) {
  SceneSpec scene = scenes::stack(2, 0.3);
  const std::vector<double> base = scene_parameters(scene);
  std::vector<double> changed = base;
  for (std::size_t k = 0; k < changed.size(); ++k) changed[k] += 0.125 * static_cast<double>(k % 5);
  EXPECT_EQ(scene_parameters(with_parameters(scene, changed)), changed);
}

TEST(StepSource, ModelsWriteTheStepsOfAStack) {
  const SceneSpec scene = scenes::stack(1, 0.3);
  const StepOptions options = derive_options(test::steps_of(0.01, 2.0), scene);
  Simulation simulation(compile_model(scene), options, scene_parameters(scene));
  for (int k = 0; k < 100; ++k) simulation.step();
  int free = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    free += scene.bodies[b].kind == BodyKind::dynamic && simulation.present(static_cast<int>(b)) ? 1 : 0;
  }
  for (std::size_t model = 0; model < step_model_names().size(); ++model) {
    StepSource source(scene, options, scene_parameters(scene), static_cast<StepModel>(model));
    const std::optional<StepProblem> step = source.next(simulation, 100);
    ASSERT_TRUE(step.has_value()) << step_model_names()[model];
    EXPECT_GT(step->contacts.size(), 0u);
    EXPECT_EQ(step->h, 0.01);
    EXPECT_EQ(step->velocity.size(), 3 * free);
  }
}

TEST(StepSource, ModelsWriteTheStepsOfPolyhedra) {
  const SceneSpec scene = load_scene_json(test::source_dir() + "/examples/scenes/polyhedron_box.json").scene;
  const StepOptions options = derive_options(test::steps_of(0.005, 2.0), scene);
  Simulation simulation(compile_model(scene), options, scene_parameters(scene));
  for (int k = 0; k < 210; ++k) simulation.step();
  int free = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    free += scene.bodies[b].kind == BodyKind::dynamic && simulation.present(static_cast<int>(b)) ? 1 : 0;
  }
  for (std::size_t model = 0; model < step_model_names().size(); ++model) {
    StepSource source(scene, options, scene_parameters(scene), static_cast<StepModel>(model));
    const std::optional<StepProblem> step = source.next(simulation, 210);
    ASSERT_TRUE(step.has_value()) << step_model_names()[model];
    EXPECT_GT(step->contacts.size(), 0u);
    EXPECT_EQ(step->velocity.size(), 6 * free);
    EXPECT_EQ(solve_step(*step, Formulation{}).result.status, mcp::Status::solved) << step_model_names()[model];
  }
}

}  // namespace
}  // namespace pegrasp

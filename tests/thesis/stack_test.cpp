// SPDX-License-Identifier: Apache-2.0
// Stack of ten boxes (Williams' thesis 5.2.2), 4000 steps of 5 ms: it must stand, and be still.
#include "tests/scenes/stack.hpp"
#include "tests/runs.hpp"

namespace pegrasp::test {
namespace {

constexpr int boxes = 10;
constexpr double h = 0.005;
constexpr int steps = 4000;

struct Stand {
  double speed = 0.0;      // [m/s] fastest centre of mass at the end
  double off_level = 0.0;  // [m] farthest that a box is from its height in the stack
  double drift = 0.0;      // [m] farthest that a box moved sideways, all through
  double turn = 0.0;       // [rad]
  SceneOutcome outcome;
};

Stand stand(double mu, std::uint64_t seed, SolverKind solver, ContactModel contact = ContactModel::peg,
            int step_count = steps) {
  const SceneSpec scene = scenes::stack(seed, mu, boxes);
  StepOptions options = steps_of(h, step_count * h, contact);
  options.solver = solver;
  Simulation simulation = simulate(scene, options);
  simulation.run();
  Stand result;
  for (int body = 0; body < boxes; ++body) {
    const Pose start = body_of(scene, body).planar().pose;
    const Pose end = simulation.pose(body);
    const Twist v = simulation.velocity(body);
    result.speed = std::fmax(result.speed, std::hypot(v.vx, v.vy));
    result.off_level = std::fmax(result.off_level, std::fabs(end.y - (0.5 + body)));
    result.drift = std::fmax(result.drift, std::fabs(end.x - start.x));
    result.turn = std::fmax(result.turn, std::fabs(end.theta));
  }
  result.outcome = simulation.outcome();
  return result;
}

TEST(Stack, StandsStillAfter4000Steps) {
  for (const double mu : {0.0, 0.25}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Stand end = stand(mu, seed, SolverKind::newton);
      EXPECT_LT(end.speed, 1e-5) << mu << " " << seed;
      EXPECT_LT(end.off_level, 1e-5) << mu << " " << seed;
      EXPECT_LT(end.drift, 1e-3) << mu << " " << seed;
      EXPECT_LT(end.turn, 1e-5) << mu << " " << seed;
      EXPECT_EQ(end.outcome.status, status_ok) << mu << " " << seed;
      EXPECT_EQ(end.outcome.substeps_rejected, 0) << mu << " " << seed;
    }
  }
}

TEST(Stack, StandsWithTheOtherSolversThatHandleStacks) {
  for (const SolverKind solver : {SolverKind::aj, SolverKind::nncg}) {
    for (const double mu : {0.0, 0.25}) {
      const Stand end = stand(mu, 0, solver);
      EXPECT_LT(end.speed, 1e-5) << name_of(solver) << " " << mu;
      EXPECT_LT(end.off_level, 1e-5) << name_of(solver) << " " << mu;
      EXPECT_EQ(end.outcome.status, status_ok) << name_of(solver) << " " << mu;
    }
  }
}

// Without friction a stack stands with sweeps and plain Jacobi, too. With friction Jacobi does not solve it in the
// iterations that it is given, and the outcome says so.
TEST(Stack, SlowSolversSayThatTheyDidNotConverge) {
  for (const SolverKind solver : {SolverKind::pgs, SolverKind::jacobi}) {
    const Stand smooth = stand(0.0, 0, solver, ContactModel::peg, 500);
    EXPECT_LT(smooth.off_level, 1e-3) << name_of(solver);
  }
  const Stand rough = stand(0.25, 0, SolverKind::jacobi, ContactModel::peg, 150);
  EXPECT_NE(rough.outcome.status & status_not_converged, 0u);
  EXPECT_GT(rough.outcome.unresolved_steps, 0);
}

// The standard model's trap in this scene: a box comes down with its corner within the detection distance of the side
// of the one below, and is taken for lying beside it. Seeds 0 and 3 hold none (their boxes are staggered by 17 mm and
// more): there it stands as well as any. In seeds 1, 2 and 4 a pair is staggered by less than 7 mm, and the impulses
// off its sides push boxes about: measured 14 mm to 47 m. A stack that stands therefore says nothing for or against it.
double smallest_stagger(std::uint64_t seed) {
  const SceneSpec scene = scenes::stack(seed, 0.0, boxes);
  double smallest = 1.0;
  for (int body = 1; body < boxes; ++body) {
    smallest =
        std::fmin(smallest, std::fabs(body_of(scene, body).planar().pose.x - body_of(scene, body - 1).planar().pose.x));
  }
  return smallest;
}

TEST(Stack, StandardContactsHoldItWhereThereIsNoTrap) {
  for (const double mu : {0.0, 0.25}) {
    for (const std::uint64_t seed : {0u, 3u}) {
      EXPECT_GT(smallest_stagger(seed), 0.017) << seed;
      const Stand end = stand(mu, seed, SolverKind::newton, ContactModel::standard);
      EXPECT_LT(end.speed, 1e-5) << mu << " " << seed;
      EXPECT_LT(end.off_level, 1e-5) << mu << " " << seed;
      EXPECT_LT(end.drift, 1e-3) << mu << " " << seed;
      EXPECT_LT(end.turn, 1e-5) << mu << " " << seed;
      EXPECT_EQ(end.outcome.status, status_ok) << mu << " " << seed;
    }
  }
}

TEST(Stack, StandardContactsPushBoxesAsideWhereTheyAlmostAlign) {
  for (const double mu : {0.0, 0.25}) {
    for (const std::uint64_t seed : {1u, 2u, 4u}) {
      EXPECT_LT(smallest_stagger(seed), 0.007) << seed;
      EXPECT_GT(stand(mu, seed, SolverKind::newton, ContactModel::standard).drift, 0.01) << mu << " " << seed;
    }
  }
}

// Williams' own constraints hold all of these for 5 s, the almost aligned ones too (measured: drift below 2e-6 m). Seed
// 1 with friction has two steps among 1000 that Newton's fallback does not solve.
TEST(Stack, PegFeaturesHoldsItAlmostAlignedOrNot) {
  for (const double mu : {0.0, 0.25}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Stand end = stand(mu, seed, SolverKind::newton, ContactModel::peg_features, 1000);
      EXPECT_LT(end.drift, 1e-5) << mu << " " << seed;
      EXPECT_LT(end.off_level, 1e-6) << mu << " " << seed;
      EXPECT_LE(end.outcome.unresolved_steps, mu > 0.0 && seed == 1 ? 5 : 0) << mu << " " << seed;
    }
  }
}

TEST(Stack, CorrectiveContactsThrowItApart) {
  for (const double mu : {0.0, 0.25}) {
    EXPECT_GT(stand(mu, 0, SolverKind::newton, ContactModel::corrective).off_level, 1.0) << mu;
  }
}

}  // namespace
}  // namespace pegrasp::test

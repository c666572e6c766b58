// SPDX-License-Identifier: Apache-2.0
// What counts as success, in scenes so small that the answer is known just on either side of the bound.
#include <bit>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

constexpr double degree = 3.14159265358979323846 / 180.0;

// Success as the scene stands before its first step.
bool holds(const SceneSpec& scene) {
  SceneSpec measured = scene;
  measured.measure_margin = true;
  const SceneOutcome outcome = simulate(measured, steps_of(0.005, 1.0)).outcome();
  EXPECT_EQ(outcome.success_margin >= 0.0, outcome.success == 1) << outcome.success_margin;
  return outcome.success == 1;
}

Vec2 turned(Vec2 v, double by) {
  return {std::cos(by) * v.x - std::sin(by) * v.y, std::sin(by) * v.x + std::cos(by) * v.y};
}

Predicate gap(int from, int of, double below, Vec2 side) {
  Predicate p;
  p.kind = PredicateKind::gap_below;
  p.part_a = from;
  p.part_b = of;
  p.value = below;
  p.side = side;
  return p;
}

Predicate combine(PredicateKind kind, int count) {
  Predicate p;
  p.kind = kind;
  p.count = count;
  return p;
}

// --- gap -------------------------------------------------------------------------------------------------------------

constexpr double half_width = 0.1;  // [m] of the box, along its x axis
constexpr double radius = 0.05;     // [m] of the disc
constexpr double hair = 1e-9;       // [m]

// A fixed box turned by `turn`, and a disc at `gap` from the middle of its face towards `side` (of its own frame).
SceneSpec box_and_disc(double turn, Vec2 side, double clearance) {
  SceneSpec scene;
  BodySpec box = scenes::box_body("box", 2.0 * half_width, 2.0 * half_width, 1.0);
  box.kind = BodyKind::fixed;
  box.planar().pose = {0.3, -0.2, turn};
  BodySpec disc = scenes::disc_body("disc", radius, 1.0);
  const Vec2 at =
      turned({(half_width + radius + clearance) * side.x, (half_width + radius + clearance) * side.y}, turn);
  disc.planar().pose = {0.3 + at.x, -0.2 + at.y, 1.1};
  scene.bodies = {box, disc};
  return scene;
}

const std::array<Vec2, 4> faces{Vec2{1.0, 0.0}, Vec2{0.0, 1.0}, Vec2{-1.0, 0.0}, Vec2{0.0, -1.0}};

TEST(GapPredicate, IsTrueUpToTheGapAndOnTheNamedSideOnly) {
  for (const double turn : {0.0, 0.7, -2.0}) {
    for (const Vec2 face : faces) {
      for (const double clearance : {0.001, 0.0, -0.001}) {  // apart, touching, overlapping
        SceneSpec scene = box_and_disc(turn, face, clearance);
        const double bound = std::fmax(clearance, 0.0);
        for (const Vec2 side : {Vec2{0.0, 0.0}, faces[0], faces[1], faces[2], faces[3]}) {
          const bool named = side.x * face.x + side.y * face.y > 0.5 || (side.x == 0.0 && side.y == 0.0);
          scene.success = {gap(0, 1, bound + hair, side)};
          EXPECT_EQ(holds(scene), named) << turn << " " << clearance << " side " << side.x << " " << side.y;
          if (clearance <= 0.0) continue;
          scene.success = {gap(0, 1, bound - hair, side)};
          EXPECT_FALSE(holds(scene)) << turn << " side " << side.x << " " << side.y;
        }
      }
    }
  }
}

// Seen from the disc the box is on the other side, in the disc's frame, which is turned by 1.1 rad.
TEST(GapPredicate, TheSideIsInTheFrameOfTheBodyItIsSeenFrom) {
  for (const double turn : {0.0, 0.7}) {
    for (const Vec2 face : faces) {
      SceneSpec scene = box_and_disc(turn, face, 0.001);
      const Vec2 world = turned(face, turn);
      scene.success = {gap(1, 0, 0.001 + hair, turned({-world.x, -world.y}, -1.1))};
      EXPECT_TRUE(holds(scene));
      scene.success = {gap(1, 0, 0.001 + hair, turned(world, -1.1))};
      EXPECT_FALSE(holds(scene));
    }
  }
}

// normal . side >= 1/2: up to 60 degrees off.
TEST(GapPredicate, TheSideReachesSixtyDegrees) {
  for (const double turn : {0.0, 2.5}) {
    SceneSpec scene = box_and_disc(turn, {1.0, 0.0}, 0.001);
    for (const double sign : {-1.0, 1.0}) {
      scene.success = {gap(0, 1, 0.002, turned({1.0, 0.0}, sign * 59.999 * degree))};
      EXPECT_TRUE(holds(scene));
      scene.success = {gap(0, 1, 0.002, turned({1.0, 0.0}, sign * 60.001 * degree))};
      EXPECT_FALSE(holds(scene));
    }
  }
}

// Arcs: two discs are `gap` apart along the line of their centres, wherever that points.
TEST(GapPredicate, IsTheDistanceOfArcs) {
  for (double angle = 0.0; angle < 6.2; angle += 0.37) {
    SceneSpec scene;
    BodySpec a = scenes::disc_body("a", 0.04, 1.0);
    BodySpec b = scenes::disc_body("b", 0.07, 1.0);
    b.planar().pose = {0.115 * std::cos(angle), 0.115 * std::sin(angle), 0.0};
    scene.bodies = {a, b};
    for (const double off : {-hair, hair}) {
      scene.success = {gap(0, 1, 0.005 + off, {0.0, 0.0})};
      EXPECT_EQ(holds(scene), off > 0.0) << angle;
    }
    scene.success = {gap(0, 1, 0.006, {std::cos(angle + 59.9 * degree), std::sin(angle + 59.9 * degree)})};
    EXPECT_TRUE(holds(scene)) << angle;
    scene.success = {gap(0, 1, 0.006, {std::cos(angle + 60.1 * degree), std::sin(angle + 60.1 * degree)})};
    EXPECT_FALSE(holds(scene)) << angle;
  }
}

TEST(GapPredicate, WorksWithAHalfPlaneOnEitherEnd) {
  SceneSpec scene = scenes::disc_on_plane(0.1, 1.0, 0.0, {});
  scene.bodies[1].planar().pose.y = 0.103;
  for (const double off : {-hair, hair}) {
    scene.success = {gap(0, 1, 0.003 + off, {0.0, 1.0})};
    EXPECT_EQ(holds(scene), off > 0.0);
    scene.success = {gap(1, 0, 0.003 + off, {0.0, -1.0})};
    EXPECT_EQ(holds(scene), off > 0.0);
    scene.success = {gap(1, 0, 0.003 + off, {0.0, 1.0})};
    EXPECT_FALSE(holds(scene));
  }
}

// Discs about one point overlap by the sum of their radii: their gap is below anything.
TEST(GapPredicate, OfConcentricDiscsIsNegative) {
  SceneSpec scene;
  scene.bodies = {scenes::disc_body("a", 0.04, 1.0), scenes::disc_body("b", 0.07, 1.0)};
  scene.success = {gap(0, 1, 0.0, {0.0, 0.0})};
  EXPECT_TRUE(holds(scene));
}

// Corner against corner it is the separation along the better of the faces' normals, not the distance of the corners: 3
// mm and 4 mm along the two make 4 mm, where the corners are 5 mm apart (docs/reference/problem-file.md says so).
TEST(GapPredicate, BetweenTwoVerticesItIsTheSeparationAlongAnEdgesNormal) {
  SceneSpec scene;
  BodySpec a = scenes::box_body("a", 0.2, 0.2, 1.0);
  BodySpec b = scenes::box_body("b", 0.2, 0.2, 1.0);
  b.planar().pose = {0.203, 0.204, 0.0};
  scene.bodies = {a, b};
  scene.success = {gap(0, 1, 0.004 + hair, {0.0, 0.0})};
  EXPECT_TRUE(holds(scene));
  scene.success = {gap(0, 1, 0.004 - hair, {0.0, 0.0})};
  EXPECT_FALSE(holds(scene));
}

// A disc between two fingers that close on it: held on both sides, one finger on each named side.
TEST(GapPredicate, AsksForAFingerOnEachSide) {
  SceneSpec scene = scenes::wedge(0.05, 0.0, 0.5);
  const Vec2 left{-1.0, 0.0};
  const Vec2 right{1.0, 0.0};
  const std::vector<Predicate> held{gap(0, 1, 1e-5, left), gap(0, 2, 1e-5, right), combine(PredicateKind::all, 2)};
  const std::vector<Predicate> crossed{gap(0, 1, 1e-5, right), gap(0, 2, 1e-5, left), combine(PredicateKind::any, 2)};
  for (const double back : {0.0, 0.01}) {  // how far the right finger starts away
    scene.bodies[2].planar().pose.x += back;
    scene.success = held;
    Simulation simulation = simulate(scene, steps_of(0.005, 0.5));
    EXPECT_EQ(simulation.outcome().success, back == 0.0 ? 1 : 0) << "at the start";
    simulation.run();
    EXPECT_EQ(simulation.outcome().success, 1) << "the fingers have closed";
    scene.success = crossed;
    Simulation again = simulate(scene, steps_of(0.005, 0.5));
    again.run();
    EXPECT_EQ(again.outcome().success, 0);
  }
}

// --- pose ------------------------------------------------------------------------------------------------------------

Predicate within(int body, int relative_to, Pose low, Pose high) {
  Predicate p;
  p.kind = PredicateKind::pose_within;
  p.body = body;
  p.body_b = relative_to;
  p.low = low;
  p.high = high;
  return p;
}

constexpr double wide = 1e9;

// Each bound of each coordinate by itself, the others wide open.
void expect_each_bound(SceneSpec scene, int body, int relative_to, const std::array<double, 3>& is) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (const bool upper : {false, true}) {
      for (const double off : {-hair, hair}) {
        std::array<double, 3> low{-wide, -wide, -wide};
        std::array<double, 3> high{wide, wide, wide};
        (upper ? high : low)[i] = is[i] + off;
        scene.success = {within(body, relative_to, {low[0], low[1], low[2]}, {high[0], high[1], high[2]})};
        EXPECT_EQ(holds(scene), upper == (off > 0.0)) << "coordinate " << i << (upper ? " below " : " above ") << off;
      }
    }
  }
}

TEST(PosePredicate, IsTrueWithinEachBound) {
  SceneSpec scene = box_and_disc(0.7, {1.0, 0.0}, 0.2);
  const Pose q = scene.bodies[1].planar().pose;
  expect_each_bound(scene, 1, -1, {q.x, q.y, q.theta});
  const Pose same{q.x, q.y, q.theta};
  scene.success = {within(1, -1, same, same)};
  EXPECT_TRUE(holds(scene)) << "bounds are included";
}

// A body at rest that stands turned by 1.1 rad and whole multiples of a turn, of a third of one, and a bit more.
TEST(PosePredicate, CountsTurnsButForWholeMultiples) {
  for (const double period : {360.0 * degree, 120.0 * degree}) {
    for (const int times : {-4, -1, 0, 1, 7}) {
      for (const double off : {-0.3, -0.1, 0.1, 0.3}) {
        SceneSpec scene = box_and_disc(0.7, {1.0, 0.0}, 0.2);
        scene.bodies[1].planar().pose.theta = 1.1 + off + times * period;
        Predicate p = within(1, -1, {-wide, -wide, 1.1 - 0.2}, {wide, wide, 1.1 + 0.2});
        scene.success = {p};
        EXPECT_EQ(holds(scene), times == 0 && std::fabs(off) < 0.2) << period << ' ' << times << ' ' << off;
        scene.success[0].value = period;
        EXPECT_EQ(holds(scene), std::fabs(off) < 0.2) << period << ' ' << times << ' ' << off;
      }
    }
  }
}

TEST(PosePredicate, IsTrueWithinEachBoundInTheFrameOfAnotherBody) {
  for (const double turn : {0.0, 0.7, -2.0}) {
    const SceneSpec scene = box_and_disc(turn, {0.0, -1.0}, 0.2);
    expect_each_bound(scene, 1, 0, {0.0, -(half_width + radius + 0.2), 1.1 - turn});
  }
}

// Turns are not wrapped: a body that has gone once round is not where it was.
TEST(PosePredicate, TurnsCount) {
  SceneSpec scene;
  BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
  disc.planar().velocity.omega = 360.0 * degree;
  scene.bodies = {disc};
  scene.success = {within(0, -1, {-wide, -wide, -0.01}, {wide, wide, 0.01})};
  Simulation simulation = simulate(scene, steps_of(0.01, 1.0));
  EXPECT_EQ(simulation.outcome().success, 1);
  simulation.run();
  EXPECT_NEAR(simulation.pose(0).theta, 360.0 * degree, 1e-12);
  EXPECT_EQ(simulation.outcome().success, 0);
}

// On the way: true from the step that enters the window to the one that leaves it.
TEST(PosePredicate, IsJudgedAtThePresentState) {
  SceneSpec scene;
  BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
  disc.planar().velocity.vx = 1.0;
  scene.bodies = {disc};
  scene.success = {within(0, -1, {0.205, -wide, -wide}, {0.305, wide, wide})};  // half a step from any pose
  Simulation simulation = simulate(scene, steps_of(0.01, 0.5));
  int n = 0;
  while (simulation.step()) {
    ++n;
    EXPECT_EQ(simulation.outcome().success, n >= 21 && n <= 30 ? 1 : 0) << n;
  }
}

// --- speed -----------------------------------------------------------------------------------------------------------

Predicate slow(int body, double below, double duration) {
  Predicate p;
  p.kind = PredicateKind::speed_below;
  p.body = body;
  p.value = below;
  p.duration = duration;
  return p;
}

// The fastest point of a disc: |v| + |omega| r.
TEST(SpeedPredicate, IsOfTheFastestPoint) {
  SceneSpec scene;
  BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
  disc.planar().velocity = {0.3, -0.4, -2.0};
  scene.bodies = {disc};
  for (const double off : {-hair, hair}) {
    scene.success = {slow(0, 0.5 + 0.2 + off, 0.0)};
    Simulation simulation = simulate(scene, steps_of(0.005, 0.1));
    EXPECT_EQ(simulation.outcome().success, 0) << "not before a step has been taken";
    simulation.step();
    EXPECT_EQ(simulation.outcome().success, off > 0.0 ? 1 : 0);
  }
}

// Of other bodies it is a bound, |v| + |omega| R with R to the farthest point: here 0.441 m/s, where the fastest corner
// makes 0.412 (docs/reference/problem-file.md says so).
TEST(SpeedPredicate, IsABoundForOtherBodies) {
  SceneSpec scene;
  BodySpec box = scenes::box_body("box", 0.2, 0.2, 1.0);
  box.planar().velocity = {0.3, 0.0, 1.0};
  scene.bodies = {box};
  const double bound = 0.3 + 0.1 * std::sqrt(2.0);
  for (const double off : {-hair, hair}) {
    scene.success = {slow(0, bound + off, 0.0)};
    Simulation simulation = simulate(scene, steps_of(0.005, 0.1));
    simulation.step();
    EXPECT_EQ(simulation.outcome().success, off > 0.0 ? 1 : 0);
  }
}

// A disc with a constant force against it: |v| falls below the bound between steps 10 and 11, and rises above it again
// between 29 and 30. It has been slow for so long as there were slow steps, up to now.
TEST(SpeedPredicate, CountsTheTimeSinceItBecameSlow) {
  const double h = 0.01;
  SceneSpec scene;
  BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
  disc.planar().velocity.vx = 2.0;
  scene.bodies = {disc};
  ActuatorSpec brake;
  brake.target = -10.0;  // v = 2 - n / 10
  scene.actuators = {brake};
  for (int slow_steps = 0; slow_steps <= 20; ++slow_steps) {
    scene.success = {slow(0, 0.95, std::fmax(0.0, (slow_steps - 0.5) * h))};
    Simulation simulation = simulate(scene, steps_of(h, 0.4));
    int n = 0;
    while (simulation.step()) {
      ++n;
      const int slow_for = n >= 11 && n <= 29 ? n - 10 : 0;
      EXPECT_EQ(simulation.outcome().success, slow_for >= std::max(1, slow_steps) ? 1 : 0) << n << " " << slow_steps;
    }
    EXPECT_EQ(n, 40);
  }
}

// The stop rule has waited for as long as the predicate asks: 10 steps of 5 ms are 50 ms, whatever they add up to in
// binary.
TEST(SpeedPredicate, StopRuleAndPredicateOfTheSameTimeAgree) {
  for (const double h : {0.005, 0.001, 0.01, 0.0025}) {
    for (const double time : {0.05, 0.1, 0.3}) {
      SceneSpec scene;
      BodySpec puck = scenes::disc_body("puck", 0.01, 0.1);
      scene.bodies = {puck};
      scene.success = {slow(0, 1e-4, time)};
      StepOptions options = steps_of(h, 1.0);
      options.still_time = time;
      Simulation simulation = simulate(scene, options);
      simulation.run();
      EXPECT_EQ(simulation.outcome().stopped_still, 1) << h << " " << time;
      EXPECT_NEAR(simulation.time(), time, 0.5 * h) << h << " " << time;
      EXPECT_EQ(simulation.outcome().success, 1) << h << " " << time;
    }
  }
}

// One step more than there has been is too much.
TEST(SpeedPredicate, AStepLongerThanTheStopRuleIsNotReached) {
  for (const double h : {0.005, 0.001, 0.01}) {
    SceneSpec scene;
    BodySpec puck = scenes::disc_body("puck", 0.01, 0.1);
    scene.bodies = {puck};
    scene.success = {slow(0, 1e-4, 0.05 + h)};
    StepOptions options = steps_of(h, 1.0);
    options.still_time = 0.05;
    Simulation simulation = simulate(scene, options);
    simulation.run();
    EXPECT_EQ(simulation.outcome().stopped_still, 1);
    EXPECT_EQ(simulation.outcome().success, 0) << h;
  }
}

// --- displacement ----------------------------------------------------------------------------------------------------

TEST(DisplacementPredicate, IsTheDistanceOfTheCentreOfMassFromItsStart) {
  SceneSpec scene;
  BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
  disc.planar().pose = {5.0, -3.0, 0.4};
  disc.planar().velocity = {0.3, -0.4, 7.0};
  scene.bodies = {disc};
  for (const double off : {-hair, hair}) {
    Predicate near;
    near.kind = PredicateKind::displacement_below;
    near.body = 0;
    near.value = 0.1 + off;  // reached after 0.2 s
    scene.success = {near};
    Simulation simulation = simulate(scene, steps_of(0.01, 0.4));
    EXPECT_EQ(simulation.outcome().success, 1);
    int n = 0;
    while (simulation.step()) {
      ++n;
      EXPECT_EQ(simulation.outcome().success, n < 20 || (n == 20 && off > 0.0) ? 1 : 0) << n << " " << off;
    }
  }
}

// There and back again: what counts is where it is, not how far it went.
TEST(DisplacementPredicate, IsNotTheWayThatItWent) {
  SceneSpec scene;
  BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
  disc.planar().velocity.vx = 2.0;
  scene.bodies = {disc};
  ActuatorSpec brake;
  brake.target = -10.0;  // 0.2 m out, back at the start after 0.4 s
  scene.actuators = {brake};
  Predicate near;
  near.kind = PredicateKind::displacement_below;
  near.body = 0;
  near.value = 0.05;
  scene.success = {near};
  Simulation simulation = simulate(scene, steps_of(0.01, 0.39));
  bool was_away = false;
  while (simulation.step()) was_away = was_away || simulation.outcome().success == 0;
  EXPECT_TRUE(was_away);
  EXPECT_EQ(simulation.outcome().success, 1);
}

// --- all, any, not ---------------------------------------------------------------------------------------------------

// A body at rest is nowhere but where it started: within 1 m of there, not within -1 m.
Predicate truth(bool value) {
  Predicate p;
  p.kind = PredicateKind::displacement_below;
  p.body = 0;
  p.value = value ? 1.0 : -1.0;
  return p;
}

bool evaluated(const std::vector<Predicate>& program) {
  SceneSpec scene;
  scene.bodies = {scenes::disc_body("disc", 0.1, 1.0)};
  scene.success = program;
  return holds(scene);
}

TEST(Combinations, AllAnyAndNotHaveTheirTruthTables) {
  EXPECT_FALSE(evaluated({})) << "without a predicate nothing is a success";
  for (const bool value : {false, true}) {
    EXPECT_EQ(evaluated({truth(value)}), value);
    EXPECT_EQ(evaluated({truth(value), combine(PredicateKind::negate, 1)}), !value);
  }
  for (int count = 1; count <= 4; ++count) {
    for (unsigned bits = 0; bits < (1u << count); ++bits) {
      std::vector<Predicate> leaves;
      for (int i = 0; i < count; ++i) leaves.push_back(truth(((bits >> i) & 1u) != 0));
      const auto with = [&](PredicateKind kind) {
        std::vector<Predicate> program = leaves;
        program.push_back(combine(kind, count));
        return program;
      };
      EXPECT_EQ(evaluated(with(PredicateKind::all)), std::popcount(bits) == count) << count << " " << bits;
      EXPECT_EQ(evaluated(with(PredicateKind::any)), bits != 0) << count << " " << bits;
      std::vector<Predicate> none = with(PredicateKind::any);
      none.push_back(combine(PredicateKind::negate, 1));
      EXPECT_EQ(evaluated(none), bits == 0) << count << " " << bits;
    }
  }
}

// As many as there may be: 63 leaves under one all or any.
TEST(Combinations, HoldAsManyAsThereMayBe) {
  std::vector<Predicate> program(63, truth(true));
  program.push_back(combine(PredicateKind::all, 63));
  EXPECT_TRUE(evaluated(program));
  for (const std::size_t at : {0u, 31u, 32u, 62u}) {
    program[at] = truth(false);
    EXPECT_FALSE(evaluated(program)) << at;
    program[at] = truth(true);
  }
  program.assign(63, truth(false));
  program.push_back(combine(PredicateKind::any, 63));
  EXPECT_FALSE(evaluated(program));
  for (const std::size_t at : {0u, 31u, 32u, 62u}) {
    program[at] = truth(true);
    EXPECT_TRUE(evaluated(program)) << at;
    program[at] = truth(false);
  }
}

// A random tree: its program is appended, its value returned. `room`: predicates that it may still use.
bool random_tree(scenes::Random& random, int depth, int& capacity, std::vector<Predicate>& program) {
  const std::size_t kind = depth == 0 || capacity < 6 ? 0 : random.below(4);
  --capacity;
  if (kind == 0) {
    const bool value = random.below(2) == 0;
    program.push_back(truth(value));
    return value;
  }
  if (kind == 1) {
    const bool value = random_tree(random, depth - 1, capacity, program);
    program.push_back(combine(PredicateKind::negate, 1));
    return !value;
  }
  const int count = 1 + static_cast<int>(random.below(3));
  bool all = true;
  bool any = false;
  for (int i = 0; i < count; ++i) {
    const bool value = random_tree(random, depth - 1, capacity, program);
    all = all && value;
    any = any || value;
  }
  program.push_back(combine(kind == 2 ? PredicateKind::all : PredicateKind::any, count));
  return kind == 2 ? all : any;
}

TEST(Combinations, RandomTreesAreWhatTheyEvaluateTo) {
  scenes::Random random(11);
  int trees = 0;
  int truths = 0;
  std::size_t largest = 0;
  while (trees < 2000) {
    std::vector<Predicate> program;
    int capacity = 60;
    const bool expected = random_tree(random, 6, capacity, program);
    if (program.size() > 64) continue;
    ++trees;
    truths += expected ? 1 : 0;
    largest = std::max(largest, program.size());
    EXPECT_EQ(evaluated(program), expected) << trees;
  }
  EXPECT_GT(truths, 400);
  EXPECT_LT(truths, 1600);
  EXPECT_GT(largest, 30u);
}

}  // namespace
}  // namespace pegrasp::test

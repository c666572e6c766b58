// SPDX-License-Identifier: Apache-2.0
// Steps with disjunctions against the product's contact model peg-features: Berard's figure 3.1, a block that slides
// over a hole, where a stop at a side that it passes by solves the rows, too; and random steps with one solution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "src/reference/step/solve_near.hpp"
#include "src/reference/workbench/formulation_run.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp {
namespace {

using namespace reference;

constexpr int block = 2;
constexpr double width = 1.0, height = 0.5;

// The near side's top ends at x = 0, the far one's begins at 0.3, and its side slants.
SceneSpec over_a_hole(const Pose& pose, const Twist& twist, double gravity) {
  SceneSpec scene;
  const auto add = [&](const char* name, const std::vector<Vec2>& corners, BodyKind kind) {
    BodySpec body;
    body.name = name;
    body.kind = kind;
    body.planar().parts = {make_polygon(name, corners)};
    body.mass = 1.0;
    body.planar().inertia = (width * width + height * height) / 12.0;
    body.friction = 0.0;
    scene.bodies.push_back(body);
  };
  add("near", {{-2.0, -0.5}, {0.0, -0.5}, {0.0, 0.0}, {-2.0, 0.0}}, BodyKind::fixed);
  add("far", {{0.1, -0.5}, {3.0, -0.5}, {3.0, 0.0}, {0.3, 0.0}}, BodyKind::fixed);
  const double x = 0.5 * width, y = 0.5 * height;
  add("block", {{-x, -y}, {x, -y}, {x, y}, {-x, y}}, BodyKind::dynamic);
  scene.bodies[block].planar().pose = pose;
  scene.bodies[block].planar().velocity = twist;
  scene.gravity = {0.0, -gravity};
  return scene;
}

struct Sets {
  const char* name;
  ContactSets sets;
  SetRows rows;
};
constexpr Sets every_kind[] = {{"peg", ContactSets::peg_one, SetRows::reduced},
                               {"several", ContactSets::peg_several, SetRows::reduced},
                               {"lnc", ContactSets::lnc, SetRows::reduced},
                               {"egan", ContactSets::lnc, SetRows::egan}};

FormulationRun run_of(const SceneSpec& scene, double h, double duration, const Sets& sets, Form form) {
  FormulationChoice choice;
  choice.formulation.form = form;
  choice.formulation.set_rows = sets.rows;
  choice.rules.sets = sets.sets;
  return {scene, scene_parameters(scene), derive_options(test::steps_of(h, duration), scene), choice};
}

void expect_alike(const Twist& a, const Twist& b, double tolerance) {
  EXPECT_NEAR(a.vx, b.vx, tolerance);
  EXPECT_NEAR(a.vy, b.vy, tolerance);
  EXPECT_NEAR(a.omega, b.omega, tolerance);
}

class BlockOverHole : public testing::TestWithParam<Sets> {};

TEST_P(BlockOverHole, KeepsItsSpeedWhereverItStarts) {
  for (const double h : {0.005, 0.01, 0.02}) {
    for (int k = 0; k < 25; k += h == 0.01 ? 1 : 5) {
      SCOPED_TRACE("h " + std::to_string(h) + ", start " + std::to_string(k));
      const SceneSpec scene = over_a_hole({-0.6 - 0.0004 * k, 0.5 * height, 0.0}, {1.0, 0.0, 0.0}, 9.81);
      FormulationRun run = run_of(scene, h, 1.2, GetParam(), k % 2 == 0 ? Form::mixed : Form::lcp);
      while (run.step()) {
        ASSERT_EQ(run.last().status, mcp::Status::solved);
        expect_alike(run.velocities()[block], {1.0, 0.0, 0.0}, 1e-8);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, BlockOverHole, testing::ValuesIn(every_kind),
                         [](const auto& of) { return std::string(of.param.name); });

// All motions that solve a step of sets with one carrier, without friction. Each choice of the contacts that are on top
// of their sets, or of none, leads to one motion at most; where a mask is on top the carrier pushes, by (4.14).
std::vector<Vector> motions(const StepProblem& step, const Formulation& formulation) {
  std::vector<std::vector<Contact>> sets;
  std::vector<int> carriers;
  const auto add = [&](int carrier, const std::vector<std::vector<int>>& lists) {
    sets.emplace_back();
    carriers.push_back(carrier);
    for (const std::vector<int>& list : lists) {
      for (const int i : list) {
        sets.back().push_back(step.contacts[static_cast<std::size_t>(i)]);
        sets.back().back().push = step.contacts[static_cast<std::size_t>(carrier)].normal;
      }
    }
  };
  for (const InterContact& set : step.inter) add(set.carriers[0], {set.carriers, set.masks});
  for (const CrossContact& set : step.cross) add(set.carriers[0], {set.a, set.b});
  const FormulatedStep whole = formulate(step, formulation);
  std::vector<Vector> found;
  std::vector<std::size_t> pick(sets.size(), 0);
  for (;;) {
    StepProblem part = step;
    part.inter.clear();
    part.cross.clear();
    for (std::size_t k = 0; k < pick.size(); ++k) {
      if (pick[k] == 0) continue;
      part.unilateral.push_back(static_cast<int>(part.contacts.size()));
      part.contacts.push_back(sets[k][pick[k] - 1]);
    }
    const SolvedStep solved = solve_step(part, formulation);
    StepSolution of_whole = solved.solution;
    of_whole.normal.resize(step.contacts.size());
    of_whole.tangent.resize(step.contacts.size());
    std::size_t at = step.contacts.size();
    for (std::size_t k = 0; k < pick.size(); ++k) {
      if (pick[k] > 0) of_whole.normal[static_cast<std::size_t>(carriers[k])] += solved.solution.normal[at++];
    }
    const bool is_solution = solved.result.status == mcp::Status::solved && solves(whole, of_whole, 1e-8);
    const Vector& v = solved.solution.velocity;
    const auto is_this = [&](const Vector& other) { return (v - other).norm() < 1e-6; };
    if (is_solution && std::none_of(found.begin(), found.end(), is_this)) found.push_back(v);
    std::size_t k = 0;
    while (k < pick.size() && ++pick[k] > sets[k].size()) pick[k++] = 0;
    if (k == pick.size()) return found;
  }
}

// One step of 10 ms of U-, I- and X-constraints in Egan's rows, from a state, beside the product's.
struct Beside {
  std::size_t solutions = 0;
  Twist egan, product;
};
Beside one_step(const SceneSpec& scene) {
  constexpr double h = 0.01;
  const StepOptions options = derive_options(test::steps_of(h, h), scene);
  Formulation formulation;
  formulation.set_rows = SetRows::egan;
  PolygonStepOptions polygons;
  polygons.rules.drop_without_carrier = true;  // as the product does
  polygons.rules.feasible_depth_ratio = 1.0;
  polygons.detect_distance = options.detect_distance;
  const Pose& pose = scene.bodies[block].planar().pose;
  const Twist& twist = scene.bodies[block].planar().velocity;
  const StepProblem step =
      polygon_step(scene, std::vector<Pose>{{}, {}, pose}, std::vector<Twist>{{}, {}, twist}, h, polygons);
  const SolvedStep solved = solve_near(step, step.velocity, formulation);
  EXPECT_EQ(solved.result.status, mcp::Status::solved);
  const Vector& nu = solved.solution.velocity;
  const std::vector<Vector> all = motions(step, formulation);
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Vector& v) { return (v - nu).norm() < 1e-8; }));

  StepOptions exact = test::steps_of(h, h, ContactModel::peg_features);
  exact.tolerance = 1e-12;
  exact.max_substep_level = 0;
  Simulation product = test::simulate(scene, exact);
  product.step();
  // By which it moves: after a fast hit the product goes on with another velocity.
  const Pose end = product.pose(block);
  return {
      all.size(), {nu[0], nu[1], nu[2]}, {(end.x - pose.x) / h, (end.y - pose.y) / h, (end.theta - pose.theta) / h}};
}

// The step of a block that slides on is one of several solutions only where its corner passes a corner.
TEST(EganRows, SlideOverAHoleAsTheProductsFeatures) {
  int one = 0, several = 0;
  for (int k = 0; k < 120; ++k) {
    const double x = -0.6031 + 0.01 * k;
    SCOPED_TRACE(x);
    const Beside step = one_step(over_a_hole({x, 0.5 * height, 0.0}, {1.0, 0.0, 0.0}, 9.81));
    expect_alike(step.egan, {1.0, 0.0, 0.0}, 1e-8);
    ++(step.solutions == 1 ? one : several);
    if (step.solutions == 1) expect_alike(step.egan, step.product, 1e-8);
  }
  EXPECT_GE(one, 100);
  EXPECT_GE(several, 1);
}

TEST(EganRows, StepAsTheProductsFeatures) {
  scenes::Random random(73);
  int pushed = 0;
  for (int tried = 1; pushed < 20 && tried <= 200; ++tried) {
    SCOPED_TRACE(tried);
    const double angle = random.uniform(-0.5, 0.5);
    // Its lowest corner is near a corner of the hole.
    const double side = angle > 0.0 ? -0.5 * width : 0.5 * width, c = std::cos(angle), s = std::sin(angle);
    const double corner = random.uniform(0.0, 1.0) < 0.5 ? 0.0 : 0.3;
    const double x = corner + random.uniform(-0.01, 0.01), y = random.uniform(0.0005, 0.01);
    const Pose pose{x - (c * side + s * 0.5 * height), y - (s * side - c * 0.5 * height), angle};
    const double vx = random.uniform(-1.0, 1.0), vy = random.uniform(-2.0, -0.2), omega = random.uniform(-1.0, 1.0);
    const Beside step = one_step(over_a_hole(pose, {vx, vy, omega}, 0.0));
    if (step.solutions != 1) continue;
    expect_alike(step.egan, step.product, 1e-8);
    pushed += std::abs(step.egan.vy - vy) > 1e-6 ? 1 : 0;
  }
  EXPECT_EQ(pushed, 20);
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// [[axis]]: what becomes of its values, cell by cell, and every way to write it wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "src/problem/overrides.hpp"
#include "tests/files.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::refusal;

// A puck on a table and a wall that may touch; `more` goes in front.
std::string puck(const std::string& more) {
  return more + R"(
[map]
samples = 3
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = { distribution = "uniform", low = 100, high = 400 }
support = { radius_mm = 7, friction = "table" }
part = [{ shape = "disc", radius_mm = 10 }]
[[body]]
name = "wall"
kind = "fixed"
x_mm = 200
part = [{ shape = "box", width_mm = 10, height_mm = 100 }]
[[friction]]
between = ["puck", "wall"]
mu = 0.2
[uncertain]
table = { distribution = "truncated_normal", mean = 0.3, sd = 0.1, low = 0.05, high = 0.6 }
[success]
displacement_below_mm = 10
of = "puck"
)";
}

Problem parsed(const std::string& axes) { return parse_problem(puck(axes), "p.toml"); }

std::string axis(const std::string& keys) { return "[[axis]]\n" + keys + "\n"; }

// Parameters and sampled numbers of a trial.
struct Trial {
  std::vector<double> parameters, values;
};

Trial drawn(const Problem& whole, int cell, int sample) {
  const Problem& problem = whole.of_trial(cell, 0);
  const Sampler sampler(problem);
  Trial out{std::vector<double>(sampler.parameters()), std::vector<double>(sampler.values())};
  sampler.draw(cell, sample, out.parameters, out.values);
  return out;
}

// Every trial is that of the problem with the values of its cell written over its keys, but for the cell's number.
void expect_same_as_set(const Problem& problem, const std::string& rest,
                        const std::vector<std::vector<Override>>& sets) {
  ASSERT_EQ(static_cast<std::size_t>(problem.cells()), sets.size());
  for (int cell = 0; cell < problem.cells(); ++cell) {
    std::vector<Override> set = sets[static_cast<std::size_t>(cell)];
    const Problem other = parse_problem(puck(rest), "p.toml", set);
    const Sampler sampler(other);
    Trial expected{std::vector<double>(sampler.parameters()), std::vector<double>(sampler.values())};
    sampler.draw(cell, 1, expected.parameters, expected.values);
    const Trial trial = drawn(problem, cell, 1);
    EXPECT_EQ(trial.parameters, expected.parameters) << cell;
    EXPECT_EQ(trial.values, expected.values) << cell;
  }
}

TEST(Axis, CellsAreTheProductTheFirstAxisFastest) {
  const Problem problem = parsed(axis("key = \"friction.puck.wall.mu\"\nvalues = [0.1, 0.4]") +
                                 axis("key = \"body.puck.mass_kg\"\nfrom = 0.1\nto = 0.3\ncount = 3"));
  EXPECT_EQ(problem.cells(), 6);
  const std::vector<Axis> axes = axes_of(problem);
  ASSERT_EQ(axes.size(), 2u);
  EXPECT_EQ(axes[0].name, "mu");
  EXPECT_EQ(axes[1].name, "mass_kg");
  EXPECT_EQ(axes[1].unit, "kg");
  EXPECT_EQ(axes[1].numbers, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(place_on(axes, 3), (std::vector<std::size_t>{1, 1}));
  std::vector<std::vector<Override>> sets;
  for (const char* mass : {"0.1", "0.2", "0.3"})
    for (const char* mu : {"0.1", "0.4"}) sets.push_back({{"friction.0.mu", mu}, {"body.puck.mass_kg", mass}});
  expect_same_as_set(problem, "", sets);
  EXPECT_EQ(problem.group_count(), 1u) << "mass and friction are parameters";
}

// Distributions that differ, a model that differs, and both sorts of axes together.
TEST(Axis, DistributionsModelsAndParametersTogether) {
  const Problem problem = parsed(axis("key = \"uncertain.table.mean\"\nvalues = [0.2, 0.4]") +
                                 axis("key = \"body.puck.part.0.radius_mm\"\nvalues = [10, 12]") +
                                 axis("key = \"friction.0.mu\"\nvalues = [0.1, 0.3, 0.5]"));
  std::vector<std::vector<Override>> sets;
  for (const char* mu : {"0.1", "0.3", "0.5"})
    for (const char* radius : {"10", "12"})
      for (const char* mean : {"0.2", "0.4"})
        sets.push_back({{"friction.0.mu", mu}, {"body.puck.part.0.radius_mm", radius}, {"uncertain.table.mean", mean}});
  expect_same_as_set(problem, "", sets);
  EXPECT_EQ(problem.group_count(), 4u);
  for (int cell = 0; cell < problem.cells(); ++cell) {
  }
}

// A product of friction coefficients changes along neither axis alone where the first values are 0: combinations of
// what is read along the axes would be wrong.
TEST(Axis, KeysThatActTogetherAreReadTogether) {
  std::string text = puck(axis("key = \"body.puck.friction\"\nfrom = 0\nto = 0.8\ncount = 9") +
                          axis("key = \"body.wall.friction\"\nfrom = 0\nto = 0.8\ncount = 9"));
  const auto pair = text.find("[[friction]]");
  text.erase(pair, text.find("[uncertain]") - pair);
  const Problem problem = parse_problem(text, "p.toml");
  const int slot = parameter_layout(problem.scene).friction(friction_slot(problem.scene, 0, 1));
  for (int cell = 0; cell < 81; ++cell) {
    const double a = 0.1 * (cell % 9), b = 0.1 * (cell / 9);
    EXPECT_NEAR(drawn(problem, cell, 0).parameters[static_cast<std::size_t>(slot)], std::sqrt(a * b), 1e-12) << cell;
  }
}

TEST(Axis, SeveralKeysAndTheGrid) {
  const std::string grid = "[grid]\nx_mm = [0, 10, 20]\ny_mm = [0, 5]\n";
  const Problem problem = parse_problem(
      puck(axis("keys = [\"body.puck.y_mm\", \"body.wall.y_mm\"]\nvalues = [[1, 2], [3, 4]]\nname = \"place\"") + grid),
      "p.toml", {{"body.puck.follows_grid", "true"}});
  EXPECT_EQ(problem.cells(), 12);
  const std::vector<Axis> axes = axes_of(problem);
  ASSERT_EQ(axes.size(), 3u);
  EXPECT_EQ(axes[0].name + axes[1].name + axes[2].name, "x_mmy_mmplace");
  const ParameterLayout layout = parameter_layout(problem.scene);
  const Trial trial = drawn(problem, 1 + 3 * 1 + 6 * 1, 0);  // x = 10, y = 5, the second place
  EXPECT_NEAR(trial.parameters[static_cast<std::size_t>(layout.pose(0))], 0.010, 1e-15);
  EXPECT_NEAR(trial.parameters[static_cast<std::size_t>(layout.pose(0) + 1)], 0.007, 1e-15);
  EXPECT_NEAR(trial.parameters[static_cast<std::size_t>(layout.pose(1) + 1)], 0.004, 1e-15);
}

TEST(Axis, LogarithmicValuesAreRound) {
  const Problem problem =
      parsed(axis("key = \"friction.0.mu\"\nfrom = 0.01\nto = 1\ncount = 5\nscale = \"log\"\nlabel = \"friction\""));
  const Axis one = axes_of(problem).at(0);
  EXPECT_TRUE(one.logarithmic);
  EXPECT_EQ(one.numbers, (std::vector<double>{0.01, 0.0316227766017, 0.1, 0.316227766017, 1.0}));
  EXPECT_EQ(one.label, "friction");
}

TEST(Axis, TextsAreCategories) {
  const Problem problem = parsed(axis("key = \"simulation.contact\"\nvalues = [\"peg\", \"standard\"]"));
  EXPECT_EQ(problem.group_count(), 2u);
  EXPECT_TRUE(axes_of(problem)[0].categorical);
  EXPECT_EQ(axes_of(problem)[0].texts, (std::vector<std::string>{"peg", "standard"}));
  EXPECT_EQ(problem.of_trial(0, 0).options.contact, ContactModel::peg);
  EXPECT_EQ(problem.of_trial(1, 0).options.contact, ContactModel::standard);
}

// The resolved problem makes the same trials, also where readers derive numbers from keys that axes move: the inertia
// from mass and shape.
TEST(Axis, TheResolvedProblemIsTheSame) {
  const Problem problem = parsed(axis("key = \"body.puck.mass_kg\"\nvalues = [0.1, 0.3]") +
                                 axis("key = \"body.puck.part.0.radius_mm\"\nvalues = [10, 15]"));
  const Problem again = parse_problem(problem.resolved_toml, "again.toml");
  EXPECT_EQ(again.resolved_toml, problem.resolved_toml);
  EXPECT_EQ(again.content_toml, problem.content_toml);
  for (int cell = 0; cell < 4; ++cell)
    EXPECT_EQ(drawn(again, cell, 2).parameters, drawn(problem, cell, 2).parameters) << cell;
  const auto inertia = static_cast<std::size_t>(parameter_layout(problem.scene).inertia(0));
  EXPECT_NEAR(drawn(problem, 3, 0).parameters[inertia], 0.5 * 0.3 * 0.015 * 0.015, 1e-12);
}

// Files as values: they are called by their names wherever they lie, and their contents are kept.
TEST(Axis, FilesAreKnownByTheirContents) {
  const std::string text = "dim = 3\n" + axis("key = \"body.part.part.0.file\"\nvalues = [\"a.obj\", \"b.obj\"]") + R"(
[[body]]
name = "part"
mass_kg = 0.1
[[body.part]]
shape = "mesh"
file = "a.obj"
)";
  const std::string box = test::content(test::source_file("examples/evaluate/block.obj"));
  const test::Folder folder;
  const auto write = [&](const char* place, const std::string& more) {
    const std::filesystem::path at = folder.path() / place;
    std::filesystem::create_directories(at);
    std::ofstream(at / "a.obj", std::ios::binary) << box;
    std::ofstream(at / "b.obj", std::ios::binary) << box << more;
    std::ofstream(at / "p.toml", std::ios::binary) << text;
    return load_problem(at / "p.toml");
  };
  const Problem here = write("here", "# another\n"), there = write("there", "# another\n");
  EXPECT_EQ(axes_of(here).at(0).texts, (std::vector<std::string>{"a.obj", "b.obj"}));
  EXPECT_EQ(here.content_toml, there.content_toml);
  const Problem again = parse_problem(here.resolved_toml, "elsewhere/r.toml");
  EXPECT_EQ(again.resolved_toml, here.resolved_toml);
  EXPECT_EQ(axes_of(again).at(0).texts, axes_of(here).at(0).texts);
  write("here", "# a third\n");
  EXPECT_NE(refusal([&] { parse_problem(here.resolved_toml, "r.toml"); }).find("b.obj has changed"), std::string::npos);
}

TEST(Axis, WhatIsWrongIsSaidInOneLine) {
  struct Case {
    std::string axes, words;
  };
  const std::string mu = "key = \"friction.0.mu\"\n";
  const std::vector<Case> cases{
      {axis("values = [1]"), "moves no key"},
      {axis(mu + "keys = [\"body.puck.mass_kg\"]\nvalues = [1]"), "stands beside keys"},
      {axis(mu), "has no values"},
      {axis(mu + "values = []"), "is empty"},
      {axis(mu + "values = 3"), "must be a list"},
      {axis(mu + "values = [1, \"a\"]"), "mixes numbers with others"},
      {axis(mu + "values = [0.1, 0.1]"), "holds a value twice"},
      {axis(mu + "values = [1]\nfrom = 0"), "stands beside from, to and count"},
      {axis(mu + "from = 0\nto = 1"), "has no count"},
      {axis(mu + "from = 0\nto = 1\ncount = 1"), "of 1 needs from = to"},
      {axis(mu + "from = 0\nto = 1\ncount = 3\nscale = \"log\""), "needs from and to above 0"},
      {axis(mu + "values = [0.2, -0.1]"),
       "must not be less than 0, got -0.1; give a coefficient of friction, 0 or "
       "more (at mu = -0.1 of [[axis]])"},
      {axis("key = \"friction.3.mu\"\nvalues = [1]"), "there is no element 3"},
      {axis("key = \"body.puck.mass\"\nvalues = [1]"), "is not a key known here; did you mean"},
      {axis("key = \"map.samples\"\nvalues = [1]"), "which all cells of a map share"},
      {axis("key = \"dim\"\nvalues = [2]"), "which all cells of a map share"},
      {axis(mu + "values = [1]") + axis("key = \"friction.puck.wall.mu\"\nvalues = [2]\nname = \"b\""),
       "two axes move friction.puck.wall.mu"},
      {axis("keys = [\"body.puck.x_mm\", \"body.wall.y_mm\"]\nvalues = [[1, 2], [3]]"),
       "has 2 values for body.puck.x_mm and 1 for body.wall.y_mm"},
      {axis("keys = [\"body.puck.x_mm\", \"body.wall.y_mm\"]\nvalues = [[1, 2]]"), "has 1 lists for 2 keys"},
      {axis(mu + "values = [1]\nname = \"samples\""), "is the name of another column"},
      {axis("key = \"body.wall.name\"\nvalues = [\"wall\", \"door\"]"), "door"},
      {axis(mu + "from = 0\nto = 1\ncount = 10001"), "10000"},
      {axis(mu + "from = 0\nto = 1\ncount = 1000") +
           axis("key = \"body.puck.mass_kg\"\nfrom = 1\nto = 2\ncount = 1000"),
       "more than 100000 combinations"},
      {axis("key = \"uncertain.table\"\nvalues = [0.2]"), "uncertain"},
      {axis("key = \"body.puck.vx_mm_s\"\nvalues = [1, 2]\nstep = 3"), "is not a key known here"},
  };
  for (const Case& one : cases) {
    const std::string said = refusal([&] { parsed(one.axes); });
    EXPECT_NE(said.find(one.words), std::string::npos) << one.axes << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

// In some cells a number is uncertain and in others it is not: no table of samples holds both.
TEST(Axis, CellsHaveTheSameUncertainNumbers) {
  const std::string said =
      refusal([] { parsed(axis("key = \"body.puck.drop_time_s\"\nvalues = [\"late\", \"table\"]")); });
  EXPECT_NE(said.find("late"), std::string::npos) << said;
}

TEST(Overrides, AFrictionPairIsNamedByItsBodies) {
  const Problem problem = parse_problem(puck(""), "p.toml", {{"friction.wall.puck.mu", "0.7"}});
  EXPECT_EQ(problem.scene.friction.at(0).mu, 0.7);
  EXPECT_NE(refusal([] {
              parse_problem(puck(""), "p.toml", {{"friction.wall.pluck.mu", "0.7"}});
            }).find("wall"),
            std::string::npos);
}

}  // namespace
}  // namespace pegrasp

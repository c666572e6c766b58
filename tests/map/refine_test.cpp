// SPDX-License-Identifier: Apache-2.0
// Cells that are added where a map is steep: where they are, what is drawn for them, and the same bytes whatever
// happens on the way.
#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp/sampler.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/hdf5_input.hpp"
#include "src/map/refine.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::FakeBackend;
using test::Folder;
using test::nine_cells;
using test::refusal;

Axis axis_of(const std::string& name, std::vector<double> numbers) {
  Axis axis;
  axis.name = name;
  axis.numbers = std::move(numbers);
  axis.texts.assign(axis.numbers.size(), "");
  return axis;
}

// Each of the axes has 0, 1, ..., size - 1.
Problem made_up(const std::vector<std::size_t>& sizes, const Refine& refine) {
  Problem problem;
  problem.grid.given = false;
  problem.refine = refine;
  for (const std::size_t size : sizes) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < size; ++i) numbers.push_back(static_cast<double>(i));
    problem.axes.push_back(axis_of("axis" + std::to_string(problem.axes.size()), numbers));
  }
  return problem;
}

MapCell cell_with(double p, double half_width = 0.1) {
  MapCell cell;
  cell.p = p;
  cell.ci_low = p - half_width;
  cell.ci_high = p + half_width;
  return cell;
}

double where(const AxisPlace& at) { return static_cast<double>(at.value) + at.part; }

TEST(Refine, AStepIsBisected) {
  const Problem problem = made_up({5}, {4});
  SuccessMap map;
  for (int i = 0; i < 5; ++i) map.cells.push_back(cell_with(i > 2.3 ? 1.0 : 0.0));
  RefinePlan plan(problem, map, {true});
  for (const double expected : {2.5, 2.25, 2.375, 2.3125}) {
    const std::vector<CellPlace> places = plan.next();
    ASSERT_EQ(places.size(), 1u) << expected;
    EXPECT_EQ(where(places[0][0]), expected);
    plan.take({cell_with(where(places[0][0]) > 2.3 ? 1.0 : 0.0)});
  }
}

TEST(Refine, ABlockIsDividedAlongTheAxesOnWhichItIsSteep) {
  const auto added = [](const std::vector<double>& p, const Refine& refine, const std::vector<bool>& along) {
    SuccessMap map;
    for (const double one : p) map.cells.push_back(cell_with(one));
    std::vector<std::pair<double, double>> out;
    for (const CellPlace& place : RefinePlan(made_up({2, 2}, refine), map, along).next())
      out.emplace_back(where(place[0]), where(place[1]));
    return out;
  };
  using Places = std::vector<std::pair<double, double>>;
  EXPECT_EQ(added({0, 1, 0, 1}, {1}, {true, true}), (Places{{0.5, 0}, {0.5, 1}}));
  EXPECT_EQ(added({0, 0, 0, 1}, {1}, {true, true}), (Places{{0.5, 0}, {0, 0.5}, {0.5, 0.5}, {1, 0.5}, {0.5, 1}}));
  EXPECT_EQ(added({0, 1, 0, 0}, {1}, {true, false}), (Places{{0.5, 0}})) << "two blocks of one edge each";
  EXPECT_EQ(added({0.4, 0.6, 0.4, 0.6}, {1}, {true, true}), Places()) << "not steep";
  EXPECT_EQ(added({0.4, 0.6, 0.4, 0.6}, {1, 0.25, 0.5}, {true, true}), (Places{{0.5, 0}, {0.5, 1}}))
      << "but the intervals lie on both sides of the threshold";
  EXPECT_EQ(added({NAN, 1, NAN, 1}, {1}, {true, true}), Places()) << "without a rate";
}

TEST(Refine, CellsAreForTheSteepestPlacesFirst) {
  const Problem problem = made_up({5}, {3, 0.25, 0.0, 2});
  SuccessMap map;
  for (const double p : {0.0, 0.4, 0.4, 1.0, 0.5}) map.cells.push_back(cell_with(p));
  RefinePlan plan(problem, map, {true});
  const std::vector<CellPlace> places = plan.next();
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(where(places[0][0]), 2.5);
  EXPECT_EQ(where(places[1][0]), 3.5);
  EXPECT_EQ(plan.left(), 1u);
}

// A trial succeeds where its body's x, which no draw moves far, is beyond an edge.
class EdgeBackend final : public Backend {
 public:
  explicit EdgeBackend(const Problem& problem) : slot_(static_cast<std::size_t>(problem.grid.x_target.front())) {}
  std::string name() const override { return "edge"; }
  std::string device() const override { return "no device"; }
  bool run(const Model&, const StepOptions&, std::span<const double> parameters, std::span<SceneOutcome> outcomes,
           std::span<double> final_poses, const std::atomic<bool>*) override {
    const std::size_t stride = parameters.size() / outcomes.size();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      outcomes[i] = {};
      outcomes[i].success = parameters[i * stride + slot_] - first_ > 0.0037 ? 1 : 0;
    }
    std::fill(final_poses.begin(), final_poses.end(), 0.0);
    if (++calls_ == stops_at) stop.store(true);
    return true;
  }
  int stops_at = 0;
  std::atomic<bool> stop{false};
  void measure_from(double x) { first_ = x; }

 private:
  std::size_t slot_;
  int calls_ = 0;
  double first_ = 0.0;
};

// x = 0 of the grid, in the slot that it moves.
double slot_at_zero(const Problem& problem) {
  return scene_parameters(problem.scene)[static_cast<std::size_t>(problem.grid.x_target.front())];
}

struct Files {
  std::string h5, csv, refined;
  bool operator==(const Files&) const = default;
};

Problem refined_cells(std::vector<Override> more = {}) {
  more.insert(more.begin(), {"map.refine.levels", "3"});
  return nine_cells(more);
}

SuccessMap run(const Problem& problem, const std::filesystem::path& out, std::size_t chunk, bool resume = false,
               int stops_at = 0) {
  EdgeBackend backend(problem);
  backend.measure_from(slot_at_zero(problem));
  backend.stops_at = stops_at;
  MapOptions options;
  options.out = out;
  options.chunk = chunk;
  options.resume = resume;
  options.threads = chunk == 7 ? 3 : 1;
  options.stop = &backend.stop;
  return run_map(problem, backend, options);
}

Files files_of(SuccessMap map, const Problem& problem, const std::filesystem::path& out) {
  write_map(map, problem, out);
  finish_map(map, problem, out);
  return {content(out / "map.h5"), content(out / "map.csv"), content(out / "refined.csv")};
}

// The edge at x = 3.7 mm, between 0 and 5, is at 3.75 mm, above it, then 3.125 and so on: to an eighth of the distance.
TEST(Refine, AMapHasItsEdgeOnEachRow) {
  Folder folder;
  const Problem problem = refined_cells();
  const SuccessMap map = run(problem, folder.path(), 40);
  std::vector<double> seen;
  for (const RefinedCell& one : map.refined.cells) {
    EXPECT_EQ(one.cell.p, one.at[0] > 3.7 ? 1.0 : 0.0) << one.at[0];
    EXPECT_EQ(one.cell.samples, 7);
    if (one.at[1] == -12) seen.push_back(one.at[0]);
  }
  EXPECT_EQ(seen, (std::vector<double>{2.5, 3.75, 3.125}));
  EXPECT_EQ(map.refined.cells.size(), 9u);
  EXPECT_EQ(map.refined.trials, 63u);
  EXPECT_EQ(map.cells.size(), 9u);
  const std::string csv = refined_csv(map);
  EXPECT_EQ(csv.rfind("level,x_mm,y_mm,samples,successes,unresolved,p,ci_low,ci_high\n0,-5,-16,7,0,0,0,", 0), 0u);
  EXPECT_NE(csv.find("\n3,3.125,-8,7,0,0,0,"), std::string::npos) << csv;
}

TEST(Refine, SameBytesForAnyChunksAndInterruptions) {
  Folder folder;
  for (const std::vector<Override>& more : {std::vector<Override>{},
                                            {{"map.samples", "200"}, {"map.until.decided", "0.5"}},
                                            {{"map.samples", "64"}, {"map.sampling", "\"sobol\""}}}) {
    const Problem problem = refined_cells(more);
    const std::filesystem::path out = folder.path() / std::to_string(more.size());
    const Files once = files_of(run(problem, out / "1", 40), problem, out / "1");
    for (const std::size_t chunk : {7, 100000})
      EXPECT_TRUE(files_of(run(problem, out / "2", chunk), problem, out / "2") == once) << chunk;
    for (const int stops_at : {2, 9, 14}) {  // in the map, and in its levels where there are few samples
      const std::filesystem::path here = out / ("stops" + std::to_string(stops_at));
      EXPECT_THROW(run(problem, here, 9, false, stops_at), Interrupted);
      EXPECT_TRUE(files_of(run(problem, here, 100, true), problem, here) == once) << stops_at;
      EXPECT_FALSE(std::filesystem::exists(level_journal(here, 1)));
    }
  }
}

TEST(Refine, TheMapItselfStaysAsItIs) {
  Folder folder;
  const Problem problem = refined_cells(), plain = nine_cells();
  const Files with = files_of(run(problem, folder.path(), 40), problem, folder.path());
  const Hdf5Input file(folder.path() / "map.h5", {});
  EXPECT_EQ(file.shape("refined/level"), (std::vector<std::size_t>{18}));
  EXPECT_EQ(file.reals("refined/x_mm").back(), 3.125);
  const Files without = files_of(run(plain, folder.path(), 40), plain, folder.path());
  EXPECT_EQ(with.csv, without.csv);
  EXPECT_EQ(without.refined, "") << "that of the map before is gone";
}

// Cells of a grid draw as cells with the numbers that follow those of the map.
TEST(Refine, ACellDrawsByItsNumber) {
  const Problem problem = nine_cells();
  const Problem listed = listed_cells(problem, {{{0, 0.5}, {1, 0.0}}, {{1, 0.25}, {2, 0.0}}}, 9);
  ASSERT_EQ(listed.cells(), 2);
  const Problem large = nine_cells({{"grid.x_mm", "[-2.5, 1.25]"}, {"grid.y_mm", "[-16, -12, -8, 0, 3, 4]"}});
  const std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> parameters(base.size()), values(sampled_columns(problem).size()), other = parameters,
                                                                                        other_values = values;
  draw_sample(listed, base, 1, 3, parameters, values);
  draw_sample(large, base, 10, 3, other, other_values);
  EXPECT_EQ(values, other_values) << "cell 9 + 1";
  draw_sample(large, base, 5, 3, other, other_values);
  const auto at = [](const Problem& p, int slot, const std::vector<double>& all) {
    return slot == 0 ? all[static_cast<std::size_t>(p.grid.x_target[0])]
                     : all[static_cast<std::size_t>(p.grid.y_target[0])];
  };
  EXPECT_EQ(at(listed, 0, parameters), at(large, 0, other)) << "x = 1.25";
  EXPECT_EQ(at(listed, 1, parameters), at(large, 1, other)) << "y = -8";
}

// Axes that are a parameter, a distribution and a shape: a listed cell is the problem with those values.
TEST(Refine, ACellBetweenValuesOfAxesIsTheProblemThere) {
  const std::string text = R"(
dim = 2
[[axis]]
key = "body.puck.part.0.radius_mm"
values = [10, 14]
[[axis]]
key = "body.puck.support.friction"
from = 0.1
to = 0.4
count = 3
scale = "log"
[[axis]]
key = "uncertain.speed.high"
values = [300, 500]
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = "speed"
support = { radius_mm = 7, friction = 0.3 }
part = [{ shape = "disc", radius_mm = 10 }]
[uncertain.speed]
unit = "mm_s"
distribution = "uniform"
low = 100
high = 400
[success]
displacement_below_mm = 12
of = "puck"
)";
  const Problem problem = parse_problem(text, "puck.toml");
  std::vector<CellPlace> places;
  for (const double part : {0.0, 0.25, 0.5})
    for (const double other : {0.0, 0.5, 0.75}) places.push_back({{0, part}, {1, other}, {0, other}});
  const Problem listed = listed_cells(problem, places, 12);
  ASSERT_EQ(listed.cells(), 9);
  EXPECT_EQ(listed.group_count(), 9u) << "three shapes, and three distributions of each";
  for (int c = 0; c < 9; ++c) {
    const CellPlace& place = places[static_cast<std::size_t>(c)];
    std::vector<Override> set{{"axis", "[]"}};
    const std::vector<std::string> keys{"body.puck.part.0.radius_mm", "body.puck.support.friction",
                                        "uncertain.speed.high"};
    for (std::size_t k = 0; k < 3; ++k) set.push_back({keys[k], number_text(number_at(problem.axes[k], place[k]))});
    Problem there = parse_problem(text, "puck.toml", set);
    const Problem& own = listed.of_trial(c, 0);
    EXPECT_EQ(own.scene.bodies[0].planar().parts.size(), 1u);
    there.first_cell = 12 + c;
    const std::vector<double> base = scene_parameters(there.scene);
    std::vector<double> a(base.size()), b(base.size()), values(sampled_columns(there).size()), others = values;
    draw_sample(own, scene_parameters(own.scene), c, 5, a, values);
    draw_sample(there, base, 0, 5, b, others);
    EXPECT_EQ(values, others) << c;
    EXPECT_EQ(a, b) << c;
    EXPECT_TRUE(same_model(*compile_model(own.scene), *compile_model(there.scene))) << c;
  }
  EXPECT_EQ(number_at(problem.axes[1], {0, 0.5}), 0.141421356237);  // the root of 0.1 * 0.2
}

TEST(Refine, WhatCannotBeRefinedIsRefusedInALine) {
  const auto asked = [](std::vector<Override> more) {
    return refusal([&] {
      const Problem problem = nine_cells(std::move(more));
      must_be_refinable(problem);
    });
  };
  EXPECT_EQ(asked({{"map.refine.levels", "2"}}), "");
  EXPECT_NE(asked({{"map.refine.levels", "11"}}).find("map.refine.levels"), std::string::npos);
  EXPECT_NE(asked({{"map.refine.axes", "[\"z_mm\"]"}}).find("there is no axis z_mm; choose among x_mm, y_mm"),
            std::string::npos);
  EXPECT_NE(asked({{"map.refine.levels", "1"}, {"grid.x_mm", "[1]"}, {"grid.y_mm", "[3]"}}).find("map.refine: no axis"),
            std::string::npos);
  EXPECT_NE(asked({{"map.refine.levels", "1"}, {"axis", "[{ key = \"simulation.max_passes\", values = [20, 21] }]"}})
                .find("name in map.refine.axes the axes that can be refined"),
            std::string::npos);
  EXPECT_EQ(
      asked({{"map.refine.axes", "[\"x_mm\"]"}, {"axis", "[{ key = \"simulation.max_passes\", values = [20, 21] }]"}}),
      "");
}

}  // namespace
}  // namespace pegrasp

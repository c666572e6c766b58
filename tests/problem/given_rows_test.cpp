// SPDX-License-Identifier: Apache-2.0
// Trials that a file gives: columns are keys or names of uncertain parameters, all else is drawn as ever, and every
// mistake is answered by one line with its place.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "pegrasp/sampler.hpp"
#include "src/formats/hdf5_file.hpp"
#include "src/formats/number_table.hpp"
#include "tests/files.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

class GivenRows : public testing::Test {
 protected:
  std::filesystem::path rows_file(const std::string& text, const std::string& name = "rows.csv") {
    const std::filesystem::path file = folder_.path() / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  Problem with(const std::filesystem::path& file, std::vector<Override> more = {}) {
    more.push_back({"map.samples_from", "\"" + file.string() + "\""});
    return load_problem(test::source_file("tests/problem/dependent.toml"), more);
  }
  std::string refused(const std::string& text, std::vector<Override> more = {}) {
    const std::filesystem::path file = rows_file(text);
    const std::string said = test::refusal([&] { with(file, std::move(more)); });
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    return said;
  }
  // The parameters and numbers of a sample.
  struct Drawn {
    std::vector<double> parameters, values;
  };
  static Drawn draw_of(const Problem& problem, int sample) {
    const Sampler sampler(problem);
    Drawn out{std::vector<double>(sampler.parameters()), std::vector<double>(sampler.values())};
    sampler.draw(0, sample, out.parameters, out.values);
    return out;
  }
  static double number(const Problem& problem, const Drawn& drawn, const std::string& name) {
    for (std::size_t k = 0; k < problem.uncertain.size(); ++k) {
      if (problem.uncertain[k].name == name) return drawn.values[k];
    }
    ADD_FAILURE() << name;
    return 0.0;
  }

  test::Folder folder_;
};

TEST_F(GivenRows, TakeTheirPlacesInTheUnitsOfTheProblem) {
  // a parameter, one that has no name of its own, two keys in other units; the second changes x_m's
  const Problem problem =
      with(rows_file("speed, puck.vy,body.puck.mass_g,body.puck.x_mm,body[0].support.friction\r\n"
                     "0.1,0.25,150,-3,0.7\r\n+0.2,-1e-2,250,4.5,0\r\n"));
  EXPECT_EQ(problem.samples, 2);
  const ParameterLayout layout = parameter_layout(problem.scene);
  const Drawn first = draw_of(problem, 0), second = draw_of(problem, 1);
  const auto at = [&](const Drawn& drawn, int slot) { return drawn.parameters[static_cast<std::size_t>(slot)]; };
  EXPECT_EQ(at(first, layout.velocity(0)), 0.1);
  EXPECT_EQ(at(second, layout.velocity(0)), 0.2);
  EXPECT_EQ(at(first, layout.velocity(0) + 1), 0.25);
  EXPECT_EQ(at(second, layout.velocity(0) + 1), -0.01);
  EXPECT_DOUBLE_EQ(at(first, layout.mass(0)), 0.15);
  EXPECT_DOUBLE_EQ(at(second, layout.mass(0)), 0.25);
  EXPECT_DOUBLE_EQ(at(first, layout.pose(0)), -0.003);
  EXPECT_DOUBLE_EQ(at(second, layout.pose(0)), 0.0045);
  EXPECT_EQ(at(first, layout.support(0) + ParameterLayout::support_friction), 0.7);
  EXPECT_EQ(at(second, layout.support(2) + ParameterLayout::support_friction), 0.0);
}

// A column's presence does not change the other draws, of correlated numbers either.
TEST_F(GivenRows, ChangeNoOtherDraw) {
  const Problem plain = load_problem(test::source_file("tests/problem/dependent.toml"));
  const double masses[] = {0.2, 0.3, 0.4};
  const Problem problem = with(rows_file("mass\n0.2\n0.3\n0.4\n"));
  for (int sample = 0; sample < 3; ++sample) {
    const Drawn before = draw_of(plain, sample), after = draw_of(problem, sample);
    EXPECT_EQ(number(problem, after, "mass"), masses[sample]);
    for (const char* name : {"x", "y", "turn", "speed", "table", "puck.vy"}) {
      EXPECT_EQ(number(plain, before, name), number(problem, after, name)) << name;
    }
  }
}

// The resolved problem gives the same trials; its identity is the file's contents, not its place.
TEST_F(GivenRows, ArePartOfTheProblem) {
  const std::string text = "speed,body.puck.mass_kg\n0.1,0.15\n0.2,0.25\n";
  const Problem problem = with(rows_file(text));
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  EXPECT_EQ(again.resolved_toml, problem.resolved_toml);
  EXPECT_EQ(draw_of(again, 1).parameters, draw_of(problem, 1).parameters);
  std::filesystem::create_directories(folder_.path() / "b");
  EXPECT_EQ(with(rows_file(text, "b/moved.csv")).content_toml, problem.content_toml);
  EXPECT_NE(with(rows_file("speed,body.puck.mass_kg\n0.1,0.15\n0.2,0.26\n", "b/moved.csv")).content_toml,
            problem.content_toml);
  rows_file("speed,body.puck.mass_kg\n0.1,0.15\n0.3,0.25\n");
  EXPECT_NE(test::refusal([&] { parse_problem(problem.resolved_toml, "resolved.toml"); }).find("has changed"),
            std::string::npos);
}

// What reads the resolved problem again finds the scenes of all rows, also what follows from a shape, such as inertia.
TEST_F(GivenRows, OfShapesArePartOfTheProblem) {
  const Problem problem = with(rows_file("body.puck.part.0.radius_mm,speed\n10,0.1\n14,0.2\n10,0.3\n"));
  ASSERT_EQ(problem.group_count(), 2u);
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  EXPECT_EQ(again.resolved_toml, problem.resolved_toml);
  for (const int k : {0, 1, 2}) {
    const std::string radius = k == 1 ? "14" : "10";
    const Problem& own = again.of_trial(0, k);
    const Problem one =
        with(rows_file("speed\n0.1\n0.2\n0.3\n", "speed.csv"), {{"body.puck.part.0.radius_mm", radius}});
    EXPECT_EQ(draw_of(own, k).parameters, draw_of(one, k).parameters) << k;
    EXPECT_TRUE(same_model(*compile_model(own.scene), *compile_model(one.scene))) << k;
  }
}

TEST_F(GivenRows, MakeAThousandScenesAtMost) {
  std::string text = "body.puck.part.0.radius_mm\n";
  for (int k = 0; k <= 1000; ++k) text += std::to_string(10 + 0.001 * k) + "\n";
  EXPECT_NE(refused(text).find("there are more than 1000 scenes; round the numbers, or divide the file"),
            std::string::npos);
}

TEST_F(GivenRows, MayComeFromHdf5) {
  Hdf5File file;
  const double speed[] = {0.1, 0.2, 0.3};
  const std::int32_t mass[] = {1, 2, 3};
  file.write("speed", {3}, speed);
  file.write("body.puck.mass_kg", {3}, mass);
  const SparseImage& image = file.finish();
  std::string bytes(image.size(), '\0');
  image.for_each_page([&](std::uint64_t place, std::string_view page) { bytes.replace(place, page.size(), page); });
  const Problem problem = with(rows_file(bytes, "rows.h5"));
  ASSERT_EQ(problem.samples, 3);
  const Drawn last = draw_of(problem, 2);
  EXPECT_EQ(number(problem, last, "speed"), 0.3);
  EXPECT_EQ(last.parameters[static_cast<std::size_t>(parameter_layout(problem.scene).mass(0))], 3.0);
}

struct BadRows {
  const char* text;
  const char* said;
};

TEST_F(GivenRows, SayWhereTheyAreWrong) {
  for (const BadRows& bad : {
           BadRows{"", "rows.csv: is empty"},
           {"speed\n", "has names of columns only"},
           {"speed,table\n0.1,0.2\n0.1,zwei\n", "line 3, column \"table\": must be a finite number, got \"zwei\""},
           {"speed,table\n0.1,0.2\n0.1,inf\n", "line 3, column \"table\": must be a finite number"},
           {"speed,table\n0.1,\n", "line 2, column \"table\": must be a finite number, got \"\""},
           {"speed,table\n0.1\n", "line 2, column \"table\": is missing"},
           {"speed\n0.1,0.2\n", "line 2: has more numbers than there are columns (1)"},
           {"speed\n0.1\n\n0.2\n", "line 3: is empty"},
           {"speed,,table\n", "line 1: column 2 has no name"},
           {"speed,speed\n1,2\n", "line 1: column \"speed\" is there twice"},
           {"speed,table\n0.1,0.2\n0.1,-0.5\n", "line 3, column \"table\": -0.5 is out of range"},
           {"body.puck.mass_kg\n0.1\n0\n", "line 3, column \"body.puck.mass_kg\": 0.0 is out of range"},
           {"sped\n1\n", "line 1, column \"sped\": is neither the name of an uncertain parameter nor a key"},
           {"sped\n1\n", "did you mean \"speed\""},
           {"body.puck.mas_kg\n1\n", "line 1, column \"body.puck.mas_kg\": is not a key known here; did you mean"},
           {"body.pluck.mass_kg\n1\n", "line 1, column \"body.pluck.mass_kg\": there is no element pluck"},
           {"map.seed\n1\n", "line 1, column \"map.seed\": takes no number that differs from trial to trial"},
           {"body.puck.part.0.radius_mm\n1\n2\n0\n", "line 4, column \"body.puck.part.0.radius_mm\": must be greater"},
           {"body.puck.part.0.radius_mm\n0\n", "line 2, column \"body.puck.part.0.radius_mm\": must be greater"},
       }) {
    const std::string said = refused(bad.text);
    EXPECT_NE(said.find(bad.said), std::string::npos) << bad.text << ": " << said;
    EXPECT_NE(said.find("rows.csv"), std::string::npos) << said;
  }
  EXPECT_NE(refused("speed\n1\n", {{"map.until.decided", "0.9"}}).find("leave out samples_from"), std::string::npos);
  EXPECT_NE(refused("speed\n1\n", {{"map.sampling", "sobol"}}).find("leave out samples_from"), std::string::npos);
}

// A hundred thousand lines in a tenth of what a million may take.
TEST_F(GivenRows, AreReadFast) {
  std::string text = "a,b,c,d\n";
  for (int i = 0; i < 100000; ++i) text += "0.1234567890123,-1.5e-3," + std::to_string(i) + ",3.25\n";
  const auto begin = std::chrono::steady_clock::now();
  const NumberTable table = parse_number_table(text, "rows.csv", "trial");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(table.rows(), 100000u);
  EXPECT_EQ(table.columns[2][99999], 99999.0);
  EXPECT_LT(seconds, 0.5);
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Scrambled Sobol' points: the sequence of Joe and Kuo, nets after the scrambling, and intervals that hold what they
// should as often as they say.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "kernels/sampling/sobol.hpp"
#include "pegrasp/interval.hpp"
#include "pegrasp/sampler.hpp"
#include "src/sampling/distributions.hpp"
#include "src/sampling/sobol_directions.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

// Four numbers uniform in (0, 1].
Problem unit_cube(int samples) {
  std::string text = R"(
[map]
sampling = "sobol"
[grid]
x_mm = { from = 0, to = 999, count = 1000 }
[[body]]
name = "puck"
follows_grid = true
mass_kg = 0.1
x_m = "a"
y_m = "b"
turn_rad = "c"
vx_m_s = "d"
support = { radius_mm = 7, friction = 0.3 }
part = [{ shape = "disc", radius_mm = 10 }]
[uncertain]
)";
  for (const auto& [name, unit] : {std::pair{"a", "m"}, {"b", "m"}, {"c", "rad"}, {"d", "m_s"}}) {
    text += std::string(name) + " = { distribution = \"uniform\", low = 0, high = 1, unit = \"" + unit + "\" }\n";
  }
  text += "[success]\ndisplacement_below_mm = 10\nof = \"puck\"\n";
  return parse_problem(text, "cube.toml", {{"map.samples", std::to_string(samples)}});
}

// Unscrambled points from another program (SciPy 1.10, in the order of the Gray code).
TEST(SobolPoints, HasTheDirectionsOfJoeAndKuo) {
  const auto digits = [](int dimension, std::uint32_t index) {
    const auto directions = sobol_directions(dimension);
    std::vector<int> numbers(directions.begin(), directions.end());
    return sobol_digits(numbers.data(), index);
  };
  const int dimensions[] = {0, 1, 2, 7, 31, 63};
  const std::uint32_t seventh[] = {3758096384u, 3758096384u, 536870912u, 1610612736u, 2684354560u, 2684354560u};
  const std::uint32_t other[] = {3590324224u, 3590324224u, 33554432u, 2785017856u, 3187671040u, 3791650816u};
  const std::uint32_t third[] = {943718400u, 415236096u, 2227175424u, 3862953984u, 624951296u, 1916796928u};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(digits(dimensions[k], 7), seventh[k]) << dimensions[k];
    EXPECT_EQ(digits(dimensions[k], 107), other[k]) << dimensions[k];
    EXPECT_EQ(digits(dimensions[k], 540), third[k]) << dimensions[k];
  }
}

// Every replicate of 2^m points has one of them in each of 2^m boxes of equal volume, whatever their shape, in the
// first two dimensions, and in each of 2^m slices along any dimension.
TEST(SobolPoints, StaysANetAfterScrambling) {
  constexpr int bits = 6, points = 1 << bits;
  const Problem problem = unit_cube(points * sobol_replicates);
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  for (int replicate = 0; replicate < sobol_replicates; ++replicate) {
    std::vector<std::vector<double>> x;
    for (int k = 0; k < points; ++k) {
      sampler.draw(3, k * sobol_replicates + replicate, parameters, values);
      x.push_back(values);
    }
    const auto place = [](double u, int cut) { return static_cast<int>(std::ceil(u * (1 << cut))) - 1; };
    for (int along = 0; along <= bits; ++along) {
      std::set<std::pair<int, int>> boxes;
      for (const auto& point : x) boxes.insert({place(point[0], along), place(point[1], bits - along)});
      EXPECT_EQ(boxes.size(), static_cast<std::size_t>(points)) << replicate << ' ' << along;
    }
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      std::set<int> slices;
      for (const auto& point : x) slices.insert(place(point[dimension], bits));
      EXPECT_EQ(slices.size(), static_cast<std::size_t>(points)) << dimension;
    }
  }
}

// Scramblings of replicates, cells and dimensions are not the same.
TEST(SobolPoints, ScramblesEachReplicateCellAndDimensionAnew) {
  const Problem problem = unit_cube(64);
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  std::set<double> first;
  for (int cell = 0; cell < 3; ++cell) {
    for (int replicate = 0; replicate < sobol_replicates; ++replicate) {
      sampler.draw(cell, replicate, parameters, values);
      first.insert(values.begin(), values.end());
    }
  }
  EXPECT_EQ(first.size(), 3u * 4u * sobol_replicates);
}

struct Integrand {
  const char* name;
  double p;
  std::function<bool(const std::vector<double>&)> success;
  double most_of_wilson;  // its mean width, as a share of Wilson's, is at most this
};

// In 1,000 cells each; a true 95 % would be below 0.93 once in 400 such tests.
TEST(SobolPoints, IntervalsHoldClosedFormsAsOftenAsTheySay) {
  constexpr int samples = 256, cells = 1000;
  const Integrand integrands[] = {
      {"a line", 1.0 / 3.0, [](const auto& u) { return u[0] < 1.0 / 3.0; }, 0.45},
      {"a triangle", 0.18, [](const auto& u) { return u[0] + u[1] < 0.6; }, 0.65},
      {"a ball", 0.52359877559829887, [](const auto& u) { return u[0] * u[0] + u[1] * u[1] + u[2] * u[2] < 1.0; }, 0.7},
      {"a hyperbola", 0.0144292, [](const auto& u) { return u[2] * u[3] < 0.002; }, 1.2},
      {"parity, in four dimensions", 0.5,
       [](const auto& u) {
         int sum = 0;
         for (const double v : u) sum += static_cast<int>(v * 37.0);
         return sum % 2 == 0;
       },
       1.3},
  };
  const Problem problem = unit_cube(samples);
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  std::vector<std::vector<std::vector<int>>> counts(
      std::size(integrands), std::vector<std::vector<int>>(cells, std::vector<int>(sobol_replicates)));
  for (int cell = 0; cell < cells; ++cell) {
    for (int k = 0; k < samples; ++k) {
      sampler.draw(cell, k, parameters, values);
      for (std::size_t i = 0; i < std::size(integrands); ++i) {
        if (integrands[i].success(values)) {
          ++counts[i][static_cast<std::size_t>(cell)][static_cast<std::size_t>(k % sobol_replicates)];
        }
      }
    }
  }
  for (std::size_t i = 0; i < std::size(integrands); ++i) {
    const Integrand& integrand = integrands[i];
    // the parity has no closed form: 19 of 37 numbers are even, and so on
    double p = integrand.p;
    if (i + 1 == std::size(integrands)) p = 0.5 + 0.5 * std::pow(1.0 / 37.0, 4);
    int held = 0;
    double width = 0.0, wilson = 0.0;
    for (const std::vector<int>& cell : counts[i]) {
      const Interval interval = replicate_interval(cell, samples / sobol_replicates);
      int sum = 0;
      for (const int count : cell) sum += count;
      const Interval plain = wilson_interval(sum, samples);
      held += interval.low <= p && p <= interval.high ? 1 : 0;
      width += interval.high - interval.low;
      wilson += plain.high - plain.low;
    }
    EXPECT_GE(held, 930) << integrand.name;
    EXPECT_LE(width / wilson, integrand.most_of_wilson) << integrand.name;
    RecordProperty(integrand.name, std::to_string(held) + " of 1000, width " + std::to_string(width / wilson));
  }
}

TEST(SobolPoints, IntervalOfEqualCountsIsNotEmpty) {
  const std::vector<int> all(sobol_replicates, 64), half(sobol_replicates, 32);
  const Interval of_all = replicate_interval(all, 64);
  EXPECT_NEAR(of_all.low, 1.0 - 4.26 / 1024.0, 1e-5);
  EXPECT_EQ(of_all.high, 1.0);
  EXPECT_NEAR(replicate_interval(half, 64).high, 0.5 + 4.26 / 1024.0, 1e-5);
}

TEST(SobolPoints, TakesADimensionForEveryDraw) {
  const Problem problem = load_problem(test::source_file("tests/problem/dependent.toml"),
                                       {{"map.sampling", "sobol"}, {"map.samples", "32"}});
  const SobolPlaces places = sobol_places(problem);
  EXPECT_EQ(places.used, 6) << "five distributions, one file";
  EXPECT_EQ(places.beyond, 0);
  std::set<int> all(places.of_number.begin(), places.of_number.end());
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(problem.uncertain.size(), 7u);
}

// 70 pucks.
TEST(SobolPoints, DrawsPlainlyBeyondItsDimensions) {
  std::string text = "[map]\nsampling = \"sobol\"\nsamples = 32\n[success]\ndisplacement_below_mm = 10\nof = \"p0\"\n";
  for (int i = 0; i < 70; ++i) {
    text +=
        "[[body]]\nname = \"p" + std::to_string(i) + "\"\nx_mm = " + std::to_string(50 * i) +
        "\nmass_kg = { distribution = \"uniform\", low = 1, high = 2 }\nsupport = { radius_mm = 7, friction = 0.3 }\n"
        "part = [{ shape = \"disc\", radius_mm = 10 }]\n";
  }
  const Problem problem = parse_problem(text, "pucks.toml");
  EXPECT_EQ(numbers_beyond_sobol(problem), 6);
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  sampler.draw(0, 5, parameters, values);
  const DrawKey key{problem.seed, 0, 5, problem.uncertain[69].stream, 0};
  EXPECT_EQ(values[69], draw(problem.uncertain[69].distribution, key));
  const DrawKey first{problem.seed, 0, 5, problem.uncertain[0].stream, 0};
  EXPECT_NE(values[0], draw(problem.uncertain[0].distribution, first));
}

TEST(SobolPoints, RefusesWhatItsIntervalIsNotFor) {
  const auto refused = [](std::vector<Override> more) {
    more.push_back({"map.sampling", "sobol"});
    return test::refusal([&] { load_problem(test::source_file("tests/problem/dependent.toml"), more); });
  };
  EXPECT_EQ(refused({{"map.samples", "64"}}), "");
  EXPECT_NE(refused({{"map.samples", "100"}}).find("a multiple of 16"), std::string::npos);
  EXPECT_NE(refused({{"map.samples", "16"}}).find("at least 32"), std::string::npos);
  EXPECT_NE(refused({{"map.samples", "64"}, {"map.until.decided", "0.9"}}).find("drawn independently"),
            std::string::npos);
  EXPECT_EQ(load_problem(test::source_file("tests/problem/dependent.toml"), {{"map.sampling", "sobol"}}).samples, 32);
}

}  // namespace
}  // namespace pegrasp

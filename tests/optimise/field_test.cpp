// SPDX-License-Identifier: Apache-2.0
// The objective "field": sums in closed form, a plate that meets a field, and the plates of Berard's thesis.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "src/optimise/objective.hpp"
#include "src/optimise/optimise.hpp"
#include "tests/cli/child.hpp"
#include "tests/files.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::optimise {
namespace {

std::vector<double> numbers_of(const RowEvaluator& rows, const Row& row) {
  std::string why;
  const std::unique_ptr<Backend> backend = test::make_backend_under_test(2, rows.problem().arithmetic);
  const std::unique_ptr<Objective> objective = read_objective(rows);
  std::vector<double> out = objective->at(rows, row, *backend, RowOptions{}, why);
  EXPECT_EQ(out.size(), objective->columns().size());
  EXPECT_EQ(why, "");
  return out;
}

// A body flies from (a, 0) along y with u: y = u t, seen at t = 0.5 and 1 with velocities over 0.1 s. The field turns
// by w, so that it wants w (-y, a) in the middle of that tenth of a second, and the radius to stay a.
TEST(FieldObjective, SumsAsByHand) {
  const double a = 0.03, u = 0.012, w = 0.2;
  const RowEvaluator rows(R"([simulation]
h_ms = 3                                # the records are between the ends of steps
duration_s = 1
[[body]]
name = "puck"
mass_kg = 1
vy_mm_s = 12
[[body.part]]
shape = "disc"
radius_mm = 1
[objective]
kind = "field"
body = "puck"
field_per_s = [[0, -0.2], [0.2, 0]]
record_every_s = 0.5
period_s = 0.1
radius_weight = 2
separation_weight = 5
starts_mm = [[30, 0], [0, 0]]
)",
                          "puck.toml");
  double velocity = 0.0, speed = 0.0, radius = 0.0;
  for (const double t : {0.5, 1.0}) {
    const double y = u * (t - 0.05);
    velocity += 0.5 * std::hypot(w * y, u - w * a);
    speed += 0.5 * w * std::hypot(a, y);
    radius += 0.5 * (std::hypot(a, u * t) - a);
  }
  double still = 0.0, still_speed = 0.0;  // from the origin, where the field is 0
  for (const double t : {0.5, 1.0}) {
    still += 0.5 * u * std::hypot(1.0, w * (t - 0.05));
    still_speed += 0.5 * w * u * (t - 0.05);
  }
  const double gone = 0.5 * (0.5 * u + u);
  const std::vector<double> got = numbers_of(rows, {{}});
  const double mean_velocity = 500.0 * (velocity + still), mean_radius = 500.0 * (radius + gone);
  const std::vector<double> wanted{mean_velocity + 2.0 * mean_radius + 5.0,
                                   mean_velocity,
                                   mean_radius,
                                   1.0,
                                   std::atan2(u, a),
                                   velocity / speed,
                                   0.0,
                                   still / still_speed};
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(got[k], wanted[k], 1e-9 * (1.0 + wanted[k])) << k;
}

// A platter turns by 0.15 rad/s, and what lies on it goes with it: exactly the field, but for what a step along the
// tangent adds to the radius, h w^2 t / 2 of it (6e-6 after a second).
TEST(FieldObjective, IsNothingForAPlateThatIsTheField) {
  const RowEvaluator rows(R"(dim = 3
[simulation]
h_ms = 0.5
duration_s = 1
[gravity]
z_m_s2 = -9.81
[[body]]
name = "platter"
kind = "kinematic"
friction = 0.5
omega_z_rad_s = 0.15
[[body.part]]
shape = "half_space"
normal = [0, 0, 1]
offset_mm = 0
[[body]]
name = "particle"
mass_kg = 0.001
turns = false
friction = 0.5
z_mm = 1
vy_mm_s = 9
[[body.part]]
shape = "sphere"
radius_mm = 1
[objective]
kind = "field"
body = "particle"
field_per_s = [[0, -0.15], [0.15, 0]]
period_s = 0.03
separation_weight = 1000
starts_mm = [[60, 0]]
)",
                          "platter.toml");
  const std::vector<double> got = numbers_of(rows, {{}});
  EXPECT_LT(got[1], 9.0 * 1e-4);
  EXPECT_LT(got[2], 60.0 * 1e-5);
  EXPECT_EQ(got[3], 0.0);
  EXPECT_NEAR(got[4], 0.15, 0.15 * 1e-4);
}

// The plates of Berard's thesis, section 6.1: mu = 0.3, 60 steps a period. His optima without and with a penalty on
// separation, (6.8-6.9 as the text has them) and (6.6-6.7), and the start (6.4-6.5).
struct Plate {
  std::vector<double> values;  // turning, lifting, phase
  std::vector<double> rates;   // [rad/s] from 4, 5, 6, 7 and 8 cm
  double free_low, free_high;  // share of the steps in the air
};
class CirclePlateLong : public testing::TestWithParam<Plate> {};

TEST_P(CirclePlateLong, TurnsAsTheThesisSays) {
  const RowEvaluator rows(test::source_file("examples/optimise/circle.toml"),
                          {{"simulation.h_ms", "0.50505050505050505"}, {"objective.separation_weight", "1"}});
  const std::vector<double> got = numbers_of(rows, {GetParam().values});
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(got[4 + 2 * k], GetParam().rates[k], 0.03 * GetParam().rates[k]) << 4 + k << " cm";
  EXPECT_GE(got[3], GetParam().free_low);
  EXPECT_LE(got[3], GetParam().free_high);
}

INSTANTIATE_TEST_SUITE_P(
    Plates, CirclePlateLong,
    testing::Values(Plate{{100.0, 8.0, 4.71238898038469}, {0.019, 0.047, 0.074, 0.103, 0.127}, 0.0, 0.0},
                    Plate{{62.913, 9.81585, 6.33218}, {0.111, 0.127, 0.140, 0.151, 0.160}, 0.0, 1e-3},
                    Plate{{40.7791, 16.3305, 6.91229}, {0.1500, 0.1501, 0.1502, 0.1502, 0.1503}, 0.60, 0.66}));

// The search of examples/optimise, from the thesis' start, without and with a penalty on separation.
TEST(CircleSearchLong, FindsPlatesThatTurnAsWanted) {
  const auto search = [](const char* weight) {
    const RowEvaluator rows(test::source_file("examples/optimise/circle.toml"),
                            {{"objective.separation_weight", weight}});
    const std::unique_ptr<Backend> backend = test::make_backend_under_test(2, rows.problem().arithmetic);
    const test::Folder folder;
    OptimiseOptions options;
    options.folder = folder.path();
    options.threads = 2;
    options.evaluations = 100;
    const std::clock_t begin = std::clock();
    OptimiseResult result = optimise(rows, *backend, options);
    std::printf("%g s of CPU an evaluation, %g mm/s, %g at the start\n",
                static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / result.search.evaluations,
                result.best[1] + result.best[2], result.first[1] + result.first[2]);
    return result;
  };
  const OptimiseResult loose = search("0"), held = search("20");
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(loose.best[4 + 2 * k], 0.150, 0.005) << 4 + k << " cm";
  EXPECT_LT(2.0 * held.best[0], held.first[0]);
  EXPECT_GT(held.best[0], loose.best[0]);
}

// (6.10-6.15), with the accelerations and angular accelerations that they exchange put right.
TEST(SaddlePlateLong, IsWithinAQuarterOfTheField) {
  const RowEvaluator rows(test::source_file("examples/optimise/saddle.toml"),
                          {{"simulation.h_ms", "0.50505050505050505"}});
  const std::vector<double> got = numbers_of(
      rows, {{3.88479, -1.08465, -4.31188, -2.0938, 0.0, 0.0, 155.816, 0.430032, 204.171, 5.77261, 0.0, 0.0}});
  for (std::size_t k = 0; k < 8; ++k) EXPECT_LT(got[5 + 2 * k], 0.25) << k;
}

}  // namespace
}  // namespace pegrasp::optimise

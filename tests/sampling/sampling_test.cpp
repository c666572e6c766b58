// SPDX-License-Identifier: Apache-2.0
// Distributions: moments, bounds, independence of order; samples: streams, tripods, no allocation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "src/sampling/distributions.hpp"
#include "src/sampling/support_tripod.hpp"
#include "tests/allocation_counter.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

std::vector<double> draws(const Distribution& d, int count, std::uint64_t seed = 5) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(draw(d, {seed, 3, static_cast<std::uint32_t>(i), 77, 0}));
  return out;
}

double mean_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

double sd_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0.0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

constexpr int many = 200000;

Distribution distribution(DistributionKind kind, double mean, double sd, double low, double high) {
  Distribution d;
  d.kind = kind;
  d.mean = mean;
  d.sd = sd;
  d.low = low;
  d.high = high;
  return d;
}

// Reference output of Philox 4x32-10 (Random123's known-answer tests), through our key and counter layout.
TEST(Philox, MatchesTheKnownAnswers) {
  const RandomWords zero = random_words({0, 0, 0, 0, 0});
  EXPECT_EQ(static_cast<std::uint32_t>(zero.first), 0x6627e8d5u);
  EXPECT_EQ(static_cast<std::uint32_t>(zero.first >> 32), 0xe169c58du);
  EXPECT_EQ(static_cast<std::uint32_t>(zero.second), 0xbc57ac4cu);
  EXPECT_EQ(static_cast<std::uint32_t>(zero.second >> 32), 0x9b00dbd8u);
}

TEST(Uniform, HasItsMomentsAndStaysInTheHalfOpenInterval) {
  const Distribution d = distribution(DistributionKind::uniform, 0, 0, 0.33, 0.66);
  const std::vector<double> x = draws(d, many);
  EXPECT_NEAR(mean_of(x), 0.495, 5 * 0.33 / std::sqrt(12.0 * many));
  EXPECT_NEAR(sd_of(x), 0.33 / std::sqrt(12.0), 1e-3);
  for (const double v : x) EXPECT_TRUE(v > 0.33 && v <= 0.66);
}

TEST(Uniform, NeverReturnsTheLowerEndEvenWhenItRounds) {
  const Distribution d = distribution(DistributionKind::uniform, 0, 0, 1.0, 1.0 + 0x1p-52);
  for (const double v : draws(d, 1000)) EXPECT_EQ(v, 1.0 + 0x1p-52);
  EXPECT_EQ(unit_open_below(0), 0x1p-53);
  EXPECT_EQ(unit_open_below(~0ULL), 1.0);
  EXPECT_GT(unit_open(0), 0.0);
  EXPECT_LT(unit_open(~0ULL), 1.0);
}

TEST(Normal, HasItsMoments) {
  const std::vector<double> x = draws(distribution(DistributionKind::normal, 2.0, 0.5, 0, 0), many);
  EXPECT_NEAR(mean_of(x), 2.0, 5 * 0.5 / std::sqrt(many));
  EXPECT_NEAR(sd_of(x), 0.5, 0.005);
  const auto beyond = std::count_if(x.begin(), x.end(), [](double v) { return std::abs(v - 2.0) > 1.0; });
  EXPECT_NEAR(static_cast<double>(beyond) / many, 0.0455, 0.003);
}

TEST(TruncatedNormal, StaysInsideAndHasTheTruncatedMean) {
  const Distribution d = distribution(DistributionKind::truncated_normal, 0.0, 1.0, 0.5, 2.0);
  const std::vector<double> x = draws(d, many);
  for (const double v : x) EXPECT_TRUE(v >= 0.5 && v <= 2.0);
  const auto density = [](double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * M_PI); };
  const double mass = 0.5 * (std::erfc(-2.0 / std::sqrt(2.0)) - std::erfc(-0.5 / std::sqrt(2.0)));
  EXPECT_NEAR(mean_of(x), (density(0.5) - density(2.0)) / mass, 0.005);
}

TEST(LogNormal, HasItsMedianAndSpread) {
  Distribution d = distribution(DistributionKind::log_normal, log_of_median(0.3), 0.25, 0, 0);
  std::vector<double> x = draws(d, many);
  for (double& v : x) {
    EXPECT_GT(v, 0.0);
    v = std::log(v);
  }
  EXPECT_NEAR(mean_of(x), std::log(0.3), 0.003);
  EXPECT_NEAR(sd_of(x), 0.25, 0.003);
}

TEST(Choice, FollowsTheWeights) {
  Distribution d;
  d.kind = DistributionKind::choice;
  d.values = {1.0, 2.0, 3.0};
  d.weights = {1.0, 0.0, 3.0};
  const std::vector<double> x = draws(d, many);
  EXPECT_EQ(std::count(x.begin(), x.end(), 2.0), 0);
  EXPECT_NEAR(static_cast<double>(std::count(x.begin(), x.end(), 3.0)) / many, 0.75, 0.006);
}

TEST(Mixture, SharedStreamPicksTheSameGroup) {
  Distribution a;
  a.kind = DistributionKind::mixture;
  a.group_stream = 99;
  a.weights = {1.0, 1.0};
  a.components = {distribution(DistributionKind::uniform, 0, 0, 0, 1),
                  distribution(DistributionKind::uniform, 0, 0, 1, 2)};
  Distribution alone = a;
  alone.group_stream = 0;
  int differ = 0;
  int upper = 0;
  for (std::uint32_t i = 0; i < 10000; ++i) {
    const double x = draw(a, {1, 0, i, 11, 0});
    const double y = draw(a, {1, 0, i, 12, 0});
    EXPECT_EQ(x > 1.0, y > 1.0);
    EXPECT_NE(x, y);
    upper += x > 1.0 ? 1 : 0;
    differ += (draw(alone, {1, 0, i, 11, 0}) > 1.0) != (draw(alone, {1, 0, i, 12, 0}) > 1.0) ? 1 : 0;
  }
  EXPECT_NEAR(upper, 5000, 300);
  EXPECT_NEAR(differ, 5000, 300);
}

TEST(DrawBounds, HoldEveryDraw) {
  for (const Distribution& d :
       {distribution(DistributionKind::uniform, 0, 0, -1, 2), distribution(DistributionKind::normal, 1, 2, 0, 0),
        distribution(DistributionKind::truncated_normal, 0, 1, -0.5, 3),
        distribution(DistributionKind::log_normal, -1, 0.5, 0, 0)}) {
    const DrawBounds bounds = draw_bounds(d);
    for (const double v : draws(d, 20000)) EXPECT_TRUE(v >= bounds.low && v <= bounds.high);
    EXPECT_TRUE(central_value(d) >= bounds.low && central_value(d) <= bounds.high);
  }
}

struct Sampled {
  std::vector<double> parameters;
  std::vector<double> values;
  int redrawn = 0;
  bool operator==(const Sampled&) const = default;
};

Sampled sample_of(const Problem& p, int cell, int sample) {
  const std::vector<double> base = scene_parameters(p.scene);
  Sampled out{std::vector<double>(base.size()), std::vector<double>(sampled_columns(p).size()), 0};
  out.redrawn = draw_sample(p, base, cell, sample, out.parameters, out.values);
  return out;
}

Problem gear(const std::vector<Override>& overrides = {}) {
  return load_problem(test::source_file("examples/gear/gear.toml"), overrides);
}

TEST(Sample, IsTheSameInAnyOrder) {
  const Problem p = gear();
  const Sampled alone = sample_of(p, 203, 17);
  for (int sample = 29; sample >= 0; --sample) sample_of(p, 204, sample);
  EXPECT_EQ(sample_of(p, 203, 17), alone);
  EXPECT_NE(sample_of(p, 203, 16).values, alone.values);
  EXPECT_NE(sample_of(p, 202, 17).values, alone.values);
  EXPECT_NE(sample_of(gear({{"map.seed", "2"}}), 203, 17).values, alone.values);
}

TEST(Sample, AddingAParameterLeavesTheOthersAlone) {
  const Sampled before = sample_of(gear(), 100, 4);
  const Sampled after =
      sample_of(gear({{"body.gear.mass_kg", "{ distribution = 'uniform', low = 0.02, high = 0.04 }"}}), 100, 4);
  ASSERT_EQ(after.values.size(), before.values.size() + 1);
  EXPECT_EQ(after.values[0], before.values[0]);
  EXPECT_EQ(after.values[1], before.values[1]);
  EXPECT_EQ(after.values[3], before.values[2]);  // tripod radius, after the new column
  EXPECT_EQ(after.values[4], before.values[3]);
}

TEST(Sample, GridMovesTheFingersAndNothingElse) {
  const Problem p = gear();
  const ParameterLayout layout = parameter_layout(p.scene);
  const int cell = 5 * 21 + 3;
  const Sampled s = sample_of(p, cell, 0);
  const auto at = [&](int slot) { return s.parameters[static_cast<std::size_t>(slot)]; };
  EXPECT_EQ(at(layout.pose(0)), 0.0);
  EXPECT_EQ(at(layout.pose(1)), -0.036 + p.grid.x[3]);
  EXPECT_EQ(at(layout.pose(2)), 0.036 + p.grid.x[3]);
  EXPECT_EQ(at(layout.pose(1) + 1), p.grid.y[5]);
}

TEST(Sample, FrictionGroupsAreHalfOpenAndShared) {
  const Problem p = gear({{"uncertain.gripper_friction.group", "high"}});
  const ParameterLayout layout = parameter_layout(p.scene);
  for (int sample = 0; sample < 2000; ++sample) {
    const Sampled s = sample_of(p, 7, sample);
    EXPECT_TRUE(s.values[0] > 0.33 && s.values[0] <= 0.66);
    EXPECT_TRUE(s.values[1] > 0.66 && s.values[1] <= 0.99);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(s.parameters[static_cast<std::size_t>(layout.support(k) + 3)], s.values[0]);
    EXPECT_EQ(s.parameters[static_cast<std::size_t>(layout.friction(friction_slot(p.scene, 0, 1)))], s.values[1]);
    EXPECT_EQ(s.parameters[static_cast<std::size_t>(layout.friction(friction_slot(p.scene, 2, 0)))], s.values[1]);
  }
}

TEST(Tripod, LoadsBalanceAboutTheCentreOfMassAndMatchStatics) {
  for (const std::array<double, 3> load : {std::array<double, 3>{1, 1, 1}, {3, 4, 5}, {1, 1, 1.99}, {0.2, 1, 1}}) {
    const SupportTripod t = tripod_on_circle(0.02, 0.7, load, 3.0);
    Vec2 moment;
    for (std::size_t k = 0; k < 3; ++k) {
      moment.x += t.load[k] * t.point[k].x;
      moment.y += t.load[k] * t.point[k].y;
      EXPECT_NEAR(std::hypot(t.point[k].x, t.point[k].y), 0.02, 1e-16);
    }
    EXPECT_NEAR(moment.x, 0.0, 1e-16);
    EXPECT_NEAR(moment.y, 0.0, 1e-16);
    const auto statics = tripod_loads(t.point, 3.0);
    ASSERT_TRUE(statics.has_value());
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR((*statics)[k], t.load[k], 1e-12);
  }
  EXPECT_FALSE(tripod_can_carry({1, 1, 2}));
  EXPECT_FALSE(tripod_can_carry({1, 1, 3}));
  EXPECT_FALSE(tripod_can_carry({1, 0, 1}));
  EXPECT_FALSE(tripod_can_carry({1, -1, 1}));
}

TEST(Tripod, ImpossibleLoadsAreRedrawnAndCounted) {
  const Problem p = gear({{"body.gear.support.loads", "{ distribution = 'uniform', low = 0.1, high = 1 }"}});
  int redrawn = 0;
  std::set<double> seen;
  for (int sample = 0; sample < 2000; ++sample) {
    const Sampled s = sample_of(p, 0, sample);
    redrawn += s.redrawn;
    const std::array<double, 3> load{s.values[6], s.values[9], s.values[12]};
    EXPECT_TRUE(tripod_can_carry(load));
    EXPECT_NEAR(load[0] + load[1] + load[2], 0.03 * 9.81, 1e-15);
    seen.insert(load[0]);
  }
  EXPECT_EQ(seen.size(), 2000u);
  EXPECT_GT(redrawn, 200);
  EXPECT_LT(redrawn, 4000);
}

TEST(Tripod, SampledMassCarriesTheLoadsAlong) {
  const Problem p = gear({{"body.gear.mass_kg", "{ distribution = 'uniform', low = 0.02, high = 0.04 }"}});
  const Sampled s = sample_of(p, 9, 9);
  const double mass = s.parameters[static_cast<std::size_t>(parameter_layout(p.scene).mass(0))];
  EXPECT_NE(mass, 0.03);
  const ParameterLayout layout = parameter_layout(p.scene);
  double load = 0.0;
  for (int k = 0; k < 3; ++k) load += s.parameters[static_cast<std::size_t>(layout.support(k) + 2)];
  EXPECT_NEAR(load, mass * 9.81, 1e-15);
}

// The first sample of the gear, pinned: a change here changes every published map.
TEST(Sample, GoldenValues) {
  const Sampled s = sample_of(gear(), 203, 17);
  EXPECT_EQ(s.values[0], 0.50863805314411559);
  EXPECT_EQ(s.values[1], 0.40518771764257955);
  EXPECT_EQ(s.values[3], 0.1793127077796581);
}

TEST(Sample, AllocatesNothing) {
  const Problem p = load_problem(test::source_file("tests/problem/every_key.toml"));
  const Sampler sampler(p);
  std::vector<double> parameters(sampler.parameters());
  std::vector<double> values(sampler.values());
  const std::size_t before = test::allocation_count();
  for (std::size_t i = 0; i < 100; ++i) sampler.draw(i, parameters, values);
  EXPECT_EQ(test::allocation_count(), before);
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Friction by motion: closed forms, and tables 7.1 and 7.2 and section 7.6.2 of Berard's thesis.
#include "src/identify/identify.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/sampling/philox.hpp"
#include "kernels/sampling/portable_math.hpp"
#include "pegrasp/map.hpp"
#include "src/identify/particles.hpp"
#include "tests/files.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::identify {
namespace {

constexpr double free_start = std::numeric_limits<double>::quiet_NaN();

IdentifyResult found(const RowEvaluator& rows, std::size_t fitted, const Track& track, IdentifyOptions options) {
  const test::Folder folder;
  options.folder = folder.path();
  const std::unique_ptr<Backend> backend = test::make_backend_under_test(2, rows.problem().arithmetic);
  return identify(rows, fitted, track, *backend, options);
}

// Where the problem's own bodies are at times every `interval`.
std::vector<double> simulated(const RowEvaluator& rows, const Row& row, double interval, std::size_t& records) {
  RowOptions options;
  options.nominal = true;
  options.record_every = interval;
  const std::unique_ptr<Backend> backend = test::make_backend_under_test(2, rows.problem().arithmetic);
  const RowResult result = rows.evaluate({&row, 1}, *backend, options)[0];
  EXPECT_EQ(result.refused, "");
  records = result.records;
  return result.recorded;
}

// Between -1 and 1, or of a normal distribution.
double even(std::uint32_t record, std::uint32_t number) {
  return 2.0 * unit_open(random_words({7, record, number, 1, 0}).first) - 1.0;
}
double normal(std::uint32_t record, std::uint32_t number) {
  return portable::normal_quantile(unit_open(random_words({7, record, number, 2, 0}).first));
}

// A puck that slides from 1 m/s without end: x = t - mu g t^2 / 2, seen without noise.
TEST(Identify, FindsTheFrictionOfAPuck) {
  const RowEvaluator rows(R"([simulation]
h_ms = 10
duration_s = 0.2
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = 1000
support = { radius_mm = 7, friction = 0.1 }
[[body.part]]
shape = "disc"
radius_mm = 10
)",
                          "puck.toml", {}, {{"mu", {"body.puck.support.friction"}, {}, free_start, 1.0, 0.0, 1.0}});
  std::string seen = "time,body,x,y,theta\n";
  for (int k = 0; k <= 10; ++k) {
    const double t = 0.02 * k;
    seen += std::to_string(t) + ",puck," + std::to_string(t - 0.5 * 0.3 * 9.81 * t * t) + ",0,\n";
  }
  const Track track = read_track(seen, "track.csv", rows.problem());
  EXPECT_EQ(track.records, 11u);
  EXPECT_NEAR(track.interval, 0.02, 1e-15);
  const IdentifyResult batch = found(rows, 1, track, {});
  EXPECT_NEAR(batch.values[0], 0.3, 2e-4);  // to_string rounds to a micrometre
  EXPECT_EQ(batch.numbers, 22u);
  // dx / dmu = -g t^2 / 2, so the sum of their squares is g^2 / 4 * 0.02^4 * (1^4 + ... + 10^4) = 0.09753 m^2.
  EXPECT_NEAR(batch.sd[0], 1e-3 / std::sqrt(9.81 * 9.81 / 4.0 * 1.6e-7 * 25333.0), 2e-5);
  IdentifyOptions windows;
  windows.method = Method::window;
  windows.window = 6;
  const IdentifyResult window = found(rows, 1, track, windows);
  ASSERT_EQ(window.estimates.size(), 6u);
  for (const Estimate& one : window.estimates) EXPECT_NEAR(one.values[0], 0.3, 2e-3);
}

TEST(Identify, ReadsTracksAndSaysWhatIsWrong) {
  const RowEvaluator rows(R"([simulation]
h_ms = 11.111111111
duration_s = 1
[[body]]
name = "puck"
mass_kg = 0.1
[[body.part]]
shape = "disc"
radius_mm = 10
[[body]]
name = "wall"
kind = "fixed"
[[body.part]]
shape = "box"
width_mm = 10
height_mm = 10
)",
                          "puck.toml");
  const auto wrong = [&](const std::string& text) {
    try {
      read_track(text, "track.csv", rows.problem());
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("track.csv: ", 0), 0u) << error.what();
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const Track track = read_track("x,y,time\r\n1,2,0\r\n\r\n3,4,0.0333\r\n5,6,0.1667\r\n", "track.csv", rows.problem());
  EXPECT_EQ(track.records, 6u);  // of times that are rounded
  EXPECT_EQ(track.observations[2].record, 5u);
  EXPECT_EQ(track.numbers(), 6u);
  EXPECT_NE(wrong("").find("no row"), std::string::npos);
  EXPECT_NE(wrong("time,x\n1,2\n").find("no column y"), std::string::npos);
  EXPECT_NE(wrong("time,x,y\n1,2\n").find("line 2: has 2 cells"), std::string::npos);
  EXPECT_NE(wrong("time,x,y\n1,2,east\n").find("\"east\" in column y"), std::string::npos);
  EXPECT_NE(wrong("time,x,y\n1,2,nan\n").find("no finite number"), std::string::npos);
  EXPECT_NE(wrong("time,x,y\n-1,2,3\n").find("below 0"), std::string::npos);
  EXPECT_NE(wrong("time,x,y\n0,2,3\n").find("several times"), std::string::npos);
  EXPECT_NE(wrong("time,x,y\n1,2,3\n2.5,2,3\n").find("no multiple"), std::string::npos);
  EXPECT_NE(wrong("time,x,y\n0,2,3\n0.105,2,3\n").find("line 3: time 0.105 is 9.45 steps"), std::string::npos);
  EXPECT_NE(wrong("time,x,y\n0.1,2,3\n0.1,2,3\n").find("line 3: time 0.1"), std::string::npos);
  EXPECT_NE(wrong("time,body,x,y\n1,cup,2,3\n").find("no body \"cup\""), std::string::npos);
  EXPECT_NE(wrong("time,body,x,y\n1,wall,2,3\n").find("not dynamic"), std::string::npos);
}

TEST(Identify, ResamplesByWeight) {
  const std::vector<double> weights{0.1, 0.0, 0.6, 0.3, 0.0};
  const std::vector<std::size_t> often = resampled(weights, 0.5);  // at 0.1, 0.3, 0.5, 0.7, 0.9
  EXPECT_EQ(often, (std::vector<std::size_t>{1, 0, 3, 1, 0}));
  EXPECT_EQ(resampled(weights, 1.0), (std::vector<std::size_t>{0, 0, 3, 2, 0}));
}

// Sliding pucks that particles follow, at 0, 20, ..., 100 ms.
class Filtering : public testing::Test {
 protected:
  static std::string puck(const std::string& simulation) {
    return "[simulation]\nh_ms = 10\nduration_s = 0.1\n" + simulation + R"([[body]]
name = "my puck"
mass_kg = 0.1
vx_mm_s = 100
support = { radius_mm = 7, friction = 0.01 }
[[body.part]]
shape = "disc"
radius_mm = 10
)";
  }
  static RowEvaluator rows_of(const std::string& simulation = "", double low = -unbounded, double high = unbounded) {
    return RowEvaluator(puck(simulation), "puck.toml", {},
                        {{"mu", {"body.my puck.support.friction"}, {}, free_start, 1.0, low, high}});
  }
  // At 0.1 m/s.
  static Track sliding(const RowEvaluator& rows) {
    std::string seen = "time,body,x,y\n";
    for (int k = 0; k <= 5; ++k) seen += std::to_string(0.02 * k) + ",my puck," + std::to_string(0.002 * k) + ",0\n";
    return read_track(seen, "track.csv", rows.problem());
  }
  static IdentifyOptions particles(std::size_t count) {
    IdentifyOptions out;
    out.method = Method::particles;
    out.particles = count;
    out.walk = 0.005;
    return out;
  }
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
};

TEST_F(Filtering, ResumesOnlyWhatItBegan) {
  const RowEvaluator rows = rows_of("", 0.0, 0.1);
  const Track track = sliding(rows);
  const IdentifyResult whole = found(rows, 1, track, particles(8));
  const std::unique_ptr<Backend> backend = test::make_backend_under_test(2, rows.problem().arithmetic);
  const test::Folder folder;
  IdentifyOptions options = particles(8);
  options.folder = folder.path();
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.progress = [&](std::size_t done, std::size_t) { stop = done == 4; };
  EXPECT_THROW(identify(rows, 1, track, *backend, options), Interrupted);
  options.stop = nullptr;
  options.resume = true;
  Track other = track;
  other.observations[1].x += 1e-9;
  EXPECT_THROW(identify(rows, 1, other, *backend, options), InputError);
  const auto refused = [&](const auto& change) {
    IdentifyOptions changed = options;
    change(changed);
    EXPECT_THROW(identify(rows, 1, track, *backend, changed), InputError);
  };
  refused([](IdentifyOptions& one) { one.noise *= 2.0; });
  refused([](IdentifyOptions& one) { one.turn_noise *= 2.0; });
  refused([](IdentifyOptions& one) { one.walk *= 2.0; });
  refused([](IdentifyOptions& one) { ++one.seed; });
  const IdentifyResult resumed = identify(rows, 1, track, *backend, options);
  EXPECT_EQ(resumed.resumed, 3u);
  EXPECT_EQ(resumed.values, whole.values);
  EXPECT_EQ(resumed.estimates.back().poses, whole.estimates.back().poses);
}

// The stop rule ends every interval after its first step of 10 ms, 1 mm on.
TEST_F(Filtering, MovesParticlesUntilTheirTrialsEnd) {
  const RowEvaluator rows = rows_of("still_speed_mm_s = 1000\nstill_time_ms = 10\n", 0.0, 0.1);
  const IdentifyResult result = found(rows, 1, sliding(rows), particles(4));
  EXPECT_NEAR(result.estimates.back().poses[0], 0.005, 5e-4);
}

// Half of all friction is below 0 and refused.
TEST_F(Filtering, LetsRefusedParticlesDie) {
  const RowEvaluator rows = rows_of("", -0.1, 0.1);
  const IdentifyResult result = found(rows, 1, sliding(rows), particles(32));
  for (std::size_t i = 1; i < result.estimates.size(); ++i) EXPECT_GE(result.estimates[i].values[0], 0.0) << i;
  EXPECT_THROW(found(rows_of("", -0.2, -0.1), 1, sliding(rows), particles(4)), InputError);
}

// Nothing is seen between the first time and the last: nor do those that are nowhere live on there.
TEST_F(Filtering, LeavesNobodyNowhereWhereNothingIsSeen) {
  const RowEvaluator rows = rows_of("", -0.1, 0.1);
  Track track = sliding(rows);
  track.observations.erase(track.observations.begin() + 1, track.observations.end() - 1);
  const IdentifyResult result = found(rows, 1, track, particles(32));
  ASSERT_EQ(result.estimates.size(), 6u);
  for (std::size_t i = 1; i < result.estimates.size(); ++i) {
    EXPECT_GE(result.estimates[i].values[0], 0.0) << i;
    EXPECT_GT(result.estimates[i].poses[0], 0.001 * static_cast<double>(i)) << i;
  }
}

TEST_F(Filtering, CountsTimesInMilliseconds) {
  Problem problem = rows_of().problem();
  for (const double rate : {30.0, 60.0}) {
    problem.options.h = 0.5 / rate;
    std::string seen = "time , body ,x,y\n";
    for (int k = 0; k < 60; ++k) seen += std::to_string(std::round(1e3 * k / rate) / 1e3) + ", \"my puck\" ,0,0\r\n";
    const Track track = read_track(seen, "track.csv", problem);
    ASSERT_EQ(track.records, 60u) << rate;
    EXPECT_NEAR(track.interval, 1.0 / rate, 0.5e-3 / 59.0);
    for (std::size_t k = 0; k < 60; ++k) EXPECT_EQ(track.observations[k].record, k);
  }
}

// Table 7.1: a particle falls on the ground and slides, mu = 0.2, h = 0.05, 100 steps.
std::string falling(const std::vector<double>& x, const std::vector<double>& y) {
  std::string out = R"([simulation]
h_ms = 50
duration_s = 5
length_scale_mm = 1000
[gravity]
x_m_s2 = 5
y_m_s2 = -9.81
[[body]]
name = "ground"
kind = "fixed"
[[body.part]]
shape = "half_plane"
normal = [0, 1]
)";
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::string name = "particle_" + std::to_string(i);
    out += "[[body]]\nname = \"" + name + "\"\nmass_kg = 1\nturns = false\nx_m = " + std::to_string(x[i]) +
           "\ny_m = " + std::to_string(y[i] + 0.001) + "\n[[body.part]]\nshape = \"disc\"\nradius_mm = 1\n" +
           "[[friction]]\nbetween = [\"" + name + "\", \"ground\"]\nmu = 1\n";
    for (std::size_t j = 0; j < i; ++j)
      out += "[[no_contact]]\nbetween = [\"" + name + "\", \"particle_" + std::to_string(j) + "\"]\n";
  }
  return out;
}

std::vector<DesignParameter> frictions(std::size_t count) {
  std::vector<DesignParameter> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(
        {"mu_" + std::to_string(i), {"friction." + std::to_string(i) + ".mu"}, {}, free_start, 1.0, 0.0, 1.0});
  return out;
}

// Particles as they move with frictions mu, seen with noise.
Track noisy(const RowEvaluator& rows, const std::vector<double>& mu, double noise) {
  Track out;
  out.interval = 0.05;
  const std::vector<double> poses = simulated(rows, {mu}, out.interval, out.records);
  for (std::size_t i = 0; i < mu.size(); ++i) out.bodies.push_back(i + 1);
  for (std::size_t r = 0; r < out.records; ++r)
    for (const std::size_t b : out.bodies) {
      const double* const at = poses.data() + 3 * (r * (mu.size() + 1) + b);
      const auto record = static_cast<std::uint32_t>(r), number = static_cast<std::uint32_t>(2 * b);
      out.observations.push_back(
          {r, b, at[0] + noise * even(record, number), at[1] + noise * even(record, number + 1), 0.0, false});
    }
  return out;
}

class NoiseLong : public testing::TestWithParam<double> {};

// Of uniform noise e, whose variance is e^2 / 3: three standard deviations of the friction are 3.3e-3 e.
TEST_P(NoiseLong, LeavesTheFrictionOfTable71) {
  const double noise = GetParam();
  const RowEvaluator rows(falling({0.0}, {3.0}), "particle.toml", {}, frictions(1));
  const Track track = noisy(rows, {0.2}, noise);
  ASSERT_EQ(track.numbers(), 202u);
  IdentifyOptions options;
  options.noise = noise / std::sqrt(3.0);
  const IdentifyResult result = found(rows, 1, track, options);
  EXPECT_NEAR(result.values[0], 0.2, 3.3e-3 * noise);
  EXPECT_NEAR(result.sd[0], 1.07e-3 * noise, 0.05 * 1.07e-3 * noise);
  EXPECT_GT(result.sum_of_squares, 0.7 * 202.0 * noise * noise / 3.0);
  EXPECT_LT(result.sum_of_squares, 1.3 * 202.0 * noise * noise / 3.0);
  RecordProperty("mu_error", std::to_string(result.values[0] - 0.2));
}

INSTANTIATE_TEST_SUITE_P(Levels, NoiseLong, testing::Values(5e-5, 5e-4, 5e-3, 5e-2, 5e-1));

class ParticlesLong : public testing::TestWithParam<std::size_t> {};

TEST_P(ParticlesLong, HaveTheFrictionsOfTable72) {
  const std::size_t count = GetParam();
  std::vector<double> x, y, mu;
  for (std::uint32_t i = 0; i < count; ++i) {
    x.push_back(10.0 * even(1000 + i, 1));
    y.push_back(2.5 + 2.5 * even(1000 + i, 2));
    mu.push_back(0.25 + 0.25 * even(1000 + i, 3));
  }
  const RowEvaluator rows(falling(x, y), "particles.toml", {}, frictions(count));
  IdentifyOptions options;
  options.noise = 0.005 / std::sqrt(3.0);
  const IdentifyResult result = found(rows, count, noisy(rows, mu, 0.005), options);
  double squares = 0.0;
  for (std::size_t i = 0; i < count; ++i) squares += (result.values[i] - mu[i]) * (result.values[i] - mu[i]);
  EXPECT_LE(std::sqrt(squares / static_cast<double>(count)), 3e-5);
}

INSTANTIATE_TEST_SUITE_P(Counts, ParticlesLong, testing::Values(2, 3, 5, 10));

// Section 7.6.2: a block on three points is pulled, and seen 30 times a second with 0.5 mm and 0.5 degrees of noise.
class SlidingBlockLong : public testing::Test {
 protected:
  SlidingBlockLong()
      : rows_(test::source_file("examples/identify/block.toml"), {},
              {{"mu", {"body.block.support.friction"}, {}, free_start, 1.0, 0.0, 1.0}}) {
    track_.interval = 1.0 / 30.0;
    track_.bodies = {0};
    const std::vector<double> poses = simulated(rows_, {{0.33}}, track_.interval, track_.records);
    for (std::uint32_t r = 0; r < track_.records; ++r)
      track_.observations.push_back({r, 0, poses[3 * r] + 5e-4 * normal(r, 0), poses[3 * r + 1] + 5e-4 * normal(r, 1),
                                     poses[3 * r + 2] + turn_noise * normal(r, 2), true});
    options_.noise = 5e-4;
    options_.turn_noise = turn_noise;
  }

  static constexpr double turn_noise = 0.5 * 3.14159265358979323846 / 180.0;
  RowEvaluator rows_;
  Track track_;
  IdentifyOptions options_;
};

TEST_F(SlidingBlockLong, HasItsFrictionInABatch) {
  const IdentifyResult result = found(rows_, 1, track_, options_);
  EXPECT_NEAR(result.values[0], 0.33, 0.01);
  EXPECT_LT(std::fabs(result.values[0] - 0.33), 4.0 * result.sd[0]);
  EXPECT_NEAR(result.objective / 183.0, 1.0, 0.35);
}

TEST_F(SlidingBlockLong, VariesLessInLongerWindows) {
  options_.method = Method::window;
  double last = std::numeric_limits<double>::infinity();
  for (const std::size_t records : {5u, 20u, 50u}) {
    options_.window = records;
    const IdentifyResult result = found(rows_, 1, track_, options_);
    EXPECT_EQ(result.estimates.size(), 61u - records + 1);
    EXPECT_LT(result.sd_over_time[0], last) << records;
    last = result.sd_over_time[0];
  }
  EXPECT_LT(last, 0.01);
}

TEST_F(SlidingBlockLong, IsFollowedByParticles) {
  options_.method = Method::particles;
  const IdentifyResult result = found(rows_, 1, track_, options_);
  ASSERT_EQ(result.estimates.size(), 61u);
  EXPECT_NEAR(result.values[0], 0.33, 0.02);
  for (const Estimate& one : result.estimates)
    EXPECT_NEAR(one.poses[0], track_.observations[one.record].x, 5.0 * 5e-4) << one.record;
}

}  // namespace
}  // namespace pegrasp::identify

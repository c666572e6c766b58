// SPDX-License-Identifier: Apache-2.0
// Recordings: what thinning and rounding change, and the numbers in a page.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "src/report/encode.hpp"
#include "src/report/track.hpp"

namespace pegrasp::report {
namespace {

PosePoint planar_point(int step, double x, double y, double theta) { return {step, {x, y, theta}}; }

// The reverse of PackedNumbers, written for this test alone.
std::vector<std::int64_t> unpacked(const std::string& text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::int64_t> out;
  unsigned bits = 0, count = 0;
  std::uint64_t value = 0, scale = 1;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits * 64 + static_cast<unsigned>(letters.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    const unsigned byte = (bits >> count) & 255u;
    value += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    out.push_back(value % 2 == 0 ? static_cast<std::int64_t>(value / 2) : -static_cast<std::int64_t>(value / 2) - 1);
    value = 0;
    scale = 1;
  }
  return out;
}

// Zigzag 0, 1, 2, 128 are the bytes 00, 01, 02, 80 01: AAECgAE= by RFC 4648.
TEST(ReportPackedNumbers, AreTheBytesOfTheFormat) {
  PackedNumbers numbers;
  for (const std::int64_t number : {0, -1, 1, 64}) numbers.put(number);
  EXPECT_EQ(numbers.text(), "AAECgAE=");
  PackedNumbers large;
  const std::vector<std::int64_t> given{4'000'000'000'000'000, -4'000'000'000'000'000, 63, -64, 8191, 8192};
  for (const std::int64_t number : given) large.put(number);
  EXPECT_EQ(unpacked(large.text()), given);
}

TEST(ReportTrack, StraightMotionIsTwoKeys) {
  std::vector<PosePoint> points;
  for (int i = 0; i <= 400; ++i) points.push_back(planar_point(i, 1e-4 * i, -2e-4 * i, 1e-3 * i));
  const Track track = thinned(points, false);
  ASSERT_EQ(track.keys.size(), 2u);
  EXPECT_EQ(track.keys.back().step, 400);
  EXPECT_LE(track.position_error, position_grain);
}

// The largest distance of the keys' way from the points, measured apart.
double largest_distance(const Track& track, const std::vector<PosePoint>& points, bool spatial) {
  double largest = 0.0;
  std::size_t k = 0;
  for (const PosePoint& point : points) {
    while (k + 2 < track.keys.size() && track.keys[k + 1].step <= point.step) ++k;
    const auto shown =
        pose_between(track.keys[k], track.keys[std::min(k + 1, track.keys.size() - 1)], point.step, spatial);
    double square = 0.0;
    for (std::size_t i = 0; i < (spatial ? 3u : 2u); ++i) square += std::pow(shown[i] - point.pose[i], 2);
    largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

TEST(ReportTrack, CircleStaysWithinTheStatedError) {
  std::vector<PosePoint> points;
  for (int i = 0; i < 1000; ++i) {
    const double angle = 2e-3 * i;
    points.push_back(planar_point(i, 0.1 * std::cos(angle), 0.1 * std::sin(angle), 0.3 * std::sin(3.0 * angle)));
  }
  const Track track = thinned(points, false);
  EXPECT_LT(track.keys.size(), 200u);
  EXPECT_LE(track.position_error, position_error);
  EXPECT_LE(track.angle_error, angle_error);
  EXPECT_NEAR(largest_distance(track, points, false), track.position_error, 1e-12);
}

// A turn about a fixed axis by two whole turns, given with quaternions of both signs.
TEST(ReportTrack, TurnsInSpaceStayWithinTheStatedError) {
  std::vector<PosePoint> points;
  for (int i = 0; i < 600; ++i) {
    const double half = 2.0 * std::numbers::pi * i / 600.0, sign = i % 2 == 0 ? 1.0 : -1.0;
    points.push_back({i,
                      {0.01 * std::sin(0.02 * i), 1e-5 * i, 0.3, sign * std::cos(half), sign * 0.6 * std::sin(half),
                       0.0, sign * 0.8 * std::sin(half)}});
  }
  const Track track = thinned(points, true);
  EXPECT_LT(track.keys.size(), 500u);
  EXPECT_LE(track.position_error, position_error);
  EXPECT_LE(track.angle_error, angle_error);
  EXPECT_GT(track.angle_error, 0.0);
  EXPECT_NEAR(largest_distance(track, points, true), track.position_error, 1e-12);
}

TEST(ReportTrack, BodiesThatRestAreTwoKeysAndAbsentOnesNone) {
  const std::vector<PosePoint> points(300, planar_point(0, 0.1, 0.2, 0.3));
  EXPECT_LE(thinned(points, false).keys.size(), 2u);
  EXPECT_TRUE(thinned({}, false).keys.empty());
}

// One body with two keys, one frame with one mark; numbers as encode.hpp lists them.
TEST(ReportEncoding, ListsTracksAndForces) {
  Recording recording;
  recording.h = 0.01;
  recording.steps = 2;
  recording.tracks = {
      {planar_point(0, 0.0, 0.0, 0.0), planar_point(1, 4e-6, 0.0, 0.0), planar_point(2, 8e-6, -4e-6, 0.0)}};
  recording.forces = {{2, {{MarkKind::slides, -1, 0, {1e-5, 2e-5, 0.0}, {-5.0, 10.0, 0.0}}}}};
  const Json out = encoded(recording);
  const std::vector<std::int64_t> expected{2, 0, 0, 0, 0,  2, 2, -1, 0,            // the track
                                           1, 2, 1, 2, -1, 0, 1, 2,  -500, 1000};  // the forces
  EXPECT_EQ(unpacked(out["numbers"].get<std::string>()), expected);
  EXPECT_DOUBLE_EQ(out["force_grain"].get<double>(), 0.01);
  EXPECT_LE(out["position_error"].get<double>(), 1e-5);
}

}  // namespace
}  // namespace pegrasp::report

// SPDX-License-Identifier: Apache-2.0
#include "src/report/track.hpp"

#include <algorithm>
#include <cmath>

namespace pegrasp::report {
namespace {

using PoseNumbers = std::array<double, 7>;

double grain(std::size_t number, bool spatial) {
  if (spatial) return number < 3 ? position_grain : quaternion_grain;
  return number < 2 ? position_grain : angle_grain;
}

constexpr double largest_grid = 4e15;  // below 2^53, so that every reader has the number exactly

TrackKey key_of(const PosePoint& point, bool spatial) {
  TrackKey key{point.step, {}};
  for (std::size_t i = 0; i < point.pose.size(); ++i) {
    const double number = point.pose[i] / grain(i, spatial);
    key.grid[i] = std::llround(std::clamp(number, -largest_grid, largest_grid));
  }
  return key;
}

struct TrackError {
  double position = 0.0, angle = 0.0;
  bool accepted() const { return position <= position_error && angle <= angle_error; }
};

// Of quaternions of length 1 the angle is that of the turn between them; q and -q are the same turn.
double angle_between(const PoseNumbers& a, const PoseNumbers& b) {
  double same = 0.0, other = 0.0;
  for (std::size_t i = 3; i < 7; ++i) {
    same += (a[i] - b[i]) * (a[i] - b[i]);
    other += (a[i] + b[i]) * (a[i] + b[i]);
  }
  return 4.0 * std::asin(std::min(1.0, 0.5 * std::sqrt(std::min(same, other))));
}

TrackError error_of(const PoseNumbers& shown, const PosePoint& point, bool spatial) {
  const std::size_t lengths = spatial ? 3 : 2;
  double square = 0.0;
  for (std::size_t i = 0; i < lengths; ++i) square += (shown[i] - point.pose[i]) * (shown[i] - point.pose[i]);
  return {std::sqrt(square), spatial ? angle_between(shown, point.pose) : std::fabs(shown[2] - point.pose[2])};
}

// The error of leaving out the points between two keys.
TrackError error_between(const std::vector<PosePoint>& points, std::size_t from, std::size_t to, bool spatial) {
  const TrackKey a = key_of(points[from], spatial), b = key_of(points[to], spatial);
  TrackError largest;
  for (std::size_t i = from; i <= to; ++i) {
    const TrackError error = error_of(pose_between(a, b, points[i].step, spatial), points[i], spatial);
    largest = {std::max(largest.position, error.position), std::max(largest.angle, error.angle)};
    if (!largest.accepted()) break;
  }
  return largest;
}

// Largest number of points between two keys: bounds the time.
constexpr std::size_t longest_gap = 512;

// The furthest point that the straight way from `from` reaches: doubled as long as it is accepted, then halved.
std::size_t reach(const std::vector<PosePoint>& points, std::size_t from, bool spatial) {
  const std::size_t last = std::min(points.size() - 1, from + longest_gap);
  std::size_t good = from + 1, bad = last + 1;
  while (good < last) {
    const std::size_t next = std::min(last, from + 2 * (good - from));
    if (!error_between(points, from, next, spatial).accepted()) {
      bad = next;
      break;
    }
    good = next;
  }
  while (good + 1 < bad) {
    const std::size_t middle = good + (bad - good) / 2;
    (error_between(points, from, middle, spatial).accepted() ? good : bad) = middle;
  }
  return good;
}

}  // namespace

PoseNumbers pose_between(const TrackKey& a, const TrackKey& b, double step, bool spatial) {
  const double share = b.step > a.step ? (step - a.step) / (b.step - a.step) : 0.0;
  PoseNumbers out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double from = static_cast<double>(a.grid[i]), to = static_cast<double>(b.grid[i]);
    out[i] = grain(i, spatial) * (from + share * (to - from));
  }
  if (!spatial) return out;
  const double size = std::sqrt(out[3] * out[3] + out[4] * out[4] + out[5] * out[5] + out[6] * out[6]);
  for (std::size_t i = 3; i < 7; ++i) out[i] = size > 0.0 ? out[i] / size : (i == 3 ? 1.0 : 0.0);
  return out;
}

Track thinned(const std::vector<PosePoint>& given, bool spatial) {
  Track track;
  std::vector<PosePoint> points = given;
  if (spatial) {  // q and -q are one turn: the nearer one follows
    for (std::size_t k = 1; k < points.size(); ++k) {
      double same = 0.0;
      for (std::size_t i = 3; i < 7; ++i) same += points[k].pose[i] * points[k - 1].pose[i];
      for (std::size_t i = 3; same < 0.0 && i < 7; ++i) points[k].pose[i] = -points[k].pose[i];
    }
  }
  for (std::size_t at = 0; at < points.size();) {
    track.keys.push_back(key_of(points[at], spatial));
    if (at + 1 >= points.size()) break;
    const std::size_t next = reach(points, at, spatial);
    const TrackKey a = key_of(points[at], spatial), b = key_of(points[next], spatial);
    for (std::size_t i = at; i <= next; ++i) {
      const TrackError error = error_of(pose_between(a, b, points[i].step, spatial), points[i], spatial);
      track.position_error = std::max(track.position_error, error.position);
      track.angle_error = std::max(track.angle_error, error.angle);
    }
    at = next;
  }
  return track;
}

}  // namespace pegrasp::report

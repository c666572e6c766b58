// SPDX-License-Identifier: Apache-2.0
#include "src/report/encode.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/report/track.hpp"

namespace pegrasp::report {
namespace {

constexpr double point_grain = 1e-5;     // [m] of points at which forces act
constexpr double force_levels = 1000.0;  // the largest component of a trial's forces is so many grains

double largest_force(const Recording& recording) {
  double largest = 0.0;
  for (const ForceFrame& frame : recording.forces) {
    for (const ForceMark& mark : frame.marks) {
      for (const double part : {mark.force.x, mark.force.y, mark.force.z}) largest = std::max(largest, std::fabs(part));
    }
  }
  return largest;
}

using MarkNumbers = std::array<std::int64_t, 6>;

std::int64_t whole(double number) { return std::llround(std::clamp(number, -4e15, 4e15)); }

MarkNumbers numbers_of(const ForceMark& mark, double force_grain) {
  const auto point = [](double x) { return whole(x / point_grain); };
  const auto force = [force_grain](double f) { return whole(f / force_grain); };
  return {point(mark.point.x), point(mark.point.y), point(mark.point.z),
          force(mark.force.x), force(mark.force.y), force(mark.force.z)};
}

void put_track(PackedNumbers& out, const Track& track, bool spatial) {
  const std::size_t numbers = spatial ? 7 : 3;
  out.put(static_cast<std::int64_t>(track.keys.size()));
  TrackKey before;
  for (const TrackKey& key : track.keys) {
    out.put(key.step - before.step);
    for (std::size_t i = 0; i < numbers; ++i) out.put(key.grid[i] - before.grid[i]);
    before = key;
  }
}

void put_forces(PackedNumbers& out, const Recording& recording, double force_grain) {
  out.put(static_cast<std::int64_t>(recording.forces.size()));
  int step = 0;
  std::vector<MarkNumbers> before;
  for (const ForceFrame& frame : recording.forces) {
    out.put(frame.step - step);
    step = frame.step;
    out.put(static_cast<std::int64_t>(frame.marks.size()));
    before.resize(std::max(before.size(), frame.marks.size()));
    for (std::size_t k = 0; k < frame.marks.size(); ++k) {
      const ForceMark& mark = frame.marks[k];
      for (const int number : {static_cast<int>(mark.kind), mark.body_a, mark.body_b}) out.put(number);
      const MarkNumbers numbers = numbers_of(mark, force_grain);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (recording.spatial || i % 3 != 2) out.put(numbers[i] - before[k][i]);
      }
      before[k] = numbers;
    }
  }
}

}  // namespace

void PackedNumbers::put(std::int64_t number) {
  std::uint64_t rest = (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
  while (rest >= 128) {
    bytes_ += static_cast<char>(rest % 128 + 128);
    rest /= 128;
  }
  bytes_ += static_cast<char>(rest);
}

std::string PackedNumbers::text() const {
  static const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes_.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes_.size() - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = 256 * word + (k < count ? static_cast<unsigned char>(bytes_[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? letters[(word >> (18 - 6 * k)) & 63u] : '=';
  }
  return out;
}

Json encoded(const Recording& recording) {
  PackedNumbers numbers;
  double position = 0.0, angle = 0.0;
  for (const std::vector<PosePoint>& points : recording.tracks) {
    const Track track = thinned(points, recording.spatial);
    position = std::max(position, track.position_error);
    angle = std::max(angle, track.angle_error);
    put_track(numbers, track, recording.spatial);
  }
  const double largest = largest_force(recording);
  const double force_grain = largest > 0.0 ? largest / force_levels : 1.0;
  put_forces(numbers, recording, force_grain);
  return {{"h", recording.h},
          {"steps", recording.steps},
          {"success", recording.success},
          {"status", recording.status},
          {"position_grain", position_grain},
          {"turn_grain", recording.spatial ? quaternion_grain : angle_grain},
          {"point_grain", point_grain},
          {"force_grain", force_grain},
          {"force_stride", recording.stride},
          {"position_error", position},
          {"angle_error", angle},
          {"numbers", numbers.text()}};
}

}  // namespace pegrasp::report

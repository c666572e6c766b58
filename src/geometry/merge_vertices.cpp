// SPDX-License-Identifier: Apache-2.0
// Points are sorted into cubes as large as the distance, so that only the 27 cubes around a point need a look.
#include "src/geometry/merge_vertices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>

#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

using Cube = std::array<std::int64_t, 3>;

std::vector<int> equal_vertices(const std::vector<Vec3>& points) {
  std::map<std::tuple<double, double, double>, int> first;
  std::vector<int> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 v = points[i];
    out.push_back(first.emplace(std::make_tuple(v.x, v.y, v.z), static_cast<int>(i)).first->second);
  }
  return out;
}

}  // namespace

double box_extent(const std::vector<Vec3>& points) {
  if (points.empty()) return 0.0;
  Vec3 low = points[0], high = points[0];
  for (const Vec3& v : points) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

std::vector<int> merged_vertices(const std::vector<Vec3>& points, double distance) {
  if (!(distance > 0.0) || points.empty()) return equal_vertices(points);
  const Vec3 origin = points[0];
  // A cube's number must fit; farther points than this many cubes away are not close to anything anyway.
  constexpr double farthest = 4e18;
  const auto number = [&](double x) {
    return static_cast<std::int64_t>(std::clamp(std::floor(x / distance), -farthest, farthest));
  };
  std::map<Cube, std::vector<int>> kept;
  std::vector<int> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 v = points[i] - origin;
    const Cube cube{number(v.x), number(v.y), number(v.z)};
    int found = std::numeric_limits<int>::max();
    for (int k = 0; k < 27; ++k) {
      const auto near = kept.find({cube[0] + k % 3 - 1, cube[1] + k / 3 % 3 - 1, cube[2] + k / 9 - 1});
      if (near == kept.end()) continue;
      for (const int j : near->second) {
        if (j < found && length(points[i] - points[static_cast<std::size_t>(j)]) <= distance) found = j;
      }
    }
    if (found == std::numeric_limits<int>::max()) {
      found = static_cast<int>(i);
      kept[cube].push_back(found);
    }
    out.push_back(found);
  }
  return out;
}

std::vector<int> merged_face(const std::vector<int>& face, const std::vector<int>& stands_for) {
  std::vector<int> out;
  for (const int corner : face) {
    const int merged = stands_for[static_cast<std::size_t>(corner)];
    if (out.empty() || out.back() != merged) out.push_back(merged);
  }
  while (out.size() > 1 && out.front() == out.back()) out.pop_back();
  return out;
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "src/geometry/triangulate.hpp"

#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// A face of more corners becomes a fan: the time of cutting grows with the cube of their number.
constexpr std::size_t most_cut_corners = 500;

class EarCutter {
 public:
  EarCutter(const std::vector<Vec3>& vertices, std::vector<int> face) : vertices_(vertices), left_(std::move(face)) {
    for (std::size_t k = 1; k + 1 < left_.size(); ++k) {
      normal_ = normal_ + cross(at(k) - at(0), at(k + 1) - at(0));
    }
  }

  std::vector<std::array<int, 3>> cut() {
    std::vector<std::array<int, 3>> out;
    while (left_.size() > 3 && left_.size() <= most_cut_corners) {
      std::size_t ear = 0;
      while (ear < left_.size() && !is_ear(ear)) ++ear;
      if (ear == left_.size()) break;
      out.push_back(corner(ear));
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    for (std::size_t k = 1; k + 1 < left_.size(); ++k) out.push_back({left_[0], left_[k], left_[k + 1]});
    return out;
  }

 private:
  Vec3 at(std::size_t k) const { return vertices_[static_cast<std::size_t>(left_[k])]; }
  // The corner k with its neighbours.
  std::array<int, 3> corner(std::size_t k) const {
    const std::size_t n = left_.size();
    return {left_[(k + n - 1) % n], left_[k], left_[(k + 1) % n]};
  }
  // Whether x is on the left of the line from a to b, seen against the normal.
  double side(Vec3 a, Vec3 b, Vec3 x) const { return dot(cross(b - a, x - a), normal_); }

  bool is_ear(std::size_t k) const {
    const std::array<int, 3> ear = corner(k);
    const Vec3 a = vertices_[static_cast<std::size_t>(ear[0])], b = vertices_[static_cast<std::size_t>(ear[1])];
    const Vec3 c = vertices_[static_cast<std::size_t>(ear[2])];
    if (!(side(a, b, c) > 0.0)) return false;
    for (const int other : left_) {
      if (other == ear[0] || other == ear[1] || other == ear[2]) continue;
      const Vec3 x = vertices_[static_cast<std::size_t>(other)];
      if (side(a, b, x) >= 0.0 && side(b, c, x) >= 0.0 && side(c, a, x) >= 0.0) return false;
    }
    return true;
  }

  const std::vector<Vec3>& vertices_;
  std::vector<int> left_;
  Vec3 normal_;
};

}  // namespace

std::vector<std::array<int, 3>> triangulated(const std::vector<Vec3>& vertices, const std::vector<int>& face) {
  return EarCutter(vertices, face).cut();
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "src/design/free_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "src/design/free_runs.hpp"
#include "src/design/inner_outline.hpp"

namespace pegrasp::design {
namespace {

// Convex, counter-clockwise; a half-plane has no corners, one normal and its bound.
struct Shape {
  std::vector<Vec2> corners, normals;
  double bound = 0.0;
};

constexpr double of_cell = 1e-3;  // share of a cell by which simulated bodies may overlap besides

double along(Vec2 n, Vec2 p) { return n.x * p.x + n.y * p.y; }
Vec2 turned(Vec2 p, double cosine, double sine) { return {cosine * p.x - sine * p.y, sine * p.x + cosine * p.y}; }

double most_along(const Shape& shape, Vec2 n) {
  double most = -1e300;
  for (const Vec2& corner : shape.corners) most = std::max(most, along(n, corner));
  return most;
}

void add_normals(Shape& shape) {
  for (std::size_t i = 0; i < shape.corners.size(); ++i) {
    const Vec2 a = shape.corners[i], b = shape.corners[(i + 1) % shape.corners.size()];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length > 0.0) shape.normals.push_back({(b.y - a.y) / length, (a.x - b.x) / length});
  }
}

// A part as a polygon inside it.
Shape inner_polygon(const ConvexPart& part) {
  Shape shape;
  if (part.kind == PartKind::half_plane) {
    shape.normals = {part.normal};
    shape.bound = part.offset;
    return shape;
  }
  shape.corners = inner_outline(part);
  add_normals(shape);
  return shape;
}

Shape placed(const Shape& shape, const Pose& pose) {
  const double cosine = std::cos(pose.theta), sine = std::sin(pose.theta);
  Shape out = shape;
  for (Vec2& corner : out.corners) {
    corner = turned(corner, cosine, sine);
    corner.x += pose.x;
    corner.y += pose.y;
  }
  for (Vec2& normal : out.normals) normal = turned(normal, cosine, sine);
  if (out.corners.empty()) out.bound += along(out.normals.front(), {pose.x, pose.y});
  return out;
}

double radius_of(const Shape& shape) {
  double radius = 0.0;
  for (const Vec2& corner : shape.corners) radius = std::max(radius, std::hypot(corner.x, corner.y));
  return radius;
}

// The places of a body, at one turn, at which its part lies in an obstacle by more than `depth`: an intersection of
// half-planes normal . place <= bound, which are those of the Minkowski sum, moved inwards.
struct Bound {
  Vec2 normal;
  double most = 0.0;
};

void blocked_places(const Shape& obstacle, const Shape& part, double depth, std::vector<Bound>& out) {
  out.clear();
  for (const Vec2& n : obstacle.normals) {
    const double reach = obstacle.corners.empty() ? obstacle.bound : most_along(obstacle, n);
    out.push_back({n, reach + most_along(part, {-n.x, -n.y}) - depth});
  }
  if (obstacle.corners.empty()) return;
  for (const Vec2& m : part.normals) {
    const Vec2 n{-m.x, -m.y};
    out.push_back({n, most_along(obstacle, n) + most_along(part, m) - depth});
  }
}

// The cells of one row that these bounds hold in the middle.
void block_row(const std::vector<Bound>& bounds, const Cells& cells, int row, FreeRuns& runs) {
  const double y = cells.y(row);
  double low = cells.x(0), high = cells.x(cells.columns - 1);
  for (const Bound& bound : bounds) {
    const double rest = bound.most - bound.normal.y * y;
    if (std::fabs(bound.normal.x) < 1e-12) {
      if (rest < 0.0) return;
    } else if (bound.normal.x > 0.0) {
      high = std::min(high, rest / bound.normal.x);
    } else {
      low = std::max(low, rest / bound.normal.x);
    }
    if (low > high) return;
  }
  const double first = std::ceil((low - cells.x(0)) / cells.side), last = std::floor((high - cells.x(0)) / cells.side);
  if (first <= last) runs.block(row, static_cast<int>(first), static_cast<int>(last));
}

// The rows within which places that a part and an obstacle block may lie: first to second, none where those are less.
std::pair<int, int> rows_between(const Shape& obstacle, const Shape& part, const Cells& cells) {
  if (obstacle.corners.empty()) return {0, cells.rows - 1};
  const double high = most_along(obstacle, {0.0, 1.0}) + most_along(part, {0.0, -1.0});
  const double low = -most_along(obstacle, {0.0, -1.0}) - most_along(part, {0.0, 1.0});
  const auto row = [&](double y) { return std::floor((y - cells.bottom) / cells.side); };
  return {static_cast<int>(std::clamp(row(low), 0.0, 1.0 * cells.rows)),
          static_cast<int>(std::clamp(row(high), -1.0, cells.rows - 1.0))};
}

class PathSearch {
 public:
  PathSearch(const SceneSpec& scene, const PathQuestion& question) : scene_(scene), question_(question) {
    if (scene.spatial) throw std::invalid_argument("the geometric level is for planar problems");
    const auto body = static_cast<std::size_t>(question.body);
    for (const ConvexPart& part : scene.bodies[body].planar().parts) {
      parts_.push_back(inner_polygon(part));
      radius_ = std::max(radius_, radius_of(parts_.back()));
    }
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (scene.bodies[b].kind != BodyKind::fixed || ignored(static_cast<int>(b))) continue;
      for (const ConvexPart& part : scene.bodies[b].planar().parts)
        obstacles_.push_back(placed(inner_polygon(part), scene.bodies[b].planar().pose));
    }
    set_cells();
  }

  std::optional<std::size_t> run() {
    FreeRuns runs(cells_);
    std::vector<Bound> bounds;
    std::vector<Shape> here;
    for (int k = 0; k < cells_.turns; ++k) {
      here.clear();
      for (const Shape& part : parts_) here.push_back(placed(part, {0.0, 0.0, cells_.turn(k)}));
      for (const Shape& part : here) {
        const double depth =
            cells_.side * (std::numbers::sqrt2 / 2.0 + of_cell) + radius_of(part) * 0.5 * cells_.turn(1);
        for (const Shape& obstacle : obstacles_) {
          blocked_places(obstacle, part, depth, bounds);
          const auto [first, last] = rows_between(obstacle, part, cells_);
          for (int row = first; row <= last; ++row) block_row(bounds, cells_, row, runs);
        }
      }
      runs.finish_turn();
    }
    runs.join_ends();
    runs.reach(question_.low, question_.high);
    for (std::size_t i = 0; i < question_.starts.size(); ++i)
      if (!runs.reaches(question_.starts[i])) return i;
    return std::nullopt;
  }

 private:
  bool ignored(int other) const {
    return std::any_of(scene_.ignored_pairs.begin(), scene_.ignored_pairs.end(), [&](const std::array<int, 2>& pair) {
      return (pair[0] == other && pair[1] == question_.body) || (pair[1] == other && pair[0] == question_.body);
    });
  }

  // Whether gravity along -y is all that moves the body, from rest.
  bool only_falls() const {
    if (!(scene_.gravity.y < 0.0) || scene_.gravity.x != 0.0 || !scene_.actuators.empty()) return false;
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      const BodySpec& body = scene_.bodies[b];
      const Twist& v = body.planar().velocity;
      const bool rests = v.vx == 0.0 && v.vy == 0.0 && v.omega == 0.0;
      if (static_cast<int>(b) == question_.body ? !rests : body.kind != BodyKind::fixed) return false;
    }
    return true;
  }

  // All that matters, and room around it for the body.
  void set_cells() {
    Vec2 low{1e300, 1e300}, high{-1e300, -1e300};
    double top = -1e300;
    const auto hold = [&](Vec2 p) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    };
    for (const Shape& obstacle : obstacles_)
      for (const Vec2& corner : obstacle.corners) hold(corner);
    for (const Pose& start : question_.starts) {
      hold({start.x, start.y});
      top = std::max(top, start.y);
    }
    for (const Pose* bound : {&question_.low, &question_.high}) {
      if (std::fabs(bound->x) < 1e6) hold({bound->x, low.y});
      if (std::fabs(bound->y) < 1e6) hold({low.x, bound->y});
    }
    const double room = radius_ + 2.0 * question_.cell;
    if (only_falls()) high.y = std::min(high.y, top + question_.cell - room);
    cells_.side = question_.cell;
    cells_.left = low.x - room;
    cells_.bottom = low.y - room;
    const double columns = std::ceil((high.x - low.x + 2.0 * room) / cells_.side);
    const double rows = std::ceil((high.y - low.y + 2.0 * room) / cells_.side);
    cells_.turns = std::max(4, static_cast<int>(std::ceil(2.0 * std::numbers::pi / question_.turn_cell - 1e-9)));
    if (!(columns * rows * cells_.turns <= 1e9))
      throw std::invalid_argument("the space of places and turns has more than 10^9 cells; take larger ones");
    cells_.columns = static_cast<int>(columns);
    cells_.rows = static_cast<int>(rows);
  }

  const SceneSpec& scene_;
  const PathQuestion& question_;
  std::vector<Shape> parts_, obstacles_;
  double radius_ = 0.0;
  Cells cells_;
};

}  // namespace

std::optional<std::size_t> first_without_path(const SceneSpec& scene, const PathQuestion& question) {
  return PathSearch(scene, question).run();
}

}  // namespace pegrasp::design

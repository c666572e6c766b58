// SPDX-License-Identifier: Apache-2.0
#include "src/design/picture.hpp"

#include <cmath>

#include "src/design/inner_outline.hpp"

namespace pegrasp::design {
namespace {

constexpr double shown_every = 0.02;  // [s]
constexpr double moved = 1e-4;        // [m], and [rad] times 10: where a body has come to rest, one place is enough

std::vector<Vec2> placed_outline(const ConvexPart& part, const Pose& pose) {
  std::vector<Vec2> points = inner_outline(part);
  const double cosine = std::cos(pose.theta), sine = std::sin(pose.theta);
  for (Vec2& p : points) p = {pose.x + cosine * p.x - sine * p.y, pose.y + sine * p.x + cosine * p.y};
  return points;
}

std::vector<Pose> path_of(const RowResult& result, std::size_t trial, std::size_t body) {
  std::vector<Pose> path;
  for (std::size_t k = 0; k < result.records; ++k) {
    const auto q = result.recorded_pose(trial, k, body);
    if (!path.empty()) {
      const Pose& last = path.back();
      if (std::hypot(q[0] - last.x, q[1] - last.y) < moved && std::fabs(q[2] - last.theta) < 10.0 * moved) continue;
    }
    path.push_back({q[0], q[1], q[2]});
  }
  return path;
}

}  // namespace

DesignPicture picture_of(const RowEvaluator& rows, Backend& backend, const Row& row) {
  DesignPicture picture;
  const Problem problem = rows.problem_at(row);
  if (problem.scene.spatial) return picture;
  std::size_t mover = problem.scene.bodies.size();
  for (std::size_t b = 0; b < problem.scene.bodies.size(); ++b) {
    const BodySpec& body = problem.scene.bodies[b];
    if (body.kind == BodyKind::dynamic && mover == problem.scene.bodies.size()) {
      mover = b;
      for (const ConvexPart& part : body.planar().parts) picture.moving.push_back(placed_outline(part, {}));
    }
    if (body.kind != BodyKind::fixed) continue;
    for (const ConvexPart& part : body.planar().parts)
      if (part.kind == PartKind::chain) picture.fixed.push_back(placed_outline(part, body.planar().pose));
  }
  if (mover == problem.scene.bodies.size()) return picture;
  RowOptions options;
  options.record_every = shown_every;
  options.samples = problem.axes.empty() ? 2 : 1;
  options.cells = 1;
  const int middle = problem.axes.empty() ? 0 : static_cast<int>(problem.axes.front().size() / 2);
  for (const int cell : middle > 0 ? std::vector<int>{0, middle} : std::vector<int>{0}) {
    options.first_cell = cell;
    const RowResult result = rows.evaluate(std::span(&row, 1), backend, options).front();
    for (std::size_t trial = 0; trial < result.trials(); ++trial)
      picture.paths.push_back(path_of(result, trial, mover));
  }
  return picture;
}

}  // namespace pegrasp::design

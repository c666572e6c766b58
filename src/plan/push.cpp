// SPDX-License-Identifier: Apache-2.0
#include "src/plan/push.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/decide/numbers.hpp"

namespace pegrasp::plan {
namespace {

constexpr double pi = std::numbers::pi;
// The way round the body is a polygon about a circle, whose corners are so far apart [rad].
constexpr double arc_step = pi / 8.0;

Vec2 plus(Vec2 a, Vec2 b, double factor = 1.0) { return {a.x + factor * b.x, a.y + factor * b.y}; }
Vec2 rotated(Vec2 v, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * v.x - s * v.y, s * v.x + c * v.y};
}
double distance(Vec2 a, Vec2 b) { return std::hypot(b.x - a.x, b.y - a.y); }

// Keeps the keyframes of the pusher, at the speeds of the task.
class Way {
 public:
  explicit Way(Vec2 begin) : at_(begin) { frames_.push_back({0.0, {begin.x, begin.y, 0.0}}); }
  void go(Vec2 to, double speed) {
    const double way = distance(at_, to);
    if (!(way > 1e-12)) return;
    frames_.push_back({frames_.back().time + way / speed, {to.x, to.y, 0.0}});
    at_ = to;
  }
  Vec2 at() const { return at_; }
  std::vector<Keyframe> take() { return std::move(frames_); }

 private:
  Vec2 at_;
  std::vector<Keyframe> frames_;
};

Vec2 centre_of(const Push& push) { return {push.body.x, push.body.y}; }
Vec2 begin_of(const PlanTask& task, const Push& push) { return plus(push.touch, push.direction, -task.clearance); }
Vec2 end_of(const Push& push) { return plus(push.touch, push.direction, push.length); }

// Where a ray from `from` leaves the circle about `centre`; `from` itself if that is outside.
Vec2 out_of_circle(Vec2 from, Vec2 direction, Vec2 centre, double radius) {
  const Vec2 arm = plus(from, centre, -1.0);
  const double along = arm.x * direction.x + arm.y * direction.y;
  const double square = radius * radius - (arm.x * arm.x + arm.y * arm.y - along * along);
  if (!(square > 0.0)) return from;
  const double way = -along + std::sqrt(square);
  return way > 0.0 ? plus(from, direction, way) : from;
}

// From the end of one push to the beginning of the next.
void travel(const PlanTask& task, const Push& from, const Push& to, Way& way) {
  const Vec2 centre = centre_of(to);  // where the push that ends has taken the body
  const double radius = (task.reach + task.pusher_radius + task.clearance) / std::cos(0.5 * arc_step);
  const Vec2 back = {-from.direction.x, -from.direction.y};
  way.go(out_of_circle(way.at(), back, centre, radius), task.travel_speed);
  const Vec2 entry = out_of_circle(begin_of(task, to), {-to.direction.x, -to.direction.y}, centre, radius);
  const auto bearing = [&](Vec2 p) { return std::atan2(p.y - centre.y, p.x - centre.x); };
  const double begin = bearing(way.at());
  double turn = std::remainder(bearing(entry) - begin, 2.0 * pi);
  const double first = distance(way.at(), centre), last = distance(entry, centre);
  const int corners = std::max(1, static_cast<int>(std::ceil(std::fabs(turn) / arc_step)));
  for (int k = 1; k < corners; ++k) {
    const double share = static_cast<double>(k) / corners;
    const double r = std::max(radius, first + share * (last - first));
    const double angle = begin + share * turn;
    way.go({centre.x + r * std::cos(angle), centre.y + r * std::sin(angle)}, task.travel_speed);
  }
  way.go(entry, task.travel_speed);
  way.go(begin_of(task, to), task.travel_speed);
}

std::string number(double value) { return decide::shortest_text(value); }

}  // namespace

Push place_push(const PlanTask& task, const Pose& body, const double* numbers) {
  const std::vector<Vec2>& outline = task.outline;
  double whole = 0.0;
  for (std::size_t i = 0; i < outline.size(); ++i) whole += distance(outline[i], outline[(i + 1) % outline.size()]);
  double left = (numbers[0] - std::floor(numbers[0])) * whole;
  std::size_t edge = 0;
  for (; edge + 1 < outline.size(); ++edge) {
    const double side = distance(outline[edge], outline[edge + 1]);
    if (left <= side) break;
    left -= side;
  }
  const Vec2 a = outline[edge], b = outline[(edge + 1) % outline.size()];
  const double side = distance(a, b);
  const Vec2 along{(b.x - a.x) / side, (b.y - a.y) / side};
  const Vec2 inner{-along.y, along.x};
  const Vec2 touch = plus(plus(a, along, std::min(left, side)), inner, -task.pusher_radius);
  Push push;
  push.touch = plus(Vec2{body.x, body.y}, rotated(touch, body.theta));
  push.direction = rotated(inner, body.theta + numbers[1]);
  push.length = std::max(0.0, numbers[2]);
  push.body = body;
  return push;
}

std::vector<Keyframe> motion_of(const PlanTask& task, const std::vector<Push>& pushes) {
  Way way(begin_of(task, pushes.front()));
  for (std::size_t k = 0; k < pushes.size(); ++k) {
    if (k > 0) travel(task, pushes[k - 1], pushes[k], way);
    way.go(end_of(pushes[k]), task.speed);
  }
  return way.take();
}

std::vector<Keyframe> motion_of(const PlanTask& task, const Push& push) {
  return motion_of(task, std::vector<Push>{push});
}

std::vector<Override> motion_overrides(const PlanTask& task, const std::vector<Keyframe>& motion) {
  std::string text = "[";
  for (const Keyframe& key : motion) {
    text += (text.size() > 1 ? ", " : "") + std::string("{ time_s = ") + number(key.time) +
            ", x_mm = " + number(1e3 * key.pose.x) + ", y_mm = " + number(1e3 * key.pose.y) + " }";
  }
  const double duration = motion.back().time;
  return {{"body." + task.pusher_name + ".motion", text + "]"}, {"simulation.duration_s", number(duration)}};
}

std::vector<Override> pose_overrides(const PlanTask& task, const Pose& pose) {
  const std::string body = "body." + task.body_name + ".";
  return {{body + "x_mm", number(1e3 * pose.x)},
          {body + "y_mm", number(1e3 * pose.y)},
          {body + "turn_deg", number(pose.theta * 180.0 / pi)}};
}

std::array<double, 3> deviation(const PlanTask& task, const Pose& pose) {
  return {(pose.x - task.goal.x) / task.allowed[0], (pose.y - task.goal.y) / task.allowed[1],
          (pose.theta - task.goal.theta) / task.allowed[2]};
}

}  // namespace pegrasp::plan

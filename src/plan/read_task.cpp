// SPDX-License-Identifier: Apache-2.0
// Reading [plan], the body's outline and the goal.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pegrasp/predicate.hpp"
#include "src/plan/push.hpp"
#include "src/problem/readers.hpp"

namespace pegrasp::plan {
namespace {

constexpr std::size_t most_pushes = 20;
constexpr double unbounded = 1e6;  // [m], [rad]: a range of [success] beyond it says nothing

const KeyList plan_keys{"body",      "pusher",           "speed_mm_s",   "travel_speed_mm_s",
                        "speed_m_s", "travel_speed_m_s", "clearance_mm", "clearance_m",
                        "push"};
const KeyList push_keys{"place", "angle_deg", "angle_rad", "length_mm", "length_m"};

// Points of which the part is the hull; arcs as many points.
void add_points(const ConvexPart& part, std::vector<Vec2>& out) {
  constexpr int round_points = 64;
  for (const Corner& corner : part.corners) {
    const int count = corner.radius > 0.0 ? round_points : 1;
    for (int k = 0; k < count; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / round_points;
      out.push_back(
          {corner.centre.x + corner.radius * std::cos(angle), corner.centre.y + corner.radius * std::sin(angle)});
    }
  }
}

double turn(Vec2 a, Vec2 b, Vec2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

// Andrew's monotone chain, counter-clockwise.
std::vector<Vec2> hull_of(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(), [](Vec2 a, Vec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Vec2> hull;
  for (const int way : {1, -1}) {
    const std::size_t base = hull.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec2 p = way > 0 ? points[i] : points[points.size() - 1 - i];
      while (hull.size() >= base + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0.0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
  }
  return hull;
}

void read_body(Section& section, const SceneSpec& scene, PlanTask& task) {
  task.body_name = section.text("body", {});
  task.body = find_body(section.context(), section.raw("body"), section.at("body"), scene, task.body_name);
  const BodySpec& body = scene.bodies[static_cast<std::size_t>(task.body)];
  if (body.kind != BodyKind::dynamic) section.fail("body", "is not dynamic; name the body that is pushed");
  std::vector<Vec2> points;
  for (const ConvexPart& part : body.planar().parts) add_points(part, points);
  task.outline = hull_of(points);
  for (const Vec2& p : task.outline) task.reach = std::max(task.reach, std::hypot(p.x, p.y));
  task.start = body.planar().pose;
}

void read_pusher(Section& section, const SceneSpec& scene, PlanTask& task) {
  task.pusher_name = section.text("pusher", {});
  task.pusher = find_body(section.context(), section.raw("pusher"), section.at("pusher"), scene, task.pusher_name);
  const BodySpec& pusher = scene.bodies[static_cast<std::size_t>(task.pusher)];
  const bool disc = pusher.planar().parts.size() == 1 && pusher.planar().parts[0].corners.size() == 1 &&
                    pusher.planar().parts[0].corners[0].centre.x == 0.0 &&
                    pusher.planar().parts[0].corners[0].centre.y == 0.0;
  if (pusher.kind != BodyKind::kinematic || !disc)
    section.fail("pusher", "must be a kinematic body of one disc about its origin");
  task.pusher_radius = pusher.planar().parts[0].corners[0].radius;
}

// The one pose_within of the body in the world.
void read_goal(Section& section, const SceneSpec& scene, PlanTask& task) {
  const Predicate* const goal = scene.success.size() == 1 ? &scene.success[0] : nullptr;
  const bool fits = goal != nullptr && properties(goal->kind).pose && goal->body == task.body && goal->body_b < 0 &&
                    goal->point.x == 0.0 && goal->point.y == 0.0;
  const double ends[6] = {fits ? goal->low.x : 0.0,  fits ? goal->low.y : 0.0,  fits ? goal->low.theta : 0.0,
                          fits ? goal->high.x : 0.0, fits ? goal->high.y : 0.0, fits ? goal->high.theta : 0.0};
  for (int i = 0; i < 3; ++i) {
    if (!fits || !(ends[i] > -unbounded) || !(ends[i + 3] < unbounded))
      section.fail("body", "needs [success] with pose_within of that body alone, with x_mm, y_mm and turn_deg");
    task.allowed[static_cast<std::size_t>(i)] = 0.5 * (ends[i + 3] - ends[i]);
    if (!(task.allowed[static_cast<std::size_t>(i)] > 0.0))
      section.fail("body", "needs [success] with ranges that are wider than nothing");
  }
  task.goal = {0.5 * (ends[0] + ends[3]), 0.5 * (ends[1] + ends[4]), 0.5 * (ends[2] + ends[5])};
}

PushRange read_push(ReadContext& context, const Node& node, const std::string& path) {
  Section section(context, &node, path, push_keys);
  PushRange out;
  const auto range = [&](std::size_t k, const char* base, const Quantity& quantity, const Range& allowed,
                         std::vector<double> fallback) {
    const std::vector<double> ends = section.numbers(base, quantity, 2, 2, allowed, fallback);
    if (!(ends[0] <= ends[1])) section.fail(base, "must be [low, high] with low not above high");
    out.low[k] = ends[0];
    out.high[k] = ends[1];
  };
  range(0, "place", quantity::number, Range{-1.0, 2.0}, {0.0, 1.0});
  range(1, "angle", quantity::angle, Range{-0.45 * std::numbers::pi, 0.45 * std::numbers::pi}, {-30.0, 30.0});
  range(2, "length", quantity::length, not_negative, {});
  section.finish(true);
  return out;
}

}  // namespace

PlanTask read_task(const RowEvaluator& rows) {
  const Node document = parse_toml(rows.document(), rows.origin());
  ReadContext context{rows.origin(), nullptr, {}};
  const Node* const node = document.find("plan");
  if (node == nullptr)
    throw InputError(rows.origin() + ": plan: is missing; add [plan] with body and pusher, and [[plan.push]]");
  const Problem& problem = rows.problem();
  if (problem.scene.spatial) throw InputError(rows.origin() + ": dim: plan takes planar problems only; leave it out");
  if (problem.cells() != 1)
    throw InputError(rows.origin() + ": plan: a plan is the one cell of its problem; leave out [grid] and [[axis]]");
  Section section(context, node, "plan", plan_keys);
  PlanTask task;
  read_body(section, problem.scene, task);
  read_pusher(section, problem.scene, task);
  read_goal(section, problem.scene, task);
  task.speed = section.number("speed", quantity::speed, {}, positive);
  task.travel_speed = section.number("travel_speed", quantity::speed, 1e3 * task.speed, positive);
  task.clearance = section.number("clearance", quantity::length, 1e3 * 0.2 * task.reach, positive);
  const Node* const pushes = section.raw("push");
  if (pushes == nullptr || pushes->items.empty() || pushes->items.size() > most_pushes)
    section.fail("push", "must be 1 to 20 tables [[plan.push]]");
  for (std::size_t k = 0; k < pushes->items.size(); ++k)
    task.pushes.push_back(read_push(context, pushes->items[k], "plan.push." + std::to_string(k)));
  section.finish(true);
  return task;
}

}  // namespace pegrasp::plan

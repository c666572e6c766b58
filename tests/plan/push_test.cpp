// SPDX-License-Identifier: Apache-2.0
// Where pushes touch, and that the pusher stays clear of the body on its way from one to the next.
#include "src/plan/push.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp::plan {
namespace {

const std::string scene = R"(
[simulation]
model = "quasistatic"
h_ms = 100
[[body]]
name = "block"
mass_kg = 4e-6
part = [{ shape = "box", width_mm = 1.6, height_mm = 0.8 }]
support = { radius_mm = 0.6, friction = 0.3 }
[[body]]
name = "needle"
kind = "kinematic"
part = [{ shape = "disc", radius_mm = 0.02 }]
[success]
pose_within = "block"
x_mm = [0.95, 1.05]
y_mm = [0.25, 0.35]
turn_deg = [17, 23]
)";
const std::string plan = R"([plan]
body = "block"
pusher = "needle"
speed_mm_s = 0.1
travel_speed_mm_s = 1
clearance_mm = 0.1
push = [{ length_mm = [0, 2] }, { place = [0.5, 0.6], angle_deg = [0, 10], length_mm = [0, 1] }]
)";

PlanTask task_of(const std::string& text) { return read_task(RowEvaluator(text, "test.toml")); }

TEST(PlanPush, ReadsTheTask) {
  const PlanTask task = task_of(scene + plan);
  EXPECT_EQ(task.body, 0);
  EXPECT_EQ(task.pusher, 1);
  EXPECT_EQ(task.outline.size(), 4u);
  EXPECT_NEAR(task.reach, std::hypot(0.8e-3, 0.4e-3), 1e-15);
  EXPECT_NEAR(task.goal.x, 1e-3, 1e-12);
  EXPECT_NEAR(task.goal.theta, 20.0 * std::numbers::pi / 180.0, 1e-12);
  EXPECT_NEAR(task.allowed[2], 3.0 * std::numbers::pi / 180.0, 1e-12);
  ASSERT_EQ(task.pushes.size(), 2u);
  EXPECT_NEAR(task.pushes[0].low[1], -std::numbers::pi / 6.0, 1e-12);
  EXPECT_NEAR(task.pushes[1].high[2], 1e-3, 1e-15);
}

// The outline begins at its leftmost lower corner and goes round counter-clockwise: 1.6, 0.8, 1.6, 0.8 mm.
TEST(PlanPush, TouchesTheOutline) {
  const PlanTask task = task_of(scene + plan);
  const double lower[3] = {1.2 / 4.8, 0.0, 1e-3}, right[3] = {2.0 / 4.8, 0.5, 0.0}, again[3] = {1.0 + 1.2 / 4.8, 0, 0};
  const Push up = place_push(task, {}, lower);
  EXPECT_NEAR(up.touch.x, 0.4e-3, 1e-15);
  EXPECT_NEAR(up.touch.y, -0.42e-3, 1e-15);
  EXPECT_NEAR(up.direction.x, 0.0, 1e-15);
  EXPECT_NEAR(up.direction.y, 1.0, 1e-15);
  EXPECT_NEAR(place_push(task, {}, again).touch.x, 0.4e-3, 1e-15);
  const Push left = place_push(task, {1e-3, 2e-3, std::numbers::pi / 2.0}, right);  // the block stands upright
  EXPECT_NEAR(left.touch.x, 1e-3, 1e-15);
  EXPECT_NEAR(left.touch.y, 2.82e-3, 1e-15);
  EXPECT_NEAR(left.direction.x, std::sin(0.5), 1e-15);
  EXPECT_NEAR(left.direction.y, -std::cos(0.5), 1e-15);
}

// Beside pushes the pusher keeps away from the body by nearly its clearance, but where it leaves and comes.
TEST(PlanPush, GoesRoundTheBody) {
  const PlanTask task = task_of(scene + plan);
  const auto gap = [&](double x, double y) {  // from the block at rest at the origin
    return std::hypot(std::fmax(std::fabs(x) - 0.8e-3, 0.0), std::fmax(std::fabs(y) - 0.4e-3, 0.0)) - 0.02e-3;
  };
  for (int a = 0; a < 24; ++a) {
    for (int b = 0; b < 24; ++b) {
      const double first[3] = {a / 24.0 + 0.01, 0.5, 0.0}, second[3] = {b / 24.0 + 0.01, -0.4, 0.0};
      const std::vector<Push> pushes{place_push(task, {}, first), place_push(task, {}, second)};
      const std::vector<Keyframe> motion = motion_of(task, pushes);
      for (std::size_t k = 1; k < motion.size(); ++k) {
        const Pose &from = motion[k - 1].pose, &to = motion[k].pose;
        ASSERT_GT(motion[k].time, motion[k - 1].time);
        const double way = std::hypot(to.x - from.x, to.y - from.y);
        const double speed = way / (motion[k].time - motion[k - 1].time);
        EXPECT_TRUE(std::fabs(speed - 1e-4) < 1e-9 || std::fabs(speed - 1e-3) < 1e-9) << speed;
        for (int i = 0; i <= 20; ++i) {
          const double share = i / 20.0;
          EXPECT_GT(gap(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)), -1e-12) << a << ' ' << b;
        }
      }
      EXPECT_NEAR(motion.back().pose.x, pushes[1].touch.x, 1e-12);
    }
  }
}

std::string refusal(const std::string& text) {
  try {
    task_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(PlanPush, RefusesInOneLine) {
  const auto says = [](const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = scene + plan;
    text.replace(text.find(from), from.size(), to);
    return refusal(text);
  };
  says(refusal(scene), "plan: is missing");
  says(with("pusher = \"needle\"", "pusher = \"block\""), "kinematic body of one disc");
  says(with("body = \"block\"", "body = \"needle\""), "is not dynamic");
  says(with("turn_deg = [17, 23]", ""), "needs [success] with pose_within");
  says(with("[0.5, 0.6]", "[0.6, 0.5]"), "low not above high");
  says(with("speed_mm_s", "sped_mm_s"), "sped_mm_s");
  says(with("push = [{ length_mm = [0, 2] },", "push = [{ },"), "length");
}

}  // namespace
}  // namespace pegrasp::plan

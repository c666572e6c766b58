// SPDX-License-Identifier: Apache-2.0
// The forces that a step reports explain the momentum that every body gains in it.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/joint/scenes.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/finger_grasp.hpp"
#include "tests/scenes/heaps.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/stack.hpp"

namespace pegrasp {
namespace {

Vec3 plus(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec3 times(double f, Vec3 a) { return {f * a.x, f * a.y, f * a.z}; }
Vec3 across(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
double size(Vec3 a) { return std::hypot(a.x, a.y, a.z); }

struct Momentum {
  Vec3 linear, angular;
};

// By (x v) = 2 w (q x v) + 2 q x (q x v) + v.
Vec3 rotated(const Quaternion& q, Vec3 v) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 t = times(2.0, across(axis, v));
  return plus(v, plus(times(q.w, t), across(axis, t)));
}

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
// By the rotation vector phi.
Quaternion exponential(Vec3 phi) {
  const double angle = size(phi);
  const double f = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
  return {std::cos(0.5 * angle), f * phi.x, f * phi.y, f * phi.z};
}

// In the middle of the last (sub)step, where velocities change by the impulses of half of it and half of the next.
Momentum momentum(const SceneSpec& scene, const Simulation& simulation, int b) {
  const BodySpec& body = test::body_of(scene, b);
  if (!scene.spatial) {
    const Twist v = simulation.middle_velocity(b);
    return {times(body.mass, {v.vx, v.vy, 0.0}), {0.0, 0.0, body.planar().inertia * v.omega}};
  }
  const SpatialTwist v = simulation.spatial_middle_velocity(b);
  const Quaternion back = exponential(times(-0.5 * simulation.last_substep(b), v.angular));
  const Quaternion turn = product(back, simulation.spatial_pose(b).turn);
  const Vec3 w = rotated({turn.w, -turn.x, -turn.y, -turn.z}, v.angular);
  const InertiaTensor& i = body.spatial().inertia;
  const Vec3 own{i.xx * w.x + i.xy * w.y + i.xz * w.z, i.xy * w.x + i.yy * w.y + i.yz * w.z,
                 i.xz * w.x + i.yz * w.y + i.zz * w.z};
  return {times(body.mass, v.velocity), rotated(turn, own)};
}

// Sums over the contacts and loads themselves.
std::vector<Momentum> summed(const StepContents& contents, std::size_t bodies) {
  std::vector<Momentum> out(bodies);
  const auto add = [&](int body, Vec3 force, Vec3 turn) {
    if (body < 0) return;
    Momentum& sum = out[static_cast<std::size_t>(body)];
    sum = {plus(sum.linear, force), plus(sum.angular, turn)};
  };
  for (const ContactReport& c : contents.step_contacts) {
    add(c.body_a, times(-1.0, c.impulse), c.turn_a);
    add(c.body_b, c.impulse, c.turn_b);
  }
  for (const LoadReport& l : contents.loads) {
    add(l.body_a, times(-1.0, l.impulse), l.turn_a);
    add(l.body_b, l.impulse, l.turn_b);
  }
  return out;
}

struct Seen {
  double contact = 0.0, other = 0.0;  // sums of the sizes of impulses [N s]
  int slides = 0, sticks = 0;
  int rejected = 0;
};

// Steps the scene and checks every body in every step to 1e-9 of what was handed over.
// turn_bound: of moments. A body that turns about more than one axis has the inertia of its predicted motion's middle
// in the step, from which that of the motion itself differs.
Seen expect_balance(const SceneSpec& scene, const StepOptions& options, double turn_bound) {
  Simulation simulation = test::simulate(scene, options);
  simulation.watch_contacts();
  const auto bodies = static_cast<int>(scene.bodies.size());
  Seen seen;
  std::vector<Momentum> before;
  std::vector<double> last;
  for (int b = 0; b < bodies; ++b) {
    before.push_back(momentum(scene, simulation, b));
    last.push_back(simulation.last_substep(b));
  }
  // How long impulses on a body act in the step that has ended: from the middle of the last substep before it on.
  const auto acts = [&](int b) {
    return options.h + 0.5 * (last[static_cast<std::size_t>(b)] - simulation.last_substep(b));
  };
  double worst = 0.0, worst_turn = 0.0;
  while (simulation.step()) {
    const StepContents& contents = simulation.contents();
    const std::vector<Momentum> sums = summed(contents, scene.bodies.size());
    for (const ContactReport& c : contents.step_contacts) {
      const bool first = test::body_of(scene, c.body_a).kind == BodyKind::dynamic;
      EXPECT_NEAR(c.duration, acts(first ? c.body_a : c.body_b), 1e-15);
      seen.slides += c.state == ContactState::slide;
      seen.sticks += c.state == ContactState::stick;
      seen.contact += size(c.impulse);
    }
    for (const LoadReport& l : contents.loads) seen.other += size(l.impulse) + size(l.moment);
    for (int b = 0; b < bodies; ++b) {
      const BodySpec& body = test::body_of(scene, b);
      const Momentum now = momentum(scene, simulation, b);
      const BodyLoad& load = contents.bodies[static_cast<std::size_t>(b)];
      const Momentum& sum = sums[static_cast<std::size_t>(b)];
      EXPECT_NEAR(size(plus(plus(load.contact_impulse, load.constraint_impulse), times(-1.0, sum.linear))), 0.0,
                  1e-9 * (1.0 + size(sum.linear)));
      if (body.kind == BodyKind::dynamic && simulation.present(b) && !body.slide_axis) {
        const double fall = acts(b) * body.mass;
        const Vec3 weight = times(fall, {scene.gravity.x, scene.gravity.y, scene.gravity_z});
        const Vec3 gained = plus(now.linear, times(-1.0, before[static_cast<std::size_t>(b)].linear));
        const Vec3 turned = plus(now.angular, times(-1.0, before[static_cast<std::size_t>(b)].angular));
        const double linear = size(plus(plus(sum.linear, weight), times(-1.0, gained)));
        const double angular = size(plus(sum.angular, times(-1.0, turned)));
        const double rest = 1e-3 * body.mass;  // at rest nothing is handed over but rounding
        const double scale = rest + size(weight) + size(sum.linear) + size(now.linear) + size(sum.angular);
        worst = std::fmax(worst, linear / scale);
        worst_turn = std::fmax(worst_turn, angular / scale);
      }
      before[static_cast<std::size_t>(b)] = now;
      last[static_cast<std::size_t>(b)] = simulation.last_substep(b);
    }
  }
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(worst_turn, turn_bound);
  seen.rejected = simulation.outcome().substeps_rejected;
  return seen;
}

struct Case {
  const char* name;
  SceneSpec (*make)();
  double h, duration;
  bool contacts, others;  // whether there are impulses of these
  bool slides, halves;
  double turn_bound = 1e-9;
};

SceneSpec pushed_block() {
  SceneSpec scene = scenes::block_on_plane(0.3, 0.0);
  ActuatorSpec push;
  push.name = "push";
  push.body = 1;
  push.axis = {1.0, 0.0};
  push.target = 10.0;
  scene.actuators = {push};
  return scene;
}

SceneSpec tripod() {
  return scenes::tripod_slider({Vec2{0.03, 0.0}, Vec2{-0.02, 0.025}, Vec2{-0.02, -0.025}}, 0.3, {0.3, 0.1, 2.0});
}

SceneSpec balls_with_moments() {
  SceneSpec scene = scenes::stack_3d(3, 0.4);
  for (int b = 0; b < 3; ++b) scene.friction.push_back({b, b + 1, 0.4, 0.05, 0.02});
  scene.bodies[3].spatial().velocity.angular = {0.3, 0.2, 4.0};
  return scene;
}

const Case cases[] = {
    {"Sliding", [] { return scenes::block_on_plane(0.3, 1.0); }, 0.005, 0.5, true, false, true, false},
    {"Pushed", pushed_block, 0.005, 0.3, true, true, true, false},
    {"Rolling",
     [] {
       return scenes::disc_on_plane(0.1, 1.0, 0.5, {1.0, 0.0, 3.0});
     },
     0.005, 0.4, true, false, true, false},
    {"Supported", tripod, 0.005, 0.3, false, true, false, false},
    {"Stacked", [] { return scenes::stack(3, 0.3, 5); }, 0.016, 1.0, true, false, false, false},
    {"Grasped", [] { return scenes::finger_grasp(3, 0.5); }, 0.005, 0.6, true, true, true, false},
    {"Squeezed", [] { return scenes::wedge(0.05, 0.01, 0.6); }, 0.005, 0.2, true, true, false, false},
    {"Jointed", [] { return test::hanging_rod(0.8, JointKind::revolute); }, 0.005, 0.3, false, true, false, false},
    {"Stacked3d", [] { return scenes::stack_3d(3, 0.4); }, 0.01, 0.5, true, false, false, false},
    {"Moments3d", balls_with_moments, 0.01, 0.4, true, false, true, false},
    {"Grasped3d", [] { return scenes::space_lift(0.6); }, 0.005, 0.8, true, true, true, false},
    {"Halved3d", scenes::two_heaps, 0.016, 0.5, true, false, true, true, 1e-2},
    {"Limited3d", [] { return test::leaning_rod(0.4, 0.3, 5.0); }, 0.005, 0.4, false, true, false, false, 1e-3},
};

class Balance : public testing::TestWithParam<std::tuple<Case, Strategy>> {};

TEST_P(Balance, ImpulsesExplainMomenta) {
  const auto& [one, strategy] = GetParam();
  StepOptions options = test::steps_of(one.h, one.duration);
  options.strategy = strategy;
  const Seen seen = expect_balance(one.make(), options, one.turn_bound);
  EXPECT_EQ(seen.contact > 0.0, one.contacts);
  EXPECT_EQ(seen.other > 0.0, one.others);
  EXPECT_EQ(seen.sticks + seen.slides > 0, one.contacts);
  EXPECT_TRUE(!one.slides || seen.slides > 0);
  EXPECT_TRUE(!one.halves || seen.rejected > 0) << "no step was halved";
}

INSTANTIATE_TEST_SUITE_P(Forces, Balance,
                         testing::Combine(testing::ValuesIn(cases),
                                          testing::Values(Strategy::per_scene, Strategy::batched)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) == Strategy::batched ? "Batched" : "PerScene");
                         });

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Fast bodies that hit a fixed one off their centres, so that they come off with a turn of radians within the step; and
// how deep two convex parts are in each other on a way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "pegrasp/options.hpp"
#include "tests/scenes/random.hpp"
#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

// The two bodies and their outlines in their own frames. 120 sides stand for what is round.
struct FastHit {
  SceneSpec scene;
  std::vector<Vec2> fixed, moving;
  double thick = 0.0;  // [m] both inradii together
};

inline std::vector<Vec2> box_outline(double width, double height) {
  const double x = 0.5 * width, y = 0.5 * height;
  return {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
}
inline std::vector<Vec2> ellipse_outline(double a, double b) {
  std::vector<Vec2> out;
  for (int i = 0; i < 120; ++i) out.push_back({a * std::cos(0.0523598775598 * i), b * std::sin(0.0523598775598 * i)});
  return out;
}

// A box of 40 mm by 30 mm flies from x = -300 mm to what is fixed at the origin.
inline FastHit hit_on(BodySpec fixed, std::vector<Vec2> outline, double inradius, double y, double speed) {
  FastHit hit;
  hit.scene.name = "fast_hit";
  hit.scene.gravity = {0.0, 0.0};
  fixed.kind = BodyKind::fixed;
  BodySpec box = box_body("box", 0.04, 0.03, 1.0);
  box.planar().pose.x = -0.3;
  box.planar().pose.y = y;
  box.planar().velocity.vx = speed;
  hit.scene.bodies = {fixed, box};
  hit.fixed = std::move(outline);
  hit.moving = box_outline(0.04, 0.03);
  hit.thick = inradius + 0.015;
  return hit;
}
inline FastHit hit_on_box() {
  return hit_on(box_body("wall", 0.04, 0.008, 1.0), box_outline(0.04, 0.008), 0.004, 0.007, 10.0);
}
inline FastHit hit_on_disc() {
  return hit_on(disc_body("disc", 0.02, 1.0), ellipse_outline(0.02, 0.02), 0.02, 0.007, 20.0);
}
inline FastHit hit_on_ellipse(double a) {
  BodySpec body = disc_body("ellipse", 0.3, 1.0);
  body.planar().parts = {make_exact_superellipse("part", {{}, a, 0.3, 2, 0.0})};
  return hit_on(body, ellipse_outline(a, 0.3), std::min(a, 0.3), 0.007, 20.0);
}

// The same with any sizes, aim, speed and spin. `long_wall`: nothing gets around it in the time.
inline FastHit random_hit(std::uint64_t seed, bool long_wall) {
  Random random(seed);
  const double width = 0.001 * random.uniform(2.0, 50.0),
               height = long_wall ? 100.0 : 0.001 * random.uniform(4.0, 80.0);
  const bool disc = !long_wall && random.below(3) == 0;
  BodySpec fixed = disc ? disc_body("disc", 0.5 * width, 1.0) : box_body("wall", width, height, 1.0);
  FastHit hit = hit_on(fixed, disc ? ellipse_outline(0.5 * width, 0.5 * width) : box_outline(width, height),
                       0.5 * (disc ? width : std::min(width, height)), 0.0, random.uniform(2.0, 40.0));
  BodySpec& body = hit.scene.bodies[1];
  const double a = 0.001 * random.uniform(4.0, 100.0), b = 0.001 * random.uniform(4.0, 100.0);
  const bool round = random.below(4) == 0;
  const Pose pose{-0.1 - 0.1 * random.uniform(0.0, 4.0), 0.03 * random.uniform(-1.0, 1.0), random.uniform(0.0, 6.28)};
  const double speed = body.planar().velocity.vx;
  const Twist twist{speed, speed * 0.1 * random.uniform(-1.0, 1.0),
                    random.below(2) == 0 ? 0.0 : 100.0 * random.uniform(-1.0, 1.0)};
  body = round ? disc_body("disc", 0.5 * a, 1.0) : box_body("box", a, b, 1.0);
  body.friction = hit.scene.bodies[0].friction = random.below(2) == 0 ? 0.0 : 0.5;
  body.planar().pose = pose;
  body.planar().velocity = twist;
  hit.moving = round ? ellipse_outline(0.5 * a, 0.5 * a) : box_outline(a, b);
  hit.thick += 0.5 * (round ? a : std::min(a, b)) - 0.015;
  return hit;
}

// How deep [m] the moving part is in the fixed one at the origin, along the best of the normals of their sides and of
// 64 other directions, and uphill from there. Negative: they are apart by at least that.
inline double depth_at(const FastHit& hit, const Pose& pose) {
  const double c = std::cos(pose.theta), s = std::sin(pose.theta);
  std::vector<Vec2> moving;
  for (const Vec2& p : hit.moving) moving.push_back({pose.x + c * p.x - s * p.y, pose.y + s * p.x + c * p.y});
  double apart = -1e300;
  double best = 0.0;
  const auto along = [&](double angle) {
    const double x = std::cos(angle), y = std::sin(angle);
    double low = 1e300, high = -1e300;
    for (const Vec2& p : moving) low = std::min(low, x * p.x + y * p.y);
    for (const Vec2& p : hit.fixed) high = std::max(high, x * p.x + y * p.y);
    if (low - high > apart) best = angle;
    apart = std::max(apart, low - high);
  };
  along(std::atan2(pose.y, pose.x));
  if (apart > 0.0) return -apart;
  for (int i = 0; i < 64; ++i) along(0.098174770424681 * i);
  for (const double turn : {0.0, pose.theta}) {
    for (int i = 0; i < 4; ++i) along(turn + 1.5707963267949 * i);
  }
  for (double step = 0.05; step > 1e-5; step *= 0.5) {
    const double middle = best;
    along(middle - step);
    along(middle + step);
  }
  return -apart;
}

// The deepest on the way from one pose to another.
inline double deepest_on_way(const FastHit& hit, const Pose& from, const Pose& to, int poses = 100) {
  double deepest = -1e300;
  for (int i = 0; i <= poses; ++i) {
    const double t = static_cast<double>(i) / poses;
    deepest = std::max(deepest, depth_at(hit, {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y),
                                               from.theta + t * (to.theta - from.theta)}));
  }
  return deepest;
}

// What a run says about passages. A step that changes no velocity goes the straight way, one of a single substep the
// way between its poses, and neither may lead through with status ok.
struct Passages {
  int unhindered = 0;  // steps without any impulse, in spite of an overlap of more than 0.15 of both inradii
  int through = 0;     // single substeps on whose way the parts were deeper than 0.6 of both inradii
  int unresolved = 0;
};

template <class Run>
Passages fly(Run& run, const FastHit& hit) {
  Passages found;
  while (true) {
    const Pose from = run.pose(1);
    const Twist before = run.velocity(1);
    const SceneOutcome last = run.outcome();
    if (!run.step()) return found;
    const SceneOutcome now = run.outcome();
    if (now.unresolved_steps != last.unresolved_steps) {
      ++found.unresolved;
      return found;  // what overlaps now may come out in any way
    }
    const Twist after = run.velocity(1);
    const bool free = after.vx == before.vx && after.vy == before.vy && after.omega == before.omega;
    if (!free && now.substeps != last.substeps + 1) continue;
    const double depth = deepest_on_way(hit, from, run.pose(1));
    if (free && depth > 0.15 * hit.thick) ++found.unhindered;
    if (depth > 0.6 * hit.thick) ++found.through;
  }
}

}  // namespace pegrasp::scenes

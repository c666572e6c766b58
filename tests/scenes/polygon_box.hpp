// SPDX-License-Identifier: Apache-2.0
// Box of polygons (Williams' thesis 5.2.3): every 0.25 s a polygon is dropped into a container, for 5 s. Each is the
// hull of ten random points within +-0.25 m, of 10 kg/m^2, released 3 m up, left and right in turn.
#pragma once

#include <algorithm>

#include "tests/scenes/random.hpp"
#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

// Convex hull, counter-clockwise (Andrew's monotone chain).
inline std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(), [](Vec2 a, Vec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  const auto cross = [](Vec2 o, Vec2 a, Vec2 b) { return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); };
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t base = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= base + 2 && cross(hull[hull.size() - 2], hull.back(), p) <= 0.0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

// Floor and two walls, 2 m wide inside, 2.5 m high; or as wide and high as asked for.
inline void add_container(SceneSpec& scene, double friction, double inside = 2.0, double high = 2.5) {
  const auto add = [&](const std::string& name, double width, double height, double x, double y) {
    BodySpec wall = box_body(name, width, height, 6.25);
    wall.kind = BodyKind::fixed;
    wall.planar().pose = {x, y, 0.0};
    wall.friction = friction;
    scene.bodies.push_back(wall);
  };
  add("floor", inside + 0.5, 0.25, 0.0, -0.125);
  add("wall+x", 0.25, high, 0.5 * inside + 0.125, 0.5 * high);
  add("wall-x", 0.25, high, -0.5 * inside - 0.125, 0.5 * high);
}

constexpr double polygon_box_duration = 5.0;  // [s]

// The hull of ten random points within +-0.25 m.
inline BodySpec random_polygon(Random& random, const std::string& name, double friction) {
  std::vector<Vec2> points;
  for (int k = 0; k < 10; ++k) {
    const double x = random.uniform(-0.25, 0.25);
    points.push_back({x, random.uniform(-0.25, 0.25)});
  }
  BodySpec body = polygon_body(name, convex_hull(points), 10.0);
  body.friction = friction;
  return body;
}

inline SceneSpec polygon_box(std::uint64_t seed, double friction, int polygon_count = 20) {
  SceneSpec scene;
  scene.name = "polygon_box";
  scene.gravity = {0.0, -standard_gravity};
  add_container(scene, friction);
  Random random(seed);
  for (int i = 0; i < polygon_count; ++i) {
    BodySpec body = random_polygon(random, "poly" + std::to_string(i), friction);
    body.planar().pose.x += (i % 2 == 0 ? -1.0 : 1.0) * random.uniform(0.3, 0.6);
    body.planar().pose.y += 3.0;
    body.drop_time = 0.25 * i;
    scene.bodies.push_back(body);
  }
  return scene;
}

// Many polygons at once: they start in rows of `columns` above the floor of a container as wide as a row.
inline SceneSpec polygon_pour(std::uint64_t seed, double friction, int polygon_count, int columns) {
  constexpr double spacing = 0.75;  // the longest diagonal is 0.71 m
  SceneSpec scene;
  scene.name = "polygon_pour";
  scene.gravity = {0.0, -standard_gravity};
  const int rows = (polygon_count + columns - 1) / columns;
  add_container(scene, friction, spacing * columns, spacing * rows + 1.0);
  Random random(seed);
  for (int i = 0; i < polygon_count; ++i) {
    BodySpec body = random_polygon(random, "poly" + std::to_string(i), friction);
    body.planar().pose.x += spacing * (i % columns + 0.5 - 0.5 * columns);
    body.planar().pose.y += 0.4 + spacing * (i / columns);
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace pegrasp::scenes

// SPDX-License-Identifier: Apache-2.0
// Contact model ratio in the plane: its contacts against the metric, and a block on a half-plane. The same in 3D, and
// what is refused: tests/spatial/ratio_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "src/geometry/vectors.hpp"
#include "src/metrics/infeasibility.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp {
namespace {

StepOptions planar_ratio(double h, double duration) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.contact = ContactModel::ratio;
  options.tolerance = 1e-12;
  return options;
}

Simulation begin_planar(const SceneSpec& scene, const StepOptions& options) {
  return Simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
}

ConvexPart random_part(scenes::Random& random) {
  std::vector<Vec2> points;
  const int count = 3 + static_cast<int>(random.below(6));
  for (int i = 0; i < count; ++i) {
    const double angle = (i + random.uniform(0.1, 0.9)) * 6.283185307179586 / count;
    points.push_back({random.uniform(0.6, 1.0) * std::cos(angle), random.uniform(0.6, 1.0) * std::sin(angle)});
  }
  return make_polygon("part", scenes::convex_hull(points));
}

Vec3 placed(const Pose& pose, Vec3 x) {
  const double c = std::cos(pose.theta), s = std::sin(pose.theta);
  return {c * x.x - s * x.y + pose.x, s * x.x + c * x.y + pose.y, 0.0};
}
GrowingPolytope placed(const ConvexPart& part, const Pose& pose) {
  std::vector<Vec2> points;
  for (const Corner& corner : part.corners) {
    const Vec3 x = placed(pose, {corner.centre.x, corner.centre.y, 0.0});
    points.push_back({x.x, x.y});
  }
  return growing(make_polygon("placed", points));
}

// Where the grown polygons meet is a contact, whose gap is the metric's and whose force its gradient.
TEST(PlanarRatioContact, TheNearestEventIsTheGradientOfTheMetric) {
  scenes::Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    SceneSpec scene;
    for (const char* name : {"a", "b"}) {
      BodySpec body = scenes::box_body(name, 1.0, 1.0, 1.0);
      body.planar().parts = {random_part(random)};
      body.planar().pose.theta = random.uniform(-3.0, 3.0);
      scene.bodies.push_back(body);
    }
    const double aim = random.uniform(-0.02, 0.02), way = random.uniform(-3.0, 3.0);
    std::vector<Pose> poses{scene.bodies[0].planar().pose, scene.bodies[1].planar().pose};
    const auto metric = [&](const std::vector<Pose>& at) {
      return ratio_metric_2d(placed(scene.bodies[0].planar().parts[0], at[0]),
                             placed(scene.bodies[1].planar().parts[0], at[1]));
    };
    double near = 0.3, far = 3.0;
    for (int k = 0; k < 45; ++k) {
      const double middle = 0.5 * (near + far);
      poses[1].x = middle * std::cos(way);
      poses[1].y = middle * std::sin(way);
      (metric(poses).metric < aim ? near : far) = middle;
    }
    scene.bodies[1].planar().pose = poses[1];
    StepOptions options = planar_ratio(0.01, 0.01);
    options.detect_distance = 0.1;
    Simulation simulation = begin_planar(scene, options);
    simulation.watch_contacts();
    ASSERT_TRUE(simulation.step());
    const RatioMetric found = metric(poses);
    const std::vector<ContactReport>& contacts = simulation.contents().contacts;
    const auto nearest = std::min_element(contacts.begin(), contacts.end(), [&](const auto& x, const auto& y) {
      return length(x.point - found.point) < length(y.point - found.point);
    });
    ASSERT_NE(nearest, contacts.end()) << trial;
    EXPECT_LT(length(nearest->point - found.point), 1e-9) << trial;
    const GrowingPolytope a = placed(scene.bodies[0].planar().parts[0], poses[0]);
    const GrowingPolytope b = placed(scene.bodies[1].planar().parts[0], poses[1]);
    const double along = dot(nearest->normal, b.centre - a.centre), psi = nearest->gap / found.ratio;
    EXPECT_NEAR(psi / along, found.metric, 1e-9) << trial;
    double v[2][3];
    for (auto& body : v) {
      for (double& one : body) one = random.uniform(-1.0, 1.0);
    }
    const auto after = [&](double t) {
      std::vector<Pose> out = poses;
      for (std::size_t k = 0; k < 2; ++k)
        out[k] = {out[k].x + t * v[k][0], out[k].y + t * v[k][1], out[k].theta + t * v[k][2]};
      return metric(out).metric;
    };
    constexpr double t = 1e-6;
    const double slope = (after(t) - after(-t)) / (2.0 * t);
    const auto speed = [&](std::size_t k) {
      const Vec3 arm = nearest->point - Vec3{poses[k].x, poses[k].y, 0.0};
      return Vec3{v[k][0], v[k][1], 0.0} + cross(Vec3{0.0, 0.0, v[k][2]}, arm);
    };
    const double expected = dot(nearest->normal, speed(1) - speed(0)) / ((along - psi) * found.ratio * found.ratio);
    EXPECT_NEAR(slope, expected, 1e-6 * (1.0 + std::abs(slope))) << trial;
  }
}

// A block that slides on a half-plane, which does not grow.
TEST(PlanarRatioContact, ABlockSlidesAndRests) {
  const SceneSpec scene = scenes::block_on_plane(0.4, 1.0);
  const Infeasibility infeasibility(scene);
  Simulation simulation = begin_planar(scene, planar_ratio(0.001, 0.5));
  while (simulation.step()) {
    EXPECT_LT(infeasibility.planar({simulation.pose(0), simulation.pose(1)}, {true, true}), 1e-9);
  }
  EXPECT_NEAR(simulation.pose(1).x, 1.0 / (2.0 * 0.4 * scenes::standard_gravity), 1e-3);
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.contact_count(), 2);
}

TEST(PlanarRatioContact, RefusesArcs) {
  SceneSpec scene;
  scene.bodies = {scenes::disc_body("disc", 0.1, 1.0)};
  try {
    derive_options(planar_ratio(0.01, 1.0), scene);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("body \"disc\", part"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Drawings of scenes in 3D: every kind of part, and a cylinder as a closed prism of its size.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "src/report/drawing.hpp"

namespace pegrasp::report {
namespace {

TEST(ReportDrawing, ACylinderIsAClosedPrism) {
  constexpr double radius = 0.02, half = 0.05;
  SceneSpec scene;
  scene.spatial = true;
  BodySpec body;
  body.name = "can";
  SpatialBody form;
  form.parts = {make_cylinder("can", {-half, 0.0, 0.0}, {half, 0.0, 0.0}, radius), make_sphere("ball", {}, radius),
                make_capsule("bar", {0.0, 0.0, -half}, {0.0, 0.0, half}, radius)};
  body.form = form;
  scene.bodies = {body};
  const Json drawing = drawing_of(scene);
  const Json& part = drawing["bodies"][0]["parts"][0];
  EXPECT_EQ(part["name"], "can");
  const Json& numbers = part["vertices"];
  ASSERT_EQ(numbers.size() % 3, 0u);
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    EXPECT_NEAR(std::abs(numbers[i].get<double>()), half, 1e-6);
    EXPECT_NEAR(std::hypot(numbers[i + 1].get<double>(), numbers[i + 2].get<double>()), radius, 1e-6);
  }
  std::map<std::pair<int, int>, int> edges;  // every edge once each way
  for (const Json& face : part["faces"]) {
    for (std::size_t k = 0; k < face.size(); ++k) ++edges[{face[k].get<int>(), face[(k + 1) % face.size()].get<int>()}];
  }
  EXPECT_FALSE(edges.empty());
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
  }
}

}  // namespace
}  // namespace pegrasp::report

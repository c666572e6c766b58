// SPDX-License-Identifier: Apache-2.0
// The scene generators make what they say, and examples/scenes holds what they make.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "pegrasp/scene_json.hpp"
#include "src/metrics/overlap.hpp"
#include "tests/places.hpp"
#include "tests/scenes/all.hpp"

namespace pegrasp::scenes {
namespace {

double overlap_at_start(const SceneSpec& scene) {
  std::vector<Pose> poses;
  std::vector<bool> present;
  for (const BodySpec& body : scene.bodies) {
    poses.push_back(body.planar().pose);
    present.push_back(body.drop_time == 0.0);
  }
  return total_overlap_area(scene, poses, present);
}

TEST(Scenes, StartWithoutOverlap) {
  EXPECT_LT(overlap_at_start(stack(0, 0.25)), 1e-15);
  EXPECT_LT(overlap_at_start(polygon_box(0, 0.25)), 1e-15);
  EXPECT_LT(overlap_at_start(triangle_drop()), 1e-15);
  EXPECT_LT(overlap_at_start(corner_approach()), 1e-15);
  EXPECT_LT(overlap_at_start(rotation_overlap()), 1e-15);
  EXPECT_LT(overlap_at_start(momentum_row()), 1e-15);
  EXPECT_LT(overlap_at_start(gear_squeeze(0.3)), 1e-15);
  EXPECT_LT(overlap_at_start(disc_on_plane(0.1, 1.0, 0.5, {})), 1e-15);
  EXPECT_LT(overlap_at_start(polygon_on_plane(24, 0.1, 1.0, 0.5, {})), 1e-15);
  EXPECT_LT(overlap_at_start(block_on_incline(0.5, 0.5)), 1e-15);
  for (const double y : {-0.9, -0.5, 0.0, 0.3, 0.9}) EXPECT_LT(overlap_at_start(wedge(1.0, y, 0.5)), 1e-15) << y;
}

TEST(Scenes, PolygonBoxIsTheThesisExperiment) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const SceneSpec scene = polygon_box(seed, 0.25);
    ASSERT_EQ(scene.bodies.size(), 23u);
    for (std::size_t i = 3; i < 23; ++i) {
      const BodySpec& body = scene.bodies[i];
      const AreaProperties properties = area_properties(body.planar().parts[0]);
      EXPECT_NEAR(body.mass, 10.0 * properties.area, 1e-14);
      EXPECT_NEAR(properties.centroid.x, 0.0, 1e-15);
      EXPECT_NEAR(properties.centroid.y, 0.0, 1e-15);
      EXPECT_EQ(body.drop_time, 0.25 * static_cast<double>(i - 3));
      EXPECT_LT(std::fabs(body.planar().pose.x), 0.75);
      for (const Corner& corner : body.planar().parts[0].corners)
        EXPECT_LT(std::fabs(corner.centre.x + body.planar().pose.x), 0.86);
    }
  }
}

TEST(Scenes, SeedsDiffer) {
  EXPECT_NE(stack(0, 0.0).bodies[3].planar().pose.x, stack(1, 0.0).bodies[3].planar().pose.x);
  EXPECT_NE(polygon_box(0, 0.0).bodies[3].mass, polygon_box(1, 0.0).bodies[3].mass);
}

// Figure 5.25: what one step with the normals of its start leaves.
TEST(Scenes, RotationOverlapReproducesTheFiguresNumbers) {
  const SceneSpec scene = rotation_overlap();
  const auto after = [&](double h) {
    return total_overlap_area(scene, std::vector<Pose>{{0, 0, h}, {0, 0.5, h}}, {true, true});
  };
  EXPECT_NEAR(after(0.01), 0.000025, 1e-8);
  EXPECT_NEAR(after(0.1), 0.0025, 5e-6);
  EXPECT_NEAR(after(0.2), 0.01, 5e-5);
  EXPECT_NEAR(after(0.3), 0.0223, 5e-5);
  EXPECT_NEAR(after(0.4), 0.0395, 5e-5);
  EXPECT_NEAR(after(0.5), 0.0612, 5e-5);
}

// The thesis scenes as files. With PEGRASP_WRITE_EXAMPLES set in the environment the test writes them instead.
TEST(Scenes, ExamplesAreUpToDate) {
  struct Example {
    std::string file;
    SceneSpec scene;
    double t_end;
  };
  const std::vector<Example> examples{
      {"triangle_drop.json", triangle_drop(), triangle_drop_duration},
      {"stack.json", stack(0, 0.25), 20.0},
      {"polygon_box.json", polygon_box(0, 0.25), polygon_box_duration},
      {"corner_approach.json", corner_approach(), 0.25},
      {"rotation_overlap.json", rotation_overlap(), 0.01},
      {"momentum.json", momentum_row(), 4.0},
      {"gear_squeeze.json", gear_squeeze(0.3), gear_squeeze_duration},
  };
  for (const Example& example : examples) {
    const std::filesystem::path path = std::filesystem::path(test::source_dir()) / "examples" / "scenes" / example.file;
    const std::string wanted = write_scene_json(example.scene, example.t_end);
    if (std::getenv("PEGRASP_WRITE_EXAMPLES") != nullptr) std::ofstream(path) << wanted;
    std::ifstream stream(path);
    const std::string found((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    EXPECT_TRUE(found == wanted) << path
                                 << " differs from its generator: set PEGRASP_WRITE_EXAMPLES=1 and run this test";
    const SceneFile file = load_scene_json(path);
    EXPECT_EQ(file.t_end, example.t_end);
    EXPECT_EQ(file.scene.bodies.size(), example.scene.bodies.size());
  }
}

}  // namespace
}  // namespace pegrasp::scenes

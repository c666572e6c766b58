// SPDX-License-Identifier: Apache-2.0
// Damaged mesh and URDF files: each is read into parts and bodies or refused by a ShapeError of one line, never
// anything else.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "pegrasp/shapes.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/formats/urdf.hpp"
#include "src/formats/urdf_file.hpp"
#include "tests/damage.hpp"
#include "tests/files.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

template <class Read>
void fuzz(const std::string& text, int tries, const Read& read) {
  std::mt19937_64 random(test::fuzz_seed(20261123));
  int accepted = 0;
  for (int k = 0; k < tries; ++k) {
    std::string damaged = text;
    for (auto n = 1 + random() % 3; n > 0; --n) test::damage(damaged, random);
    try {
      read(damaged);
      ++accepted;
    } catch (const ShapeError& error) {
      const std::string message = error.what();
      ASSERT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
  std::cout << "[ ACCEPTED ] " << accepted << " of " << tries << "\n";
}

TEST(PartFilesFuzz, Meshes) {
  const test::Folder folder;
  const auto mesh = [&](const char* name) {
    return [&folder, name](const std::string& text) {
      for (const SolidPart& part : load_mesh(test::written(folder.path() / name, text), "part", {})) {
        ASSERT_TRUE(std::isfinite(solid_properties(part).volume));
        ASSERT_GE(part.shape.faces.size(), 4u);
      }
    };
  };
  const std::string two =
      "o a\n" + test::box_obj({0, 0, 0}, {1, 2, 3}) + "o b\n" + test::box_obj({1, 0, 0}, {2, 2, 3}, 8);
  const test::Triangles box = test::box_triangles({0, 0, 0}, {1, 2, 3});
  fuzz(two, 300, mesh("a.obj"));
  fuzz(test::ascii_stl(box), 300, mesh("a.stl"));
  fuzz(test::binary_stl(box), 300, mesh("b.stl"));
  fuzz(test::content(test::source_file("tests/fuzz/seeds/tetrahedron.poly")), 300, mesh("c.poly"));
}

TEST(PartFilesFuzz, Urdf) {
  if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  const test::Folder folder;
  std::filesystem::copy(test::source_file("examples/arm/meshes"), folder.path() / "meshes");
  fuzz(test::content(test::source_file("examples/arm/arm.urdf")), 300, [&](const std::string& text) {
    SceneSpec scene;
    scene.spatial = true;
    add_urdf(scene, test::written(folder.path() / "arm.urdf", text), {});
    for (const double x : scene_parameters(scene)) ASSERT_TRUE(std::isfinite(x));
  });
}

}  // namespace
}  // namespace pegrasp

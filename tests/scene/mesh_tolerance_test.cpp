// SPDX-License-Identifier: Apache-2.0
// Meshes as programs write them: coarse coordinates, faces of many corners, holes where a hull is asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "src/formats/mesh_file.hpp"
#include "src/geometry/triangulate.hpp"
#include "src/metrics/round_overlap.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

using test::written;

struct MeshTolerance : testing::Test {
  test::Folder folder;
  std::vector<Remark> remarks;

  std::vector<SolidPart> load(const std::string& name, const std::string& text, const MeshPlacement& placement = {}) {
    remarks.clear();
    return load_mesh(written(folder.path() / name, text), "part", placement, &remarks);
  }
  std::string refusal(const std::string& name, const std::string& text, const MeshPlacement& placement = {}) {
    try {
      load(name, text, placement);
    } catch (const ShapeError& error) {
      return error.what();
    }
    return "nothing";
  }
  static double volume(const std::vector<SolidPart>& parts) {
    double sum = 0.0;
    for (const SolidPart& part : parts) sum += solid_properties(part).volume;
    return sum;
  }
};

// A unit cube of loose triangles, whose corners are moved by up to `noise`.
test::Triangles shaken_cube(double noise) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> shift(-noise, noise);
  test::Triangles box = test::box_triangles({0, 0, 0}, {1, 1, 1});
  for (auto& triangle : box) {
    for (Vec3& v : triangle) v = {v.x + shift(random), v.y + shift(random), v.z + shift(random)};
  }
  return box;
}

TEST_F(MeshTolerance, CornersWithinItAreOne) {
  const auto parts = load("a.stl", test::binary_stl(shaken_cube(2e-5)));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].shape.vertices.size(), 8u);
  EXPECT_NEAR(volume(parts), 1.0, 3e-4);
  EXPECT_NE(refusal("a.stl", test::binary_stl(shaken_cube(1e-3))).find("is open"), std::string::npos);
  // relative to the size
  MeshPlacement small;
  small.scale = {1e-3, 1e-3, 1e-3};
  EXPECT_NEAR(volume(load("a.stl", test::binary_stl(shaken_cube(2e-5)), small)), 1e-9, 3e-13);
}

// A cube whose top is pressed in by `depth` in the middle.
std::string dented_cube(double depth) {
  std::string text = test::box_vertices({0, 0, 0}, {1, 1, 1}) + "v 0.5 0.5 " + std::to_string(1.0 - depth) + "\n";
  for (std::size_t f = 0; f < 6; ++f) {
    if (f != 1) text += test::face_line(test::cuboid_quads()[f], 0);
  }
  const std::vector<int>& top = test::cuboid_quads()[1];
  for (std::size_t k = 0; k < 4; ++k) text += test::face_line({top[k], top[(k + 1) % 4], 9}, 0);
  return text;
}

TEST_F(MeshTolerance, ConvexToATenThousandthOfTheSize) {
  EXPECT_EQ(load("a.obj", dented_cube(0.9e-4))[0].shape.faces.size(), 6u);
  const std::string deeper = refusal("a.obj", dented_cube(2e-4));
  EXPECT_NE(deeper.find("not convex"), std::string::npos) << deeper;
  EXPECT_NE(deeper.find("hull = true"), std::string::npos) << deeper;
  MeshPlacement placement;
  placement.tolerance = 1e-3;
  EXPECT_NO_THROW(load("a.obj", dented_cube(2e-4), placement));
}

// Six decimals of a part of 0.1: what V-HACD and CoACD write.
TEST_F(MeshTolerance, AHullOfRoundedPointsLoads) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<Vec3> points;
  for (int k = 0; k < 60; ++k) {
    const Vec3 v{normal(random), normal(random), normal(random)};
    const double size = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    points.push_back({0.05 * v.x / size, 0.05 * v.y / size, 0.05 * v.z / size});
  }
  const Polyhedron exact = make_polyhedron(points);
  std::string text;
  for (const Vec3& v : exact.vertices) {
    char line[100];
    std::snprintf(line, sizeof line, "v %.6f %.6f %.6f\n", v.x, v.y, v.z);
    text += line;
  }
  for (const PolyhedronFace& face : exact.faces) text += test::face_line(face.vertices, 1);
  const auto parts = load("hull.obj", text);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_NEAR(volume(parts), solid_properties(exact).volume, 1e-4 * solid_properties(exact).volume);
}

// A prism of n corners about z, of radius 1 and height 1.
std::string prism_obj(int n) {
  std::string text, bottom = "f", top = "f", sides;
  for (int k = 0; k < n; ++k) {
    const double angle = 2.0 * 3.14159265358979323846 * k / n;
    for (const char* z : {" 0", " 1"})
      text += "v " + std::to_string(std::cos(angle)) + " " + std::to_string(std::sin(angle)) + z + "\n";
    const int next = (k + 1) % n;
    sides += test::face_line({2 * k + 1, 2 * next + 1, 2 * next + 2, 2 * k + 2}, 0);
    top += " " + std::to_string(2 * k + 2);
    bottom += " " + std::to_string(2 * (n - 1 - k) + 1);
  }
  return text + bottom + "\n" + top + "\n" + sides;
}

TEST_F(MeshTolerance, FacesOfAnyNumberOfCorners) {
  for (const int n : {32, 33, 71, 200}) {
    const auto parts = load("prism.obj", prism_obj(n));
    EXPECT_EQ(parts.size() > 1, n > 32) << n;
    for (const SolidPart& part : parts) {
      for (const PolyhedronFace& face : part.shape.faces) EXPECT_LE(face.vertices.size(), 32u);
    }
    const double exact = 0.5 * n * std::sin(2.0 * 3.14159265358979323846 / n);
    EXPECT_NEAR(volume(parts), exact, 1e-5) << n;
  }
  EXPECT_EQ(load("prism.obj", prism_obj(71))[1].name, "part_2");
}

TEST_F(MeshTolerance, TheHullSaysWhatItAdds) {
  MeshPlacement placement;
  placement.hull = true;
  placement.scale = {0.01, 0.01, 0.01};
  const auto parts = load("l.obj", test::l_shape_obj(), placement);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_NEAR(volume(parts), 3.5e-6, 1e-12);
  // the middle of the hull's face x + y = 3 lies 1/2 from the walls of the notch
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_FALSE(remarks[0].warning);
  EXPECT_NE(remarks[0].text.find("volume 3 cm^3 and 0.5 cm^3 added"), std::string::npos) << remarks[0].text;
  EXPECT_NE(remarks[0].text.find("up to 5 mm"), std::string::npos) << remarks[0].text;
  // of every piece, and of a mesh with a hole
  EXPECT_EQ(
      load("two.obj", "o a\n" + test::box_obj({0, 0, 0}, {1, 1, 1}) + "o b\n" + test::box_obj({1, 0, 0}, {2, 1, 1}, 8),
           placement)
          .size(),
      2u);
  std::string open = test::box_vertices({0, 0, 0}, {1, 1, 1});
  for (std::size_t f = 1; f < 6; ++f) open += test::face_line(test::cuboid_quads()[f], 0);
  EXPECT_NEAR(volume(load("open.obj", open, placement)), 1e-6, 1e-15);
}

// Triangles fill a face with a notch and nothing else.
TEST_F(MeshTolerance, FacesWithNotchesAreFilled) {
  const std::vector<Vec3> outline{{0, 0, 0}, {3, 0, 0}, {3, 3, 0}, {2, 3, 0},
                                  {2, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
  double sum = 0.0;
  const auto triangles = triangulated(outline, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(triangles.size(), 6u);
  for (const auto& t : triangles) {
    const Vec3 a = outline[static_cast<std::size_t>(t[0])], b = outline[static_cast<std::size_t>(t[1])];
    const Vec3 c = outline[static_cast<std::size_t>(t[2])];
    const double area = 0.5 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
    EXPECT_GT(area, 0.0);
    sum += area;
  }
  EXPECT_EQ(sum, 7.0);  // of the U, exactly: no triangle lies over another
}

// What was read can be measured: the overlap of a part whose faces are bent by the rounding of its coordinates.
TEST_F(MeshTolerance, MeasuresTakeWhatWasRead) {
  const SolidPart bent = load("a.stl", test::binary_stl(shaken_cube(3e-7)))[0];
  ASSERT_EQ(bent.shape.faces.size(), 6u);
  const MeasuredPart cube = measured_part(bent);
  const SpatialPose shifted{{0.5, 0.0, 0.0}, {}};
  EXPECT_NEAR(part_overlap(cube, {}, cube, shifted), 0.5, 1e-5);
  const MeasuredPart ground = measured_part(make_half_space("ground", {0.0, 0.0, 1.0}, 0.25));
  EXPECT_NEAR(part_overlap(ground, {}, cube, {}), 0.25, 1e-5);
}

TEST_F(MeshTolerance, AMeshInMillimetresIsAWarning) {
  load("a.obj", test::box_obj({0, 0, 0}, {40, 40, 40}));
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_TRUE(remarks[0].warning);
  EXPECT_NE(remarks[0].text.find("is 40 m long"), std::string::npos) << remarks[0].text;
  EXPECT_NE(remarks[0].text.find("scale = 0.001"), std::string::npos) << remarks[0].text;
  MeshPlacement placement;
  placement.scale = {0.001, 0.001, 0.001};
  load("a.obj", test::box_obj({0, 0, 0}, {40, 40, 40}), placement);
  EXPECT_TRUE(remarks.empty());
  load("a.obj", test::box_obj({0, 0, 0}, {0.4, 0.4, 0.4}));
  EXPECT_TRUE(remarks.empty());
}

TEST_F(MeshTolerance, TextsOfOtherSystems) {
  const std::string mark = "\xef\xbb\xbf";
  const std::string obj = test::box_obj({0, 0, 0}, {1, 1, 1});
  std::string lines;
  for (const char c : obj) lines += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_NEAR(volume(load("a.obj", mark + obj)), 1.0, 1e-12);
  EXPECT_NEAR(volume(load("a.obj", mark + lines)), 1.0, 1e-12);
  const std::string stl = test::ascii_stl(test::box_triangles({0, 0, 0}, {1, 1, 1}));
  std::string upper = stl;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_NEAR(volume(load("a.stl", upper)), 1.0, 1e-12);
  // of old systems, and of programs that add remarks of their own
  const auto returns = [](std::string text) {
    std::replace(text.begin(), text.end(), '\n', '\r');
    return text;
  };
  EXPECT_NEAR(volume(load("r.stl", returns(stl))), 1.0, 1e-12);
  EXPECT_NEAR(volume(load("r.obj", returns(obj))), 1.0, 1e-12);
  EXPECT_NEAR(volume(load("e.stl", stl + "COLOR=red, vertex 1\n\nmade by x\n")), 1.0, 1e-12);
  EXPECT_NEAR(volume(load("a.stl", mark + stl)), 1.0, 1e-12);
  EXPECT_NEAR(volume(load("a.stl", stl + std::string("\x1a\0\0", 3))), 1.0, 1e-12);
  const std::string binary = test::binary_stl(test::box_triangles({0, 0, 0}, {1, 1, 1}));
  EXPECT_NEAR(volume(load("a.stl", binary + std::string(7, 'x'))), 1.0, 1e-12);
  EXPECT_NE(refusal("a.stl", binary.substr(0, binary.size() - 7)).find("is cut short: its 12 triangles take 684 bytes"),
            std::string::npos);
  const std::string odd = refusal("a.obj", "o größe\nv 0 0 nulll-ä\n");
  EXPECT_NE(odd.find("\"nulll-ä\""), std::string::npos) << odd;
}

// Points of a sphere: more corners than a part may have. A hull of them all would take half a minute.
TEST_F(MeshTolerance, TooManyCornersAreRefusedBeforeTheHull) {
  std::string text;
  constexpr int count = 19'000;
  for (int k = 0; k < count; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / count, r = std::sqrt(1.0 - z * z), angle = 2.399963229728653 * k;
    text += "v " + std::to_string(r * std::cos(angle)) + " " + std::to_string(r * std::sin(angle)) + " " +
            std::to_string(z) + "\n";
  }
  for (int k = 1; k + 2 <= count; k += 3) text += test::face_line({k, k + 1, k + 2}, 0);
  MeshPlacement placement;
  placement.hull = true;
  const std::string said = refusal("ball.obj", text, placement);
  EXPECT_NE(said.find("corners, and 5460 are the most of a part of 8190 edges"), std::string::npos) << said;
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Convex parts from OBJ and STL files, and what is said of files that hold none.
#include "src/formats/mesh_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pegrasp/scene_json.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

using test::written;

struct MeshFile : testing::Test {
  test::Folder folder;

  std::vector<SolidPart> load(const std::string& name, const std::string& text, const MeshPlacement& placement = {}) {
    return load_mesh(written(folder.path() / name, text), "part", placement);
  }
  // What is said of a file that is refused.
  std::string refusal(const std::string& name, const std::string& text) {
    try {
      load(name, text);
    } catch (const ShapeError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_NE(message.find(name), std::string::npos) << message;
      return message;
    }
    return "nothing";
  }
  void expect_refusal(const std::string& name, const std::string& text, const std::string& words) {
    EXPECT_NE(refusal(name, text).find(words), std::string::npos) << refusal(name, text) << "\nwanted: " << words;
  }
};

void expect_box(const SolidPart& part, double volume) {
  EXPECT_EQ(part.shape.vertices.size(), 8u);
  EXPECT_EQ(part.shape.faces.size(), 6u);
  EXPECT_NEAR(solid_properties(part).volume, volume, 1e-9 * volume);
}

TEST_F(MeshFile, ObjOfPolygons) {
  const auto parts =
      load("box.obj", "# a comment\nmtllib x.mtl\nvn 0 0 1\nvt 0 0\n" + test::box_obj({0, 0, 0}, {1, 2, 3}));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].name, "part");
  expect_box(parts[0], 6.0);
}

TEST_F(MeshFile, ObjIndicesFromTheEndAndWithNormals) {
  std::string text = test::box_vertices({0, 0, 0}, {1, 1, 1});
  for (const auto& face : test::cuboid_quads()) {
    text += "f";
    for (const int corner : face) text += " " + std::to_string(corner - 9) + "//1";
    text += " # face\r\n";
  }
  expect_box(load("box.OBJ", text)[0], 1.0);
}

TEST_F(MeshFile, ObjectsOfAnObjAreParts) {
  // two cubes that share a side: what CoACD and V-HACD write
  const auto parts = load("two.obj", "o convex_0\n" + test::box_obj({0, 0, 0}, {1, 1, 1}) + "o convex_1\n" +
                                         test::box_obj({1, 0, 0}, {2, 1, 1}, 8));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "part_1");
  EXPECT_EQ(parts[1].name, "part_2");
  expect_box(parts[1], 1.0);
  EXPECT_EQ(
      load("two.obj", "g a\n" + test::box_obj({0, 0, 0}, {1, 1, 1}) + "g b\n" + test::box_obj({1, 0, 0}, {2, 1, 1}, 8))
          .size(),
      2u);
}

TEST_F(MeshFile, GroupsMayBePatchesOfOneSolid) {
  std::string text = test::box_vertices({0, 0, 0}, {1, 1, 1});
  for (const auto& face : test::cuboid_quads()) text += "g side\n" + test::face_line(face, 0);
  EXPECT_EQ(load("box.obj", text).size(), 1u);
  text = test::box_vertices({0, 0, 0}, {1, 1, 1});
  for (const auto& face : test::cuboid_quads()) text += "o side\n" + test::face_line(face, 0);
  EXPECT_EQ(load("box.obj", text).size(), 1u);
}

TEST_F(MeshFile, SeparateMeshesOfOneObjectAreParts) {
  const auto triangles = [](double x) { return test::box_triangles({x, 0, 0}, {x + 1, 1, 1}); };
  test::Triangles both = triangles(0.0);
  for (const auto& t : triangles(1.5)) both.push_back(t);
  EXPECT_EQ(load("two.stl", test::ascii_stl(both)).size(), 2u);
  EXPECT_EQ(load("two.stl", test::binary_stl(both)).size(), 2u);
}

TEST_F(MeshFile, StlOfBothKinds) {
  const test::Triangles box = test::box_triangles({0.25, 0, 0}, {1.25, 0.5, 2});
  expect_box(load("a.stl", test::ascii_stl(box))[0], 1.0);
  expect_box(load("b.STL", test::binary_stl(box))[0], 1.0);
}

TEST_F(MeshFile, SinglePrecisionIsFlatEnough) {
  // a box whose corners are no floats, turned: its faces are bent by their rounding
  test::Triangles box = test::box_triangles({-0.1, -0.2, -0.3}, {0.1, 0.2, 0.3});
  for (auto& triangle : box) {
    for (Vec3& v : triangle) {
      v = {0.36 * v.x - 0.48 * v.y + 0.8 * v.z, 0.8 * v.x + 0.6 * v.y, -0.48 * v.x + 0.64 * v.y + 0.6 * v.z};
    }
  }
  const auto parts = load("box.stl", test::binary_stl(box));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].shape.faces.size(), 6u);
  EXPECT_NEAR(solid_properties(parts[0]).volume, 0.048, 1e-7);
}

TEST_F(MeshFile, ScaledMirroredAndPlaced) {
  MeshPlacement placement;
  placement.scale = {0.001, 0.001, -0.002};
  placement.pose = {{1.0, 0.0, 0.0}, {std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)}};  // x to y
  const auto parts = load("box.obj", test::box_obj({0, 0, 0}, {10, 20, 30}), placement);
  const SolidProperties p = solid_properties(parts[0]);
  EXPECT_NEAR(p.volume, 0.01 * 0.02 * 0.06, 1e-15);
  EXPECT_NEAR(p.centroid.x, 1.0 - 0.01, 1e-12);
  EXPECT_NEAR(p.centroid.y, 0.005, 1e-12);
  EXPECT_NEAR(p.centroid.z, -0.03, 1e-12);
}

TEST_F(MeshFile, NamesWhatIsWrongWithTheMesh) {
  std::string open = test::box_vertices({0, 0, 0}, {1, 1, 1});
  std::string inside_out = open;
  for (std::size_t f = 0; f < 6; ++f) {
    std::vector<int> face = test::cuboid_quads()[f];
    if (f > 0) open += test::face_line(face, 0);
    std::reverse(face.begin(), face.end());
    inside_out += test::face_line(face, 0);
  }
  expect_refusal("a.obj", open, "is open");
  expect_refusal("a.obj", inside_out, "inside out");
  expect_refusal("a.obj", test::l_shape_obj(), "not convex");
  expect_refusal("a.obj", test::l_shape_obj(), "V-HACD or CoACD");
  expect_refusal("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n", "zero volume");
  expect_refusal("a.obj", test::box_obj({0, 0, 0}, {1, 1, 0}), "zero volume");
  // one of two objects is open: which
  expect_refusal("a.obj",
                 "o whole\n" + test::box_obj({0, 0, 0}, {1, 1, 1}) + "o torn\n" + "v 5 5 5\n" + open.substr(0, 0) +
                     "v 6 5 5\nv 5 6 5\nf 9 10 11\n",
                 "object \"torn\"");
  // two parts that touch cannot be told apart in an STL
  test::Triangles touching = test::box_triangles({0, 0, 0}, {1, 1, 1});
  for (const auto& t : test::box_triangles({1, 0, 0}, {2, 1, 1})) touching.push_back(t);
  expect_refusal("a.stl", test::ascii_stl(touching), "object each");
  // faces listed twice
  expect_refusal("a.obj", test::box_obj({0, 0, 0}, {1, 1, 1}) + "f 1 3 4 2\n", "every face once");
}

// A box in a .poly file, numbered from `first`, with some facets turned round, comments and numbers behind the points.
std::string box_poly(Vec3 low, Vec3 high, int first) {
  std::string text = "# a box\n8 3 1 0\n";
  for (int k = 0; k < 8; ++k) {
    text += std::to_string(first + k) + " " + std::to_string(k & 1 ? high.x : low.x) + " " +
            std::to_string(k & 2 ? high.y : low.y) + " " + std::to_string(k & 4 ? high.z : low.z) + " 0.5 # point\n";
  }
  text += "\n6 1\n";
  int count = 0;
  for (std::vector<int> face : test::cuboid_quads()) {
    if (++count % 2 == 0) std::reverse(face.begin(), face.end());
    text += "1 0 7\n4 ";
    for (const int corner : face) text += " " + std::to_string(corner - 1 + first);
    text += count == 3 ? " # a side\n" : "\n";
  }
  return text + "0\n0\n";
}

TEST_F(MeshFile, PolyFacetsOfAnyOrientation) {
  for (const int first : {0, 1}) expect_box(load("box.poly", box_poly({0, 0, 0}, {1, 2, 3}, first))[0], 6.0);
  const std::string text = box_poly({0, 0, 0}, {1, 2, 3}, 1);
  expect_box(load("box.POLY", text.substr(0, text.size() - 4))[0], 6.0);  // without lists of holes and regions
  MeshPlacement mirrored;
  mirrored.scale = {-1.0, 1.0, 1.0};
  expect_box(load("box.poly", text, mirrored)[0], 6.0);
}

TEST_F(MeshFile, NamesWhatIsWrongWithAPolyFile) {
  const std::string text = box_poly({0, 0, 0}, {1, 1, 1}, 1);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  expect_refusal("a.poly", "", ":1: the file ends before its number of points");
  expect_refusal("a.poly", "0 3 0 0\n", "the points are in another file");
  expect_refusal("a.poly", with("8 3 1 0", "8 2 1 0"), ":2: the points have 2 coordinates");
  expect_refusal("a.poly", with("8 3 1 0", "eight"), ":2: \"eight\" is not a whole number");
  expect_refusal("a.poly", with("8 3 1 0", "9 3 1 0"), "stands where point 9 is due");
  expect_refusal("a.poly", with("\n1 0", "\n2 0"), ":3: the first point has the number 2");
  expect_refusal("a.poly", with("\n5 0", "\n7 0"), ":7: point 7 stands where point 5 is due");
  expect_refusal("a.poly", with("\n6 1\n", "\n3 1\n"), "fewer than four facets");
  expect_refusal("a.poly", with("1 0 7", "2 0 7"), ":13: facet 1 has 2 polygons");
  expect_refusal("a.poly", with("1 0 7", "1 1 7"), ":13: facet 1 has a hole");
  expect_refusal("a.poly", with("4  1", "2  1"), ":14: facet 1 has fewer than three corners");
  expect_refusal("a.poly", with("4  1", "4  9"), ":14: facet 1 names point 9, and they are numbered from 1 to 8");
  expect_refusal("a.poly", with("\n0\n0\n", "\n1\n1 0.5 0.5 0.5\n0\n"), "the solid has holes");
  expect_refusal("a.poly", text.substr(0, text.size() - 30), "the file ends before");
  expect_refusal("a.poly", with("4  1", "3  1"), "");  // one corner too many is read as what follows
}

TEST_F(MeshFile, NamesWhatIsWrongWithTheFile) {
  expect_refusal("a.dae", "<COLLADA/>", "not from .dae");
  expect_refusal("mesh", "", "read from .obj, .stl and .poly");
  expect_refusal("a.obj", "", "has no faces");
  expect_refusal("a.obj", "v 0 0 zero\n", ":1: \"zero\" is not a number");
  expect_refusal("a.obj", "v 0 0\n", "fewer than three coordinates");
  expect_refusal("a.obj", "v 0 0 0\nf 1 2 3\n", ":2: a face names vertex 2, but there are 1");
  expect_refusal("a.obj", "v 0 0 0\nf 0 1 1\n", "names vertex 0");
  expect_refusal("a.obj", "v 0 0 0\nf 1 1\n", "fewer than three corners");
  expect_refusal("a.obj", "v 0 0 0\nf 1 x 1\n", "not the number of a vertex");
  expect_refusal("a.obj", "cstype bspline\n", "curved surface");
  std::string nan = test::box_obj({0, 0, 0}, {1, 1, 1});
  nan.replace(nan.find("v 0.000000"), 10, "v nan");
  expect_refusal("a.obj", nan, "finite");
  expect_refusal("a.stl", "", "is no STL file");
  expect_refusal("a.stl", "solid x\n", "has no faces");
  expect_refusal("a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "ends within a facet");
  expect_refusal("a.stl", "solid x\nvertex 0 0 0\n", "outside of \"outer loop\"");
  expect_refusal("a.stl", "solid x\nnonsense\n", "no word of an STL file");
  const std::string binary = test::binary_stl(test::box_triangles({0, 0, 0}, {1, 1, 1}));
  expect_refusal("a.stl", "binary" + binary.substr(6, 200), "is cut short");
  expect_refusal("a.stl", "binary and nothing else", "is no STL file");
  EXPECT_NE(refusal("a.stl", binary.substr(0, binary.size() - 7)), "nothing");
  try {
    load_mesh(folder.path() / "none.obj", "part", {});
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_NE(std::string(error.what()).find("no such file"), std::string::npos);
  }
  std::filesystem::create_directory(folder.path() / "folder.obj");
  EXPECT_THROW(load_mesh(folder.path() / "folder.obj", "part", {}), ShapeError);
}

TEST_F(MeshFile, InScenesPathsBeginAtTheScene) {
  written(folder.path() / "two.obj", "o a\n" + test::box_obj({-1000, -500, -500}, {0, 500, 500}) + "o b\n" +
                                         test::box_obj({0, -500, -500}, {1000, 500, 500}, 8));
  const auto scene = [&](const std::string& mesh) {
    return R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, 0], "t_end": 1.0, "bodies": [
      {"name": "beam", "mass": 12.0, "mesh": )" +
           mesh + "}]}";
  };
  const auto origin = (folder.path() / "scene.json").string();
  const BodySpec beam = parse_scene_json(scene(R"({"file": "two.obj", "scale": 0.001})"), origin).scene.bodies[0];
  ASSERT_EQ(beam.spatial().parts.size(), 2u);
  EXPECT_EQ(beam.spatial().parts[1].name, "beam_2");
  EXPECT_NEAR(beam.spatial().inertia.xx, 2.0, 1e-9);  // of 2 x 1 x 1 m
  EXPECT_NEAR(beam.spatial().inertia.yy, 5.0, 1e-9);
  const auto message = [&](const std::string& mesh) {
    return test::refusal([&] { parse_scene_json(scene(mesh), origin); });
  };
  EXPECT_NE(message(R"({"file": "one.obj"})").find("bodies[0].mesh: "), std::string::npos);
  EXPECT_NE(message(R"({"file": "one.obj"})").find("one.obj: no such file"), std::string::npos);
  EXPECT_NE(message(R"({"file": "two.obj", "size": 2})").find("unknown key \"size\""), std::string::npos);
  EXPECT_NE(message(R"({"file": "two.obj", "scale": 0})").find("scaled by 0"), std::string::npos);
  EXPECT_NE(message(R"({"file": "two.obj", "position": [1, 0, 0]})").find("instead of the origin"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp

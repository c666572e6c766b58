// SPDX-License-Identifier: Apache-2.0
// Problems in 3D: shapes of parts, meshes and robots, and that a problem with files of its own reads back from
// anywhere.
#include <gtest/gtest.h>

#include <cmath>

#include "src/formats/urdf_file.hpp"
#include "src/map/journal.hpp"
#include "tests/problem/same_problem.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

const char* const shapes = R"(dim = 3
[[body]]
name = "ground"
kind = "fixed"
[[body.part]]
shape = "half_space"
normal = [0, 0, 2]
offset_mm = 10
[[body]]
name = "thing"
mass_kg = 1
z_mm = 500
[[body.part]]
name = "ball"
shape = "sphere"
radius_mm = 20
centre_mm = [100, 0, 0]
[[body.part]]
shape = "capsule"
radius_mm = 10
from_mm = [0, 0, 0]
to_mm = [100, 0, 0]
[[body.part]]
name = "block"
shape = "mesh"
file = "meshes/two.obj"
scale = 0.001
centre_mm = [0, 0, 50]
turn_deg = 90
)";

const char* const robot = R"(<robot name="r"><link name="base"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><dynamics damping="0.5"/></joint>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><mesh filename="meshes/two.obj" scale="0.001 0.001 0.001"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="arm"/><child link="rod"/><limit lower="0" upper="0.1"/></joint>
<link name="rod"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>)";

const char* const with_robot = R"(dim = 3
[[urdf]]
name = "r"
file = "robot.urdf"
z_mm = 100
turn_z_deg = 90
turns_deg = { turn = 45 }
slides_mm = { slide = 50 }
friction = 0.5
[[actuator]]
joint = "r_slide"
kind = "force"
force_n = 1
[success]
pose_within = "r_arm"
z_mm = [0, 200]
)";

struct Robot : testing::Test {
  test::Folder folder;
  std::string origin() const { return (folder.path() / "problem.toml").string(); }
  void SetUp() override {
    std::filesystem::create_directory(folder.path() / "meshes");
    test::written(folder.path() / "meshes" / "two.obj", "o a\n" + test::box_obj({0, 0, 0}, {10, 20, 30}) + "o b\n" +
                                                            test::box_obj({10, 0, 0}, {20, 20, 30}, 8));
    test::written(folder.path() / "robot.urdf", robot);
  }
  Problem parse(const std::string& text) const { return parse_problem(text, origin()); }
  std::string refusal(std::string text, const std::string& from, const std::string& to) const {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const std::string message = test::refusal([&] { parse(text); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  void expect_refusal(const std::string& text, const std::string& from, const std::string& to,
                      const std::string& words) const {
    const std::string message = refusal(text, from, to);
    EXPECT_NE(message.find(words), std::string::npos) << message << "\nwanted: " << words;
  }
};

TEST_F(Robot, EveryShapeIsRead) {
  const SceneSpec scene = parse(shapes).scene;
  const SolidPart& ground = scene.bodies[0].spatial().parts[0];
  EXPECT_EQ(ground.kind, SolidKind::half_space);
  EXPECT_EQ(ground.shape.faces[0].normal.z, 1.0);
  EXPECT_EQ(ground.shape.faces[0].offset, 0.005);
  const std::vector<SolidPart>& parts = scene.bodies[1].spatial().parts;
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].kind, SolidKind::sphere);
  EXPECT_EQ(parts[0].radius, 0.02);
  EXPECT_EQ(parts[0].shape.vertices[0].x, 0.1);
  EXPECT_EQ(parts[1].name, "part_2");
  EXPECT_EQ(parts[1].kind, SolidKind::capsule);
  EXPECT_EQ(parts[1].shape.vertices[1].x, 0.1);
  EXPECT_EQ(parts[2].name, "block_1");
  EXPECT_EQ(parts[3].name, "block_2");
  const SolidProperties block = solid_properties(parts[3]);
  EXPECT_NEAR(block.volume, 6e-6, 1e-15);
  EXPECT_NEAR(block.centroid.x, -0.010, 1e-12);
  EXPECT_NEAR(block.centroid.y, 0.015, 1e-12);
  EXPECT_NEAR(block.centroid.z, 0.065, 1e-12);
}

TEST_F(Robot, ResolvedProblemsReadBackFromAnywhere) {
  for (const char* text : {shapes, with_robot}) {
    if (text == with_robot && !reads_urdf()) continue;
    const Problem first = parse(text);
    const Problem second = parse_problem(first.resolved_toml, "elsewhere/resolved.toml");
    EXPECT_EQ(test::words_of(first), test::words_of(second));
    EXPECT_EQ(first.resolved_toml, second.resolved_toml);
  }
}

TEST_F(Robot, ChangedFilesAreNoticed) {
  const std::string resolved = parse(shapes).resolved_toml;
  const std::string with = reads_urdf() ? parse(with_robot).resolved_toml : std::string();
  test::written(folder.path() / "meshes" / "two.obj", test::box_obj({0, 0, 0}, {10, 20, 31}));
  const auto message = [&](const std::string& text) { return test::refusal([&] { parse(text); }); };
  EXPECT_NE(message(resolved).find("part[2].contents: is of another file"), std::string::npos) << message(resolved);
  if (reads_urdf()) {
    EXPECT_NE(message(with).find("urdf[0].contents: is of another file"), std::string::npos) << message(with);
  }
}

// A map is resumed and joined by what files hold, wherever they lie.
TEST_F(Robot, FilesCountByTheirContents) {
  const std::filesystem::path here = folder.path() / "here", there = folder.path() / "there";
  for (const std::filesystem::path& where : {here, there}) {
    std::filesystem::create_directory(where);
    for (const char* what : {"meshes", "robot.urdf"}) {
      std::filesystem::copy(folder.path() / what, where / what, std::filesystem::copy_options::recursive);
    }
  }
  const auto hash = [](const char* text, const std::filesystem::path& where) {
    test::written(where / "problem.toml", text);
    return problem_hash(load_problem(where / "problem.toml"), "cpu");
  };
  for (const char* text : {shapes, with_robot}) {
    if (text == with_robot && !reads_urdf()) continue;
    EXPECT_EQ(hash(text, here), hash(text, there));
  }
  test::written(there / "meshes" / "two.obj", test::box_obj({0, 0, 0}, {10, 20, 31}));
  for (const char* text : {shapes, with_robot}) {
    if (text == with_robot && !reads_urdf()) continue;
    EXPECT_NE(hash(text, here), hash(text, there));
  }
}

TEST_F(Robot, RobotsAreRead) {
  if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  const SceneSpec scene = parse(with_robot).scene;
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[1].name, "r_arm");
  EXPECT_EQ(scene.bodies[1].spatial().parts[1].name, "arm_2");
  EXPECT_EQ(scene.bodies[1].friction, 0.5);
  EXPECT_NEAR(scene.bodies[1].spatial().pose.position.z, 0.1, 1e-15);
  // 90 + 45 degrees about z, then 50 mm along x of the arm
  EXPECT_NEAR(scene.bodies[2].spatial().pose.position.x, -0.05 * std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(scene.bodies[2].spatial().pose.position.y, 0.05 * std::sqrt(0.5), 1e-12);
  // the scene's own actuators come first: parameters of the file keep their places
  ASSERT_EQ(scene.actuators.size(), 2u);
  EXPECT_EQ(scene.actuators[0].joint, 1);
  EXPECT_EQ(scene.actuators[1].name, "r_turn_damping");
}

TEST_F(Robot, NamesWhatIsWrong) {
  expect_refusal(shapes, "mass_kg = 1\nz_mm = 500",
                 "mass_kg = 1\n[[body.part]]\nshape = \"half_space\"\nnormal = [0, 0, 1]", "a half-space has no mass");
  expect_refusal(shapes, "mass_kg = 1\nz_mm = 500", "mass_kg = 1\ndensity_kg_per_m3 = 1\nz_mm = 500",
                 "is given with a density; drop one of the two");
  expect_refusal(shapes, "mass_kg = 1\nz_mm = 500", "mass_kg = 1\nz_mm = 500\nquaternion = [1, 0, 0, 0.1]",
                 "unit length");
  expect_refusal(shapes, "two.obj", "three.obj", "three.obj: no such file");
  expect_refusal(shapes, "file = \"meshes/two.obj\"\n", "", "\"file\" is missing");
  expect_refusal(shapes, "scale = 0.001", "scale = [1, 1]", "must be a list of 3 numbers");
  expect_refusal(shapes, "scale = 0.001", "scale = 0", "scaled by 0");
  expect_refusal(shapes, "to_mm = [100, 0, 0]", "to_mm = [0, 0, 0]", "ends coincide");
  expect_refusal(shapes, "name = \"ball\"", "name = \"block_1\"", "is the name of another part");
  expect_refusal(shapes, "radius_mm = 20", "radius_mm = 20\nturn_deg = 1", "does not apply here");
  expect_refusal(shapes, "dim = 3", "dim = 2", "");
  if (!reads_urdf()) return;
  expect_refusal(with_robot, "dim = 3", "", "set dim = 3");
  expect_refusal(with_robot, "robot.urdf", "none.urdf", "none.urdf: no such file");
  expect_refusal(with_robot, "name = \"r\"", "name = \"r/s\"", "without points, slashes");
  expect_refusal(with_robot, "turns_deg = { turn = 45 }\nslides_mm = { slide = 50 }", "turns_deg = { slide = 45 }",
                 "slides: give a length");
  expect_refusal(with_robot, "turns_deg = { turn = 45 }", "turns_deg = 45", "must be a table");
  expect_refusal(with_robot, "turns_deg = { turn = 45 }", "turns_deg = { turn = 45 }\nturns_rad = { turn = 1 }",
                 "twice");
  expect_refusal(with_robot, "turns_deg = { turn = 45 }", "turns_deg = { turn = \"x\" }", "number");
  expect_refusal(with_robot, "z_mm = 100", "z_mm = 100\nbase = \"loose\"", "must be one of fixed, kinematic, free");
  expect_refusal(with_robot, "z_mm = 100", "motion = [{ time_s = 0 }]", "set it");
  expect_refusal(with_robot, "r_slide", "r_glide", "did you mean \"r_slide\"?");
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Robots from URDF: what becomes of links and joints, and what is said of files that hold no robot that can be
// simulated.
#include "src/formats/urdf.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp/scene_json.hpp"
#include "pegrasp/shapes.hpp"
#include "pegrasp/simulation.hpp"
#include "src/formats/urdf_file.hpp"
#include "src/geometry/placement.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

// Two links on a base; the second carries a tool by a fixed joint, and a frame without mass.
const char* const two_links = R"(<?xml version="1.0"?>
<robot name="two">
  <material name="grey"/>
  <link name="base"><visual/><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <joint name="hinge" type="revolute">
    <origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <link name="arm">
    <inertial><origin xyz="0.5 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.05" length="1"/></geometry></collision>
  </link>
  <joint name="weld" type="fixed"><origin xyz="1 0 0"/><parent link="arm"/><child link="tool"/></joint>
  <link name="tool">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
    <collision name="ball"><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="frame_joint" type="fixed"><parent link="tool"/><child link="frame"/></joint>
  <link name="frame"/>
  <joint name="slide" type="prismatic">
    <origin xyz="0.5 0 0"/><parent link="tool"/><child link="rod"/><axis xyz="2 0 0"/><limit lower="-0.1" upper="0.3"/>
  </joint>
  <link name="rod">
    <inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
    <collision><geometry><capsule radius="0.02" length="0.2"/></geometry></collision>
  </link>
</robot>
)";

struct Urdf : testing::Test {
  test::Folder folder;
  SceneSpec scene;

  void SetUp() override {
    if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
    scene.spatial = true;
    scene.gravity_z = -9.81;
  }
  UrdfParts add(const std::string& text, const UrdfPlacement& placement = {}) {
    return add_urdf(scene, test::written(folder.path() / "robot.urdf", text), placement);
  }
  std::string refusal(const std::string& text, const UrdfPlacement& placement = {}) {
    scene = SceneSpec{};
    scene.spatial = true;
    try {
      add(text, placement);
    } catch (const ShapeError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_NE(message.find("robot.urdf"), std::string::npos) << message;
      return message;
    }
    return "nothing";
  }
  // The robot above with one text replaced.
  void expect_refusal(const std::string& from, const std::string& to, const std::string& words) {
    std::string text = two_links;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    const std::string message = refusal(text.replace(at, from.size(), to));
    EXPECT_NE(message.find(words), std::string::npos) << message << "\nwanted: " << words;
  }
};

// A joint that mimics another becomes a coupling, and starts where the other one asks for.
TEST_F(Urdf, MimicsAreCouplings) {
  std::string text = two_links;
  const std::string axis = "<axis xyz=\"2 0 0\"/>";
  text.insert(text.find(axis) + axis.size(), "<mimic joint=\"hinge\" multiplier=\"-0.5\" offset=\"0.2\"/>");
  UrdfPlacement placement;
  placement.prefix = "it";
  placement.joints = {{"hinge", 0.3}};
  add(text, placement);
  ASSERT_EQ(scene.couplings.size(), 1u);
  EXPECT_EQ(scene.couplings[0].name, "it_slide_mimic");
  EXPECT_EQ(scene.joints[static_cast<std::size_t>(scene.couplings[0].joint)].name, "it_slide");
  EXPECT_EQ(scene.joints[static_cast<std::size_t>(scene.couplings[0].of_joint)].name, "it_hinge");
  EXPECT_EQ(scene.couplings[0].factor, -0.5);
  EXPECT_EQ(scene.couplings[0].offset, 0.2);
  StepOptions options;
  options.h = 0.005;
  Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
  EXPECT_NEAR(simulation.joint_slide(1), 0.05, 1e-12);
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(simulation.step());
  EXPECT_GT(std::fabs(simulation.joint_turn(0) - 0.3), 0.01);
  EXPECT_NEAR(simulation.joint_slide(1), 0.2 - 0.5 * simulation.joint_turn(0), 1e-6);
}

TEST_F(Urdf, LinksBecomeBodies) {
  add(two_links);
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[0].name, "base");
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::fixed);
  const BodySpec& arm = scene.bodies[1];
  EXPECT_EQ(arm.name, "arm");
  EXPECT_EQ(arm.kind, BodyKind::dynamic);
  // arm and tool: 2 kg at 0.5 m and 1 kg at 1 m
  EXPECT_NEAR(arm.mass, 3.0, 1e-12);
  EXPECT_NEAR(arm.spatial().centre.x, 2.0 / 3.0, 1e-12);
  // about z: 0.3 + 0.01 and m1 m2 / (m1 + m2) d^2; x and y of the arm's inertia are swapped by its frame
  const double apart = 2.0 / 3.0 * 0.25;
  EXPECT_NEAR(arm.spatial().inertia.xx, 0.2 + 0.01, 1e-12);
  EXPECT_NEAR(arm.spatial().inertia.yy, 0.1 + 0.01 + apart, 1e-12);
  EXPECT_NEAR(arm.spatial().inertia.zz, 0.3 + 0.01 + apart, 1e-12);
  ASSERT_EQ(arm.spatial().parts.size(), 2u);
  EXPECT_EQ(arm.spatial().parts[0].name, "arm");
  EXPECT_EQ(arm.spatial().parts[0].shape.vertices.size(), 32u);  // a prism of 16 sides
  EXPECT_NEAR(solid_properties(arm.spatial().parts[0]).centroid.x, 0.5, 1e-12);
  EXPECT_EQ(arm.spatial().parts[1].name, "tool");
  EXPECT_EQ(arm.spatial().parts[1].kind, SolidKind::sphere);
  EXPECT_NEAR(arm.spatial().parts[1].shape.vertices[0].x, 1.0, 1e-12);
  EXPECT_EQ(scene.bodies[2].spatial().parts[0].kind, SolidKind::capsule);
  // the joint turned by 90 degrees about z: the arm lies along y of the world
  EXPECT_NEAR(scene.bodies[2].spatial().pose.position.y, 1.5, 1e-12);
  EXPECT_NEAR(scene.bodies[2].spatial().pose.position.z, 0.5, 1e-12);
  EXPECT_NO_THROW(compile_model(scene));
}

TEST_F(Urdf, JointsKeepTheFilesCoordinates) {
  UrdfPlacement placement;
  placement.prefix = "left";
  placement.joints = {{"hinge", 0.5}, {"slide", 0.2}};
  placement.pose.position = {1.0, 2.0, 3.0};
  add(two_links, placement);
  ASSERT_EQ(scene.joints.size(), 2u);
  EXPECT_EQ(scene.bodies[1].name, "left_arm");
  EXPECT_EQ(scene.joints[0].name, "left_hinge");
  EXPECT_EQ(scene.joints[0].kind, JointKind::revolute);
  EXPECT_EQ(scene.joints[0].turn->low, -2.0);
  EXPECT_EQ(scene.joints[1].slide->high, 0.3);
  // the hinge's axis, y of the child, is -x of the world after its origin's turn: by 0.5 the arm, along y, tips down
  const Vec3 rod = scene.bodies[2].spatial().pose.position;
  EXPECT_NEAR(rod.x, 1.0, 1e-12);
  EXPECT_NEAR(rod.y, 2.0 + 1.7 * std::cos(0.5), 1e-12);
  EXPECT_NEAR(rod.z, 3.5 - 1.7 * std::sin(0.5), 1e-12);
  StepOptions options;
  options.h = 1e-3;
  options.duration = 0.01;
  Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
  EXPECT_NEAR(simulation.joint_turn(0), 0.5, 1e-9);
  EXPECT_NEAR(simulation.joint_slide(1), 0.2, 1e-9);
  EXPECT_LT(simulation.joint_apart(0) + simulation.joint_apart(1), 1e-9);
}

TEST_F(Urdf, TwoRobotsNeedNames) {
  add(two_links);
  EXPECT_THROW(add(two_links), ShapeError);
  UrdfPlacement placement;
  placement.prefix = "second";
  EXPECT_NO_THROW(add(two_links, placement));
  EXPECT_EQ(scene.joints.back().name, "second_slide");
  EXPECT_EQ(scene.joints.back().body_a, 4);
}

TEST_F(Urdf, BasesAndOtherOptions) {
  UrdfPlacement placement;
  placement.base = BodyKind::dynamic;
  EXPECT_NE(refusal(two_links, placement).find("link \"base\" moves and has no mass"), std::string::npos);
  placement.base = BodyKind::kinematic;
  placement.motion = {{0.0, {{0.0, 0.0, 1.0}, {}}}, {1.0, {{0.0, 0.0, 2.0}, {}}}};
  placement.self_contact = false;
  placement.cylinder_sides = 6;
  scene = SceneSpec{};
  scene.spatial = true;
  add(two_links, placement);
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::kinematic);
  EXPECT_EQ(scene.bodies[0].spatial().pose.position.z, 1.0);
  EXPECT_NEAR(scene.bodies[1].spatial().pose.position.z, 1.5, 1e-12);
  EXPECT_EQ(scene.ignored_pairs.size(), 3u);
  EXPECT_EQ(scene.bodies[1].spatial().parts[0].shape.vertices.size(), 12u);
  EXPECT_NO_THROW(compile_model(scene));
}

TEST_F(Urdf, CylindersMayBeExact) {
  UrdfPlacement placement;
  placement.exact_cylinders = true;
  add(two_links, placement);
  const SolidPart& part = scene.bodies[1].spatial().parts[0];
  EXPECT_EQ(part.kind, SolidKind::cylinder);
  EXPECT_EQ(part.shape.vertices.size(), 2u);
  EXPECT_GT(part.radius, 0.0);
}

// A wheel on a fixed axle, which damping stops as exp(-d t / I), and friction evenly.
TEST_F(Urdf, DampingAndFrictionOfJoints) {
  const auto wheel = [](const std::string& dynamics) {
    return R"(<robot name="wheel"><link name="ground"/><joint name="axle" type="continuous"><parent link="ground"/>
      <child link="wheel"/><axis xyz="0 0 1"/>)" +
           dynamics + R"(</joint><link name="wheel"><inertial><mass value="1"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial></link></robot>)";
  };
  const auto speed_after_a_second = [&](const std::string& dynamics) {
    scene = SceneSpec{};
    scene.spatial = true;
    scene.length_scale = 0.1;  // the wheel has no shape
    const UrdfParts parts = add(wheel(dynamics));
    scene.actuators = parts.actuators;
    scene.bodies[1].spatial().velocity.angular = {0.0, 0.0, 10.0};
    StepOptions options;
    options.h = 1e-3;
    options.duration = 1.0;
    Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, 0u);
    return simulation.spatial_velocity(1).angular.z;
  };
  EXPECT_NEAR(speed_after_a_second(""), 10.0, 1e-6);
  EXPECT_NEAR(speed_after_a_second("<dynamics damping=\"0.02\"/>"), 10.0 * std::exp(-1.0), 3e-3);  // implicit: h / 2
  EXPECT_NEAR(speed_after_a_second("<dynamics friction=\"0.1\"/>"), 10.0 - 0.1 / 0.02, 1e-4);
  EXPECT_NEAR(speed_after_a_second("<dynamics friction=\"0.5\"/>"), 0.0, 1e-6);
}

TEST_F(Urdf, MeshesOfPackagesAndBesideTheFile) {
  std::filesystem::create_directories(folder.path() / "my_robot" / "meshes");
  std::filesystem::create_directories(folder.path() / "my_robot" / "urdf");
  test::written(folder.path() / "my_robot" / "meshes" / "box.obj", test::box_obj({0, 0, 0}, {100, 100, 100}));
  const auto with_mesh = [](const std::string& name) {
    std::string text = two_links;
    const std::string sphere = "<sphere radius=\"0.1\"/>";
    return text.replace(text.find(sphere), sphere.size(),
                        "<mesh filename=\"" + name + "\" scale=\"0.001 0.001 0.001\"/>");
  };
  for (const char* name : {"package://my_robot/meshes/box.obj", "../meshes/box.obj"}) {
    scene = SceneSpec{};
    scene.spatial = true;
    add_urdf(scene, test::written(folder.path() / "my_robot" / "urdf" / "robot.urdf", with_mesh(name)), {});
    EXPECT_EQ(scene.bodies[1].spatial().parts[1].shape.vertices.size(), 8u) << name;
  }
  EXPECT_NE(refusal(with_mesh("package://other/box.obj")).find("no folder above this file holds other/box.obj"),
            std::string::npos);
  const std::string missing = refusal(with_mesh("none.stl"));
  EXPECT_NE(missing.find("link \"tool\": collision: "), std::string::npos) << missing;
  EXPECT_NE(missing.find("none.stl: no such file"), std::string::npos) << missing;
  test::written(folder.path() / "box.dae", "<COLLADA/>");
  EXPECT_NE(refusal(with_mesh("box.dae")).find("not from .dae"), std::string::npos);
  EXPECT_NE(refusal(with_mesh("http://x/box.stl")).find("cannot be fetched"), std::string::npos);
  test::written(folder.path() / "l.obj", test::l_shape_obj());
  EXPECT_NE(refusal(with_mesh("l.obj")).find("V-HACD or CoACD"), std::string::npos);
}

TEST_F(Urdf, NamesWhatIsWrong) {
  expect_refusal("type=\"revolute\"", "type=\"floating\"", "type=\"floating\" is not simulated");
  expect_refusal("type=\"revolute\"", "type=\"ball\"", "type=\"ball\" is not simulated: use fixed, revolute");
  expect_refusal("type=\"revolute\"", "", "has no type");
  expect_refusal("<child link=\"arm\"/>", "<child link=\"amr\"/>", "there is no link \"amr\"; did you mean \"arm\"?");
  expect_refusal("<parent link=\"tool\"/><child link=\"rod\"/>", "<child link=\"rod\"/>", "has no <parent>");
  expect_refusal("<parent link=\"arm\"/><child link=\"tool\"/>", "<parent link=\"rod\"/><child link=\"tool\"/>",
                 "closes a cycle");
  expect_refusal("<child link=\"frame\"/>", "<child link=\"rod\"/>", "is the child of joint \"frame_joint\" already");
  expect_refusal("<link name=\"frame\"/>", "<link name=\"frame\"/><link name=\"alone\"/>", "hangs on no joint");
  expect_refusal("<link name=\"frame\"/>", "<link name=\"tool\"/>", "has the name of another link");
  expect_refusal("joint name=\"slide\"", "joint name=\"hinge\"", "has the name of another joint");
  expect_refusal("<link name=\"frame\"/>", "<link/>", "has no name");
  expect_refusal("<limit lower=\"-0.1\" upper=\"0.3\"/>", "", "has no <limit");
  expect_refusal("<limit lower=\"-0.1\" upper=\"0.3\"/>", "<limit lower=\"1\" upper=\"0.3\"/>", "swap the two");
  expect_refusal("<axis xyz=\"2 0 0\"/>", "<axis xyz=\"0 0 0\"/>", "without direction");
  expect_refusal("<axis xyz=\"2 0 0\"/>", "<axis xyz=\"2 0\"/>", "must be 3 numbers");
  expect_refusal("<axis xyz=\"2 0 0\"/>", "<axis xyz=\"2 nan 0\"/>", "no number");
  const auto mimic = [&](const std::string& of, const std::string& words) {
    expect_refusal("<axis xyz=\"2 0 0\"/>", "<axis xyz=\"2 0 0\"/><mimic joint=\"" + of + "\"/>", words);
  };
  mimic("hing", "joint \"slide\": <mimic> names joint \"hing\", which is not there; did you mean \"hinge\"?");
  mimic("weld", "joint \"slide\": <mimic> names joint \"weld\", which is fixed");
  mimic("slide", "joint \"slide\": <mimic> goes round in a circle");
  expect_refusal("<mass value=\"0.5\"/>", "<mass value=\"0\"/>", "link \"rod\" moves and has no mass");
  expect_refusal("<mass value=\"0.5\"/>", "<mass value=\"-1\"/>", "must not be negative");
  expect_refusal("<mass value=\"0.5\"/>", "", "has no <mass>");
  expect_refusal("<mass value=\"0.5\"/><inertia ixx=\"0.01\"", "<mass value=\"0.5\"/><inertia ixx=\"0\"",
                 "not positive definite");
  expect_refusal("<sphere radius=\"0.1\"/>", "<sphere radius=\"0\"/>", "radius must be greater than 0");
  expect_refusal("<sphere radius=\"0.1\"/>", "<cone radius=\"1\"/>", "<cone> is no shape");
  expect_refusal("<sphere radius=\"0.1\"/>", "", "is empty");
  expect_refusal("<sphere radius=\"0.1\"/>", "<xacro:ball/>", "expand the file first");
  expect_refusal("<robot name=\"two\">", "<!-- mine -->\n<?xml version=\"1.0\"?><robot name=\"two\">",
                 "the first thing");
  EXPECT_NE(refusal("\xff\xfe<").find("save it in UTF-8"), std::string::npos);
  expect_refusal("<collision name=\"ball\">", "<colision/><collision name=\"ball\">", "did you mean <collision>?");
  expect_refusal("<robot name=\"two\">", "<robot name=\"two\"><xacro:include/>", "expand the file first");
  expect_refusal("<robot name=\"two\">", "<robot name=\"two\"><link name=\"x\">", "is not valid XML");
  expect_refusal("size=\"0.2 0.2 0.1\"", "size=\"0.2 0 0.1\"", "greater than 0");
  EXPECT_NE(refusal("<robot/>").find("has no links"), std::string::npos);
  EXPECT_NE(refusal("<sdf/>").find("must be <robot>, not <sdf>"), std::string::npos);
  EXPECT_NE(refusal("").find("is not valid XML"), std::string::npos);
  EXPECT_NE(refusal("<robot>" + std::string(100'000, '<')).find("is not valid XML"), std::string::npos);
  std::string deep;
  for (int k = 0; k < 100'000; ++k) deep += "<a>";
  EXPECT_NE(refusal("<robot>" + deep).find("is not valid XML"), std::string::npos);
  // the line
  EXPECT_NE(refusal("<robot>\n<link name=\"a\"/>\n<link name=\"b\"/>\n</robot>").find("robot.urdf:3: "),
            std::string::npos);
}

TEST_F(Urdf, NamesWhatIsWrongWithTheStart) {
  const auto start = [&](UrdfStart joint) {
    UrdfPlacement placement;
    placement.joints = {joint};
    return refusal(two_links, placement);
  };
  EXPECT_NE(start({"hing", 0.0}).find("there is no joint \"hing\"; did you mean \"hinge\"?"), std::string::npos);
  EXPECT_NE(start({"weld", 0.0}).find("is fixed"), std::string::npos);
  EXPECT_NE(start({"hinge", 2.5}).find("outside of its limits -2 to 2"), std::string::npos);
  EXPECT_NE(start({"hinge", 4.0}).find("within half a turn"), std::string::npos);
  EXPECT_NE(start({"hinge", 0.1, UrdfStart::Kind::slide}).find("turns: give an angle"), std::string::npos);
  EXPECT_NE(start({"slide", 0.1, UrdfStart::Kind::turn}).find("slides: give a length"), std::string::npos);
}

TEST_F(Urdf, InSceneFiles) {
  test::written(folder.path() / "robot.urdf", two_links);
  const auto parse = [&](const std::string& robot, const std::string& more = "") {
    return parse_scene_json(
               R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, -9.81], "t_end": 1.0, "friction": 0.5,
      "bodies": [], "urdf": [)" +
                   robot + "]" + more + "}",
               (folder.path() / "scene.json").string())
        .scene;
  };
  const SceneSpec read =
      parse(R"({"file": "robot.urdf", "name": "r", "position": [1, 0, 0], "joints": {"hinge": 0.5}, "friction": 0.25})",
            R"(, "actuators": [{"joint": "r_hinge", "kind": "position_servo", "stiffness": 1, "limit": 1}],
         "ignored_pairs": [["r_base", "r_rod"]])");
  EXPECT_EQ(read.bodies[0].name, "r_base");
  EXPECT_EQ(read.bodies[0].friction, 0.25);
  EXPECT_TRUE(read.actuators[0].rotary);
  EXPECT_EQ(parse(R"({"file": "robot.urdf"})").bodies[1].friction, 0.5);
  const auto message = [&](const std::string& robot) { return test::refusal([&] { parse(robot); }); };
  EXPECT_NE(message(R"({"file": "none.urdf"})").find("urdf[0]: "), std::string::npos);
  EXPECT_NE(message(R"({"file": "none.urdf"})").find("no such file"), std::string::npos);
  EXPECT_NE(message(R"({"file": "robot.urdf", "base": "loose"})").find("\"free\""), std::string::npos);
  EXPECT_NE(message(R"({"file": "robot.urdf", "joints": [1]})").find("must be an object"), std::string::npos);
  EXPECT_NE(message(R"({"file": "robot.urdf", "cylinder_sides": 2})").find("between 3 and 32"), std::string::npos);
  EXPECT_NE(message(R"({"file": "robot.urdf", "cylinder_sides": 8, "exact_cylinders": true})").find("is for prisms"),
            std::string::npos);
  EXPECT_NE(message(R"({"file": "robot.urdf", "motion": [{"time": 0, "position": [0, 0, 0]}]})").find("kinematic"),
            std::string::npos);
}

}  // namespace
}  // namespace pegrasp

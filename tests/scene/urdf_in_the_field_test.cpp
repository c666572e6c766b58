// SPDX-License-Identifier: Apache-2.0
// What URDF files of real grippers and hands have: links without mass, names with points, motors with limits, meshes
// that lie somewhere else.
#include <gtest/gtest.h>

#include <chrono>

#include <cmath>
#include <cstdlib>

#include "pegrasp/scene_json.hpp"
#include "pegrasp/shapes.hpp"
#include "pegrasp/simulation.hpp"
#include "src/formats/urdf.hpp"
#include "src/formats/urdf_file.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

// A jaw on a palm. What is inside the link and the joint can be chosen.
std::string jaw(const std::string& link, const std::string& joint, const std::string& more = "") {
  return R"(<robot name="r"><link name="palm"/><joint name="slide.0" type="prismatic"><parent link="palm"/>
    <child link="jaw/left.0"/><axis xyz="1 0 0"/>)" +
         joint + R"(</joint><link name="jaw/left.0">)" + link + "</link>" + more + "</robot>";
}
const char* const inertial = R"(<inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial>)";
const char* const limit = R"(<limit lower="0" upper="0.04" effort="20" velocity="0.2"/>)";

struct UrdfField : testing::Test {
  test::Folder folder;
  SceneSpec scene;

  void SetUp() override {
    if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  }
  UrdfParts add(const std::string& text, const UrdfPlacement& placement = {}) {
    scene = SceneSpec{};
    scene.spatial = true;
    return add_urdf(scene, test::written(folder.path() / "robot.urdf", text), placement);
  }
  std::string refusal(const std::string& text, const UrdfPlacement& placement = {}) {
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
  Problem problem(const std::string& text, const std::string& more) {
    test::written(folder.path() / "robot.urdf", text);
    return parse_problem("dim = 3\n[simulation]\nduration_s = 0.1\n[[urdf]]\nfile = \"robot.urdf\"\n" + more,
                         (folder.path() / "problem.toml").string());
  }
};

TEST_F(UrdfField, ThousandsOfShapesAreCompiledSoonAndMoreAreRefused) {
  const auto link = [](int count) {
    std::string text = "<robot name=\"r\"><link name=\"base\">";
    for (int k = 0; k < count; ++k) {
      text += "<collision><origin xyz=\"" + std::to_string(k) +
              " 0 0\"/><geometry><box size=\"1 1 1\"/></geometry></collision>";
    }
    return text + "</link></robot>";
  };
  add(link(1500));
  BodySpec& body = scene.bodies.front();
  body.kind = BodyKind::dynamic;
  body.mass = 1.0;
  body.spatial().inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  const auto start = std::chrono::steady_clock::now();
  const auto model = compile_model(scene);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 0.5);
  EXPECT_NE(refusal(link(10'001)).find("at most 10000 are taken"), std::string::npos);
}

TEST_F(UrdfField, NamesKeepTheirPointsAndSlashes) {
  add(jaw(inertial, limit));
  EXPECT_EQ(scene.bodies[1].name, "jaw/left.0");
  EXPECT_EQ(scene.joints[0].name, "slide.0");
  EXPECT_NE(refusal(jaw(inertial, limit, "<link name=\"a&#10;b\"/>")).find("control characters"), std::string::npos);
  // in a problem they are texts, keys in quotes, and the beginning of a part's name
  const std::string box =
      std::string(inertial) + R"(<collision><geometry><box size="0.01 0.02 0.03"/></geometry></collision>)";
  const Problem p = problem(jaw(box, limit), R"(slides_mm = { "slide.0" = 10 }
[[body]]
name = "table"
kind = "fixed"
[[body.part]]
shape = "box"
size_mm = [100, 100, 10]
[[actuator]]
joint = "slide.0"
kind = "velocity_servo"
speed_mm_s = 10
[success]
all = [{ of = "jaw/left.0.jaw/left.0", from = "table", gap_below_mm = 1 },
       { of = "\"jaw/left.0\".jaw/left.0", from = "table", gap_below_mm = 1 },
       { of = "jaw/left.0", from = "table", gap_below_mm = 1 }]
)");
  EXPECT_NEAR(p.scene.bodies.back().spatial().pose.position.x, 0.01, 1e-12);
  std::vector<int> parts;
  for (const Predicate& predicate : p.scene.success) {
    if (predicate.kind == PredicateKind::gap_below) parts.push_back(predicate.part_b);
  }
  EXPECT_EQ(parts, (std::vector<int>{1, 1, 1}));
  EXPECT_NO_THROW(parse_problem(p.resolved_toml, "resolved"));
}

TEST_F(UrdfField, LinksWithoutMassOrInertiaJoinTheirParents) {
  const std::string tip = R"(<joint name="f" type="fixed"><parent link="jaw/left.0"/><child link="tip"/></joint>)";
  for (const char* contents :
       {"<link name=\"tip\"/>",
        R"(<link name="tip"><inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>)",
        R"(<link name="tip"><inertial><mass value="0.1"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>)",
        R"(<link name="tip"><inertial><mass value="0.1"/></inertial></link>)"}) {
    add(jaw(inertial, limit, tip + contents));
    ASSERT_EQ(scene.bodies.size(), 2u) << contents;
    EXPECT_NEAR(scene.bodies[1].spatial().inertia.zz, 1e-4, 1e-12);
  }
  EXPECT_NEAR(scene.bodies[1].mass, 0.2, 1e-12);
  // on a fixed base nothing needs a mass
  EXPECT_NO_THROW(add(
      R"(<robot name="r"><link name="b"><inertial><mass value="1"/>
        <inertia ixx="0" iyy="0" izz="0"/></inertial></link></robot>)"));
  // alone it is refused by its name
  const std::string zero =
      refusal(jaw(R"(<inertial><mass value="0.1"/><inertia ixx="0" iyy="0" izz="0"/></inertial>)", limit));
  EXPECT_NE(zero.find("link \"jaw/left.0\" moves and has no inertia"), std::string::npos) << zero;
  EXPECT_NE(refusal(jaw("", limit)).find("link \"jaw/left.0\" moves and has no mass"), std::string::npos);
  const std::string negative =
      refusal(jaw(R"(<inertial><mass value="0.1"/><inertia ixx="1" iyy="-1" izz="1"/></inertial>)", limit));
  EXPECT_NE(negative.find("negative moment"), std::string::npos) << negative;
}

TEST_F(UrdfField, JointsBeginWithinTheirLimits) {
  add(jaw(inertial, R"(<limit lower="0.01" upper="0.04"/>)"));
  EXPECT_NEAR(scene.bodies[1].spatial().pose.position.x, 0.01, 1e-15);
  add(jaw(inertial, R"(<limit lower="-0.04" upper="-0.01"/>)"));
  EXPECT_NEAR(scene.bodies[1].spatial().pose.position.x, -0.01, 1e-15);
  // a joint that mimics begins where its leader asks for, and its limits may be rounded
  const std::string right =
      R"(<joint name="right" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="1 0 0"/>
    <mimic joint="slide.0" multiplier="-1"/><limit lower="-0.04" upper="HIGH"/></joint><link name="right">)" +
      std::string(inertial) + "</link>";
  const auto with_upper = [&](const std::string& high) {
    std::string text = right;
    return jaw(inertial, R"(<limit lower="0.01" upper="0.04"/>)", text.replace(text.find("HIGH"), 4, high));
  };
  add(with_upper("-0.0105"));
  EXPECT_NEAR(scene.bodies[2].spatial().pose.position.x, -0.01, 1e-15);
  EXPECT_EQ(scene.couplings.size(), 1u);
}

TEST_F(UrdfField, FollowersAreNotHeldBackByTheirLimits) {
  const auto follower = [](const std::string& leader, const std::string& mimic, const std::string& own) {
    return jaw(inertial, leader,
               R"(<joint name="right" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="1 0 0"/>)" +
                   mimic + own + R"(</joint><link name="right">)" + inertial + "</link>");
  };
  const std::string opposite = R"(<mimic joint="slide.0" multiplier="-1" offset="0.01"/>)";
  // contradiction: the leader goes from 0 to 0.04, which takes the follower from 0.01 to -0.03
  add(follower(limit, opposite, R"(<limit lower="0" upper="0.05"/>)"));
  ASSERT_TRUE(scene.joints[1].slide);
  EXPECT_NEAR(scene.joints[1].slide->low, -0.03, 1e-15);
  EXPECT_NEAR(scene.joints[1].slide->high, 0.05, 1e-15);
  ASSERT_EQ(scene.bodies[2].remarks.size(), 1u);
  EXPECT_TRUE(scene.bodies[2].remarks[0].warning);
  EXPECT_NE(scene.bodies[2].remarks[0].text.find(
                "joint \"right\" mimics joint \"slide.0\", which takes it from -0.03 to 0.01, beyond"),
            std::string::npos)
      << scene.bodies[2].remarks[0].text;
  // what follows a follower goes as far as the first leader takes them
  std::string chain = follower(limit, opposite, R"(<limit lower="0" upper="0.05"/>)");
  chain.insert(chain.rfind("</robot>"), R"(<joint name="third" type="prismatic"><parent link="palm"/>
      <child link="third"/><mimic joint="right" multiplier="2"/><limit lower="-0.06" upper="0.02"/></joint>
      <link name="third">)" + std::string(inertial) +
                                            "</link>");
  add(chain);
  ASSERT_EQ(scene.bodies.size(), 4u);
  EXPECT_EQ(scene.bodies[2].remarks.size(), 1u);
  EXPECT_TRUE(scene.bodies[3].remarks.empty());
  // limits that agree, or are rounded, are no fault
  for (const char* own : {R"(<limit lower="-0.03" upper="0.01"/>)", R"(<limit lower="-0.0295" upper="0.0095"/>)"}) {
    add(follower(limit, opposite, own));
    EXPECT_TRUE(scene.bodies[2].remarks.empty()) << own;
    EXPECT_NEAR(scene.joints[1].slide->low, -0.03, 1e-15);
    EXPECT_NEAR(scene.joints[1].slide->high, 0.01, 1e-15);
  }
  // a leader without limits has those of its follower
  const std::string free_leader =
      R"(<robot name="r"><link name="palm"/><joint name="wheel" type="continuous"><parent link="palm"/>
      <child link="a"/></joint><link name="a">)" +
      std::string(inertial) +
      R"(</link><joint name="b_joint" type="revolute"><parent link="palm"/><child link="b"/><mimic joint="wheel"/>
      <limit lower="-0.5" upper="0.5"/></joint><link name="b">)" +
      inertial + "</link></robot>";
  add(free_leader);
  EXPECT_EQ(scene.joints[1].turn->high, 0.5);
  UrdfPlacement placement;
  placement.joints = {{"wheel", 1.0, UrdfStart::Kind::any}};
  EXPECT_NE(refusal(free_leader, placement).find("give the joint that it mimics another place"), std::string::npos);
}

TEST_F(UrdfField, MotorsHaveTheirEffortAndVelocity) {
  const std::string robot = jaw(inertial, limit);
  const auto actuator = [&](const std::string& keys) {
    return problem(robot, "[[actuator]]\njoint = \"slide.0\"\n" + keys).scene.actuators.at(0);
  };
  const auto said = [&](const std::string& keys) { return test::refusal([&] { actuator(keys); }); };
  EXPECT_EQ(actuator("kind = \"velocity_servo\"\nspeed_mm_s = 200\n").limit, 20.0);
  EXPECT_EQ(actuator("kind = \"velocity_servo\"\nspeed_mm_s = 100\nmax_force_n = 5\n").limit, 5.0);
  EXPECT_NE(said("kind = \"velocity_servo\"\nspeed_mm_s = 100\nmax_force_n = 25\n").find("more than effort=\"20 N\""),
            std::string::npos);
  EXPECT_NE(said("kind = \"force\"\nforce_n = -25\n").find("more than effort=\"20 N\""), std::string::npos);
  EXPECT_NE(said("kind = \"velocity_servo\"\nspeed_mm_s = -300\n").find("faster than velocity=\"0.2 m/s\""),
            std::string::npos);
  const std::string program =
      "kind = \"position_servo\"\nstiffness_n_per_m = 100\nprogram = [{ time_s = 0, position_mm = 0 }, { time_s = ";
  EXPECT_NE(said(program + "0.1, position_mm = 30 }]\n").find("slow its program down"), std::string::npos)
      << said(program + "0.1, position_mm = 30 }]\n");
  EXPECT_EQ(said(program + "0.2, position_mm = 30 }]\n"), "");
  // A servo whose target is elsewhere moves it there in 0.03 m / 0.2 m/s; from 0.01 m on, in two thirds of that.
  const std::string servo = "kind = \"position_servo\"\nstiffness_n_per_m = 100\n";
  ActuatorSpec jump = actuator(servo + "position_mm = 30\n");
  ASSERT_EQ(jump.program.size(), 2u);
  EXPECT_EQ(jump.program[0].time, 0.0);
  EXPECT_NEAR(jump.target + jump.program[0].target, 0.0, 1e-12);
  EXPECT_NEAR(jump.program[1].time, 0.15, 1e-12);
  EXPECT_EQ(jump.program[1].target, 0.0);
  jump = problem(robot,
                 "slides_mm = { \"slide.0\" = 10 }\n[[actuator]]\njoint = \"slide.0\"\n" + servo + "position_mm = 30\n")
             .scene.actuators.at(0);
  EXPECT_NEAR(jump.program.at(1).time, 0.1, 1e-12);
  EXPECT_TRUE(actuator(servo + "position_mm = 0\n").program.empty());
  jump = actuator(servo + "program = [{ time_s = 0.2, position_mm = 30 }, { time_s = 0.4, position_mm = 0 }]\n");
  ASSERT_EQ(jump.program.size(), 4u);
  EXPECT_NEAR(jump.program[1].time, 0.15, 1e-12);
  EXPECT_EQ(jump.program[1].target, 0.03);
  EXPECT_NE(said(servo + "program = [{ time_s = 0, position_mm = 30 }]\n").find("begins 0.03 m away"),
            std::string::npos);
  // zeros mean that the file does not know
  const std::string zeros = jaw(inertial, R"(<limit lower="0" upper="0.04" effort="0" velocity="0"/>)");
  EXPECT_NE(test::refusal([&] {
              problem(zeros, "[[actuator]]\njoint = \"slide.0\"\nkind = \"velocity_servo\"\nspeed_mm_s = 100\n");
            }),
            "");
  EXPECT_EQ(
      problem(zeros,
              "[[actuator]]\njoint = \"slide.0\"\nkind = \"velocity_servo\"\nspeed_mm_s = 900\nmax_force_n = 900\n")
          .scene.actuators[0]
          .limit,
      900.0);
  // in scene files, too
  test::written(folder.path() / "robot.urdf", robot);
  const auto scene_of = [&](const std::string& keys) {
    return parse_scene_json(R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, 0], "t_end": 1.0, "bodies": [],
      "urdf": [{"file": "robot.urdf"}], "actuators": [{"joint": "slide.0", "kind": "velocity_servo")" +
                                keys + "}]}",
                            (folder.path() / "scene.json").string())
        .scene;
  };
  EXPECT_EQ(scene_of(R"(, "target": 0.1)").actuators[0].limit, 20.0);
  EXPECT_NE(test::refusal([&] { scene_of(R"(, "target": 0.1, "limit": 30)"); }).find("lower its limit"),
            std::string::npos);
  EXPECT_EQ(scene_of(R"(, "target": 0.1}, {"joint": "slide.0", "kind": "position_servo", "name": "p", "target": 0.02,
                        "stiffness": 100)")
                .actuators[1]
                .program.size(),
            2u);
}

TEST_F(UrdfField, PackagesOfTheEnvironment) {
  const std::string with_mesh =
      jaw(std::string(inertial) +
              R"(<collision><geometry><mesh filename="package://my_hand/meshes/a.obj"/></geometry></collision>)",
          limit);
  const auto there = [&](const std::filesystem::path& package) {
    std::filesystem::create_directories(package / "meshes");
    test::written(package / "meshes" / "a.obj", test::box_obj({0, 0, 0}, {1, 1, 1}));
  };
  ::unsetenv("ROS_PACKAGE_PATH");
  ::unsetenv("AMENT_PREFIX_PATH");
  const std::string absent = refusal(with_mesh);
  EXPECT_NE(absent.find("link \"jaw/left.0\": mesh \"package://my_hand/meshes/a.obj\" is not there"), std::string::npos)
      << absent;
  there(folder.path() / "ws" / "src" / "my_hand");
  ::setenv("ROS_PACKAGE_PATH", ("/nowhere:" + (folder.path() / "ws").string()).c_str(), 1);
  EXPECT_NO_THROW(add(with_mesh));
  ::unsetenv("ROS_PACKAGE_PATH");
  there(folder.path() / "opt" / "share" / "my_hand");
  ::setenv("AMENT_PREFIX_PATH", (folder.path() / "opt").c_str(), 1);
  EXPECT_NO_THROW(add(with_mesh));
  ::unsetenv("AMENT_PREFIX_PATH");
  // a folder above the file whose package.xml has the name
  there(folder.path() / "clone");
  test::written(folder.path() / "clone" / "package.xml", "<package>\n<name>\n  my_hand </name></package>");
  std::filesystem::create_directories(folder.path() / "clone" / "urdf");
  scene = SceneSpec{};
  scene.spatial = true;
  EXPECT_NO_THROW(add_urdf(scene, test::written(folder.path() / "clone" / "urdf" / "r.urdf", with_mesh), {}));
}

// Below a folder above the file, or deep in a workspace; not in hidden folders.
TEST_F(UrdfField, NestedPackages) {
  const std::string with_mesh =
      jaw(std::string(inertial) +
              R"(<collision><geometry><mesh filename="package://my_hand/meshes/a.obj"/></geometry></collision>)",
          limit);
  const auto there = [&](const std::filesystem::path& package) {
    std::filesystem::create_directories(package / "meshes");
    test::written(package / "meshes" / "a.obj", test::box_obj({0, 0, 0}, {1, 1, 1}));
  };
  const std::filesystem::path repository = folder.path() / "repository", urdf = repository / "bringup" / "urdf";
  std::filesystem::create_directories(urdf);
  const auto add_there = [&] {
    scene = SceneSpec{};
    scene.spatial = true;
    add_urdf(scene, test::written(urdf / "r.urdf", with_mesh), {});
  };
  ::unsetenv("ROS_PACKAGE_PATH");
  there(repository / ".trash" / "my_hand");
  EXPECT_ANY_THROW(add_there());
  there(folder.path() / "ws" / "src" / "robots" / "hands" / "my_hand");
  ::setenv("ROS_PACKAGE_PATH", (folder.path() / "ws").c_str(), 1);
  EXPECT_NO_THROW(add_there());
  ::unsetenv("ROS_PACKAGE_PATH");
  std::filesystem::remove_all(folder.path() / "ws");
  EXPECT_ANY_THROW(add_there());
  // named by its package.xml
  there(repository / "robots" / "hands" / "left");
  test::written(repository / "robots" / "hands" / "left" / "package.xml", "<package><name>my_hand</name></package>");
  EXPECT_NO_THROW(add_there());
}

TEST_F(UrdfField, HullsOfMeshes) {
  test::written(folder.path() / "l.obj", test::l_shape_obj());
  const std::string robot =
      jaw(std::string(inertial) +
              R"(<collision><geometry><mesh filename="l.obj" scale="0.01 0.01 0.01"/></geometry></collision>)",
          limit);
  const std::string said = refusal(robot);
  EXPECT_NE(said.find("link \"jaw/left.0\": collision: "), std::string::npos) << said;
  EXPECT_NE(said.find("hull = true"), std::string::npos) << said;
  UrdfPlacement placement;
  placement.hull = true;
  add(robot, placement);
  EXPECT_NEAR(solid_properties(scene.bodies[1].spatial().parts[0]).volume, 3.5e-6, 1e-12);
  EXPECT_EQ(scene.bodies[1].remarks.size(), 1u);
  EXPECT_NEAR(solid_properties(problem(robot, "hull = true\n").scene.bodies[1].spatial().parts[0]).volume, 3.5e-6,
              1e-12);
}

TEST_F(UrdfField, WhatIsLeftOfXacroSaysSo) {
  for (const char* robot : {R"(<robot name="r"><link name="${prefix}palm"/></robot>)",
                            R"(<robot name="r"><link name="a"><xacro:box/></link></robot>)",
                            R"(<robot name="r"><xacro:property name="x" value="1"/></robot>)",
                            R"(<robot name="r"><link name="a"><collision><geometry>
         <mesh filename="$(find x)/a.stl"/></geometry></collision></link></robot>)"}) {
    EXPECT_NE(refusal(robot).find("xacro FILE.xacro > FILE.urdf"), std::string::npos) << refusal(robot);
  }
}

TEST_F(UrdfField, RefusalsComeEarly) {
  std::string attributes;
  for (int k = 0; k < 100'000; ++k) attributes += " a" + std::to_string(k) + "=\"\"";
  EXPECT_NE(refusal("<robot name=\"r\"><link" + attributes + "/></robot>").find("more than 200 attributes"),
            std::string::npos);
  std::string links;
  for (int k = 0; k < 5'000; ++k) links += "<link name=\"l" + std::to_string(k) + "\"/>";
  EXPECT_NE(refusal("<robot name=\"r\">" + links + "</robot>").find("4096 are the most"), std::string::npos);
  // quotes in comments are none
  std::string comment = "<!-- ";
  for (int k = 0; k < 1'000; ++k) comment += "it's 'so' ";
  EXPECT_NO_THROW(add("<robot name=\"r\">" + comment + " --><link name=\"a\"/></robot>"));
}

TEST_F(UrdfField, TextFromTheFileIsShownAsItIs) {
  const std::string said = refusal("<robot name=\"r\"><link name=\"größe\x1b[2J\"/></robot>");
  EXPECT_NE(said.find("größe\\x1b[2J"), std::string::npos) << said;
  const std::string far = refusal(jaw(inertial, "", ""));
  EXPECT_NE(far.find("add it"), std::string::npos) << far;  // the remedy, at the end, is not cut off
}

}  // namespace
}  // namespace pegrasp

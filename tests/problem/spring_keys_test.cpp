// SPDX-License-Identifier: Apache-2.0
// [[spring]] in problem files and "springs" in scene files: what arrives, and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "pegrasp/error.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

const std::string bodies = R"(
[[body]]
name = "post"
kind = "fixed"
part = [{ shape = "disc", radius_mm = 5 }]
[[body]]
name = "bob"
mass_kg = 0.2
x_mm = 30
y_mm = -40
turn_deg = 90
part = [{ shape = "disc", radius_mm = 5 }]
[[spring]]
)";
const std::string rest = "[success]\ndisplacement_below_mm = 10\nof = \"bob\"\n";
const std::string ends = "from_mm = [0, 0]\nto_mm = [30, -40]\nstiffness_n_per_m = 20\n";

Problem spring_problem(const std::string& keys) { return parse_problem(bodies + keys + rest, "spring.toml"); }
std::string spring_refusal(const std::string& keys) {
  try {
    spring_problem(keys);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SpringKeys, Arrive) {
  const Problem p = spring_problem("name = \"band\"\nbetween = [\"post\", \"bob\"]\n" + ends +
                                   "damping_n_s_per_m = 0.5\nacross_damping_n_s_per_m = 0.25\nrest_length_mm = 45\n");
  ASSERT_EQ(p.scene.joints.size(), 1u);
  ASSERT_EQ(p.scene.actuators.size(), 2u);
  EXPECT_EQ(p.scene.joints[0].kind, JointKind::distance);
  EXPECT_TRUE(p.scene.joints[0].collide);
  EXPECT_EQ(p.scene.actuators[0].name, "band");
  EXPECT_EQ(p.scene.actuators[0].target, 0.045);
  EXPECT_EQ(p.scene.actuators[0].stiffness, 20.0);
  EXPECT_EQ(p.scene.actuators[0].damping, 0.5);
  EXPECT_EQ(p.scene.actuators[1].name, "band.across");
  EXPECT_EQ(p.scene.actuators[1].damping, 0.25);
  EXPECT_EQ(p.scene.actuators[1].component, 1);
  EXPECT_NEAR(p.scene.joints[0].planar().b.x, 0.0, 1e-15) << "where the body carries the end";
}

TEST(SpringKeys, HaveDefaults) {
  const Problem p = spring_problem(
      "between = [\"bob\", \"world\"]\nfrom_mm = [30, -40]\nto_mm = [0, 0]\n"
      "stiffness_n_per_m = 20\n");
  ASSERT_EQ(p.scene.actuators.size(), 1u);
  EXPECT_EQ(p.scene.joints[0].body_a, -1) << "the world comes first";
  EXPECT_EQ(p.scene.joints[0].body_b, 1);
  EXPECT_NEAR(p.scene.actuators[0].target, 0.05, 1e-15) << "the length at the start";
  EXPECT_EQ(p.scene.actuators[0].name, "spring_1");
}

TEST(SpringKeys, MayBeUncertain) {
  const Problem p = spring_problem(
      "between = [\"world\", \"bob\"]\nfrom_mm = [0, 0]\nto_mm = [30, -40]\n"
      "stiffness_n_per_m = { distribution = \"uniform\", low = 10, high = 30 }\n"
      "across_damping_n_s_per_m = { distribution = \"uniform\", low = 0, high = 1 }\n");
  ASSERT_EQ(p.uncertain.size(), 2u);
  const ParameterLayout layout = parameter_layout(p.scene);
  EXPECT_EQ(p.uncertain[0].target, (std::vector<int>{layout.actuator(0) + ParameterLayout::actuator_stiffness}));
  EXPECT_EQ(p.uncertain[1].target, (std::vector<int>{layout.actuator(1) + ParameterLayout::actuator_damping}));
  EXPECT_EQ(p.uncertain[0].name, "spring.spring_1.stiffness");
}

TEST(SpringKeys, AreRefusedInOneLine) {
  const auto says = [](const std::string& keys, const std::string& words) {
    const std::string what = spring_refusal(keys);
    EXPECT_NE(what.find(words), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  };
  says("between = [\"world\", \"post\"]\n" + ends, "name a dynamic body");
  says("between = [\"world\", \"bib\"]\n" + ends, "there is no body \"bib\"");
  says("between = [\"bob\", \"bob\"]\n" + ends, "names one body twice, and a spring acts between two");
  says("between = [\"world\", \"bob\"]\nfrom_mm = [0, 0]\nto_mm = [30, -40]\n", "stiffness_n_per_m");
  says("between = [\"world\", \"bob\"]\nlength_mm = 3\n" + ends, "length_mm");
}

TEST(SpringKeys, ArriveFromSceneFiles) {
  const std::string scene = R"({"format": "peg-scene-1", "dim": 2, "name": "s", "gravity": [0, -9.81], "bodies": [
    {"name": "bob", "mass": 0.2, "inertia_diag": [1, 1, 0.1], "position": [0.03, -0.04],
     "parts": [{"disc": {"centre": [0, 0], "radius": 0.01}}]}],
    "springs": [{"bodies": ["world", "bob"], "from": [0, 0], "to": [0.03, -0.04], "stiffness": 20, "damping": 0.5}]})";
  const SceneFile file = parse_scene_json(scene, "scene.json");
  ASSERT_EQ(file.scene.actuators.size(), 1u);
  EXPECT_EQ(file.scene.joints[0].kind, JointKind::distance);
  EXPECT_EQ(file.scene.actuators[0].damping, 0.5);
  EXPECT_NEAR(file.scene.actuators[0].target, 0.05, 1e-15);
  std::string bad = scene;
  bad.replace(bad.find("\"stiffness\": 20"), 15, "\"stiffness\": -1");
  EXPECT_THROW(parse_scene_json(bad, "scene.json"), InputError);
  // the world may come second, as in a problem file
  std::string turned = scene;
  turned.replace(turned.find("[\"world\", \"bob\"]"), 16, "[\"bob\", \"world\"]");
  const SceneFile other = parse_scene_json(turned, "scene.json");
  EXPECT_EQ(other.scene.joints[0].body_b, 0);
  EXPECT_EQ(other.scene.joints[0].planar().a.x, 0.03);
  // a name is that of one motor
  std::string twice = scene;
  twice.insert(twice.rfind('}'),
               R"(, "actuators": [{"name": "spring_1", "body": "bob", "kind": "force", "axis": [1, 0]}])");
  EXPECT_NE(test::refusal([&] { parse_scene_json(twice, "scene.json"); }).find("give it its own"), std::string::npos);
}

TEST(SpringKeys, MoveSomethingInSceneFiles) {
  const std::string scene = R"({"format": "peg-scene-1", "dim": 2, "gravity": [0, -9.81], "bodies": [
    {"name": "bob", "mass": 0.2, "inertia_diag": [1, 1, 0.1], "parts": [{"disc": {"centre": [0, 0], "radius": 0.01}}]},
    {"name": "post", "static": true, "position": [1, 0], "parts": [{"disc": {"centre": [0, 0], "radius": 0.01}}]}],
    "springs": [{"bodies": ["world", "post"], "from": [0, 0], "to": [1, 0], "stiffness": 20}]})";
  const std::string message = test::refusal([&] { parse_scene_json(scene, "scene.json"); });
  EXPECT_NE(message.find("springs[0].bodies: names no body that a spring could move"), std::string::npos) << message;
}

// A spring is a joint within, but nobody wrote one.
TEST(SpringKeys, AreCalledSpringsInMessages) {
  const std::string band = "name = \"band\"\nbetween = [\"post\", \"bob\"]\n" + ends;
  EXPECT_NE(spring_refusal(band + "[space]\nlift = true\nthickness_mm = 2\n").find("does not lift springs so far"),
            std::string::npos);
  EXPECT_NE(spring_refusal(band + "[[joint_offset]]\njoint = \"band\"\noffset_mm = 1\n")
                .find("joint_offset[0].joint: names a spring"),
            std::string::npos);
  SceneSpec scene = spring_problem(band).scene;
  const auto says = [](const auto& call) {
    try {
      call();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  scene.success.clear();
  EXPECT_EQ(says([&] { write_scene_json(scene, 1.0); }), "scene '' has springs, which are not written so far");
  scene.bodies.push_back(scene.bodies[1]);  // something still moves
  scene.bodies[2].name = "other";
  scene.bodies[1].kind = BodyKind::fixed;
  EXPECT_EQ(says([&] { compile_model(scene); }), "spring \"band\": neither of its bodies is dynamic");
  SpringSpec spring;
  spring.name = "band";
  spring.body_b = 7;
  EXPECT_EQ(says([&] { add_spring(scene, spring); }), "spring \"band\": it needs two different bodies of the scene");
  SceneSpec space;
  space.spatial = true;
  space.bodies.emplace_back().form = SpatialBody{};
  space.bodies[0].mass = 1.0;
  space.bodies[0].spatial().parts = {make_sphere("ball", {}, 0.1)};
  spring.body_b = 0;
  spring.point_b.x = 1.0;
  add_spring(space, spring);
  StepOptions options;
  options.h = 1e-3;
  options.contact = ContactModel::penalty;
  EXPECT_EQ(
      says([&] { derive_options(options, space); }),
      "contact model penalty has no spring \"band\" but motors of kind force with integrator rk4; set integrator = "
      "\"semi-implicit\" in [simulation.penalty]");
}

}  // namespace
}  // namespace pegrasp

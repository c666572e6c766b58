// SPDX-License-Identifier: Apache-2.0
// Scenes in 3D, from peg-scene-1.
#include <gtest/gtest.h>

#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {
namespace {

const char* const two_bodies =
    R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, -9.81], "t_end": 1.0, "friction": 0.3,
 "bodies": [
  {"name": "floor", "static": true, "position": [0, 0, -0.5],
   "vertices": [[-2, -2, -0.5], [2, -2, -0.5], [-2, 2, -0.5], [2, 2, -0.5], [-2, -2, 0.5], [2, -2, 0.5], [-2, 2, 0.5], [2, 2, 0.5]]},
  {"name": "box", "mass": 12.0, "position": [0, 0, 1], "quaternion_wxyz": [0.6, 0.8, 0, 0], "velocity": [1, 2, 3],
   "angular_velocity": [4, 5, 6], "drop_time": 0.25,
   "vertices": [[-0.5, -1, -1.5], [0.5, -1, -1.5], [-0.5, 1, -1.5], [0.5, 1, -1.5], [-0.5, -1, 1.5], [0.5, -1, 1.5], [-0.5, 1, 1.5], [0.5, 1, 1.5]],
   "faces": [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]}]})";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = two_bodies;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_error(const std::string& from, const std::string& to, const std::string& words) {
  std::string message;
  try {
    const SceneFile file = parse_scene_json(replaced(from, to), "scene.json");
    compile_model(file.scene);
  } catch (const std::exception& error) {
    message = error.what();
  }
  EXPECT_NE(message.find(words), std::string::npos) << "message: '" << message << "', wanted: " << words;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(SpatialJson, ReadsBodies) {
  const SceneSpec scene = parse_scene_json(two_bodies, "scene.json").scene;
  EXPECT_TRUE(scene.spatial);
  EXPECT_EQ(scene.gravity_z, -9.81);
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::fixed);
  EXPECT_EQ(scene.bodies[0].spatial().parts[0].shape.faces.size(), 6u);
  const BodySpec& box = scene.bodies[1];
  EXPECT_EQ(box.drop_time, 0.25);
  EXPECT_EQ(box.spatial().pose.position.z, 1.0);
  EXPECT_EQ(box.spatial().pose.turn.x, 0.8);
  EXPECT_EQ(box.spatial().velocity.velocity.y, 2.0);
  EXPECT_EQ(box.spatial().velocity.angular.z, 6.0);
  // m / 12 (b^2 + c^2) of a box of 1 x 2 x 3 m, as no inertia is given
  EXPECT_NEAR(box.spatial().inertia.xx, 13.0, 1e-12);
  EXPECT_NEAR(box.spatial().inertia.yy, 10.0, 1e-12);
  EXPECT_NEAR(box.spatial().inertia.zz, 5.0, 1e-12);
  EXPECT_NEAR(box.spatial().inertia.xy, 0.0, 1e-12);
}

TEST(SpatialJson, ADensityGivesTheMass) {
  const SceneSpec scene = parse_scene_json(replaced("\"mass\": 12.0", "\"density\": 2.0"), "scene.json").scene;
  EXPECT_NEAR(scene.bodies[1].mass, 12.0, 1e-12);  // 1 x 2 x 3 m
  EXPECT_NEAR(scene.bodies[1].spatial().inertia.xx, 13.0, 1e-12);
}

TEST(SpatialJson, NamesWhatIsWrong) {
  expect_error("\"faces\": [[0, 4, 6, 2], ", "\"faces\": [", "bodies[1]");  // open
  expect_error("[0, 4, 6, 2]", "[2, 6, 4, 0]", "bodies[1]");                // one face inside out
  expect_error("[0, 4, 6, 2]", "[0, 4, 6, 9]", "bodies[1]");                // no such vertex
  expect_error("[0, 4, 6, 2]", "[0, 4, 6, 2.5]", "must be the index of a vertex");
  expect_error("[0.6, 0.8, 0, 0]", "[0.6, 0.9, 0, 0]", "unit length");
  expect_error("\"mass\": 12.0, ", "", "mass");
  expect_error("\"mass\": 12.0, ", "\"mass\": 12.0, \"density\": 2.0, ", "is given with a mass");
  expect_error("\"mass\": 12.0, ", "\"density\": 0, ", "density");
  expect_error("\"position\": [0, 0, 1]", "\"position\": [0, 0, 1], \"turn\": 1.0", "planar");
  expect_error("\"position\": [0, 0, 1]", "\"position\": [0, 0]", "position");
  expect_error("\"position\": [0, 0, 1]", "\"position\": [0, 0, 1], \"inertia_diag\": [1, 0, 1]", "positive");
  expect_error("\"static\": true", "\"static\": true, \"velocity\": [0, 0, 1]", "static body does not move");
  // not about its middle
  expect_error("[[-0.5, -1, -1.5]", "[[-0.5, -1, -1.6]", "bodies[1]");
  expect_error("[-2, -2, 0.5], [2, -2, 0.5], [-2, 2, 0.5], [2, 2, 0.5]]", "[1, 1, -0.5]]", "volume");
}

TEST(SpatialJson, ABallJointAndItsSwing) {
  const std::string from = "\"friction\": 0.3,";
  const auto jointed = [&](const std::string& keys) {
    return from +
           R"( "joints": [{"name": "ball", "kind": "spherical", "bodies": ["world", "box"], "anchor": [0, 0, 3])" +
           keys + "}],";
  };
  const std::string good = R"(, "axis": [0, 0, -2], "swing": 0.5)";
  const JointSpec joint = parse_scene_json(replaced(from, jointed(good)), "scene.json").scene.joints.at(0);
  EXPECT_EQ(joint.kind, JointKind::spherical);
  ASSERT_TRUE(joint.swing.has_value());
  EXPECT_EQ(*joint.swing, 0.5);
  EXPECT_FALSE(joint.turn.has_value());
  EXPECT_FALSE(parse_scene_json(replaced(from, jointed("")), "scene.json").scene.joints.at(0).swing.has_value());
  expect_error(from, jointed(R"(, "swing": 0.5)"), "axis");
  expect_error(from, jointed(R"(, "axis": [0, 0, 1], "swing": 0)"), "must be 0.01 to 3, in radians");
  expect_error(from, jointed(R"(, "axis": [0, 0, 1], "swing": 3.1)"), "joints[0].swing");
  expect_error(from, jointed(R"(, "axis": [0, 0, 0], "swing": 1)"), "no direction");
  expect_error(from, jointed(R"(, "turn": [0, 1])"), "a spherical one has a swing");
}

TEST(SpatialJson, AUnionOfParts) {
  const std::string text = R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, 0], "t_end": 1.0, "bodies": [
    {"name": "dumbbell", "mass": 2.0, "parts": [
      {"name": "left", "shell": {"thickness": 0.01, "stiffness": 9}, "vertices": [[-2, -0.5, -0.5], [-1, -0.5, -0.5], [-2, 0.5, -0.5], [-1, 0.5, -0.5], [-2, -0.5, 0.5], [-1, -0.5, 0.5], [-2, 0.5, 0.5], [-1, 0.5, 0.5]]},
      {"vertices": [[1, -0.5, -0.5], [2, -0.5, -0.5], [1, 0.5, -0.5], [2, 0.5, -0.5], [1, -0.5, 0.5], [2, -0.5, 0.5], [1, 0.5, 0.5], [2, 0.5, 0.5]]}]}]})";
  const SceneSpec scene = parse_scene_json(text, "scene.json").scene;
  ASSERT_EQ(scene.bodies[0].spatial().parts.size(), 2u);
  EXPECT_EQ(scene.bodies[0].spatial().parts[1].name, "part_2");
  EXPECT_EQ(*scene.bodies[0].spatial().parts[0].shell, (CompliantShell{0.01, 9.0, 0.0, 0.0, 0.0}));
  EXPECT_FALSE(scene.bodies[0].spatial().parts[1].shell);
  EXPECT_NEAR(scene.bodies[0].spatial().inertia.xx, 2.0 / 6.0, 1e-12);
  EXPECT_NEAR(scene.bodies[0].spatial().inertia.zz, 2.0 / 6.0 + 2.0 * 1.5 * 1.5, 1e-12);
}

// Round parts and half-spaces.
const char* const round_bodies =
    R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, -9.81], "t_end": 1.0, "bodies": [
  {"name": "ground", "static": true, "half_space": {"normal": [0, 0, 2], "offset": 1.0}},
  {"name": "ball", "mass": 10.0, "position": [0, 0, 1], "sphere": {"radius": 0.5}},
  {"name": "pill", "mass": 2.0, "position": [2, 0, 1], "capsule": {"radius": 0.1, "from": [-0.3, 0, 0], "to": [0.3, 0, 0]}},
  {"name": "dumbbell", "mass": 2.0, "inertia_diag": [1, 2, 2], "position": [4, 0, 1],
   "parts": [{"name": "left", "sphere": {"radius": 0.2, "centre": [-1, 0, 0]}}]}]})";

void expect_round_error(const std::string& from, const std::string& to, const std::string& place,
                        const std::string& words) {
  SCOPED_TRACE(to);
  std::string text = round_bodies;
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::string message;
  try {
    compile_model(parse_scene_json(text, "scene.json").scene);
  } catch (const std::exception& error) {
    message = error.what();
  }
  EXPECT_NE(message.find(words), std::string::npos) << "message: '" << message << "', wanted: " << words;
  EXPECT_NE(message.find(place), std::string::npos) << "message: '" << message << "', wanted: " << place;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(SpatialJson, ReadsRoundParts) {
  const SceneSpec scene = parse_scene_json(round_bodies, "scene.json").scene;
  ASSERT_EQ(scene.bodies.size(), 4u);
  const SolidPart& ground = scene.bodies[0].spatial().parts[0];
  EXPECT_EQ(ground.kind, SolidKind::half_space);
  EXPECT_EQ(ground.shape.faces[0].normal.z, 1.0);
  EXPECT_EQ(ground.shape.faces[0].offset, 0.5);
  const BodySpec& ball = scene.bodies[1];
  EXPECT_EQ(ball.spatial().parts[0].kind, SolidKind::sphere);
  EXPECT_EQ(ball.spatial().parts[0].radius, 0.5);
  EXPECT_NEAR(ball.spatial().inertia.yy, 0.4 * 10.0 * 0.25, 1e-14);
  EXPECT_EQ(ball.spatial().inertia.xy, 0.0);
  const BodySpec& pill = scene.bodies[2];
  EXPECT_EQ(pill.spatial().parts[0].kind, SolidKind::capsule);
  EXPECT_LT(pill.spatial().inertia.xx, pill.spatial().inertia.yy);
  EXPECT_NEAR(pill.spatial().inertia.zz, pill.spatial().inertia.yy, 1e-16);
  EXPECT_EQ(scene.bodies[3].spatial().parts[0].name, "left");
  EXPECT_EQ(scene.bodies[3].spatial().parts[0].shape.vertices[0].x, -1.0);
  EXPECT_NEAR(length_scale(scene), 0.5, 1e-15);  // the ball's: a part far from its frame is no larger for it
  compile_model(scene);
}

TEST(SpatialJson, NamesWhatIsWrongWithRoundParts) {
  expect_round_error("{\"radius\": 0.5}", "{\"radius\": 0}", "bodies[1].sphere.radius", "must be > 0");
  expect_round_error("{\"radius\": 0.5}", "{\"radius\": -1}", "bodies[1].sphere.radius", "must be > 0");
  expect_round_error("{\"radius\": 0.5}", "{\"radius\": 1e999}", "scene.json", "number");
  expect_round_error("{\"radius\": 0.5}", "{}", "bodies[1].sphere", "\"radius\" is missing");
  expect_round_error("{\"radius\": 0.5}", "{\"radius\": 0.5, \"center\": [0, 0]}", "bodies[1].sphere.center", "3");
  expect_round_error("{\"radius\": 0.5}", "{\"radius\": 0.5, \"radus\": 1}", "bodies[1].sphere", "radius");
  expect_round_error("{\"radius\": 0.5}", "{\"radius\": 0.5, \"centre\": [0, 0, 0], \"center\": [0, 0, 0]}",
                     "bodies[1].sphere.center", "drop one of them");
  expect_round_error("{\"radius\": 0.5}", "{\"radius\": 0.5, \"centre\": [0, 0, 1]}", "bodies[1]", "inertia_diag");
  const std::string pill = "\"capsule\": {\"radius\": 0.1";
  expect_round_error(pill, "\"cylinder\": {\"radius\": -0.1", "bodies[2].cylinder.radius", "must be > 0");
  expect_round_error("\"radius\": 0.1", "\"radius\": 0", "bodies[2].capsule.radius", "must be > 0");
  expect_round_error("\"to\": [0.3, 0, 0]", "\"to\": [-0.3, 0, 0]", "bodies[2].capsule", "use a sphere");
  expect_round_error("\"from\": [-0.3, 0, 0], ", "", "bodies[2].capsule", "\"from\" is missing");
  expect_round_error("[0, 0, 2]", "[0, 0, 0]", "bodies[0].half_space", "normal not zero");
  expect_round_error(", \"offset\": 1.0", "", "bodies[0].half_space", "\"offset\" is missing");
  expect_round_error("\"sphere\": {\"radius\": 0.5}", "\"half_space\": {\"normal\": [0, 0, 1], \"offset\": 0}",
                     "bodies[1].half_space", "\"static\" or \"kinematic\"");
  expect_round_error("\"sphere\": {\"radius\": 0.5}", "\"sphere\": {\"radius\": 0.5}, \"capsule\": {}", "bodies[1]",
                     "exactly one of");
  expect_round_error("\"sphere\": {\"radius\": 0.5}", "\"cone\": {\"radius\": 0.5}", "bodies[1]",
                     "\"cone\" is no shape here; give its corners, of a round rim 16 or so, to \"vertices\"");
  expect_round_error("\"sphere\": {\"radius\": 0.5}", "\"parts\": [{\"pyramid\": {\"radius\": 0.5}}]",
                     "bodies[1].parts[0]", "\"pyramid\" is no shape here");
  expect_round_error("\"sphere\": {\"radius\": 0.5}", "\"sphere\": {\"radius\": 0.5}, \"faces\": []", "bodies[1].faces",
                     "belongs to \"vertices\"");
  expect_round_error("{\"name\": \"left\", \"sphere\"", "{\"name\": \"left\", \"sphare\"", "bodies[3].parts[0]",
                     "sphere");
  expect_round_error("\"dim\": 3", "\"dim\": 2", "scene.json", "");
}

}  // namespace
}  // namespace pegrasp

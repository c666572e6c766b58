// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/scene_json.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "src/geometry/angle.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp {
namespace {

const char* const triangles = R"({
 "bodies": [
  {"angular_velocity": [0.0, 0.0, 0.0], "drop_time": 0.0, "friction": 0.3, "inertia_diag": [1.0, 1.0, 1.0], "mass": 4.0,
   "name": "large", "position": [0.0, 0.0, 0.0], "quaternion_wxyz": [1.0, 0.0, 0.0, 0.0], "static": true,
   "velocity": [0.0, 0.0, 0.0],
   "vertices": [[1.7322728899173484e-16, 2.829016319029167, 0.0], [-2.450000000000001, -1.4145081595145825, 0.0],
                [2.4499999999999997, -1.4145081595145848, 0.0]], "volume": 10.396634972432187},
  {"angular_velocity": [0.0, 0.0, 0.5], "drop_time": 0.25, "inertia_diag": [0.6495, 0.6495, 0.6495], "mass": 1.0,
   "name": "small", "position": [1.275, 6.75, 0.0], "quaternion_wxyz": [0.8, 0.0, 0.0, 0.6], "static": false,
   "velocity": [0.1, 0.2, 0.0], "box_half_extents": [1.0, 1.0, 0.5],
   "vertices": [[0.0, 1.4, 0.0], [-1.2, -0.7, 0.0], [1.2, -0.7, 0.0]], "volume": 2.5991587431080467}],
 "bound": [1000000000.0, 1000000000.0, 1000000000.0], "dim": 2, "format": "peg-scene-1", "friction": 0.2,
 "gravity": [0.0, -9.81, 0.0], "name": "tri", "seed": 0, "t_end": 1.5, "up_axis": 1})";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = triangles;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  try {
    parse_scene_json(text, "scene.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_error(const std::string& from, const std::string& to, const std::string& words) {
  const std::string message = error_of(replaced(from, to));
  EXPECT_EQ(message.rfind("scene.json: ", 0), 0u) << message;
  EXPECT_NE(message.find(words), std::string::npos) << "message: '" << message << "', wanted: " << words;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(SceneJson, ReadsEveryField) {
  const SceneFile file = parse_scene_json(triangles, "scene.json");
  const SceneSpec& scene = file.scene;
  EXPECT_EQ(file.t_end, 1.5);
  EXPECT_EQ(scene.name, "tri");
  EXPECT_EQ(scene.gravity.y, -9.81);
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::fixed);
  EXPECT_EQ(scene.bodies[0].friction, 0.3);
  EXPECT_EQ(scene.bodies[0].planar().parts[0].corners[0].centre.y, 2.829016319029167);
  const BodySpec& small = scene.bodies[1];
  EXPECT_EQ(small.kind, BodyKind::dynamic);
  EXPECT_EQ(small.friction, 0.2);  // the scene's
  EXPECT_EQ(small.mass, 1.0);
  EXPECT_EQ(small.planar().inertia, 0.6495);
  EXPECT_EQ(small.drop_time, 0.25);
  EXPECT_EQ(small.planar().pose.x, 1.275);
  EXPECT_NEAR(small.planar().pose.theta, 2.0 * std::atan2(0.6, 0.8), 1e-15);
  EXPECT_EQ(small.planar().velocity.vy, 0.2);
  EXPECT_EQ(small.planar().velocity.omega, 0.5);
  EXPECT_EQ(small.planar().parts[0].name, "small");
}

TEST(SceneJson, ReadsPartsPairsAndKinematicBodies) {
  const std::string text =
      R"({"format": "peg-scene-1", "dim": 2, "gravity": [0, -9.81], "length_scale": 0.5, "bodies": [
    {"name": "ground", "static": true, "parts": [{"name": "g", "half_plane": {"normal": [0, 2], "offset": 1}}]},
    {"name": "jaw", "kinematic": true, "velocity": [1, 0], "parts": [{"segment": {"centre": [0, 0], "radius": 1, "from": 0, "to": 3}}]},
    {"name": "wheel", "mass": 1, "inertia_diag": [1, 1, 0.5], "parts": [
      {"name": "disc", "disc": {"centre": [0, 0], "radius": 0.5}},
      {"corners": [{"centre": [0, 0], "radius": 0.1}, {"centre": [1, 0], "radius": 0.1}]},
      {"vertices": [[0, 0], [1, 0], [0, 1]]}]}],
    "friction_pairs": [{"bodies": ["wheel", 0], "mu": 0.7}], "ignored_pairs": [["wheel", "jaw"]]})";
  const SceneSpec scene = parse_scene_json(text, "s").scene;
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[0].planar().parts[0].offset, 0.5);
  EXPECT_EQ(scene.bodies[1].kind, BodyKind::kinematic);
  EXPECT_EQ(scene.bodies[1].planar().velocity.vx, 1.0);
  EXPECT_EQ(scene.bodies[1].planar().parts[0].corners.size(), 3u);
  EXPECT_EQ(scene.bodies[2].planar().inertia, 0.5);
  EXPECT_EQ(part_index(scene, "wheel", "disc"), 2);
  EXPECT_EQ(part_index(scene, "wheel", "part_2"), 3);
  EXPECT_EQ(scene.friction[0].body_a, 2);
  EXPECT_EQ(scene.friction[0].mu, 0.7);
  EXPECT_EQ(scene.ignored_pairs[0][1], 1);
  EXPECT_EQ(scene.length_scale, 0.5);
}

TEST(SceneJson, NamesWhatIsWrong) {
  expect_error("peg-scene-1", "peg-scene-2", "format: must be \"peg-scene-1\"");
  expect_error("\"format\": \"peg-scene-1\", ", "", "key \"format\" is missing");
  expect_error("\"dim\": 2", "\"dim\": 3", "bodies[0]");  // a flat body has no volume
  expect_error("\"dim\": 2", "\"dim\": 1", "dim: must be 2 or 3");
  expect_error("\"mass\": 1.0", "\"mass\": -1.0",
               "bodies[1].mass: must be > 0, got -1.0: give a number above 0, in SI units");
  expect_error("\"mass\": 1.0", "\"mass\": \"one\"", "bodies[1].mass: must be a number, got \"one\"");
  expect_error("\"mass\": 1.0", "\"mass\": \"1.0\"", "must be a number, got \"1.0\": write it without quotes");
  expect_error("\"mass\": 1.0", "\"mass\": 1e999", "not valid JSON");
  expect_error("\"mass\": 1.0", "\"mass\": NaN", "not valid JSON");
  expect_error("\"mass\": 1.0", "\"mass\": 1e150", "too large");
  expect_error("\"mass\": 1.0", "\"mas\": 1.0", "unknown key \"mas\"; did you mean \"mass\"?");
  expect_error("\"drop_time\": 0.25", "\"droptime\": 0.25", "did you mean \"drop_time\"?");
  expect_error("\"gravity\"", "\"gravitty\"", "did you mean \"gravity\"?");
  expect_error("[0.6495, 0.6495, 0.6495]", "[0.6495, 0.6495]", "bodies[1].inertia_diag: must hold 3 numbers, got 2");
  expect_error("[0.6495, 0.6495, 0.6495]", "[0.6495, 0.6495, 0]", "bodies[1].inertia_diag: must have z > 0");
  expect_error("[1.275, 6.75, 0.0]", "[1.275, 6.75, 1.0]", "bodies[1].position: must have z = 0");
  expect_error("[0.8, 0.0, 0.0, 0.6]", "[0.8, 0.6, 0.0, 0.0]", "turn about z");
  expect_error("[0.8, 0.0, 0.0, 0.6]", "[1.8, 0.0, 0.0, 0.6]", "unit length");
  expect_error("[0.0, 0.0, 0.5]", "[0.1, 0.0, 0.5]", "about z");
  expect_error("\"static\": false", "\"static\": 0", "must be true or false, got 0");
  expect_error("\"static\": false", "\"static\": true", "a static body does not move");
  expect_error("\"friction\": 0.3", "\"friction\": -0.3", "bodies[0].friction: must be >= 0");
  expect_error("\"t_end\": 1.5", "\"t_end\": 0", "t_end: must be > 0");
  expect_error("[0.0, 1.4, 0.0], [-1.2, -0.7, 0.0]", "[-1.2, -0.7, 0.0], [0.0, 1.4, 0.0]", "reverse the order");
  expect_error("[0.0, 1.4, 0.0], ", "", "bodies[1].vertices: polygon 'small': has 2 vertices");
  expect_error("\"vertices\": [[0.0", "\"parts\": [], \"vertices\": [[0.0", "exactly one of");
  expect_error("\"name\": \"tri\"", "\"name\": 7", "name: must be a string");
  for (const std::string name : {"", "a/b", "a.b", "a\\nb", "a\\u0000b", "\\u007f"}) {
    expect_error("\"name\": \"small\"", "\"name\": \"" + name + "\"", "bodies[1].name: must be a name without points");
    const std::string part =
        "\"parts\": [{\"disc\": {\"centre\": [0, 0], \"radius\": 1}, \"name\": \"" + name + "\"}], ";
    expect_error("\"vertices\": [[0.0, 1.4, 0.0], [-1.2, -0.7, 0.0], [1.2, -0.7, 0.0]], ", part,
                 "bodies[1].parts[0].name: must be a name without points");
  }
  expect_error("\"mass\": 1.0", "\"mass\": 1.0, \"mass\": 2.0", "bodies[1].mass: is given twice");
  expect_error("\"dim\": 2", "\"dim\": 2, \"friction\": 0.5", "friction: is given twice");
  const auto curve = [](const std::string& text, const std::string& words) {
    expect_error("\"vertices\": [[0.0, 1.4, 0.0], [-1.2, -0.7, 0.0], [1.2, -0.7, 0.0]], ",
                 "\"parts\": [{" + text + "}], ", "bodies[1].parts[0]." + words);
  };
  curve("\"ellipse\": {\"semi_axes\": [0.1, -0.2]}",
        "ellipse.semi_axes: must be > 0, got [0.1,-0.2]: give 2 lengths in metres");
  curve("\"superellipse\": {\"semi_axes\": [0.1, 0.2], \"order\": \"4\"}",
        "superellipse.order: must be a number, got \"4\": write it without quotes");
  curve("\"superellipse\": {\"semi_axes\": [0.1, 0.2], \"order\": 4.5}",
        "superellipse.order: must be a whole number from 2 to 16, got 4.5: give one");
  curve("\"ellipse\": {\"semi_axes\": [1, 1e-4]}", "ellipse: ellipse 'part_1': semi-axes differ");
  EXPECT_NE(error_of("[]").find("must be a JSON object"), std::string::npos);
  EXPECT_NE(error_of("").find("not valid JSON"), std::string::npos);
  EXPECT_NE(error_of("{\n\"format\": \"peg\nscene\"}").find("not valid JSON"), std::string::npos);
}

TEST(SceneJson, ShellsOfBodiesAndParts) {
  const std::string text = R"({"format": "peg-scene-1", "dim": 2, "gravity": [0, -9.81], "bodies": [
    {"name": "floor", "static": true, "shell": {"thickness": 0.001, "stiffness": 1e4, "damping": 2},
     "parts": [{"half_plane": {"normal": [0, 1], "offset": 0}, "shell": {"thickness": 0.002, "stiffness": 300}}]},
    {"name": "box", "mass": 1, "inertia_diag": [1, 1, 1], "vertices": [[-1, 0], [1, 0], [1, 1]],
     "shell": {"thickness": 0.003, "stiffness": 3, "tangential_stiffness": 4, "tangential_damping": 5}}]})";
  const SceneSpec scene = parse_scene_json(text, "scene.json").scene;
  EXPECT_EQ(*scene.bodies[0].shell, (CompliantShell{0.001, 1e4, 2.0, 0.0, 0.0}));
  EXPECT_EQ(*scene.bodies[0].planar().parts[0].shell, (CompliantShell{0.002, 300.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(*scene.bodies[1].shell, (CompliantShell{0.003, 3.0, 0.0, 4.0, 5.0}));
  const SceneSpec again = parse_scene_json(write_scene_json(scene, 1.0), "again.json").scene;
  EXPECT_EQ(again.bodies[0].shell, scene.bodies[0].shell);
  EXPECT_EQ(again.bodies[0].planar().parts[0].shell, scene.bodies[0].planar().parts[0].shell);
  EXPECT_EQ(again.bodies[1].shell, scene.bodies[1].shell);
  std::string bad = text;
  bad.replace(bad.find(", \"tangential_stiffness\": 4"), 27, "");
  EXPECT_NE(error_of(bad).find("rigid along its surface"), std::string::npos);
  bad = text;
  bad.replace(bad.find("\"stiffness\": 300"), 16, "\"stiffnes\": 300");
  EXPECT_NE(error_of(bad).find("stiffness"), std::string::npos);
}

TEST(SceneJson, RefusesSceneWithNothingThatMoves) {
  const std::string text = R"({"format": "peg-scene-1", "dim": 2, "gravity": [0, 0], "bodies": []})";
  EXPECT_NE(error_of(text).find("at least one body"), std::string::npos);
}

TEST(SceneJson, MissingFileAndDirectoryAreInputErrors) {
  EXPECT_THROW(load_scene_json("/nonexistent/scene.json"), InputError);
  EXPECT_THROW(load_scene_json("/"), InputError);
}

TEST(SceneJson, LoadsAFile) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("pegrasp_scene_" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << triangles;
  const SceneFile file = load_scene_json(path);
  std::filesystem::remove(path);
  EXPECT_EQ(file.scene.bodies.size(), 2u);
}

TEST(SceneJson, WritesWhatItReads) {
  SceneSpec scene;
  scene.name = "all";
  scene.gravity = {0.1, -9.81};
  scene.length_scale = 0.25;
  BodySpec ground;
  ground.name = "ground";
  ground.kind = BodyKind::fixed;
  ground.planar().parts = {make_half_plane("g", {0.3, 0.7}, 0.11)};
  BodySpec wheel;
  wheel.name = "wheel";
  wheel.mass = 1.0 / 3.0;
  wheel.planar().inertia = 0.1;
  wheel.planar().pose = {1.0 / 7.0, 0.2, 17.3};
  wheel.planar().velocity = {1, 2, 3};
  wheel.drop_time = 0.4;
  wheel.planar().parts = {make_disc("d", {0.1, 0.2}, 0.3), make_circular_segment("s", {0, 1.0 / 3.0}, 0.7, 0.1, 2.2),
                          make_rounded_polygon("c", {{{0, 0}, 0.1}, {{1, 0}, 0.2}})};
  BodySpec jaw;
  jaw.name = "jaw";
  jaw.kind = BodyKind::kinematic;
  jaw.planar().velocity = {0, -1, 0};
  jaw.planar().parts = {make_polygon("jaw", {{0, 0}, {1, 0}, {0, 1}})};
  scene.bodies = {ground, wheel, jaw};
  scene.friction = {{0, 1, 0.25}};
  scene.ignored_pairs = {{1, 2}};
  const std::string text = write_scene_json(scene, 2.0);
  const SceneFile back = parse_scene_json(text, "written");
  EXPECT_EQ(write_scene_json(back.scene, back.t_end), text);
  EXPECT_EQ(back.scene.bodies[1].planar().pose.theta, 17.3);
  EXPECT_EQ(back.scene.bodies[0].planar().parts[0].normal.x, ground.planar().parts[0].normal.x);
  EXPECT_EQ(back.scene.bodies[1].planar().parts[1].corners[1].centre.x, wheel.planar().parts[1].corners[1].centre.x);
  SceneSpec jointed = scene;
  jointed.joints.push_back(make_joint(scene, "axle", JointKind::revolute, 0, 1, {17.0, 0.0, 0.0}));
  EXPECT_THROW(write_scene_json(jointed, 1.0), InputError);
  scene.success.push_back({});
  EXPECT_THROW(write_scene_json(scene, 1.0), InputError);
}

// Every key of the format, and every shape.
const char* const every_key = R"({
 "format": "peg-scene-1", "dim": 2, "name": "all", "seed": 3, "up_axis": 1, "bound": [10, 10, 1], "gravity": [0.1, -9.81],
 "t_end": 2.5, "friction": 0.4, "length_scale": 0.25,
 "bodies": [
  {"name": "ground", "static": true, "friction": 0.6, "parts": [
    {"name": "floor", "half_plane": {"normal": [0.1, 1], "offset": -0.5}},
    {"name": "post", "vertices": [[0.9, -0.5], [1.1, -0.5], [1, 0.5]]}]},
  {"name": "jaw", "kinematic": true, "position": [-2, 0.5], "turn": 7.25, "velocity": [0.3, 0], "angular_velocity": [0, 0, 0.1],
   "parts": [{"segment": {"centre": [0, 0.1], "radius": 0.7, "from": 0.2, "to": 2.9}}]},
  {"name": "wheel", "static": false, "kinematic": false, "mass": 1.5, "inertia_diag": [1, 1, 0.5], "position": [0.5, 2, 0],
   "quaternion_wxyz": [0.8, 0, 0, 0.6], "velocity": [0.1, 0.2, 0], "angular_velocity": [0, 0, -1], "drop_time": 0.25,
   "volume": 3.5, "box_half_extents": [1, 1, 0.5], "faces": [[0, 1, 2]],
   "parts": [{"name": "disc", "disc": {"centre": [0, 0], "radius": 0.5}},
             {"name": "arm", "corners": [{"centre": [0, 0], "radius": 0.1}, {"centre": [1, 0], "radius": 0},
                                         {"centre": [0.5, 0.5], "radius": 0.2}]}]},
  {"mass": 0.2, "inertia_diag": [0, 0, 0.01], "vertices": [[0, 0.2], [-0.2, -0.1], [0.2, -0.1]]}],
 "friction_pairs": [{"bodies": ["wheel", 0], "mu": 0.7}, {"bodies": [3, "wheel"], "mu": 0}],
 "ignored_pairs": [["wheel", "jaw"], [0, "body3"]]})";

// Damages the text `trials` times over; what is accepted must be written and read back as the same scene.
void survive_damage(const std::string& good, int trials) {
  ASSERT_EQ(error_of(good), "");
  const std::uint64_t seed = test::fuzz_seed(20240607);
  scenes::Random random(seed);
  const std::vector<std::string> words{"null",
                                       "-1",
                                       "1e308",
                                       "1e-320",
                                       "[]",
                                       "{}",
                                       "\"\"",
                                       "true",
                                       "0",
                                       "[[[[",
                                       "\xff\xfe",
                                       "\\u0000",
                                       "\"parts\":[{\"disc\":{\"centre\":[0,0],\"radius\":1}}]",
                                       ",",
                                       "\n",
                                       "1e99"};
  int refused = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::string text = good;
    const int edits = 1 + static_cast<int>(random.below(3));
    for (int e = 0; e < edits; ++e) {
      const std::size_t at = random.below(text.size());
      switch (random.below(5)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, 1 + random.below(8));
          break;
        case 2:
          text.insert(at, words[random.below(words.size())]);
          break;
        case 3: {  // one number or word for another
          const std::size_t end = text.find_first_of(",]}", at);
          const std::size_t begin = text.find_last_of(":[,", at);
          if (end == std::string::npos || begin == std::string::npos || end <= begin) break;
          text.replace(begin + 1, end - begin - 1, words[random.below(words.size())]);
          break;
        }
        default:
          text.resize(at);
          break;
      }
      if (text.empty()) text = " ";
    }
    SceneFile file;
    try {
      file = parse_scene_json(text, "fuzz");
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos)
          << "seed " << seed << " trial " << trial << ": " << error.what();
      continue;
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << " trial " << trial << ": " << error.what() << "\n" << text;
    }
    try {
      const std::string written = write_scene_json(file.scene, file.t_end);
      const SceneFile back = parse_scene_json(written, "written");
      ASSERT_EQ(write_scene_json(back.scene, back.t_end), written) << "seed " << seed << " trial " << trial;
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << " trial " << trial << ", written: " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(refused, trials / 2);
  EXPECT_LT(refused, trials);
}

// Damaged files must be read or refused with one line, never crash.
TEST(SceneJson, SurvivesDamagedFiles) { survive_damage(triangles, 20000); }
TEST(SceneJson, SurvivesDamagedFilesOfEveryKey) { survive_damage(every_key, 20000); }

TEST(SceneJson, SurvivesDeepNesting) {
  const std::string deep(100000, '[');
  EXPECT_THROW(parse_scene_json(deep, "deep"), InputError);
  EXPECT_THROW(parse_scene_json(deep + std::string(100000, ']'), "deep"), InputError);
  // below a key, where a message would show the value
  const std::string lists = deep + std::string(100000, ']');
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  objects += "1" + std::string(100000, '}');
  for (const std::string& value : {lists, objects}) {
    for (const char* key : {"format", "gravity", "bodies", "what"}) {
      try {
        parse_scene_json("{\"" + std::string(key) + "\":" + value + "}", "deep.json");
        ADD_FAILURE() << key;
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("lists and objects more than 64 deep"), std::string::npos)
            << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// pegrasp evaluate: the probabilities of a file of grasps. It makes a problem of a part, a gripper and the grasps, and
// simulates that as `pegrasp map` does.
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pegrasp/error.hpp"
#include "src/cli/map_job.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/problem/problem_tree.hpp"
#include "src/text/document.hpp"

namespace pegrasp::cli {
namespace {

constexpr const char* evaluated_part = "part";

struct EvaluateArguments {
  MapArguments map;
  std::string part, gripper, protocol = "lift", format;
  bool hull = false, convexify = false;
  double scale = 0.0;  // 0: that of the file of grasps
  double mass = 0.2, force = 20.0, torque = 1.0;
  std::vector<double> friction{0.3, 0.7}, approach, closing;
  double shift = 1.0, turn = 1.0;  // standard deviations of the pose [mm], [deg]
};

Node numbers(const std::vector<double>& values) {
  std::vector<Node> items;
  for (const double value : values) items.push_back(Node::of(value));
  return Node::list(std::move(items));
}

Node tables(std::vector<Node> items) {
  for (Node& item : items) item.expanded = true;
  Node list = Node::list(std::move(items));
  list.expanded = true;
  return list;
}

std::string absolute_path(const std::string& file) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(file, error);
  return error ? file : path.lexically_normal().string();
}

// A value as an option gave it, which messages name.
Node given(const std::string& option, Node value) {
  mark_given_by(value, option);
  return value;
}

Node part_of(const EvaluateArguments& arguments) {
  Node shape, body;
  shape.set("shape", Node::of("mesh"));
  shape.set("name", Node::of("mesh"));
  shape.set("file", Node::of(absolute_path(arguments.part)));
  if (arguments.hull) shape.set("hull", Node::of(true));
  if (arguments.convexify) shape.set("convexify", Node::of(true));
  shape = given("--part", shape);
  if (arguments.scale > 0.0) shape.set("scale", given("--scale", Node::of(arguments.scale)));
  body.set("name", Node::of(evaluated_part));
  body.set("mass_kg", given("--mass", Node::of(arguments.mass)));
  body.set("part", tables({shape}));
  return body;
}

// Stands for the part where only the gripper is asked for.
Node any_part() {
  Node shape, body;
  shape.set("shape", Node::of("box"));
  shape.set("size_mm", numbers({1.0, 1.0, 1.0}));
  body.set("name", Node::of(evaluated_part));
  body.set("mass_kg", Node::of(1.0));
  body.set("part", tables({shape}));
  return body;
}

// Whether the gripper is a table [gripper] instead of a URDF.
bool is_parametric(const EvaluateArguments& arguments) {
  return std::filesystem::path(arguments.gripper).extension() == ".toml";
}

Node parametric_gripper(const EvaluateArguments& arguments) {
  const std::string origin = printable(arguments.gripper);
  try {
    Node root = parse_toml(read_part_file(arguments.gripper), origin);
    mark_given_by(root, origin);
    const Node* table = root.find("gripper");
    if (table != nullptr && root.members.size() == 1) return *table;
  } catch (const ShapeError& error) {
    throw InputError(error.what());
  }
  throw InputError(origin + ": must hold the table [gripper] and nothing else; or give a URDF");
}

// The gripper and a part.
Node scene_of(const EvaluateArguments& arguments, const Node& part) {
  Node root, map, robot;
  root.set("dim", Node::of(3));
  map.set("title", Node::of("Grasps of " + std::filesystem::path(arguments.part).filename().string()));
  map.set("samples", Node::of(100));
  root.set("map", map);
  root.set("body", tables({part}));
  if (is_parametric(arguments)) {
    root.set("gripper", parametric_gripper(arguments));
  } else {
    robot.set("file", Node::of(absolute_path(arguments.gripper)));
    robot.set("base", Node::of("kinematic"));
    root.set("urdf", tables({given("--gripper", robot)}));
  }
  return root;
}

// friction_with: bodies that have friction with the part.
void add_friction(const EvaluateArguments& arguments, const std::vector<std::string>& friction_with, Node& root) {
  const std::vector<double>& mu = arguments.friction;
  const bool certain = mu[0] == mu[1];
  std::vector<Node> pairs;
  for (const std::string& name : friction_with) {
    Node pair;
    pair.set("between", Node::list({Node::of(evaluated_part), Node::of(name)}));
    pair.set("mu", certain ? Node::of(mu[0]) : Node::of("friction"));
    pairs.push_back(given("--friction", pair));
  }
  root.set("friction", tables(std::move(pairs)));
  if (certain) return;
  Node friction, uncertain;
  friction.set("distribution", Node::of("uniform"));
  friction.set("low", Node::of(mu[0]));
  friction.set("high", Node::of(mu[1]));
  uncertain.set("friction", given("--friction", friction));
  root.set("uncertain", uncertain);
}

Node grasps_of(const EvaluateArguments& arguments, const std::string& base) {
  Node grasps, error;
  grasps.set("file", Node::of(absolute_path(arguments.map.file)));
  grasps.set("part", Node::of(evaluated_part));
  grasps.set("gripper", Node::of(base));
  grasps = given(printable(arguments.map.file), grasps);
  grasps.given_by = "--gripper";  // the bodies and joints that [grasps] needs
  if (!arguments.format.empty()) grasps.set("format", given("--format", Node::of(arguments.format)));
  const bool path = arguments.protocol.find_first_of("./") != std::string::npos;
  grasps.set("protocol", given("--protocol", Node::of(path ? absolute_path(arguments.protocol) : arguments.protocol)));
  if (!arguments.approach.empty()) grasps.set("approach", given("--approach", numbers(arguments.approach)));
  if (!arguments.closing.empty()) grasps.set("closing", given("--closing", numbers(arguments.closing)));
  if (arguments.shift > 0.0 || arguments.turn > 0.0) {
    error.set("sd_mm", given("--pose-sd-mm", numbers(std::vector<double>(3, arguments.shift))));
    error.set("sd_turn_deg", given("--pose-sd-deg", numbers(std::vector<double>(3, arguments.turn))));
    grasps.set("pose_error", error);
  }
  return grasps;
}

// The bodies of the gripper, the base first, and those with collision shapes.
struct GripperNames {
  std::string base;
  std::vector<std::string> solid, slides, turns;
};

Problem read(const EvaluateArguments& arguments, const Node& root, const std::vector<Override>& overrides) {
  const std::filesystem::path file = arguments.map.file;
  return problem_of_tree(root, printable(file.string()), file.parent_path(), overrides);
}

GripperNames names_of(const EvaluateArguments& arguments) {
  // Of all that --set may set this needs how the robot is read.
  std::vector<Override> overrides = arguments.map.options.overrides();
  std::erase_if(overrides, [&](const Override& change) {
    return is_parametric(arguments) || !(change.key.starts_with("urdf.") || change.key.starts_with("urdf["));
  });
  const Problem problem = read(arguments, scene_of(arguments, any_part()), overrides);
  GripperNames names;
  for (const BodySpec& body : problem.scene.bodies) {
    if (body.name == evaluated_part) continue;
    if (names.base.empty()) names.base = body.name;
    if (!body.spatial().parts.empty()) names.solid.push_back(body.name);
  }
  for (const JointSpec& joint : problem.scene.joints) {
    if (joint.slide) names.slides.push_back(joint.name);
    if (joint.turn) names.turns.push_back(joint.name);
  }
  return names;
}

Problem read_all(const EvaluateArguments& arguments) {
  const GripperNames names = names_of(arguments);
  Node root = scene_of(arguments, part_of(arguments));
  add_friction(arguments, names.solid, root);
  Node grasps = grasps_of(arguments, names.base);
  if (!is_parametric(arguments)) {
    if (!names.slides.empty()) grasps.set("force_n", given("--force", Node::of(arguments.force)));
    if (!names.turns.empty()) grasps.set("torque_n_m", given("--torque", Node::of(arguments.torque)));
  }
  root.set("grasps", grasps);
  return read(arguments, root, arguments.map.options.overrides());
}

Problem load(const EvaluateArguments& arguments) {
  const std::vector<double>& mu = arguments.friction;
  if (!(mu[0] >= 0.0 && mu[0] <= mu[1])) throw InputError("--friction: give the least and the largest coefficient");
  try {
    return read_all(arguments);
  } catch (const InputError& error) {
    // Keys that a refusal names as its remedy are options here.
    const std::string text = error.what();
    if (text.find("hull = true") == std::string::npos) throw;
    if (text.starts_with("--part: ")) throw InputError(text + " (--convexify, --hull)");
    if (!text.starts_with("--gripper: ")) throw;
    throw InputError(text + " (--set urdf.*.convexify=true, --urdf-hull)");
  }
}

void add_options(CLI::App& app, EvaluateArguments& arguments) {
  app.add_option("grasps", arguments.map.file,
                 "file of grasps: CSV, isaac_grasp YAML, GraspGen's JSON or ACRONYM's HDF5")
      ->required();
  app.add_option("--part", arguments.part, "mesh of the part (OBJ or STL), in whose frame the grasps are")->required();
  app.add_option("--gripper", arguments.gripper,
                 "URDF of the gripper, whose base link the grasps place, or a file with a table [gripper] (TOML)")
      ->required();
  app.add_option("--protocol", arguments.protocol,
                 "what is done with the part: lift, tug, shake, six_axis, or the path of a file")
      ->capture_default_str();
  app.add_option("--format", arguments.format, "format of the grasps (default: by the ending of the file's name)")
      ->check(one_of(grasp_format_names()));
  app.add_option("--scale", arguments.scale,
                 "metres for each unit of the part's mesh (default: the object's scale in the file of grasps, or 1)")
      ->check(positive());
  app.add_flag("--hull", arguments.hull, "take the convex hull of the part's mesh, or of each piece of it");
  app.add_flag("--convexify", arguments.convexify, "divide the part's mesh into convex parts by CoACD");
  app.add_option("--mass", arguments.mass, "mass of the part [kg]")->check(positive())->capture_default_str();
  app.add_option("--friction", arguments.friction, "least and largest coefficient of friction, uniform between them")
      ->expected(2)
      ->check(non_negative())
      ->type_name("LOW HIGH")
      ->capture_default_str();
  app.add_option("--force", arguments.force, "force of each finger that slides, of a URDF [N]")
      ->check(positive())
      ->capture_default_str();
  app.add_option("--torque", arguments.torque, "torque of the motor of fingers that turn, of a URDF [N m]")
      ->check(positive())
      ->capture_default_str();
  app.add_option("--approach", arguments.approach,
                 "approach axis in the frame of the gripper's base (default: z; of a [gripper] -z)")
      ->expected(3)
      ->type_name("X Y Z");
  app.add_option("--closing", arguments.closing, "axis along which the fingers close, in the same frame (default: x)")
      ->expected(3)
      ->type_name("X Y Z");
  app.add_option("--pose-sd-mm", arguments.shift,
                 "standard deviation of the gripper's place along each of its axes [mm]")
      ->check(non_negative())
      ->capture_default_str();
  app.add_option("--pose-sd-deg", arguments.turn, "standard deviation of its turn about each of its axes [deg]")
      ->check(non_negative())
      ->capture_default_str();
  add_map_options(app, arguments.map);
  arguments.map.options.add_until(app);
}

}  // namespace

void add_evaluate_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<EvaluateArguments>();
  auto* evaluate = app.add_subcommand(
      "evaluate", "simulate every grasp of a file on a part, and write the probabilities that they hold it");
  add_options(*evaluate, *arguments);
  evaluate->callback(
      [arguments, &exit_code] { exit_code = run_map_job(arguments->map, [&] { return load(*arguments); }); });
}

}  // namespace pegrasp::cli

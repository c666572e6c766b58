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
#include "src/text/document.hpp"

namespace pegrasp::cli {
namespace {

constexpr const char* evaluated_part = "part";

struct EvaluateArguments {
  MapArguments map;
  std::string part, gripper, protocol = "lift", format;
  double scale = 1.0, mass = 0.2, force = 20.0, torque = 1.0;
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

Node part_of(const EvaluateArguments& arguments) {
  Node shape, body;
  shape.set("shape", Node::of("mesh"));
  shape.set("name", Node::of("mesh"));
  shape.set("file", Node::of(absolute_path(arguments.part)));
  shape.set("scale", Node::of(arguments.scale));
  body.set("name", Node::of(evaluated_part));
  body.set("mass_kg", Node::of(arguments.mass));
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
    const Node root = parse_toml(read_part_file(arguments.gripper), origin);
    const Node* table = root.find("gripper");
    if (table != nullptr && root.members.size() == 1) return *table;
  } catch (const ShapeError& error) {
    throw InputError(error.what());
  }
  throw InputError(origin + ": must hold the table [gripper] and nothing else; or give a URDF");
}

// friction_with: bodies that have friction with the part.
Node problem_of(const EvaluateArguments& arguments, const std::string& base,
                const std::vector<std::string>& friction_with) {
  Node root, map, robot, grasps, error, friction, uncertain;
  root.set("dim", Node::of(3));
  map.set("title", Node::of("Grasps of " + std::filesystem::path(arguments.part).filename().string()));
  map.set("samples", Node::of(100));
  root.set("map", map);
  root.set("body", tables({part_of(arguments)}));
  if (is_parametric(arguments)) {
    root.set("gripper", parametric_gripper(arguments));
  } else {
    robot.set("file", Node::of(absolute_path(arguments.gripper)));
    robot.set("base", Node::of("kinematic"));
    root.set("urdf", tables({robot}));
  }
  if (base.empty()) return root;
  std::vector<Node> pairs;
  for (const std::string& name : friction_with) {
    Node pair;
    pair.set("between", Node::list({Node::of(evaluated_part), Node::of(name)}));
    pair.set("mu", Node::of("friction"));
    pairs.push_back(pair);
  }
  root.set("friction", tables(std::move(pairs)));
  friction.set("distribution", Node::of("uniform"));
  friction.set("low", Node::of(arguments.friction[0]));
  friction.set("high", Node::of(arguments.friction[1]));
  uncertain.set("friction", friction);
  root.set("uncertain", uncertain);
  grasps.set("file", Node::of(absolute_path(arguments.map.file)));
  if (!arguments.format.empty()) grasps.set("format", Node::of(arguments.format));
  grasps.set("part", Node::of(evaluated_part));
  grasps.set("gripper", Node::of(base));
  const bool path = arguments.protocol.find_first_of("./") != std::string::npos;
  grasps.set("protocol", Node::of(path ? absolute_path(arguments.protocol) : arguments.protocol));
  if (!arguments.approach.empty()) grasps.set("approach", numbers(arguments.approach));
  if (!arguments.closing.empty()) grasps.set("closing", numbers(arguments.closing));
  if (arguments.shift > 0.0 || arguments.turn > 0.0) {
    error.set("sd_mm", numbers(std::vector<double>(3, arguments.shift)));
    error.set("sd_turn_deg", numbers(std::vector<double>(3, arguments.turn)));
    grasps.set("pose_error", error);
  }
  root.set("grasps", grasps);
  return root;
}

// The bodies of the gripper, the base first, and those with collision shapes.
struct GripperNames {
  std::string base;
  std::vector<std::string> solid, slides, turns;
};

GripperNames names_of(const EvaluateArguments& arguments) {
  const Problem problem = parse_problem(write_toml(problem_of(arguments, {}, {})), arguments.gripper);
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

Problem load(const EvaluateArguments& arguments) {
  const std::vector<double>& mu = arguments.friction;
  if (!(mu[0] >= 0.0 && mu[0] <= mu[1])) throw InputError("--friction: give the least and the largest coefficient");
  const GripperNames names = names_of(arguments);
  Node root = problem_of(arguments, names.base, names.solid);
  Node* const grasps = root.find("grasps");
  if (is_parametric(arguments))
    return parse_problem(write_toml(root), arguments.map.file, arguments.map.options.overrides());
  if (!names.slides.empty()) grasps->set("force_n", Node::of(arguments.force));
  if (!names.turns.empty()) grasps->set("torque_n_m", Node::of(arguments.torque));
  return parse_problem(write_toml(root), arguments.map.file, arguments.map.options.overrides());
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
  app.add_option("--scale", arguments.scale, "metres for each unit of the part's mesh")
      ->check(positive())
      ->capture_default_str();
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

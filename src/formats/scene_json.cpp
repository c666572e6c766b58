// SPDX-License-Identifier: Apache-2.0
// Reader of peg-scene-1 scene files.
#include "pegrasp/scene_json.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/formats/joint_json.hpp"
#include "src/formats/json_cursor.hpp"
#include "src/formats/json_guard.hpp"
#include "src/formats/shell_json.hpp"
#include "src/formats/spatial_json.hpp"
#include "src/formats/urdf_json.hpp"
#include "src/geometry/angle.hpp"
#include "src/geometry/chain.hpp"
#include "src/scene/coupling.hpp"
#include "src/scene/motor_limits.hpp"
#include "src/text/printable.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

using nlohmann::json;

// Builds a shape. An error of the shape becomes an error that names the place in the file.
template <class Make>
ConvexPart make_part(const JsonCursor& place, Make make) {
  try {
    return make();
  } catch (const ShapeError& error) {
    place.fail(error.what());
  }
}

ConvexPart read_polygon(const JsonCursor& list, const std::string& name) {
  std::vector<Vec2> vertices;
  for (const JsonCursor& vertex : list.items()) vertices.push_back(vertex.planar());
  return make_part(list, [&] { return make_polygon(name, vertices); });
}

ConvexPart read_corners(const JsonCursor& list, const std::string& name) {
  std::vector<Corner> corners;
  for (const JsonCursor& corner : list.items()) {
    corner.expect_object({"centre", "radius"});
    corners.push_back({corner.at("centre").planar(), corner.at("radius").not_negative()});
  }
  return make_part(list, [&] { return make_chain(name, corners, "chain"); });
}

// The curve itself; with `order` a superellipse.
ConvexPart read_ellipse(const JsonCursor& place, const std::string& name, bool has_order) {
  std::vector<std::string> known{"centre", "semi_axes", "turn"};
  if (has_order) known.push_back("order");
  place.expect_object(known);
  Superellipse curve;
  curve.centre = place.has("centre") ? place.at("centre").planar() : Vec2{};
  const std::vector<double> axes = place.at("semi_axes").semi_axes(2);
  curve.semi_axis_x = axes[0];
  curve.semi_axis_y = axes[1];
  curve.turn = place.has("turn") ? place.at("turn").number() : 0.0;
  if (has_order) curve.order = place.at("order").order();
  return make_part(place, [&] { return make_exact_superellipse(name, curve); });
}

ConvexPart read_shape(const JsonCursor& part, const std::string& default_name) {
  const std::vector<std::string> shapes{"vertices", "disc",    "half_plane",  "segment",
                                        "corners",  "ellipse", "superellipse"};
  std::vector<std::string> known = shapes;
  known.push_back("name");
  known.push_back("shell");
  part.expect_object(known);
  const std::string name = part.has("name") ? part.at("name").name() : default_name;
  int given = 0;
  for (const std::string& shape : shapes) given += part.has(shape) ? 1 : 0;
  if (given != 1) {
    part.fail(
        "needs exactly one of \"vertices\", \"disc\", \"half_plane\", \"segment\", \"corners\", \"ellipse\", "
        "\"superellipse\": give one, and drop others");
  }
  if (part.has("vertices")) return read_polygon(part.at("vertices"), name);
  if (part.has("corners")) return read_corners(part.at("corners"), name);
  if (part.has("ellipse")) return read_ellipse(part.at("ellipse"), name, false);
  if (part.has("superellipse")) return read_ellipse(part.at("superellipse"), name, true);
  if (part.has("disc")) {
    const JsonCursor disc = part.at("disc");
    disc.expect_object({"centre", "radius"});
    const Vec2 centre = disc.at("centre").planar();
    const double radius = disc.at("radius").positive();
    return make_part(disc, [&] { return make_disc(name, centre, radius); });
  }
  if (part.has("half_plane")) {
    const JsonCursor plane = part.at("half_plane");
    plane.expect_object({"normal", "offset"});
    const Vec2 normal = plane.at("normal").planar();
    const double offset = plane.at("offset").number();
    return make_part(plane, [&] { return make_half_plane(name, normal, offset); });
  }
  const JsonCursor segment = part.at("segment");
  segment.expect_object({"centre", "radius", "from", "to"});
  const Vec2 centre = segment.at("centre").planar();
  const double radius = segment.at("radius").positive();
  const double from = segment.at("from").number();
  const double to = segment.at("to").number();
  return make_part(segment, [&] { return make_circular_segment(name, centre, radius, from, to); });
}

ConvexPart read_part(const JsonCursor& part, const std::string& default_name) {
  ConvexPart out = read_shape(part, default_name);
  out.shell = read_shell(part);
  return out;
}

void read_parts(const JsonCursor& body, BodySpec& spec) {
  PlanarBody& form = spec.planar();
  if (body.has("vertices") == body.has("parts"))
    body.fail("needs exactly one of \"vertices\", \"parts\": give one, and drop the other");
  if (body.has("vertices")) {
    form.parts = {read_polygon(body.at("vertices"), spec.name)};
    return;
  }
  const JsonCursor parts = body.at("parts");
  for (const JsonCursor& part : parts.items()) {
    form.parts.push_back(read_part(part, "part_" + std::to_string(form.parts.size() + 1)));
    if (form.parts.back().kind == PartKind::half_plane && spec.kind == BodyKind::dynamic) {
      part.fail("a half-plane cannot be part of a moving body: set \"static\": true");
    }
  }
  if (form.parts.empty()) parts.fail("must hold at least one part: add one");
}

// The turn of a planar body [rad]. Its quaternion must be a turn about z; `turn`, when given too, must be the same
// angle, and keeps all its bits.
double read_turn(const JsonCursor& body) {
  double angle = 0.0;
  if (body.has("quaternion_wxyz")) {
    const JsonCursor place = body.at("quaternion_wxyz");
    const std::vector<double> q = place.numbers(4, 4);
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::fabs(norm - 1.0) < 1e-6)) place.fail("must be of unit length (w, x, y, z): divide it by its length");
    if (std::fabs(q[1]) > 1e-9 || std::fabs(q[2]) > 1e-9) {
      place.fail("must be a turn about z in a planar scene: set x and y to 0");
    }
    angle = 2.0 * angle_of({q[0], q[3]});
  }
  if (!body.has("turn")) return angle;
  const double turn = body.at("turn").number();
  const double difference = (turn - angle) / (2.0 * pi);
  if (body.has("quaternion_wxyz") && std::fabs(difference - std::round(difference)) > 1e-9) {
    body.at("turn").fail("disagrees with \"quaternion_wxyz\": drop one of them");
  }
  return turn;
}

double read_spin(const JsonCursor& body) {
  if (!body.has("angular_velocity")) return 0.0;
  const JsonCursor place = body.at("angular_velocity");
  const std::vector<double> w = place.numbers(3, 3);
  if (w[0] != 0.0 || w[1] != 0.0) place.fail("must be about z in a planar scene: set x and y to 0");
  return w[2];
}

BodySpec read_body(const JsonCursor& body, std::size_t index, double scene_friction, bool spatial) {
  std::vector<std::string> known{
      "name",  "static",   "kinematic",        "mass",     "inertia_diag", "position",   "quaternion_wxyz",
      "turn",  "velocity", "angular_velocity", "friction", "drop_time",    "vertices",   "parts",
      "faces", "volume",   "box_half_extents", "motion",   "max_force",    "max_torque", "turns",
      "shell"};
  if (spatial) {
    known.push_back("density");
    known.insert(known.end(), spatial_shape_keys().begin(), spatial_shape_keys().end());
  }
  if (spatial) refuse_other_shapes(body);
  body.expect_object(known);
  BodySpec spec;
  spec.name = body.has("name") ? body.at("name").name() : "body" + std::to_string(index);
  const bool fixed = body.has("static") && body.at("static").boolean();
  const bool kinematic = body.has("kinematic") && body.at("kinematic").boolean();
  if (fixed && kinematic) body.at("kinematic").fail("excludes \"static\": drop one of them");
  spec.kind = fixed ? BodyKind::fixed : kinematic ? BodyKind::kinematic : BodyKind::dynamic;
  const bool by_density = spatial && body.has("density");
  if (by_density && body.has("mass")) body.at("density").fail("is given with a mass: drop one of the two");
  if (spatial && spec.kind == BodyKind::dynamic && !by_density && !body.has("mass")) {
    body.fail("has no \"mass\" and no \"density\": add one of them");
  }
  if (!by_density && (spec.kind == BodyKind::dynamic || body.has("mass"))) spec.mass = body.at("mass").positive();
  spec.friction = body.has("friction") ? body.at("friction").not_negative() : scene_friction;
  if (body.has("turns")) {
    spec.turns = body.at("turns").boolean();
    if (!spec.turns && spec.kind != BodyKind::dynamic) body.at("turns").fail("is for dynamic bodies: drop it");
  }
  spec.shell = read_shell(body);
  if (body.has("drop_time")) spec.drop_time = body.at("drop_time").not_negative();
  // These keys are for other programs, but a malformed value still makes the file malformed.
  if (body.has("volume")) body.at("volume").number();
  if (body.has("box_half_extents")) body.at("box_half_extents").numbers(2, 3);
  if (spatial) {
    read_spatial_body(body, spec);
    return spec;
  }
  PlanarBody& form = spec.planar();
  if (body.has("motion")) body.at("motion").fail("is for scenes in 3D so far: drop it, or set \"dim\" to 3");
  if (spec.kind == BodyKind::dynamic || body.has("inertia_diag")) {
    const JsonCursor place = body.at("inertia_diag");
    form.inertia = place.numbers(3, 3)[2];
    if (!(form.inertia > 0.0)) place.fail("must have z > 0 kg m^2: give the moment of inertia");
  }
  const Vec2 position = body.has("position") ? body.at("position").planar() : Vec2{};
  form.pose = {position.x, position.y, read_turn(body)};
  const Vec2 velocity = body.has("velocity") ? body.at("velocity").planar() : Vec2{};
  form.velocity = {velocity.x, velocity.y, read_spin(body)};
  if (fixed && (velocity.x != 0.0 || velocity.y != 0.0 || form.velocity.omega != 0.0)) {
    body.fail("a static body does not move: set its velocities to 0, or \"kinematic\": true instead of \"static\"");
  }
  read_parts(body, spec);
  return spec;
}

std::array<int, 2> read_body_pair(const JsonCursor& place, const SceneSpec& scene) {
  const std::vector<JsonCursor> pair = place.items();
  if (pair.size() != 2) place.fail("must name two bodies: correct the list");
  const std::array<int, 2> result{read_body_reference(pair[0], scene), read_body_reference(pair[1], scene)};
  if (result[0] == result[1]) place.fail("must name two different bodies: correct one");
  return result;
}

void read_pairs(const JsonCursor& root, SceneSpec& scene) {
  if (root.has("friction_pairs")) {
    for (const JsonCursor& pair : root.at("friction_pairs").items()) {
      pair.expect_object({"bodies", "mu", "torsion", "rolling"});
      const std::array<int, 2> bodies = read_body_pair(pair.at("bodies"), scene);
      const auto arm = [&](const char* key) {
        if (!pair.has(key)) return 0.0;
        if (!scene.spatial) pair.at(key).fail("is for scenes in 3D: drop it");
        return pair.at(key).not_negative();
      };
      scene.friction.push_back({bodies[0], bodies[1], pair.at("mu").not_negative(), arm("torsion"), arm("rolling")});
    }
  }
  if (!root.has("ignored_pairs")) return;
  for (const JsonCursor& pair : root.at("ignored_pairs").items()) {
    scene.ignored_pairs.push_back(read_body_pair(pair, scene));
  }
}

// Checks "format" and "dim"; true for scenes in 3D.
bool check_format(const JsonCursor& root) {
  if (!root.raw().is_object()) root.fail("must be a JSON object of format \"peg-scene-1\"");
  const JsonCursor format = root.at("format");
  if (format.text() != "peg-scene-1") format.fail("must be \"peg-scene-1\": write so, if this is a scene file");
  const JsonCursor dim = root.at("dim");
  const double dimensions = dim.number();
  if (dimensions != 2.0 && dimensions != 3.0) dim.fail("must be 2 or 3: give one of them");
  return dimensions == 3.0;
}

// Makes a body with "max_force" one that follows its motion as far as that force takes it.
void limit_force_of(const JsonCursor& body, int index, SceneSpec& scene) {
  for (const char* key : {"max_force", "max_torque"}) {
    if (!body.has(key)) continue;
    const bool prescribed = scene.bodies[static_cast<std::size_t>(index)].kind == BodyKind::kinematic;
    if (!prescribed) body.at(key).fail("is for bodies with prescribed motion: set \"kinematic\": true");
    if (!body.has("max_force")) body.at(key).fail("stands without \"max_force\": add it");
  }
  if (!body.has("max_force")) return;
  BodySpec& spec = scene.bodies[static_cast<std::size_t>(index)];
  const BodySpec given = spec;
  ForceLimit limit;
  limit.force = body.at("max_force").positive();
  if (body.has("max_torque")) limit.torque = body.at("max_torque").positive();
  if (body.has("mass") || body.has("density")) limit.mass = spec.mass;
  try {
    limit_force(scene, index, limit);
  } catch (const std::invalid_argument& error) {
    body.at("max_force").fail(std::string("cannot be used here: ") + error.what());
  }
  if (!body.has("inertia_diag")) return;
  if (scene.spatial) {
    spec.spatial().inertia = given.spatial().inertia;
  } else {
    spec.planar().inertia = given.planar().inertia;
  }
}

SceneFile read_scene(const JsonCursor& root, bool urdf_hull) {
  const bool spatial = check_format(root);
  root.expect_object({"format", "dim", "name", "seed", "up_axis", "gravity", "t_end", "friction", "bound", "bodies",
                      "friction_pairs", "ignored_pairs", "length_scale", "joints", "couplings", "actuators", "springs",
                      "urdf"});
  SceneFile file;
  SceneSpec& scene = file.scene;
  if (root.has("name")) scene.name = root.at("name").text();
  scene.spatial = spatial;
  if (spatial) {
    const Vec3 gravity = read_vector(root.at("gravity"));
    scene.gravity = {gravity.x, gravity.y};
    scene.gravity_z = gravity.z;
  } else {
    scene.gravity = root.at("gravity").planar();
  }
  if (root.has("t_end")) file.t_end = root.at("t_end").positive();
  if (root.has("length_scale")) scene.length_scale = root.at("length_scale").positive();
  const double friction = root.has("friction") ? root.at("friction").not_negative() : 0.0;
  // These keys are for other programs, but a malformed value still makes the file malformed.
  if (root.has("seed")) root.at("seed").number();
  if (root.has("bound")) root.at("bound").numbers(2, 3);
  if (root.has("up_axis")) root.at("up_axis").number();

  const JsonCursor bodies = root.at("bodies");
  for (const JsonCursor& body : bodies.items()) {
    const std::size_t index = scene.bodies.size();
    scene.bodies.push_back(read_body(body, index, friction, spatial));
    limit_force_of(body, static_cast<int>(index), scene);
  }
  const std::vector<ActuatorSpec> resistance = read_urdf_list(root, friction, urdf_hull, scene);
  const bool moving = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                  [](const BodySpec& body) { return body.kind == BodyKind::dynamic; });
  if (!moving) bodies.fail("must hold at least one body that is not static: add one, or set its \"static\" to false");
  read_pairs(root, scene);
  read_joints(root, scene);
  read_couplings(root, scene);
  read_actuators(root, scene);
  read_springs(root, scene);
  for (ActuatorSpec& actuator : scene.actuators) {
    if (actuator.joint < 0) continue;
    const double start = start_coordinate(scene, scene.joints[static_cast<std::size_t>(actuator.joint)]);
    if (const auto fault = begin_no_faster(scene, start, actuator))
      root.at("actuators").fail("\"" + printable(actuator.name) + "\" " + *fault);
  }
  scene.actuators.insert(scene.actuators.end(), resistance.begin(), resistance.end());
  return file;
}

// The error message of the parser without its prefix, on one line.
std::string parser_complaint(const std::string& what) {
  std::string text = what;
  const std::size_t prefix = text.find("] ");
  if (prefix != std::string::npos) text = text.substr(prefix + 2);
  return printable(text);
}

}  // namespace

SceneFile parse_scene_json(const std::string& text, const std::string& origin, bool urdf_hull) {
  json document;
  const std::string place = printable(origin);
  JsonGuard guard(place);
  try {
    document = json::parse(
        text, [&guard](int depth, json::parse_event_t event, json& parsed) { return guard(depth, event, parsed); });
  } catch (const json::exception& error) {
    throw InputError(place + ": is not valid JSON: " + parser_complaint(error.what()));
  }
  return read_scene(JsonCursor(document, origin), urdf_hull);
}

SceneFile load_scene_json(const std::filesystem::path& file, bool urdf_hull) {
  constexpr std::size_t largest_file = 256u << 20;  // bytes
  try {
    return parse_scene_json(read_file(file, largest_file, Pipes::read), file.string(), urdf_hull);
  } catch (const ReadError& error) {
    throw InputError(printable(file.string()) + ": " + error.what());
  }
}

}  // namespace pegrasp

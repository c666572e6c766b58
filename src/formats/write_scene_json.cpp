// SPDX-License-Identifier: Apache-2.0
// Writer of peg-scene-1 scene files.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/base/sincos.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/scene_json.hpp"
#include "src/formats/shell_json.hpp"

namespace pegrasp {
namespace {

using nlohmann::json;

json vector3(double x, double y, double z) { return json::array({x, y, z}); }

bool is_polygon(const ConvexPart& part) {
  return part.kind == PartKind::chain && !part.curve &&
         std::all_of(part.corners.begin(), part.corners.end(), [](const Corner& c) { return c.radius == 0.0; });
}

json vertex_list(const ConvexPart& part) {
  json list = json::array();
  for (const Corner& corner : part.corners) list.push_back(vector3(corner.centre.x, corner.centre.y, 0.0));
  return list;
}

json write_part(const ConvexPart& part) {
  json out{{"name", part.name}};
  if (part.shell) out["shell"] = write_shell(*part.shell);
  if (part.kind == PartKind::half_plane) {
    out["half_plane"] = {{"normal", vector3(part.normal.x, part.normal.y, 0.0)}, {"offset", part.offset}};
  } else if (part.curve) {
    const Superellipse& curve = *part.curve;
    out["superellipse"] = {{"centre", vector3(curve.centre.x, curve.centre.y, 0.0)},
                           {"semi_axes", json::array({curve.semi_axis_x, curve.semi_axis_y})},
                           {"order", curve.order},
                           {"turn", curve.turn}};
  } else if (is_polygon(part)) {
    out["vertices"] = vertex_list(part);
  } else if (part.corners.size() == 1) {
    const Corner& corner = part.corners[0];
    out["disc"] = {{"centre", vector3(corner.centre.x, corner.centre.y, 0.0)}, {"radius", corner.radius}};
  } else {
    json corners = json::array();
    for (const Corner& corner : part.corners) {
      corners.push_back({{"centre", vector3(corner.centre.x, corner.centre.y, 0.0)}, {"radius", corner.radius}});
    }
    out["corners"] = corners;
  }
  return out;
}

// The limit of a follower of the body: of its force, or of its torque; 0 where nothing limits it.
double limit_of(const SceneSpec& scene, int body, bool rotary) {
  for (const ActuatorSpec& actuator : scene.actuators) {
    if (actuator.kind == ActuatorKind::follow && actuator.body == body && actuator.rotary == rotary) {
      return actuator.limit;
    }
  }
  return 0.0;
}

json write_body(const SceneSpec& scene, int index) {
  const BodySpec& body = scene.bodies[static_cast<std::size_t>(index)];
  const PlanarBody& form = body.planar();
  const auto refuse = [&](const std::string& what) {
    throw InputError("peg-scene-1 cannot hold " + what + " of body '" + body.name + "': use a problem file");
  };
  if (form.support) refuse("the support");
  if (body.slide_axis) refuse("the joint");
  if (!form.motion.empty()) refuse("the keyframes");
  if (body.oscillation) refuse("the oscillation");
  json out;
  out["name"] = body.name;
  out["static"] = body.kind == BodyKind::fixed;
  const double force = limit_of(scene, index, false);
  if (body.kind == BodyKind::kinematic || force > 0.0) out["kinematic"] = true;
  if (force > 0.0) {
    out["max_force"] = force;
    out["max_torque"] = limit_of(scene, index, true);
  }
  if (!body.turns) out["turns"] = false;
  out["mass"] = body.mass;
  out["inertia_diag"] = vector3(form.inertia, form.inertia, form.inertia);
  out["position"] = vector3(form.pose.x, form.pose.y, 0.0);
  const strict::SinCos half = strict::sin_cos(0.5 * form.pose.theta);
  out["quaternion_wxyz"] = json::array({half.cos, 0.0, 0.0, half.sin});
  if (form.pose.theta != 0.0) out["turn"] = form.pose.theta;  // the quaternion alone would lose the last bits
  out["velocity"] = vector3(form.velocity.vx, form.velocity.vy, 0.0);
  out["angular_velocity"] = vector3(0.0, 0.0, form.velocity.omega);
  out["friction"] = body.friction;
  out["drop_time"] = body.drop_time;
  if (body.shell) out["shell"] = write_shell(*body.shell);
  if (form.parts.size() == 1 && is_polygon(form.parts[0]) && !form.parts[0].shell) {
    out["vertices"] = vertex_list(form.parts[0]);
  } else {
    json parts = json::array();
    for (const ConvexPart& part : form.parts) parts.push_back(write_part(part));
    out["parts"] = parts;
  }
  return out;
}

}  // namespace

std::string write_scene_json(const SceneSpec& scene, double t_end) {
  if (scene.spatial) throw InputError("scene '" + scene.name + "' is in 3D: only planar scenes are written so far");
  if (!scene.joints.empty())
    throw InputError("scene '" + scene.name + "' has " + joint_words(scene) + ", which are not written so far");
  const bool drives = std::any_of(scene.actuators.begin(), scene.actuators.end(),
                                  [](const ActuatorSpec& actuator) { return actuator.kind != ActuatorKind::follow; });
  if (drives || !scene.success.empty()) {
    throw InputError("peg-scene-1 cannot hold the actuators and success predicates of scene '" + scene.name +
                     "': use a problem file");
  }
  json out;
  out["format"] = "peg-scene-1";
  out["dim"] = 2;
  out["name"] = scene.name;
  out["up_axis"] = 1;
  out["gravity"] = vector3(scene.gravity.x, scene.gravity.y, 0.0);
  if (t_end > 0.0) out["t_end"] = t_end;
  if (scene.length_scale > 0.0) out["length_scale"] = scene.length_scale;
  out["bodies"] = json::array();
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    out["bodies"].push_back(write_body(scene, static_cast<int>(body)));
  }
  for (const FrictionPair& pair : scene.friction) {
    out["friction_pairs"].push_back({{"bodies", json::array({pair.body_a, pair.body_b})}, {"mu", pair.mu}});
  }
  for (const std::array<int, 2>& pair : scene.ignored_pairs) {
    out["ignored_pairs"].push_back(json::array({pair[0], pair[1]}));
  }
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace pegrasp

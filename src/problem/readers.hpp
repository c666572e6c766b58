// SPDX-License-Identifier: Apache-2.0
// The readers of the sections of a problem file. Each takes its part of the document apart, and returns (or stores) the
// resolved part.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/problem/section.hpp"
#include "src/problem/uncertainties.hpp"

namespace pegrasp {

// One [[body.part]]; `earlier` are the parts before it, for mirror_of.
ConvexPart read_part(ReadContext& context, const Node& node, const std::string& path,
                     const std::vector<ConvexPart>& earlier, Node& resolved);

// What reading bodies produces beside the scene.
struct BodyReadings {
  std::vector<UncertainTripod> tripods;
  Grid* grid = nullptr;           // targets are appended as pose slots by bind_grid()
  std::vector<Vec2> grid_factor;  // per body
  double gravity = 9.81;          // [m/s^2] out of the plane
};

Node read_bodies(ReadContext& context, const Node* node, SceneSpec& scene, BodyReadings& readings);
Node read_friction(ReadContext& context, const Node* node, SceneSpec& scene);
Node read_no_contact(ReadContext& context, const Node* node, SceneSpec& scene);
Node read_actuators(ReadContext& context, const Node* node, SceneSpec& scene);
Node read_joints(ReadContext& context, const Node* node, SceneSpec& scene);

// One [[body]] of a problem in 3D.
Node read_spatial_body(ReadContext& context, const Node& node, int index, SceneSpec& scene, BodyReadings& readings);

// Its [[body.part]]s, to body.spatial().parts; its kind is known.
Node read_solid_parts(ReadContext& context, const Node* node, const std::string& path, BodySpec& body);

// Of tables in 3D: [w, x, y, z] of unit length; a pose by x, y, z and turns on top of that, all certain; a direction; `motion`, to
// body.spatial(), of a kinematic body.
Quaternion read_quaternion(Section& section);
SpatialPose read_certain_pose(Section& section);
Vec3 read_axis(Section& section, const std::string& key, const std::vector<double>& fallback);
void read_motion_in_space(Section& section, BodySpec& body);
inline constexpr Range spatial_turns{-1e5, 1e5};  // [rad]

// [[urdf]]: robots, behind the scene's bodies. `resistance`: actuators of their joints' damping and friction, that go behind the scene's own.
Node read_urdf_list(ReadContext& context, const Node* node, SceneSpec& scene, std::vector<ActuatorSpec>& resistance);

// How a body follows the grid, along its first and its second axis.
Vec2 read_follows_grid(Section& section);

// A target in one number has no meaning for a spherical joint, which has three: this says which.
void refuse_scalar_target(const Section& section, const std::string& target, const Quantity& quantity);
// `program` of an actuator, whose target has this key; of a spherical joint three, that end in _x, _y and _z.
void read_program(Section& section, const std::string& target, const Quantity& quantity, bool ball,
                  ActuatorSpec& actuator);

// [body.support]: fills the support of a planar body and, when something in it is uncertain, a tripod.
Node read_support(ReadContext& context, const Node& node, const std::string& path, int body_index, BodySpec& body,
                  const Value& mass, BodyReadings& readings);

// [success]: a postfix program.
Node read_success(ReadContext& context, const Node* node, const SceneSpec& scene, std::vector<Predicate>& program);

Node read_simulation(ReadContext& context, const Node* node, bool spatial, StepOptions& options, Arithmetic& arithmetic,
                     double& length_scale);
Node read_grid(ReadContext& context, const Node* node, bool spatial, Grid& grid);

// Index of a body by name; throws InputError with a suggestion.
int find_body(ReadContext& context, const Node* node, const std::string& path, const SceneSpec& scene,
              const std::string& name);

// The list of tables of a key, or an InputError that says how to write one; null gives an empty list.
std::vector<const Node*> table_list(ReadContext& context, const Node* node, const std::string& path);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// The readers of the sections of a problem file. Each takes its part of the document apart, and returns (or stores) the
// resolved part.
#pragma once

#include <string>
#include <vector>

#include "problem/section.hpp"
#include "problem/uncertainties.hpp"

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

// One [[body]] of a problem in space.
Node read_spatial_body(ReadContext& context, const Node& node, int index, SceneSpec& scene, BodyReadings& readings);

// How a body follows the grid, along its first and its second axis.
Vec2 read_follows_grid(Section& section);

// `program` of an actuator, whose target has this key.
void read_program(Section& section, const char* target, const Quantity& quantity, ActuatorSpec& actuator);

// [body.support]: fills body.support and, when something in it is uncertain, a tripod.
Node read_support(ReadContext& context, const Node& node, const std::string& path, int body_index, BodySpec& body,
                  const Value& mass, BodyReadings& readings);

// [success]: a postfix program.
Node read_success(ReadContext& context, const Node* node, const SceneSpec& scene, std::vector<Predicate>& program);

Node read_simulation(ReadContext& context, const Node* node, StepOptions& options, Arithmetic& arithmetic,
                     double& length_scale);
Node read_grid(ReadContext& context, const Node* node, bool spatial, Grid& grid);

// Index of a body by name; throws InputError with a suggestion.
int find_body(ReadContext& context, const Node* node, const std::string& path, const SceneSpec& scene,
              const std::string& name);

// The list of tables of a key, or an InputError that says how to write one; null gives an empty list.
std::vector<const Node*> table_list(ReadContext& context, const Node* node, const std::string& path);

}  // namespace pegrasp

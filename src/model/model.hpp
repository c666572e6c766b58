// SPDX-License-Identifier: Apache-2.0
// The compiled form of a scene description: owner of the arrays that a ModelView points at.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/model/model.hpp"
#include "kernels/scene/scene.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

// All arrays as they are named and described in ModelView.
struct ModelArrays {
  int node_count = 0;
  int support_sphere_count = 0;
  bool lists_pairs = true;
  std::vector<int> body_kind, body_node, body_first_part, body_slides, body_unbounded, body_first_keyframe;
  std::vector<double> body_axis, body_radius, keyframe_time, keyframe_pose;
  std::vector<int> part_body, part_first_corner, part_first_edge;
  std::vector<double> part_centre, part_radius, part_inradius;
  std::vector<double> corner_x, corner_y, corner_r, corner_cone, edge_nx, edge_ny, edge_offset;
  std::vector<int> corner_name, edge_use;
  bool spatial = false;
  std::vector<int> part_first_vertex, part_first_face, part_first_ridge, part_widest, part_foot, face_use,
      face_first_corner, face_corner, ridge, vertex_first_internal_edge, ridge_first_internal_edge;
  std::vector<double> part_box, part_round, vertex, face_normal, face_offset, vertex_internal_edge, ridge_internal_edge;
  std::vector<double> body_friction, named_pair_friction;
  std::vector<int> named_pair_a, named_pair_b;
  std::vector<int> body_pair_a, body_pair_b, body_pair_first_part, part_pair_a, part_pair_b, part_pair_body_pair;
  std::vector<int> actuator_body, actuator_kind, actuator_rotary, actuator_joint, actuator_first_key, support_body;
  std::vector<double> actuator_axis, key_time, key_target;
  std::vector<double> body_pair_arms;
  int contact_rows = 2;
  int motor_rows = 0;
  std::vector<int> joint_kind, joint_body_a, joint_body_b;
  std::vector<double> joint_arm, joint_limit, joint_frame;
  std::vector<Predicate> predicates;
};

class Model {
 public:
  explicit Model(const SceneSpec& scene);

  const ParameterLayout& layout() const { return layout_; }
  const ModelArrays& arrays() const { return arrays_; }
  double length_scale() const { return length_scale_; }
  // Host pointers; valid while the Model lives.
  ModelView view() const;

 private:
  ParameterLayout layout_;
  ModelArrays arrays_;
  Vec3 gravity_;
  double length_scale_ = 0.0;
};

// What a workspace is given first. A scene that needs more says how much (SceneOutcome::contacts_demand); grown() makes room.
Capacity first_capacity(const Model& model, const StepOptions& options);
Capacity grown(const Capacity& capacity, int contacts_demand);

}  // namespace pegrasp

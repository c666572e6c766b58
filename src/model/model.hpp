// SPDX-License-Identifier: Apache-2.0
// The compiled form of a scene description: owner of the arrays that a ModelView points at.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/model/model.hpp"
#include "kernels/scene/scene.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

// The arrays of kernels/model/model_arrays.inc with their owners, and the counts that no array gives.
struct ModelArrays {
  int node_count = 0;  // dynamic bodies
  int support_sphere_count = 0;
  bool lists_pairs = true;
  bool measures_forces = false;
  bool measures_margin = false;
  HoldWatch watch;
  bool spatial = false;
  MotionModel model = MotionModel::dynamic;
  int contact_rows = 2;  // that a contact has at most
  int motor_rows = 0;    // of all actuators
#define PEGRASP_ARRAY(type, name, length) std::vector<type> name;
#include "kernels/model/model_arrays.inc"
};

// Prescribed motion and targets that are functions of time: by body, or by actuator; most are empty.
struct SceneFunctions {
  std::vector<std::function<Pose(double)>> planar;
  std::vector<std::function<SpatialPose(double)>> spatial;
  std::vector<std::function<double(double)>> target;
  bool any = false;
};

class Model {
 public:
  explicit Model(const SceneSpec& scene);

  const ParameterLayout& layout() const { return layout_; }
  const ModelArrays& arrays() const { return arrays_; }
  double length_scale() const { return length_scale_; }
  // Functions of the scene, which sample_functions() asks.
  const SceneFunctions& functions() const { return functions_; }
  // Host pointers; valid while the Model lives.
  ModelView view() const;

 private:
  ParameterLayout layout_;
  ModelArrays arrays_;
  SceneFunctions functions_;
  Vec3 gravity_;
  double length_scale_ = 0.0;
};

// The capacity that a workspace starts with. A scene that needs more reports how much (SceneOutcome::contacts_demand);
// grown() returns a larger capacity for it.
Capacity first_capacity(const Model& model, const StepOptions& options);
Capacity grown(const Capacity& capacity, int contacts_demand);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// One step of a planar scene of polygons as a StepProblem: masses, gaps with exact gradients, constraint sets, tripods,
// rails and actuators. Linearised at the start pose, like Stewart and Trinkle's method.
#pragma once

#include <span>
#include <vector>

#include "pegrasp/scene.hpp"
#include "src/reference/planar/constraint_sets.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

struct PolygonStepOptions {
  ContactRules rules;
  // eps [m]. 0: per pair, detect_distance and how far the two bodies' points can move towards each other in the step,
  // at their velocities or what external forces make of them, whichever is faster.
  double epsilon = 0.0;
  double detect_distance = 0.0;  // [m]; 0: 1e-3 of the scene's length scale
  std::vector<bool> present;     // (bodies), empty: all. An absent body has no velocity and touches nothing.
  // Joints, and what acts on them, are left to the caller (joint_step.hpp), and not refused.
  bool leave_joints = false;
};

// Whose contact: indices into SceneSpec::bodies and their parts; the vertex is a corner, edge i joins corners i, i + 1.
struct ContactName {
  int vertex_body, vertex_part, vertex;
  int edge_body, edge_part, edge;
  bool operator==(const ContactName&) const = default;
};

// (bodies) where each body's velocity (vx, vy, omega) begins in nu, -1 for those that have none: fixed, kinematic,
// absent.
std::vector<int> velocity_offsets(const SceneSpec& scene, const std::vector<bool>& present = {});

// poses, velocities (bodies); those of kinematic bodies are the prescribed ones. names, when not null, becomes
// (contacts). Throws std::invalid_argument for shapes with arcs and for wrong sizes.
StepProblem polygon_step(const SceneSpec& scene, std::span<const Pose> poses, std::span<const Twist> velocities,
                         double h, const PolygonStepOptions& options = {}, std::vector<ContactName>* names = nullptr);

}  // namespace pegrasp::reference

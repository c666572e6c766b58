// SPDX-License-Identifier: Apache-2.0
// The compiled model: what all scenes of a batch share. It is read-only: counts and plain pointers (host or device) to
// arrays, which kernels/model/model_arrays.inc lists and describes.
//
// A part's boundary is a counter-clockwise chain: edge i joins corner i to corner i + 1; corner i is an arc (centre,
// radius, 0 for a vertex) whose outward normals run from edge i - 1's to edge i's. Arcs wider than a right angle are
// split by edges of no length; a disc is one corner and no edges; a half-plane one edge and no corners.
#pragma once

#include "kernels/model/parameter_offsets.hpp"
#include "pegrasp/kinds.hpp"
#include "pegrasp/predicate.hpp"

namespace pegrasp {

// Of a part that is no support sphere, in place of its number among them.
enum SupportSphereUse : int {
  no_support_sphere = -1,
  support_spheres_only = -2,  // a half-space that only support spheres touch
};

// Components of a target; all but those of spherical joints have one alone.
constexpr int target_size = 3;

// What of a body's motion is free.
enum BodyFreedom : int {
  freedom_all = 0,
  freedom_rail = 1,      // one translation, along the body's axis
  freedom_no_turns = 2,  // all translations
};

// What compliant shells the parts have (kernels/scene/shell.hpp).
enum ShellUse : int {
  shells_none = 0,
  shells_slide = 1,    // some, and none of them with a tangential spring
  shells_deflect = 2,  // some with one
};

enum EdgeUse : int {
  edge_hidden = 0,   // no length: never a feature
  edge_feature = 1,  // may separate and carry force
  edge_covered = 2,  // inside sibling parts: may say that a pair is apart, never carries force
};

// What of a planar part is round.
enum ArcUse : int {
  arcs_none = 0,
  arcs_some = 1,    // corners with a radius
  arcs_smooth = 2,  // all of it: a smooth curve
};

struct ModelView {
  int body_count;
  int part_count;
  int body_pair_count;
  int part_pair_count;
  int friction_count;
  int actuator_count;
  int joint_count;
  int coupling_count;
  int support_count;
  int predicate_count;
  int node_count;                          // dynamic bodies
  int contact_rows;                        // that a contact has at most
  int motor_rows;                          // of all actuators
  int parameter_count;                     // length of a scene's parameter vector
  ParameterOffsets at;                     // into a scene's parameter vector
  double gravity_x, gravity_y, gravity_z;  // [m/s^2]
  int spatial;           // 1: bodies move in 3D, and parts are polyhedra and round cores instead of chains of corners
  int lists_pairs;       // 1: the pairs of bodies that may touch are listed
  int named_pair_count;  // of models without a list
  int force_predicates;  // predicates about contact forces
  int measures_forces;   // 1: the outcome has the grip force and the margins to slip
  int measures_margin;   // 1: the outcome has the margin of the success condition
  int shells;            // ShellUse
  int curve_count;       // smooth parts, in 2D
  int smooth_solids;     // smooth parts, in 3D
  int quasistatic;       // 1: forces balance, and no velocity is remembered (kernels/integrate/predict.hpp)
  double lightness;      // quasistatic scenes: how many times lighter bodies are for impulses than for gravity
  int pull_count;
  int watched, watched_from;  // bodies: the part whose hold is measured, and from which it is seen; -1: none
  double watched_since;       // [s]
  double watched_overlap;     // [m] at the start, at most

  // Pointers to the arrays of the list.
#define PEGRASP_ARRAY(type, name, length) const type* name;
#include "kernels/model/model_arrays.inc"
};

}  // namespace pegrasp

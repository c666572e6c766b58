// SPDX-License-Identifier: Apache-2.0
// Model: what all scenes of a batch share. Read-only, structure of arrays, plain pointers (host or device).
//
// A part's boundary is a counter-clockwise chain: edge i joins corner i to corner i + 1; corner i is an arc (centre,
// radius, 0 for a vertex) whose outward normals run from edge i - 1's to edge i's. Arcs wider than a right angle are
// split by edges of no length; a disc is one corner and no edges; a half-plane one edge and no corners.
#pragma once

#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

// In place of a support sphere's number.
enum FootUse : int {
  no_foot = -1,
  support_spheres_only = -2,  // a half-space that support spheres alone touch
};

// Components of a target; all but those of spherical joints have one alone.
constexpr int target_size = 3;

enum EdgeUse : int {
  edge_hidden = 0,   // no length: never a feature
  edge_feature = 1,  // may separate and carry force
  edge_covered = 2,  // inside sibling parts: may say that a pair is apart, never carries force
};

struct ModelView {
  int body_count;
  int part_count;
  int body_pair_count;
  int part_pair_count;
  int friction_count;
  int actuator_count;
  int joint_count;
  int support_count;
  int predicate_count;
  int node_count;       // dynamic bodies
  int contact_rows;     // that a contact has at most
  int motor_rows;       // of all actuators
  int parameter_count;  // length of a scene's parameter vector
  // offsets into the parameter vector (ParameterLayout)
  int at_mass, at_inertia, at_drop_time, at_pose, at_velocity, at_friction, at_actuator, at_support;
  int at_tilt, at_centre, at_yaw, at_support_sphere;  // of scenes in 3D
  double gravity_x, gravity_y, gravity_z;             // [m/s^2]
  int spatial;  // 1: bodies move in 3D, and parts are polyhedra and round cores instead of chains of corners

  const int* body_kind;        // (body_count) BodyKind
  const int* body_first_part;  // (body_count + 1)
  const int* body_node;        // (body_count) its number among the dynamic bodies, -1 for others
  const int* body_slides;      // (body_count) 1: joint to the world leaves one translation
  const double* body_axis;     // (body_count, 2) that translation's axis, world
  const double*
      body_radius;  // (body_count) [m] no point is farther from the centre of mass (0 for half-planes and half-spaces)
  const int* body_unbounded;       // (body_count) 1: has a half-plane or a half-space
  const int* body_first_keyframe;  // (body_count + 1)
  const double* keyframe_time;     // (keyframes) [s]
  // (keyframes, 3) relative to the body's initial pose; in 3D (keyframes, 10): displacement, turn (w, x, y, z) in the world on top of the
  // initial one, and the rotation vector from there to the next keyframe's
  const double* keyframe_pose;

  const int* part_body;          // (part_count)
  const int* part_first_corner;  // (part_count + 1)
  const int* part_first_edge;    // (part_count + 1)
  const double* part_centre;     // (part_count, 2) of a bounding circle, body frame
  const double* part_radius;     // (part_count) of that circle; negative: half-plane or half-space, no bound
  const double* part_inradius;   // (part_count) of some inscribed circle

  const double* corner_x;  // body frame
  const double* corner_y;
  const double* corner_r;
  const int* corner_name;  // index in the part before arcs were split: keys of warm starting
  // Outward directions in which a vertex that lies on sibling parts is a surface point of the body: from, to as unit vectors,
  // counter-clockwise; from = to = 0: every direction of its normal cone. NaN-free; an empty cone is {1, 0, -1, 0}.
  const double* corner_cone;  // (corners, 4)
  const double* edge_nx;      // outward unit normal, body frame
  const double* edge_ny;
  const double* edge_offset;  // the part lies in n . x <= offset
  const int* edge_use;        // EdgeUse

  // Cores of parts in 3D: faces as loops of vertices, counter-clockwise from outside; indices count within the part. A sphere is one
  // vertex, a capsule two and a ridge without faces (-1), a half-space one face without a loop. Null in 2D.
  const int* part_first_vertex;  // (part_count + 1)
  const int* part_first_face;    // (part_count + 1)
  const int* part_first_ridge;   // (part_count + 1) edges of polyhedra
  const int* part_widest;        // (part_count) corners of the face that has most
  const double* part_box;  // (part_count, 6) of the core: lows, highs, body frame; of a half-space a point of its face
  const int*
      part_foot;  // (part_count) its number among the support spheres, whose centres are parameters; FootUse for others
  const double* part_round;      // (part_count) [m] the part is all that lies within this of its core
  const double* vertex;          // (vertices, 3) body frame
  const double* face_normal;     // (faces, 3) outward unit normal, body frame
  const double* face_offset;     // (faces) the part lies in n . x <= offset
  const int* face_use;           // (faces) EdgeUse
  const int* face_first_corner;  // (faces + 1) into face_corner
  const int* face_corner;        // vertices of the loops
  const int* ridge;  // (edges, 4) tail, head, and the faces to the left and right of tail -> head, seen from outside
  // Directions w (unit vectors, body frame) from a vertex or an edge to what sibling parts that hold it reach: it is a surface point of the
  // body along n only if n . w <= 0 for all of them.
  const int* vertex_first_internal_edge;  // (vertices + 1)
  const int* ridge_first_internal_edge;   // (edges + 1)
  const double* vertex_internal_edge;     // (.., 3)
  const double* ridge_internal_edge;      // (.., 3)

  // Candidate pairs, or, where they are too many to list, what is needed to ask for one (scene/candidates.hpp).
  int lists_pairs;
  const double* body_friction;        // (body_count); without a list, as what follows
  int named_pair_count;               // pairs with a coefficient of their own, or that never touch
  const int* named_pair_a;            // (named_pair_count) a < b, sorted
  const int* named_pair_b;            //
  const double* named_pair_friction;  // negative: they never touch
  const int* body_pair_a;             // (body_pair_count) a < b, sorted
  const int* body_pair_b;
  const double* body_pair_arms;     // (body_pair_count, 2) in 3D: of torsional and rolling friction [m]
  const int* body_pair_first_part;  // (body_pair_count + 1) range of part pairs; the index is the friction slot
  const int* part_pair_a;           // (part_pair_count) parts
  const int* part_pair_b;
  const int* part_pair_body_pair;

  const int* actuator_body;
  const int* actuator_kind;
  const int* actuator_rotary;
  const double* actuator_axis;    // (actuator_count, 2)
  const int* actuator_joint;      // (actuator_count) whose coordinate it drives, or -1
  const int* actuator_first_key;  // (actuator_count + 1) its program, in the next two
  const double* key_time;         // [s]
  const double* key_target;       // (keys, target_size) added to the actuator's target
  const int* support_body;        // (support_count)

  const int* joint_kind;        // (joint_count) JointKind
  const int* joint_body_a;      // (joint_count) -1: the world
  const int* joint_body_b;      // (joint_count)
  const double* joint_arm;      // (joint_count) [m] what angular rows are multiplied by
  const double* joint_limit;    // (joint_count, 4) slide low, high [m], turn, or swing, low, high [rad]; +-1e300: none
  const double* joint_frame;    // (joint_count, joint_frame_size) kernels/planar/joint.hpp, kernels/spatial/joint.hpp
  const Predicate* predicates;  // (predicate_count)
};

// Every array of a ModelView with its length, which follows from the view `m` on the host: what copies or moves a model goes
// through this list.
#define PEGRASP_MODEL_ARRAYS(X)                                                                                     \
  X(body_kind, m.body_count)                                                                                        \
  X(body_first_part, m.body_count + 1)                                                                              \
  X(body_node, m.body_count)                                                                                        \
  X(body_slides, m.body_count)                                                                                      \
  X(body_axis, 2 * m.body_count)                                                                                    \
  X(body_radius, m.body_count)                                                                                      \
  X(body_unbounded, m.body_count)                                                                                   \
  X(body_first_keyframe, m.body_count + 1)                                                                          \
  X(keyframe_time, m.body_first_keyframe[m.body_count])                                                             \
  X(keyframe_pose, (m.spatial != 0 ? 10 : 3) * m.body_first_keyframe[m.body_count])                                 \
  X(part_body, m.part_count)                                                                                        \
  X(part_first_corner, m.part_count + 1)                                                                            \
  X(part_first_edge, m.part_count + 1)                                                                              \
  X(part_centre, 2 * m.part_count)                                                                                  \
  X(part_radius, m.part_count)                                                                                      \
  X(part_inradius, m.part_count)                                                                                    \
  X(corner_x, m.part_first_corner[m.part_count])                                                                    \
  X(corner_y, m.part_first_corner[m.part_count])                                                                    \
  X(corner_r, m.part_first_corner[m.part_count])                                                                    \
  X(corner_name, m.part_first_corner[m.part_count])                                                                 \
  X(corner_cone, 4 * m.part_first_corner[m.part_count])                                                             \
  X(edge_nx, m.part_first_edge[m.part_count])                                                                       \
  X(edge_ny, m.part_first_edge[m.part_count])                                                                       \
  X(edge_offset, m.part_first_edge[m.part_count])                                                                   \
  X(edge_use, m.part_first_edge[m.part_count])                                                                      \
  X(part_first_vertex, m.spatial != 0 ? m.part_count + 1 : 0)                                                       \
  X(part_first_face, m.spatial != 0 ? m.part_count + 1 : 0)                                                         \
  X(part_first_ridge, m.spatial != 0 ? m.part_count + 1 : 0)                                                        \
  X(part_widest, m.spatial != 0 ? m.part_count : 0)                                                                 \
  X(part_box, m.spatial != 0 ? 6 * m.part_count : 0)                                                                \
  X(part_foot, m.spatial != 0 ? m.part_count : 0)                                                                   \
  X(part_round, m.spatial != 0 ? m.part_count : 0)                                                                  \
  X(vertex, m.spatial != 0 ? 3 * m.part_first_vertex[m.part_count] : 0)                                             \
  X(face_normal, m.spatial != 0 ? 3 * m.part_first_face[m.part_count] : 0)                                          \
  X(face_offset, m.spatial != 0 ? m.part_first_face[m.part_count] : 0)                                              \
  X(face_use, m.spatial != 0 ? m.part_first_face[m.part_count] : 0)                                                 \
  X(face_first_corner, m.spatial != 0 ? m.part_first_face[m.part_count] + 1 : 0)                                    \
  X(face_corner, m.spatial != 0 ? m.face_first_corner[m.part_first_face[m.part_count]] : 0)                         \
  X(ridge, m.spatial != 0 ? 4 * m.part_first_ridge[m.part_count] : 0)                                               \
  X(vertex_first_internal_edge, m.spatial != 0 ? m.part_first_vertex[m.part_count] + 1 : 0)                         \
  X(ridge_first_internal_edge, m.spatial != 0 ? m.part_first_ridge[m.part_count] + 1 : 0)                           \
  X(vertex_internal_edge, m.spatial != 0 ? 3 * m.vertex_first_internal_edge[m.part_first_vertex[m.part_count]] : 0) \
  X(ridge_internal_edge, m.spatial != 0 ? 3 * m.ridge_first_internal_edge[m.part_first_ridge[m.part_count]] : 0)    \
  X(body_friction, m.lists_pairs != 0 ? 0 : m.body_count)                                                           \
  X(named_pair_a, m.named_pair_count)                                                                               \
  X(named_pair_b, m.named_pair_count)                                                                               \
  X(named_pair_friction, m.named_pair_count)                                                                        \
  X(body_pair_a, m.body_pair_count)                                                                                 \
  X(body_pair_b, m.body_pair_count)                                                                                 \
  X(body_pair_arms, m.spatial != 0 ? 2 * m.body_pair_count : 0)                                                     \
  X(body_pair_first_part, m.body_pair_count + 1)                                                                    \
  X(part_pair_a, m.part_pair_count)                                                                                 \
  X(part_pair_b, m.part_pair_count)                                                                                 \
  X(part_pair_body_pair, m.part_pair_count)                                                                         \
  X(actuator_body, m.actuator_count)                                                                                \
  X(actuator_kind, m.actuator_count)                                                                                \
  X(actuator_rotary, m.actuator_count)                                                                              \
  X(actuator_axis, 2 * m.actuator_count)                                                                            \
  X(actuator_joint, m.actuator_count)                                                                               \
  X(actuator_first_key, m.actuator_count + 1)                                                                       \
  X(key_time, m.actuator_first_key[m.actuator_count])                                                               \
  X(key_target, target_size* m.actuator_first_key[m.actuator_count])                                                \
  X(support_body, m.support_count)                                                                                  \
  X(joint_kind, m.joint_count)                                                                                      \
  X(joint_body_a, m.joint_count)                                                                                    \
  X(joint_body_b, m.joint_count)                                                                                    \
  X(joint_arm, m.joint_count)                                                                                       \
  X(joint_limit, 4 * m.joint_count)                                                                                 \
  X(joint_frame, (m.spatial != 0 ? 24 : 7) * m.joint_count)                                                         \
  X(predicates, m.predicate_count)

}  // namespace pegrasp

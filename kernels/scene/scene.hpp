// SPDX-License-Identifier: Apache-2.0
// The state of one scene and the scratch memory with which its team steps it, as pointers into one arena.
//
// The size of the arena follows from the model and the capacity for contacts; nothing is allocated while stepping.
// Arrays that a team shares live here; a rank keeps only loop variables.
#pragma once

#include <cstddef>

#include "kernels/base/dimension.hpp"
#include "kernels/base/platform.hpp"
#include "kernels/model/model.hpp"
#include "kernels/scene/vector.hpp"
#include "pegrasp/options.hpp"

namespace pegrasp {

// Scenes with at most so many dynamic bodies get memory for Newton's matrix (solver/newton.hpp); at most the bits of a
// word.
constexpr int largest_newton_scene = 48;

// Loops of joints with at most so many rows are closed directly (solver/joint_tree.hpp).
constexpr int loop_rows_most = 12;

// Size of a workspace: how many near pairs and contacts it has capacity for.
struct Capacity {
  int pairs;
  int contacts;
  int alternatives;  // gap rows without force (peg-features only)
};

// Values of NearPair::apart. A pair that a solve left overlapping keeps its contacts for the rest of the step, so that
// passes do not alternate.
constexpr int gets_contacts = 0;
constexpr int kept_apart = 1;  // by a facet at an internal edge, or left to a sibling's contacts
constexpr int keeps_contacts = 2;

// A near pair of convex parts.
struct NearPair {
  int part_a, part_b;
  int body_a, body_b;
  int slot;              // friction slot
  int mode;              // chosen for the solve at hand
  int end_mode;          // best at the end pose
  int near_contact;      // 1: within eps
  int ahead;             // in 3D, 1: touches at the start: the first pass linearises it where the last velocities lead
  int apart;             // gets_contacts, kept_apart, keeps_contacts
  int keep_mode;         // not 0: moves farther than its inradius in a step (kernels/contact/choose_modes.hpp)
  int last_mode;         // in 3D: that of the pass before the mode was changed last
  float last_violation;  // what that left [m]
  int first_contact, contact_count;
  int first_alternative, alternative_count;
  unsigned rims;  // in 3D, of cylinders: where rims were deepest in the last passes (kernels/spatial/rims.hpp)
  double s0_max;  // separation at the start of the step [m]
  double s_end;   // separation at the end pose [m]
  double target;  // gap the step must reach: min(-thickness of shells, s0_max + v_rec h) [m]
  double eps;     // [m]
};
static_assert(sizeof(NearPair) == 18 * sizeof(int) + 4 * sizeof(double), "no padding");

// Wrenches that the user sets between steps, on centres of mass, world (kernels/integrate/wrench.hpp).
struct SetWrenches {
  double since;          // [s] when the last step that was begun did so
  const double* now;     // (bodies, dof) from then on [N, N m]
  const double* before;  // (bodies, dof) in the step before
};

// The islands of the present step, and the island that is stepped (kernels/spatial/islands.hpp). Unused in 2D.
struct IslandTally {
  int island;  // the island at hand, by its first body
  int active_count =
      -1;         // bodies that move in it: its own, then kinematic ones; -1: the scene is not stepped by islands
  int own_count;  // its own
  int jointed;    // 1: joints hold some of them
  int claim_pair_count;                        // pairs of bodies whose claims meet
  int merged;                                  // 1: a body came into the reach of another island's
  int step_parity;                             // which warm list the last step has left
  int warm_first;                              // where the impulses at hand begin in theirs
  int kept_count;                              // impulses that islands which are done have left in the other
  double kept_h;                               // step of the impulses that the last step has left [s]
  std::int64_t bodies_tried, bodies_rejected;  // bodies of islands, attempt by attempt
};

// What the substeps of one island have counted.
struct IslandRecord {
  int over;  // 1: is at the step's end
  int substeps, last_contacts;
  std::int64_t contacts;
  int warm_first, warm_count;  // its impulses for the next step
  std::uint32_t status;
  double work, residual, depth;
};

// The progress and the totals of a scene; mirrors SceneOutcome.
struct SceneTally {
  SceneOutcome outcome;
  int step;         // steps of size h begun
  int warm_parity;  // which warm list is current
  int warm_count[2];
  int pair_count;
  int contact_count;
  int alternative_count;
  int row_count;
  int block_count;
  int pass;
  int contacts_later;         // 1: contacts are linearised at the end of the last solve, not where the step starts
  int loop_rows;              // rows of joints that close loops, where these are closed directly (joint_tree.hpp)
  int tree;                   // 1: the tree of joints is factored (batched strategy)
  int taut;                   // 1: joints hold bodies taut in the pass (kernels/joint/taut.hpp)
  int astray;                 // 1: the pass is linearised at an end pose that solves nothing (step_scene)
  int lost;                   // 1: a pass of the attempt failed; 2: its end is not to be trusted (integrate_or_reject)
  int pairs_fresh;            // 1: listed since modes were last chosen
  int last_contacts;          // of the last accepted substep
  double warm_h;              // step of the warm impulses [s]
  double kick;                // how long forces act where the attempt begins [s] (kick_time, of its first body)
  double warm_kick;           // the same of the warm impulses [s]
  double time0;               // start of the substep [s]
  double still_for;           // [s]
  double residual;            // of the last solve [m/s]
  double penetration;         // at the end pose of the last pass [m], beyond what the step set out to reach
  double depth;               // at the end pose of the last pass [m], absolute
  double joints_open;         // largest joint_apart() at the start of the attempt [m]
  int risk;                   // 1: in some attempt at the present step a near pair could go through each other
  int holds;                  // 1: the attempt at hand holds bodies still (kernels/integrate/hold_still.hpp)
  int smallest;               // 1: the attempt is at the smallest substep that is tried as a rule
  int overlap_allowed;        // 1: some contact was allowed an overlap (per-scene strategy)
  int outran;                 // 1: the last solve made a body faster than the near pairs were listed for
  double explained_work;      // done by gravity, applied forces, actuators, prescribed motion [J]
  std::uint32_t step_status;  // bits of the present step
  std::int64_t iterations_beyond;  // what solves usually take (kernels/solver/single_precision.hpp)
  int step_passes;                 // most linearisations of an attempt in the present step
  double step_residual;            // largest over the substeps of the present step
  double step_depth;
  int infeasible;                   // 1: a proof shows that the last solve has no solution
  std::int64_t iterations;          // of the step, in 3D of the island's, so far
  std::int64_t iterations_in_vain;  // of the scene's unresolved steps
  int iterations_left;              // that the solve at hand may take in all its turns
  Squeeze squeeze;                  // of the last proof
  Squeeze step_squeeze;             // of the present step, where its status says that it is infeasible
  IslandTally islands;
};

#if defined(PEGRASP_FAST_ARITHMETIC)
using SolverReal = float;
#else
using SolverReal = double;
#endif

namespace PEGRASP_ARITHMETIC {

// A contact: point p on b against a surface of a, normal from a to b.
struct Contact {
  int pair;  // index in near pairs
  int body_a, body_b;
  int key;                                   // feature pair within the part pair: warm starting
  int first_alternative, alternative_count;  // peg-features: rows whose largest gap counts (max rule)
  V p;                                       // contact point, world [m]
  V n;                                       // unit normal from a to b
  double gap;                                // psi at the linearisation pose [m]
  double target;                             // [m]
  double mu;
  // [m] radius of the feature on which p is, and of the other; 0 for vertices and facets (kernels/planar/at_start.hpp)
  double round, round_other;
  V at, push;  // point and unit normal along which its impulse acts, world (the rows set them)
  double
      // what the row is allowed of parting, as friction wedges the bodies (kernels/solver/jammed.hpp) [m]
      allowed_overlap;
  int shell;                           // contact_rigid, contact_soft, contact_core (kernels/scene/shell.hpp)
  double lag;                          // how far the shell has not yet come back where it does not push [m]
  double deflection[deflection_size];  // of the shell in its surface at the start of the step [m]
};

// A gap without a force of its own (peg-features): psi and the point on which it acts, as of a contact.
struct Alternative {
  V p, n;
  double gap;
  int body_a, body_b;
};

// The impulses of a contact in the last solve, from which the next solve starts. There are two lists, which take turns.
struct WarmContact : WarmPlace {
  int part_a, part_b;
  int key;
  int shell;                     // as of Contact
  double normal;                 // [N s]
  double tangent[tangent_size];  // [N s]
  double allowed_overlap;        // [m]
  // Of a contact with a shell [m]: at the start of the (sub)step of that solve, and what the solve makes of it.
  double deflection[deflection_size], deflected[deflection_size];
};

// One scalar constraint row: w = J nu + bias + compliance * p, with nu = nu_free + sum of M^-1 J^T p.
// Bodies a and b may be the same for rows that act on one body (then jb and wb are 0).
struct Row {
  SolverReal ja[dof], jb[dof];  // Jacobian
  SolverReal wa[dof], wb[dof];  // M^-1 J^T
  SolverReal bias;              // [m/s]
  SolverReal compliance;        // [m/s per N s]
  SolverReal diagonal;          // J M^-1 J^T + compliance
  SolverReal scale;             // D~: mass-split diagonal [1/kg]
  int body_a, body_b;
};

// Rows that are projected together. The kinds know nothing of the dimension:
//   contact: row 0 normal, p_0 >= 0; the others tangential, |p_t| <= bound p_0
//   disc:    all rows, |p| <= bound
//   clamp:   all rows, one or those of a spherical joint's motor, |p| <= bound
//   joint:   all rows, any p
//   limit:   one row, p >= 0
//   coupling: one row, any p. Two such blocks follow each other, one for each of the joints that are coupled. They have
//            the same impulse, and their velocities count together, w = w_0 + w_1: one row over up to four bodies.
enum BlockKind : int { block_contact = 0, block_disc, block_clamp, block_joint, block_limit, block_coupling };
struct Block {
  int kind;
  int first_row, row_count;
  int owner;  // contact, support point, actuator, joint, 2 joint + JointFreedom, or 2 coupling + half
  int first_alternative, alternative_count;  // max rule: rows (after the blocks' rows) without force
  SolverReal bound;
};

// Whether the first row of a block only pushes: p_0 >= 0.
PEGRASP_HD inline bool pushes(const Block& block) { return block.kind == block_contact || block.kind == block_limit; }
// Whether its rows take any impulse.
PEGRASP_HD inline bool is_bilateral(const Block& block) {
  return block.kind == block_joint || block.kind == block_coupling;
}
// The number of rows without an upper bound, which come first; the others share the bound of the block.
PEGRASP_HD inline int free_rows(const Block& block) {
  return is_bilateral(block) ? block.row_count : (pushes(block) ? 1 : 0);
}
PEGRASP_HD inline int first_bounded_row(const Block& block) { return block.first_row + free_rows(block); }
// From the block of a coupling to that of its other half: 1 or -1.
PEGRASP_HD inline int to_mate(const Block& half) { return half.owner % 2 == 0 ? 1 : -1; }

// Newton: y = keep p_bar - penalty (J v + bias).
struct RowPenalty {
  SolverReal keep, penalty;
};

// Gradient of -p_row with respect to the velocities of the row's two bodies: a row of P S J.
struct RowGradient {
  SolverReal a[dof], b[dof];
  int active;
};

struct SceneView {
  const ModelView* model;
  const double* parameters;     // in     (parameter_count)
  const SetWrenches* wrenches;  // in    null: the user has set none
  Capacity capacity;
  int row_capacity, block_capacity;

  // state
  SceneTally* tally;
  double* pose;          // inout  (bodies, pose_size) at the start of the (sub)step
  double* twist;         // inout  (bodies, dof) in the middle of the last (sub)step (kernels/integrate/predict.hpp)
  double* last_h;        // inout  (bodies) length of the body's last (sub)step [s]; 0: it has made none
  double* acceleration;  // inout  (bodies, dof) mean where the last (sub)step began [m/s^2, rad/s^2]; 0: none yet
  double* last_spin;  // inout  in 3D (bodies, 3) in the last (sub)step itself [rad/s]: twist has that of the momentum
  double*
      last_kick;  // out    (bodies) the time [s] for which that one's impulses act, half of it and of the one before
  double* initial_pose;  // in     (bodies, pose_size)
  double* inv_mass;      // inout  (bodies, mass_size); 0 where not dynamic
  double* momentum;      // inout  (bodies, momentum_size) [kg m^2/s]
  double*
      inertia;   // inout  (bodies, 18) in 3D: of the body, its inverse, and in the middle of the step, world [kg m^2]
  int* present;  // inout  (bodies)
  double* predicate_time;     // inout (predicates) how long a condition has held [s]; of `held` what has become of it
  double* predicate_pose;     // inout (predicates, pose_size) of `held`: where the body was seen first
  double* predicate_margin;   // inout (predicates) where it is measured: margin of the last step, or the least so far
  double* predicate_impulse;  // inout (predicates, bodies) of predicates about forces: sums of the step [N s]
  double* grip_impulse;       // inout (bodies) where forces are measured: sum of the step's normal impulses [N s]
  double* slip_margin;        // inout (bodies) likewise, the step's least margin to slip
  double* hold_impulse;       // inout (1) where a part is watched: normal impulses of the step on it [N s]
  double* hold_pose;          // inout (pose_size) likewise, where it was seen first
  WarmContact* warm[2];       // inout  (contacts)
  double* support_impulse;    // inout (supports, 2) [N s]
  double* actuator_impulse;   // inout (actuators, motor_rows_most) [N s]
  double* joint_impulse;      // inout (joints, joint_rows_most) [N s], angular ones by the joint's arm
  double* limit_impulse;      // inout (joints, 2) of slide and turn [N s]
  double* coupling_impulse;   // inout (couplings, 2) [N s] of the two halves, which are equal
  double* joint_turn;         // inout (joints) [rad] at the start of the (sub)step
  double* joint_frame;        // in    (joints, joint_frame_size) of each in its bodies, kernels/joint/joint.hpp

  // islands of the step (kernels/step/islands.hpp), in 3D
  int* island_of;        // (bodies) first body of the island, -1: of none
  int* active;           // (bodies) those that move in the island at hand
  double* claim;         // (bodies, box_size) where the body may be within the step
  int* claim_pair;       // (body pairs) those whose claims meet
  double* begin_state;   // (bodies, body_state_size) at the step's beginning
  double* begin_turn;    // (joints) likewise
  IslandRecord* record;  // (bodies) of the island whose first body it is

  // scratch of a step
  double* free_twist;    // (bodies, dof) nu without constraint impulses
  double* nu;            // (bodies, dof) solution
  int* held;             // (bodies) whether an attempt that nothing solved moves it (kernels/integrate/hold_still.hpp)
  double* taut;          // (bodies, taut_size) in scenes with joints: what pulls at the body (kernels/joint/taut.hpp)
  double* start_frame;   // (bodies, frame_size) at the start pose
  double* end_pose;      // (bodies, pose_size)
  double* end_frame;     // (bodies, frame_size)
  double* margin;        // (bodies) how far the body may move in the step [m]
  double* box;           // (parts, box_size) swept box: lows, then highs
  double* body_box;      // (bodies, box_size)
  int* pair_flag;        // (body pairs)
  NearPair* pairs;       // (capacity.pairs)
  int* part_first_pair;  // (parts + 1) near pairs of each part, in their order: entries of
  int* pair_of_part;     // (2 capacity.pairs) pairs_before + the index of a pair
  int pairs_before;      // batched strategy: pairs of the scenes before; else 0
  Contact* contacts;     // (capacity.contacts)
  Alternative* alternatives;
  Row* rows;            // (row_capacity)
  Block* blocks;        // (block_capacity)
  int* block_state;     // (block_capacity) Newton: BlockState (newton.hpp)
  int* block_wanted;    // (block_capacity) Newton: the state that the impulses ask for
  int* row_block;       // (row_capacity) block of a row
  int* body_first_row;  // (bodies + 1) adjacency: entries of body_row
  int* body_row;        // (2 row_capacity) row * 2 + side
  // solver vectors
  SolverReal* p;  // (row_capacity) impulses
  SolverReal* p_trial;
  SolverReal* p_other;
  SolverReal* p_newton;   // (row_capacity) multipliers
  SolverReal* direction;  // (row_capacity) search direction of NNCG; scratch of AJ
  SolverReal* v;          // (bodies, dof)
  SolverReal* v_trial;
  SolverReal* v_other;

  // Newton (newton.hpp); a node is a dynamic body. Null in scenes with too many of them
  RowPenalty* row_penalty;      // (row_capacity)
  RowGradient* row_gradient;    // (row_capacity)
  SolverReal* newton_residual;  // (nodes, dof)
  SolverReal* newton_matrix;    // (nodes, nodes, dof, dof)
  std::uint64_t* node_links;    // (nodes) bit j: the matrix has, or fills, the block in column j
  std::uint64_t* node_later;    // (nodes) those of them that are eliminated later
  int* node_order;              // (nodes) in which they are eliminated
  int* node_pivot;              // (nodes, dof) in scenes with joints: the order of rows in a block's factors

  // The tree of joints (solver/joint_tree.hpp), in scenes with joints
  int* joint_block;          // (joints) the block of the joint's rows, -1: none
  int* tree_hung;            // (bodies) 1: a joint hangs the body on another
  SolverReal* tree_body;     // (bodies, dof, dof) factors of what a body answers by
  int* tree_body_pivot;      // (bodies, dof)
  SolverReal* tree_joint;    // (joints, joint_rows_most, joint_rows_most) factors of what a joint answers by
  int* tree_joint_pivot;     // (joints, joint_rows_most)
  SolverReal* tree_carried;  // (joints, joint_rows_most) what the rows still ask for
  int* loop_row;             // (loop_rows_most) rows of the joints that close loops
  SolverReal* loop_answer;   // (loop_rows_most, loop_rows_most) factors of what they answer by
  int* loop_pivot;           // (loop_rows_most)
  SolverReal* loop_pull;     // (loop_rows_most) their impulses

  PEGRASP_HD double parameter(int i) const { return parameters[i]; }
};

// Walks the arena's layout; with base == nullptr it only measures.
struct ArenaCursor {
  unsigned char* base;
  std::size_t used;
  template <class T>
  PEGRASP_HD T* take(int count) {
    const std::size_t at = (used + 15u) / 16u * 16u;
    used = at + sizeof(T) * static_cast<std::size_t>(count);
    return base ? reinterpret_cast<T*>(base + at) : nullptr;
  }
};

PEGRASP_HD inline int row_capacity(const ModelView& m, const Capacity& c) {
  return m.contact_rows * c.contacts + 2 * m.support_count + m.motor_rows + (joint_rows_most + 2) * m.joint_count +
         2 * m.coupling_count + c.alternatives;
}

// What the solvers work in.
PEGRASP_HD_LARGE void bind_solver(SceneView& s, const ModelView& m, ArenaCursor& a) {
  const int rows = s.row_capacity;
  const int nb = m.body_count;
  s.p = a.take<SolverReal>(rows);
  s.p_trial = a.take<SolverReal>(rows);
  s.p_other = a.take<SolverReal>(rows);
  s.p_newton = a.take<SolverReal>(rows);
  s.direction = a.take<SolverReal>(rows);
  s.v = a.take<SolverReal>(dof * nb);
  s.v_trial = a.take<SolverReal>(dof * nb);
  s.v_other = a.take<SolverReal>(dof * nb);
  const bool newton = m.node_count <= largest_newton_scene;
  const int n = newton ? m.node_count : 0;
  s.row_penalty = a.take<RowPenalty>(newton ? rows : 0);
  s.row_gradient = a.take<RowGradient>(newton ? rows : 0);
  s.newton_residual = a.take<SolverReal>(dof * n);
  s.node_links = a.take<std::uint64_t>(n);
  s.node_later = a.take<std::uint64_t>(n);
  s.node_order = a.take<int>(n);
  s.node_pivot = a.take<int>(m.joint_count > 0 ? dof * n : 0);
  s.newton_matrix = newton ? a.take<SolverReal>(n * n * dof * dof) : nullptr;
  const int joints = m.joint_count;
  s.joint_block = a.take<int>(joints);
  s.tree_hung = a.take<int>(joints > 0 ? nb : 0);
  s.tree_body = a.take<SolverReal>(joints > 0 ? nb * dof * dof : 0);
  s.tree_body_pivot = a.take<int>(joints > 0 ? nb * dof : 0);
  s.tree_joint = a.take<SolverReal>(joints * joint_rows_most * joint_rows_most);
  s.tree_joint_pivot = a.take<int>(joints * joint_rows_most);
  s.tree_carried = a.take<SolverReal>(joints * joint_rows_most);
  const int loops = joints > 0 ? loop_rows_most : 0;
  s.loop_row = a.take<int>(loops);
  s.loop_answer = a.take<SolverReal>(loops * loops);
  s.loop_pivot = a.take<int>(loops);
  s.loop_pull = a.take<SolverReal>(loops);
}

// Lays a scene out in `base`; returns the bytes it takes. All scenes of a batch have the same layout.
PEGRASP_HD_LARGE std::size_t bind_scene(SceneView& s, const ModelView& m, const Capacity& c, unsigned char* base) {
  const int rows = row_capacity(m, c);
  const int blocks = c.contacts + m.support_count + m.actuator_count + 3 * m.joint_count + 2 * m.coupling_count;
  const int nb = m.body_count;
  s.model = &m;
  s.capacity = c;
  s.row_capacity = rows;
  s.block_capacity = blocks;
  ArenaCursor a{base, 0};
  s.tally = a.take<SceneTally>(1);
  s.pose = a.take<double>(pose_size * nb);
  s.twist = a.take<double>(dof * nb);
  s.last_h = a.take<double>(nb);
  s.last_kick = a.take<double>(nb);
  s.acceleration = a.take<double>(dof * nb);
  s.last_spin = a.take<double>(is_spatial ? 3 * nb : 0);
  s.initial_pose = a.take<double>(pose_size * nb);
  s.inv_mass = a.take<double>(mass_size * nb);
  s.momentum = a.take<double>(momentum_size * nb);
  s.inertia = a.take<double>(momentum_size > 0 ? 18 * nb : 0);
  s.present = a.take<int>(nb);
  s.predicate_time = a.take<double>(m.predicate_count);
  s.predicate_pose = a.take<double>(m.predicate_count * pose_size);
  s.predicate_margin = a.take<double>(m.measures_margin != 0 ? m.predicate_count : 0);
  s.predicate_impulse = a.take<double>(m.force_predicates > 0 ? m.predicate_count * nb : 0);
  s.grip_impulse = a.take<double>(m.measures_forces != 0 ? nb : 0);
  s.slip_margin = a.take<double>(m.measures_forces != 0 ? nb : 0);
  s.hold_impulse = a.take<double>(m.watched >= 0 ? 1 : 0);
  s.hold_pose = a.take<double>(m.watched >= 0 ? pose_size : 0);
  s.warm[0] = a.take<WarmContact>(c.contacts);
  s.warm[1] = a.take<WarmContact>(c.contacts);
  s.support_impulse = a.take<double>(2 * m.support_count);
  s.actuator_impulse = a.take<double>(motor_rows_most * m.actuator_count);
  s.joint_impulse = a.take<double>(joint_rows_most * m.joint_count);
  s.limit_impulse = a.take<double>(2 * m.joint_count);
  s.coupling_impulse = a.take<double>(2 * m.coupling_count);
  s.joint_turn = a.take<double>(m.joint_count);
  s.joint_frame = a.take<double>(joint_frame_size * m.joint_count);
  const int islands = has_islands ? nb : 0;
  s.island_of = a.take<int>(islands);
  s.active = a.take<int>(islands);
  s.claim = a.take<double>(box_size * islands);
  s.claim_pair = a.take<int>(has_islands && c.pairs > 0 ? m.body_pair_count : 0);
  s.begin_state = a.take<double>(body_state_size * islands);
  s.begin_turn = a.take<double>(has_islands ? m.joint_count : 0);
  s.record = a.take<IslandRecord>(islands);
  s.free_twist = a.take<double>(dof * nb);
  s.nu = a.take<double>(dof * nb);
  s.held = a.take<int>(nb);
  s.taut = a.take<double>(m.joint_count > 0 ? taut_size * nb : 0);
  s.start_frame = a.take<double>(frame_size * nb);
  s.end_pose = a.take<double>(pose_size * nb);
  s.end_frame = a.take<double>(frame_size * nb);
  s.margin = a.take<double>(nb);
  s.box = a.take<double>(box_size * m.part_count);
  s.body_box = a.take<double>(box_size * nb);
  s.pair_flag = a.take<int>(c.pairs > 0 ? m.body_pair_count : 0);
  s.pairs = a.take<NearPair>(c.pairs);
  s.part_first_pair = a.take<int>(c.pairs > 0 ? m.part_count + 1 : 0);
  s.pair_of_part = a.take<int>(2 * c.pairs);
  s.pairs_before = 0;
  s.contacts = a.take<Contact>(c.contacts);
  s.alternatives = a.take<Alternative>(c.alternatives);
  s.rows = a.take<Row>(rows);
  s.blocks = a.take<Block>(blocks);
  s.block_state = a.take<int>(blocks);
  s.block_wanted = a.take<int>(blocks);
  s.row_block = a.take<int>(rows);
  s.body_first_row = a.take<int>(nb + 1);
  s.body_row = a.take<int>(2 * rows);
  bind_solver(s, m, a);
  return (a.used + 15u) / 16u * 16u;
}

}  // namespace PEGRASP_ARITHMETIC
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// What one step of one scene did: how it was solved, and which contacts and other constraints carried load.
#pragma once

#include <cstdint>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "pegrasp/options.hpp"

namespace pegrasp {

// How a step was solved (Simulation::last_step()).
struct StepReport {
  int step = 0;                      // from 1
  double time = 0.0;                 // at its end [s]
  std::uint32_t status = status_ok;  // StatusBit
  double residual = 0.0;             // largest of its accepted substeps [m/s]
  double depth = 0.0;                // deepest overlap at the end of an accepted substep [m]
  int contacts = 0;                  // at its end
  std::int64_t iterations = 0;       // of the solver, over all solves of the step, rejected attempts included
  std::int64_t substeps = 0;         // accepted
  int rejected = 0;                  // attempts that were undone and halved
  Squeeze squeeze;                   // the largest of the step, with status_infeasible
};

// The features that touch in a contact. A face is an edge of the outline in 2D, and an arc is a round corner or a disc.
enum class ContactFeature : int {
  face_a = 0,  // a face of part_a, against a vertex, an edge or a round surface of part_b
  face_b,      // the other way round
  edges,       // 3D: an edge of each
  round,       // 2D: an arc of each; 3D: two round surfaces, or one and an edge or vertex
};

// Whether a contact holds. A contact slides if its slip is above twice the tolerance of the solver.
enum class ContactState : int { none = 0, stick, slide };  // none: it carries no force

// One contact. Impulses act on body_b at `point`, their opposites on body_a. Divided by `duration` they are mean forces
// [N]. Point and normal are where and how the impulses act: at the start of the substep where the contact was closed
// there. The gap is that about which the last pass was linearised.
struct ContactReport {
  int body_a = 0;  // indices in SceneSpec::bodies
  int body_b = 0;
  int part_a = 0;  // over all bodies, in order, as part_index() counts
  int part_b = 0;
  ContactFeature feature = ContactFeature::face_a;
  Vec3 point;                   // world [m]; in 2D z is 0, here and below
  Vec3 normal;                  // world, unit, from body_a to body_b
  double gap = 0.0;             // [m] negative: overlap
  double friction = 0.0;        // coefficient
  double normal_impulse = 0.0;  // [N s]
  Vec3 tangential_impulse;      // world [N s]
  double duration = 0.0;  // half of the last substep and half of this one; of a step the sum over its substeps [s]
  Vec3 impulse;           // normal and tangential together, world [N s]
  Vec3 moment;            // of torsional and rolling friction about `point`, world [N m s]
  Vec3 turn_a;            // on body_a about its centre of mass, all in all, world [N m s]
  Vec3 turn_b;            // on body_b likewise
  // Of body_b's material point against body_a's along the tangents, mean over the substep, world [m/s]. Bodies that
  // turn or speed up together have none.
  Vec3 slip;
  ContactState state = ContactState::none;
  double margin = 1.0;  // (mu p_n - |p_t|) / (mu p_n), 0 where it slides; 1: without force or friction
};

// What the other constraints of a step are.
enum class RowKind : int {
  support = 0,  // one direction of a support point's friction; `index` is the point, three for each supported body
  motor,        // `index` in SceneSpec::actuators; actuators of kind `force` have no row
  joint,        // `index` in SceneSpec::joints
  limit,        // of a joint; row 0 is that of its slide, row 1 that of its turn
  coupling,     // `index` in SceneSpec::couplings; row 0 acts at its joint, row 1 at the joint on which that depends
};

// One constraint row of the last accepted substep, contacts aside.
struct RowReport {
  RowKind kind = RowKind::support;
  int index = 0;
  int row = 0;            // within the constraint, from 0
  double impulse = 0.0;   // [N s]; of rows of rotation in the units of the row: [N m s], of joints divided by their arm
  double bound = 0.0;     // largest size that the impulses of the constraint may have together; 0: none
  double duration = 0.0;  // half of the last substep and half of this one [s]
};

// What the rows of one constraint other than a contact, or an actuator of kind `force`, do to their bodies.
struct LoadReport {
  RowKind kind = RowKind::support;
  int index = 0;          // as of RowReport
  int row = 0;            // of a limit and of a coupling as of RowReport; else 0
  int body_a = -1;        // -1: the world
  int body_b = 0;         // what follows acts on it; the opposite of `impulse` on body_a
  Vec3 point;             // world [m]: origin of the joint in body_b, support point, or centre of mass
  Vec3 impulse;           // world [N s]
  Vec3 moment;            // about `point`, world [N m s]
  Vec3 turn_a;            // on body_a about its centre of mass, all in all, world [N m s]
  Vec3 turn_b;            // on body_b likewise
  double duration = 0.0;  // of the step [s]
};

// All that contacts and other constraints do to a body in a step; without gravity. On a slide axis (a jaw) it holds
// what the rails bear, too.
struct BodyLoad {
  Vec3 contact_impulse;         // world [N s]
  Vec3 contact_turn;            // about the centre of mass, world [N m s]
  Vec3 constraint_impulse;      // of support points, joints, limits, couplings and motors
  Vec3 constraint_turn;         // likewise
  double normal_impulse = 0.0;  // sum over its contacts: by `duration` its grip force [N]
  double duration = 0.0;        // for which these impulses act: the longest of those of the contacts and loads [s]
};

// What Simulation::contents() returns of a step.
//   contacts, rows              those of the last accepted substep; in 3D each island contributes its own
//   step_contacts, loads        those of the whole step. Impulses are summed over its substeps, so that divided by
//                               their duration they are mean forces. The slip is the mean over the time that the
//                               contact was there, a contact slides if it did in any substep, the margin is the least.
//                               Point, normal and gap are those of the last substep in which it was there.
//   bodies                      their sums, one for each body of the scene
struct StepContents {
  std::vector<ContactReport> contacts;
  std::vector<RowReport> rows;
  std::vector<ContactReport> step_contacts;
  std::vector<LoadReport> loads;
  std::vector<BodyLoad> bodies;
};

}  // namespace pegrasp

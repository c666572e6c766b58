// SPDX-License-Identifier: Apache-2.0
// The batched strategy's view of a batch: scenes of one model side by side, in arrays that run over all of them.
//
// Every scene has a SceneView whose pointers lead into these arrays, so that the code for one scene (modes, contacts,
// rows, predicates) serves both strategies. What has a fixed number per scene (bodies, parts) starts at a multiple of
// it; what has not (near pairs, blocks) starts where `pair_first` and `block_first` say. All blocks have places for as
// many rows as the largest needs. So J and M^-1 J^T are sparse matrices of blocks of one size: 3 x 3 in 2D, 3 x 6 or 6
// x 6 in 3D.
//
// Arrays named x_first have one more entry than there are x: entry i is where the items of x i begin.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/step/run_scene.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Rows that a block has places for. In 3D contacts with friction have three; joints, and contacts with torsion or
// rolling, up to six.
constexpr int low_block = 3;
constexpr int high_block = joint_rows_most > low_block ? joint_rows_most : low_block;
constexpr int partial_sums = 6;  // of which a step's end needs most (schedule.hpp)
constexpr int partial_maxima = 5;

// The progress of a scene. A round is one linearisation and its solve, and scenes go from round to round independently
// of each other. Islands of a scene that are at the same substep make an attempt at it together.
struct Course {
  int over;           // 1: has ended
  int active;         // 1: takes part in this round
  int in_step;        // 1: a step is under way
  int step_begun;     // 1: by this round
  int attempt_begun;  // 1: by this round
  int list;           // 1: near pairs are listed anew
  int regroup;        // 1: islands of the step are found anew
  int step_ended;     // 1: the step ends with this round
  int at, size;       // of the attempt, as those of Substeps
  double h;           // of the attempt [s]
  int solving;        // 1: some island of the scene is
};

// Bodies that are stepped as one: in 3D an island (kernels/spatial/claims.hpp); in 2D, or where islands are not asked
// for, all bodies of the scene. Its number is that of its first body.
struct StepIsland {
  int over;        // 1: is at the step's end
  int failed;      // 1: has ended the scene
  int active;      // 1: takes part in this round
  int in_attempt;  // 1: an attempt at a substep is under way: the round linearises anew
  int list;        // 1: its near pairs are listed anew
  int agreed;      // 1: the geometry at the end pose agrees with the linearisation
  int ended;       // 1: the attempt ends with this round
  int diverged;    // 1: so it did, with what is not finite
  int merged;      // 1: has taken in another, and goes back to the step's beginning
  int lost;        // 1: a pass of the attempt failed
  int jointed;     // 1: joints hold some of its bodies
  int risk;        // 1: in some attempt at the present step a near pair could go through each other
  Substeps substeps;
  Assessment assessment;
  AttemptFindings found;
  double depth, joint_error;    // [m] of the round
  double work;                  // done from outside in the attempt [J]
  EnergyBalance balance;        // of the attempt
  int contacts, contacts_most;  // of the round, and the most of an accepted substep
  IslandRecord record;          // of the step
  std::int64_t iterations;      // of the step so far
  double penetration;           // [m] of its last pass
  int suspect;                  // 1: the last solve was proven to have no solution
};

// The progress of an island in the solve at hand. These islands (islands.hpp) lie within those of the step.
struct IslandCourse {
  int solving;   // 1: goes on; 2: ends with this iteration; 0: has ended
  int smallest;  // 1: its attempt is at the smallest substep
  int iteration, limit;
  int turns;  // of kernels/solver/jammed.hpp, that have begun
  int takes;  // 1: one begins after this iteration
  Real theta, beta;
  double residual;  // [m/s]
  int squeezable;   // 1: some contact is with a body that has prescribed motion
  int suspect;      // 1: the last solve was proven to have no solution, so that the proof comes first
  int probe;        // IslandProbe
  int probe_begun;  // iteration at which it began
  int action;       // IslandAction, of this iteration
  int left;         // iterations of the step that the solve may take in all its turns
};

// The proof that a solve has no solution (kernels/batch/probe.hpp).
enum IslandProbe : int { probe_none = 0, probe_runs, probe_failed, probe_proved };
enum IslandAction : int { action_advance = 0, action_begin_probe, action_judge, action_end_probe };

constexpr int blocks_a_piece = 64;  // of which an island's sums are made

// Sums and maxima over some of a scene's bodies, pairs or blocks.
struct Partial {
  double sum[partial_sums];
  double most[partial_maxima];
};

// A sparse matrix of dense row-major blocks, as the BSR format of cuSPARSE: entry k of block row i, first[i] <= k <
// first[i + 1], is in block column column[k].
struct BlockMatrix {
  int entries;
  int* first;
  int* column;
  Real* value;  // (entries, height, width)
};

struct BatchView {
  const ModelView* model;
  StepOptions options;
  int scenes, bodies, parts;  // bodies and parts of one scene
  int drives;                 // support points, motors, joints, their limits and couplings of one scene
  int joints, couplings;      // of one scene
  int block_height;           // rows that every block has capacity for: low_block or high_block
  int chunks;                 // into which a scene's sums are cut: fixed by the model, so that results are
  int groups;                 // of chunks
  int widest;                 // part pairs that two bodies can have at most
  int step_limit;             // steps after which scenes wait
  int by_islands;             // 1: scenes are stepped by islands; 0: each as one
  int asks_for_forces;        // 1: the model does (kernels/outcome/forces.hpp)
  int squeezes;               // 1: a body has prescribed motion, so that others may have too little room

  SceneView* scene;      // (scenes)
  Course* course;        // (scenes)
  Partial* partial;      // (scenes, chunks)
  Partial* group;        // (scenes, groups) sums of chunks
  Partial* total;        // (scenes)
  SceneOutcome* result;  // (scenes)

  // broad phase: parts of each scene in the order of their boxes' low x
  std::uint64_t* sweep_key;  // (scenes, parts)
  int* sweep_part;           // (scenes, parts)
  int* swept;                // (scenes, parts) parts that the one at a place of the order sweeps over
  int* sweep_first;          // (scenes * parts + 1) first of the pieces that these are cut into
  int* meets;                // (pieces + 1) pairs found in a piece, then where they start
  std::uint64_t* pair_key;   // (pairs)

  int* pair_count;       // (scenes + 1) near pairs of a scene, then where they start
  int* pair_first;       // (scenes + 1) the same, of the pairs at hand
  NearPair* pairs;       // (pairs)
  int* part_first_pair;  // (scenes * parts + 1) near pairs of a part, in
  int* pair_of_part;     // (2 pairs)
  int* capacity_first;   // (pairs + 1) capacity for contacts
  int* contact_first;    // (pairs + 1) contacts
  EndOfPair* pair_end;   // (pairs)
  Contact* capacity;     // (capacity) contacts as they are made
  int* block_first;      // (scenes + 1)
  int* block_scene;      // (blocks)
  Contact* contacts;     // (blocks) packed; those of a scene begin where its blocks do
  Block* blocks;         // (blocks)
  Row* rows;             // (blocks, block_height)

  // the linear system of the round
  int* entry_body;       // (2 blocks) body of a block's side, or scenes * bodies: none that moves
  int* entry;            // (2 blocks) 2 block + side, by body
  int* body_rows;        // (scenes, bodies) rows on a body that moves
  BlockMatrix jacobian;  // block row: a block; column: a body
  BlockMatrix response;  // M^-1 J^T; block row: a body; column: a block
  // islands of the step; none: scenes * bodies
  StepIsland* step;       // (scenes, bodies) of the island whose first body it is
  int* step_island;       // (scenes, bodies) of every body that moves; by_islands = 0: of every body, the scene's first
  int* step_before;       // (scenes, bodies) before the last merger
  int* step_first;        // (scenes * bodies + 2) bodies of an island, in
  int* step_body;         // (scenes, bodies)
  int step_pieces;        // in which islands are added up
  int* step_piece_first;  // (scenes * bodies + 1) of an island
  Partial* step_piece;    // (step_pieces)
  Partial* body_partial;  // (scenes, bodies)
  int* live;              // (scenes, bodies) 1: the body takes part in this round
  std::uint64_t* claim_key;  // (scenes, bodies) claims in the order of their low x
  int* claim_body;           // (scenes, bodies)
  int* link_first;           // (scenes * (bodies + joints + couplings) + 1) where the links of each start
  int* link_end;             // (links, 2) bodies that are of one island
  int* link_of;              // (scenes * bodies + 1) ends of links at a body, in
  int* link;                 // (links, 2)
  int* pair_fresh;           // (pairs) 1: listed since modes were last chosen
  int* owned_first;          // (scenes * bodies + 1) near pairs that are added up with a body, in
  int* owned_pair;           // (pairs)
  int* owned_joint_first;    // (scenes * bodies + 1) joints likewise, in
  int* owned_joint;          // (scenes, joints)
  WarmContact* kept;         // impulses to start from, scene by scene, as those of a whole step
  int* kept_first;           // (scenes + 1)
  const WarmContact* fresh;  // (blocks) those of the last round
  // islands of the round
  int* island;                  // (scenes, bodies) of every body
  int* island_next;             // (scenes, bodies) scratch
  int* block_island;            // (blocks)
  int* island_first;            // (scenes * bodies + 1) blocks of an island, in
  int* island_block;            // (blocks)
  int pieces;                   // in which islands are added up
  int* piece_first;             // (scenes * bodies + 1) of an island
  Partial* piece;               // (pieces)
  IslandCourse* island_course;  // (scenes, bodies)

  Real* bias;  // (blocks, block_height)
  Real* compliance;
  Real* scale;
  Real* free;    // (scenes, bodies, dof)
  Real* v;       // (scenes, bodies, dof)
  Real* p;       // (blocks, block_height) impulses
  Real* q;       // after a step of the method
  Real* y;       // with momentum
  Real* w;       // J v at each of them
  Real* wq;      //
  Real* wy;      //
  Real* change;  // (blocks) largest |q - y| D~ [m/s]
  Real* defect;  // (blocks) natural map at q [m/s]
  Real* climb;   // (blocks) D~ (y - q) (q - p)
  // of the proof, where `squeezes`; else null
  Real* w_free;    // (blocks, block_height) J v_free
  Real* p_before;  // (blocks, block_height) what the solve goes on with after the proof, and its J v
  Real* w_before;  //
  Real* p_mark;    // (blocks, block_height) impulses when the proof was last tested
  Real* pull;      // (scenes, bodies, dof) forces of that
};

// More pairs or blocks than this would overflow the ints that count them, or the up to 2 x 6 x 6 numbers that each has.
constexpr std::int64_t most_items = 29'000'000;
// Throws std::runtime_error, one line, for more items than most_items.
inline void check_items(std::int64_t count) {
  if (count > most_items) {
    throw std::runtime_error("the batched strategy: more than " + std::to_string(most_items) +
                             " near pairs or contacts in a batch; are bodies inside each other?");
  }
}

// The scene of item i of arrays in which the items of a scene begin at first[scene], first having scenes + 1 entries.
PEGRASP_HD inline int scene_of(const int* first, int scenes, int i) {
  int low = 0;
  int high = scenes;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (first[middle] <= i) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The options of the attempt that a scene is making: those of the step with the length of the substep.
PEGRASP_HD inline StepOptions attempt_options(const BatchView& b, int scene) {
  StepOptions options = b.options;
  options.h = b.course[scene].h;
  return options;
}

// sum += A x for a block, column by column: an order that vector instructions do not change.
template <int Height, int Width>
PEGRASP_HD inline void add_block_product(const Real* a, const Real* x, Real* sum) {
  for (int column = 0; column < Width; ++column) {
    for (int row = 0; row < Height; ++row) sum[row] += a[Width * row + column] * x[column];
  }
}

// The items of a loop: 0 .. count - 1, or those of a list that is on the host.
struct Items {
  int count = 0;
  const int* listed = nullptr;
};

PEGRASP_HD inline Partial no_partial() { return {{}, {}}; }

PEGRASP_HD inline void add_partial(Partial& total, const Partial& part) {
  for (int i = 0; i < partial_sums; ++i) total.sum[i] += part.sum[i];
  for (int i = 0; i < partial_maxima; ++i) total.most[i] = max_or_nan(total.most[i], part.most[i]);
}

PEGRASP_HD inline Partial added(const Partial* partial, int begin, int end) {
  Partial total = no_partial();
  for (int k = begin; k < end; ++k) add_partial(total, partial[k]);
  return total;
}

// Adds up f(scene, item, partial) over the items of every active scene in a fixed order: chunk by chunk, then chunks in
// groups, then the groups. first(scene): the scene's first item; first(scene + 1): the first of the next scene. The
// result is in b.total.
template <class Device, class First, class F>
void add_up(Device& device, const BatchView& b, const First& first, const F& f) {
  device.for_each(b.scenes * b.chunks, [=] PEGRASP_HD(int k) {
    const int scene = k / b.chunks;
    const std::int64_t chunk = k % b.chunks;
    const int begin = first(scene);
    const std::int64_t count = first(scene + 1) - begin;
    Partial partial = no_partial();
    if (b.course[scene].active != 0) {
      const int end = begin + static_cast<int>(count * (chunk + 1) / b.chunks);
      for (int i = begin + static_cast<int>(count * chunk / b.chunks); i < end; ++i) f(scene, i, partial);
    }
    b.partial[k] = partial;
  });
  device.for_each(b.scenes * b.groups, [=] PEGRASP_HD(int k) {
    const int group = k % b.groups;
    const Partial* partial = b.partial + k / b.groups * b.chunks;
    b.group[k] = added(partial, b.chunks * group / b.groups, b.chunks * (group + 1) / b.groups);
  });
  device.for_each(b.scenes,
                  [=] PEGRASP_HD(int scene) { b.total[scene] = added(b.group + scene * b.groups, 0, b.groups); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

// SPDX-License-Identifier: Apache-2.0
// AJ (solver/accelerated_jacobi.hpp) on the step problems of a whole batch, as products with two sparse matrices and
// operations on vectors:
//
//   q = proj_K(y - (J v(y) + b + C y) / D~),   v(q) = v_free + M^-1 J^T q,   y+ = q + beta (q - p)
//
// J v is linear in the impulses, so that at y+ it is extrapolated from its values at q and p, and an iteration costs
// one product with each matrix. Each island has its own momentum and ends on its own, by the residual and the rule of
// the per-scene strategy. The numbers differ from those of that strategy by rounding, since products add in another
// order, and by what the tolerance leaves open.
#pragma once

#include "kernels/batch/islands.hpp"
#include "kernels/batch/probe.hpp"
#include "kernels/batch/warm_lists.hpp"
#include "kernels/solver/solve.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Block k of the batch, with its rows numbered over the batch.
PEGRASP_HD inline Block batch_block(const BatchView& b, int k) {
  const int scene = b.block_scene[k];
  Block block = b.scene[scene].blocks[k - b.block_first[scene]];
  block.first_row = b.block_height * k;
  if (b.squeezes != 0 && b.island_course[b.block_island[k]].probe == probe_runs) block.bound = 0;  // no friction
  return block;
}

// descend_block() for half of a coupling, whose velocity is that of both halves.
PEGRASP_HD inline Real descend_coupling(const BatchView& b, const Block& half, const Real* from, const Real* w,
                                        Real* to) {
  const int i = half.first_row;
  const int first = half.owner % 2 == 0 ? i : i - b.block_height;
  const int second = first + b.block_height;
  to[i] = descend(from[i], (w[first] + b.bias[first]) + (w[second] + b.bias[second]), b.scale[i]);
  return absolute(to[i] - from[i]) * b.scale[i];
}

// to = proj_K(from - (w + b + C from) / D~) for one block; w: J v at `from`. Returns the largest |to - from| D~ [m/s].
PEGRASP_HD inline Real descend_block(const BatchView& b, const Block& block, const Real* from, const Real* w,
                                     Real* to) {
  if (block.kind == block_coupling && block.row_count > 0) return descend_coupling(b, block, from, w, to);
  const int end = block.first_row + block.row_count;
  for (int i = block.first_row; i < end; ++i) {
    to[i] = descend(from[i], w[i] + b.bias[i] + b.compliance[i] * from[i], b.scale[i]);
  }
  project(block, to);
  Real largest = 0;
  for (int i = block.first_row; i < end; ++i) largest = max_or_nan(largest, absolute(to[i] - from[i]) * b.scale[i]);
  return largest;
}

// Scenes with so many joints solve them along their tree (kernels/solver/joint_tree.hpp): few hinges in a large heap
// are left to the iteration.
constexpr int least_tree = 5;

// Whether the block belongs to a tree of joints that is solved directly.
PEGRASP_HD inline bool in_tree(const BatchView& b, int k) {
  if (b.joints < least_tree) return false;
  const int scene = b.block_scene[k];
  return b.scene[scene].tally->tree != 0 && in_tree(b.scene[scene], k - b.block_first[scene]);
}

template <class Device>
void factor_trees(Device& device, const BatchView& b) {
  if (b.joints < least_tree) return;
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    const SceneView& s = b.scene[scene];
    s.tally->tree = b.course[scene].active != 0 && factor_tree(s) ? 1 : 0;
  });
}

// After body_velocities(): velocities with the tree's joints, whose impulses in x it sets, of bodies that are wanted.
template <class Device, class Wanted>
void hang_trees(Device& device, const BatchView& b, Real* x, const Wanted& wanted) {
  if (b.joints < least_tree) return;
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    const SceneView& s = b.scene[scene];
    if (s.tally->tree == 0) return;
    const int first = scene * b.bodies;
    hang_tree(s, x + b.block_height * b.block_first[scene], b.v + dof * first,
              [&](int body) { return wanted(first + body); });
  });
}

// Starts the impulses of block k from those of the last solve; rows that a block does not use stay 0.
PEGRASP_HD inline void start_block(const BatchView& b, int k) {
  const int scene = b.block_scene[k];
  const SceneView& s = b.scene[scene];
  const int local = k - b.block_first[scene];
  const Block& block = s.blocks[local];
  for (int i = b.block_height * k; i < b.block_height * (k + 1); ++i) b.p[i] = b.q[i] = b.w[i] = b.wq[i] = 0;
  if (!b.options.warm_start || in_tree(b, k)) return;
  const double ratio = b.course[scene].h / b.options.h;
  if (block.kind == block_contact) {
    const WarmRange kept = warm_range(s, s.pairs[s.contacts[local].pair]);
    warm_contact(s, local, ratio, kept.first, kept.last);
  } else {
    warm_drive(s, block, ratio);
  }
  project(block, s.p);
}

// After an iteration: an island stops, or goes on with this momentum. total: climb, change and defect over its blocks.
PEGRASP_HD inline void steer_island(const BatchView& b, int island, const Partial& total) {
  IslandCourse& c = b.island_course[island];
  if (c.solving == 2) {
    c.solving = 0;
    return;
  }
  ++c.iteration;
  const Real tolerance = static_cast<Real>(b.options.tolerance);
  const Real change = static_cast<Real>(total.most[0]);
  const Real defect = static_cast<Real>(total.most[1]);
  const bool solved = change <= tolerance && defect <= tolerance;
  const bool finite = is_finite(total.most[0]);
  c.takes = 0;
  c.beta = 0;
  c.action = action_advance;
  const bool ends = c.probe == probe_runs && steer_probe(c, solved, finite);
  if (ends) end_probe(c, probe_failed, c.suspect != 0 ? b.options.max_iterations : 0);
  const bool probes = c.probe == probe_runs;
  const bool spent = !probes && c.iteration >= c.limit;
  const bool no_turns = c.probe == probe_proved || c.iteration >= c.left || !may_be_jammed(b.options, c.smallest != 0);
  const bool gives_up = spent && (in_single_precision || c.turns == jammed_turns_of_large_scenes || no_turns);
  if (spent && c.squeezable != 0 && c.probe == probe_none && !solved && finite) {
    c.residual = total.most[1];
    return begin_probe(c);
  }
  if (!probes && (gives_up || (!ends && (solved || !finite)))) {
    c.solving = 2;
    if (!ends) c.residual = finite ? total.most[1] : total.most[0];
    return;
  }
  if (spent) {
    c.takes = 1;
    c.limit += jammed_iterations << c.turns++;
    c.theta = 1;
    return;
  }
  if (ends) return;
  if (total.sum[0] > 0.0) {
    c.theta = 1;
  } else {
    const Real next = Real(0.5) * (1 + root(1 + 4 * c.theta * c.theta));
    c.beta = (c.theta - 1) / next;
    c.theta = next;
  }
}

// What is still going on in a solve: an iteration looks at no more.
struct Going {
  Items blocks, bodies, pieces, islands;
};

// b.v = v_free + M^-1 J^T p on the bodies that are wanted.
template <class Device, class Wanted>
void body_velocities(Device& device, const BatchView& b, Items bodies, int blocks, const Real* p,
                     const Wanted& wanted) {
  if (b.block_height == low_block) {
    device.template multiply<dof, low_block>(b.response, bodies, blocks, p, b.free, b.v, wanted);
  } else {
    device.template multiply<dof, high_block>(b.response, bodies, blocks, p, b.free, b.v, wanted);
  }
}

// w = J b.v on the blocks that are wanted.
template <class Device, class Wanted>
void row_velocities(Device& device, const BatchView& b, Items blocks, Real* w, const Wanted& wanted) {
  const int bodies = b.scenes * b.bodies;
  if (b.block_height == low_block) {
    device.template multiply<low_block, dof>(b.jacobian, blocks, bodies, b.v, nullptr, w, wanted);
  } else {
    device.template multiply<high_block, dof>(b.jacobian, blocks, bodies, b.v, nullptr, w, wanted);
  }
}

// Finds for every scene whether any island goes on, the iterations of the island that has made most, and whether one
// has failed at the smallest substep.
template <class Device>
void look_at_islands(Device& device, const BatchView& b) {
  const auto bodies = [=] PEGRASP_HD(int scene) { return scene * b.bodies; };
  add_up(device, b, bodies, [=] PEGRASP_HD(int, int island, Partial& partial) {
    const IslandCourse& c = b.island_course[island];
    if (c.solving == 1) partial.sum[0] += 1.0;
    partial.most[0] = max_or_nan(partial.most[0], static_cast<double>(c.iteration));
    if (c.smallest != 0 && !(c.residual <= b.options.tolerance)) partial.most[1] = 1.0;
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { b.course[scene].solving = b.total[scene].sum[0] > 0.0; });
}

// Allows the contact of block k what the solve has left of its row (kernels/solver/jammed.hpp).
PEGRASP_HD inline void take_what_is_left(const BatchView& b, int k) {
  const Block block = batch_block(b, k);
  const int i = block.first_row;
  const int scene = b.block_scene[k];
  if (block.kind != block_contact) return;
  Contact& c = b.scene[scene].contacts[block.owner];
  b.bias[i] += allow_overlap(c, b.wq[i] + b.bias[i], jammed_turns_of_large_scenes, b.options, b.course[scene].h);
}

// A solve that failed in the end allows no overlap later.
PEGRASP_HD inline void allow_no_overlap(const BatchView& b, int k) {
  const int scene = b.block_scene[k];
  const Block block = batch_block(b, k);
  if (block.kind == block_contact) b.scene[scene].contacts[block.owner].allowed_overlap = 0.0;
}

template <class Device>
Going narrowed(Device& device, const BatchView& b, const Going& from) {
  const int bodies = b.scenes * b.bodies;
  const auto solving = [=] PEGRASP_HD(int island) { return b.island_course[island].solving; };
  Going to;
  to.blocks = device.narrowed(0, from.blocks, [=] PEGRASP_HD(int k) { return solving(b.block_island[k]) != 0; });
  to.bodies = device.narrowed(1, from.bodies, [=] PEGRASP_HD(int i) { return solving(b.island[i]) == 1; });
  to.pieces = device.narrowed(2, from.pieces,
                              [=] PEGRASP_HD(int i) { return solving(scene_of(b.piece_first, bodies, i)) == 1; });
  to.islands = device.narrowed(3, from.islands, [=] PEGRASP_HD(int i) { return solving(i) != 0; });
  return to;
}

// One iteration of AJ on the blocks, bodies and islands that go on.
template <class Device>
void iterate(Device& device, const BatchView& b, const Going& going, int blocks) {
  const auto block_goes_on = [=] PEGRASP_HD(int k) { return b.island_course[b.block_island[k]].solving == 1; };
  const auto body_goes_on = [=] PEGRASP_HD(int i) { return b.island_course[b.island[i]].solving == 1; };
  device.for_each(going.blocks, [=] PEGRASP_HD(int k) {
    if (!block_goes_on(k)) return;
    if (in_tree(b, k)) {
      for (int i = b.block_height * k; i < b.block_height * (k + 1); ++i) b.q[i] = 0;
      b.change[k] = b.climb[k] = 0;
      return;
    }
    b.change[k] = descend_block(b, batch_block(b, k), b.y, b.wy, b.q);
    Real climb = 0;
    for (int i = b.block_height * k; i < b.block_height * (k + 1); ++i) {
      climb += b.scale[i] * (b.y[i] - b.q[i]) * (b.q[i] - b.p[i]);
    }
    b.climb[k] = climb;
  });
  body_velocities(device, b, going.bodies, blocks, b.q, body_goes_on);
  hang_trees(device, b, b.q, body_goes_on);
  row_velocities(device, b, going.blocks, b.wq, block_goes_on);
  device.for_each(going.blocks, [=] PEGRASP_HD(int k) {
    if (!block_goes_on(k)) return;
    // The natural map, with its trial step in place of y, which is computed anew below.
    b.defect[k] = descend_block(b, batch_block(b, k), b.q, b.wq, b.y);
  });
  add_up_islands(
      device, b, going.pieces, going.islands,
      [=] PEGRASP_HD(int k, Partial& partial) {
        partial.sum[0] += static_cast<double>(b.climb[k]);
        partial.most[0] = max_or_nan(partial.most[0], static_cast<double>(b.change[k]));
        partial.most[1] = max_or_nan(partial.most[1], static_cast<double>(b.defect[k]));
      },
      [=] PEGRASP_HD(int island, const Partial& total) { steer_island(b, island, total); });
  if (b.squeezes != 0) device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { judge_probes(b, scene); });
  device.for_each(going.blocks, [=] PEGRASP_HD(int k) {
    const IslandCourse& c = b.island_course[b.block_island[k]];
    if (c.solving == 0) return;
    if (c.action != action_advance) act_on_block(b, k, c.action);
    if (c.takes != 0) take_what_is_left(b, k);
    if (c.solving == 2 && !(c.residual <= b.options.tolerance)) allow_no_overlap(b, k);
    if (c.action == action_begin_probe || c.action == action_end_probe) return;
    for (int i = b.block_height * k; i < b.block_height * (k + 1); ++i) {
      b.y[i] = b.q[i] + c.beta * (b.q[i] - b.p[i]);
      b.wy[i] = b.wq[i] + c.beta * (b.wq[i] - b.w[i]);
      b.p[i] = b.q[i];
      b.w[i] = b.wq[i];
    }
  });
}

// any: the island has blocks.
PEGRASP_HD inline IslandCourse course_at_the_start(const BatchView& b, int island, bool any) {
  IslandCourse c{};
  c.solving = any ? 1 : 0;
  c.limit = b.options.max_iterations;
  c.left = c.limit;
  c.theta = 1;
  const int of_step = b.step_island[island];
  if (!any || of_step >= no_island(b)) return c;
  const StepIsland& step = b.step[of_step];
  c.left = iterations_to_spend(*b.scene[island / b.bodies].tally, b.options, step.iterations, step.penetration);
  c.limit = most_iterations(options_of_solve(b.options, c.left));
  c.smallest = step.substeps.allowance(b.options).where(step.risk != 0) ? 0 : 1;
  c.squeezable = may_be_squeezed(b, island) ? 1 : 0;
  c.suspect = c.squeezable != 0 ? step.suspect : 0;
  if (c.suspect != 0) c.limit = 1;
  return c;
}

// Solves the linear system of a round. In: the system and the last impulses. Out: impulses in b.p, velocities in nu of
// every scene, residuals in the islands' courses.
template <class Device>
void solve(Device& device, const BatchView& b, int blocks) {
  const int bodies = b.scenes * b.bodies;
  const auto all = [=] PEGRASP_HD(int) { return true; };
  factor_trees(device, b);
  device.for_each(blocks, [=] PEGRASP_HD(int k) { start_block(b, k); });
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    for (int k = 0; k < dof; ++k) {
      b.free[dof * i + k] = static_cast<Real>(b.scene[scene].free_twist[dof * (i % b.bodies) + k]);
    }
  });
  device.for_each(bodies, [=] PEGRASP_HD(int island) {
    const bool any = b.island_first[island + 1] > b.island_first[island];
    b.island_course[island] = course_at_the_start(b, island, any);
  });
  if constexpr (requires { device.solve_islands(b); }) {  // a CPU
    if (b.options.solver == SolverKind::island_newton) device.solve_islands(b);
  }
  if (b.squeezes != 0) {
    body_velocities(device, b, {bodies}, blocks, b.q, all);  // of no impulses
    row_velocities(device, b, {blocks}, b.w_free, all);
  }
  body_velocities(device, b, {bodies}, blocks, b.p, all);
  hang_trees(device, b, b.p, [=] PEGRASP_HD(int) { return true; });
  row_velocities(device, b, {blocks}, b.w, all);
  device.for_each(b.block_height * blocks, [=] PEGRASP_HD(int i) {
    b.y[i] = b.p[i];
    b.wy[i] = b.w[i];
  });
  // Islands that are done stay as they are, so that it is enough to look for them now and then.
  Going going = narrowed(device, b, {{blocks}, {bodies}, {b.pieces}, {bodies}});
  const auto some_iterations = [&] {
    for (int i = 0; i < Device::iterations_a_look; ++i) iterate(device, b, going, blocks);
    look_at_islands(device, b);
    going = narrowed(device, b, going);
  };
  device.repeat(some_iterations, b.scenes, [=] PEGRASP_HD(int scene) { return b.course[scene].solving == 1; });
  body_velocities(device, b, {bodies}, blocks, b.p, all);
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    if (b.live[i] == 0) return;
    for (int k = 0; k < dof; ++k) {
      b.scene[scene].nu[dof * (i % b.bodies) + k] = static_cast<double>(b.v[dof * i + k]);
    }
  });
}

// Keeps the impulses that the next round starts from. fresh: one entry per block.
template <class Device>
void keep_warm(Device& device, const BatchView& b, int blocks, WarmContact* fresh) {
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    if (b.course[scene].active == 0) return;
    SceneTally& t = *b.scene[scene].tally;
    const Partial& total = b.total[scene];
    count_iterations(t, b.options, max2(1, static_cast<int>(total.most[0])), total.most[1] > 0.0);
    ++t.outcome.solves;
  });
  device.for_each(blocks, [=] PEGRASP_HD(int k) { keep_whole(b, k, fresh); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

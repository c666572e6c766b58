// SPDX-License-Identifier: Apache-2.0
// From near pairs to the linear system of a round: modes, contacts, blocks of rows, and the sparse matrices J and M^-1
// J^T. The numbers are computed by the functions of contact/; this file says where they go.
#pragma once

#include "kernels/batch/near_pairs.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Chooses the modes of all pairs and makes their contacts, in the order of the pairs.
template <class Device, class Buffers>
void make_contacts(Device& device, BatchView& b, Buffers& buffers) {
  const int pairs = buffers.pair_total;
  b.capacity_first = buffers.capacity_first.capacity(pairs + 1);
  b.contact_first = buffers.contact_first.capacity(pairs + 1);
  b.pair_end = buffers.pair_end.capacity(pairs);
  const BatchView chosen = b;
  device.for_each(pairs, [=] PEGRASP_HD(int i) {
    const int scene = scene_of(chosen.pair_first, chosen.scenes, i);
    const SceneView& s = chosen.scene[scene];
    const StepOptions options = attempt_options(chosen, scene);
    if (!pair_live(chosen, scene, chosen.pairs[i])) {
      chosen.pairs[i].contact_count = chosen.capacity_first[i] = 0;
      return;
    }
    mode_of_pass(s, chosen.pairs[i], chosen.pair_fresh[i] != 0, options);
    chosen.pair_fresh[i] = 0;
    reserve_contacts(s, i - chosen.pair_first[scene], options);
    chosen.capacity_first[i] = chosen.pairs[i].contact_count;
  });
  if (looks_ahead(b.options)) {
    device.for_each(chosen.scenes * chosen.bodies, [=] PEGRASP_HD(int i) {
      const int scene = i / chosen.bodies;
      const SceneView& s = chosen.scene[scene];
      if (chosen.live[i] == 0 || !s.present[i % chosen.bodies] || s.tally->pass != 0) return;
      look_ahead(s, i % chosen.bodies, chosen.course[scene].h);
    });
  }
  b.capacity = buffers.contact_capacity.capacity(device.scan(b.capacity_first, pairs));
  const BatchView sized = b;
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    SceneView& s = sized.scene[scene];
    const int first = sized.capacity_first[sized.pair_first[scene]];
    s.contacts = sized.capacity + first;
    const int demand = sized.capacity_first[sized.pair_first[scene + 1]] - first;
    s.tally->outcome.contacts_demand = max2(s.tally->outcome.contacts_demand, demand);
  });
  device.for_each(pairs, [=] PEGRASP_HD(int i) {
    const int scene = scene_of(sized.pair_first, sized.scenes, i);
    sized.pairs[i].first_contact = sized.capacity_first[i] - sized.capacity_first[sized.pair_first[scene]];
    write_contacts(sized.scene[scene], i - sized.pair_first[scene], attempt_options(sized, scene));
    sized.contact_first[i] = sized.pairs[i].contact_count;
  });
  device.scan(b.contact_first, pairs);
}

PEGRASP_HD inline int contacts_of(const BatchView& b, int scene) {
  return b.contact_first[b.pair_first[scene + 1]] - b.contact_first[b.pair_first[scene]];
}

// A joint has three blocks: its own, and those of the limits of its two freedoms.
constexpr int blocks_a_joint = 3;
PEGRASP_HD inline int count_drives(const ModelView& m) {
  return m.support_count + m.actuator_count + blocks_a_joint * m.joint_count + 2 * m.coupling_count;
}

// Block number `at` of a scene's joints.
PEGRASP_HD inline Block joint_block(const SceneView& s, int at, int first_row) {
  const int joint = at / blocks_a_joint;
  const int freedom = at % blocks_a_joint - 1;
  Block block{block_joint, first_row, 0, joint, 0, 0, Real(0)};
  if (freedom >= 0) {
    block.kind = block_limit;
    block.owner = 2 * joint + freedom;
  }
  if (!joint_present(s, joint)) return block;
  if (freedom < 0) {
    block.row_count = joint_rows_of(s.model->joint_kind[joint]);
  } else {
    block.row_count = has_limit(*s.model, joint, freedom) ? 1 : 0;
  }
  return block;
}

// The block of half `at` of a scene's couplings.
PEGRASP_HD inline Block coupling_block(const SceneView& s, int at, int first_row) {
  return {block_coupling, first_row, coupling_present(s, at / 2) ? 1 : 0, at, 0, 0, Real(0)};
}

// The block of a drive: a support point, a motor, a joint or half of a coupling. Drives of an absent body, and motors
// that are no servos, have no rows.
PEGRASP_HD inline Block drive_block(const SceneView& s, int drive, int first_row, double h) {
  const ModelView& m = *s.model;
  Block block{block_disc, first_row, 0, drive, 0, 0, Real(0)};
  if (drive < m.support_count) {
    if (s.present[m.support_body[drive]] == 0) return block;
    block.row_count = 2;
    block.bound = static_cast<Real>(support_bound(s, drive, h));
    return block;
  }
  const int actuator = drive - m.support_count;
  const int of_joint = actuator - m.actuator_count;
  const int half = of_joint - blocks_a_joint * m.joint_count;
  if (half >= 0) return coupling_block(s, half, first_row);
  if (of_joint >= 0) return joint_block(s, of_joint, first_row);
  block.kind = block_clamp;
  block.owner = actuator;
  if (!is_servo(m, actuator) || s.present[m.actuator_body[actuator]] == 0) return block;
  if (m.actuator_joint[actuator] >= 0 && !joint_present(s, m.actuator_joint[actuator])) return block;
  block.row_count = motor_rows_of(m, actuator);
  block.bound = static_cast<Real>(servo_bound(s, actuator, h));
  return block;
}

// Whether the bodies that a drive acts on take part in the round.
PEGRASP_HD inline bool drive_live(const BatchView& b, int scene, int drive) {
  const ModelView& m = *b.model;
  const auto live = [&](int body) { return b.live[scene * b.bodies + body] != 0; };
  if (drive < m.support_count) return live(m.support_body[drive]);
  const int actuator = drive - m.support_count;
  const int of_joint = actuator - m.actuator_count;
  const int half = of_joint - blocks_a_joint * m.joint_count;
  const int joint = half >= 0       ? m.coupling_joint[half]
                    : of_joint >= 0 ? of_joint / blocks_a_joint
                                    : m.actuator_joint[actuator];
  if (joint < 0) return live(m.actuator_body[actuator]);
  return live(m.joint_body_b[joint]) && (m.joint_body_a[joint] < 0 || live(m.joint_body_a[joint]));
}

// Packs contacts, numbers the blocks of every scene (contacts, then drives) and fills their rows.
template <class Device, class Buffers>
void make_blocks(Device& device, BatchView& b, Buffers& buffers) {
  const BatchView counted = b;
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    counted.block_first[scene] = counted.course[scene].active != 0 ? contacts_of(counted, scene) + counted.drives : 0;
  });
  const int blocks = buffers.block_total = device.scan(b.block_first, b.scenes);
  buffers.make_capacity(b, blocks);
  const BatchView sized = b;
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    SceneView& s = sized.scene[scene];
    const int first = sized.block_first[scene];
    s.contacts = sized.contacts + first;
    s.blocks = sized.blocks + first;
    s.rows = sized.rows + sized.block_height * first;
    s.p = sized.p + sized.block_height * first;
    SceneTally& t = *s.tally;
    t.contact_count = sized.course[scene].active != 0 ? contacts_of(sized, scene) : 0;
    t.block_count = sized.block_first[scene + 1] - first;
    t.row_count = sized.block_height * t.block_count;
  });
  device.for_each(buffers.pair_total, [=] PEGRASP_HD(int i) {
    const int scene = scene_of(sized.pair_first, sized.scenes, i);
    const SceneView& s = sized.scene[scene];
    NearPair& pair = sized.pairs[i];
    const Contact* from = sized.capacity + sized.capacity_first[i];
    const int local = sized.contact_first[i] - sized.contact_first[sized.pair_first[scene]];
    pair.first_contact = local;
    for (int k = 0; k < pair.contact_count; ++k) {
      s.contacts[local + k] = from[k];
      s.blocks[local + k] = {block_contact,
                             sized.block_height * (local + k),
                             from[k].mu > 0.0 ? friction_rows(s, pair) + 1 : 1,
                             local + k,
                             0,
                             0,
                             static_cast<Real>(from[k].mu)};
    }
  });
  device.for_each(blocks, [=] PEGRASP_HD(int k) {
    const int scene = scene_of(sized.block_first, sized.scenes, k);
    const SceneView& s = sized.scene[scene];
    const int local = k - sized.block_first[scene];
    const int drive = local - s.tally->contact_count;
    const StepOptions options = attempt_options(sized, scene);
    sized.block_scene[k] = scene;
    Block& block = s.blocks[local];
    if (drive >= 0) block = drive_block(s, drive, sized.block_height * local, options.h);
    if (drive >= 0 && !drive_live(sized, scene, drive)) block.row_count = 0;
    Row& row = s.rows[sized.block_height * local];
    row.body_a = row.body_b = 0;  // of a block without rows
    if (block.kind == block_contact && options.warm_start) {
      Contact& c = s.contacts[local];
      const WarmRange kept = warm_range(s, s.pairs[c.pair]);
      allow_overlap_as_before(s, c, kept.first, kept.last);
    }
    if (block.kind == block_contact && s.model->shells == shells_deflect) {
      Contact& c = s.contacts[local];
      const WarmRange kept = warm_range(s, s.pairs[c.pair]);
      take_deflection(s, c, kept.first, kept.last);
    }
    if (block.row_count > 0) block_rows(s, block, options);
  });
}

// Values of a block of J: the Jacobians of its rows to one of the two bodies (side). response_block: the same of M^-1
// J^T, transposed.
PEGRASP_HD inline void jacobian_block(const SceneView& s, const Block& block, int height, int side, Real* value) {
  for (int i = 0; i < height * dof; ++i) value[i] = 0;
  for (int i = 0; i < block.row_count; ++i) {
    const Row& row = s.rows[block.first_row + i];
    for (int k = 0; k < dof; ++k) value[dof * i + k] = side != 0 ? row.jb[k] : row.ja[k];
  }
}

PEGRASP_HD inline void response_block(const SceneView& s, const Block& block, int height, int side, Real* value) {
  for (int i = 0; i < height * dof; ++i) value[i] = 0;
  for (int i = 0; i < block.row_count; ++i) {
    const Row& row = s.rows[block.first_row + i];
    for (int k = 0; k < dof; ++k) value[height * k + i] = side != 0 ? row.wb[k] : row.wa[k];
  }
}

// Assembles J and M^-1 J^T. Every block has two places in J, in the order of the bodies; where it acts on one body
// only, the second holds zeros. M^-1 J^T has entries only on bodies that move, listed body by body in the order of the
// blocks.
template <class Device, class Buffers>
void assemble(Device& device, BatchView& b, Buffers& buffers) {
  const BatchView c = b;
  const int blocks = buffers.block_total;
  const int bodies = b.scenes * b.bodies;
  const int height = b.block_height;
  device.for_each(blocks, [=] PEGRASP_HD(int k) {
    const int scene = c.block_scene[k];
    const SceneView& s = c.scene[scene];
    const Block& block = s.blocks[k - c.block_first[scene]];
    const Row& row = s.rows[block.first_row];
    const int side_body[2] = {row.body_a, row.body_b};
    for (int side = 0; side < 2; ++side) {
      const int body = side_body[side];
      const bool counts = is_dynamic(s, body) && (side == 0 || row.body_b != row.body_a);
      c.entry_body[2 * k + side] = counts ? scene * c.bodies + body : bodies;
      c.jacobian.column[2 * k + side] = scene * c.bodies + body;
      jacobian_block(s, block, height, side, c.jacobian.value + height * dof * (2 * k + side));
    }
    c.jacobian.first[k] = 2 * k;
    if (k == blocks - 1) c.jacobian.first[blocks] = 2 * blocks;
  });
  device.group(c.entry_body, 2 * blocks, bodies + 1, c.response.first, c.entry);
  b.jacobian.entries = 2 * blocks;
  device.read(&b.response.entries, c.response.first + bodies, 1);
  device.for_each(2 * blocks, [=] PEGRASP_HD(int i) {
    const int k = c.entry[i] / 2;
    const int scene = c.block_scene[k];
    const SceneView& s = c.scene[scene];
    c.response.column[i] = k;
    response_block(s, s.blocks[k - c.block_first[scene]], height, c.entry[i] % 2, c.response.value + height * dof * i);
  });
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / c.bodies;
    int rows = 0;
    for (int e = c.response.first[i]; e < c.response.first[i + 1]; ++e) {
      rows += c.scene[scene].blocks[c.entry[e] / 2 - c.block_first[scene]].row_count;
    }
    c.body_rows[i] = rows;
  });
  device.for_each(blocks, [=] PEGRASP_HD(int k) {
    const int scene = c.block_scene[k];
    const SceneView& s = c.scene[scene];
    const Block& block = s.blocks[k - c.block_first[scene]];
    const int* body_rows = c.body_rows + scene * c.bodies;
    scale_block(s, block, [body_rows](int body) { return body_rows[body]; });
    for (int i = 0; i < height; ++i) {
      const Row& row = s.rows[block.first_row + i];
      const bool used = i < block.row_count;
      c.bias[height * k + i] = used ? row.bias : Real(0);
      c.compliance[height * k + i] = used ? row.compliance : Real(0);
      c.scale[height * k + i] = used ? row.scale : Real(0);
    }
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

// SPDX-License-Identifier: Apache-2.0
// Reads the contacts and rows that a step ends with out of a scene, island by island. A worker that nobody watches has
// none of it.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/step/run_scene.hpp"
#include "pegrasp/step_report.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

class StepWatch {
 public:
  // An island, or in 2D the scene, has come to the end of the step: arrays of the scene are those of its last substep.
  void see(const SceneView& s) {
    Island island;
    island.first_body = has_islands ? s.tally->islands.island : 0;
    std::erase_if(islands_, [&](const Island& one) { return one.first_body == island.first_body; });
    for (int k = 0; k < s.tally->block_count; ++k) {
      const Block& block = s.blocks[k];
      if (block.kind == block_contact) {
        island.contents.contacts.push_back(contact_of(s, block));
      } else {
        add_rows(s, block, island.contents.rows);
      }
    }
    islands_.push_back(std::move(island));
  }

  // Islands that were undone, since they merged with others later in the step, do not count.
  StepContents contents(const SceneView& s) const {
    StepContents all;
    for (const Island& island : islands_) {
      if (has_islands && s.island_of[island.first_body] != island.first_body) continue;
      const StepContents& some = island.contents;
      all.contacts.insert(all.contacts.end(), some.contacts.begin(), some.contacts.end());
      all.rows.insert(all.rows.end(), some.rows.begin(), some.rows.end());
    }
    return all;
  }

 private:
  struct Island {
    int first_body = 0;
    StepContents contents;
  };

  static constexpr int directions = is_spatial ? 3 : 2;
  template <class Vector>
  static Vec3 world(const Vector& v) {
    if constexpr (is_spatial) {
      return {v.x, v.y, v.z};
    } else {
      return {v.x, v.y, 0.0};
    }
  }

  static ContactFeature feature_of(int key) {
    const int type = mode_type(key) & 3;  // bits above tell keys of one feature pair apart
    constexpr int planar_arcs = 2;        // mode_arcs, a name that 3D does not have
    if (!is_spatial && type == planar_arcs) return ContactFeature::round;
    return static_cast<ContactFeature>(type);
  }

  static ContactReport contact_of(const SceneView& s, const Block& block) {
    const Contact& c = s.contacts[block.owner];
    ContactReport out;
    out.body_a = c.body_a;
    out.body_b = c.body_b;
    out.part_a = s.pairs[c.pair].part_a;
    out.part_b = s.pairs[c.pair].part_b;
    out.feature = feature_of(c.key);
    out.point = world(c.at);
    out.normal = world(c.push);
    out.gap = c.gap;
    out.friction = c.mu;
    out.normal_impulse = static_cast<double>(s.p[block.first_row]);
    double along[3] = {0.0, 0.0, 0.0};
    for (int i = block.first_row + 1; i < block.first_row + block.row_count; ++i) {
      // Of rows of moments the linear part is 0.
      for (int k = 0; k < directions; ++k)
        along[k] += static_cast<double>(s.p[i]) * static_cast<double>(s.rows[i].jb[k]);
    }
    out.tangential_impulse = {along[0], along[1], along[2]};
    out.duration = s.tally->kick;
    return out;
  }

  static void add_rows(const SceneView& s, const Block& block, std::vector<RowReport>& rows) {
    RowReport out;
    out.index = block.owner;
    out.bound = static_cast<double>(block.bound);
    out.duration = s.tally->kick;
    switch (block.kind) {
      case block_disc:
        out.kind = RowKind::support;
        break;
      case block_clamp:
        out.kind = RowKind::motor;
        break;
      case block_limit:
        out.kind = RowKind::limit;
        out.index = block.owner / 2;
        break;
      default:
        out.kind = RowKind::joint;
        break;
    }
    for (int i = 0; i < block.row_count; ++i) {
      out.row = block.kind == block_limit ? block.owner % 2 : i;
      out.impulse = static_cast<double>(s.p[block.first_row + i]);
      rows.push_back(out);
    }
  }

  std::vector<Island> islands_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC

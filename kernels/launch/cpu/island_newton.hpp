// SPDX-License-Identifier: Apache-2.0
// Newton's method (solver/newton.hpp) on the islands of a solve of the batched strategy, each by itself, with a sparse
// elimination (fronts.hpp) in place of the dense one, which holds a few dozen bodies. What it solves AJ only checks
// (kernels/batch/solve.hpp); where it fails AJ begins from the last impulses, as it does without it.
//
// An island is copied into a scene of its own: its bodies get numbers from 0 on, and bodies that it does not move are
// one that has no velocity, with what they add to a row in the row's bias. Islands are shared out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "kernels/batch/batch_view.hpp"
#include "kernels/launch/cpu/fronts.hpp"
#include "kernels/launch/cpu/thread_crew.hpp"
#include "kernels/solver/accelerated_jacobi.hpp"
#include "kernels/solver/soft_newton.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A thread that eliminates by fronts: newton.hpp calls the functions below for it instead of its own.
struct IslandTeam : SerialTeam {
  Fronts* fronts;
  const std::atomic<bool>* stop;
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

inline void order_nodes(IslandTeam&, const SceneView&) {}  // done once an island

inline bool newton_step(IslandTeam& team, const SceneView& s, const NewtonVectors& n, Real stiffness) {
  for (int k = 0; k < s.tally->block_count; ++k) block_gradient(s, k, n.y);
  Fronts& fronts = *team.fronts;
  const auto originals = [&](int node) {
    for (int e = s.body_first_row[node]; e < s.body_first_row[node + 1]; ++e) {
      const int entry = s.body_row[e];
      const Row& row = s.rows[entry >> 1];
      if (s.row_gradient[entry >> 1].active == 0) continue;
      const RowShare share = row_share(s, entry);
      fronts.add_to(node, node, share.w, share.mine);
      const int other = s.model->body_node[(entry & 1) != 0 ? row.body_a : row.body_b];
      if (other < 0 || !fronts.comes_later(other, node)) continue;
      fronts.add_to(node, other, share.w, share.theirs);
      fronts.add_to(other, node, (entry & 1) != 0 ? row.wa : row.wb, share.mine);
    }
  };
  if (!fronts.solve(stiffness, s.newton_residual, originals)) return false;
  for (int i = 0; i < dof * s.model->node_count; ++i) n.v[i] -= s.newton_residual[i];
  return true;
}

// An island as a scene of its own, and the memory for it.
class IslandScene {
 public:
  // Solves the island from the impulses in b.p, and sets them; returns the Newton steps. Islands with joints are left
  // to AJ.
  int solve(const BatchView& b, int island, const std::atomic<bool>* stop) {
    if (!take(b, island)) return 0;
    const int steps = solve_rounds(b.options, stop);
    if (solved_) give(b);
    return steps;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  template <class T>
  static T* room(std::vector<T>& x, int count) {
    if (x.size() < at(count)) x.resize(std::max(at(count), x.size() + x.size() / 2));
    return x.data();
  }

  // The number in the island of a body of the batch; that of none for one that the island does not move.
  int number_of(int body, int none) {
    if (body == none) return -1;
    int& number = number_[at(body)];
    if (number < 0) {
      number = static_cast<int>(bodies_.size());
      bodies_.push_back(body);
    }
    return number;
  }

  // Copies the island. False for one with joints.
  bool take(const BatchView& b, int island) {
    const int none = b.scenes * b.bodies;
    number_.resize(at(none), -1);
    bodies_.clear();
    sources_.clear();
    int rows = 0;
    bool plain = true;
    for (int i = b.island_first[island]; i < b.island_first[island + 1]; ++i) {
      const int k = b.island_block[i];
      const Block& block = b.blocks[k];
      if (block.row_count == 0) continue;
      plain = plain && !is_bilateral(block) && block.kind != block_limit && block.alternative_count == 0;
      sources_.push_back(k);
      rows += block.row_count;
      for (int side = 0; side < 2; ++side) number_of(b.entry_body[2 * k + side], none);
    }
    if (plain && rows > 0) {
      make_scene(rows);
      for (int k = 0; k < tally_.block_count; ++k) copy_block(b, k, none);
      copy_bodies(b);
    }
    for (const int body : bodies_) number_[at(body)] = -1;
    return plain && rows > 0;
  }

  void make_scene(int rows) {
    const int blocks = static_cast<int>(sources_.size());
    const int bodies = static_cast<int>(bodies_.size());
    tally_ = SceneTally{};
    tally_.block_count = blocks;
    tally_.row_count = 0;
    tally_.islands.active_count = -1;  // all bodies
    model_ = ModelView{};
    int* const node = room(node_, bodies + 1);
    for (int i = 0; i < bodies; ++i) node[i] = i;
    node[bodies] = -1;
    model_.body_count = bodies + 1;
    model_.node_count = bodies;
    model_.body_node = node;
    s_ = SceneView{};
    s_.model = &model_;
    s_.tally = &tally_;
    s_.rows = room(rows_, rows);
    s_.blocks = room(blocks_, blocks);
    s_.block_state = room(states_, 2 * blocks);
    s_.block_wanted = s_.block_state + blocks;
    s_.row_block = room(row_block_, rows);
    s_.body_first_row = room(first_row_, bodies + 2);
    s_.body_row = room(body_row_, 2 * rows);
    s_.row_penalty = room(penalty_, rows);
    s_.row_gradient = room(gradient_, rows);
    SolverReal* vector = room(row_vectors_, 5 * rows);
    for (SolverReal** x : {&s_.p, &s_.p_trial, &s_.p_other, &s_.p_newton, &s_.direction}) {
      *x = vector;
      vector += rows;
    }
    vector = room(body_vectors_, 4 * dof * (bodies + 1));
    for (SolverReal** x : {&s_.v, &s_.v_trial, &s_.v_other, &s_.newton_residual}) {
      *x = vector;
      vector += dof * (bodies + 1);
    }
    s_.free_twist = room(free_, dof * (bodies + 1));
    s_.newton_matrix = s_.newton_residual;  // not null: Newton's method has what it needs
  }

  void copy_block(const BatchView& b, int k, int none) {
    const int from = sources_[at(k)];
    Block& block = s_.blocks[k];
    block = batch_block(b, from);
    const int first = b.block_height * from;
    const int scene = b.block_scene[from];
    block.first_row = tally_.row_count;
    const int side[2] = {number_of(b.entry_body[2 * from], none), number_of(b.entry_body[2 * from + 1], none)};
    const int still = model_.node_count;
    for (int i = 0; i < block.row_count; ++i) {
      Row& row = s_.rows[tally_.row_count];
      row = b.rows[first + i];
      row.bias = b.bias[first + i];
      if (side[0] < 0) row.bias += set_aside(row.ja, row.wa, b.free + dof * (scene * b.bodies + row.body_a));
      if (side[1] < 0) row.bias += set_aside(row.jb, row.wb, b.free + dof * (scene * b.bodies + row.body_b));
      row.body_a = side[0] < 0 ? still : side[0];
      row.body_b = side[1] < 0 ? still : side[1];
      s_.row_block[tally_.row_count] = k;
      s_.p[tally_.row_count] = b.p[first + i];
      ++tally_.row_count;
    }
  }

  // What a body with this velocity adds to the row's; leaves the row nothing on it.
  static Real set_aside(Real* j, Real* w, const Real* v) {
    Real sum = 0;
    for (int i = 0; i < dof; ++i) {
      sum += j[i] * v[i];
      j[i] = w[i] = 0;
    }
    return sum;
  }

  // Velocities, which rows act on a body, and the order of elimination.
  void copy_bodies(const BatchView& b) {
    const int bodies = model_.node_count;
    for (int i = 0; i < dof * bodies; ++i) {
      s_.free_twist[i] = static_cast<double>(b.free[dof * bodies_[at(i / dof)] + i % dof]);
    }
    for (int i = dof * bodies; i < dof * (bodies + 1); ++i) s_.free_twist[i] = 0.0;
    std::fill(s_.body_first_row, s_.body_first_row + bodies + 2, 0);
    for (int i = 0; i < tally_.row_count; ++i) {
      for (const int body : {s_.rows[i].body_a, s_.rows[i].body_b}) {
        if (body < bodies) ++s_.body_first_row[body + 2];
      }
    }
    for (int i = 0; i < bodies; ++i) s_.body_first_row[i + 2] += s_.body_first_row[i + 1];
    for (int i = 0; i < tally_.row_count; ++i) {
      for (int side = 0; side < 2; ++side) {
        const int body = side == 0 ? s_.rows[i].body_a : s_.rows[i].body_b;
        if (body < bodies) s_.body_row[s_.body_first_row[body + 1]++] = 2 * i + side;
      }
    }
    s_.body_first_row[bodies + 1] = s_.body_first_row[bodies];
    fronts_.begin(bodies);
    for (int k = 0; k < tally_.block_count; ++k) {
      const Row& row = s_.rows[s_.blocks[k].first_row];
      if (row.body_a < bodies && row.body_b < bodies && row.body_a != row.body_b) fronts_.link(row.body_a, row.body_b);
    }
    fronts_.order();
  }

  // Newton from the last impulses, then rounds of AJ and Newton. Each goes on from what the one before has left, which
  // islands that are nearly jammed need: their impulses grow for long before something gives.
  int solve_rounds(const StepOptions& options, const std::atomic<bool>* stop) {
    constexpr int steps_of_a_start = 96, steps_of_a_round = 48;
    constexpr int first_round = 64, rounds = 5;
    IslandTeam team{{}, &fronts_, stop};
    const Real tolerance = static_cast<Real>(options.tolerance);
    solved_ = false;
    velocities(team, s_, s_.p, s_.v);
    Real residual = natural_residual(team, s_, s_.p, s_.v, s_.p_trial);
    if (residual <= Real(0.1) * tolerance) return 0;
    const bool slips = has_friction(s_);
    int used = 0;
    // Newton from s.p; where that fails s.p is what has come nearest to an answer.
    const auto attempt = [&](int steps, Real stiffness) {
      const SolveReport report = slips ? solve_soft_newton(team, s_, options, steps, residual)
                                       : solve_newton(team, s_, options, steps, stiffness);
      used += report.iterations;
      solved_ = report.residual <= tolerance;
      if (solved_) return;
      velocities(team, s_, s_.p_newton, s_.v_other);
      const Real left = natural_residual(team, s_, s_.p_newton, s_.v_other, s_.p_trial);
      if (!(left < residual)) return;
      residual = left;
      for (int i = 0; i < tally_.row_count; ++i) s_.p[i] = s_.p_newton[i];
      for (int i = 0; i < dof * model_.node_count; ++i) s_.v[i] = s_.v_other[i];
    };
    attempt(steps_of_a_start, warm_stiffness);
    for (int round = 0; round < rounds && !solved_ && !team.stopped(); ++round) {
      const SolveReport report = solve_accelerated_jacobi(team, s_, options, first_round << round);
      used += report.iterations;
      residual = report.residual;
      solved_ = report.residual <= tolerance;
      if (solved_ || !is_finite(static_cast<double>(report.residual))) break;
      attempt(steps_of_a_round, round % 2 == 0 ? cold_stiffness : warm_stiffness);
    }
    return used;
  }

  void give(const BatchView& b) const {
    for (int k = 0; k < tally_.block_count; ++k) {
      const Block& block = s_.blocks[k];
      std::copy_n(s_.p + block.first_row, block.row_count, b.p + b.block_height * sources_[at(k)]);
    }
  }

  Fronts fronts_;
  ModelView model_{};
  SceneTally tally_{};
  SceneView s_{};
  bool solved_ = false;
  std::vector<int> number_;   // of a body of the batch, -1: none yet
  std::vector<int> bodies_;   // of the batch, by their numbers
  std::vector<int> sources_;  // blocks of the batch
  std::vector<int> node_, states_, row_block_, first_row_, body_row_;
  std::vector<Row> rows_;
  std::vector<Block> blocks_;
  std::vector<RowPenalty> penalty_;
  std::vector<RowGradient> gradient_;
  std::vector<SolverReal> row_vectors_, body_vectors_;
  std::vector<double> free_;
};

class IslandNewton {
 public:
  // Solves all islands that are to be solved, and are not suspected of having no solution.
  void solve(ThreadCrew& crew, const std::atomic<bool>* stop, const BatchView& b) {
    islands_.clear();
    for (int i = 0; i < b.scenes * b.bodies; ++i) {
      if (b.island_course[i].solving == 1 && b.island_course[i].suspect == 0) islands_.push_back(i);
    }
    // Large ones first, so that no thread is left alone with one.
    const auto blocks = [&](int island) { return b.island_first[island + 1] - b.island_first[island]; };
    std::stable_sort(islands_.begin(), islands_.end(), [&](int i, int k) { return blocks(i) > blocks(k); });
    const int pieces = std::min(crew.size(), static_cast<int>(islands_.size()));
    if (scenes_.size() < static_cast<std::size_t>(pieces)) scenes_.resize(static_cast<std::size_t>(pieces));
    std::atomic<std::size_t> next{0};
    crew.share(pieces, [&](int piece) {
      for (std::size_t i = next++; i < islands_.size(); i = next++) {
        const int island = islands_[i];
        b.island_course[island].iteration += scenes_[static_cast<std::size_t>(piece)].solve(b, island, stop);
      }
    });
  }

 private:
  std::vector<int> islands_;
  std::vector<IslandScene> scenes_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC

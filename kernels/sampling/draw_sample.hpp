// SPDX-License-Identifier: Apache-2.0
// One sample: the base parameters, moved by the grid, with every uncertain number drawn. Compiled for the host and for
// a device, strict alone, so that a sample is the same bits wherever it is drawn.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sampling/distribution.hpp"
#include "kernels/sampling/joint_offset.hpp"
#include "kernels/sampling/rotation.hpp"
#include "kernels/sampling/sobol.hpp"
#include "kernels/sampling/tripod.hpp"

namespace pegrasp {

// What is added to or written over parameters, slot by slot: slot = (add ? slot : 0) + factor * number.
struct TargetsView {
  const int* slot;
  const double* factor;
  int count;
  int add;
};

// An uncertain number, a column of the results.
struct NumberView {
  int distribution;
  std::uint32_t stream;
  TargetsView targets;
  int dimension;       // of the Sobol' sequence; -1: it is drawn from random words
  int member_count;    // of a correlation; 0: it depends on no other
  const int* members;  // (member_count) numbers, among which is this one
  const double* root;  // (member_count): its score is the sum of root[k] times the independent score of members[k]
};

// An uncertain support tripod: eleven columns.
struct TripodView {
  int radius, turn, load[3];  // distributions
  std::uint32_t stream;
  double gravity;  // [m/s^2]
  int mass;        // slot of the body's
  int point[3];    // slots of the points' x, followed by y and, if they carry loads, by the load
  int carries;     // 1: the load is a parameter; in 3D statics shares out the weight
};
constexpr int tripod_columns = 11;

// The error of a pose that a cell sets: six columns, or none.
struct PoseErrorView {
  int columns;
  std::uint32_t stream;
  int pose, tilt;  // slots of the body's
  int own;         // 1: along the body's axes, 0: along `axes`
  int dimension;   // of the Sobol' sequence, of the first number; -1: there is none
  double axes[9];  // rows of the rotation
  double lever[3];
  const double* mean;  // (6)
  const double* root;  // (6, 6), lower triangle
  int offset_count;    // 0: it is drawn from mean and root
  int weight_count;
  const double* offsets;  // (offset_count, 6)
  const double* weights;
};
constexpr int pose_error_columns = 6;

// All that drawing needs, as plain arrays (src/sampling/sampler.cpp makes them).
struct SamplePlanView {
  std::uint64_t seed;
  int parameter_count, column_count;
  int number_count, tripod_count, joint_offset_count;
  int columns, rows;   // of the grid; 0: there is none
  int listed;          // 1: cell i is at x[i], y[i] ...
  int first_cell;      // ... and draws as this cell + i; 0
  const double* base;  // (parameter_count)
  const double* x;     // (columns)
  const double* y;     // (rows)
  TargetsView x_targets, y_targets;
  int cell_slot_count;       // parameters that each cell sets
  const int* cell_slot;      // (cell_slot_count)
  const double* cell_value;  // (rows, cell_slot_count); a cell's row is cell / cells_each
  int cells_each;
  PoseErrorView error;
  int replicates;         // of a Sobol' sequence in a cell; 0: there is none
  const int* directions;  // (dimensions, sobol_bits)
  const DistributionView* distributions;
  const NumberView* numbers;             // (number_count)
  const TripodView* tripods;             // (tripod_count)
  const JointOffsetView* joint_offsets;  // (joint_offset_count)
  // where all pointers but those to lists lead
  const double* reals;
  const int* slots;
  int real_count, slot_count, distribution_count;
};

// Draws from a plan's distributions for a tripod's loads.
template <class Words>
struct DrawLoad {
  const DistributionView* distributions;
  const int* load;
  const Words& words;
  PEGRASP_HD double operator()(int k, const DrawKey& key) const { return draw_of(distributions, load[k], key, words); }
};

PEGRASP_HD inline void put(const TargetsView& targets, double number, double* parameters) {
  for (int i = 0; i < targets.count; ++i) {
    double& slot = parameters[targets.slot[i]];
    slot = (targets.add != 0 ? slot : 0.0) + targets.factor[i] * number;
  }
}

// The word that decides a draw.
template <class Words>
PEGRASP_HD inline std::uint64_t word_of(const SamplePlanView& plan, int dimension, const DrawKey& key,
                                        const Words& words) {
  if (dimension < 0) return words(key).first;
  return sobol_word(plan.directions + sobol_bits * dimension, plan.replicates, key);
}

// The standard normal score of a number that depends on others.
template <class Words>
PEGRASP_HD inline double correlated_score(const SamplePlanView& plan, const NumberView& number, DrawKey key,
                                          const Words& words) {
  double score = 0.0;
  for (int k = 0; k < number.member_count; ++k) {
    const NumberView& member = plan.numbers[number.members[k]];
    if (number.root[k] == 0.0) continue;
    key.stream = member.stream;
    score += number.root[k] * portable::normal_quantile(unit_open(word_of(plan, member.dimension, key, words)));
  }
  return portable::clamp(score, -farthest_score, farthest_score);
}

template <class Words>
PEGRASP_HD inline double draw_number(const SamplePlanView& plan, const NumberView& number, DrawKey key,
                                     const Words& words) {
  key.stream = number.stream;
  const DistributionView& d = plan.distributions[drawn_simple(plan.distributions, number.distribution, key, words)];
  if (!takes_word(d)) return certain_value(d, key.sample);
  if (number.member_count > 0) return draw_at_score(d, correlated_score(plan, number, key, words));
  return draw_at(d, word_of(plan, number.dimension, deciding_key(d, key), words));
}

// values: (tripod_columns). Returns how often the loads were redrawn, -1 when no loads were found.
template <class Words>
PEGRASP_HD inline int draw_tripod(const SamplePlanView& plan, const TripodView& tripod, DrawKey key, const Words& words,
                                  double* parameters, double* values) {
  key.stream = tripod.stream;
  const double radius = draw_of(plan.distributions, tripod.radius, key, words);
  key.stream = tripod.stream + 1;
  const double turn = draw_of(plan.distributions, tripod.turn, key, words);
  double load[3] = {0.0, 0.0, 0.0};
  const std::uint32_t redrawn = draw_until_carried(DrawLoad<Words>{plan.distributions, tripod.load, words},
                                                   words.redraws, tripod.stream, key, load);
  const TripodPoints points = points_on_circle(radius, turn, load, parameters[tripod.mass] * tripod.gravity);
  values[0] = radius;
  values[1] = turn;
  for (int k = 0; k < 3; ++k) {
    double* const at = parameters + tripod.point[k];
    values[2 + 3 * k] = at[0] = points.x[k];
    values[3 + 3 * k] = at[1] = points.y[k];
    values[4 + 3 * k] = points.load[k];
    if (tripod.carries != 0) at[2] = points.load[k];
  }
  return redrawn < words.redraws ? static_cast<int>(redrawn) : -1;
}

// Draws the error of a pose and adds it to the pose that the cell has set. values: (pose_error_columns).
template <class Words>
PEGRASP_HD inline void draw_pose_error(const SamplePlanView& plan, DrawKey key, const Words& words, double* parameters,
                                       double* values) {
  const PoseErrorView& e = plan.error;
  if (e.offset_count > 0) {
    key.stream = e.stream;
    const int k =
        pick(e.weights, e.weight_count, e.offset_count, unit_open_below(word_of(plan, e.dimension, key, words)));
    for (int i = 0; i < pose_error_columns; ++i) values[i] = e.offsets[pose_error_columns * k + i];
  } else {
    double z[pose_error_columns];
    for (int i = 0; i < pose_error_columns; ++i) {
      key.stream = e.stream + static_cast<std::uint32_t>(i);
      z[i] = portable::normal_quantile(unit_open(word_of(plan, e.dimension < 0 ? -1 : e.dimension + i, key, words)));
    }
    for (int i = 0; i < pose_error_columns; ++i) {
      values[i] = e.mean[i];
      for (int j = 0; j <= i; ++j) values[i] += e.root[pose_error_columns * i + j] * z[j];
    }
  }
  double body[9], shift[3], turn[3], lever[3];
  rotation_rows(parameters + e.pose + 3, body);
  const double* const along = e.own != 0 ? body : e.axes;
  rotated(along, values, shift);
  rotated(along, values + 3, turn);
  rotated(body, e.lever, lever);
  const double swung[3] = {turn[1] * lever[2] - turn[2] * lever[1], turn[2] * lever[0] - turn[0] * lever[2],
                           turn[0] * lever[1] - turn[1] * lever[0]};
  for (int i = 0; i < 3; ++i) {
    parameters[e.pose + i] += shift[i] - swung[i];
    parameters[e.tilt + i] += turn[i];
  }
}

// parameters: (parameter_count), overwritten; values: (column_count). Returns how many tripods were redrawn, or -1 - i
// when no loads were found that tripod i could carry: parameters and values are then of no use.
template <class Words>
PEGRASP_HD inline int draw_sample(const SamplePlanView& plan, std::uint32_t cell, std::uint32_t sample,
                                  const Words& words, double* parameters, double* values) {
  for (int i = 0; i < plan.parameter_count; ++i) parameters[i] = plan.base[i];
  if (plan.cell_slot_count > 0) {
    const std::size_t row = cell / static_cast<std::uint32_t>(plan.cells_each);
    const double* const value = plan.cell_value + row * static_cast<std::size_t>(plan.cell_slot_count);
    for (int i = 0; i < plan.cell_slot_count; ++i) parameters[plan.cell_slot[i]] = value[i];
  }
  DrawKey key{plan.seed, cell + static_cast<std::uint32_t>(plan.first_cell), sample, 0, 0};
  for (int i = 0; i < plan.number_count; ++i) {
    const NumberView& number = plan.numbers[i];
    values[i] = draw_number(plan, number, key, words);
    put(number.targets, values[i], parameters);
  }
  for (int i = 0; i < plan.joint_offset_count; ++i) {
    move_joint(plan.joint_offsets[i], values, plan.slots, parameters);
  }
  // after the draws, which may have written the poses that follow the grid
  if (plan.columns > 0) {
    const auto columns = static_cast<std::uint32_t>(plan.columns), rows = static_cast<std::uint32_t>(plan.rows);
    put(plan.x_targets, plan.x[plan.listed != 0 ? cell : cell % columns], parameters);
    put(plan.y_targets, plan.y[plan.listed != 0 ? cell : cell / columns % rows], parameters);
  }
  if (plan.error.columns > 0) draw_pose_error(plan, key, words, parameters, values + plan.number_count);
  int redrawn = 0;
  for (int i = 0; i < plan.tripod_count; ++i) {
    double* const own = values + plan.number_count + plan.error.columns + tripod_columns * i;
    const int one = draw_tripod(plan, plan.tripods[i], key, words, parameters, own);
    if (one < 0) return -1 - i;
    redrawn += one;
  }
  return redrawn;
}

// From random words.
PEGRASP_HD inline int draw_sample(const SamplePlanView& plan, std::uint32_t cell, std::uint32_t sample,
                                  double* parameters, double* values) {
  return draw_sample(plan, cell, sample, PhiloxWords{most_redraws}, parameters, values);
}

}  // namespace pegrasp

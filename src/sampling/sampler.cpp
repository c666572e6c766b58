// SPDX-License-Identifier: Apache-2.0
// Converts the uncertainties of a problem to the plain arrays from which kernels/sampling/draw_sample.hpp draws.
#include "pegrasp/sampler.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/sampling/draw_sample.hpp"
#include "kernels/sampling/sample_plan.hpp"
#include "src/geometry/placement.hpp"
#include "src/sampling/distributions.hpp"
#include "src/sampling/sobol_directions.hpp"
#include "src/sampling/support_tripod.hpp"

namespace pegrasp {
namespace {

// All numbers of a plan in one array. Pointers into the array are made after the last number is added.
struct Pool {
  std::vector<double> reals;
  std::vector<int> slots;

  std::size_t add(std::span<const double> numbers) {
    reals.insert(reals.end(), numbers.begin(), numbers.end());
    return reals.size() - numbers.size();
  }
};

struct PlacedTargets {
  std::size_t slot, factor;
  TargetsView view;
};

struct PlacedDistribution {
  std::size_t values, weights;
  DistributionView view;
};

// Frame a of the joint as JointOffsetView has it: in the frame of a body where the scene describes it, or for -1 in the
// frame that the joint gives it in.
std::vector<double> joint_axis(const SceneSpec& scene, int body, const JointSpec& joint) {
  if (scene.spatial) {
    const SpatialPose& own = joint.spatial().a;
    const SpatialPose a = body < 0 ? own : start_pose(scene.bodies[static_cast<std::size_t>(body)].spatial()) * own;
    return {a.position.x, a.position.y, a.position.z, a.turn.w, a.turn.x, a.turn.y, a.turn.z};
  }
  const Pose own = joint.planar().a;
  const Pose base = body < 0 ? Pose{} : scene.bodies[static_cast<std::size_t>(body)].planar().pose;
  const strict::SinCos of = strict::sin_cos(base.theta), axis = strict::sin_cos(base.theta + own.theta);
  return {base.x + of.cos * own.x - of.sin * own.y, base.y + of.sin * own.x + of.cos * own.y, axis.cos, axis.sin};
}

}  // namespace

struct Sampler::Impl {
  // of_grasps: some of the problem's cells, where these are grasps.
  Impl(const Problem& problem, std::span<const double> base_parameters, const GraspRange* of_grasps = nullptr)
      : samples(problem.samples) {
    const GraspRange range = of_grasps != nullptr ? *of_grasps : GraspRange{0, problem.grasps.size()};
    // All cells, which are most of it where there are many, and some room for all else.
    pool.reals.reserve(range.count * problem.grasps.slot.size() + problem.cell_parameters.value.size() +
                       problem.grid.x.size() + problem.grid.y.size() + base_parameters.size() + 1024);
    const std::size_t base = pool.add(base_parameters);
    std::vector<PlacedTargets> targets;
    for (const UncertainParameter& parameter : problem.uncertain) {
      numbers.push_back({add(parameter.distribution), parameter.stream, {}, -1, 0, nullptr, nullptr});
      targets.push_back(place(parameter.target, parameter.scale, parameter.add));
    }
    const std::vector<PlacedMember> members = place_correlations(problem.correlations);
    const std::size_t directions = problem.sampling == Sampling::sobol ? add_sobol(problem) : 0;
    const Grid& grid = problem.grid;
    const bool gridded = !grid.x.empty() && !grid.y.empty();
    std::span<const double> grid_x(grid.x);
    if (problem.grasps.given()) grid_x = grid_x.subspan(range.first, range.count);
    // Cells that are some of all have a place each.
    const std::vector<double> ys = of_grasps != nullptr ? std::vector<double>(range.count, grid.y.front()) : grid.y;
    const std::size_t x = pool.add(grid_x), y = pool.add(ys);
    const PlacedTargets along_x = place(grid.x_target, grid.x_factor, true);
    const PlacedTargets along_y = place(grid.y_target, grid.y_factor, true);
    add_tripods(problem);
    for (const JointOffset& offset : problem.joint_offsets) add_joint_offset(problem.scene, offset);
    const GraspCells& grasps = problem.grasps;
    const CellParameters& set = problem.cell_parameters;  // the problem has grasps or axes, not both
    const std::size_t cell_slot = pool.slots.size(), cell_value = add_cells(problem, range);
    const std::vector<int>& slots_set = grasps.given() ? grasps.slot : set.slot;
    pool.slots.insert(pool.slots.end(), slots_set.begin(), slots_set.end());
    const std::size_t mean = pool.add(grasps.error.mean), root = pool.add(grasps.error.root);
    const std::size_t offsets = pool.add(grasps.error.offsets), weights = pool.add(grasps.error.weights);

    for (const PlacedDistribution& placed : distributions_) {
      distributions.push_back(placed.view);
      distributions.back().values = pool.reals.data() + placed.values;
      distributions.back().weights = pool.reals.data() + placed.weights;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i].targets = found(targets[i]);
      numbers[i].members = pool.slots.data();
      numbers[i].root = pool.reals.data();
    }
    for (const PlacedMember& member : members) {
      NumberView& number = numbers[static_cast<std::size_t>(member.number)];
      number.member_count = member.count;
      number.members = pool.slots.data() + member.members;
      number.root = pool.reals.data() + member.root;
    }
    plan.seed = problem.seed;
    plan.parameter_count = static_cast<int>(base_parameters.size());
    plan.number_count = static_cast<int>(numbers.size());
    plan.tripod_count = static_cast<int>(tripods.size());
    plan.joint_offset_count = static_cast<int>(joint_offsets.size());
    plan.joint_offsets = joint_offsets.data();
    if (grasps.error.body >= 0) plan.error = error_of(grasps.error, parameter_layout(problem.scene));
    if (problem.sampling == Sampling::sobol) {
      plan.replicates = sobol_replicates;
      plan.error.dimension = error_dimension;
    }
    plan.directions = pool.slots.data() + directions;
    plan.column_count = plan.number_count + plan.error.columns + tripod_columns * plan.tripod_count;
    plan.cell_slot_count = static_cast<int>(slots_set.size());
    plan.cells_each = static_cast<int>(set.cells_each);
    plan.cell_slot = pool.slots.data() + cell_slot;
    plan.cell_value = pool.reals.data() + cell_value;
    plan.error.mean = pool.reals.data() + mean;
    plan.error.root = pool.reals.data() + root;
    plan.error.offsets = pool.reals.data() + offsets;
    plan.error.weights = pool.reals.data() + weights;
    plan.columns = gridded ? static_cast<int>(grid_x.size()) : 0;
    plan.rows = gridded ? static_cast<int>(grid.y.size()) : 0;
    plan.listed = problem.listed || of_grasps != nullptr ? 1 : 0;
    plan.first_cell = problem.first_cell + static_cast<int>(range.first);
    plan.base = pool.reals.data() + base;
    plan.x = pool.reals.data() + x;
    plan.y = pool.reals.data() + y;
    plan.x_targets = found(along_x);
    plan.y_targets = found(along_y);
    point_at_arrays();
  }

  // What cells set. Returns where it is.
  std::size_t add_cells(const Problem& problem, const GraspRange& range) {
    if (!problem.grasps.given()) return pool.add(problem.cell_parameters.value);
    const std::size_t at = pool.reals.size();
    problem.grasps.list->for_each(range.first, range.count,
                                  [&](const Grasp& grasp) { problem.grasps.append_values(grasp, pool.reals); });
    return at;
  }

  // They no longer grow.
  void point_at_arrays() {
    plan.distributions = distributions.data();
    plan.numbers = numbers.data();
    plan.tripods = tripods.data();
    plan.reals = pool.reals.data();
    plan.slots = pool.slots.data();
    plan.real_count = static_cast<int>(pool.reals.size());
    plan.slot_count = static_cast<int>(pool.slots.size());
    plan.distribution_count = static_cast<int>(distributions.size());
  }

  // Where the members of a correlation and the row of its root are.
  struct PlacedMember {
    int number, count;
    std::size_t members, root;
  };
  std::vector<PlacedMember> place_correlations(const std::vector<Correlation>& correlations) {
    std::vector<PlacedMember> placed;
    for (const Correlation& correlation : correlations) {
      const std::size_t count = correlation.of.size(), members = pool.slots.size(), root = pool.add(correlation.root);
      pool.slots.insert(pool.slots.end(), correlation.of.begin(), correlation.of.end());
      for (std::size_t k = 0; k < count; ++k) {
        placed.push_back({correlation.of[k], static_cast<int>(count), members, root + k * count});
      }
    }
    return placed;
  }

  // Hands out the dimensions of the sequence. Returns where the directions are.
  std::size_t add_sobol(const Problem& problem) {
    const SobolPlaces places = sobol_places(problem);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].dimension = places.of_number[i];
    error_dimension = places.of_error;
    const std::size_t at = pool.slots.size();
    for (int d = 0; d < places.used; ++d) {
      for (const std::uint32_t digits : sobol_directions(d)) pool.slots.push_back(static_cast<int>(digits));
    }
    return at;
  }

  static PoseErrorView error_of(const UncertainPose& error, const ParameterLayout& layout) {
    PoseErrorView view{};
    view.columns = pose_error_columns;
    view.stream = error.stream;
    view.pose = layout.pose(error.body);
    view.tilt = layout.tilt(error.body);
    view.own = error.own ? 1 : 0;
    view.dimension = -1;
    const double axes[4] = {error.axes.w, error.axes.x, error.axes.y, error.axes.z};
    rotation_rows(axes, view.axes);
    view.lever[0] = error.lever.x;
    view.lever[1] = error.lever.y;
    view.lever[2] = error.lever.z;
    view.offset_count = static_cast<int>(error.offsets.size() / pose_error_columns);
    view.weight_count = static_cast<int>(error.weights.size());
    return view;
  }

  // Adds a distribution, with the components of a mixture one after another behind it. Returns its index in the list.
  int add(const Distribution& d) {
    const std::size_t at = distributions_.size();
    distributions_.push_back({});
    write(at, d);
    return static_cast<int>(at);
  }

  void write(std::size_t at, const Distribution& d) {
    PlacedDistribution placed{pool.add(d.values), pool.add(d.weights), view_of(d)};
    const std::size_t first = distributions_.size();
    placed.view.first_component = static_cast<int>(first);
    distributions_[at] = placed;
    distributions_.resize(first + d.components.size());
    for (std::size_t k = 0; k < d.components.size(); ++k) write(first + k, d.components[k]);
  }

  PlacedTargets place(const std::vector<int>& slot, const std::vector<double>& factor, bool add_to) {
    pool.slots.insert(pool.slots.end(), slot.begin(), slot.end());
    TargetsView view{};
    view.count = static_cast<int>(slot.size());
    view.add = add_to ? 1 : 0;
    return {pool.slots.size() - slot.size(), pool.add(factor), view};
  }

  TargetsView found(const PlacedTargets& placed) const {
    TargetsView view = placed.view;
    view.slot = pool.slots.data() + placed.slot;
    view.factor = pool.reals.data() + placed.factor;
    return view;
  }

  void add_tripods(const Problem& problem) {
    if (problem.tripods.empty()) return;
    const ParameterLayout layout = parameter_layout(problem.scene);
    for (const UncertainTripod& tripod : problem.tripods) {
      TripodView view{};
      view.radius = add(tripod.radius);
      view.turn = add(tripod.turn);
      view.stream = tripod.stream;
      view.gravity = tripod.gravity;
      view.mass = layout.mass(tripod.body);
      view.carries = layout.spatial ? 0 : 1;
      const int first = support_point(problem.scene, tripod.body);
      for (int k = 0; k < 3; ++k) {
        view.load[k] = add(tripod.load[static_cast<std::size_t>(k)]);
        view.point[k] = layout.spatial ? layout.support_sphere(first + k) : layout.support(first + k);
      }
      tripods.push_back(view);
      names.push_back(tripod.name);
    }
  }

  void add_joint_offset(const SceneSpec& scene, const JointOffset& offset) {
    const ParameterLayout layout = parameter_layout(scene);
    const JointSpec& joint = scene.joints[static_cast<std::size_t>(offset.joint)];
    JointOffsetView view{};
    view.column = offset.parameter;
    view.nominal = offset.nominal;
    view.factor = offset.factor;
    view.turns = joint.kind == JointKind::revolute ? 1 : 0;
    view.spatial = scene.spatial ? 1 : 0;
    view.first = joint.body_a < 0 || offset.as_described ? -1 : layout.pose(joint.body_a);
    const std::vector<double> frame = joint_axis(scene, offset.as_described ? joint.body_a : -1, joint);
    std::copy(frame.begin(), frame.end(), view.frame);
    view.moved_from = static_cast<int>(pool.slots.size());
    view.moved_count = static_cast<int>(offset.moved.size());
    for (const int body : offset.moved) pool.slots.push_back(layout.pose(body));
    joint_offsets.push_back(view);
  }

  int samples;
  int error_dimension = -1;
  Pool pool;
  std::vector<PlacedDistribution> distributions_;
  std::vector<DistributionView> distributions;
  std::vector<NumberView> numbers;
  std::vector<TripodView> tripods;
  std::vector<JointOffsetView> joint_offsets;
  std::vector<std::string> names;  // of the tripods
  SamplePlanView plan{};
};

Sampler::Sampler(const Problem& problem) : Sampler(problem, base_parameters(problem)) {}
Sampler::Sampler(const Problem& problem, std::span<const double> base_parameters)
    : impl_(std::make_unique<Impl>(problem, base_parameters)) {}
Sampler::Sampler(const Problem& problem, GraspRange grasps)
    : impl_(std::make_unique<Impl>(problem, base_parameters(problem), &grasps)) {}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

std::size_t Sampler::parameters() const { return static_cast<std::size_t>(impl_->plan.parameter_count); }
std::size_t Sampler::values() const { return static_cast<std::size_t>(impl_->plan.column_count); }
int Sampler::samples_per_cell() const { return impl_->samples; }
const SamplePlanView& SamplePlan::of(const Sampler& sampler) { return sampler.impl_->plan; }

int Sampler::draw(std::size_t number, std::span<double> parameters, std::span<double> values) const {
  const auto samples = static_cast<std::size_t>(impl_->samples);
  return draw(static_cast<int>(number / samples), static_cast<int>(number % samples), parameters, values);
}

int Sampler::draw(int cell, int sample, std::span<double> parameters, std::span<double> values) const {
  const int redrawn = draw_sample(impl_->plan, static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(sample),
                                  parameters.data(), values.data());
  check(redrawn);
  return redrawn;
}

void Sampler::check(int redrawn) const {
  if (redrawn < 0) throw std::runtime_error(no_loads(impl_->names[static_cast<std::size_t>(-1 - redrawn)]));
}

}  // namespace pegrasp

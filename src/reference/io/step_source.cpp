// SPDX-License-Identifier: Apache-2.0
#include "src/reference/io/step_source.hpp"

#include <Eigen/SparseCholesky>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "src/reference/planar/polygon_step.hpp"
#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/polyhedron_step.hpp"
#include "src/reference/spatial/simulation.hpp"

namespace pegrasp::reference {
namespace {

ContactSets sets_of(StepModel model) {
  switch (model) {
    case StepModel::peg_several:
      return ContactSets::peg_several;
    case StepModel::lnc:
      return ContactSets::lnc;
    case StepModel::standard:
      return ContactSets::standard_all;
    case StepModel::standard_single:
      return ContactSets::standard_single;
    case StepModel::pair_modes:
    case StepModel::peg:
      break;
  }
  return ContactSets::peg_one;
}

// Free motion without impulses: the solution does not matter where only the rows are wanted.
SolvedStep without_impulses(const StepProblem& step) {
  SolvedStep solved;
  const Eigen::SimplicialLDLT<SparseMatrix> mass(step.mass);
  solved.solution.velocity = step.velocity + mass.solve(step.external);
  solved.solution.normal.assign(step.contacts.size(), 0.0);
  for (const Contact& contact : step.contacts) solved.solution.tangent.emplace_back(contact.tangents.size(), 0.0);
  for (const SupportPoint& point : step.supports) solved.solution.support.emplace_back(point.tangents.size(), 0.0);
  solved.solution.motor.assign(step.motors.size(), 0.0);
  solved.solution.bilateral.assign(step.bilaterals.size(), 0.0);
  solved.result.status = mcp::Status::solved;
  return solved;
}

// One linearisation, without substeps and without an end.
StepOptions one_pass(StepOptions options) {
  options.max_passes = 1;
  options.max_substep_level = 0;
  options.still_time = 0.0;
  options.duration = std::numeric_limits<double>::infinity();
  // The contacts alone, without springs that share loads, linearised where the step starts.
  options.load_sharing = false;
  options.look_ahead = false;
  return options;
}

void require_expressible(const StepProblem& step) {
  for (const Contact& contact : step.contacts) {
    if (contact.tangents.size() > 2)
      throw std::invalid_argument(
          "contacts with torsional or rolling friction have no complementarity problem here; set both to 0");
  }
  for (const Motor& motor : step.motors) {
    if (motor.mates > 0)
      throw std::invalid_argument(
          "motors of spherical joints have no complementarity problem here; choose a scene without");
  }
}

}  // namespace

const std::vector<std::string>& step_model_names() {
  static const std::vector<std::string> names{"pair-modes", "peg", "peg-several", "lnc", "standard", "standard-single"};
  return names;
}

SceneSpec with_parameters(SceneSpec scene, std::span<const double> parameters) {
  const ParameterLayout layout = parameter_layout(scene);
  if (parameters.size() != static_cast<std::size_t>(layout.size())) {
    throw std::invalid_argument("the parameters are not of this scene");
  }
  const auto at = [&](int index) { return parameters[static_cast<std::size_t>(index)]; };
  int support = 0;
  for (int b = 0; b < layout.body_count; ++b) {
    BodySpec& body = scene.bodies[static_cast<std::size_t>(b)];
    pegrasp::PlanarBody& form = body.planar();
    body.mass = at(layout.mass(b));
    form.inertia = at(layout.inertia(b));
    body.drop_time = at(layout.drop_time(b));
    form.pose = {at(layout.pose(b)), at(layout.pose(b) + 1), at(layout.pose(b) + 2)};
    form.velocity = {at(layout.velocity(b)), at(layout.velocity(b) + 1), at(layout.velocity(b) + 2)};
    if (!form.support) continue;
    for (std::size_t k = 0; k < 3; ++k, ++support) {
      form.support->point[k] = {at(layout.support(support)), at(layout.support(support) + 1)};
      form.support->load[k] = at(layout.support(support) + ParameterLayout::support_load);
      form.support->friction[k] = at(layout.support(support) + ParameterLayout::support_friction);
    }
  }
  if (layout.friction_count > 0) scene.friction.clear();
  int slot = 0;
  for (int a = 0; layout.friction_count > 0 && a < layout.body_count; ++a) {
    for (int b = a + 1; b < layout.body_count; ++b) {
      if (may_touch(scene, a, b)) scene.friction.push_back({a, b, at(layout.friction(slot++))});
    }
  }
  for (int i = 0; i < layout.actuator_count; ++i) {
    ActuatorSpec& actuator = scene.actuators[static_cast<std::size_t>(i)];
    actuator.target = at(layout.actuator(i));
    actuator.limit = at(layout.actuator(i) + ParameterLayout::actuator_limit);
    actuator.stiffness = at(layout.actuator(i) + ParameterLayout::actuator_stiffness);
    actuator.damping = at(layout.actuator(i) + ParameterLayout::actuator_damping);
  }
  return scene;
}

struct StepSource::Impl {
  SceneSpec scene;
  double h = 0.0;
  StepModel model = StepModel::pair_modes;
  PolygonStepOptions polygons;
  std::optional<StepProblem> seen;  // first step problem that the simulation asked to be solved
  std::optional<PlanarSimulation> simulation;
  std::optional<spatial::SpatialSimulation> spatial_simulation;
  std::shared_ptr<const spatial::SpatialScene> solids;  // of the models for polyhedra
  std::optional<spatial::SpatialNumbers> numbers;
};

StepSource::StepSource(const SceneSpec& scene, const StepOptions& options, std::span<const double> parameters,
                       StepModel model)
    : impl_(std::make_unique<Impl>()) {
  if (has_shells(scene)) throw std::invalid_argument("steps with compliant shells are not stored; leave shell out");
  impl_->h = options.h;
  impl_->model = model;
  Impl* const state = impl_.get();
  const StepSolver watch = [state](const StepProblem& step, const StepSolution*) {
    if (!state->seen) state->seen = step;
    return without_impulses(step);
  };
  if (scene.spatial) {
    impl_->scene = scene;
    if (model != StepModel::pair_modes) {
      use_polyhedra(options, parameters);
      return;
    }
    impl_->spatial_simulation.emplace(std::make_shared<const spatial::SpatialScene>(scene), one_pass(options),
                                      parameters, watch);
    return;
  }
  impl_->scene = with_parameters(scene, parameters);
  if (model == StepModel::pair_modes) {
    impl_->simulation.emplace(std::make_shared<const PlanarScene>(scene), one_pass(options), parameters, watch);
    return;
  }
  impl_->polygons.rules.sets = sets_of(model);
  impl_->polygons.rules.feasible_depth_ratio = 1.0;  // as contact model peg-features in the plane
  impl_->polygons.detect_distance = options.detect_distance;
}

void StepSource::use_polyhedra(const StepOptions& options, std::span<const double> parameters) {
  impl_->solids = std::make_shared<const spatial::SpatialScene>(impl_->scene);
  std::string what = what_is_not_polyhedral(*impl_->solids);
  if (impl_->scene.model == MotionModel::quasistatic) what = "the quasistatic model";
  if (!what.empty())
    throw std::invalid_argument("is for polyhedra, and this scene has " + what + "; choose the model pair-modes");
  impl_->numbers.emplace(*impl_->solids, parameters);
  impl_->polygons.rules.sets = sets_of(impl_->model);
  impl_->polygons.detect_distance = options.detect_distance;
}

StepSource::~StepSource() = default;
StepSource::StepSource(StepSource&&) noexcept = default;
StepSource& StepSource::operator=(StepSource&&) noexcept = default;

std::optional<StepProblem> StepSource::next_in_space(const Simulation& simulation, int steps) {
  std::vector<SpatialPose> poses;
  std::vector<SpatialTwist> velocities, motions, accelerations;
  std::vector<double> last;
  for (int body = 0; body < static_cast<int>(impl_->scene.bodies.size()); ++body) {
    poses.push_back(simulation.spatial_pose(body));
    velocities.push_back(simulation.spatial_middle_velocity(body));
    last.push_back(simulation.last_substep(body));
    motions.push_back(simulation.spatial_last_velocity(body));
    accelerations.push_back(simulation.spatial_last_acceleration(body));
  }
  if (impl_->model != StepModel::pair_modes) return next_of_polyhedra(simulation, poses, velocities);
  impl_->seen.reset();
  impl_->spatial_simulation->set_state(steps, poses, velocities, last, motions, accelerations);
  impl_->spatial_simulation->step();
  if (impl_->seen) require_expressible(*impl_->seen);
  return std::exchange(impl_->seen, std::nullopt);
}

std::optional<StepProblem> StepSource::next_of_polyhedra(const Simulation& simulation,
                                                         std::span<const SpatialPose> poses,
                                                         std::span<const SpatialTwist> velocities) {
  const spatial::SpatialNumbers& numbers = *impl_->numbers;
  spatial::SpatialState state = start_state(numbers);
  impl_->polygons.present.clear();
  for (int body = 0; body < impl_->solids->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    impl_->polygons.present.push_back(simulation.present(body));
    state.turn[b] = spatial::turn(poses[b].turn);
    state.position[b] = spatial::vector3(poses[b].position) + state.turn[b] * numbers.centre(body);
    state.velocity[b] = {spatial::vector3(velocities[b].velocity), spatial::vector3(velocities[b].angular)};
    if (impl_->solids->body(body).kind == BodyKind::kinematic)
      state.velocity[b] = prescribed_velocity(numbers, body, state, simulation.time(), impl_->h);
  }
  StepProblem step = polyhedron_step(numbers, state, simulation.time(), impl_->h, impl_->polygons).problem;
  if (step.contacts.empty()) return std::nullopt;
  return step;
}

std::optional<StepProblem> StepSource::next(const Simulation& simulation, int steps) {
  if (impl_->scene.spatial) return next_in_space(simulation, steps);
  std::vector<Pose> poses;
  std::vector<Twist> velocities;
  std::vector<double> last;
  std::vector<Twist> accelerations;
  std::vector<bool> present;
  for (std::size_t b = 0; b < impl_->scene.bodies.size(); ++b) {
    const int body = static_cast<int>(b);
    poses.push_back(simulation.pose(body));
    velocities.push_back(simulation.middle_velocity(body));
    last.push_back(simulation.last_substep(body));
    accelerations.push_back(simulation.last_acceleration(body));
    present.push_back(simulation.present(body));
  }
  if (impl_->model != StepModel::pair_modes) {
    impl_->polygons.present = std::move(present);
    StepProblem step = polygon_step(impl_->scene, poses, velocities, impl_->h, impl_->polygons);
    if (step.contacts.empty() && step.supports.empty() && step.motors.empty()) return std::nullopt;
    return step;
  }
  impl_->seen.reset();
  impl_->simulation->set_state(steps, poses, velocities, last, accelerations);
  impl_->simulation->step();
  return std::exchange(impl_->seen, std::nullopt);
}

}  // namespace pegrasp::reference

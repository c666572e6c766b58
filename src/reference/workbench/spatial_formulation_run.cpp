// SPDX-License-Identifier: Apache-2.0
#include "src/reference/workbench/spatial_formulation_run.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace pegrasp::reference {
namespace {

using spatial::quaternion;
using spatial::turn;
using spatial::vec3;
using spatial::vector3;

std::shared_ptr<const spatial::SpatialScene> steppable(const SceneSpec& spec, const FormulationChoice& choice) {
  if (choice.formulation.set_rows == SetRows::egan)
    throw std::invalid_argument("--sets egan is for planar scenes; choose another in 3D");
  auto scene = std::make_shared<const spatial::SpatialScene>(spec);
  std::string what = what_is_not_polyhedral(*scene);
  if (spec.model == MotionModel::quasistatic) what = "the quasistatic model";
  if (!what.empty())
    throw std::invalid_argument("formulations of the sources are for scenes of polyhedra, and this one has " + what +
                                "; leave --formulation out");
  return scene;
}

}  // namespace

SpatialFormulationRun::SpatialFormulationRun(const SceneSpec& scene, std::span<const double> parameters,
                                             const StepOptions& options, const FormulationChoice& choice)
    : FormulatedScene(scene, options, choice),
      scene_(steppable(scene, choice)),
      numbers_(*scene_, parameters),
      state_(start_state(numbers_)) {
  sets_.rules = this->choice().rules;
  sets_.detect_distance = options.detect_distance;
}

void SpatialFormulationRun::set_state(double time, std::span<const SpatialPose> poses,
                                      std::span<const SpatialTwist> velocities) {
  restart(time);
  for (int body = 0; body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    state_.turn[b] = turn(poses[b].turn);
    state_.position[b] = vector3(poses[b].position) + state_.turn[b] * numbers_.centre(body);
    state_.velocity[b] = {vector3(velocities[b].velocity), vector3(velocities[b].angular)};
  }
}

SpatialPose SpatialFormulationRun::pose(int body) const {
  const auto b = static_cast<std::size_t>(body);
  return {vec3(frame_of(numbers_, body, state_.position[b], state_.turn[b]).origin), quaternion(state_.turn[b])};
}

SpatialTwist SpatialFormulationRun::velocity(int body) const {
  const spatial::Twist6& v = state_.velocity[static_cast<std::size_t>(body)];
  return {vec3(v.linear), vec3(v.angular)};
}

spatial::PolyhedronStep SpatialFormulationRun::next() {
  appear();
  sets_.present = present();
  for (int body = 0; body < scene_->body_count(); ++body) {
    if (scene_->body(body).kind != BodyKind::kinematic) continue;
    state_.velocity[static_cast<std::size_t>(body)] = prescribed_velocity(numbers_, body, state_, time(), h());
  }
  return polyhedron_step(numbers_, state_, time(), h(), sets_);
}

StepProblem SpatialFormulationRun::problem(int& traps) {
  spatial::PolyhedronStep step = next();
  traps = step.traps;
  offsets_ = step.offsets;
  return std::move(step.problem);
}

bool SpatialFormulationRun::move(const StepSolution& solution) {
  bool finite = true;
  for (std::size_t b = 0; b < offsets_.size(); ++b) {
    spatial::Twist6& velocity = state_.velocity[b];
    if (offsets_[b] >= 0) {
      velocity = {solution.velocity.segment<3>(offsets_[b]), solution.velocity.segment<3>(offsets_[b] + 3)};
      finite = finite && velocity.linear.allFinite() && velocity.angular.allFinite();
    } else if (scene().bodies[b].kind != BodyKind::kinematic || !present()[b]) {
      continue;
    }
    state_.position[b] += h() * velocity.linear;
    state_.turn[b] = (spatial::exponential(h() * velocity.angular) * state_.turn[b]).normalized();
  }
  return finite;
}

}  // namespace pegrasp::reference

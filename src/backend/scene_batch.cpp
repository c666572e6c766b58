// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/scene_batch.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pegrasp/names.hpp"

namespace pegrasp {

SceneBatch::SceneBatch(SceneSpec scene, std::size_t count, const StepOptions& options, Arithmetic arithmetic)
    : scene_(std::move(scene)),
      count_(count),
      arithmetic_(arithmetic),
      model_(compile_model(scene_)),
      options_(derive_options(options, scene_, arithmetic)),
      layout_(parameter_layout(scene_)) {
  const std::vector<double> row = scene_parameters(scene_);
  parameters_.reserve(count * row.size());
  for (std::size_t i = 0; i < count; ++i) parameters_.insert(parameters_.end(), row.begin(), row.end());
}

int SceneBatch::body(const std::string& name) const {
  const auto found =
      std::find_if(scene_.bodies.begin(), scene_.bodies.end(), [&](const BodySpec& one) { return one.name == name; });
  if (found == scene_.bodies.end()) throw std::invalid_argument("the scene has no body \"" + name + "\"");
  return static_cast<int>(found - scene_.bodies.begin());
}

double& SceneBatch::parameter(std::size_t variant, int index) {
  return parameters(variant)[static_cast<std::size_t>(index)];
}

void SceneBatch::check_body(int body) const {
  if (body < 0 || body >= layout_.body_count) {
    throw std::out_of_range("the scene has no body " + std::to_string(body) + ", but bodies 0 to " +
                            std::to_string(layout_.body_count - 1));
  }
}

void SceneBatch::check_dimension(bool spatial) const {
  if (layout_.spatial == spatial) return;
  throw std::logic_error(spatial ? "a planar scene has Pose and Twist"
                                 : "a scene in 3D has SpatialPose and SpatialTwist");
}

void SceneBatch::check_parameter_friction() const {
  if (layout_.friction_count == 0 && !lists_pairs(scene_)) {
    throw std::invalid_argument("the scene has more than " + std::to_string(largest_pair_list) +
                                " pairs of bodies that may touch: their friction is not a parameter");
  }
}

void SceneBatch::set_friction(std::size_t variant, double mu) {
  check_parameter_friction();
  for (int slot = 0; slot < layout_.friction_count; ++slot) parameter(variant, layout_.friction(slot)) = mu;
}

void SceneBatch::set_friction(std::size_t variant, int body_a, int body_b, double mu) {
  check_body(body_a);
  check_body(body_b);
  const int slot = friction_slot(scene_, body_a, body_b);
  if (slot < 0) {
    throw std::invalid_argument("bodies " + std::to_string(body_a) + " and " + std::to_string(body_b) +
                                " can never touch, so they have no friction");
  }
  parameter(variant, layout_.friction(slot)) = mu;
}

void SceneBatch::set_pose(std::size_t variant, int body, const Pose& pose) {
  check_dimension(false);
  check_body(body);
  const double values[] = {pose.x, pose.y, pose.theta};
  for (int k = 0; k < 3; ++k) parameter(variant, layout_.pose(body) + k) = values[k];
}

void SceneBatch::set_pose(std::size_t variant, int body, const SpatialPose& pose) {
  check_dimension(true);
  check_body(body);
  const double values[] = {pose.position.x, pose.position.y, pose.position.z, pose.turn.w,
                           pose.turn.x,     pose.turn.y,     pose.turn.z};
  for (int k = 0; k < 7; ++k) parameter(variant, layout_.pose(body) + k) = values[k];
}

void SceneBatch::set_velocity(std::size_t variant, int body, const Twist& velocity) {
  check_dimension(false);
  check_body(body);
  const double values[] = {velocity.vx, velocity.vy, velocity.omega};
  for (int k = 0; k < 3; ++k) parameter(variant, layout_.velocity(body) + k) = values[k];
}

void SceneBatch::set_velocity(std::size_t variant, int body, const SpatialTwist& velocity) {
  check_dimension(true);
  check_body(body);
  const Vec3 v = velocity.velocity, w = velocity.angular;
  const double values[] = {v.x, v.y, v.z, w.x, w.y, w.z};
  for (int k = 0; k < 6; ++k) parameter(variant, layout_.velocity(body) + k) = values[k];
}

void SceneBatch::set_mass(std::size_t variant, int body, double mass) {
  check_body(body);
  if (!(mass > 0.0)) throw std::invalid_argument("a mass must be above 0 kg");
  const double factor = mass / parameter(variant, layout_.mass(body));
  parameter(variant, layout_.mass(body)) = mass;
  for (int k = 0; k < layout_.inertia_size(); ++k) parameter(variant, layout_.inertia(body) + k) *= factor;
  const int first = layout_.spatial ? -1 : support_point(scene_, body);
  for (int point = first; first >= 0 && point < first + 3; ++point) {
    parameter(variant, layout_.support(point) + ParameterLayout::support_load) *= factor;
  }
}

std::span<double> SceneBatch::parameters(std::size_t variant) {
  if (variant >= count_) {
    throw std::out_of_range("the batch has no variant " + std::to_string(variant) + ", but " + std::to_string(count_));
  }
  const auto stride = static_cast<std::size_t>(layout_.size());
  return std::span(parameters_).subspan(variant * stride, stride);
}

std::span<const double> SceneBatch::parameters(std::size_t variant) const {
  return const_cast<SceneBatch*>(this)->parameters(variant);
}

bool SceneBatch::run(Backend& backend, const std::atomic<bool>* stop) {
  if (backend.arithmetic() != arithmetic_) {
    throw std::invalid_argument("the backend simulates in " + name_of(backend.arithmetic()) +
                                " arithmetic, the batch was made for " + name_of(arithmetic_));
  }
  outcomes_.clear();
  std::vector<SceneOutcome> outcomes(count_);
  poses_.resize(count_ * static_cast<std::size_t>(layout_.body_count * layout_.pose_size()));
  if (!backend.run(*model_, options_, parameters_, outcomes, poses_, stop)) return false;
  outcomes_ = std::move(outcomes);
  return true;
}

bool SceneBatch::run(BackendKind kind, const std::atomic<bool>* stop) {
  return run(*make_backend(kind, arithmetic_), stop);
}

const SceneOutcome& SceneBatch::outcome(std::size_t variant) const {
  if (outcomes_.empty()) throw std::logic_error("the batch has no results yet: call run() first");
  return outcomes_.at(variant);
}

const double* SceneBatch::final_pose(std::size_t variant, int body) const {
  outcome(variant);
  check_body(body);
  const auto size = static_cast<std::size_t>(layout_.pose_size());
  const auto bodies = static_cast<std::size_t>(layout_.body_count);
  return poses_.data() + (variant * bodies + static_cast<std::size_t>(body)) * size;
}

Pose SceneBatch::pose(std::size_t variant, int body) const {
  check_dimension(false);
  const double* p = final_pose(variant, body);
  return {p[0], p[1], p[2]};
}

SpatialPose SceneBatch::spatial_pose(std::size_t variant, int body) const {
  check_dimension(true);
  const double* p = final_pose(variant, body);
  return {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
}

Simulation SceneBatch::simulation(std::size_t variant) const {
  return Simulation(model_, options_, parameters(variant), arithmetic_);
}

}  // namespace pegrasp

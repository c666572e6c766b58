// SPDX-License-Identifier: Apache-2.0
#include "src/backend/sample_functions.hpp"

#include <array>
#include <cstddef>

#include "src/geometry/placement.hpp"

namespace pegrasp {
namespace {

template <std::size_t Count>
void put(std::span<double> parameters, int at, const std::array<double, Count>& values) {
  for (std::size_t i = 0; i < Count; ++i) parameters[static_cast<std::size_t>(at) + i] = values[i];
}

}  // namespace

void sample_start(const Model& model, std::span<double> parameters) {
  const SceneFunctions& functions = model.functions();
  const ParameterLayout& layout = model.layout();
  for (std::size_t b = 0; b < functions.planar.size(); ++b) {
    const int at = layout.pose(static_cast<int>(b));
    if (functions.planar[b]) {
      const Pose p = functions.planar[b](0.0);
      put(parameters, at, std::array<double, 3>{p.x, p.y, p.theta});
    }
    if (functions.spatial[b]) {
      const SpatialPose p = functions.spatial[b](0.0);
      const Quaternion q = normalised(p.turn);
      put(parameters, at, std::array<double, 7>{p.position.x, p.position.y, p.position.z, q.w, q.x, q.y, q.z});
    }
  }
}

void sample_step(const Model& model, const SceneWorker& worker, double time, double h, std::span<const double> targets,
                 std::span<double> parameters) {
  const SceneFunctions& functions = model.functions();
  const ParameterLayout& layout = model.layout();
  for (std::size_t b = 0; b < functions.planar.size(); ++b) {
    const int at = layout.velocity(static_cast<int>(b));
    if (functions.planar[b]) {
      const Pose p = functions.planar[b](time + h);
      const double* q = worker.pose() + 3 * b;
      put(parameters, at, std::array<double, 3>{(p.x - q[0]) / h, (p.y - q[1]) / h, (p.theta - q[2]) / h});
    }
    if (functions.spatial[b]) {
      const SpatialPose p = functions.spatial[b](time + h);
      const double* q = worker.pose() + 7 * b;
      const Quaternion now{q[3], q[4], q[5], q[6]};
      const Vec3 turn = turn_vector(normalised(normalised(p.turn) * conjugate(now)));
      put(parameters, at,
          std::array<double, 6>{(p.position.x - q[0]) / h, (p.position.y - q[1]) / h, (p.position.z - q[2]) / h,
                                turn.x / h, turn.y / h, turn.z / h});
    }
  }
  for (std::size_t k = 0; k < functions.target.size(); ++k) {
    if (!functions.target[k]) continue;
    // Forces act where the step begins, for half of the last one and half of this one; servos ask for their mean speed.
    const bool force = model.arrays().actuator_kind[k] == static_cast<int>(ActuatorKind::force);
    parameters[static_cast<std::size_t>(layout.actuator(static_cast<int>(k)))] =
        targets[k] + functions.target[k](force ? time : time + 0.5 * h);
  }
}

std::vector<double> targets_of(const Model& model, std::span<const double> parameters) {
  std::vector<double> out;
  for (int k = 0; k < model.layout().actuator_count; ++k) {
    out.push_back(parameters[static_cast<std::size_t>(model.layout().actuator(k))]);
  }
  return out;
}

}  // namespace pegrasp

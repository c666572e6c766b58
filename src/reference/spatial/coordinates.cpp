// SPDX-License-Identifier: Apache-2.0
// The coordinates of a step in 3D, in which its mass matrix is the identity.
#include <cmath>

#include "src/reference/spatial/rows.hpp"

namespace pegrasp::reference::spatial {

SpatialCoordinates::SpatialCoordinates(const SpatialNumbers& numbers, std::span<const char> present,
                                       const std::vector<Matrix3>& inertia) {
  const double lighter = lightness(numbers.scene().spec(), numbers.scene().joint_arm());
  for (int body = 0; body < numbers.scene().body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    const bool moves = numbers.scene().body(body).dynamic() && present[b] != 0;
    first_.push_back(moves ? size() : -1);
    root_mass_.push_back(moves ? std::sqrt(numbers.mass(body) / lighter) : 0.0);
    turns_.push_back(numbers.scene().body(body).turns ? 1 : 0);
    const Matrix3 light = inertia[b] / lighter;
    factor_.push_back(moves && turns_.back() != 0 ? Matrix3(light.llt().matrixL()) : Matrix3::Identity());
    if (moves) body_of_.insert(body_of_.end(), 6, body);
  }
}

void SpatialCoordinates::write(int body, const Twist6& velocity, Vector& coordinates) const {
  const auto b = static_cast<std::size_t>(body);
  if (first_[b] < 0) return;
  coordinates.segment<3>(first_[b]) = root_mass_[b] * velocity.linear;
  coordinates.segment<3>(first_[b] + 3) = factor_[b].transpose() * velocity.angular;
}

Twist6 SpatialCoordinates::read(int body, const Vector& coordinates) const {
  const auto b = static_cast<std::size_t>(body);
  return {coordinates.segment<3>(first_[b]) / root_mass_[b],
          factor_[b].transpose().triangularView<Eigen::Upper>().solve(coordinates.segment<3>(first_[b] + 3))};
}

void SpatialCoordinates::write_force(int body, const Twist6& force, Vector& coordinates) const {
  const auto b = static_cast<std::size_t>(body);
  if (first_[b] < 0) return;
  coordinates.segment<3>(first_[b]) += force.linear / root_mass_[b];
  if (turns_[b] == 0) return;  // the coordinates of its turn stay 0
  coordinates.segment<3>(first_[b] + 3) += factor_[b].triangularView<Eigen::Lower>().solve(force.angular);
}

void SpatialCoordinates::add(int body, const Twist6& row, SparseVector& gradient) const {
  const auto b = static_cast<std::size_t>(body);
  if (first_[b] < 0) return;
  const Vector3 linear = row.linear / root_mass_[b];
  Vector3 angular = factor_[b].triangularView<Eigen::Lower>().solve(row.angular);
  if (turns_[b] == 0) angular.setZero();
  for (int i = 0; i < 3; ++i) gradient.coeffRef(first_[b] + i) += linear[i];
  for (int i = 0; i < 3; ++i) gradient.coeffRef(first_[b] + 3 + i) += angular[i];
}

}  // namespace pegrasp::reference::spatial

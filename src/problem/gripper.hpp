// SPDX-License-Identifier: Apache-2.0
// A gripper of a scene: a base, and the bodies that joints hang on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp {

class Gripper {
 public:
  // base: a body of the scene, in which the gripper does not change later.
  Gripper(const SceneSpec& scene, int base);

  int base() const { return bodies_.front(); }
  const std::vector<int>& bodies() const { return bodies_; }  // the base first, then outwards
  const std::vector<int>& joints() const { return joints_; }  // in the same order, one for each body but the base
  // Joints that slide or turn between two limits and that no coupling ties to another.
  std::vector<int> limited_joints() const;
  std::vector<std::string> joint_names() const;
  std::optional<JointRange> range(int joint) const;

  // The coordinates of joints() as the scene describes the bodies.
  const std::vector<double>& described() const { return described_; }
  // The frames of bodies() at these coordinates, with the base where the scene describes it.
  std::vector<SpatialPose> place(const std::vector<double>& coordinates) const;
  // Gives joints that couplings tie to others the coordinates that these ask for.
  void couple(std::vector<double>& coordinates) const;
  // The joint itself and those that couplings tie to it, each by how far it goes with it.
  double joints_with(int joint) const;
  // Position of a joint in joints().
  std::size_t index_of(int joint) const;

  // The end of a joint's range at which the bodies beyond it are nearer to the middle plane of the gripper, across
  // `closing` (unit, base frame). None where the two ends are as near.
  std::optional<double> closed_end(int joint, Vec3 closing) const;

 private:
  SpatialPose described_frame(int body) const;

  const SceneSpec& scene_;
  std::vector<int> bodies_, joints_;
  std::vector<double> described_;
};

}  // namespace pegrasp

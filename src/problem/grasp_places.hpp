// SPDX-License-Identifier: Apache-2.0
// Where the bodies of a gripper begin a grasp.
#pragma once

#include <stdexcept>
#include <vector>

#include "src/problem/grasp_readers.hpp"

namespace pegrasp {

// A grasp does not go with the gripper: why, without its name.
class UnfitGrasp : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

const double* value_of(const std::vector<GraspJoint>& list, const std::string& name);

class GraspPlaces {
 public:
  // Of the gripper with that base in the scene, as it is now.
  GraspPlaces(const SceneSpec& scene, int base, int part, const GraspFrames& frames, const ProtocolStart& start,
              std::vector<Finger> fingers);
  GraspPlaces(const GraspPlaces&) = delete;
  GraspPlaces& operator=(const GraspPlaces&) = delete;
  // Appends (x, y, z, qw, qx, qy, qz) of each of the gripper's bodies, the base first: it goes where the grasp says.
  // Those beyond it are carried along by it from where their joints place them at the described base.
  void append(const Grasp& grasp, std::vector<double>& out) const;

 private:
  std::vector<double> coordinates(const Grasp& grasp) const;
  const JointSpec& joint(int index) const { return scene_.joints[static_cast<std::size_t>(index)]; }

  SceneSpec scene_;
  Gripper gripper_;
  SpatialPose part_;
  GraspFrames frames_;
  ProtocolStart start_;
  std::vector<Finger> fingers_;
};

}  // namespace pegrasp

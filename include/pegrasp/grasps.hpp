// SPDX-License-Identifier: Apache-2.0
// Sets of grasps, as planners write them: poses of a gripper relative to a part (docs/reference/grasp-files.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

//   csv       one grasp a line: position, quaternion, opening, values of joints
//   isaac     isaac_grasp YAML, format version 1.0
//   graspgen  GraspGen's JSON: 4 x 4 matrices
//   acronym   ACRONYM's HDF5: 4 x 4 matrices
enum class GraspFormat : int { csv = 0, isaac, graspgen, acronym };
const std::vector<std::string>& grasp_format_names();
// By the ending of a file's name: csv, yaml or yml, json, h5 or hdf5. None for others.
std::optional<GraspFormat> format_of(const std::filesystem::path& file);

struct GraspJoint {
  std::string name;
  double value = 0.0;  // [m | rad]
  bool operator==(const GraspJoint&) const = default;
};

// Everything is as the file has it, so that what is written is read back the same to the digit.
struct Grasp {
  std::string id;
  Vec3 position;                        // of the gripper's frame in the part's [m]
  Quaternion turn;                      // which need not be of unit length: files round
  std::vector<double> matrix;           // of formats with matrices: (4, 4), beside the two above; else none
  std::optional<double> opening;        // distance of the fingers before they close [m]
  std::vector<GraspJoint> open_joints;  // coordinates of joints before the fingers close
  std::vector<GraspJoint> joints;       // and where they hold the part
  std::optional<double> confidence;     // probability of success, or an estimate of it
};

struct GraspSet {
  GraspFormat format = GraspFormat::csv;
  std::string object_frame, gripper_frame;  // remarks of an isaac_grasp file
  std::string object_file;                  // of graspgen
  std::optional<double> object_scale;       // of graspgen and acronym
  std::vector<Grasp> grasps;
};

// Throws InputError: one line with the file, the place and a remedy. Of parse_grasps the text is that of the file; an
// HDF5 file cannot be parsed.
GraspSet read_grasps(const std::filesystem::path& file, GraspFormat format);
GraspSet parse_grasps(const std::string& text, const std::string& origin, GraspFormat format);
// The bytes of a file with these grasps. Where a format has no place for something, it is left out; of openings only a
// CSV file has one.
std::string write_grasps(const GraspSet& set);

using VisitGrasp = std::function<void(const Grasp&)>;

// The grasps of a file. Those of a CSV file are read again, some at a time, whenever they are asked for: memory grows
// little with their number. Those of other formats are kept.
class GraspFile {
 public:
  // Throws InputError, as read_grasps().
  GraspFile(const std::filesystem::path& file, GraspFormat format);
  ~GraspFile();
  std::size_t size() const;
  const GraspSet& about() const;        // without the grasps
  const std::string& contents() const;  // fingerprint of the file's bytes
  // Calls visit for grasps first, first + 1, ... in order. Throws InputError where the file is not what it was.
  void for_each(std::size_t first, std::size_t count, const VisitGrasp& visit) const;
  void for_each(const VisitGrasp& visit) const { for_each(0, size(), visit); }
  Grasp grasp(std::size_t index) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// How the frame that poses are given for lies in the gripper's own: axes of each, and the origin of the first in the
// second. The approach points from the palm to the part, and the fingers close along the closing axis.
struct GraspFrames {
  Vec3 approach{0.0, 0.0, 1.0}, closing{1.0, 0.0, 0.0};  // of the gripper's own frame
  Vec3 file_approach{0.0, 0.0, 1.0}, file_closing{1.0, 0.0, 0.0};
  Vec3 origin;  // [m] of the frame of the poses, in the gripper's own
};
// Of csv and isaac_grasp files poses are those of the gripper's own frame. GraspGen and ACRONYM approach along z and
// close along x.
GraspFrames usual_frames(GraspFormat format, Vec3 approach, Vec3 closing);
// The pose of the gripper's own frame in the part's.
SpatialPose gripper_pose(const Grasp& grasp, const GraspFrames& frames);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "src/problem/gripper.hpp"

#include <algorithm>
#include <cmath>

#include "src/geometry/placement.hpp"

namespace pegrasp {
namespace {

bool turns(const JointSpec& joint) { return joint.kind == JointKind::revolute; }
bool is_driven(const JointSpec& joint) { return turns(joint) || joint.kind == JointKind::prismatic; }

// The motion of frame b in frame a at a coordinate.
SpatialPose joint_motion(const JointSpec& joint, double coordinate) {
  if (joint.kind == JointKind::prismatic) return {{0.0, 0.0, coordinate}, {}};
  return {{}, turn_by({0.0, 0.0, coordinate})};
}

// The middle of the box of a body's parts, in its frame.
Vec3 middle_of(const SpatialBody& body) {
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const SolidPart& part : body.parts) {
    const Vec3 reach = round_reach(part);
    for (const Vec3& v : part.shape.vertices) {
      low = {std::min(low.x, v.x - reach.x), std::min(low.y, v.y - reach.y), std::min(low.z, v.z - reach.z)};
      high = {std::max(high.x, v.x + reach.x), std::max(high.y, v.y + reach.y), std::max(high.z, v.z + reach.z)};
    }
  }
  return 0.5 * (low + high);
}

}  // namespace

Gripper::Gripper(const SceneSpec& scene, int base) : scene_(scene), bodies_{base} {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    int number = -1;
    for (const JointSpec& joint : scene.joints) {
      ++number;
      if (joint.body_a != bodies_[k] || joint.kind == JointKind::distance) continue;
      if (std::find(bodies_.begin(), bodies_.end(), joint.body_b) != bodies_.end()) continue;  // closes a loop
      bodies_.push_back(joint.body_b);
      joints_.push_back(number);
    }
  }
  for (const int number : joints_) {
    const JointSpec& joint = scene.joints[static_cast<std::size_t>(number)];
    const SpatialPose at = inverse(described_frame(joint.body_a) * joint.spatial().a) *
                           (described_frame(joint.body_b) * joint.spatial().b);
    described_.push_back(joint.kind == JointKind::prismatic ? at.position.z : turn_vector(at.turn).z);
  }
}

SpatialPose Gripper::described_frame(int body) const {
  return start_pose(scene_.bodies[static_cast<std::size_t>(body)].spatial());
}

std::optional<JointRange> Gripper::range(int joint) const {
  const JointSpec& spec = scene_.joints[static_cast<std::size_t>(joint)];
  return turns(spec) ? spec.turn : spec.slide;
}

std::vector<int> Gripper::limited_joints() const {
  std::vector<int> out;
  for (const int joint : joints_) {
    const bool tied = std::any_of(scene_.couplings.begin(), scene_.couplings.end(),
                                  [joint](const CouplingSpec& coupling) { return coupling.joint == joint; });
    if (!tied && is_driven(scene_.joints[static_cast<std::size_t>(joint)]) && range(joint)) out.push_back(joint);
  }
  return out;
}

void Gripper::couple(std::vector<double>& coordinates) const {
  // As often as a chain of couplings may be long.
  for (std::size_t round = 0; round < scene_.couplings.size(); ++round) {
    for (const CouplingSpec& coupling : scene_.couplings) {
      const std::size_t to = index_of(coupling.joint), from = index_of(coupling.of_joint);
      if (to < joints_.size() && from < joints_.size()) {
        coordinates[to] = coupling.factor * coordinates[from] + coupling.offset;
      }
    }
  }
}

double Gripper::joints_with(int joint) const {
  double sum = 1.0;
  for (const CouplingSpec& coupling : scene_.couplings) {
    if (coupling.of_joint == joint) sum += std::fabs(coupling.factor) * joints_with(coupling.joint);
  }
  return sum;
}

std::vector<std::string> Gripper::joint_names() const {
  std::vector<std::string> names;
  for (const int joint : joints_) names.push_back(scene_.joints[static_cast<std::size_t>(joint)].name);
  return names;
}

std::size_t Gripper::index_of(int joint) const {
  return static_cast<std::size_t>(std::find(joints_.begin(), joints_.end(), joint) - joints_.begin());
}

std::vector<SpatialPose> Gripper::place(const std::vector<double>& coordinates) const {
  std::vector<SpatialPose> frames{described_frame(base())};
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const JointSpec& joint = scene_.joints[static_cast<std::size_t>(joints_[k])];
    const auto above = std::find(bodies_.begin(), bodies_.end(), joint.body_a) - bodies_.begin();
    const SpatialPose& parent = frames[static_cast<std::size_t>(above)];
    if (!is_driven(joint)) {
      frames.push_back(parent * (inverse(described_frame(joint.body_a)) * described_frame(joint.body_b)));
      continue;
    }
    frames.push_back(parent * joint.spatial().a * joint_motion(joint, coordinates[k]) * inverse(joint.spatial().b));
  }
  return frames;
}

std::optional<double> Gripper::closed_end(int joint, Vec3 closing) const {
  const std::optional<JointRange> ends = range(joint);
  if (!ends) return std::nullopt;
  const std::size_t at = index_of(joint);
  const auto distance = [&](double coordinate) {
    std::vector<double> coordinates = described_;
    coordinates[at] = coordinate;
    couple(coordinates);
    const std::vector<SpatialPose> frames = place(coordinates);
    const SpatialPose back = inverse(frames.front());
    double sum = 0.0;
    int count = 0;
    for (std::size_t k = at + 1; k < bodies_.size(); ++k) {
      const BodySpec& body = scene_.bodies[static_cast<std::size_t>(bodies_[k])];
      // The body that the joint moves, and those beyond it.
      int up = static_cast<int>(k) - 1;
      while (up > static_cast<int>(at)) {
        const int above = scene_.joints[static_cast<std::size_t>(joints_[static_cast<std::size_t>(up)])].body_a;
        up = static_cast<int>(std::find(bodies_.begin(), bodies_.end(), above) - bodies_.begin()) - 1;
      }
      if (up != static_cast<int>(at) || body.spatial().parts.empty()) continue;
      sum += std::fabs(dot(closing, transformed(back, transformed(frames[k], middle_of(body.spatial())))));
      ++count;
    }
    return count > 0 ? sum / count : 0.0;
  };
  const double low = distance(ends->low), high = distance(ends->high);
  constexpr double as_near = 1e-6;  // [m]
  if (std::fabs(low - high) < as_near) return std::nullopt;
  return low < high ? ends->low : ends->high;
}

}  // namespace pegrasp

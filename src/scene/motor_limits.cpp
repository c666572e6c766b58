// SPDX-License-Identifier: Apache-2.0
#include "src/scene/motor_limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/text/printable.hpp"

namespace pegrasp {
namespace {

// Numbers of files are rounded.
constexpr double rounding = 1.0 + 1e-9;

std::string amount(double value, const char* unit) {
  char text[60];
  std::snprintf(text, sizeof text, "%.6g %s", value, unit);
  return text;
}

// The largest target of an actuator, whose program is added to its target.
double largest_target(const ActuatorSpec& actuator) {
  if (actuator.program.empty()) return std::fabs(actuator.target);
  double largest = 0.0;
  for (const TargetKey& key : actuator.program) largest = std::max(largest, std::fabs(actuator.target + key.target));
  return largest;
}

double fastest_move(const ActuatorSpec& actuator) {
  double fastest = 0.0;
  for (std::size_t k = 1; k < actuator.program.size(); ++k) {
    const TargetKey& before = actuator.program[k - 1];
    const TargetKey& after = actuator.program[k];
    fastest = std::max(fastest, std::fabs(after.target - before.target) / (after.time - before.time));
  }
  return fastest;
}

}  // namespace

std::optional<std::string> motor_fault(const SceneSpec& scene, const ActuatorSpec& actuator) {
  if (actuator.joint < 0) return std::nullopt;
  const JointSpec& joint = scene.joints[static_cast<std::size_t>(actuator.joint)];
  const std::string of_joint = " of joint \"" + printable(joint.name) + "\" in its URDF: ";
  const bool servo = actuator.kind != ActuatorKind::force;
  const double force = servo ? actuator.limit : largest_target(actuator);
  if (joint.most_force > 0.0 && force > joint.most_force * rounding) {
    const char* unit = actuator.rotary ? "N m" : "N";
    return "exerts up to " + amount(force, unit) + ", more than effort=\"" + amount(joint.most_force, unit) + "\"" +
           of_joint + "lower its " + (servo ? "limit" : "target") + ", or correct the effort there";
  }
  const double speed = actuator.kind == ActuatorKind::velocity_servo   ? largest_target(actuator)
                       : actuator.kind == ActuatorKind::position_servo ? fastest_move(actuator)
                                                                       : 0.0;
  if (joint.most_speed > 0.0 && speed > joint.most_speed * rounding) {
    const char* unit = actuator.rotary ? "rad/s" : "m/s";
    return "moves at up to " + amount(speed, unit) + ", faster than velocity=\"" + amount(joint.most_speed, unit) +
           "\"" + of_joint + "slow its " + (actuator.program.empty() ? "target" : "program") +
           " down, or correct the velocity there";
  }
  return std::nullopt;
}

std::optional<std::string> begin_no_faster(const SceneSpec& scene, double start, ActuatorSpec& actuator) {
  constexpr double nothing = 1e-9;  // [m | rad] by which a file may round
  if (actuator.joint < 0 || actuator.kind != ActuatorKind::position_servo || !(actuator.stiffness > 0.0)) return {};
  const JointSpec& joint = scene.joints[static_cast<std::size_t>(actuator.joint)];
  const bool one_coordinate = joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
  if (!one_coordinate || !(joint.most_speed > 0.0)) return {};
  const double first = actuator.program.empty() ? 0.0 : actuator.program.front().target;
  const double gap = actuator.target + first - start;
  if (std::fabs(gap) <= nothing) return {};
  const double time = std::fabs(gap) / joint.most_speed;
  std::vector<TargetKey>& program = actuator.program;
  if (!program.empty() && program.front().time < time) {
    const char* unit = actuator.rotary ? "rad" : "m";
    return "begins " + amount(std::fabs(gap), unit) + " away from where its joint is, and velocity=\"" +
           amount(joint.most_speed, actuator.rotary ? "rad/s" : "m/s") + "\" of joint \"" + printable(joint.name) +
           "\" in its URDF takes " + amount(time, "s") +
           " for that; begin its program by then or later, or where the joint is";
  }
  if (program.empty() || program.front().time > time * rounding) program.insert(program.begin(), {time, first, {}});
  program.insert(program.begin(), {0.0, first - gap, {}});
  return {};
}

}  // namespace pegrasp

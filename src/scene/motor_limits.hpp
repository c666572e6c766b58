// SPDX-License-Identifier: Apache-2.0
// What a file says that the motor of a joint can do (JointSpec::most_force, most_speed), and actuators that ask for
// more.
#pragma once

#include <optional>
#include <string>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Why the actuator asks for more than the motor of its joint can do, in words that follow the actuator's place in a
// file; empty where it does not. Compared are the limit of a servo, the force of a motor, the speed that a velocity
// servo keeps, and how fast a program moves the target of a position servo.
std::optional<std::string> motor_fault(const SceneSpec& scene, const ActuatorSpec& actuator);

// A position servo of a motor with a speed does not jump to a target away from where its joint begins: it gets a
// program that moves its target there no faster. start: the coordinate at which the joint begins, as start_coordinate()
// tells it. Returns why it cannot, in words as above: its own program moves on before.
std::optional<std::string> begin_no_faster(const SceneSpec& scene, double start, ActuatorSpec& actuator);

}  // namespace pegrasp

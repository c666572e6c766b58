// SPDX-License-Identifier: Apache-2.0
// Names of the choices, as files and the command line spell them; the index is the enumerator's value.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

const std::vector<std::string>& contact_names();
const std::vector<std::string>& solver_names();
const std::vector<std::string>& arithmetic_names();
const std::vector<std::string>& strategy_names();
const std::vector<std::string>& on_unresolved_names();
const std::vector<std::string>& joint_names();  // those that files may give: a distance joint has no name there
const std::vector<std::string>& actuator_names();
const std::vector<std::string>& motion_model_names();
const std::vector<std::string>& spring_force_names();
const std::vector<std::string>& penalty_integrator_names();

const std::string& name_of(JointKind kind);  // of a distance joint "spring"
const std::string& name_of(ContactModel contact);
const std::string& name_of(SolverKind solver);
const std::string& name_of(Arithmetic arithmetic);
const std::string& name_of(Strategy strategy);

// What messages call a joint, all joints of a scene and an actuator. A spring is a joint of kind `distance`, but nobody
// writes it as a joint.
inline bool is_spring(const JointSpec& joint) { return joint.kind == JointKind::distance; }
std::string joint_words(const JointSpec& joint);                                // joint "x", spring "x"
std::string joint_words(const SceneSpec& scene);                                // joints; springs where all are
std::string motor_words(const SceneSpec& scene, const ActuatorSpec& actuator);  // motor "x", spring "x"

// Whether the body's mass is the one that limit_force() gives where ForceLimit::mass is 0.
bool has_default_mass(const SceneSpec& scene, int body);

// The set bits in words, comma separated; "ok" for none.
std::string status_words(std::uint32_t status);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/names.hpp"

#include <utility>

namespace pegrasp {

const std::vector<std::string>& contact_names() {
  static const std::vector<std::string> names{"peg",     "peg-features",    "standard", "corrective",
                                              "penalty", "penalty-deepest", "ratio"};
  return names;
}

const std::vector<std::string>& solver_names() {
  static const std::vector<std::string> names{"aj", "pgs", "jacobi", "nncg", "newton", "stiff-newton", "island-newton"};
  return names;
}

const std::vector<std::string>& arithmetic_names() {
  static const std::vector<std::string> names{"strict", "fast"};
  return names;
}

const std::vector<std::string>& strategy_names() {
  static const std::vector<std::string> names{"auto", "per-scene", "batched"};
  return names;
}

const std::vector<std::string>& on_unresolved_names() {
  static const std::vector<std::string> names{"auto", "stop", "continue"};
  return names;
}

const std::vector<std::string>& joint_names() {
  static const std::vector<std::string> names{"fixed", "revolute", "prismatic", "cylindrical", "spherical"};
  return names;
}

const std::vector<std::string>& actuator_names() {
  static const std::vector<std::string> names{"force", "velocity_servo", "position_servo"};
  return names;
}

const std::vector<std::string>& motion_model_names() {
  static const std::vector<std::string> names{"dynamic", "quasistatic"};
  return names;
}

const std::vector<std::string>& spring_force_names() {
  static const std::vector<std::string> names{"end", "start"};
  return names;
}

const std::vector<std::string>& penalty_integrator_names() {
  static const std::vector<std::string> names{"rk4", "semi-implicit"};
  return names;
}

const std::string& name_of(JointKind kind) {
  static const std::string spring = "spring";
  return kind == JointKind::distance ? spring : joint_names()[static_cast<std::size_t>(kind)];
}
const std::string& name_of(ContactModel contact) { return contact_names()[static_cast<std::size_t>(contact)]; }
const std::string& name_of(SolverKind solver) { return solver_names()[static_cast<std::size_t>(solver)]; }
const std::string& name_of(Arithmetic arithmetic) { return arithmetic_names()[static_cast<std::size_t>(arithmetic)]; }
const std::string& name_of(Strategy strategy) { return strategy_names()[static_cast<std::size_t>(strategy)]; }

std::string status_words(std::uint32_t status) {
  static const std::vector<std::pair<std::uint32_t, std::string>> bits{{status_not_converged, "not converged"},
                                                                       {status_capacity, "out of capacity"},
                                                                       {status_non_finite, "not finite"},
                                                                       {status_too_deep, "too deep"},
                                                                       {status_infeasible, "infeasible"}};
  std::string words;
  for (const auto& [bit, word] : bits) {
    if (status & bit) words += (words.empty() ? "" : ", ") + word;
  }
  return words.empty() ? "ok" : words;
}

}  // namespace pegrasp

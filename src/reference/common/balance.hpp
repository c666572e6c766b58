// SPDX-License-Identifier: Apache-2.0
// Quasistatic scenes (Berard's thesis, 3.4), in 2D and in 3D: forces balance in every step. The reference simulator
// gives bodies so little mass that what is left of a force for motion does not count, and tells bodies that nothing
// holds.
#pragma once

#include <algorithm>
#include <vector>

#include "pegrasp/scene.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// Whether applied forces, contacts and supports balance in every step: (sub)steps begin at rest.
inline bool is_quasistatic(const SceneSpec& scene) { return scene.model == MotionModel::quasistatic; }

// How many times lighter bodies are than they weigh. What is left of a force for motion is smaller in large scenes,
// whose tolerances are wider. size: of the scene [m].
inline double lightness(const SceneSpec& scene, double size) {
  return is_quasistatic(scene) ? std::min(1e6, 2e7 * size) : 1.0;
}

// Whether a body that a solve leaves that speed [m/s] is not in balance: more than a thousandth of what applied forces
// alone would give it. Nothing in its reach holds it.
inline bool is_unbalanced(double speed, double free_speed) {
  constexpr double most = 1e-3;
  return free_speed > 0.0 && speed > most * free_speed;
}

// (coordinates) not 0 where some row of the step acts.
inline std::vector<char> acted_on(const StepProblem& step) {
  std::vector<char> acted(static_cast<std::size_t>(step.external.size()), 0);
  const auto mark = [&acted](const SparseVector& row) {
    for (SparseVector::InnerIterator it(row); it; ++it) acted[static_cast<std::size_t>(it.index())] = 1;
  };
  for (const Contact& contact : step.contacts) mark(contact.normal);
  for (const SupportPoint& support : step.supports) mark(support.tangents[0]);
  for (const Motor& motor : step.motors) mark(motor.row);
  for (const Bilateral& bilateral : step.bilaterals) mark(bilateral.row);
  return acted;
}

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// Which bodies an attempt holds still that nothing solved and that is taken all the same. Its motion counts as far as
// something explains it: where bodies began, forces, motors, bodies with prescribed motion, and the undoing of overlap.
#pragma once

#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp::reference {

// The motion of a body that moves freely, and what of it is explained.
struct BodyAccount {
  bool counts = false;               // it is dynamic and there
  double energy = 0.0, speed = 0.0;  // [J] kinetic, [m/s] of its fastest point
  double start_energy = 0.0;         // [J] the largest that its start, forces and motors explain
  double start_speed = 0.0;          // [m/s] likewise
  double mass = 0.0;                 // [kg]
};

// (bodies) whether a body gains more than is explained, or hangs by joints on one that does. pushing: the speed [m/s]
// that bodies with prescribed motion and the undoing of overlap explain.
std::vector<char> gaining_bodies(const SceneSpec& scene, const std::vector<BodyAccount>& bodies, double pushing);

// The body with prescribed motion on which a body hangs, by joints or by other bodies, or -1.
int prescribed_anchor(const SceneSpec& scene, const std::vector<BodyAccount>& bodies, int body);

// Whether a joint holds the body.
bool is_jointed(const SceneSpec& scene, int body);

}  // namespace pegrasp::reference

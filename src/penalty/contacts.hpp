// SPDX-License-Identifier: Apache-2.0
// Drumwright's penalty contact ("A fast and stable penalty method for rigid body simulation"): two bodies that overlap
// push each other apart by springs and dampers at the points of the bottom of their overlap, with a term that
// integrates the depth, (1)-(3):
//
//   f(point) = max(0, k_p d(point) - k_v v(point) + k_i I) / r,   I = sum over earlier steps of lambda^age max d,
//
// r being the number of points that push, and v the speed at which the bodies part there. A pair is apart, or rests
// (figure 2): where it comes together it is stopped by an impulse at the middle of its points, if it does so faster
// than a threshold; from then on the springs alone act, unless a third body hits one of the two. Of a pair I is
// remembered, and the spring of friction that sticks, whose force is shared among the points as the normal force is.
// Its damper grows to the friction of sliding at the slip from which on a point slides.
#pragma once

#include <memory>

#include "kernels/launch/penalty_contacts.hpp"
#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

class Model;

// Throws std::invalid_argument, one line, for scenes and options that penalty contacts do not take.
void check_penalty(const SceneSpec& scene, const StepOptions& options, Arithmetic arithmetic);

// The model must outlive what is returned.
std::unique_ptr<PenaltyContacts> make_penalty_contacts(const Model& model, const StepOptions& options);

}  // namespace pegrasp

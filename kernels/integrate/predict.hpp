// SPDX-License-Identifier: Apache-2.0
// Motion without constraint impulses: nu_free = u + M^-1 (h_/2 f_ + h/2 f); prescribed velocities; and the end pose
// q1 = q0 + h nu of any velocity.
//
// The velocity u that a scene keeps is that in the middle of the last (sub)step: displacement over length (leapfrog, or
// Stoermer-Verlet). So forces act at once where a (sub)step begins, for half of the last one, of length h_, and half of
// this one (kick_time), and a body that has made no step yet begins with its velocity at that time and h_ = 0. Forces
// that motors are commanded to give are those in the middle of the two (sub)steps. Impulses of contacts and joints act
// at the same place and need no such care: they are what the end pose asks for. All this is of second order where
// motion is smooth. A step of length 0 completes the last one: it ends with the velocity at its end
// (kernels/step/velocity_now.hpp).
//
// Quasistatic scenes (ModelView::quasistatic): every (sub)step is the first, from rest, with bodies a million times
// lighter (lightness), so that contacts and supports balance the applied forces and nothing is accelerated. Bodies on
// which nothing acts but those forces stay. The velocity that is kept is that of the (sub)step, for those who ask.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/motion.hpp"
#else
#include "kernels/planar/motion.hpp"
#endif
#include "kernels/joint/taut.hpp"
#include "kernels/scene/active.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline void predict_body(const SceneView& s, int body, double h) {
  if (s.model->joint_count > 0) release_body(s, body);
  free_motion(s, body, h);
  if (s.model->joint_count > 0) note_free_spin(s, body);
  // Without contacts a body in a quasistatic scene goes nowhere, or nowhere that could be told.
  const bool stays = is_dynamic(s, body) && !remembers_motion(*s.model);
  for (int i = 0; i < dof; ++i) s.nu[dof * body + i] = stays ? 0.0 : s.free_twist[dof * body + i];
  place_end(s, s.nu, body, h);
}

template <class Team>
PEGRASP_HD_APART void predict(Team& team, SceneView& s, const StepOptions& options) {
  for_each_active(team, s, [&](int body) { predict_body(s, body, options.h); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

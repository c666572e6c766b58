// SPDX-License-Identifier: Apache-2.0
// Reading a scene's arrays as vectors and frames.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/access.hpp"
#else
#include "kernels/planar/access.hpp"
#endif
#include "kernels/solver/kind.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool is_dynamic(const SceneView& s, int body) {
  return s.model->body_kind[body] == static_cast<int>(BodyKind::dynamic);
}
// Whether the body is present and follows prescribed motion.
PEGRASP_HD inline bool is_kinematic(const SceneView& s, int body) {
  return s.model->body_kind[body] == static_cast<int>(BodyKind::kinematic) && s.present[body] != 0;
}

// Whether bodies keep their velocities from one (sub)step to the next.
PEGRASP_HD inline bool remembers_motion(const ModelView& m) { return m.quasistatic == 0; }

// By how much bodies are lighter for impulses than they are for gravity. In quasistatic scenes forces balance but for
// this share of what would accelerate the bodies (Berard's thesis, 3.28): a smaller share, and rounding would show.
PEGRASP_HD inline double lightness(const ModelView& m) { return m.quasistatic != 0 ? m.lightness : 1.0; }

// Whether gravity acts on the body: what takes a body along its prescribed motion also carries its weight.
PEGRASP_HD inline bool has_weight(const SceneView& s, int body) { return s.model->body_follows[body] == 0; }

// How long [s] forces act on the body where a (sub)step of h [s] begins: for half of its last (sub)step and half of
// this one (kernels/integrate/predict.hpp).
PEGRASP_HD inline double kick_time(const SceneView& s, int body, double h) { return 0.5 * (s.last_h[body] + h); }
// The time [s] that the kept impulses go by. Impulses that balance forces act for as long as these do, which is not the
// length of a step next to a longer or shorter one. Newton's method and AJ hardly notice; for them the batched strategy
// keeps impulses for whole steps, by factors that are exact.
PEGRASP_HD inline double warm_time(const SceneTally& t, const StepOptions& options) {
  return is_sweeping(options.solver) ? t.warm_kick : t.warm_h;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

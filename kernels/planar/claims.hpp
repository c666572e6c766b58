// SPDX-License-Identifier: Apache-2.0
// In 2D a scene is stepped as one, and every pair of bodies of the model's list is a candidate.
#pragma once

#include "kernels/scene/active.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline int candidate_count(const SceneView& s) { return s.model->body_pair_count; }
PEGRASP_HD inline int candidate(const SceneView&, int i) { return i; }
PEGRASP_HD inline bool may_meet(const SceneView& s, int a, int b) { return s.present[a] && s.present[b]; }
template <class Team>
PEGRASP_HD void keep_to_claims(Team&, SceneView&) {}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

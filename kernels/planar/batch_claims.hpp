// SPDX-License-Identifier: Apache-2.0
// Bodies in 2D claim no boxes: the batched strategy steps each scene as one.
#pragma once

#include "kernels/batch/island_members.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

template <class Device, class Buffers>
void claim_boxes(Device&, BatchView&, Buffers&) {}
template <class Device, class Buffers>
void keep_to_claims(Device&, BatchView&, Buffers&) {}
PEGRASP_HD inline void carry_kinematic(const SceneView&, int, double, double) {}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

// SPDX-License-Identifier: Apache-2.0
// The candidates of the broad phase: pairs of bodies whose boxes are compared. In 3D they follow from claims, by which
// the scene falls into islands.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/claims.hpp"
#else
#include "kernels/planar/claims.hpp"
#endif

// SPDX-License-Identifier: Apache-2.0
// A step of a whole scene: in 3D island by island (kernels/spatial/islands.hpp), in 2D all bodies together.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/islands.hpp"
#else
#include "kernels/planar/islands.hpp"
#endif

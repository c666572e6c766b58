// SPDX-License-Identifier: Apache-2.0
// Vectors and frames: of the plane in 2D (kernels/planar/vector.hpp), of space in 3D (kernels/spatial/vector.hpp).
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/vector.hpp"
#else
#include "kernels/planar/vector.hpp"
#endif

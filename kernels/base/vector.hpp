// SPDX-License-Identifier: Apache-2.0
// Vectors and frames of the dimension at hand.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/base/vec3.hpp"
#else
#include "kernels/base/vec2.hpp"
#endif

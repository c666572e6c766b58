// SPDX-License-Identifier: Apache-2.0
// Vectors and frames of the dimension at hand.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "math/vec3.hpp"
#else
#include "math/vec2.hpp"
#endif

// SPDX-License-Identifier: Apache-2.0
// Pair modes in 3D, of every pair of convex parts.
#pragma once

#include "kernels/spatial/polyhedron_modes.hpp"
#include "kernels/spatial/round_modes.hpp"

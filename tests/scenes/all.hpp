// SPDX-License-Identifier: Apache-2.0
// Every scene generator.
#pragma once

#include "scenes/basic.hpp"
#include "scenes/gear_squeeze.hpp"
#include "scenes/polygon_box.hpp"
#include "scenes/stack.hpp"
#include "scenes/thesis.hpp"
#include "scenes/triangle_drop.hpp"

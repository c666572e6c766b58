// SPDX-License-Identifier: Apache-2.0
// Every scene generator.
#pragma once

#include "tests/scenes/basic.hpp"
#include "tests/scenes/gear_squeeze.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/stack.hpp"
#include "tests/scenes/thesis.hpp"
#include "tests/scenes/triangle_drop.hpp"

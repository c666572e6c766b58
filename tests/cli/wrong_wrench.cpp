// SPDX-License-Identifier: Apache-2.0
// A user function whose wrenches make no sense, for cli/user_function_test.cpp: on a floor, without a number on a body
// that is alone, or out of the plane.
#include <cstring>
#include <limits>

#include "pegrasp/user_function.h"

extern "C" int pegrasp_user_function(pegrasp_user_step* step) {
  if (step->version < 2) return 1;
  if (step->body_count == 1) {
    step->wrench[0] = std::numeric_limits<double>::quiet_NaN();
  } else if (std::strcmp(step->body_name[0], "floor") == 0) {
    step->wrench[0] = 1.0;
  } else {
    step->wrench[2] = 1.0;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// A user function that tells of its calls, for cli/user_function_test.cpp.
#include <cstdio>

#include "pegrasp/user_function.h"

extern "C" int pegrasp_user_function(pegrasp_user_step* step) {
  std::fprintf(stderr, "%d ", step->step);
  return 0;
}

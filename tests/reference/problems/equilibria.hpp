// SPDX-License-Identifier: Apache-2.0
// General equilibria, see equilibria.cpp.
#pragma once

#include "tests/reference/problems/problem_set.hpp"

namespace pegrasp::problems {

NamedProblem scarf();
NamedProblem hansen();
NamedProblem von_thunen();

}  // namespace pegrasp::problems

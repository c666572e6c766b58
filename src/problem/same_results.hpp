// SPDX-License-Identifier: Apache-2.0
// Problems whose trials are trials of one map: at several values of axes, or with several variants of bodies.
#pragma once

#include "pegrasp/problem.hpp"
#include "src/text/document.hpp"

namespace pegrasp {

// What all combinations must have in common, or no file holds their results; throws InputError, without the place.
void must_have_the_same_results(const Problem& a, const Problem& b);

// Removes from a resolved problem what readers derived: what `given`, the file, does not have, and another combination
// has otherwise or not at all.
void remove_derived(Node& resolved, const Node& other, const Node* given);

}  // namespace pegrasp

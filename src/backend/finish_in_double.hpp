// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "pegrasp/simulation.hpp"

namespace pegrasp {

// A backend of fast arithmetic that runs scenes which single precision cannot solve (status_single_precision) again,
// from the start, on a backend of strict arithmetic. That one is made where it is first needed.
std::unique_ptr<Backend> finishing_in_double(std::unique_ptr<Backend> fast,
                                             std::function<std::unique_ptr<Backend>()> make_strict);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// The engine of this library, for MapOptions::reference.
#pragma once

#include <memory>

#include "pegrasp/reference_engine.hpp"

namespace pegrasp {

std::unique_ptr<ReferenceEngine> make_reference_engine();

}  // namespace pegrasp

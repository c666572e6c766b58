// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace pegrasp {

// Whether this program gets through some work with the HDF5 library, with or without an exception. HDF5 1.10 crashes on
// some damaged files and never returns from others, so that a process of its own tries it first; what becomes of that
// does no harm.
bool survives(const std::function<void()>& work);

}  // namespace pegrasp

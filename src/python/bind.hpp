// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace pegrasp::python {

void bind_simulation(nanobind::module_& module);

}  // namespace pegrasp::python

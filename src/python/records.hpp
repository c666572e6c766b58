// SPDX-License-Identifier: Apache-2.0
// How NumPy reads the structures that simulations return.
#pragma once

#include <nanobind/nanobind.h>

namespace pegrasp::python {

// {"outcome": [(name, format, offset), ..., ("", "", size)], ...}: fields of SceneOutcome, ContactReport, LoadReport
// and BodyLoad.
nanobind::dict record_fields();

}  // namespace pegrasp::python

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pegrasp {

// Number of cores that this process may run on, at least 1: those that a batch system or `taskset` leaves it, which may
// be fewer than the machine has.
int available_cores();

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pegrasp {

// Cores that this process may run on: what a batch system or `taskset` leaves it, not what the machine has. At least one.
int available_cores();

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Which part of a map a process simulates: --shard.
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp::cli {

// "3/8" is the third of eight parts; "auto" takes the numbers that a batch system or an MPI gives its tasks in the
// environment, and `says`, which may be null, gets the line that names them. Throws InputError.
Shard chosen_shard(const std::string& text, std::string* says);

}  // namespace pegrasp::cli

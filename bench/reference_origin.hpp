// SPDX-License-Identifier: Apache-2.0
// Where numbers come from: what every JSON file of the reference's benchmarks begins with.
#pragma once

#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "pegrasp/version.hpp"

namespace pegrasp::bench {

inline nlohmann::ordered_json origin() {
  return {{"date", now_utc()},
          {"version", version::number},
          {"git", version::git},
          {"compiler", version::compiler},
          {"build_type", version::build_type},
          {"processor", processor()}};
}

}  // namespace pegrasp::bench

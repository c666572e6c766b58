// SPDX-License-Identifier: Apache-2.0
// Where numbers come from: what JSON files of benchmarks begin with.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/machine.hpp"
#include "pegrasp/version.hpp"

namespace pegrasp::bench {

inline nlohmann::ordered_json origin() {
  return {{"date", now_utc()},
          {"version", version::number},
          {"git", version::git},
          {"compiler", version::compiler},
          {"build_type", version::build_type},
          {"flags", version::flags},
          {"processor", processor()}};
}

}  // namespace pegrasp::bench

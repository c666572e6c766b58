// SPDX-License-Identifier: Apache-2.0
// The build and the machine of a measurement, for files that store it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "bench/machine.hpp"
#include "pegrasp/version.hpp"

namespace pegrasp::bench {

// The head of a JSON file.
inline nlohmann::ordered_json origin() {
  return {{"date", now_utc()},
          {"version", version::number},
          {"git", version::git},
          {"compiler", version::compiler},
          {"build_type", version::build_type},
          {"flags", version::flags},
          {"processor", processor()}};
}

// The last columns of a CSV file. A build outside of a git repository does not know its revision.
inline nlohmann::ordered_json origin_columns() {
  return {{"version", version::number},
          {"revision", *version::git ? version::git : "unrecorded"},
          {"date", now_utc()},
          {"compiler", std::string(version::compiler) + ' ' + version::build_type},
          {"flags", version::flags},
          {"hardware", processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores"}};
}

}  // namespace pegrasp::bench

// SPDX-License-Identifier: Apache-2.0
// Default names of parts and actuators that a problem file leaves unnamed, for its readers and for --set. `index`
// counts from 0, the names from 1.
#pragma once

#include <string>

namespace pegrasp {

inline std::string default_part_name(std::size_t index) { return "part_" + std::to_string(index + 1); }

inline std::string default_actuator_name(const std::string& body, std::size_t index) {
  return body + "_actuator_" + std::to_string(index + 1);
}

}  // namespace pegrasp

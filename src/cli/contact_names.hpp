// SPDX-License-Identifier: Apache-2.0
// What the bodies, parts and constraints in a step's reports are called: by name, or by number where they have none.
#pragma once

#include <string>

#include "pegrasp/scene.hpp"
#include "pegrasp/step_report.hpp"

namespace pegrasp::cli {

std::string body_name(const SceneSpec& scene, int body);
// part: over all bodies, in order.
std::string part_name(const SceneSpec& scene, int part);
const char* feature_name(ContactFeature feature, bool spatial);
const char* state_name(ContactState state);

struct RowName {
  const char* kind;
  std::string name, row;
};
RowName row_name(const SceneSpec& scene, const RowReport& row);

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// The part of YAML in which grasp planners write: block mappings and lists by indentation, lists and mappings in
// brackets, plain and quoted scalars, remarks. Anchors, tags, several documents and texts over several lines are
// refused.
#pragma once

#include <string>

#include "src/text/document.hpp"

namespace pegrasp {

// Throws InputError, "origin:line: ...", for text that is no YAML or not of this part. Plain scalars become booleans,
// integers, reals or texts, and an empty value or null a Node of type `other`.
Node parse_yaml(const std::string& text, const std::string& origin);

// A text as a YAML scalar that reads back as this text, and a finite number as one that reads back to the same bits.
// The number has a point, without which readers of YAML 1.1 take 1e-17 for a text.
std::string yaml_text(const std::string& text);
std::string yaml_number(double value);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/problem.hpp"
#include "src/text/document.hpp"

namespace pegrasp {

// Sets the value at a dotted path. Array elements are named by index (`friction.0.mu`, `friction[0].mu`), by their
// `name` (`body.gear.mass_kg`) or by the bodies between which they are (`friction.gear.left_finger.mu`). A quantity
// given in one unit replaces the same quantity in another.
void apply_override(Node& root, const Override& change, const std::string& origin);

// The same of a value that is read. option: what gave the key, for messages.
void set_value(Node& root, const std::string& key, const Node& value, const std::string& origin,
               const std::string& option);

// The value at a dotted path, or null. table: the table that holds it, or null.
const Node* find_value(const Node& root, const std::string& key, const Node** table = nullptr);

// The path with indices for names and without the unit of its last step: the same for all ways to write a key.
std::string place_of_key(const Node& root, const std::string& key);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Bodies that are one of several sets of parts: `variants` and `variant` of a [[body]].
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/problem/section.hpp"

namespace pegrasp {

// Checks the variants of all bodies and puts the keys of the chosen ones into the tables of the bodies.
void choose_variants(ReadContext& context, Node& document);

// A body whose variant is left to chance.
struct VariantTable {
  std::size_t body = 0;  // of the list
  std::string name;      // of the body
  std::vector<std::string> names;
  std::vector<double> weights;
};
std::vector<VariantTable> variants_left_to_chance(ReadContext& context, const Node& document);

// Reads the variants of a body for the resolved problem; their keys are those of the body by now. read_parts(list,
// path) returns the resolved form of a list of parts.
void read_variants(Section& section, const std::function<Node(const Node* list, const std::string& path)>& read_parts);

// Removes from a resolved body the keys that it has from its variant.
void drop_keys_of_variants(Node& body);

}  // namespace pegrasp

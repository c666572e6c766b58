// SPDX-License-Identifier: Apache-2.0
// The tables [[design]] of a problem file.
#pragma once

#include <vector>

#include "pegrasp/evaluate_rows.hpp"
#include "src/problem/section.hpp"

namespace pegrasp {

// The parameters of the document's tables, and of further ones. Numbers that a table leaves out are taken from the
// document. Throws InputError.
std::vector<DesignParameter> read_design(ReadContext& context, const Node& document,
                                         const std::vector<DesignParameter>& further);

// The document with these numbers as the starts of its tables and at the keys of all parameters.
Node with_values(const Node& document, const std::vector<DesignParameter>& parameters,
                 const std::vector<double>& values, const std::string& origin);

}  // namespace pegrasp

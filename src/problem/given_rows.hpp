// SPDX-License-Identifier: Apache-2.0
// Trials that a file gives (map.samples_from). A column is a key of the problem, as in --set, whose value becomes
// { distribution = "given", column = ... }, or the name of an uncertain parameter (Uncertainties::give()).
#pragma once

#include <memory>
#include <string>

#include "pegrasp/problem.hpp"
#include "src/problem/section.hpp"
#include "src/text/document.hpp"

namespace pegrasp {

// The rows that the document asks for; null where it asks for none, or not as it should (read_given_rows() says so).
std::shared_ptr<const NumberTable> rows_of(const Node& document, const std::filesystem::path& folder);

// Whether a column is a key of the document, not the name of a parameter.
bool is_key_column(const std::string& column);

// Puts the columns that are keys into the document.
void give_keys(Node& document, const NumberTable& rows, const std::string& origin);

// Throws an error of reading the problem as one of the column that caused it, if one did.
void fail_as_column(const InputError& error, const NumberTable& rows);

// Reads map.samples_from and what else [map] says of the samples.
void read_sampling(Section& map, const std::shared_ptr<const NumberTable>& rows, Problem& problem);

// Reads [[correlation]] of the problem, whose uncertain parameters are there.
void read_correlations(ReadContext& context, const Node* node, Problem& problem);

}  // namespace pegrasp

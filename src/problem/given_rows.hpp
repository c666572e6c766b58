// SPDX-License-Identifier: Apache-2.0
// Trials that a file gives (map.samples_from). A column is a key of the problem, as in --set, whose value becomes
// { distribution = "given", column = ... }, or the name of an uncertain parameter (Uncertainties::give()).
#pragma once

#include <functional>
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

// The problem of a document whose trials are rows. Columns whose keys take no number that differs from trial to trial
// make a scene of each combination of their values (AxisGroups::by_row). read: a problem, and its resolved form, where
// the document has numbers in place of the columns of scenes. Of a problem with such columns the caller writes
// `resolved` into it.
using ReadDocument = std::function<Problem(Node document, const std::vector<std::size_t>& of_scenes, Node& resolved)>;
Problem read_with_rows(const Node& document, ReadContext& context, const NumberTable& rows, const ReadDocument& read,
                       Node& resolved);

// Reads map.samples_from and what else [map] says of the samples.
void read_sampling(Section& map, const std::shared_ptr<const NumberTable>& rows, Problem& problem);

// Reads [[correlation]] of the problem, whose uncertain parameters are there.
void read_correlations(ReadContext& context, const Node* node, Problem& problem);

}  // namespace pegrasp

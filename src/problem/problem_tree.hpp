// SPDX-License-Identifier: Apache-2.0
// A problem that a program has put together, not a file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/problem/axis_cells.hpp"
#include "src/text/document.hpp"

namespace pegrasp {

// Reads a tree as parse_problem reads a text. Relative paths start at the folder. A message names what Node::given_by
// does, or else the origin. Throws InputError.
Problem problem_of_tree(Node document, const std::string& origin, const std::filesystem::path& folder,
                        const std::vector<Override>& overrides);

// The problem of a resolved document, which has [[axis]], with the cells that `choose` lists in place of its own. It
// may give the axes other values.
using ChooseCells = std::function<ListedCells(std::vector<AxisTable>& axes)>;
Problem listed_of_tree(Node document, const std::string& origin, const ChooseCells& choose);

}  // namespace pegrasp

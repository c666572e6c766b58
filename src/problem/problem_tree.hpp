// SPDX-License-Identifier: Apache-2.0
// A problem that a program has put together, not a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/text/document.hpp"

namespace pegrasp {

// Reads a tree as parse_problem reads a text. Relative paths start at the folder. A message names what Node::given_by
// does, or else the origin. Throws InputError.
Problem problem_of_tree(Node document, const std::string& origin, const std::filesystem::path& folder,
                        const std::vector<Override>& overrides);

}  // namespace pegrasp

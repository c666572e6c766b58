// SPDX-License-Identifier: Apache-2.0
// Files of complementarity problems (docs/reference/stored-problems.md). One problem lies at the root, as fclib has it;
// several lie in groups problem_000000, problem_000001, ..., each of which is laid out like the root of a file of one.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "src/reference/io/stored_problem.hpp"

namespace pegrasp::reference {

// Reads all problems of a file, in the order of their groups' names. Throws InputError, one line, for a file that is
// missing, damaged or of another layout, or that holds no problem.
std::vector<StoredProblem> load_problems(const std::filesystem::path& file);

// The bytes of a file that holds these problems; reading them back gives the same bits. Throws Interrupted, between two
// problems, once `stop` (may be null) is set.
std::string problem_file_bytes(const std::vector<StoredProblem>& problems, const std::atomic<bool>* stop = nullptr);

}  // namespace pegrasp::reference

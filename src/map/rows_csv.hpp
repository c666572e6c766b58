// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "pegrasp/map.hpp"
#include "src/formats/atomic_file.hpp"

namespace pegrasp {

// Writes rows_out.csv of a problem with Problem::rows, a line a trial in the order of the rows, cell by cell: the row's
// numbers, and what came of them. It does not show the file.
std::unique_ptr<AtomicFile> write_rows_csv(const SuccessMap& map, const Problem& problem,
                                           const std::filesystem::path& out);

}  // namespace pegrasp

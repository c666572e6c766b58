// SPDX-License-Identifier: Apache-2.0
// Reads columns of numbers: CSV with a line of names, or the one-dimensional datasets at the root of an HDF5 file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "pegrasp/problem.hpp"

namespace pegrasp {

// Throws InputError, one line with file, line, column and remedy. what: that a row is, for messages: "trial".
std::shared_ptr<const NumberTable> read_number_table(const std::filesystem::path& file, const std::string& what);

// The text of a CSV file. Throws as read_number_table() does.
NumberTable parse_number_table(const std::string& text, const std::filesystem::path& file, const std::string& what);

// "rows.csv: line 7, column \"mu\"", for messages.
std::string place_in(const NumberTable& table, std::size_t row, std::size_t column);

}  // namespace pegrasp

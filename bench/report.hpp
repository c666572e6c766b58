// SPDX-License-Identifier: Apache-2.0
// Measurements as a table for people and as JSON for machines, with what is needed to read them later.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "measure.hpp"

namespace pegrasp::bench {

void print_table(std::ostream& out, const std::vector<Measurement>& measurements, const std::string& arithmetic);

// Throws std::runtime_error when the file cannot be written.
void write_json(const std::string& file, const std::vector<Measurement>& measurements, const std::string& arithmetic);

}  // namespace pegrasp::bench

// SPDX-License-Identifier: Apache-2.0
// Measurements as a table on the terminal and as JSON and CSV files, with the build and the machine.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/measure.hpp"

namespace pegrasp::bench {

// A benchmark that was not measured.
struct LeftOut {
  std::string name;
  bool failed = false;  // else skipped: this build cannot make it
  std::string why;
};

struct Report {
  std::string arithmetic;
  std::vector<Measurement> measurements;
  std::vector<LeftOut> left_out;
};

void print_table(std::ostream& out, const Report& report);

// Throws std::runtime_error when the file cannot be written.
void write_json(const std::string& file, const Report& report);
// One row for each benchmark, with the columns of bench/results/README.md except the first. The columns are the same in
// every file; phase_NAME_us is empty where phases were not measured.
void write_csv(const std::string& file, const Report& report);

}  // namespace pegrasp::bench

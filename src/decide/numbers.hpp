// SPDX-License-Identifier: Apache-2.0
// Numbers as the decisions print them.
#pragma once

#include <string>

namespace pegrasp::decide {

// The shortest text that reads back the same; nan where there is none.
std::string shortest_text(double value);
// By a format of printf for one number.
std::string text_of(const char* format, double value);
// A word of a shell's command line, and a cell of a CSV file, quoted where they need it.
std::string shell_word(const std::string& text);
std::string csv_cell(const std::string& text);

}  // namespace pegrasp::decide

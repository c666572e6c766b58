// SPDX-License-Identifier: Apache-2.0
// Figures and claims of the theses on complementarity problems, done again with the reference: a table each.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pegrasp::bench {

struct StudyTable {
  std::vector<std::string> head;  // a title that begins with '>' is of a column of numbers
  std::vector<std::vector<std::string>> rows;
};

struct Study {
  std::string name, about;
  std::function<StudyTable()> run;
};

const std::vector<Study>& studies();

}  // namespace pegrasp::bench

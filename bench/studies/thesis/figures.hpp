// SPDX-License-Identifier: Apache-2.0
// Figures and claims of the theses on complementarity problems, repeated with the reference simulator, and the cost of
// its steps: one table for each.
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

// examples: the folder of the example problems.
std::vector<Study> studies(const std::string& examples);

// literal_steps.cpp
StudyTable literal_peg();
StudyTable traps();
StudyTable joint_correction();

// implicit_steps.cpp
StudyTable implicit_steps();

// step_times.cpp
StudyTable gear_step_times(const std::string& examples);
StudyTable step_times_by_size(const std::string& examples);

}  // namespace pegrasp::bench

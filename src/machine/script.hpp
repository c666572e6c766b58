// SPDX-License-Identifier: Apache-2.0
// Programs in Python that draw pictures or call a library that only Python has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pegrasp {

// A script in share/pegrasp/scripts beside the folder of the program, where `install` puts it, or in that of a build;
// empty where there is none. Never in the current folder or one whose name was fixed when the program was built: who
// can write there could have anything run.
std::filesystem::path find_script(const std::string& name);
// The same of any file in share/pegrasp, by its path there.
std::filesystem::path find_shared(const std::filesystem::path& name);

// Exit codes: of run_program(), and of the scripts.
inline constexpr int interrupted = 130;
inline constexpr int could_not_run = 127;
inline constexpr int could_not_write = 74;  // CANNOT_WRITE
inline constexpr int package_missing = 69;  // NOT_THERE

// Whether a program finishes what it has begun when Ctrl-C is pressed, or ends at once.
enum class OnInterrupt { finishes, ends };

// Runs a program without a shell; what it says is kept. Exit code; could_not_run; interrupted, where Ctrl-C ended it,
// which is left for the caller to pass on. The program ends with this one.
int run_program(const std::vector<std::string>& words, std::string& said, OnInterrupt interrupt);

// The last line of a text that is not empty.
std::string last_line(const std::string& text);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Where the files are that come with the program.
#pragma once

#include <filesystem>
#include <vector>

namespace pegrasp {

// Folders share/pegrasp, the likeliest first, whether or not they are there: beside the folder of the program, where
// `install` puts it, in that of a build, and beside the shared library that holds this code, such as Python's module.
// Never in the current folder.
std::vector<std::filesystem::path> share_folders();

}  // namespace pegrasp

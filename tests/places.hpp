// SPDX-License-Identifier: Apache-2.0
// Where tests find things. Functions, so that one object file only depends on where the repository and the build are:
// the others may come from a compiler cache.
#pragma once

#include <string>

namespace pegrasp::test {

std::string source_dir();    // the repository
std::string program();       // the command line
std::string fake_library();  // stands for PATH's library; empty where it is not built

// A path of the repository.
inline std::string source_file(const std::string& path) { return source_dir() + "/" + path; }

}  // namespace pegrasp::test

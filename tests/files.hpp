// SPDX-License-Identifier: Apache-2.0
// Files that tests read, and what is said when something is refused.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "pegrasp/problem.hpp"
#include "tests/places.hpp"

namespace pegrasp::test {

// All of a file, byte by byte.
inline std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The message of the InputError that `call` throws; empty when it throws none.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace pegrasp::test

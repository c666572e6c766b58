// SPDX-License-Identifier: Apache-2.0
#include "tests/places.hpp"

#include <cstdlib>

#ifndef PEGRASP_FAKE_PATH
#define PEGRASP_FAKE_PATH ""
#endif

namespace pegrasp::test {

std::string source_dir() { return PEGRASP_SOURCE_DIR; }
// The gate runs programs that lie elsewhere than where they were built.
std::string program() {
  const char* const other = std::getenv("PEGRASP_TEST_PROGRAM");
  return other != nullptr ? other : PEGRASP_CLI;
}
std::string fake_library() { return PEGRASP_FAKE_PATH; }

}  // namespace pegrasp::test

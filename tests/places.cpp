// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#ifndef PEGRASP_FAKE_PATH
#define PEGRASP_FAKE_PATH ""
#endif

namespace pegrasp::test {

std::string source_dir() { return PEGRASP_SOURCE_DIR; }
std::string program() { return PEGRASP_CLI; }
std::string fake_library() { return PEGRASP_FAKE_PATH; }

}  // namespace pegrasp::test

// SPDX-License-Identifier: Apache-2.0
// Which backend the tests run on, and that nothing else is tested in its place.
#include "tests/test_backend.hpp"

#include <gtest/gtest.h>

namespace pegrasp::test {
namespace {

TEST(TestBackend, IsTheCpuUnlessAskedFor) {
  EXPECT_EQ(backend_named(nullptr), BackendKind::cpu);
  EXPECT_EQ(backend_named("cpu"), BackendKind::cpu);
}

TEST(TestBackend, AnUnknownNameOrAMissingDeviceFails) {
  for (const char* wrong : {"", "CUDA", "gpu", "auto", "cuda "}) {
    EXPECT_THROW(backend_named(wrong), std::runtime_error) << wrong;
  }
  if (backend_info(BackendKind::cuda).available) {
    EXPECT_EQ(backend_named("cuda"), BackendKind::cuda);
  } else {
    EXPECT_THROW(backend_named("cuda"), std::runtime_error);
  }
}

TEST(TestBackend, IsTheOneThatIsMade) { EXPECT_EQ(make_backend_under_test(1)->name(), backend_under_test_name()); }

}  // namespace
}  // namespace pegrasp::test

// SPDX-License-Identifier: Apache-2.0
// The reference simulator turns cups over in the feeder of the examples as the kernels do.
#include <gtest/gtest.h>

#include "tests/cli/child.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

TEST(FeederValidateLong, AgreesOnFiftyTrials) {
  const test::Folder folder;
  const test::Finished done =
      test::pegrasp_run(folder, {"validate", test::source_file("examples/feeder/feeder.toml"), "--samples", "50"});
  EXPECT_EQ(done.code, 0) << done.out << done.err;
}

}  // namespace
}  // namespace pegrasp

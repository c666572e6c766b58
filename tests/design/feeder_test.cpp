// SPDX-License-Identifier: Apache-2.0
// The feeder of Berard's thesis, 4.3.1: a design that turns over whatever comes, and levels that do not
// contradict each other.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "src/design/verify.hpp"
#include "tests/files.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::design {
namespace {

const std::string feeder = test::source_file("examples/feeder/feeder.toml");

DesignResult verified_feeder(const DesignOptions& options, const std::vector<Override>& overrides) {
  const RowEvaluator rows(std::filesystem::path(feeder), overrides);
  const auto backend = test::make_backend_under_test(0);
  RowLog log(rows, *backend, log_options(options));
  DesignResult result = verify_designs(rows, *backend, log, options);
  log.finish();
  return result;
}

TEST(FeederLong, ItsDesignPasses) {
  const test::Folder folder;
  DesignOptions options;
  options.designs = 0;
  options.folder = folder.path();
  const DesignResult result = verified_feeder(options, {{"map.samples", "400"}});
  EXPECT_EQ(result.grid, 24 * 9);
  ASSERT_EQ(result.designs.size(), 1u);
  EXPECT_TRUE(result.designs[0].of(Level::geometric).passed);
  EXPECT_TRUE(result.designs[0].of(Level::dynamic).passed) << result.designs[0].of(Level::dynamic).first_failing;
  EXPECT_EQ(result.designs[0].of(Level::dynamic).trials, 24 * 9 + 400);
}

// Every design that the geometric level refuses fails in simulation, too, within 50 trials.
TEST(FeederLong, NoDesignThatGeometryRefusesPassesInSimulation) {
  const test::Folder folder;
  DesignOptions options;
  options.designs = 100;
  options.naive = true;
  options.folder = folder.path();
  const DesignResult result = verified_feeder(options, {{"map.samples", "50"}, {"axis", "[]"}});
  const DesignTotals totals = totals_of(result, options);
  EXPECT_GE(totals.refused[0], 10u);
  EXPECT_TRUE(totals.contradictions.empty());
}

}  // namespace
}  // namespace pegrasp::design

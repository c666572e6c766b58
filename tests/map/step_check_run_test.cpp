// SPDX-License-Identifier: Apache-2.0
// The step check with real scenes: it says what maps at half the step, and from a cold start, say of the same trials.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pegrasp/map.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

using test::Folder;

// Things that slide off at an uncertain speed: a disc on its table in 2D, a box on a floor in 3D.
const char* const puck = R"(
[map]
samples = 300
[simulation]
h_ms = 40
duration_s = 0.5
[[body]]
name = "thing"
mass_kg = 0.1
vx_mm_s = { distribution = "uniform", low = 100, high = 400 }
support = { radius_mm = 7, friction = { distribution = "uniform", low = 0.1, high = 0.6 } }
[[body.part]]
shape = "disc"
radius_mm = 10
[success]
displacement_below_mm = 10
of = "thing"
)";

const char* const box = R"(
dim = 3
[map]
samples = 200
[simulation]
h_ms = 40
duration_s = 0.3
[[friction]]
between = ["thing", "floor"]
mu = { distribution = "uniform", low = 0.1, high = 0.6 }
[[body]]
name = "floor"
kind = "fixed"
[[body.part]]
shape = "box"
size_mm = [400, 400, 40]
centre_mm = [0, 0, -20]
[[body]]
name = "thing"
mass_kg = 0.1
z_mm = 10
vx_mm_s = { distribution = "uniform", low = 100, high = 400 }
[[body.part]]
shape = "box"
size_mm = [20, 20, 20]
[success]
displacement_below_mm = 10
of = "thing"
)";

struct Case {
  const char* name;
  const char* text;
  const char* strategy;
};

SuccessMap mapped(const Problem& problem, const std::filesystem::path& out, double share, int threads) {
  const std::unique_ptr<Backend> backend = test::make_backend_under_test(threads);
  MapOptions options;
  options.out = out;
  options.step_check = share;
  SuccessMap map = run_map(problem, *backend, options);
  map.journal.reset();
  return map;
}

class StepCheckOf : public ::testing::TestWithParam<Case> {};

TEST_P(StepCheckOf, AgreesWithMapsOfTheSameTrials) {
  Folder folder;
  const auto problem = [](std::vector<Override> more) {
    more.push_back({"simulation.strategy", std::string("\"") + GetParam().strategy + "\""});
    return parse_problem(GetParam().text, "thing.toml", more);
  };
  const Problem given = problem({});
  const SuccessMap map = mapped(given, folder.path(), 1.0, 2);
  // 0.5 s are 12.5 steps of 40 ms, of which 13 are taken, and 0.3 s are 7.5, of which 8 are.
  const std::string simulated = given.scene.spatial ? "0.32" : "0.52";
  const SuccessMap half = mapped(problem({{"simulation.h_ms", "20"}, {"simulation.duration_s", simulated}}),
                                 folder.path(), 0.0, 1),
                   cold = mapped(problem({{"simulation.warm_start", "false"}}), folder.path(), 0.0, 1);
  ASSERT_EQ(map.rerun.size(), map.outcomes.size());
  long long gained = 0, lost = 0;
  for (std::size_t k = 0; k < map.rerun.size(); ++k) {
    const auto of = [k](const SuccessMap& other) {
      return RerunOutcome{other.outcomes[k].status, other.outcomes[k].success};
    };
    EXPECT_EQ(map.rerun[k], (Rerun{of(map), of(half), of(cold)})) << k;
    if (map.outcomes[k].status != status_ok || half.outcomes[k].status != status_ok) continue;
    gained += half.outcomes[k].success > map.outcomes[k].success ? 1 : 0;
    lost += half.outcomes[k].success < map.outcomes[k].success ? 1 : 0;
  }
  ASSERT_TRUE(map.step_check);
  EXPECT_EQ(map.step_check->half.gained, gained);
  EXPECT_EQ(map.step_check->half.lost, lost);
  EXPECT_GT(map.step_check->half.flips(), 0) << "a step of 40 ms is too long for things that stop within 0.1 s";
}

INSTANTIATE_TEST_SUITE_P(Scenes, StepCheckOf,
                         ::testing::Values(Case{"planar", puck, "per-scene"}, Case{"planar_batched", puck, "batched"},
                                           Case{"spatial", box, "per-scene"}, Case{"spatial_batched", box, "batched"}),
                         [](const ::testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pegrasp

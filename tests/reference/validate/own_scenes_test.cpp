// SPDX-License-Identifier: Apache-2.0
// The reference simulator in trials with scenes of their own: the fallback of a map, and pegrasp validate.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "pegrasp_reference/engine.hpp"
#include "tests/cli/child.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::Finished;
using test::Folder;
using test::pegrasp_run;

// A backend that resolves nothing.
class Helpless final : public Backend {
 public:
  std::string name() const override { return "helpless"; }
  std::string device() const override { return "no device"; }
  bool run(const Model&, const StepOptions&, std::span<const double>, std::span<SceneOutcome> outcomes,
           std::span<double> final_poses, const std::atomic<bool>*) override {
    for (SceneOutcome& o : outcomes) o.status = status_not_converged;
    for (double& p : final_poses) p = 0.0;
    return true;
  }
};

// A box that slides over the floor and turns. size, and what scales it.
std::string sliding(bool spatial, const std::string& size, const std::string& scale, const std::string& tilt) {
  return std::string(spatial ? "dim = 3\n" : "") + "[map]\nsamples = 3\n[simulation]\nduration_s = 0.03\n[gravity]\n" +
         (spatial ? "" : "y_m_s2 = -9.81\n") + tilt +
         "[[friction]]\nbetween = [\"box\", \"floor\"]\nmu = 0.3\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\n" +
         (spatial ? "part = [{ shape = \"half_space\", normal = [0, 0, 1] }]\n"
                  : "part = [{ shape = \"half_plane\", normal = [0, 1] }]\n") +
         "[[body]]\nname = \"box\"\nmass_kg = 0.2\nvx_mm_s = { distribution = \"uniform\", low = 100, high = 300 }\n" +
         (spatial ? "z_mm = 12\n" : "y_mm = 12\nturn_deg = 1\n") + scale + "part = [{ shape = \"box\", " + size +
         " }]\n[success]\ndisplacement_below_mm = 5\nof = \"box\"\n";
}

class OwnScenesByReference : public testing::TestWithParam<bool> {};

TEST_P(OwnScenesByReference, TheFallbackTakesTheSizeAndGravityOfTheTrial) {
  const bool spatial = GetParam();
  const std::string constant = " = { distribution = \"constant\", value = ";
  const std::string tilt_key = spatial ? "tilt_y_deg" : "tilt_deg";
  const Problem written = parse_problem(
      sliding(spatial, spatial ? "size_mm = [30, 20, 24]" : "width_mm = 30, height_mm = 24", "", tilt_key + " = 10\n"),
      "box.toml");
  const Problem drawn =
      parse_problem(sliding(spatial, spatial ? "size_mm = [20, 20, 24]" : "width_mm = 20, height_mm = 24",
                            "scale_x" + constant + "1.5 }\n", tilt_key + constant + "10 }\n"),
                    "box.toml");
  ASSERT_TRUE(drawn.changes.any());
  static const std::unique_ptr<ReferenceEngine> engine = make_reference_engine();
  const Folder folder;
  const auto run = [&](const Problem& problem, const char* name) {
    Helpless backend;
    MapOptions options;
    options.out = folder.path() / name;
    options.fallback = Fallback::reference;
    options.reference = engine.get();
    options.threads = 2;
    return run_map(problem, backend, options);
  };
  const SuccessMap a = run(written, "written"), b = run(drawn, "drawn");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(b.by_reference[i], resolved_by_reference);
  for (std::size_t i = 0; i < a.final_poses.size(); ++i) EXPECT_NEAR(a.final_poses[i], b.final_poses[i], 1e-9);
  EXPECT_GT(std::fabs(a.final_poses[a.poses() / 2]), 1e-4) << "the box has moved";
}

TEST_P(OwnScenesByReference, ValidateComparesEachTrialInItsScene) {
  const bool spatial = GetParam();
  const Folder folder;
  const std::string scale = "scale_x = { distribution = \"uniform\", low = 0.7, high = 1.5 }\n";
  const std::string file = folder.path() / "box.toml";
  const std::string tilt = " = { distribution = \"uniform\", low = 0, high = 20 }\n";
  std::ofstream(file) << sliding(spatial, spatial ? "size_mm = [20, 20, 24]" : "width_mm = 20, height_mm = 24", scale,
                                 (spatial ? "tilt_y_deg" : "tilt_deg") + tilt);
  const Finished run = pegrasp_run(folder, {"validate", file, "--json"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report["trials"], 3) << run.out;
}

INSTANTIATE_TEST_SUITE_P(Dimensions, OwnScenesByReference, testing::Bool(),
                         [](const auto& info) { return info.param ? "Spatial" : "Planar"; });

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// A batch of scenes in 3D gives the bytes of each scene alone, on any number of threads of the backend under test.
#include <gtest/gtest.h>

#include <cstring>

#include "pegrasp/simulation.hpp"
#include "tests/scenes/polyhedron_box.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

TEST(SpatialBatch, DoesNotDependOnThreadsOrCompany) {
  const SceneSpec scene = scenes::polyhedron_box(3, 0.3, 3);
  StepOptions asked;
  asked.h = 0.008;
  asked.duration = 1.6;
  asked.load_sharing = true;
  const StepOptions options = derive_options(asked, scene);
  const auto model = compile_model(scene);
  const ParameterLayout layout = parameter_layout(scene);
  const std::size_t stride = static_cast<std::size_t>(layout.size());
  const std::size_t poses = static_cast<std::size_t>(layout.pose_size() * layout.body_count);
  constexpr std::size_t count = 5;
  std::vector<double> parameters;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> one = scene_parameters(scene);
    one[static_cast<std::size_t>(layout.velocity(5))] += 0.1 * static_cast<double>(k);
    parameters.insert(parameters.end(), one.begin(), one.end());
  }
  const auto run = [&](int threads, std::size_t first, std::size_t scenes) {
    std::vector<SceneOutcome> outcomes(scenes);
    std::vector<double> final_poses(scenes * poses);
    const std::span<const double> part(parameters.data() + first * stride, scenes * stride);
    EXPECT_TRUE(test::make_backend_under_test(threads)->run(*model, options, part, outcomes, final_poses, nullptr));
    for (const SceneOutcome& outcome : outcomes) EXPECT_EQ(outcome.status, status_ok);
    return final_poses;
  };
  const std::vector<double> one_thread = run(1, 0, count);
  const std::vector<double> three_threads = run(3, 0, count);
  EXPECT_EQ(std::memcmp(one_thread.data(), three_threads.data(), one_thread.size() * sizeof(double)), 0);
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<double> alone = run(1, k, 1);
    EXPECT_EQ(std::memcmp(alone.data(), one_thread.data() + k * poses, poses * sizeof(double)), 0) << "scene " << k;
    EXPECT_TRUE(k == 0 || std::memcmp(one_thread.data(), one_thread.data() + k * poses, poses * sizeof(double)) != 0);
  }
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Samples are the same bytes whoever draws them: one by one, on several threads, from a plan in other memory, on the
// backend under test.
#include "pegrasp/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/launch/cuda/sample_plan_image.hpp"
#include "kernels/sampling/draw_sample.hpp"
#include "kernels/sampling/sample_plan.hpp"
#include "pegrasp/simulation.hpp"
#include "src/sampling/distributions.hpp"
#include "tests/engine/emulated_device.hpp"
#include "tests/files.hpp"
#include "tests/results/synthetic_map.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/all.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

// Samples first, first + 1, ... of a problem and what became of them.
struct Rows {
  Rows(const Problem& problem, const Sampler& sampler, std::size_t count)
      : outcomes(count),
        poses(count * problem.scene.bodies.size() *
              static_cast<std::size_t>(parameter_layout(problem.scene).pose_size())),
        values(count * sampler.values(), -7.0),
        redrawn(count, -7) {}

  SampleJob job(const Sampler& sampler, std::size_t first, int threads = 0) {
    return {sampler, first, outcomes, poses, values, redrawn, threads};
  }
  bool operator==(const Rows& other) const {
    return outcomes.size() == other.outcomes.size() && poses.size() == other.poses.size() &&
           std::memcmp(outcomes.data(), other.outcomes.data(), outcomes.size() * sizeof(SceneOutcome)) == 0 &&
           std::memcmp(poses.data(), other.poses.data(), poses.size() * sizeof(double)) == 0 &&
           values == other.values && redrawn == other.redrawn;
  }

  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses, values;
  std::vector<int> redrawn;
};

Problem short_gear(std::vector<Override> more = {}) {
  more.insert(more.begin(), {{"map.samples", "7"}, {"simulation.duration_s", "0.05"}});
  return load_problem(test::source_file("examples/gear/gear.toml"), more);
}

// Each drawn by draw_sample(), then all run by the CPU backend.
Rows one_by_one(const Problem& problem, std::size_t first, std::size_t count) {
  const Sampler sampler(problem);
  const std::vector<double> base = scene_parameters(problem.scene);
  const auto samples = static_cast<std::size_t>(problem.samples);
  Rows rows(problem, sampler, count);
  std::vector<double> parameters(count * base.size());
  for (std::size_t i = 0; i < count; ++i) {
    rows.redrawn[i] = draw_sample(problem, base, static_cast<int>((first + i) / samples),
                                  static_cast<int>((first + i) % samples), {&parameters[i * base.size()], base.size()},
                                  {rows.values.data() + i * sampler.values(), sampler.values()});
  }
  const std::shared_ptr<const Model> model = compile_model(problem.scene);
  const StepOptions options = derive_options(problem.options, problem.scene);
  EXPECT_TRUE(make_backend(BackendKind::cpu, Arithmetic::strict, 1)
                  ->run(*model, options, parameters, rows.outcomes, rows.poses, nullptr));
  return rows;
}

Rows run_on(Backend& backend, const Problem& problem, std::size_t first, std::size_t count, int threads = 0) {
  const Sampler sampler(problem);
  Rows rows(problem, sampler, count);
  SampleJob job = rows.job(sampler, first, threads);
  EXPECT_TRUE(
      backend.run_samples(*compile_model(problem.scene), derive_options(problem.options, problem.scene), job, nullptr));
  return rows;
}

std::size_t count_of(const Problem& problem) {
  return static_cast<std::size_t>(problem.grid.cells()) * static_cast<std::size_t>(problem.samples);
}

const char* const files[] = {"examples/gear/gear.toml", "examples/lift/lift.toml", "tests/problem/every_key.toml",
                             "tests/problem/every_key_3d.toml"};

// A plan draws what the problem's distributions do, by the streams that the problem names.
TEST(Sampler, DrawsWhatTheProblemSays) {
  for (const char* file : files) {
    SCOPED_TRACE(file);
    const Problem problem = load_problem(test::source_file(file));
    const Sampler sampler(problem);
    ASSERT_EQ(sampler.values(), sampled_columns(problem).size());
    ASSERT_GE(problem.uncertain.size(), 1u);
    std::vector<double> parameters(sampler.parameters()), values(sampler.values());
    const auto samples = static_cast<std::size_t>(problem.samples);
    for (std::size_t number = 0; number < std::min<std::size_t>(200, count_of(problem)); ++number) {
      sampler.draw(number, parameters, values);
      DrawKey key{problem.seed, static_cast<std::uint32_t>(number / samples),
                  static_cast<std::uint32_t>(number % samples), 0, 0};
      for (std::size_t i = 0; i < problem.uncertain.size(); ++i) {
        key.stream = problem.uncertain[i].stream;
        EXPECT_EQ(values[i], draw(problem.uncertain[i].distribution, key)) << problem.uncertain[i].name;
      }
    }
  }
}

// The plan's lists and numbers copied to another place, and rubbish where they were.
TEST(Sampler, APlanCanBeMoved) {
  std::vector<std::pair<std::string, std::vector<Override>>> problems;
  for (const char* file : files) problems.push_back({file, {}});
  problems.push_back({"tests/problem/dependent.toml", {}});
  problems.push_back({"tests/problem/dependent.toml", {{"map.sampling", "sobol"}, {"map.samples", "64"}}});
  problems.push_back({"tests/problem/dependent.toml",
                      {{"map.samples_from", "\"" + test::source_file("tests/problem/dependent_rows.csv") + "\""}}});
  for (const auto& [file, overrides] : problems) {
    SCOPED_TRACE(file);
    const Problem problem = load_problem(test::source_file(file), overrides);
    auto sampler = std::make_unique<Sampler>(problem);
    const SamplePlanView plan = SamplePlan::of(*sampler);
    std::vector<double> parameters(sampler->parameters()), values(sampler->values());
    std::vector<std::vector<double>> expected;
    const std::size_t count = std::min<std::size_t>(50, count_of(problem));
    for (std::size_t number = 0; number < count; ++number) {
      sampler->draw(number, parameters, values);
      expected.push_back(parameters);
      expected.push_back(values);
    }
    std::vector<double> reals(plan.reals, plan.reals + plan.real_count);
    std::vector<int> slots(plan.slots, plan.slots + plan.slot_count);
    SamplePlanImage image(plan, reals.data(), slots.data());
    image.view.distributions = image.distributions.data();
    image.view.numbers = image.numbers.data();
    image.view.tripods = image.tripods.data();
    image.view.joint_offsets = image.joint_offsets.data();
    std::fill_n(const_cast<double*>(plan.reals), plan.real_count, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(const_cast<int*>(plan.slots), plan.slot_count, 0);
    sampler.reset();
    const auto samples = static_cast<std::size_t>(problem.samples);
    for (std::size_t number = 0; number < count; ++number) {
      draw_sample(image.view, static_cast<std::uint32_t>(number / samples),
                  static_cast<std::uint32_t>(number % samples), parameters.data(), values.data());
      EXPECT_EQ(parameters, expected[2 * number]) << number;
      EXPECT_EQ(values, expected[2 * number + 1]) << number;
    }
  }
}

TEST(Samples, AreTheSameWhereverTheyAreDrawn) {
  const Problem gear = short_gear();
  Problem lift = load_problem(test::source_file("examples/lift/lift.toml"));
  lift.options.duration = 0.05;
  // points of a sequence, correlated and measured; rows of a file beside draws
  Problem sobol = load_problem(test::source_file("tests/problem/dependent.toml"),
                               {{"map.sampling", "sobol"}, {"map.samples", "96"}});
  sobol.title = "dependent";
  const test::Folder folder;
  const std::filesystem::path file = folder.path() / "rows.csv";
  std::ofstream(file) << "surface_friction,body.gear.mass_kg\n0.3,0.02\n0.4,0.03\n0.5,0.04\n0.6,0.05\n";
  const Problem rows = short_gear({{"map.samples_from", "\"" + file.string() + "\""}});
  for (const Problem* problem : std::initializer_list<const Problem*>{&gear, &lift, &sobol, &rows}) {
    SCOPED_TRACE(problem->title);
    const Rows expected = one_by_one(*problem, 40, 30);
    EXPECT_NE(expected.values.front(), expected.values[expected.values.size() / 2]);
    EXPECT_TRUE(run_on(*test::make_backend_under_test(2), *problem, 40, 30) == expected) << "backend under test";
    for (const std::size_t most : {1u, 7u, 1000u}) {
      test::EmulatedDevice device;
      device.most_scenes = most;
      device.fills = 4;
      EXPECT_TRUE(run_on(*test::make_backend_on(device), *problem, 40, 30) == expected) << "pieces of " << most;
      EXPECT_GE(device.drawn, 1);
    }
  }
}

TEST(Samples, AreTheSameWhateverTheThreads) {
  Problem problem = short_gear({{"body.gear.support.loads", "{ distribution = 'uniform', low = 0.1, high = 1 }"}});
  problem.options.duration = 0.005;
  const Rows expected = one_by_one(problem, 13, 1500);
  ASSERT_GT(*std::max_element(expected.redrawn.begin(), expected.redrawn.end()), 0) << "no tripod was redrawn";
  const auto backend = make_backend(BackendKind::cpu, Arithmetic::strict, 2);
  for (const int threads : {1, 2, 5}) {
    EXPECT_TRUE(run_on(*backend, problem, 13, 1500, threads) == expected) << threads << " threads";
  }
}

// Scenes that outgrow their capacity are run again, and with them their piece is drawn once more. Half of the samples
// lie too high to come down.
TEST(Samples, AreDrawnAgainWithMoreRoom) {
  Problem problem;
  problem.scene = scenes::polygon_on_plane(200, 0.1, 1.0, 0.3, {0.5, 0.0, 0.0});
  problem.scene.bodies[1].planar().pose.y += 0.05;
  problem.options = test::steps_of(0.005, 0.5, ContactModel::standard);
  UncertainParameter height{"height", "m", {}, {parameter_layout(problem.scene).pose(1) + 1}, {1.0}, true, 17};
  height.distribution.kind = DistributionKind::choice;
  height.distribution.values = {0.0, 10.0};
  problem.uncertain.push_back(height);
  const Rows expected = one_by_one(problem, 100, 12);
  test::EmulatedDevice device;
  EXPECT_TRUE(run_on(*test::make_backend_on(device), problem, 100, 12) == expected);
  EXPECT_GE(device.reruns, 2);
  EXPECT_EQ(device.drawn, 4 + device.reruns) << "of four pieces";
}

// Whoever draws, what cannot be drawn is reported by name, and nothing is left under way.
TEST(Samples, TellWhichTripodCannotBeDrawn) {
  Problem problem = short_gear();
  ASSERT_EQ(problem.tripods.size(), 1u);
  problem.tripods[0].load[0].mean = 100.0;  // one point carries more than the others can balance
  const auto expect = [&](Backend& backend, int threads) {
    try {
      run_on(backend, problem, 0, 3, threads);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(problem.tripods[0].name + ": no tripod in 100000 draws"),
                std::string::npos)
          << error.what();
    }
  };
  expect(*make_backend(BackendKind::cpu, Arithmetic::strict, 1), 1);
  test::EmulatedDevice device;
  expect(*test::make_backend_on(device), 1);
  EXPECT_EQ(device.abandoned, 1);
  EXPECT_EQ(device.living, 0);
}

TEST(PortableMath, TheNextNumberIsTheLibrarys) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double x : {0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e-308, -1e-308, 0.1, -0.3, 1e300, -1e300}) {
    EXPECT_EQ(portable::next_above(x), std::nextafter(x, infinite)) << x;
  }
  EXPECT_EQ(uniform_at(2.0, 2.0, 0.5), 2.0);
  EXPECT_EQ(uniform_at(1.0, 1.0 + 1e-15, 1e-16), std::nextafter(1.0, 2.0));
}

}  // namespace
}  // namespace pegrasp

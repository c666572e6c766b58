// SPDX-License-Identifier: Apache-2.0
// Samples drawn on several threads, ahead of time, in chunks of any size: the same bytes as one after another.
#include "map/sample_drawer.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "files.hpp"
#include "map/cells.hpp"
#include "map/fake_backend.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "results/synthetic_map.hpp"

namespace pegrasp {
namespace {

TEST(SampleDrawer, DrawsTheSameWhateverTheThreadsAndTheChunks) {
  const Problem problem = load_problem(test::source_file("examples/gear/gear.toml"),
                                       {{"grid.x_mm.step", "5"}, {"grid.y_mm.step", "5"}, {"map.samples", "120"}});
  const SampleRange all{0, samples_of(problem)};
  const std::vector<double> base = scene_parameters(problem.scene);
  SuccessMap plain = empty_map(problem, all);
  const std::size_t columns = plain.sampled.size();
  std::vector<double> parameters(all.count * base.size());
  for (std::size_t i = 0; i < all.count; ++i) {
    plain.redrawn[i] =
        draw_sample(problem, base, static_cast<int>(i) / problem.samples, static_cast<int>(i) % problem.samples,
                    {&parameters[i * base.size()], base.size()}, {&plain.values[i * columns], columns});
  }
  ASSERT_GE(all.count, 2500u) << "too few for several threads";
  for (const int threads : {1, 2, 5}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    SuccessMap map = empty_map(problem, all);
    std::vector<double> drawn;
    SampleDrawer drawer(problem, map, threads);
    // how many are taken, and how many were begun before: as many, fewer, more, none
    struct Chunk {
      std::size_t count, begun;
    };
    std::size_t first = 0;
    for (const Chunk chunk : {Chunk{700, 0}, {900, 900}, {800, 300}, {100, 400}, {all.count - 2500, 0}}) {
      if (chunk.begun > 0) drawer.begin({first, chunk.begun});
      const std::span<const double> part = drawer.take({first, chunk.count});
      drawn.insert(drawn.end(), part.begin(), part.end());
      first += chunk.count;
    }
    EXPECT_EQ(drawn, parameters);
    EXPECT_EQ(map.values, plain.values);
    EXPECT_EQ(map.redrawn, plain.redrawn);
  }
}

// What a thread throws while nobody waits for it is told where its samples are asked for, and a drawer that nobody asks ends.
TEST(SampleDrawer, TellsWhatFailedWhereTheSamplesAreTaken) {
  Problem problem = load_problem(test::source_file("examples/gear/gear.toml"), {{"map.samples", "10"}});
  const SampleRange all{0, samples_of(problem)};
  SuccessMap map = empty_map(problem, all);
  ASSERT_EQ(problem.tripods.size(), 1u);
  const Distribution possible = problem.tripods[0].load[0];
  problem.tripods[0].load[0].mean = 100.0;  // one point carries more than the others can balance
  for (const int threads : {1, 5}) {
    SampleDrawer drawer(problem, map, threads);
    drawer.begin({0, 3});
    EXPECT_THROW(drawer.take({0, 3}), std::runtime_error);
    EXPECT_THROW(drawer.take({3, 2}), std::runtime_error);
    drawer.begin({5, all.count - 5});
  }
  problem.tripods[0].load[0] = possible;
  SampleDrawer drawer(problem, map, 2);
  EXPECT_EQ(drawer.take(all).size(), all.count * scene_parameters(problem.scene).size());
}

// The job as a whole, with a backend that is not the CPU: the next chunk is drawn while it runs.
TEST(SampleDrawer, ShowsNeitherInTheMapNorInItsJournal) {
  const Problem problem = test::nine_cells({{"map.samples", "300"}});
  const auto run = [&](const std::filesystem::path& out, int threads, std::size_t chunk) {
    test::FakeBackend backend;
    MapOptions options;
    options.out = out;
    options.threads = threads;
    options.chunk = chunk;
    SuccessMap map = run_map(problem, backend, options);
    map.journal.reset();  // as if the process had ended
    return map;
  };
  const test::Folder folder;
  const SuccessMap plain = run(folder.path() / "plain", 1, 2700);
  for (const std::size_t chunk : {700u, 1500u}) {
    std::string journal;
    for (const int threads : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, chunks of " << chunk);
      const SuccessMap map = run(folder.path() / "o", threads, chunk);
      EXPECT_EQ(map.values, plain.values);
      EXPECT_EQ(map.redrawn, plain.redrawn);
      EXPECT_EQ(map.final_poses, plain.final_poses);
      if (journal.empty()) journal = test::content(journal_path(folder.path() / "o"));
      EXPECT_TRUE(test::content(journal_path(folder.path() / "o")) == journal);
    }
    EXPECT_GT(journal.size(), 2700 * sizeof(SceneOutcome));
  }
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Chunks of a map follow the time they take, on a device as on the CPU, and show nowhere in what is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "src/map/chunk_size.hpp"
#include "tests/engine/emulated_device.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Folder;
using test::nine_cells;

TEST(ChunkSize, StaysWhereTheTimeIsRight) {
  const ChunkRule rule = chunk_rule(false, Strategy::per_scene, 4);
  EXPECT_EQ(next_chunk(1000, 0.3, rule), 1000u);
  EXPECT_EQ(next_chunk(1000, 0.7, rule), 1000u);
}

TEST(ChunkSize, GoesToTheTimeThatIsWantedButNotTooFast) {
  const ChunkRule rule{100, 10, 10'000, 4.0};
  EXPECT_EQ(next_chunk(1000, 0.1, rule), 4000u);
  EXPECT_EQ(next_chunk(1000, 0.16, rule), 2500u);
  EXPECT_EQ(next_chunk(1000, 0.0, rule), 4000u);
  EXPECT_EQ(next_chunk(1000, 0.8001, rule), 499u);
  EXPECT_EQ(next_chunk(1000, 100.0, rule), 250u);
}

TEST(ChunkSize, HasBounds) {
  const ChunkRule rule{100, 10, 10'000, 4.0};
  EXPECT_EQ(next_chunk(5000, 0.0, rule), 10'000u);
  EXPECT_EQ(next_chunk(12, 1e9, rule), 10u);
}

// The gear's 100,800 trials on a device are one chunk: while a second one began, teams would wait.
TEST(ChunkSize, OnADeviceTheGearsTrialsAreOneChunk) {
  EXPECT_GE(chunk_rule(true, Strategy::per_scene, 4).first, 100'800u);
}

// A device whose scenes take five seconds, however few: chunks that do not fill it would only leave it idle.
TEST(ChunkSize, OnADeviceThatIsSlowForFewScenesTheyStayMany) {
  const auto settled = [](Strategy strategy, std::size_t bodies) {
    const ChunkRule rule = chunk_rule(true, strategy, bodies);
    std::size_t chunk = rule.first;
    for (int i = 0; i < 10; ++i) chunk = next_chunk(chunk, std::max(5.0, 1e-3 * static_cast<double>(chunk)), rule);
    return chunk;
  };
  EXPECT_EQ(settled(Strategy::per_scene, 4), 4 * scenes_that_fill);
  EXPECT_EQ(settled(Strategy::per_scene, 500), scenes_that_fill);
  EXPECT_GE(scenes_that_fill, 132u * 32u) << "scenes that an H100 holds in teams of eight";
  EXPECT_EQ(settled(Strategy::batched, 1000), 1024u);
}

// Progress is shown and can be kept after each: large scenes are not held back until thousands have ended.
TEST(ChunkSize, OnADeviceLargeScenesComeInFewer) {
  EXPECT_EQ(chunk_rule(true, Strategy::per_scene, 4).first, 131'072u);
  EXPECT_EQ(chunk_rule(true, Strategy::per_scene, 400).first, scenes_that_fill);
  EXPECT_EQ(chunk_rule(true, Strategy::batched, 200).first, 1024u);
  EXPECT_EQ(chunk_rule(true, Strategy::batched, 10'000).first, 104u);
  EXPECT_EQ(chunk_rule(true, Strategy::batched, 4'000'000).first, 1u);
}

std::string map_csv(const Problem& problem, Backend& backend, std::size_t chunk) {
  Folder folder;
  MapOptions options;
  options.out = folder.path();
  options.chunk = chunk;
  SuccessMap map = run_map(problem, backend, options);
  write_map(map, problem, options.out);
  return content(options.out / "map.csv");
}

TEST(MapChunks, ShowNowhereInTheCsv) {
  const Problem problem = nine_cells();  // 63 samples
  const auto cpu = make_backend(BackendKind::cpu, Arithmetic::strict, 2);
  const std::string whole = map_csv(problem, *cpu, 63);
  ASSERT_GT(std::count(whole.begin(), whole.end(), '\n'), 9);
  for (const std::size_t chunk : {0u, 1u, 10u, 62u, 64u}) EXPECT_EQ(map_csv(problem, *cpu, chunk), whole) << chunk;

  // Nor in that of a device, whose runner is made once.
  test::EmulatedDevice device;
  device.most_scenes = 4;
  const auto emulated = test::make_backend_on(device);
  for (const std::size_t chunk : {0u, 1u, 10u, 64u}) EXPECT_EQ(map_csv(problem, *emulated, chunk), whole) << chunk;
  EXPECT_EQ(device.made, 1);
}

}  // namespace
}  // namespace pegrasp

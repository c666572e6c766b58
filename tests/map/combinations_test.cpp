// SPDX-License-Identifier: Apache-2.0
// What varies, by how many samples, refined or not: a map has the same bytes by any chunks, threads, interruption and
// parts, in every combination that a problem may ask for.
#include <gtest/gtest.h>

#include <fstream>
#include <tuple>

#include "src/map/refine.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::FakeBackend;
using test::Folder;

const std::string puck = R"(
[simulation]
duration_s = 0.1
[[body]]
name = "puck"
mass_kg = "mass"
vx_mm_s = "speed"
follows_grid = GRIDDED
support = { radius_mm = 7, friction = 0.3 }
PART
[uncertain]
mass = { distribution = "uniform", low = 0.1, high = 0.2, unit = "kg" }
speed = { distribution = "uniform", low = 100, high = 400, unit = "mm_s" }
[success]
displacement_below_mm = 12
of = "puck"
)";
const std::string one_part = "part = [{ shape = \"disc\", radius_mm = 10 }]";
const std::string variants = R"([[body.variants]]
name = "small"
part = [{ shape = "disc", radius_mm = 10 }]
[[body.variants]]
name = "large"
part = [{ shape = "disc", radius_mm = 12 }])";
const std::string grid = "[grid]\nx_mm = [-5, 0, 5]\n";
const std::string axes = R"(
[[axis]]
key = "body.puck.support.friction"
values = [0.2, 0.3, 0.5]
[[axis]]
key = "simulation.contact"
values = ["peg", "standard"]
)";
const std::string dependent = "[[correlation]]\nof = [\"mass\", \"speed\"]\nmatrix = [[1, 0.6], [0.6, 1]]\n";

enum class Varies { grid, axes, rows, scenes_of_rows, dependent, variants, axes_and_variants };
enum class Samples { fixed, until, counts, sobol };
struct Combination {
  Varies varies;
  Samples samples;
  bool refined;
};

std::string name_of(const testing::TestParamInfo<Combination>& info) {
  const char* const varies[] = {"grid", "axes", "rows", "scenes_of_rows", "dependent", "variants", "axes_and_variants"};
  const char* const samples[] = {"fixed", "until", "counts", "sobol"};
  return std::string(varies[static_cast<int>(info.param.varies)]) + "_" +
         samples[static_cast<int>(info.param.samples)] + (info.param.refined ? "_refined" : "");
}

// Rows go with a fixed number of samples that are kept, and with no other.
std::vector<Combination> all() {
  std::vector<Combination> out;
  for (const Varies varies : {Varies::grid, Varies::axes, Varies::rows, Varies::scenes_of_rows, Varies::dependent,
                              Varies::variants, Varies::axes_and_variants}) {
    const bool rows = varies == Varies::rows || varies == Varies::scenes_of_rows;
    for (const Samples samples : {Samples::fixed, Samples::until, Samples::counts, Samples::sobol}) {
      if (rows && samples != Samples::fixed) continue;
      for (const bool refined : {false, true}) out.push_back({varies, samples, refined});
    }
  }
  return out;
}

class CombinationsLong : public testing::TestWithParam<Combination> {
 protected:
  Problem problem() const {
    const auto [varies, samples, refined] = GetParam();
    const bool by_axes = varies == Varies::axes || varies == Varies::axes_and_variants;
    const bool drawn_parts = varies == Varies::variants || varies == Varies::axes_and_variants;
    const bool rows = varies == Varies::rows || varies == Varies::scenes_of_rows;
    std::string text = puck;
    text.replace(text.find("PART"), 4, drawn_parts ? variants : one_part);
    text.replace(text.find("GRIDDED"), 7, by_axes ? "false" : "true");
    std::vector<Override> set{{"map.samples", samples == Samples::sobol ? "32" : "24"}};
    if (rows) set = {{"map.samples_from", "\"" + rows_file(varies == Varies::scenes_of_rows) + "\""}};
    if (samples == Samples::until) set.push_back({"map.until.decided", "0.3"});
    if (samples == Samples::sobol) set.push_back({"map.sampling", "\"sobol\""});
    if (refined) set.insert(set.end(), {{"map.refine.levels", "2"}, {"map.refine.difference", "0.02"}});
    if (refined && by_axes) set.push_back({"map.refine.axes", "[\"friction\"]"});
    const std::string more = by_axes ? axes : grid;
    return parse_problem(text + more + (varies == Varies::dependent ? dependent : ""), "puck.toml", set);
  }

  // Of 24 rows with two numbers, or one and the radius, of which there are three.
  std::string rows_file(bool scenes) const {
    const std::filesystem::path file = folder_.path() / "rows.csv";
    std::ofstream out(file, std::ios::binary);
    out << (scenes ? "body.puck.part.0.radius_mm,speed\n" : "mass,speed\n");
    for (int k = 0; k < 24; ++k) {
      if (scenes)
        out << 10 + k * k % 3;
      else
        out << 0.1 + 0.004 * k;
      out << ',' << 100 + 10 * k << '\n';
    }
    return file.string();
  }

  MapOptions options(const std::string& out, std::size_t chunk, int threads) const {
    MapOptions options;
    options.out = folder_.path() / out;
    options.chunk = chunk;
    options.threads = threads;
    options.counts_only = GetParam().samples == Samples::counts;
    return options;
  }

  // All files of results but the summary, which has times.
  std::string written(SuccessMap map, const Problem& problem, const std::filesystem::path& out) const {
    write_map(map, problem, out);
    finish_map(map, problem, out);
    std::string all;
    for (const char* name : {"map.h5", "map.csv", "problem.toml", "rows_out.csv", "refined.csv"}) {
      if (std::filesystem::exists(out / name)) all += name + content(out / name);
    }
    return all;
  }

  Folder folder_;
};

TEST_P(CombinationsLong, HaveTheSameBytesByAnyWay) {
  const Problem asked = problem();
  FakeBackend backend;
  const auto run = [&](const MapOptions& options) {
    return written(run_map(asked, backend, options), asked, options.out);
  };
  const std::string expected = run(options("whole", 1000, 1));
  EXPECT_EQ(expected.find("refined.csv") != std::string::npos, GetParam().refined);
  EXPECT_TRUE(run(options("pieces", 7, 3)) == expected) << "in pieces";

  FakeBackend stopped;
  stopped.stops_at = 2;
  MapOptions interrupted = options("stopped", 11, 1);
  interrupted.stop = &stopped.stop;
  EXPECT_THROW(run_map(asked, stopped, interrupted), Interrupted);
  interrupted = options("stopped", 5, 2);
  interrupted.resume = true;
  EXPECT_TRUE(run(interrupted) == expected) << "interrupted";

  for (int i = 1; i <= 3; ++i) {
    MapOptions part = options("parts", 13, 1);
    part.shard = {i, 3};
    run_map(asked, backend, part);
  }
  MergedMap merged = merge_parts({folder_.path() / "parts"});
  const MapOptions join = options("merged", 9, 2);
  take_folder(merged.map, merged.problem, join.out);
  if (merged.problem.refine.levels > 0) refine_map(merged.problem, backend, join, merged.map);
  EXPECT_TRUE(written(std::move(merged.map), merged.problem, join.out) == expected) << "in parts";
}

INSTANTIATE_TEST_SUITE_P(Maps, CombinationsLong, testing::ValuesIn(all()), name_of);

}  // namespace
}  // namespace pegrasp

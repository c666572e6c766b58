// SPDX-License-Identifier: Apache-2.0
// Maps of grasps of which counts alone are kept, or that are sampled until they are decided: the same bytes by any
// chunks, parts and interruptions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <string>

#include "pegrasp/map.hpp"
#include "tests/places.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Folder;

// Simulates nothing: what happens to the part is a function of the parameters' bits, and of where the gripper begins.
class GraspBackend final : public Backend {
 public:
  explicit GraspBackend(const Problem& problem) : slot_(static_cast<std::size_t>(problem.grasps.slot.front())) {}
  std::string name() const override { return "fake"; }
  std::string device() const override { return "no device"; }
  bool run(const Model&, const StepOptions&, std::span<const double> parameters, std::span<SceneOutcome> outcomes,
           std::span<double> final_poses, const std::atomic<bool>*) override {
    const std::size_t stride = parameters.size() / outcomes.size();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      std::uint64_t hash = 1469598103934665603ull;
      for (std::size_t k = 0; k < stride; ++k) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &parameters[i * stride + k], sizeof bits);
        hash = (hash ^ bits) * 1099511628211ull;
        hash ^= hash >> 29;
      }
      SceneOutcome o;
      o.success = parameters[i * stride + slot_] < 0.05 ? 1 : parameters[i * stride + slot_] < 0.15 ? hash % 2 : 0;
      o.hold_slip_max = 1e-6 * static_cast<double>(hash % 1000003);
      o.hold_tilt_max = 1e-7 * static_cast<double>(hash % 999983);
      o.hold_margin_min = 0.5;
      o.hold_force_max = static_cast<double>(hash % 40);
      o.touch_first = 0.1;
      o.touch_last = 1.0;
      outcomes[i] = o;
    }
    std::fill(final_poses.begin(), final_poses.end(), 0.25);
    if (++calls_ == stops_at) stop.store(true);
    return true;
  }
  int stops_at = 0;
  std::atomic<bool> stop{false};

 private:
  std::size_t slot_;
  int calls_ = 0;
};

Problem problem_of(const std::filesystem::path& file, const std::vector<Override>& more) {
  return parse_problem(
      "dim = 3\n[[body]]\nname = \"part\"\nmass_kg = 0.2\nfriction = 0.5\n[[body.part]]\nshape = \"box\"\nsize_mm = "
      "[40, 60, 30]\n[[urdf]]\nfile = \"" +
          test::source_file("examples/evaluate/hand.urdf") +
          "\"\nbase = \"kinematic\"\nfriction = 0.5\n[grasps]\npart = \"part\"\ngripper = \"palm\"\nfile = \"" +
          file.string() + "\"\n[grasps.pose_error]\nsd_mm = [1, 1, 1]\n",
      "p.toml", more);
}

// One grasp that holds, one that holds every second time, one that does not.
Problem three_grasps(const Folder& folder, const std::vector<Override>& more) {
  const std::filesystem::path file = folder.path() / "grasps.csv";
  std::ofstream(file) << "id,x_m,y_m,z_m,qw,qx,qy,qz,opening_m\n"
                         "good,0,0,0.09,0,1,0,0,0.08\nso_so,0.1,0,0.09,0,1,0,0,0.08\nbad,0.2,0,0.09,0,1,0,0,0.08\n";
  return problem_of(file, more);
}

std::string bytes_in(SuccessMap map, const Problem& problem, const std::filesystem::path& out) {
  write_map(map, problem, out);
  finish_map(map, problem, out);
  return content(out / "grasps.csv") + content(out / "grasps.h5") + content(out / "scored_grasps.csv");
}

void expect_same_bytes(const Folder& folder, const Problem& problem, bool counts_only) {
  MapOptions options;
  options.counts_only = counts_only;
  const auto run = [&](const char* name, std::size_t chunk) {
    GraspBackend backend(problem);
    options.out = folder.path() / name;
    options.chunk = chunk;
    return run_map(problem, backend, options);
  };
  const std::string expected = bytes_in(run("whole", 1000), problem, folder.path() / "whole");
  EXPECT_EQ(bytes_in(run("pieces", 7), problem, folder.path() / "pieces"), expected);
  for (const int stops_at : {1, 3, 5}) {
    GraspBackend stopped(problem);
    stopped.stops_at = stops_at;
    MapOptions some = options;
    some.out = folder.path() / ("stopped" + std::to_string(stops_at));
    some.chunk = 13;
    some.stop = &stopped.stop;
    EXPECT_THROW(run_map(problem, stopped, some), Interrupted);
    GraspBackend rest(problem);
    some.stop = nullptr;
    some.resume = true;
    some.chunk = 29;
    SuccessMap resumed = run_map(problem, rest, some);
    EXPECT_GT(resumed.resumed, 0u);
    EXPECT_EQ(bytes_in(std::move(resumed), problem, some.out), expected) << stops_at;
  }
  for (int i = 1; i <= 2; ++i) {
    options.shard = {i, 2};
    run("parts", 17);
  }
  MergedMap merged = merge_parts({folder.path() / "parts"});
  take_folder(merged.map, merged.problem, folder.path() / "parts");
  EXPECT_EQ(bytes_in(std::move(merged.map), merged.problem, folder.path() / "parts"), expected);
}

TEST(GraspMaps, OfCountsHaveTheSameBytesByAnyWay) {
  const Folder folder;
  expect_same_bytes(folder, three_grasps(folder, {{"map.samples", "60"}}), true);
}

TEST(GraspMaps, SampledUntilDecidedHaveTheSameBytesByAnyWay) {
  const Folder folder;
  const Problem problem = three_grasps(folder, {{"map.samples", "100"}, {"map.until.decided", "0.7"}});
  expect_same_bytes(folder, problem, false);
  GraspBackend backend(problem);
  MapOptions options;
  options.out = folder.path() / "out";
  const SuccessMap map = run_map(problem, backend, options);
  EXPECT_EQ(map.cells[0].end, CellEnd::above);
  EXPECT_EQ(map.cells[2].end, CellEnd::below);
  EXPECT_LT(map.cells[0].samples, 40);
  EXPECT_LT(map.cells[2].samples, 20);
  double slip = 0.0;
  for (std::size_t row = 0; row < map.starts[1]; ++row) slip += map.outcomes[row].hold_slip_max;
  EXPECT_EQ(map.cells[0].grasp.slip, slip / map.cells[0].samples);
  const std::string csv = content(folder.path() / "whole" / "grasps.csv");
  EXPECT_NE(csv.find(",drop_time_mean_s,interval,ended\ngood,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",sequence,above\n"), std::string::npos) << csv;
}

// More grasps than are known to the samplers at a time, by both ways.
TEST(GraspMapsLong, CountsOfManyGraspsAreThoseOfAll) {
  const Folder folder;
  const std::filesystem::path file = folder.path() / "many.csv";
  constexpr int count = 20'000;
  {
    std::ofstream out(file);
    out << "id,x_m,y_m,z_m,qw,qx,qy,qz,opening_m\n";
    for (int k = 0; k < count; ++k) out << "g" << k << "," << 1e-5 * k << ",0,0.09,0,1,0,0,0.08\n";
  }
  const Problem problem = problem_of(file, {{"map.samples", "2"}});
  MapOptions options;
  const auto run = [&](const char* name, bool counts_only, std::size_t chunk) {
    GraspBackend backend(problem);
    options.out = folder.path() / name;
    options.counts_only = counts_only;
    options.chunk = chunk;
    return run_map(problem, backend, options);
  };
  SuccessMap all = run("all", false, 5000), counts = run("counts", true, 5000);
  ASSERT_EQ(counts.cells.size(), static_cast<std::size_t>(count));
  for (std::size_t c = 0; c < all.cells.size(); ++c) {
    ASSERT_EQ(counts.cells[c].successes, all.cells[c].successes) << c;
    ASSERT_EQ(counts.cells[c].grasp.failures, all.cells[c].grasp.failures) << c;
    ASSERT_EQ(std::isnan(counts.cells[c].grasp.slip), std::isnan(all.cells[c].grasp.slip)) << c;
    if (!std::isnan(all.cells[c].grasp.slip)) {
      ASSERT_EQ(counts.cells[c].grasp.slip, all.cells[c].grasp.slip) << c;
    }
  }
  write_map(all, problem, folder.path() / "all");
  write_map(counts, problem, folder.path() / "counts");
  for (const char* name : {"grasps.csv", "scored_grasps.csv"})
    EXPECT_EQ(content(folder.path() / "counts" / name), content(folder.path() / "all" / name));
  const std::string expected = bytes_in(std::move(counts), problem, folder.path() / "counts");
  GraspBackend stopped(problem);
  stopped.stops_at = 8;  // behind the first grasps that samplers knew
  options.out = folder.path() / "stopped";
  options.stop = &stopped.stop;
  EXPECT_THROW(run_map(problem, stopped, options), Interrupted);
  options.stop = nullptr;
  options.resume = true;
  EXPECT_EQ(bytes_in(run("stopped", true, 4000), problem, folder.path() / "stopped"), expected);
}

}  // namespace
}  // namespace pegrasp

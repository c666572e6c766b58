// SPDX-License-Identifier: Apache-2.0
// Maps whose trials differ in more than parameters: variants of bodies, uncertain sizes, and gravity that is tilted.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pegrasp/map.hpp"
#include "pegrasp/sampler.hpp"
#include "src/decide/compare.hpp"
#include "src/decide/explain.hpp"
#include "src/decide/stored_map.hpp"
#include "tests/outcome_bytes.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Folder;

// A part that is thrown onto the floor, in 2D or 3D: a box or something round.
struct Thrown {
  bool spatial;
  const char* strategy;
};

std::string head(const Thrown& thrown, const std::string& samples) {
  return std::string(thrown.spatial ? "dim = 3\n" : "") + "[map]\nsamples = " + samples +
         "\n[simulation]\nduration_s = 0.12\nsolver = \"aj\"\nstrategy = \"" + thrown.strategy + "\"\n" +
         (thrown.spatial ? "" : "[gravity]\ny_m_s2 = -9.81\n") +
         "[success]\ndisplacement_below_mm = 15\nof = \"part\"\n" +
         "[[friction]]\nbetween = [\"part\", \"floor\"]\nmu = 0.4\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\n" +
         (thrown.spatial ? "part = [{ shape = \"half_space\", normal = [0, 0, 1] }]\n"
                         : "part = [{ shape = \"half_plane\", normal = [0, 1] }]\n");
}

std::string part_of(const Thrown& thrown) {
  return std::string("[[body]]\nname = \"part\"\n") +
         (thrown.spatial ? "density_kg_per_m3 = 1000\nz_mm = 21\nturn_y_deg = 20\n"
                         : "mass_kg = 0.1\ny_mm = 21\nturn_deg = 20\n") +
         "vx_mm_s = { distribution = \"uniform\", low = -300, high = 300 }\n";
}

std::string variants_of(const Thrown& thrown) {
  const std::string box = thrown.spatial ? "size_mm = [20, 24, 30]" : "width_mm = 20, height_mm = 30";
  return part_of(thrown) + "[[body.variants]]\nname = \"box\"\npart = [{ shape = \"box\", " + box +
         " }]\n[[body.variants]]\nname = \"round\"\nweight = 2\npart = [{ shape = \"" +
         (thrown.spatial ? "sphere" : "disc") + "\", radius_mm = 12 }]\n";
}

std::string scaled_box(const Thrown& thrown, const std::vector<double>& size, const std::string& more) {
  std::string box = thrown.spatial ? "size_mm = [" : "width_mm = ";
  for (std::size_t k = 0; k < size.size(); ++k) {
    box += (k == 0 ? "" : thrown.spatial ? ", " : ", height_mm = ") + std::to_string(size[k]);
  }
  return part_of(thrown) + "part = [{ shape = \"box\", " + box + (thrown.spatial ? "] }]\n" : " }]\n") + more;
}

SuccessMap simulate(const Problem& problem, MapOptions options, int threads = 1) {
  const std::unique_ptr<Backend> backend = make_backend(BackendKind::cpu, problem.arithmetic, threads);
  return run_map(problem, *backend, options);
}

SuccessMap simulate_in(const Folder& folder, const char* name, const Problem& problem) {
  MapOptions options;
  options.out = folder.path() / name;
  return simulate(problem, options);
}

void finish(SuccessMap map, const Problem& problem, const std::filesystem::path& out) {
  write_map(map, problem, out);
  finish_map(map, problem, out);
}

class OwnScenes : public testing::TestWithParam<Thrown> {};

TEST_P(OwnScenes, TrialsOfAVariantAreThoseOfAMapWithThatVariantAlone) {
  const std::string text = head(GetParam(), "30") + variants_of(GetParam());
  const Problem mixed = parse_problem(text, "thrown.toml");
  ASSERT_EQ(mixed.group_count(), 2u);
  const Folder folder;
  const SuccessMap map = simulate_in(folder, "mixed", mixed);
  const std::vector<GroupColumn> columns = group_columns(mixed);
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(columns[0].name, "part.variant");
  EXPECT_EQ(columns[0].groups, (std::vector<std::string>{"box", "round"}));
  const std::vector<std::int32_t> drawn = drawn_groups(mixed, 0, 0, 30);
  std::size_t round = 0;
  for (std::int32_t k = 0; k < 2; ++k) {
    const Problem alone = parse_problem(text, "thrown.toml", {{"body.part.variant", columns[0].groups[k]}});
    EXPECT_EQ(alone.group_count(), 1u);
    const SuccessMap own = simulate_in(folder, columns[0].groups[k].c_str(), alone);
    const std::size_t poses = own.poses();
    EXPECT_EQ(own.values, map.values) << "variants change no draws";
    for (std::size_t i = 0; i < 30; ++i) {
      round += drawn[i] == k && k == 1 ? 1 : 0;
      const bool same = test::same_bytes(&map.outcomes[i], &own.outcomes[i], 1) &&
                        std::equal(map.final_poses.begin() + static_cast<std::ptrdiff_t>(i * poses),
                                   map.final_poses.begin() + static_cast<std::ptrdiff_t>((i + 1) * poses),
                                   own.final_poses.begin() + static_cast<std::ptrdiff_t>(i * poses));
      EXPECT_EQ(same, drawn[i] == k) << "trial " << i << " of " << columns[0].groups[k];
    }
  }
  EXPECT_GT(round, 11u);
  EXPECT_LT(round, 28u);
}

// Written, scaled in all trials, and scaled trial by trial.
TEST_P(OwnScenes, AScaledBoxIsTheBoxOfItsDimensions) {
  const bool spatial = GetParam().spatial;
  const std::vector<double> size = spatial ? std::vector{20.0, 24.0, 30.0} : std::vector{20.0, 30.0};
  const std::vector<double> large = spatial ? std::vector{26.0, 24.0, 24.0} : std::vector{26.0, 24.0};
  const std::string last = spatial ? "scale_z" : "scale_y";
  const std::string given = "scale_x = 1.3\n" + last + " = 0.8\n";
  const std::string drawn = "scale_x = { distribution = \"choice\", values = [1.3] }\n" + last +
                            " = { distribution = \"constant\", value = 0.8 }\n";
  const auto problem = [&](const std::vector<double>& dimensions, const std::string& more) {
    return parse_problem(head(GetParam(), "6") + scaled_box(GetParam(), dimensions, more), "thrown.toml");
  };
  const Problem each = problem(size, drawn);
  ASSERT_TRUE(each.changes.any());
  const Folder folder;
  const SuccessMap a = simulate_in(folder, "written", problem(large, ""));
  const SuccessMap b = simulate_in(folder, "given", problem(size, given));
  const SuccessMap c = simulate_in(folder, "drawn", each);
  const SuccessMap unscaled = simulate_in(folder, "unscaled", problem(size, ""));
  ASSERT_EQ(a.final_poses.size(), c.final_poses.size());
  double most = 0.0;
  for (std::size_t i = 0; i < a.final_poses.size(); ++i) {
    EXPECT_NEAR(b.final_poses[i], a.final_poses[i], 1e-9);
    EXPECT_NEAR(c.final_poses[i], a.final_poses[i], 1e-9);
    most = std::max(most, std::fabs(unscaled.final_poses[i] - a.final_poses[i]));
  }
  EXPECT_GT(most, 1e-3) << "the size matters";
}

// A body that swings about one of its corners.
TEST_P(OwnScenes, AHingeStaysAtItsPointOfTheBody) {
  const bool spatial = GetParam().spatial;
  const auto problem = [&](const std::string& size, const std::string& anchor, const std::string& scale) {
    std::string text = head(GetParam(), "1") + "[[body]]\nname = \"part\"\nmass_kg = 0.1\n" + scale +
                       "part = [{ shape = \"box\", " + size +
                       " }]\n[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\n" +
                       "between = [\"world\", \"part\"]\nanchor_mm = [" + anchor + "]\n";
    const std::string friction =
        text.substr(text.find("[[friction]]"), text.find("[[body]]") - text.find("[[friction]]"));
    text.erase(text.find(friction), friction.size());
    return parse_problem(
        text + (spatial ? "axis = [0, 1, 0]\n" : "") + "[[no_contact]]\nbetween = [\"part\", \"floor\"]\n",
        "swing.toml");
  };
  const std::string drawn = " = { distribution = \"constant\", value = ";
  const Folder folder;
  const SuccessMap a = simulate_in(folder, "written",
                                   spatial ? problem("size_mm = [30, 24, 60]", "15, 0, 30", "")
                                           : problem("width_mm = 30, height_mm = 60", "15, 30", ""));
  const std::string last = spatial ? "scale_z" : "scale_y";
  const std::string scale = "scale_x" + drawn + "1.5 }\n" + last + " = 2\n";
  const SuccessMap b = simulate_in(folder, "scaled",
                                   spatial ? problem("size_mm = [20, 24, 30]", "10, 0, 15", scale)
                                           : problem("width_mm = 20, height_mm = 30", "10, 15", scale));
  for (std::size_t i = 0; i < a.final_poses.size(); ++i) EXPECT_NEAR(a.final_poses[i], b.final_poses[i], 1e-8);
  EXPECT_GT(std::fabs(a.final_poses[a.poses() / 2] - 0.0), 1e-3) << "it swings";
}

INSTANTIATE_TEST_SUITE_P(Dimensions, OwnScenes,
                         testing::Values(Thrown{false, "per-scene"}, Thrown{false, "batched"},
                                         Thrown{true, "per-scene"}, Thrown{true, "batched"}),
                         [](const auto& info) {
                           return std::string(info.param.spatial ? "Spatial" : "Planar") +
                                  (info.param.strategy[0] == 'b' ? "Batched" : "PerScene");
                         });

// Everything at once: an axis, variants, sizes, and the direction of gravity.
std::string everything(bool spatial) {
  const Thrown thrown{spatial, "per-scene"};
  std::string text = head(thrown, "9") + variants_of(thrown) +
                     "[[axis]]\nkey = \"friction.0.mu\"\nvalues = [0.1, 0.6]\n" +
                     "[[axis]]\nkey = \"body.part.variants.round.part.0.radius_mm\"\nvalues = [11, 12]\n";
  const std::string scale = "vx_mm_s = {";
  text.replace(text.find(scale), scale.size(),
               "scale = { distribution = \"uniform\", low = 0.8, high = 1.2 }\n" + scale);
  if (spatial) return text + "[gravity]\ntilt_x_deg = { distribution = \"normal\", mean = 0, sd = 5 }\n";
  const std::string gravity = "y_m_s2 = -9.81\n";
  return text.replace(text.find(gravity), gravity.size(),
                      gravity + "tilt_deg = { distribution = \"normal\", mean = 0, sd = 5 }\n");
}

class OwnScenesBytes : public testing::TestWithParam<bool> {};

TEST_P(OwnScenesBytes, ThreadsShardsAndResumeGiveTheSame) {
  const Problem problem = parse_problem(everything(GetParam()), "thrown.toml");
  const Folder folder;
  const auto at = [&](const char* name) { return folder.path() / name; };
  const auto options_of = [&](const char* name, std::size_t chunk) {
    MapOptions options;
    options.out = at(name);
    options.chunk = chunk;
    options.step_check = 0.3;
    return options;
  };
  const auto expect_same = [&](const char* other) {
    for (const char* name : {"map.h5", "map.csv", "problem.toml"})
      EXPECT_TRUE(content(at("whole") / name) == content(at(other) / name)) << other << " " << name;
  };
  finish(simulate(problem, options_of("whole", 7)), problem, at("whole"));
  finish(simulate(problem, options_of("threads", 1000), 3), problem, at("threads"));
  expect_same("threads");

  for (int i = 1; i <= 3; ++i) {
    MapOptions part = options_of("parts", 5);
    part.shard = {i, 3};
    simulate(problem, part);
  }
  MergedMap merged = merge_parts({at("parts")});
  take_folder(merged.map, merged.problem, at("merged"));
  finish(std::move(merged.map), merged.problem, at("merged"));
  expect_same("merged");

  std::atomic<bool> stop{false};
  MapOptions stopped = options_of("resumed", 7);
  stopped.stop = &stop;
  stopped.progress = [&](std::size_t done, std::size_t) { stop = done > 13; };
  EXPECT_THROW(simulate(problem, stopped), Interrupted);
  stop = false;
  stopped.progress = nullptr;
  stopped.resume = true;
  SuccessMap resumed = simulate(problem, stopped);
  EXPECT_GT(resumed.resumed, 0u);
  finish(std::move(resumed), problem, at("resumed"));
  expect_same("resumed");

  const decide::StoredMap stored = decide::read_stored_map(at("whole"), decide::Trials::all);
  const auto& sampled = stored.sampled;
  EXPECT_TRUE(std::any_of(sampled.begin(), sampled.end(), [](const auto& c) { return c.name == "part.variant"; }));
  EXPECT_TRUE(std::any_of(sampled.begin(), sampled.end(), [](const auto& c) { return c.name == "part.scale"; }));
  EXPECT_EQ(decide::compare(stored, stored).flipped.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, OwnScenesBytes, testing::Bool(),
                         [](const auto& info) { return info.param ? "Spatial" : "Planar"; });

// A block that rests on a floor slides if and only if gravity is tilted by more than its angle of friction.
std::string block(bool spatial, const std::string& tilt, const std::string& samples) {
  return std::string(spatial ? "dim = 3\n" : "") + "[map]\nsamples = " + samples +
         "\n[simulation]\nduration_s = 0.4\n[gravity]\n" + (spatial ? "" : "y_m_s2 = -9.81\n") + tilt +
         "\n[[friction]]\nbetween = [\"block\", \"floor\"]\nmu = 0.3\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\n" +
         (spatial ? "part = [{ shape = \"half_space\", normal = [0, 0, 1] }]\n"
                  : "part = [{ shape = \"half_plane\", normal = [0, 1] }]\n") +
         "[[body]]\nname = \"block\"\nmass_kg = 0.2\n" +
         (spatial ? "z_mm = 5\npart = [{ shape = \"box\", size_mm = [40, 40, 10] }]\n"
                  : "y_mm = 5\npart = [{ shape = \"box\", width_mm = 40, height_mm = 10 }]\n") +
         "[success]\ndisplacement_below_mm = 0.01\nof = \"block\"\n";
}

class TiltedGravity : public testing::TestWithParam<bool> {};

TEST_P(TiltedGravity, ABlockSlidesBeyondItsAngleOfFriction) {
  const bool spatial = GetParam();
  const double limit = std::atan(0.3), degree = std::acos(-1.0) / 180.0;
  const Folder folder;
  for (const double beyond : {-0.1, 0.1}) {  // [deg]
    const double tilt = limit / degree + beyond;
    const std::string drawn = "{ distribution = \"constant\", value = ";
    const double x = spatial ? 0.6 * tilt : tilt, y = 0.8 * tilt;
    const std::string key = spatial ? "tilt_x_deg = " : "tilt_deg = ";
    const std::string also = spatial ? "\ntilt_y_deg = " : "";
    for (const bool certain : {true, false}) {
      const auto value = [&](double v) { return certain ? std::to_string(v) : drawn + std::to_string(v) + " }"; };
      const std::string text = key + value(x) + (spatial ? also + value(y) : "");
      const Problem problem = parse_problem(block(spatial, text, "1"), "block.toml");
      EXPECT_EQ(problem.changes.any(), !certain);
      const SuccessMap map = simulate_in(folder, certain ? "a" : "b", problem);
      std::filesystem::remove_all(folder.path() / (certain ? "a" : "b"));
      ASSERT_EQ(map.outcomes[0].status, status_ok);
      EXPECT_EQ(map.outcomes[0].success, beyond < 0.0 ? 1 : 0) << tilt;
      if (beyond < 0.0) continue;
      // g (sin a - mu cos a) t^2 / 2, along what gravity is turned to
      const double a = tilt * degree, far = 0.5 * 9.81 * (std::sin(a) - 0.3 * std::cos(a)) * 0.16;
      const std::size_t at = map.poses() / 2;
      const double dx = spatial ? -0.8 * far : far, dy = spatial ? 0.6 * far : 0.005;
      EXPECT_NEAR(map.final_poses[at], dx, 0.02 * far);
      EXPECT_NEAR(map.final_poses[at + 1], dy, 0.02 * far);
    }
  }
}

TEST_P(TiltedGravity, EachTrialHasItsOwn) {
  const std::string key = GetParam() ? "tilt_x_deg" : "tilt_deg";
  const Problem problem = parse_problem(
      block(GetParam(), key + " = { distribution = \"uniform\", low = -33, high = 33 }", "20"), "block.toml");
  const Folder folder;
  const SuccessMap map = simulate_in(folder, "map", problem);
  int slid = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    if (std::fabs(std::tan(std::fabs(map.values[i])) - 0.3) < 0.002) continue;
    EXPECT_EQ(map.outcomes[i].success, std::tan(std::fabs(map.values[i])) < 0.3 ? 1 : 0) << map.values[i];
    slid += 1 - map.outcomes[i].success;
  }
  EXPECT_GT(slid, 3);
  EXPECT_LT(slid, 17);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, TiltedGravity, testing::Bool(),
                         [](const auto& info) { return info.param ? "Spatial" : "Planar"; });

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Box of polygons (Williams' thesis 5.2.3): no step fails, nothing leaves the box, next to nothing overlaps.
// bench/studies/thesis/polygon_box.sh runs all seeds at all steps and prints the table.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/runs.hpp"
#include "tests/scenes/polygon_box.hpp"

namespace pegrasp::test {
namespace {

struct Pour {
  double overlap_median = 0.0;  // of the area of the dynamic bodies, over steps
  double overlap_q99 = 0.0;
  double overlap_max = 0.0;
  double outside = 0.0;  // [m] farthest that a centre of mass is out of the box at the end
  double fastest = 0.0;  // at the end: [m/s], [rad/s]
  SceneOutcome outcome;
};

Pour pour(std::uint64_t seed, double mu, double h, ContactModel contact = ContactModel::peg) {
  const SceneSpec scene = scenes::polygon_box(seed, mu);
  StepOptions options = steps_of(h, scenes::polygon_box_duration, contact);
  if (contact != ContactModel::peg) {  // what has no solution needs no long search for one
    options.max_iterations = 200;
    options.max_substep_level = 0;
  }
  Simulation simulation = simulate(scene, options);
  const double area = total_dynamic_area(scene);
  std::vector<double> overlaps;
  while (simulation.step()) overlaps.push_back(overlap_now(scene, simulation) / area);
  std::sort(overlaps.begin(), overlaps.end());
  Pour result;
  if (!overlaps.empty()) {
    result.overlap_median = overlaps[overlaps.size() / 2];
    result.overlap_q99 = overlaps[static_cast<std::size_t>(0.99 * static_cast<double>(overlaps.size() - 1) + 0.5)];
    result.overlap_max = overlaps.back();
  }
  for (int body = 3; body < static_cast<int>(scene.bodies.size()); ++body) {
    const Pose q = simulation.pose(body);
    const double outside = std::fmax(std::fabs(q.x) - 1.0, -q.y);
    result.outside = std::isfinite(outside) ? std::fmax(result.outside, outside) : 1e300;
  }
  result.fastest = fastest(scene, simulation);
  result.outcome = simulation.outcome();
  return result;
}

void expect_inside(const Pour& pour, const std::string& what) {
  EXPECT_LT(pour.outcome.penetration_max, 1e-4) << what;
  EXPECT_LT(pour.overlap_q99, 1e-5) << what;
  EXPECT_LE(pour.outside, 0.0) << what;
}

void expect_good(const Pour& pour, const std::string& what) {
  EXPECT_EQ(pour.outcome.status, status_ok) << what << ": " << status_words(pour.outcome.status);
  EXPECT_EQ(pour.outcome.unresolved_steps, 0) << what;
  expect_inside(pour, what);
}

std::string words(std::uint64_t seed, double mu, double h) {
  return "seed " + std::to_string(seed) + ", mu " + std::to_string(mu) + ", h " + std::to_string(h);
}

// Short enough for sanitizers; the experiment itself is below.
TEST(PolygonBox, NothingFailsLeavesOrOverlaps) {
  for (const double mu : {0.0, 0.25}) expect_good(pour(0, mu, 0.016), words(0, mu, 0.016));
}

// The standard model asks for the impossible and throws bodies out of the box; the corrective one lets them sink in.
TEST(PolygonBox, StandardAndCorrectiveContactsFail) {
  for (const double mu : {0.0, 0.25}) {
    const Pour standard = pour(0, mu, 0.008, ContactModel::standard);
    EXPECT_GT(standard.outcome.unresolved_steps, 100) << mu;  // measured: 455 and 472
    EXPECT_GT(standard.outside, 1.0) << mu;
    EXPECT_GT(standard.overlap_q99, 1e-2) << mu;
    const Pour corrective = pour(0, mu, 0.008, ContactModel::corrective);
    EXPECT_GT(corrective.overlap_q99, 1e-3) << mu;
  }
}

// What the default never does at any of these steps, the standard model does in all of them: a step unresolved, or an
// overlap beyond the 0.1 mm that the default is held to. Time [s] at which it first does; the duration where it does
// not.
double first_failure(std::uint64_t seed, double mu, double h, ContactModel contact) {
  const SceneSpec scene = scenes::polygon_box(seed, mu);
  Simulation simulation = simulate(scene, steps_of(h, scenes::polygon_box_duration, contact));
  while (simulation.step()) {
    if (simulation.last_status() != status_ok || simulation.last_penetration() > 1e-4) return simulation.time();
  }
  return scenes::polygon_box_duration;
}

// Measured over these seeds: 0.77 to 1.73 s at 16 ms, 1.32 to 1.96 s at 4 ms, 1.46 to 1.98 s at 1 ms.
TEST(PolygonBox, StandardContactsFailAtEveryStep) {
  for (const double mu : {0.0, 0.25}) {
    for (const double h : {0.001, 0.004, 0.016}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        EXPECT_LT(first_failure(seed, mu, h, ContactModel::standard), 4.0) << words(seed, mu, h);
      }
    }
  }
}

// Where contacts ceased to be feasible at a depth of eps / 20, polygons got stuck in each other, up to 0.046 of their
// area. What is left is the error of one linearisation about bodies that turn.
TEST(PolygonBoxFeaturesLong, PolygonsDoNotGetStuck) {
  const SceneSpec scene = scenes::polygon_box(1, 0.0);
  for (const double h : {0.002, 0.005, 0.01}) {
    Simulation simulation = simulate(scene, steps_of(h, scenes::polygon_box_duration, ContactModel::peg_features));
    double most = 0.0;
    while (simulation.step()) most = std::fmax(most, overlap_now(scene, simulation));
    EXPECT_LT(most, 1e-3 * total_dynamic_area(scene)) << h;
  }
}

// The experiment: 10 seeds at each of the steps, both frictions; prints a line for each.
void experiment(const std::vector<int>& steps_ms) {
  struct Line {
    double mu, h;
    std::vector<Pour> pours;
  };
  constexpr std::uint64_t seeds = 10;
  std::vector<Line> lines;
  for (const double mu : {0.0, 0.25}) {
    for (const int ms : steps_ms) lines.push_back({mu, 1e-3 * ms, std::vector<Pour>(seeds)});
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t k = next++; k < lines.size() * seeds; k = next++) {
      Line& line = lines[k / seeds];
      line.pours[k % seeds] = pour(k % seeds, line.mu, line.h);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();

  std::printf(
      "   mu  h ms  unresolved  rejected %%  solves/step  depth max  overlap median    q99 worst    max worst\n");
  int unresolved_in_all = 0;
  for (const Line& line : lines) {
    int unresolved = 0;
    double rejected = 0.0, substeps = 0.0, solves = 0.0, depth = 0.0, median = 0.0, q99 = 0.0, most = 0.0;
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const Pour& p = line.pours[seed];
      unresolved += p.outcome.unresolved_steps;
      rejected += p.outcome.substeps_rejected;
      substeps += static_cast<double>(p.outcome.substeps);
      solves += static_cast<double>(p.outcome.solves);
      depth = std::fmax(depth, p.outcome.penetration_max);
      median += p.overlap_median / static_cast<double>(seeds);
      q99 = std::fmax(q99, p.overlap_q99);
      most = std::fmax(most, p.overlap_max);
      expect_inside(p, words(seed, line.mu, line.h));
    }
    unresolved_in_all += unresolved;
    std::printf("%5.2f %5.0f %11d %11.2f %12.2f %10.1e %15.1e %12.1e %12.1e\n", line.mu, 1e3 * line.h, unresolved,
                100.0 * rejected / substeps, solves / substeps, depth, median, q99, most);
  }
  EXPECT_LE(unresolved_in_all, 1);  // seed 9, mu 0.25, 16 ms: one step too deep, by 2.6e-5 m
}

TEST(LongPolygonBox, TenSeedsNothingFailsLeavesOrOverlaps) { experiment({1, 2, 4, 8, 16}); }

// All the steps of the thesis' figures, for bench/studies/thesis/polygon_box.sh.
TEST(LongPolygonBox, DISABLED_TheWholeTable) {
  std::vector<int> steps_ms;
  for (int ms = 1; ms <= 16; ++ms) steps_ms.push_back(ms);
  experiment(steps_ms);
}

}  // namespace
}  // namespace pegrasp::test

// SPDX-License-Identifier: Apache-2.0
// pegrasp_pour_study simulates bodies poured into boxes in 3D and measures the exact volume of all intersections: one
// row for each kind of bodies, step and friction, over many seeds. All but the times is the same on every machine;
// times are processor time of the steps alone, of all threads. Scene files are measured in the same way, with one run
// each.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/csv.hpp"
#include "bench/origin.hpp"
#include "bench/quantile.hpp"
#include "bench/studies/pours/pours.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "src/metrics/spatial_overlap.hpp"

namespace {

using namespace pegrasp;

// A rejected step counts once, whichever island rejects it; `halved` is the share of the bodies that it concerns.
struct Run {
  SceneOutcome outcome;
  double overlap = 0.0;  // largest of any step, of the moving bodies' volume
  double jump = -1e300;  // largest gain of unexplained energy in a step [J]; bodies that appear do not count
  double seconds = 0.0;  // in steps
  double gap = 0.0;      // at rest, at the end [m]
  double halved = 0.0;   // of the bodies' attempts, the part that was rejected
  bool inside = true;
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Reads poses and presence of the bodies; whether all are in the box.
bool read_state(const SceneSpec& scene, const bench::Pour& pour, const Simulation& simulation,
                std::vector<SpatialPose>& poses, std::vector<bool>& present) {
  bool inside = true;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    poses[b] = simulation.spatial_pose(static_cast<int>(b));
    present[b] = simulation.present(static_cast<int>(b));
    if (scene.bodies[b].kind != BodyKind::dynamic) continue;
    inside = inside && bench::in_the_box(pour, poses[b].position);
  }
  return inside;
}

// What is asked of every run.
struct Study {
  int first = 1, seeds = 10;
  int every = 1;          // steps between measurements of the overlap
  double duration = 0.0;  // [s]; 0: the pour's own
  bool islands = true;
  bool look_ahead = false;
};

Run run(const bench::Pour& pour, const SceneSpec& scene, double h, const Study& study) {
  StepOptions asked;
  asked.islands = study.islands;
  asked.look_ahead = study.look_ahead;
  asked.h = h;
  asked.duration = study.duration > 0.0 ? study.duration : pour.duration;
  Simulation simulation(compile_model(scene), derive_options(asked, scene), scene_parameters(scene));
  const SpatialOverlap overlap(scene);
  Run result;
  std::vector<SpatialPose> poses(scene.bodies.size());
  std::vector<bool> present(scene.bodies.size());
  read_state(scene, pour, simulation, poses, present);
  for (int step = 0;; ++step) {
    const std::vector<bool> before = present;
    const double unexplained = simulation.energy().unexplained;
    const double begin = processor_seconds();
    const bool more = simulation.step();
    result.seconds += processor_seconds() - begin;
    if (!more) break;
    result.inside = read_state(scene, pour, simulation, poses, present) && result.inside;
    if (step % study.every == 0) {
      result.overlap = std::max(result.overlap, overlap.total(poses, present) / overlap.dynamic_volume());
    }
    if (present == before) result.jump = std::max(result.jump, simulation.energy().unexplained - unexplained);
  }
  result.gap = bench::gap_at_rest(scene, pour, poses, present);
  result.outcome = simulation.outcome();
  result.halved = simulation.rejected_share();
  return result;
}

nlohmann::ordered_json measure(const bench::Subject& subject, double h, double friction, const Study& asked) {
  const bench::Pour& pour = subject.pour;
  Study study = asked;
  if (subject.given) study.seeds = 1;
  std::vector<double> overlaps;
  Run worst;
  double seconds = 0.0;
  double steps = 0.0, rejected = 0.0, halved = 0.0, attempts = 0.0, solves = 0.0, iterations = 0.0;
  int unresolved = 0, failed = 0, left = 0, worst_seed = 0;
  std::uint32_t status = status_ok;  // bits of all runs
  std::vector<int> unresolved_runs;  // seeds of those with any
  for (int seed = study.first; seed < study.first + study.seeds; ++seed) {
    const Run one = run(pour, subject.scene(static_cast<std::uint64_t>(seed), friction), h, study);
    if (one.overlap > worst.overlap) worst_seed = seed;
    worst.overlap = std::max(worst.overlap, one.overlap);
    worst.jump = std::max(worst.jump, one.jump);
    worst.gap = std::max(worst.gap, one.gap);
    overlaps.push_back(one.overlap);
    seconds += one.seconds;
    steps += one.outcome.steps;
    rejected += one.outcome.substeps_rejected;
    halved += one.halved / study.seeds;
    attempts += static_cast<double>(one.outcome.substeps) + one.outcome.substeps_rejected;
    solves += static_cast<double>(one.outcome.solves);
    iterations += static_cast<double>(one.outcome.iterations);
    unresolved += one.outcome.unresolved_steps;
    status |= one.outcome.status;
    if (one.outcome.status != status_ok) unresolved_runs.push_back(seed);
    failed += (one.outcome.status & (status_capacity | status_non_finite)) != 0 ? 1 : 0;
    left += one.inside ? 0 : 1;
  }
  std::sort(overlaps.begin(), overlaps.end());
  nlohmann::ordered_json row;
  row["pour"] = subject.name;
  row["h_ms"] = 1e3 * h;
  row["friction"] = friction;
  row["duration_s"] = study.duration > 0.0 ? study.duration : pour.duration;
  if (!subject.given) row["first_seed"] = study.first;
  if (!subject.given) row["seeds"] = study.seeds;
  row["overlap_every_steps"] = study.every;
  row["islands"] = study.islands;
  row["look_ahead"] = study.look_ahead;
  if (!subject.given) row["overlap_median"] = bench::quantile(overlaps, 0.5);
  row["overlap_worst"] = worst.overlap;
  if (!subject.given) row["worst_seed"] = worst_seed;
  row["gap_at_rest_m"] = worst.gap;
  row["energy_jump_J"] = worst.jump;
  row["rejected"] = rejected / attempts;
  row["bodies_rejected"] = halved;
  row["unresolved_steps"] = unresolved;
  if (!subject.given) row["unresolved_runs"] = unresolved_runs.size();
  row["status_bits"] = status;
  row["failed_runs"] = failed;
  row["runs_left"] = left;
  row["us_per_step"] = 1e6 * seconds / steps;
  row["solves_per_step"] = solves / steps;
  row["iterations_per_solve"] = iterations / solves;
  std::printf("%-12s %3g ms  mu %-4g ", subject.name.c_str(), 1e3 * h, friction);
  if (subject.given) {
    std::printf("overlap %.1e  ", worst.overlap);
  } else {
    std::printf("%4d seeds  overlap %.1e %.1e (seed %d)  ", study.seeds, bench::quantile(overlaps, 0.5), worst.overlap,
                worst_seed);
  }
  std::printf(
      "jump %8.1e J  rejected %5.2f %% (of bodies %5.2f %%)  unresolved steps %d, in %zu runs  failed %d  left %d  "
      "%6.1f us a step\n",
      worst.jump, 100.0 * rejected / attempts, 100.0 * halved, unresolved, unresolved_runs.size(), failed, left,
      1e6 * seconds / steps);
  std::fflush(stdout);
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Bodies poured into boxes in 3D, over many seeds: overlap (median and worst run), energy, rejected steps, time"};
  std::vector<std::string> names{"hulls"};
  std::vector<double> steps{1, 2, 4, 8, 16};
  std::vector<double> frictions{0.0, 0.3};
  Study study;
  bool whole = false;
  std::string csv;
  std::vector<std::string> files;
  const CLI::Option* named =
      app.add_option(
             "pours", names,
             "hulls, needles, plates, tetrahedra, unions, forty, 2000 (in eleven layers), spread (2000 in three)")
          ->capture_default_str();
  app.add_option("--scene", files, "scene files (peg-scene-1, in 3D); without pours named, these alone")
      ->check(CLI::ExistingFile);
  app.add_option("--h-ms", steps, "steps [ms]")->capture_default_str();
  app.add_option("--friction", frictions, "coefficients")->capture_default_str();
  app.add_option("--seeds", study.seeds, "runs a row")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--duration", study.duration, "[s] to simulate; 0: the pour's own")->check(CLI::NonNegativeNumber);
  app.add_option("--first-seed", study.first, "seeds go on from here")->capture_default_str();
  app.add_option("--overlap-every", study.every, "measure the overlap after every Nth step")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_flag("--look-ahead", study.look_ahead, "linearise pairs that touch first where the last velocities lead");
  app.add_flag("--whole", whole, "accept and reject steps of the whole scene, not island by island");
  app.add_option("--csv", csv, "write the table to this CSV file too");
  CLI11_PARSE(app, argc, argv);
  study.islands = !whole;
  try {
    if (!files.empty() && named->empty()) names.clear();
    std::vector<bench::Subject> subjects;
    for (const std::string& name : names) subjects.push_back(bench::named_subject(name));
    for (const std::string& file : files) subjects.push_back(bench::given_subject(file));
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const bench::Subject& subject : subjects) {
      for (const double friction : frictions) {
        for (const double h : steps) rows.push_back(measure(subject, 1e-3 * h, friction, study));
      }
    }
    if (!csv.empty()) bench::write_rows(csv, rows, bench::origin_columns());
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_pour_study: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Pours in space, judged by exact volumes of intersection: one row for each pour, step and friction over many seeds. What a seed
// shows does not depend on the machine, but for its times: processor time, of all threads, in steps alone.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "metrics/spatial_overlap.hpp"
#include "pegrasp/simulation.hpp"
#include "pegrasp/version.hpp"
#include "quantile.hpp"
#include "scenes/polyhedron_pour.hpp"

namespace {

using namespace pegrasp;

struct Run {
  SceneOutcome outcome;
  double overlap = 0.0;  // largest of any step, of the moving bodies' volume
  double jump = -1e300;  // largest gain of kinetic and potential energy in a step [J]; bodies that appear do not count
  double seconds = 0.0;  // in steps
  bool inside = true;
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Pour {
  const char* name;
  SceneSpec (*scene)(std::uint64_t seed, double friction);
  double duration;     // [s]
  double reach = 1.0;  // [m] along x and y: bodies whose centres are farther have left the box
};

constexpr int columns_of_2000 = 14;

const std::vector<Pour>& pours() {
  static const std::vector<Pour> all{
      {"hulls", [](std::uint64_t seed, double mu) { return scenes::polyhedron_box(seed, mu); },
       scenes::polyhedron_box_duration},
      {"needles", [](std::uint64_t seed, double mu) { return scenes::solid_pour("needles", seed, mu); }, 5.0},
      {"plates", [](std::uint64_t seed, double mu) { return scenes::solid_pour("plates", seed, mu); }, 5.0},
      {"tetrahedra", [](std::uint64_t seed, double mu) { return scenes::solid_pour("tetrahedra", seed, mu); }, 5.0},
      {"forty", [](std::uint64_t seed, double mu) { return scenes::many_hulls(seed, mu, 40); }, 22.0},
      {"2000", [](std::uint64_t seed, double mu) { return scenes::polyhedron_pour(seed, mu, 2000, columns_of_2000); },
       0.3, 6.0},
  };
  return all;
}

// A step and where it left the bodies.
bool look(const SceneSpec& scene, double reach, const Simulation& simulation, std::vector<SpatialPose>& poses,
          std::vector<bool>& present) {
  bool inside = true;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    poses[b] = simulation.spatial_pose(static_cast<int>(b));
    present[b] = simulation.present(static_cast<int>(b));
    const Vec3 x = poses[b].position;
    if (scene.bodies[b].kind != BodyKind::dynamic) continue;
    inside = inside && std::fabs(x.x) < reach && std::fabs(x.y) < reach && x.z > -0.2;
  }
  return inside;
}

Run run(const Pour& pour, const SceneSpec& scene, double h, double duration, int every) {
  StepOptions asked;
  asked.h = h;
  asked.duration = duration;
  Simulation simulation(compile_model(scene), derive_options(asked, scene), scene_parameters(scene));
  const SpatialOverlap overlap(scene);
  Run result;
  std::vector<SpatialPose> poses(scene.bodies.size());
  std::vector<bool> present(scene.bodies.size());
  look(scene, pour.reach, simulation, poses, present);
  for (int step = 0;; ++step) {
    const std::vector<bool> before = present;
    const EnergyReport from = simulation.energy();
    const double begin = processor_seconds();
    const bool more = simulation.step();
    result.seconds += processor_seconds() - begin;
    if (!more) break;
    result.inside = look(scene, pour.reach, simulation, poses, present) && result.inside;
    if (step % every == 0) {
      result.overlap = std::max(result.overlap, overlap.total(poses, present) / overlap.dynamic_volume());
    }
    const EnergyReport to = simulation.energy();
    if (present == before)
      result.jump = std::max(result.jump, to.kinetic + to.potential - from.kinetic - from.potential);
  }
  result.outcome = simulation.outcome();
  return result;
}

nlohmann::ordered_json measure(const Pour& pour, double h, double friction, double duration, int first, int seeds,
                               int every) {
  std::vector<double> overlaps;
  Run worst;
  double seconds = 0.0;
  double steps = 0.0, rejected = 0.0, attempts = 0.0, solves = 0.0, iterations = 0.0;
  int unresolved = 0, failed = 0, left = 0, worst_seed = 0;
  for (int seed = first; seed < first + seeds; ++seed) {
    const Run one = run(pour, pour.scene(static_cast<std::uint64_t>(seed), friction), h, duration, every);
    if (one.overlap > worst.overlap) worst_seed = seed;
    worst.overlap = std::max(worst.overlap, one.overlap);
    worst.jump = std::max(worst.jump, one.jump);
    overlaps.push_back(one.overlap);
    seconds += one.seconds;
    steps += one.outcome.steps;
    rejected += one.outcome.substeps_rejected;
    attempts += static_cast<double>(one.outcome.substeps) + one.outcome.substeps_rejected;
    solves += static_cast<double>(one.outcome.solves);
    iterations += static_cast<double>(one.outcome.iterations);
    unresolved += one.outcome.unresolved_steps;
    failed += (one.outcome.status & (status_capacity | status_non_finite)) != 0 ? 1 : 0;
    left += one.inside ? 0 : 1;
  }
  std::sort(overlaps.begin(), overlaps.end());
  nlohmann::ordered_json row;
  row["pour"] = pour.name;
  row["h_ms"] = 1e3 * h;
  row["friction"] = friction;
  row["duration_s"] = duration;
  row["first_seed"] = first;
  row["seeds"] = seeds;
  row["overlap_every_steps"] = every;
  row["overlap_median"] = bench::quantile(overlaps, 0.5);
  row["overlap_worst"] = worst.overlap;
  row["worst_seed"] = worst_seed;
  row["energy_jump_J"] = worst.jump;
  row["rejected"] = rejected / attempts;
  row["unresolved_steps"] = unresolved;
  row["failed_runs"] = failed;
  row["runs_left"] = left;
  row["us_per_step"] = 1e6 * seconds / steps;
  row["solves_per_step"] = solves / steps;
  row["iterations_per_solve"] = iterations / solves;
  std::printf(
      "%-10s %3g ms  mu %-4g %4d seeds  overlap %.1e %.1e (seed %d)  jump %8.1e J  rejected %5.2f %%  unresolved "
      "%d  failed %d  left %d  %6.1f us a step\n",
      pour.name, 1e3 * h, friction, seeds, row["overlap_median"].get<double>(), worst.overlap, worst_seed, worst.jump,
      100.0 * rejected / attempts, unresolved, failed, left, 1e6 * seconds / steps);
  std::fflush(stdout);
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Pours in space over many seeds: overlap (median and worst of the runs), energy, rejected steps, time"};
  std::vector<std::string> names{"hulls"};
  std::vector<double> steps{1, 2, 4, 8, 16};
  std::vector<double> frictions{0.0, 0.3};
  int seeds = 10;
  int first = 1;
  int every = 1;
  double duration = 0.0;
  std::string json;
  app.add_option("pours", names, "hulls, needles, plates, tetrahedra, forty, 2000")->capture_default_str();
  app.add_option("--h-ms", steps, "steps [ms]")->capture_default_str();
  app.add_option("--friction", frictions, "coefficients")->capture_default_str();
  app.add_option("--seeds", seeds, "runs a row")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--duration", duration, "[s] to simulate; 0: the pour's own")->check(CLI::NonNegativeNumber);
  app.add_option("--first-seed", first, "seeds go on from here")->capture_default_str();
  app.add_option("--overlap-every", every, "measure the overlap of every so manieth step")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--json", json, "write the table to this file too");
  CLI11_PARSE(app, argc, argv);
  try {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const std::string& name : names) {
      const auto pour = std::find_if(pours().begin(), pours().end(), [&](const Pour& one) { return name == one.name; });
      if (pour == pours().end()) throw std::invalid_argument("no pour '" + name + "'");
      for (const double friction : frictions) {
        for (const double h : steps) {
          const double time = duration > 0.0 ? duration : pour->duration;
          rows.push_back(measure(*pour, 1e-3 * h, friction, time, first, seeds, every));
        }
      }
    }
    if (json.empty()) return 0;
    nlohmann::ordered_json out;
    out["version"] = version::number;
    out["git"] = version::git;
    out["compiler"] = version::compiler;
    out["processor"] = bench::processor();
    out["date"] = bench::now_utc();
    out["rows"] = rows;
    std::ofstream file(json);
    file << out.dump(2) << '\n';
    file.close();
    if (!file) throw std::runtime_error(json + ": cannot be written");
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_space_study: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

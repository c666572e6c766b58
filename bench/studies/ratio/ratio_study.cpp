// SPDX-License-Identifier: Apache-2.0
// Hart's four scenes (slides, "Numerical Results") with contact model ratio: the mean infeasibility over the step, its
// slope, and what is left at rest. Prints tables in Markdown.
//
//   pegrasp_ratio_study [scene.toml ...] [--samples N] [--steps]
//
// Without files: examples/ratio/*.toml, from the folder in which it is called. --steps: prints step, time and
// infeasibility of the first sample of each instead.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "src/geometry/vectors.hpp"
#include "src/metrics/infeasibility.hpp"

namespace pegrasp::ratio {
namespace {

constexpr double lengths_of_steps[] = {0.1, 0.05, 0.02, 0.01};  // [s]
constexpr double still = 1e-6;                                    // [m/s] slower than this nothing moves

double seconds_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A run, step by step.
struct Course {
  double mean = 0.0;     // of I over all steps
  double most = 0.0;     // largest
  double at_rest = 0.0;  // largest of the steps in which nothing moves
  int rests = 0;         // 1: it ends so
  double seconds = 0.0;
  int steps = 0, unresolved = 0, contacts = 0;
};

// How fast the farthest point of the fastest body was in the last step, about [m/s].
double fastest(const std::vector<SpatialPose>& before, const std::vector<SpatialPose>& after, double h) {
  double most = 0.0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Vec3 way = after[k].position - before[k].position;
    const Quaternion p = before[k].turn, q = after[k].turn;
    const Vec3 turn{q.x - p.x, q.y - p.y, q.z - p.z};
    most = std::max(most, (length(way) + 2.0 * std::hypot(length(turn), q.w - p.w)) / h);
  }
  return most;
}

Course run(const TrialScene& trial, StepOptions options, bool print) {
  const SceneSpec& scene = trial.scene;
  const Infeasibility infeasibility(scene);
  Simulation simulation(compile_model(scene), derive_options(options, scene), trial.parameters);
  Course course;
  std::vector<SpatialPose> poses(scene.bodies.size()), before(scene.bodies.size());
  const std::vector<bool> present(scene.bodies.size(), true);
  double sum = 0.0;
  for (;;) {
    const double begin = seconds_now();
    if (!simulation.step()) break;
    course.seconds += seconds_now() - begin;
    before = poses;
    for (std::size_t body = 0; body < poses.size(); ++body)
      poses[body] = simulation.spatial_pose(static_cast<int>(body));
    const double now = infeasibility.spatial(poses, present);
    sum += now;
    ++course.steps;
    course.most = std::max(course.most, now);
    course.rests = course.steps > 1 && fastest(before, poses, options.h) < still ? 1 : 0;
    if (course.rests != 0) course.at_rest = std::max(course.at_rest, now);
    if (print) {
      std::printf("%d %.3f %.3e %d %.2e\n", course.steps, simulation.time(), now, simulation.contact_count(),
                  simulation.last_residual());
    }
  }
  course.mean = sum / std::max(1, course.steps);
  course.unresolved = simulation.outcome().unresolved_steps;
  course.contacts = simulation.outcome().contacts_max;
  return course;
}

TrialScene trial_of(const Problem& problem, int sample) {
  const std::vector<double> base = base_parameters(problem);
  std::vector<double> parameters = base;
  std::vector<double> values(sampled_columns(problem).size());
  draw_sample(problem, base, 0, sample, parameters, values);
  return scene_of_trial(problem, parameters);
}

// Least squares through log I over log h.
double slope_of(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = std::log(lengths_of_steps[i]), y = std::log(values[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void study(const std::string& file, int samples, bool print) {
  const Problem problem = load_problem(file);
  std::printf("\n%s\n\n", problem.title.c_str());
  std::printf(
      "| gamma | h [ms] | mean infeasibility | largest | at rest | samples that rest | unsolved steps | most contacts | "
      "a step [ms] |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const double gamma : {1.0, 0.0}) {
    std::vector<double> means;
    for (const double h : lengths_of_steps) {
      Course all;
      for (int k = 0; k < samples; ++k) {
        StepOptions options = problem.of_trial(0, k).options;
        options.h = h;
        options.gamma = gamma;
        const Course one = run(trial_of(problem.of_trial(0, k), k), options, print && k == 0);
        all.mean += one.mean / samples;
        all.most = std::max(all.most, one.most);
        all.at_rest = std::max(all.at_rest, one.at_rest);
        all.rests += one.rests;
        all.unresolved += one.unresolved;
        all.contacts = std::max(all.contacts, one.contacts);
        all.seconds += one.seconds / one.steps / samples;
      }
      means.push_back(all.mean);
      std::printf("| %g | %g | %.2e | %.1e | %.1e | %d of %d | %d | %d | %.2f |\n", gamma, 1e3 * h, all.mean, all.most,
                  all.at_rest, all.rests, samples, all.unresolved, all.contacts, 1e3 * all.seconds);
      std::fflush(stdout);
    }
    std::printf("\nSlope with gamma = %g: %.2f\n\n", gamma, slope_of(means));
  }
}

}  // namespace
}  // namespace pegrasp::ratio

int main(int argc, char** argv) {
  std::vector<std::string> files;
  int samples = 10;
  bool print = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--samples" && i + 1 < argc) {
      samples = std::max(1, std::atoi(argv[++i]));
    } else if (word == "--steps") {
      print = true;
    } else {
      files.push_back(word);
    }
  }
  if (files.empty()) {
    for (const char* name : {"balance2", "pyramid1", "dice3", "setup6"})
      files.push_back("examples/ratio/" + std::string(name) + ".toml");
  }
  try {
    for (const std::string& file : files) pegrasp::ratio::study(file, samples, print);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}

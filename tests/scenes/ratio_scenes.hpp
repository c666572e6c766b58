// SPDX-License-Identifier: Apache-2.0
// Hart's four scenes (slides, "Numerical Results"; examples/ratio/ has them): the infeasibility of their steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "src/geometry/vectors.hpp"
#include "src/metrics/infeasibility.hpp"

namespace pegrasp::scenes {

constexpr const char* ratio_scenes[] = {"balance2", "pyramid1", "dice3", "setup6"};
constexpr double ratio_steps[] = {0.1, 0.05, 0.02, 0.01};  // [s]
constexpr double ratio_still = 1e-6;                       // [m/s] slower than this nothing moves

// Samples of a scene, step by step.
struct RatioCourse {
  double mean = 0.0;     // of I over all steps
  double most = 0.0;     // largest
  double at_rest = 0.0;  // largest of the steps in which nothing moves
  int rests = 0;         // samples that end so
  double seconds = 0.0;  // of the processor, a step
  int unresolved = 0, contacts = 0;
};

// How fast the farthest point of the fastest body was in the last step, about [m/s].
inline double fastest(const std::vector<SpatialPose>& before, const std::vector<SpatialPose>& after, double h) {
  double most = 0.0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Quaternion p = before[k].turn, q = after[k].turn;
    const double turn = std::hypot(length(Vec3{q.x - p.x, q.y - p.y, q.z - p.z}), q.w - p.w);
    most = std::max(most, (length(after[k].position - before[k].position) + 2.0 * turn) / h);
  }
  return most;
}

// Adds one sample, of `samples`, to the course.
inline void run_ratio_sample(const TrialScene& trial, const StepOptions& options, int samples, RatioCourse& course) {
  const SceneSpec& scene = trial.scene;
  const Infeasibility infeasibility(scene);
  Simulation simulation(compile_model(scene), derive_options(options, scene), trial.parameters);
  std::vector<SpatialPose> poses(scene.bodies.size()), before(scene.bodies.size());
  const std::vector<bool> present(scene.bodies.size(), true);
  double sum = 0.0, seconds = 0.0;
  int steps = 0;
  bool rests = false;
  for (;;) {
    const std::clock_t begin = std::clock();
    if (!simulation.step()) break;
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    before = poses;
    for (std::size_t k = 0; k < poses.size(); ++k) poses[k] = simulation.spatial_pose(static_cast<int>(k));
    const double now = infeasibility.spatial(poses, present);
    sum += now;
    ++steps;
    course.most = std::max(course.most, now);
    rests = steps > 1 && fastest(before, poses, options.h) < ratio_still;
    if (rests) course.at_rest = std::max(course.at_rest, now);
  }
  course.mean += sum / std::max(1, steps) / samples;
  course.rests += rests ? 1 : 0;
  course.seconds += seconds / std::max(1, steps) / samples;
  course.unresolved += simulation.outcome().unresolved_steps;
  course.contacts = std::max(course.contacts, simulation.outcome().contacts_max);
}

// The same draws at every step length and gamma.
inline RatioCourse ratio_course(const Problem& problem, double h, double gamma, int samples) {
  RatioCourse course;
  for (int k = 0; k < samples; ++k) {
    const Problem& one = problem.of_trial(0, k);
    const std::vector<double> base = base_parameters(one);
    std::vector<double> parameters = base, values(sampled_columns(one).size());
    draw_sample(one, base, 0, k, parameters, values);
    StepOptions options = one.options;
    options.h = h;
    options.gamma = gamma;
    options.on_unresolved = OnUnresolved::go_on;
    run_ratio_sample(scene_of_trial(one, parameters), options, samples, course);
  }
  return course;
}

// Least squares through the logarithm of values, one for each of ratio_steps, over that of the step.
inline double ratio_slope(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = std::log(ratio_steps[i]), y = std::log(values[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace pegrasp::scenes

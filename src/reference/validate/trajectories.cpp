// SPDX-License-Identifier: Apache-2.0
// Whole trajectories: how each side ends, and why two sides ended differently.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "pegrasp/map.hpp"
#include "src/model/model.hpp"
#include "src/reference/batch.hpp"
#include "src/reference/validate/planar_lockstep.hpp"
#include "src/reference/validate/spatial_lockstep.hpp"
#include "src/reference/validate/worst.hpp"

namespace pegrasp::reference {
namespace {

// Velocities [m/s] after a step from the same state are different answers if they differ by more than this.
constexpr double parted_velocity = 1e-4;
// The number of trials in one call of a backend: small, so that Ctrl-C and the progress bar work.
constexpr std::size_t piece = 64;

struct Runs {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
  double seconds = 0.0;
};

std::vector<double> parameters_of(const ValidateCase& job) {
  std::vector<double> all;
  for (const Trial& trial : job.trials) all.insert(all.end(), trial.parameters.begin(), trial.parameters.end());
  return all;
}

// The number of values in the final poses of a trial.
std::size_t poses_of(const ValidateCase& job) {
  return job.scene.bodies.size() * static_cast<std::size_t>(parameter_layout(job.scene).pose_size());
}

Runs capacity_for(const ValidateCase& job) {
  Runs out;
  out.outcomes.resize(job.trials.size());
  out.poses.resize(job.trials.size() * poses_of(job));
  return out;
}

[[noreturn]] void interrupted() { throw Interrupted("stopped while trajectories were compared"); }

// Runs all trials and calls progress(done) between calls of the backend.
Runs run_backend(const ValidateCase& job, Backend& backend, const Watch& watch,
                 const std::function<void(std::size_t done)>& progress) {
  Runs out = capacity_for(job);
  if (job.has_own_scenes()) {
    const auto make = [&](std::size_t i) {
      const ValidateCase& one = job.of(i);
      return OwnScene{one.model, one.options, one.trials[0].parameters};
    };
    const auto since = std::chrono::steady_clock::now();
    if (!backend.run_each(make, out.outcomes, out.poses, watch.stop)) interrupted();
    if (progress) progress(job.trials.size());
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    return out;
  }
  const std::vector<double> parameters = parameters_of(job);
  const std::size_t stride = static_cast<std::size_t>(parameter_layout(job.scene).size());
  const std::size_t poses = poses_of(job);
  const std::size_t at_once = backend.name() == "cpu" ? piece : job.trials.size();
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t first = 0; first < job.trials.size(); first += at_once) {
    const std::size_t count = std::min(at_once, job.trials.size() - first);
    if (!backend.run(*job.model, job.options, std::span(parameters).subspan(first * stride, count * stride),
                     std::span(out.outcomes).subspan(first, count),
                     std::span(out.poses).subspan(first * poses, count * poses), watch.stop)) {
      interrupted();
    }
    if (progress) progress(first + count);
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

// The trials of the reference simulator where each has a scene of its own.
bool run_own_scenes(const ValidateCase& job, const Watch& watch, Runs& out,
                    const std::function<void(std::size_t done)>& progress) {
  const std::size_t poses = poses_of(job);
  return for_each_index(
      job.trials.size(), watch.threads, watch.stop,
      [&](std::size_t i) {
        const ValidateCase& one = job.of(i);
        run_reference(one.other(), one.options, one.trials[0].parameters, std::span(out.outcomes).subspan(i, 1),
                      std::span(out.poses).subspan(i * poses, poses), 1, watch.stop, {});
      },
      progress);
}

SideTally tally_of(const Runs& runs) {
  SideTally out;
  for (const SceneOutcome& o : runs.outcomes) {
    if (o.status == status_ok) out.residual_max = worst(out.residual_max, o.residual_max);
    out.penetration_max = worst(out.penetration_max, o.penetration_max);
    out.iterations += o.iterations;
    out.solves += o.solves;
    out.unresolved += o.status != status_ok ? 1 : 0;
  }
  out.seconds = runs.seconds;
  return out;
}

// [m] Radius about the frame of a body that holds all its points. Without a reference scene the product's radius about
// the centre of mass is used.
double radius_of(const ValidateCase& job, int body) {
  if (job.spatial_scene) return job.spatial_scene->body(body).radius + job.spatial_scene->body(body).middle.norm();
  if (job.planar_scene) return job.planar_scene->body(body).radius;
  const ModelView model = job.model->view();
  const double* middle = model.spatial != 0 ? model.body_middle + 3 * body : nullptr;
  return model.body_radius[body] + (middle != nullptr ? std::hypot(middle[0], middle[1], middle[2]) : 0.0);
}

double turn_between(const double* a, const double* b, bool spatial) {
  if (!spatial) return std::abs(a[2] - b[2]);
  const auto turn = [](const double* pose) { return spatial::Turn(pose[3], pose[4], pose[5], pose[6]); };
  return spatial::logarithm(turn(a) * turn(b).conjugate()).norm();
}

// The largest distance [m] between the positions in which the two sides leave a point of a dynamic body.
double poses_apart(const ValidateCase& job, const double* a, const double* b) {
  const int size = parameter_layout(job.scene).pose_size();
  const bool spatial = size == 7;
  double farthest = 0.0;
  int body = -1;
  for (const BodySpec& spec : job.scene.bodies) {
    ++body;
    if (spec.kind != BodyKind::dynamic) continue;
    const double* p = a + size * body;
    const double* q = b + size * body;
    const double shift = std::hypot(p[0] - q[0], p[1] - q[1], spatial ? p[2] - q[2] : 0.0);
    const double turned = 2.0 * std::abs(std::sin(0.5 * turn_between(p, q, spatial)));
    farthest = worst(farthest, shift + turned * radius_of(job, body));
  }
  return farthest;
}

// Compares values, not bytes, which may include padding.
bool identical(const SceneOutcome& a, const SceneOutcome& b) {
  return a.status == b.status && a.success == b.success && a.stopped_still == b.stopped_still && a.steps == b.steps &&
         a.substeps_rejected == b.substeps_rejected && a.substeps == b.substeps && a.solves == b.solves &&
         a.iterations == b.iterations && a.contacts_sum == b.contacts_sum && a.residual_max == b.residual_max &&
         a.penetration_max == b.penetration_max;
}

TrajectoryComparison compare(const ValidateCase& job, const Runs& fast, const Runs& other) {
  TrajectoryComparison out;
  out.trials = job.trials.size();
  out.has_outcomes = !job.scene.success.empty();
  out.fast = tally_of(fast);
  out.other = tally_of(other);
  const std::size_t poses = poses_of(job);
  std::vector<double> apart;
  for (std::size_t i = 0; i < out.trials; ++i) {
    const SceneOutcome& a = fast.outcomes[i];
    const SceneOutcome& b = other.outcomes[i];
    const double* pose_a = fast.poses.data() + i * poses;
    const double* pose_b = other.poses.data() + i * poses;
    if (identical(a, b) && std::memcmp(pose_a, pose_b, poses * sizeof(double)) == 0) ++out.identical;
    if (a.status != status_ok) out.unresolved_fast.push_back(i);
    if (b.status != status_ok) out.unresolved_other.push_back(i);
    if (a.status != status_ok || b.status != status_ok) continue;
    ++out.both_resolved;
    out.successes_fast += static_cast<std::size_t>(a.success);
    out.successes_other += static_cast<std::size_t>(b.success);
    apart.push_back(poses_apart(job.of(i), pose_a, pose_b));
    if (a.success == b.success) {
      ++out.alike;
    } else {
      out.disagreements.emplace_back();
      out.disagreements.back().trial = i;
      out.disagreements.back().fast = a;
      out.disagreements.back().other = b;
    }
  }
  out.pose_largest = quantile(apart, 1.0);
  out.pose_quantile_50 = quantile(apart, 0.5);
  return out;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

// A case with this trial alone, with or without warm starts.
ValidateCase alone(const ValidateCase& job, std::size_t trial, bool warm) {
  ValidateCase out = job.of(trial);
  out.trials = {out.trials[job.place_of(trial)]};
  out.options.warm_start = warm;
  return out;
}

SceneOutcome outcome_by_reference(const ValidateCase& job) {
  SceneOutcome out;
  std::vector<double> poses(poses_of(job));
  run_reference(job.other(), job.options, job.trials[0].parameters, {&out, 1}, poses, 1, nullptr);
  return out;
}

// Finds the first step in which the two sides part from the same state, and all outcomes that each side can find.
template <class Pair>
void look_into(const ValidateCase& job, Disagreement& d) {
  const ValidateCase trial = alone(job, d.trial, job.options.warm_start);
  const double enough = tolerances_for(job.options).step_residual;
  double largest = 0.0;
  double most_left = 0.0;
  std::int64_t unresolved = 0, open = 0;
  for (Pair pair(trial, 0, tolerances_for(job.options).step_residual); pair.step();) {
    largest = worst(largest, pair.last().velocity);
    if (!pair.resolved()) ++unresolved;
    if (pair.last().left_open) ++open;
    most_left = worst(most_left, pair.last().residual_fast);
    if (d.parted >= 0 || !pair.resolved() || !(pair.last().velocity > parted_velocity)) continue;
    d.parting = pair.last();
    d.parting.trial = d.trial;
    d.parted = d.parting.step;
  }
  std::set<int> fast{d.fast.success};
  std::set<int> other{d.other.success};
  for (const bool warm : {true, false}) {
    ValidateCase variant = alone(job, d.trial, warm);
    for (const SolverKind solver :
         {SolverKind::newton, SolverKind::stiff_newton, SolverKind::aj, SolverKind::pgs, SolverKind::nncg}) {
      variant.options.solver = solver;
      Simulation simulation(variant.model, variant.options, variant.trials[0].parameters, variant.arithmetic);
      simulation.run();
      if (simulation.outcome().status == status_ok) fast.insert(simulation.outcome().success);
    }
    const SceneOutcome found = outcome_by_reference(variant);
    if (found.status == status_ok) other.insert(found.success);
  }
  d.fast_set.assign(fast.begin(), fast.end());
  d.other_set.assign(other.begin(), other.end());
  if (d.parted < 0) {
    d.reason = "no step from the same state differs by more than " + short_number(largest) +
               " m/s; differences within the tolerances grew until the outcomes differed";
  } else {
    d.reason = "step " + std::to_string(d.parted) + " from the same state has two answers that differ by " +
               short_number(d.parting.velocity) + " m/s, with residuals " +
               (d.parting.left_open ? "-" : short_number(d.parting.residual_fast)) + " and " +
               short_number(d.parting.residual_other) + " m/s" +
               (d.parting.left_open ? ", not checked, because the product linearised it again or took it in substeps"
                : d.parting.residual_fast <= tolerances_for(job.options).step_residual
                    ? ", and both are solutions of the reference simulator's equations"
                    : ", and the product's is no solution of the reference simulator's equations") +
               (d.parting.tie ? ", a tie of features" : "");
  }
  d.every_step_allowed = job.spatial_scene != nullptr && most_left <= enough && unresolved == 0 && !d.parting.left_open;
  if (d.every_step_allowed) {
    d.reason += "; all steps of the product except the " + std::to_string(open) +
                " that are left open are solutions of the reference simulator's equations, to " +
                short_number(most_left) + " m/s";
  }
  if (d.not_unique()) d.reason += "; other solvers or starts find either outcome";
}

}  // namespace

bool Disagreement::not_unique() const {
  std::vector<int> common;
  std::set_intersection(fast_set.begin(), fast_set.end(), other_set.begin(), other_set.end(),
                        std::back_inserter(common));
  return !common.empty();
}

TrajectoryComparison compare_with_reference(const ValidateCase& job, Backend& fast, const Watch& watch) {
  const std::size_t total = job.trials.size();
  const Runs quick = run_backend(job, fast, watch, {});
  Runs slow = capacity_for(job);
  const auto begin = std::chrono::steady_clock::now();
  const auto progress = [&](std::size_t done) {
    if (watch.progress) watch.progress(done, total);
  };
  const bool finished = job.has_own_scenes()
                            ? run_own_scenes(job, watch, slow, progress)
                            : run_reference(job.other(), job.options, parameters_of(job), slow.outcomes, slow.poses,
                                            watch.threads, watch.stop, progress);
  if (!finished) interrupted();
  slow.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  TrajectoryComparison out = compare(job, quick, slow);
  std::vector<Disagreement>& all = out.disagreements;
  if (!for_each_index(all.size(), watch.threads, watch.stop, [&](std::size_t i) {
        job.spatial_scene ? look_into<SpatialLockstep>(job, all[i]) : look_into<PlanarLockstep>(job, all[i]);
      })) {
    interrupted();
  }
  for (const Disagreement& d : all) out.allowed += d.every_step_allowed ? 1 : 0;
  return out;
}

TrajectoryComparison compare_backends(const ValidateCase& job, Backend& fast, Backend& other, const Watch& watch) {
  const std::size_t total = 2 * job.trials.size();
  std::size_t before = 0;
  const auto progress = [&](std::size_t done) {
    if (watch.progress) watch.progress(before + done, total);
  };
  const Runs first = run_backend(job, fast, watch, progress);
  before = job.trials.size();
  TrajectoryComparison out = compare(job, first, run_backend(job, other, watch, progress));
  out.same_bits_promised = job.arithmetic == Arithmetic::strict;
  return out;
}

}  // namespace pegrasp::reference

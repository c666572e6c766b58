// SPDX-License-Identifier: Apache-2.0
#include "src/cli/scene_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"
#include "src/cli/common.hpp"
#include "src/metrics/motion_cone.hpp"
#include "src/metrics/overlap.hpp"

namespace pegrasp::cli {
namespace {

// Quantile of sorted values, by linear interpolation.
double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0.0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// "1.0 um", "12 mm".
std::string length_text(double length) {
  char text[40];
  if (length < 0.9995e-3) {
    std::snprintf(text, sizeof text, length < 0.9995e-4 ? "%.1f \u00b5m" : "%.0f \u00b5m", 1e6 * length);
  } else {
    std::snprintf(text, sizeof text, "%.3g mm", 1e3 * length);
  }
  return text;
}

}  // namespace

std::string squeeze_text(const SceneSpec& scene, const Squeeze& squeeze) {
  const auto body = [&](int index) -> const BodySpec& { return scene.bodies[static_cast<std::size_t>(index)]; };
  std::vector<int> by;  // bodies with prescribed motion before fixed ones, as the scene lists them
  for (const int index : squeeze.by) {
    if (index >= 0) by.push_back(index);
  }
  std::sort(by.begin(), by.end(), [&](int a, int b) {
    const bool fixed_a = body(a).kind == BodyKind::fixed, fixed_b = body(b).kind == BodyKind::fixed;
    return fixed_a != fixed_b ? fixed_b : a < b;
  });
  std::string text = body(by[0]).name;
  if (by.size() == 1) {
    text += ", with prescribed motion, leaves ";
  } else if (body(by[1]).kind == BodyKind::fixed) {
    text += ", with prescribed motion, and " + body(by[1]).name + " leave ";
  } else {
    text += " and " + body(by[1]).name + ", both with prescribed motion, leave ";
  }
  char time[40];
  std::snprintf(time, sizeof time, "%.9g", squeeze.time);
  return text + body(squeeze.body).name + " " + length_text(squeeze.room) + " too little room at t = " + time + " s";
}

SceneWatch::SceneWatch(const SceneSpec& scene, Simulation& simulation, double closed)
    : scene_(scene),
      closed_(closed),
      asks_for_unique_(scene.model == MotionModel::quasistatic && scene.joints.empty()) {
  if (asks_for_unique_) simulation.watch_contacts();
  if (scene.spatial) {
    spatial_.emplace(scene);
  } else {
    dynamic_area_ = total_dynamic_area(scene);
  }
  const EnergyReport energy = simulation.energy();
  unexplained_ = energy.unexplained;
  energy_initial_ = energy_final_ = energy.kinetic + energy.potential;
}

double SceneWatch::overlap(const Simulation& simulation) const {
  std::vector<Pose> poses;
  std::vector<SpatialPose> spatial_poses;
  std::vector<bool> present;
  for (int b = 0; b < static_cast<int>(scene_.bodies.size()); ++b) {
    if (spatial_) {
      spatial_poses.push_back(simulation.spatial_pose(b));
    } else {
      poses.push_back(simulation.pose(b));
    }
    present.push_back(simulation.present(b));
  }
  const double whole = spatial_ ? spatial_->dynamic_volume() : dynamic_area_;
  if (!(whole > 0.0)) return 0.0;
  return (spatial_ ? spatial_->total(spatial_poses, present) : total_overlap_area(scene_, poses, present)) / whole;
}

double SceneWatch::speed(const Simulation& simulation, int body) const {
  if (!spatial_) {
    const Twist v = simulation.velocity(body);
    return std::hypot(v.vx, v.vy);
  }
  const Vec3 v = simulation.spatial_velocity(body).velocity;
  return std::hypot(v.x, v.y, v.z);
}

double SceneWatch::own_energy(const BodySpec& body) const {
  if (!spatial_) {
    const Twist v = body.planar().velocity;
    return 0.5 * body.mass * (v.vx * v.vx + v.vy * v.vy) + 0.5 * body.planar().inertia * v.omega * v.omega;
  }
  return kinetic_energy(body);
}

void SceneWatch::see(const Simulation& simulation) {
  if (asks_for_unique_ && leaves_rest_alone(cone_of_step(scene_, simulation, closed_))) ++unique_;
  for (int b = 0; b < static_cast<int>(scene_.bodies.size()); ++b) {
    if (!simulation.present(b) || scene_.bodies[static_cast<std::size_t>(b)].kind != BodyKind::dynamic) continue;
    speed_max_ = std::max(speed_max_, speed(simulation, b));
  }
  if (const Squeeze squeeze = simulation.last_step().squeeze; squeeze.body >= 0) {
    if (squeezes_++ == 0) squeeze_ = squeeze;
    most_room_ = std::max(most_room_, squeeze.room);
  }
  overlaps_.push_back(overlap(simulation));
  depth_max_ = std::max(depth_max_, simulation.last_penetration());
  const EnergyReport energy = simulation.energy();
  energy_final_ = energy.kinetic + energy.potential;
  double now = energy.unexplained;
  // A body that appears brings its own energy; that is no increase of the others'.
  for (int b = 0; b < static_cast<int>(scene_.bodies.size()); ++b) {
    const BodySpec& body = scene_.bodies[static_cast<std::size_t>(b)];
    if (body.kind != BodyKind::dynamic || !(body.drop_time > 0.0) || !simulation.present(b)) continue;
    now -= own_energy(body);
  }
  largest_increase_ = std::max(largest_increase_, now - unexplained_);
  unexplained_ = now;
}

nlohmann::ordered_json SceneWatch::report(const Simulation& simulation, const StepOptions& options,
                                          Arithmetic arithmetic, double wall) const {
  const SceneOutcome outcome = simulation.outcome();
  std::vector<double> sorted = overlaps_;
  std::sort(sorted.begin(), sorted.end());
  const double substeps = static_cast<double>(std::max<std::int64_t>(1, outcome.substeps));
  nlohmann::ordered_json out;
  out["scene"] = scene_.name;
  out["contact"] = name_of(options.contact);
  out["solver"] = name_of(options.solver);
  out["strategy"] = name_of(options.strategy);
  out["arithmetic"] = name_of(arithmetic);
  // What was done to meshes; warnings are told apart.
  for (const BodySpec& body : scene_.bodies) {
    for (const Remark& remark : body.remarks)
      if (!remark.warning) out["meshes"].push_back(remark.text);
  }
  if (arithmetic == Arithmetic::fast) out["in_double"] = outcome.in_double != 0;
  out["h_s"] = options.h;
  out["steps"] = outcome.steps;
  out["time_s"] = outcome.time;
  out["substeps_rejected"] = outcome.substeps_rejected;
  out["unresolved_steps"] = outcome.unresolved_steps;
  out["status"] = status_words(outcome.status);
  if (squeezes_ > 0) {
    std::string text = squeeze_text(scene_, squeeze_);
    if (squeezes_ > 1) {
      text += "; in " + std::to_string(squeezes_) + " steps in all, up to " + length_text(most_room_);
    }
    out["infeasible"] = text;
  }
  out["success"] = outcome.success != 0;
  out["stopped_still"] = outcome.stopped_still != 0;
  if (asks_for_unique_) out["unique_steps"] = unique_;
  out["overlap_median"] = quantile(sorted, 0.5);
  out["overlap_q99"] = quantile(sorted, 0.99);
  out["overlap_max"] = sorted.empty() ? 0.0 : sorted.back();
  // Body pairs whose volume has no closed form count for nothing above; the depth below is of all.
  if (spatial_ && spatial_->pairs_left_out() > 0) out["overlap_pairs_left_out"] = spatial_->pairs_left_out();
  out["depth_max_m"] = depth_max_;
  out["penetration_tolerance_m"] = options.penetration_tolerance;
  out["speed_max"] = speed_max_;
  out["energy"] = {{"initial", energy_initial_}, {"final", energy_final_}, {"largest_increase", largest_increase_}};
  out["residual_max"] = outcome.residual_max;
  out["tolerance_m_s"] = options.tolerance;
  out["solves_mean"] = static_cast<double>(outcome.solves) / substeps;
  out["iterations_mean"] =
      outcome.solves > 0 ? static_cast<double>(outcome.iterations) / static_cast<double>(outcome.solves) : 0.0;
  out["contacts_mean"] = static_cast<double>(outcome.contacts_sum) / substeps;
  out["contacts_max"] = outcome.contacts_max;
  out["wall_s"] = wall;
  out["version"] = version::number;
  out["git"] = version::git;
  return out;
}

void append_planar_state(std::ostream& out, int step, double time, std::size_t body, const Pose& q, const Twist& v,
                         const std::string& more) {
  out << step << ',' << digits17(time) << ',' << body;
  for (double value : {q.x, q.y, 0.0, std::cos(0.5 * q.theta), 0.0, 0.0, std::sin(0.5 * q.theta), v.vx, v.vy, 0.0, 0.0,
                       0.0, v.omega}) {
    out << ',' << digits17(value);
  }
  out << more << '\n';
}

void append_spatial_state(std::ostream& out, int step, double time, std::size_t body, const SpatialPose& pose,
                          const SpatialTwist& velocity, const std::string& more) {
  const auto& [x, turn] = pose;
  const auto& [v, w] = velocity;
  out << step << ',' << digits17(time) << ',' << body;
  for (double value : {x.x, x.y, x.z, turn.w, turn.x, turn.y, turn.z, v.x, v.y, v.z, w.x, w.y, w.z}) {
    out << ',' << digits17(value);
  }
  out << more << '\n';
}

void append_state(std::ostream& out, const SceneSpec& scene, const Simulation& simulation,
                  const std::function<std::string(int)>& more) {
  const int step = simulation.outcome().steps;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    if (!simulation.present(b)) continue;
    if (!scene.spatial) {
      append_planar_state(out, step, simulation.time(), static_cast<std::size_t>(b), simulation.pose(b),
                          simulation.velocity(b), more(b));
      continue;
    }
    append_spatial_state(out, step, simulation.time(), static_cast<std::size_t>(b), simulation.spatial_pose(b),
                         simulation.spatial_velocity(b), more(b));
  }
}

}  // namespace pegrasp::cli

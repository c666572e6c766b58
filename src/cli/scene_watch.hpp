// SPDX-License-Identifier: Apache-2.0
// Measures of one scene, gathered step by step: overlap, depth, speed, energy.
#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "src/metrics/spatial_overlap.hpp"

namespace pegrasp::cli {

class SceneWatch {
 public:
  // Before the first step. closed: gaps up to it are closed [m].
  SceneWatch(const SceneSpec& scene, Simulation& simulation, double closed);
  void see(const Simulation& simulation);
  // The object that `pegrasp run --json` prints. wall: time spent stepping [s].
  nlohmann::ordered_json report(const Simulation& simulation, const StepOptions& options, Arithmetic arithmetic,
                                double wall) const;

 private:
  double overlap(const Simulation& simulation) const;  // relative to the area, or volume, of all that moves
  double speed(const Simulation& simulation, int body) const;
  double own_energy(const BodySpec& body) const;  // kinetic, as the scene has it [J]

  const SceneSpec& scene_;
  double dynamic_area_ = 0.0;
  double closed_;
  bool asks_for_unique_ = false;  // counts the steps of quasistatic scenes whose motion was the only one possible
  int unique_ = 0;
  std::optional<SpatialOverlap> spatial_;
  std::vector<double> overlaps_;  // relative, one a step
  Squeeze squeeze_;               // of the first step that was infeasible
  int squeezes_ = 0;              // steps that were
  double most_room_ = 0.0;        // [m] the largest room that was missing
  double speed_max_ = 0.0;
  double depth_max_ = 0.0;
  double energy_initial_ = 0.0;
  double energy_final_ = 0.0;
  double unexplained_ = 0.0;       // kinetic - explained after the last step [J]
  double largest_increase_ = 0.0;  // of that, in one step
};

// In words: "left and right, both with prescribed motion, leave part 1.0 um too little room at t = 0.105 s".
std::string squeeze_text(const SceneSpec& scene, const Squeeze& squeeze);

// The columns of the next.
inline constexpr const char* trajectory_heading = "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";

// One line of a planar body, and of a spatial one.
void append_planar_state(std::ostream& out, int step, double time, std::size_t body, const Pose& pose,
                         const Twist& velocity, const std::string& more = {});
void append_spatial_state(std::ostream& out, int step, double time, std::size_t body, const SpatialPose& pose,
                          const SpatialTwist& velocity, const std::string& more = {});

// One line per body present: step, time, body, pose and velocity, 17 significant digits. more(body): further cells.
void append_state(std::ostream& out, const SceneSpec& scene, const Simulation& simulation,
                  const std::function<std::string(int)>& more);

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// One simulated trial, kept to be played: the poses of all bodies in all steps, and forces in some.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pegrasp/simulation.hpp"

namespace pegrasp::report {

// A body after a step (0: at the start): x, y, theta, or in 3D x, y, z and the quaternion w, x, y, z.
struct PosePoint {
  int step = 0;
  std::array<double, 7> pose{};
};

// What an arrow shows. Contacts first; the rest as RowKind has it.
enum class MarkKind : int { idle = 0, sticks, slides, support, motor, joint, limit, coupling };

// A force on body_b at a point, mean over a step; its opposite acts on body_a (-1: the world).
struct ForceMark {
  MarkKind kind = MarkKind::idle;
  int body_a = -1, body_b = 0;
  Vec3 point;  // world [m]
  Vec3 force;  // world [N]
};
struct ForceFrame {
  int step = 0;
  std::vector<ForceMark> marks;
};

struct Recording {
  bool spatial = false;
  double h = 0.0;  // [s]
  int steps = 0;
  bool success = false;
  std::string status;                          // in words
  std::vector<std::vector<PosePoint>> tracks;  // one a body, from the step on in which it appears
  std::vector<ForceFrame> forces;              // every `stride` steps
  int stride = 1;
};

class Recorder {
 public:
  // Before the first step. At most about `force_frames` steps have forces, evenly over the trial; 0: none.
  Recorder(const SceneSpec& scene, Simulation& simulation, double h, int force_frames);
  // After every step.
  void see(const Simulation& simulation);
  Recording finish(const Simulation& simulation);

 private:
  void add_poses(const Simulation& simulation, int step);

  Recording recording_;
  std::size_t force_frames_;
};

}  // namespace pegrasp::report

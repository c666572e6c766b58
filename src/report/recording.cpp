// SPDX-License-Identifier: Apache-2.0
#include "src/report/recording.hpp"

#include <cmath>
#include <utility>

#include "pegrasp/names.hpp"

namespace pegrasp::report {
namespace {

Vec3 mean_force(Vec3 impulse, double duration) {
  if (!(duration > 0.0)) return {};
  const Vec3 force{impulse.x / duration, impulse.y / duration, impulse.z / duration};
  return std::isfinite(force.x + force.y + force.z) ? force : Vec3{};
}

MarkKind kind_of(ContactState state) {
  switch (state) {
    case ContactState::stick:
      return MarkKind::sticks;
    case ContactState::slide:
      return MarkKind::slides;
    case ContactState::none:
      break;
  }
  return MarkKind::idle;
}

MarkKind kind_of(RowKind kind) {
  switch (kind) {
    case RowKind::support:
      return MarkKind::support;
    case RowKind::motor:
      return MarkKind::motor;
    case RowKind::joint:
      return MarkKind::joint;
    case RowKind::limit:
      return MarkKind::limit;
    case RowKind::coupling:
      break;
  }
  return MarkKind::coupling;
}

ForceFrame frame_of(const StepContents& contents, int step) {
  ForceFrame frame;
  frame.step = step;
  for (const ContactReport& c : contents.step_contacts) {
    frame.marks.push_back({kind_of(c.state), c.body_a, c.body_b, c.point, mean_force(c.impulse, c.duration)});
  }
  for (const LoadReport& l : contents.loads) {
    const Vec3 force = mean_force(l.impulse, l.duration);
    if (force.x == 0.0 && force.y == 0.0 && force.z == 0.0) continue;  // a moment alone has no arrow
    frame.marks.push_back({kind_of(l.kind), l.body_a, l.body_b, l.point, force});
  }
  return frame;
}

}  // namespace

Recorder::Recorder(const SceneSpec& scene, Simulation& simulation, double h, int force_frames)
    : force_frames_(static_cast<std::size_t>(force_frames)) {
  recording_.spatial = scene.spatial;
  recording_.h = h;
  recording_.tracks.resize(scene.bodies.size());
  if (force_frames > 0) simulation.watch_contacts();
  add_poses(simulation, 0);
}

void Recorder::add_poses(const Simulation& simulation, int step) {
  for (std::size_t b = 0; b < recording_.tracks.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!simulation.present(body)) continue;
    PosePoint point{step, {}};
    if (recording_.spatial) {
      const auto [x, turn] = simulation.spatial_pose(body);
      point.pose = {x.x, x.y, x.z, turn.w, turn.x, turn.y, turn.z};
    } else {
      const Pose q = simulation.pose(body);
      point.pose = {q.x, q.y, q.theta};
    }
    double sum = 0.0;
    for (const double value : point.pose) sum += value;
    if (std::isfinite(sum)) recording_.tracks[b].push_back(point);  // a trial may end at a state that is no number
  }
}

void Recorder::see(const Simulation& simulation) {
  const int step = simulation.outcome().steps;
  add_poses(simulation, step);
  if (force_frames_ == 0 || step % recording_.stride != 0) return;
  recording_.forces.push_back(frame_of(simulation.contents(), step));
  if (recording_.forces.size() <= force_frames_) return;
  recording_.stride *= 2;  // the trial is longer than it looked: every second frame goes
  std::erase_if(recording_.forces, [&](const ForceFrame& frame) { return frame.step % recording_.stride != 0; });
}

Recording Recorder::finish(const Simulation& simulation) {
  const SceneOutcome outcome = simulation.outcome();
  recording_.steps = outcome.steps;
  recording_.success = outcome.success != 0;
  recording_.status = status_words(outcome.status);
  return std::move(recording_);
}

}  // namespace pegrasp::report

// SPDX-License-Identifier: Apache-2.0
#include "src/report/frames.hpp"

#include <algorithm>
#include <cmath>

namespace pegrasp::report {
namespace {

Json poses_at(const Recording& recording, int step) {
  const std::size_t numbers = recording.spatial ? 7 : 3;
  Json poses = Json::array();
  for (const std::vector<PosePoint>& track : recording.tracks) {
    const auto after = std::upper_bound(track.begin(), track.end(), step,
                                        [](int at, const PosePoint& point) { return at < point.step; });
    if (after == track.begin()) {  // the body has not appeared
      poses.push_back(nullptr);
      continue;
    }
    Json pose = Json::array();
    for (std::size_t i = 0; i < numbers; ++i) pose.push_back(std::prev(after)->pose[i]);
    poses.push_back(std::move(pose));
  }
  return poses;
}

Json marks_of(const Recording& recording, int step) {
  Json marks = Json::array();
  const auto after = std::upper_bound(recording.forces.begin(), recording.forces.end(), step,
                                      [](int at, const ForceFrame& frame) { return at < frame.step; });
  if (after == recording.forces.begin()) return marks;
  for (const ForceMark& mark : std::prev(after)->marks) {
    marks.push_back({{"kind", static_cast<int>(mark.kind)},
                     {"point", {mark.point.x, mark.point.y, mark.point.z}},
                     {"force", {mark.force.x, mark.force.y, mark.force.z}}});
  }
  return marks;
}

}  // namespace

Json frames_json(const std::string& title, const Json& drawing, const Recording& recording,
                 const std::vector<int>& steps, double frames_per_second) {
  Json out{{"title", title}, {"scene", drawing}, {"frames_per_second", frames_per_second}};
  Json& frames = out["frames"] = Json::array();
  for (const int step : steps) {
    frames.push_back(
        {{"time", step * recording.h}, {"poses", poses_at(recording, step)}, {"marks", marks_of(recording, step)}});
  }
  return out;
}

std::vector<int> film_steps(const Recording& recording, double frames_per_second, double least) {
  const double duration = std::max(recording.steps * recording.h, least);
  const int count = std::max(2, static_cast<int>(std::lround(duration * frames_per_second)));
  std::vector<int> steps;
  for (int i = 0; i < count; ++i) {
    steps.push_back(static_cast<int>(std::lround(static_cast<double>(recording.steps) * i / (count - 1))));
  }
  return steps;
}

}  // namespace pegrasp::report

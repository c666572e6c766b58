// SPDX-License-Identifier: Apache-2.0
#include "src/identify/states.hpp"

#include <algorithm>

#include "src/decide/numbers.hpp"
#include "src/text/document.hpp"

namespace pegrasp::identify {
namespace {

constexpr const char* state_keys[6] = {"x_m", "y_m", "turn_rad", "vx_m_s", "vy_m_s", "omega_rad_s"};

[[noreturn]] void refuse(const RowEvaluator& rows, const std::string& key, const std::string& method) {
  throw InputError(rows.origin() + ": " + key + ": --method " + method +
                   " begins trials at any time, which this key does not allow; use --method batch");
}

void check_timeless(const RowEvaluator& rows, const std::string& method) {
  const Node document = parse_toml(rows.document(), rows.origin());
  for (const char* table : {"joint", "gripper", "protocol", "urdf", "grasps", "grid", "axis"})
    if (document.find(table) != nullptr) refuse(rows, table, method);
  if (const Node* const bodies = document.find("body"))
    for (const Node& body : bodies->items)
      for (const char* key : {"motion", "oscillation", "drop_time_s", "drop_time_ms", "variants"})
        if (body.find(key) != nullptr) refuse(rows, std::string("body.") + key, method);
  if (const Node* const actuators = document.find("actuator"))
    for (const Node& actuator : actuators->items)
      for (const char* key : {"program", "position_mm", "position_m"})
        if (actuator.find(key) != nullptr) refuse(rows, std::string("actuator.") + key, method);
  for (const BodySpec& body : rows.problem().scene.bodies)
    if (body.kind == BodyKind::kinematic) refuse(rows, "body." + body.name + ".kind", method);
}

}  // namespace

States::States(const RowEvaluator& rows, const Track& track, const std::string& method)
    : rows_(rows), bodies_(track.bodies) {
  check_timeless(rows, method);
  const std::vector<BodySpec>& all = rows.problem().scene.bodies;
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (all[b].kind != BodyKind::dynamic || std::find(bodies_.begin(), bodies_.end(), b) != bodies_.end()) continue;
    throw InputError(rows.origin() + ": body." + all[b].name + ": --method " + method +
                     " needs to see every dynamic body; add its rows to --data, or use --method batch");
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    for (std::size_t c = 0; c < 6; ++c)
      if (c % 3 < 2 || (all[bodies_[i]].turns && track.turns_seen(bodies_[i]))) free_.push_back(6 * i + c);
}

std::vector<double> States::start() const {
  std::vector<double> out;
  for (const std::size_t b : bodies_) {
    const PlanarBody& body = rows_.problem().scene.bodies[b].planar();
    out.insert(out.end(),
               {body.pose.x, body.pose.y, body.pose.theta, body.velocity.vx, body.velocity.vy, body.velocity.omega});
  }
  return out;
}

void States::set(Row& row, std::span<const double> state) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodySpec& body = rows_.problem().scene.bodies[bodies_[i]];
    for (std::size_t c = 0; c < 6; ++c)
      if (c != 5 || body.turns)
        row.set.push_back({"body." + body.name + "." + state_keys[c], decide::shortest_text(state[6 * i + c])});
  }
}

void States::read(std::span<double> state, const Simulation& simulation, const Track& track) {
  for (std::size_t i = 0; i < track.bodies.size(); ++i) {
    const int body = static_cast<int>(track.bodies[i]);
    const Pose pose = simulation.pose(body);
    const Twist velocity = simulation.velocity(body);
    const double numbers[6] = {pose.x, pose.y, pose.theta, velocity.vx, velocity.vy, velocity.omega};
    std::copy_n(numbers, 6, state.begin() + static_cast<std::ptrdiff_t>(6 * i));
  }
}

void set_duration(Row& row, double seconds) {
  row.set.push_back({"simulation.duration_s", decide::shortest_text(seconds)});
}

}  // namespace pegrasp::identify

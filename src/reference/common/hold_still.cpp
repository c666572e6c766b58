// SPDX-License-Identifier: Apache-2.0
#include "src/reference/common/hold_still.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pegrasp::reference {
namespace {

constexpr double most_gain = 0.01;     // share of the explained energy
constexpr double most_speeding = 2.0;  // times the fastest explained: levers, light bodies hit by heavy ones

// The bodies that joints and couplings connect, two by two; the world is left out.
std::vector<std::pair<int, int>> connections(const SceneSpec& scene) {
  std::vector<std::pair<int, int>> out;
  for (const JointSpec& joint : scene.joints) {
    if (joint.body_a >= 0) out.emplace_back(joint.body_a, joint.body_b);
  }
  for (const CouplingSpec& coupling : scene.couplings) {
    out.emplace_back(scene.joints[static_cast<std::size_t>(coupling.joint)].body_b,
                     scene.joints[static_cast<std::size_t>(coupling.of_joint)].body_b);
  }
  return out;
}

// Marks what bodies with a mark are connected with, as far as it counts.
void spread(const SceneSpec& scene, const std::vector<BodyAccount>& bodies, std::vector<char>& marks) {
  const std::vector<std::pair<int, int>> pairs = connections(scene);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : pairs) {
      const auto i = static_cast<std::size_t>(a);
      const auto j = static_cast<std::size_t>(b);
      if (!bodies[i].counts || !bodies[j].counts || marks[i] == marks[j]) continue;
      marks[i] = marks[j] = 1;
      changed = true;
    }
  }
}

}  // namespace

std::vector<char> gaining_bodies(const SceneSpec& scene, const std::vector<BodyAccount>& bodies, double pushing) {
  const auto explained = [pushing](const BodyAccount& body) {
    // A body that turns as fast as it is pushed has up to twice the energy of one that does not turn.
    return std::max((1.0 + most_gain) * body.start_energy, body.mass * pushing * pushing);
  };
  double fastest = pushing, all = 0.0, all_explained = 0.0;
  for (const BodyAccount& body : bodies) {
    if (!body.counts) continue;
    fastest = std::max(fastest, body.start_speed);
    all += body.energy;
    all_explained += explained(body);
  }
  std::vector<char> marks;
  for (const BodyAccount& body : bodies) {
    const bool gains = all > all_explained && body.energy > explained(body);
    marks.push_back(body.counts && (gains || body.speed > most_speeding * fastest) ? 1 : 0);
  }
  spread(scene, bodies, marks);
  return marks;
}

int prescribed_anchor(const SceneSpec& scene, const std::vector<BodyAccount>& bodies, int body) {
  std::vector<char> with(bodies.size(), 0);
  with[static_cast<std::size_t>(body)] = 1;
  spread(scene, bodies, with);
  for (const JointSpec& joint : scene.joints) {
    if (joint.body_a < 0) continue;
    for (const auto& [own, other] : {std::pair{joint.body_a, joint.body_b}, std::pair{joint.body_b, joint.body_a}}) {
      if (with[static_cast<std::size_t>(own)] == 0) continue;
      if (scene.bodies[static_cast<std::size_t>(other)].kind == BodyKind::kinematic) return other;
    }
  }
  return -1;
}

bool is_jointed(const SceneSpec& scene, int body) {
  return std::any_of(scene.joints.begin(), scene.joints.end(),
                     [body](const JointSpec& joint) { return joint.body_a == body || joint.body_b == body; });
}

}  // namespace pegrasp::reference

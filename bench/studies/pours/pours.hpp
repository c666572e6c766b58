// SPDX-License-Identifier: Apache-2.0
// Scenes of bodies poured into a box in 3D, by name, and measurements that suit any engine: whether the bodies stay in
// the box, and how far those at rest are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/scene.hpp"
#include "pegrasp/scene_json.hpp"
#include "src/metrics/round_overlap.hpp"
#include "src/metrics/solid_distance.hpp"
#include "tests/scenes/bricks.hpp"
#include "tests/scenes/polyhedron_pour.hpp"
#include "tests/scenes/solid_pours.hpp"

namespace pegrasp::bench {

struct Pour {
  const char* name;
  SceneSpec (*scene)(std::uint64_t seed, double friction);
  double duration;  // [s]
  double reach =
      1.0;  // [m] along x and y: bodies whose centres are farther have left the box, whose walls are 0.25 m thick
};

constexpr int columns_of_2000 = 14;    // eleven layers
constexpr int columns_of_spread = 26;  // three

inline const std::vector<Pour>& pours() {
  static const std::vector<Pour> all{
      {"hulls", [](std::uint64_t seed, double mu) { return scenes::polyhedron_box(seed, mu); },
       scenes::polyhedron_box_duration},
      {"needles", [](std::uint64_t seed, double mu) { return scenes::solid_pour("needles", seed, mu); }, 5.0},
      {"plates", [](std::uint64_t seed, double mu) { return scenes::solid_pour("plates", seed, mu); }, 5.0},
      {"tetrahedra", [](std::uint64_t seed, double mu) { return scenes::solid_pour("tetrahedra", seed, mu); }, 5.0},
      {"unions", [](std::uint64_t seed, double mu) { return scenes::union_box(seed, mu); }, scenes::union_box_duration},
      {"forty", [](std::uint64_t seed, double mu) { return scenes::many_hulls(seed, mu, 40); }, 22.0},
      {"2000", [](std::uint64_t seed, double mu) { return scenes::polyhedron_pour(seed, mu, 2000, columns_of_2000); },
       0.3, 6.0},
      {"spread",
       [](std::uint64_t seed, double mu) { return scenes::polyhedron_pour(seed, mu, 2000, columns_of_spread); }, 1.0,
       10.0},
  };
  return all;
}

inline const Pour& pour_named(const std::string& name) {
  const auto pour = std::find_if(pours().begin(), pours().end(), [&](const Pour& one) { return name == one.name; });
  if (pour == pours().end()) throw std::invalid_argument("no pour '" + name + "'");
  return *pour;
}

// The bodies to pour: a named scene for each seed, or a scene file, in which all bodies get the same friction.
struct Subject {
  std::string name;
  bool given = false;  // by a file: one run
  Pour pour{};
  std::function<SceneSpec(std::uint64_t, double)> scene;
};

inline Subject named_subject(const std::string& name) {
  const Pour& pour = pour_named(name);
  return {name, false, pour, pour.scene};
}

inline Subject given_subject(const std::string& path) {
  const SceneFile file = load_scene_json(path);
  if (!file.scene.spatial) throw std::invalid_argument(path + ": a planar scene; scenes in 3D are looked at here");
  if (!(file.t_end > 0.0)) throw std::invalid_argument(path + ": says no t_end, how long to simulate [s]");
  Pour pour{};
  pour.duration = file.t_end;
  const auto scene = [given = file.scene](std::uint64_t, double friction) {
    SceneSpec made = given;
    for (BodySpec& body : made.bodies) body.friction = friction;
    for (FrictionPair& pair : made.friction) pair.mu = friction;
    return made;
  };
  return {std::filesystem::path(path).stem().string(), true, pour, scene};
}

// Walls are as high as bodies that are in the box may lie.
inline bool in_the_box(const Pour& pour, Vec3 x) {
  return std::fabs(x.x) < pour.reach && std::fabs(x.y) < pour.reach && x.z > -0.2;
}

// The largest distance [m] between a body that has been present for long and its nearest neighbour, at the end: the gap
// that an engine leaves between bodies that lie on each other. Bodies that left the box do not count.
inline double gap_at_rest(const SceneSpec& scene, const Pour& pour, const std::vector<SpatialPose>& poses,
                          const std::vector<bool>& present) {
  constexpr double long_enough = 2.0;  // [s] to fall 1.5 m and come to rest
  std::vector<std::vector<MeasuredPart>> parts;
  for (const BodySpec& body : scene.bodies) {
    parts.emplace_back();
    for (const SolidPart& part : body.spatial().parts) parts.back().push_back(measured_part(part));
  }
  double widest = 0.0;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    const BodySpec& body = scene.bodies[a];
    if (body.kind != BodyKind::dynamic || body.drop_time + long_enough > pour.duration) continue;
    if (!in_the_box(pour, poses[a].position)) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < parts.size(); ++b) {
      if (a == b || !present[b]) continue;
      for (const MeasuredPart& own : parts[a]) {
        for (const MeasuredPart& other : parts[b]) {
          least = std::min(least, solid_distance(own.solid, poses[a], other.solid, poses[b]).distance);
        }
      }
    }
    widest = std::max(widest, least);
  }
  return widest;
}

}  // namespace pegrasp::bench

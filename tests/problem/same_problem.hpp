// SPDX-License-Identifier: Apache-2.0
// Bitwise comparison of problems, for round trips.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "tests/files.hpp"

namespace pegrasp::test {

// Everything a problem holds but its text, flattened to words: doubles by their bits.
class Words {
 public:
  explicit Words(const Problem& p) {
    text(p.title);
    for (const double x : scene_parameters(p.scene)) number(x);
    for (const BodySpec& one : p.scene.bodies) body(one);
    rest_of_scene(p.scene);
    options(p.options);
    integer(static_cast<int>(p.arithmetic)), integer(p.samples), integer(p.seed);
    grid(p.grid);
    for (const UncertainParameter& u : p.uncertain) {
      text(u.name), text(u.unit), integer(u.stream), integer(u.add);
      distribution(u.distribution);
      for (const int x : u.target) integer(x);
      for (const double x : u.scale) number(x);
    }
    for (const UncertainTripod& t : p.tripods) {
      text(t.name), integer(t.body), integer(t.stream), number(t.gravity);
      distribution(t.radius), distribution(t.turn);
      for (const Distribution& load : t.load) distribution(load);
    }
  }
  std::vector<std::uint64_t> out;

 private:
  void number(double x) { out.push_back(std::bit_cast<std::uint64_t>(x)); }
  template <class Integer>
  void integer(Integer x) {
    out.push_back(static_cast<std::uint64_t>(x));
  }
  void text(const std::string& s) {
    integer(s.size());
    for (const char c : s) integer(static_cast<unsigned char>(c));
  }
  void point(Vec2 v) { number(v.x), number(v.y); }
  void pose(const Pose& q) { number(q.x), number(q.y), number(q.theta); }
  void place(Vec3 v) { number(v.x), number(v.y), number(v.z); }

  void distribution(const Distribution& d) {
    integer(static_cast<int>(d.kind));
    number(d.mean), number(d.sd), number(d.low), number(d.high);
    for (const double x : d.values) number(x);
    for (const double x : d.weights) number(x);
    integer(d.group_stream);
    for (const std::string& name : d.groups) text(name);
    text(d.shared_group);
    for (const Distribution& component : d.components) distribution(component);
  }

  void shell(const std::optional<CompliantShell>& one) {
    const CompliantShell x = one.value_or(CompliantShell{});
    number(x.thickness), number(x.stiffness), number(x.damping);
    number(x.tangential_stiffness), number(x.tangential_damping);
  }

  void body(const BodySpec& body) {
    text(body.name);
    shell(body.shell);
    integer(static_cast<int>(body.kind));
    number(body.mass), number(body.friction);
    point(body.slide_axis.value_or(Vec2{}));
    integer(body.is_spatial());
    if (body.is_spatial()) {
      for (const SpatialKeyframe& key : body.spatial().motion) {
        const Quaternion& turn = key.pose.turn;
        number(key.time), place(key.pose.position), number(turn.w), place({turn.x, turn.y, turn.z});
      }
      for (const SolidPart& part : body.spatial().parts) {
        text(part.name), shell(part.shell);
        integer(static_cast<int>(part.kind)), number(part.radius);
        for (const Vec3& vertex : part.shape.vertices) place(vertex);
      }
      return;
    }
    number(body.planar().inertia);
    for (const Keyframe& key : body.planar().motion) number(key.time), pose(key.pose);
    for (const ConvexPart& part : body.planar().parts) {
      text(part.name), shell(part.shell);
      for (const Corner& corner : part.corners) point(corner.centre), number(corner.radius);
      point(part.normal), number(part.offset);
    }
  }

  void rest_of_scene(const SceneSpec& scene) {
    for (const FrictionPair& pair : scene.friction) integer(pair.body_a), integer(pair.body_b), number(pair.mu);
    for (const auto& pair : scene.ignored_pairs) integer(pair[0]), integer(pair[1]);
    for (const ActuatorSpec& a : scene.actuators) {
      text(a.name);
      integer(a.body), integer(static_cast<int>(a.kind)), integer(a.rotary);
      point(a.axis);
      integer(a.component), number(a.limit);
    }
    for (const Predicate& s : scene.success) {
      integer(static_cast<int>(s.kind)), integer(s.part_a), integer(s.part_b), integer(s.body), integer(s.body_b);
      integer(s.count);
      number(s.value), number(s.duration), point(s.side), pose(s.low), pose(s.high);
    }
    point(scene.gravity), number(scene.length_scale);
  }

  void options(const StepOptions& o) {
    for (const double x : {o.h, o.tolerance, o.penetration_tolerance, o.reject_depth, o.detect_distance,
                           o.recovery_speed, o.jacobi_relaxation, o.gamma, o.still_speed, o.still_time, o.duration}) {
      number(x);
    }
    for (const int x :
         {static_cast<int>(o.contact), static_cast<int>(o.solver), o.max_passes, o.max_iterations, o.max_substep_level,
          static_cast<int>(o.on_unresolved), static_cast<int>(o.warm_start), static_cast<int>(o.load_sharing),
          static_cast<int>(o.look_ahead), o.landing_halvings, static_cast<int>(o.spring_force)}) {
      integer(x);
    }
  }

  template <class Grid>
  void grid(const Grid& grid) {
    for (const auto& axis : {grid.x, grid.y, grid.x_factor, grid.y_factor}) {
      integer(axis.size());
      for (const double x : axis) number(x);
    }
    for (const auto& targets : {grid.x_target, grid.y_target}) {
      for (const int x : targets) integer(x);
    }
  }
};

inline std::vector<std::uint64_t> words_of(const Problem& p) { return Words(p).out; }

}  // namespace pegrasp::test

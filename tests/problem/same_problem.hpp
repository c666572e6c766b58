// SPDX-License-Identifier: Apache-2.0
// Bitwise comparison of problems, for round trips.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "tests/files.hpp"

namespace pegrasp::test {

// Everything a problem holds but its text, flattened to words: doubles by their bits.
inline std::vector<std::uint64_t> words_of(const Problem& p) {
  std::vector<std::uint64_t> out;
  const auto number = [&](double x) { out.push_back(std::bit_cast<std::uint64_t>(x)); };
  const auto integer = [&](auto x) { out.push_back(static_cast<std::uint64_t>(x)); };
  const auto text = [&](const std::string& s) {
    integer(s.size());
    for (const char c : s) integer(static_cast<unsigned char>(c));
  };
  const auto point = [&](Vec2 v) { number(v.x), number(v.y); };
  const auto pose = [&](const Pose& q) { number(q.x), number(q.y), number(q.theta); };
  const auto distribution = [&](const Distribution& d, const auto& self) -> void {
    integer(static_cast<int>(d.kind));
    number(d.mean), number(d.sd), number(d.low), number(d.high);
    for (const double x : d.values) number(x);
    for (const double x : d.weights) number(x);
    integer(d.group_stream);
    for (const std::string& name : d.groups) text(name);
    text(d.shared_group);
    for (const Distribution& component : d.components) self(component, self);
  };
  text(p.title);
  for (const double x : scene_parameters(p.scene)) number(x);
  for (const BodySpec& body : p.scene.bodies) {
    text(body.name);
    integer(static_cast<int>(body.kind));
    number(body.mass), number(body.friction);
    point(body.slide_axis.value_or(Vec2{}));
    integer(body.is_spatial());
    if (body.is_spatial()) {
      const auto place = [&](Vec3 v) { number(v.x), number(v.y), number(v.z); };
      const auto turned = [&](const Quaternion& q) { number(q.w), number(q.x), number(q.y), number(q.z); };
      for (const SpatialKeyframe& key : body.spatial().motion) {
        number(key.time), place(key.pose.position), turned(key.pose.turn);
      }
      for (const SolidPart& part : body.spatial().parts) {
        text(part.name);
        integer(static_cast<int>(part.kind)), number(part.radius);
        for (const Vec3& vertex : part.shape.vertices) place(vertex);
      }
      continue;
    }
    number(body.planar().inertia);
    for (const Keyframe& key : body.planar().motion) number(key.time), pose(key.pose);
    for (const ConvexPart& part : body.planar().parts) {
      text(part.name);
      for (const Corner& corner : part.corners) point(corner.centre), number(corner.radius);
      point(part.normal), number(part.offset);
    }
  }
  for (const FrictionPair& pair : p.scene.friction) integer(pair.body_a), integer(pair.body_b), number(pair.mu);
  for (const auto& pair : p.scene.ignored_pairs) integer(pair[0]), integer(pair[1]);
  for (const ActuatorSpec& a : p.scene.actuators) {
    text(a.name);
    integer(a.body), integer(static_cast<int>(a.kind)), integer(a.rotary);
    point(a.axis);
  }
  for (const Predicate& s : p.scene.success) {
    integer(static_cast<int>(s.kind)), integer(s.part_a), integer(s.part_b), integer(s.body), integer(s.body_b);
    integer(s.count);
    number(s.value), number(s.duration), point(s.side), pose(s.low), pose(s.high);
  }
  point(p.scene.gravity), number(p.scene.length_scale);
  const StepOptions& o = p.options;
  for (const double x : {o.h, o.tolerance, o.penetration_tolerance, o.reject_depth, o.detect_distance, o.recovery_speed,
                         o.jacobi_relaxation, o.still_speed, o.still_time, o.duration}) {
    number(x);
  }
  for (const int x :
       {static_cast<int>(o.contact), static_cast<int>(o.solver), o.max_passes, o.max_iterations, o.max_substep_level,
        static_cast<int>(o.on_unresolved), static_cast<int>(o.warm_start), static_cast<int>(o.load_sharing),
        static_cast<int>(o.look_ahead), static_cast<int>(p.arithmetic), p.samples}) {
    integer(x);
  }
  integer(p.seed);
  for (const auto& axis : {p.grid.x, p.grid.y, p.grid.x_factor, p.grid.y_factor}) {
    integer(axis.size());
    for (const double x : axis) number(x);
  }
  for (const auto& targets : {p.grid.x_target, p.grid.y_target}) {
    for (const int x : targets) integer(x);
  }
  for (const UncertainParameter& u : p.uncertain) {
    text(u.name), text(u.unit), integer(u.stream), integer(u.add);
    distribution(u.distribution, distribution);
    for (const int x : u.target) integer(x);
    for (const double x : u.scale) number(x);
  }
  for (const UncertainTripod& t : p.tripods) {
    text(t.name), integer(t.body), integer(t.stream), number(t.gravity);
    distribution(t.radius, distribution), distribution(t.turn, distribution);
    for (const Distribution& load : t.load) distribution(load, distribution);
  }
  return out;
}

}  // namespace pegrasp::test

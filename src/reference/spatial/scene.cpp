// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/scene.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "pegrasp/simulation.hpp"
#include "src/reference/common/joint_targets.hpp"

namespace pegrasp::reference::spatial {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("the reference simulator in 3D " + what);
}

void refuse_what_is_missing(const SceneSpec& scene) {
  for (const BodySpec& body : scene.bodies) {
    if (body.slide_axis) refuse("takes no rails (body \"" + body.name + "\"); use a prismatic joint");
    for (const SolidPart& part : body.spatial().parts) {
      if (part.support_spheres_only) {
        refuse("takes no half-spaces for support spheres alone: part \"" + part.name + "\" of body \"" + body.name +
               "\"; use one for all parts");
      }
      if (!part.support_sphere) continue;
      refuse("takes no support spheres: part \"" + part.name + "\" of body \"" + body.name +
             "\"; use a sphere instead");
    }
  }
  for (const ActuatorSpec& actuator : scene.actuators) {
    if (actuator.joint < 0 && actuator.kind != ActuatorKind::follow)
      refuse("takes motors on joints alone; put motors of bodies on a prismatic joint");
  }
  if (has_functions(scene)) refuse("takes no motion and targets that are functions; give keyframes");
  if (!lists_pairs(scene)) {
    refuse("takes scenes of up to " + std::to_string(largest_pair_list) + " pairs of bodies that may touch");
  }
}

KeyPoses motion_of(const SpatialBody& body) {
  KeyPoses out;
  for (const SpatialKeyframe& key : body.motion) {
    out.world.push_back({key.time, vector3(key.pose.position) - vector3(body.pose.position),
                         turn(key.pose.turn) * turn(body.pose.turn).conjugate()});
    out.own.push_back({key.time, vector3(key.own.position), turn(key.own.turn)});
  }
  return out;
}

}  // namespace

SpatialScene::SpatialScene(const SceneSpec& scene)
    : spec_(scene), layout_(parameter_layout(scene)), joint_arm_(length_scale(scene)) {
  compile_model(scene);  // throws for a scene that cannot be simulated, with the same message
  refuse_what_is_missing(scene);
  for (const BodySpec& body : spec_.bodies) {
    BodyModel out;
    out.kind = body.kind;
    out.follows = follows_keyframes(spec_, body_count());
    out.first_part = part_count();
    out.middle = vector3(extent(body).middle);
    for (const SolidPart& part : body.spatial().parts) {
      out.parts.push_back(make_solid(part));
      const Solid& made = out.parts.back();
      out.endless = out.endless || made.half_space();
      if (!made.half_space()) {
        const double farthest = (made.vertices.colwise() - out.middle).colwise().norm().maxCoeff();
        out.radius = std::max(out.radius, farthest + made.outer());
      }
      part_bodies_.push_back(body_count());
    }
    mark_internal_edges(out.parts);
    out.motion = motion_of(body.spatial());
    out.repeats = body.motion_repeats;
    out.turns = body.turns;
    bodies_.push_back(std::move(out));
  }
  pairs_ = part_pairs(spec_, bodies_);
}

FrictionArms SpatialScene::arms(int body_a, int body_b) const {
  for (const FrictionPair& pair : spec_.friction) {
    if (std::minmax(pair.body_a, pair.body_b) == std::minmax(body_a, body_b)) return {pair.torsion, pair.rolling};
  }
  return {};
}

PlacedSolid SpatialScene::place(int part, const Placement& body_placement) const {
  const BodyModel& owner = body(part_body(part));
  return {owner.parts, part - owner.first_part, body_placement};
}

// Parameters: xx, xy, xz, yy, yz, zz.
Matrix3 SpatialNumbers::inertia(int body) const {
  const int i = layout().inertia(body);
  Matrix3 out;
  out << at(i), at(i + 1), at(i + 2), at(i + 1), at(i + 3), at(i + 4), at(i + 2), at(i + 4), at(i + 5);
  return out;
}

Turn SpatialNumbers::yaw(int body) const { return exponential({0.0, 0.0, at(layout().yaw(body))}); }

SpatialNumbers::BodyFrame SpatialNumbers::given_frame(int body) const {
  const int q = layout().pose(body) + 3;
  const Turn described = Turn(at(q), at(q + 1), at(q + 2), at(q + 3)).normalized();
  const Turn tilt = exponential(triple(layout().tilt(body)));
  return {triple(layout().pose(body)), (yaw(body) * tilt * described).normalized()};
}

SpatialNumbers::BodyFrame SpatialNumbers::start_frame(int body) const {
  const BodyFrame own = given_frame(body);
  const std::vector<BodySpec>& bodies = scene_->spec().bodies;
  const int carrier = bodies[static_cast<std::size_t>(body)].carried_by;
  if (carrier < 0) return own;
  const pegrasp::SpatialBody& described = bodies[static_cast<std::size_t>(carrier)].spatial();
  const Turn from = exponential(vector3(described.tilt)) * turn(described.pose.turn);
  const BodyFrame to = given_frame(carrier);
  const Turn moved = to.turn * from.conjugate();
  return {to.place + moved * (own.place - vector3(described.pose.position)), (moved * own.turn).normalized()};
}

Turn SpatialNumbers::start_turn(int body) const { return start_frame(body).turn; }

Vector3 SpatialNumbers::start_centre(int body) const {
  const BodyFrame frame = start_frame(body);
  return frame.place + frame.turn * centre(body);
}

SpatialNumbers::JointFrames SpatialNumbers::joint_frames(const JointSpec& joint) const {
  const auto& [frame_a, frame_b] = joint.spatial();
  JointFrames out{{vector3(frame_a.position), turn(frame_a.turn)}, {vector3(frame_b.position), turn(frame_b.turn)}};
  if (joint.anchor == JointAnchor::as_given) return out;
  const BodyFrame a = joint.body_a < 0 ? BodyFrame{Vector3::Zero(), Turn::Identity()} : start_frame(joint.body_a);
  const BodyFrame b = start_frame(joint.body_b);
  const auto moved = [](const BodyFrame& from, const BodyFrame& frame, const BodyFrame& to) -> BodyFrame {
    const Turn back = to.turn.conjugate();
    return {back * (from.place + from.turn * frame.place - to.place), (back * from.turn * frame.turn).normalized()};
  };
  if (joint.anchor == JointAnchor::by_second) {
    out.a = moved(b, out.b, a);
  } else {
    out.b = moved(a, out.a, b);
  }
  return out;
}

Turn SpatialNumbers::turned_at_start(int body) const {
  const pegrasp::SpatialBody& described = scene_->spec().bodies[static_cast<std::size_t>(body)].spatial();
  const Turn from = exponential(vector3(described.tilt)) * turn(described.pose.turn);
  return (start_turn(body) * from.conjugate()).normalized();
}

Vector3 SpatialNumbers::pulled_by(int body, double time) const {
  Vector3 sum = Vector3::Zero();
  for (const Pull& pull : scene_->spec().pulls) {
    if (pull.body != body) continue;
    Vector3 value = vector3(pull.program.back().value);
    for (std::size_t k = pull.program.size(); k-- > 0 && time < pull.program[k].time;) {
      value = vector3(pull.program[k].value);
      if (k == 0 || time < pull.program[k - 1].time) continue;
      const PullKey& from = pull.program[k - 1];
      const double share = (time - from.time) / (pull.program[k].time - from.time);
      value = vector3(from.value) + share * (value - vector3(from.value));
      break;
    }
    if (pull.in >= 0) value = turned_at_start(pull.in) * value;
    sum += pull.force ? Vector3(value / mass(body)) : value;
  }
  return sum;
}

Vector3 SpatialNumbers::pulled_speed(int body, double time, double last, double h) const {
  if (scene_->spec().pulls.empty()) return Vector3::Zero();
  Vector3 sum = 0.5 * h * pulled_by(body, time + 0.5 * h);
  if (last > 0.0) sum += 0.5 * last * pulled_by(body, time - 0.5 * last);
  return sum;
}

Vector3 SpatialNumbers::targets(int actuator, double time) const {
  const ActuatorSpec& spec = scene_->spec().actuators[static_cast<std::size_t>(actuator)];
  const auto first = [this, actuator](int component) {
    return at(layout().actuator(actuator) + ParameterLayout::target_component(component));
  };
  const Vector3 own(first(0), first(1), first(2));
  const auto of = [ball = drives_ball(scene_->spec(), spec)](const TargetKey& key) -> Vector3 {
    return ball ? vector3(key.ball) : Vector3(key.target, 0.0, 0.0);
  };
  return own + at_time(spec.program, time, Vector3(Vector3::Zero()), of);
}

}  // namespace pegrasp::reference::spatial

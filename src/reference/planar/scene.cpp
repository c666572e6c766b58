// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/scene.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pegrasp/simulation.hpp"
#include "src/reference/common/joint_targets.hpp"
#include "src/reference/planar/internal_edges.hpp"

namespace pegrasp::reference {
namespace {

// Whether PlanarSuccess can evaluate a predicate: it remembers no poses.
bool is_taken(const Predicate& p) {
  switch (p.kind) {
    case PredicateKind::held:
      return false;
    case PredicateKind::pose_within:
      return time_of(p) == PredicateTime::at_end;
    case PredicateKind::gap_below:
    case PredicateKind::displacement_below:
    case PredicateKind::speed_below:
    case PredicateKind::touching:
    case PredicateKind::contact_force:
    case PredicateKind::all:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
  return true;
}

}  // namespace

PlanarScene::PlanarScene(const SceneSpec& scene)
    : spec_(scene), layout_(parameter_layout(scene)), joint_arm_(length_scale(scene)) {
  compile_model(scene);  // throws for a scene that cannot be simulated, with the same message
  if (has_functions(scene)) {
    throw std::invalid_argument(
        "the reference simulator takes no motion and targets that are functions; give keyframes");
  }
  if (scene.spatial) throw std::invalid_argument("the scene is spatial; a planar one is expected");
  for (const Predicate& p : scene.success) {
    if (is_taken(p)) continue;
    throw std::invalid_argument(
        "the reference simulator takes no success by held, or by pose_within with a duration, in 2D");
  }
  for (const BodySpec& body : spec_.bodies) {
    PlanarBody out;
    out.kind = body.kind;
    out.slides = body.slide_axis.has_value();
    out.turns = body.turns || out.slides;  // a rail says it already
    out.repeats = body.motion_repeats;
    if (body.slide_axis) out.axis = point(*body.slide_axis).normalized();
    for (const ConvexPart& part : body.planar().parts) {
      out.endless = out.endless || part.kind == PartKind::half_plane;
      // A bound: the circle of an arc reaches past a circular segment. The product has the same, and margins decide at
      // which step pairs are listed again.
      if (part.curve) {
        out.radius = std::max(out.radius, point(part.curve->centre).norm() + SmoothOutline(*part.curve).reach());
        continue;
      }
      for (const Corner& c : part.corners) out.radius = std::max(out.radius, point(c.centre).norm() + c.radius);
    }
    out.follows = follows_keyframes(spec_, static_cast<int>(bodies_.size()));
    out.first_part = static_cast<int>(part_bodies_.size());
    for (const ConvexPart& part : body.planar().parts) {
      out.parts.push_back(make_outline(part));
      part_bodies_.push_back(static_cast<int>(bodies_.size()));
    }
    mark_internal_edges(out.parts);
    for (const Keyframe& key : body.planar().motion) {
      out.motion.push_back({key.time, pose_of(vector3(key.pose) - vector3(body.planar().pose))});
    }
    if (body.planar().support) support_bodies_.insert(support_bodies_.end(), 3, static_cast<int>(bodies_.size()));
    bodies_.push_back(std::move(out));
  }
  if (!lists_pairs(spec_)) {
    throw std::invalid_argument("the reference simulator takes scenes of up to " + std::to_string(largest_pair_list) +
                                " pairs of bodies that may touch");
  }
  pairs_ = part_pairs(spec_, bodies_);
  for (const ActuatorSpec& actuator : spec_.actuators) {
    const Point axis = actuator.rotary ? Point(0.0, 0.0) : Point(point(actuator.axis).normalized());
    actuators_.push_back({actuator.body,
                          actuator.joint,
                          actuator.kind,
                          actuator.rotary,
                          {axis.x(), axis.y(), actuator.rotary ? 1.0 : 0.0}});
  }
}

PlacedOutline PlanarScene::place(int part, const Placement& body_placement) const {
  const PlanarBody& owner = body(part_body(part));
  return {owner.parts, part - owner.first_part, body_placement};
}

double PlanarNumbers::target(int actuator, double time) const {
  const std::vector<TargetKey>& program = scene_->spec().actuators[static_cast<std::size_t>(actuator)].program;
  return at(layout().actuator(actuator)) + at_time(program, time, 0.0, [](const TargetKey& key) { return key.target; });
}

Vector3 PlanarNumbers::pose(int body) const {
  const Vector3 own = triple(layout().pose(body));
  const std::vector<BodySpec>& bodies = scene_->spec().bodies;
  const int carrier = bodies[static_cast<std::size_t>(body)].carried_by;
  if (carrier < 0) return own;
  const Vector3 from = vector3(bodies[static_cast<std::size_t>(carrier)].planar().pose);
  const Vector3 to = triple(layout().pose(carrier));
  const Point arm = Placement::of(pose_of({0.0, 0.0, to[2] - from[2]})).direction(own.head<2>() - from.head<2>());
  return {to[0] + arm.x(), to[1] + arm.y(), own[2] + to[2] - from[2]};
}

PlanarNumbers::JointFrames PlanarNumbers::joint_frames(const JointSpec& joint) const {
  JointFrames out{vector3(joint.planar().a), vector3(joint.planar().b)};
  if (joint.anchor == JointAnchor::as_given) return out;
  const Vector3 a = joint.body_a < 0 ? Vector3(Vector3::Zero()) : pose(joint.body_a);
  const Vector3 b = pose(joint.body_b);
  const auto moved = [](const Vector3& from, const Vector3& frame, const Vector3& to) -> Vector3 {
    const Point x = Placement::of(pose_of(to)).back(Placement::of(pose_of(from))(frame.head<2>()));
    return {x.x(), x.y(), from[2] + frame[2] - to[2]};
  };
  if (joint.anchor == JointAnchor::by_second) {
    out.a = moved(b, out.b, a);
  } else {
    out.b = moved(a, out.a, b);
  }
  return out;
}

Vector3 PlanarNumbers::velocity(int body) const {
  const Vector3 nu = triple(layout().velocity(body));
  const PlanarBody& b = scene_->body(body);
  if (b.kind == BodyKind::fixed) return Vector3::Zero();
  if (!b.slides) return b.turns ? nu : Vector3(nu[0], nu[1], 0.0);
  const Point along = b.axis.dot(nu.head<2>()) * b.axis;
  return {along.x(), along.y(), 0.0};
}

}  // namespace pegrasp::reference

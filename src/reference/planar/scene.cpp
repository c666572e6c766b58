// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/scene.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pegrasp/simulation.hpp"
#include "src/reference/common/joint_targets.hpp"
#include "src/reference/planar/internal_edges.hpp"

namespace pegrasp::reference {

ReferenceScene::ReferenceScene(const SceneSpec& scene)
    : spec_(scene), layout_(parameter_layout(scene)), joint_arm_(length_scale(scene)) {
  compile_model(scene);  // refuses what cannot be simulated, in the same words
  if (scene.spatial) throw std::invalid_argument("the scene is in 3D: reference/space/ takes it");
  for (const Predicate& p : scene.success) {
    if (p.kind != PredicateKind::held && !(p.kind == PredicateKind::pose_within && p.duration > 0.0)) continue;
    throw std::invalid_argument("the reference takes no success by held, or by pose_within for a time, so far");
  }
  for (const BodySpec& body : spec_.bodies) {
    ReferenceBody out;
    out.kind = body.kind;
    out.slides = body.slide_axis.has_value();
    if (body.slide_axis) out.axis = point(*body.slide_axis).normalized();
    for (const ConvexPart& part : body.planar().parts) {
      // A bound: the circle of an arc reaches past a circular segment. The product has the same, and margins decide at
      // which step pairs are listed again.
      for (const Corner& c : part.corners) out.radius = std::max(out.radius, point(c.centre).norm() + c.radius);
    }
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
    throw std::invalid_argument("the reference takes scenes of up to " + std::to_string(largest_pair_list) +
                                " pairs of bodies that may touch");
  }
  int slot = -1;
  for (int a = 0; a < body_count(); ++a) {
    for (int b = a + 1; b < body_count(); ++b) {
      if (!may_touch(spec_, a, b)) continue;
      ++slot;
      for (int i = 0; i < static_cast<int>(body(a).parts.size()); ++i) {
        for (int j = 0; j < static_cast<int>(body(b).parts.size()); ++j) {
          pairs_.push_back({a, b, body(a).first_part + i, body(b).first_part + j, slot});
        }
      }
    }
  }
  for (const ActuatorSpec& actuator : spec_.actuators) {
    const Point axis = actuator.rotary ? Point(0.0, 0.0) : Point(point(actuator.axis).normalized());
    actuators_.push_back({actuator.body,
                          actuator.joint,
                          actuator.kind,
                          actuator.rotary,
                          {axis.x(), axis.y(), actuator.rotary ? 1.0 : 0.0}});
  }
}

PlacedOutline ReferenceScene::place(int part, const Placement& body_placement) const {
  const ReferenceBody& owner = body(part_body(part));
  return {owner.parts, part - owner.first_part, body_placement};
}

SceneNumbers::SceneNumbers(const ReferenceScene& scene, std::span<const double> parameters)
    : scene_(&scene), values_(parameters.begin(), parameters.end()) {
  if (static_cast<int>(parameters.size()) != scene.layout().size()) {
    throw std::invalid_argument("the parameter vector is not of the scene's layout");
  }
}

bool SceneNumbers::finite() const {
  return std::all_of(values_.begin(), values_.end(), [](double value) { return std::isfinite(value); });
}

double SceneNumbers::target(int actuator, double time) const {
  const std::vector<TargetKey>& program = scene_->spec().actuators[static_cast<std::size_t>(actuator)].program;
  return at(layout().actuator(actuator)) + at_time(program, time, 0.0, [](const TargetKey& key) { return key.target; });
}

Vector3 SceneNumbers::velocity(int body) const {
  const Vector3 nu = triple(layout().velocity(body));
  const ReferenceBody& b = scene_->body(body);
  if (b.kind == BodyKind::fixed) return Vector3::Zero();
  if (!b.slides) return nu;
  const Point along = b.axis.dot(nu.head<2>()) * b.axis;
  return {along.x(), along.y(), 0.0};
}

}  // namespace pegrasp::reference

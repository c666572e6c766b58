// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace pegrasp {
namespace {

bool has_parts(const BodySpec& body) {
  return std::visit([](const auto& form) { return !form.parts.empty(); }, body.form);
}

// Number of support points of a body, or in 3D of its support spheres.
int standing_points(const BodySpec& body) {
  if (!body.is_spatial()) return body.planar().support ? 3 : 0;
  return static_cast<int>(std::count_if(body.spatial().parts.begin(), body.spatial().parts.end(),
                                        [](const SolidPart& part) { return part.support_sphere; }));
}

// Calls f(a, b) for every pair a < b of bodies that may touch, in the order of their slots, while it returns true.
template <class F>
void for_candidates(const SceneSpec& scene, const F& f) {
  const int n = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      if (may_touch(scene, a, b) && !f(a, b)) return;
    }
  }
}

}  // namespace

bool may_touch(const SceneSpec& scene, int a, int b) {
  const BodySpec& body_a = scene.bodies[static_cast<std::size_t>(a)];
  const BodySpec& body_b = scene.bodies[static_cast<std::size_t>(b)];
  if (body_a.kind != BodyKind::dynamic && body_b.kind != BodyKind::dynamic) return false;
  if (!has_parts(body_a) || !has_parts(body_b)) return false;
  const bool jointed = std::any_of(scene.joints.begin(), scene.joints.end(), [&](const JointSpec& joint) {
    return !joint.collide && ((joint.body_a == a && joint.body_b == b) || (joint.body_a == b && joint.body_b == a));
  });
  if (jointed) return false;
  return std::none_of(scene.ignored_pairs.begin(), scene.ignored_pairs.end(), [&](const std::array<int, 2>& pair) {
    return (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
  });
}

// Without exclusions, so that the count takes only one pass over the bodies.
bool lists_pairs(const SceneSpec& scene) {
  long dynamic = 0;
  long others = 0;
  for (const BodySpec& body : scene.bodies) {
    if (!has_parts(body)) continue;
    ++(body.kind == BodyKind::dynamic ? dynamic : others);
  }
  return dynamic * (dynamic - 1) / 2 + dynamic * others <= largest_pair_list;
}

namespace {

double pair_friction(const SceneSpec& scene, int a, int b) {
  for (const FrictionPair& pair : scene.friction) {
    if ((pair.body_a == a && pair.body_b == b) || (pair.body_a == b && pair.body_b == a)) return pair.mu;
  }
  return std::sqrt(scene.bodies[static_cast<std::size_t>(a)].friction *
                   scene.bodies[static_cast<std::size_t>(b)].friction);
}

}  // namespace

namespace {

std::array<double, 6> inertia_values(const InertiaTensor& i) { return {i.xx, i.xy, i.xz, i.yy, i.yz, i.zz}; }
std::array<double, 7> pose_values(const SpatialPose& p) {
  return {p.position.x, p.position.y, p.position.z, p.turn.w, p.turn.x, p.turn.y, p.turn.z};
}
std::array<double, 6> twist_values(const SpatialTwist& t) {
  return {t.velocity.x, t.velocity.y, t.velocity.z, t.angular.x, t.angular.y, t.angular.z};
}

template <std::size_t Count>
void put(std::vector<double>& values, int at, const std::array<double, Count>& from) {
  std::copy(from.begin(), from.end(), values.begin() + at);
}

}  // namespace

ParameterLayout parameter_layout(const SceneSpec& scene) {
  ParameterLayout layout;
  layout.body_count = static_cast<int>(scene.bodies.size());
  layout.spatial = scene.spatial;
  if (lists_pairs(scene)) {
    for_candidates(scene, [&](int, int) { return ++layout.friction_count > 0; });
  }
  layout.actuator_count = static_cast<int>(scene.actuators.size());
  for (const BodySpec& body : scene.bodies)
    (scene.spatial ? layout.support_sphere_count : layout.support_count) += standing_points(body);
  layout.oscillation_count = static_cast<int>(std::count_if(
      scene.bodies.begin(), scene.bodies.end(), [](const BodySpec& body) { return body.oscillation.has_value(); }));
  return layout;
}

int friction_slot(const SceneSpec& scene, int body_a, int body_b) {
  if (body_a > body_b) std::swap(body_a, body_b);
  if (body_a == body_b || !may_touch(scene, body_a, body_b)) return -1;
  if (!lists_pairs(scene)) {
    throw std::invalid_argument("the scene has more than " + std::to_string(largest_pair_list) +
                                " pairs of bodies that may touch: their friction is not a parameter");
  }
  int slot = 0;
  for_candidates(scene, [&](int a, int b) {
    const bool found = a == body_a && b == body_b;
    slot += found ? 0 : 1;
    return !found;
  });
  return slot;
}

int oscillation_block(const SceneSpec& scene, int body) {
  if (!scene.bodies[static_cast<std::size_t>(body)].oscillation) return -1;
  return static_cast<int>(std::count_if(scene.bodies.begin(), scene.bodies.begin() + body,
                                        [](const BodySpec& other) { return other.oscillation.has_value(); }));
}

int support_point(const SceneSpec& scene, int body) {
  int point = 0;
  for (int i = 0; i < static_cast<int>(scene.bodies.size()); ++i) {
    const int points = standing_points(scene.bodies[static_cast<std::size_t>(i)]);
    if (i == body) return points > 0 ? point : -1;
    point += points;
  }
  return -1;
}

namespace {

void put_oscillations(const SceneSpec& scene, const ParameterLayout& layout, std::vector<double>& values) {
  int at = layout.oscillation(0);
  const auto append = [&](double value) { values[static_cast<std::size_t>(at++)] = value; };
  for (const BodySpec& body : scene.bodies) {
    if (!body.oscillation) continue;
    append(body.oscillation->frequency);
    for (const std::array<double, 6>& all : {body.oscillation->acceleration, body.oscillation->phase}) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (scene.spatial || i < 2 || i == 5) append(all[i]);
      }
    }
  }
}

}  // namespace

std::vector<double> scene_parameters(const SceneSpec& scene) {
  const ParameterLayout layout = parameter_layout(scene);
  std::vector<double> values(static_cast<std::size_t>(layout.size()), 0.0);
  const auto at = [&](int index) -> double& { return values[static_cast<std::size_t>(index)]; };
  int support = 0;
  int support_sphere = 0;
  for (int b = 0; b < layout.body_count; ++b) {
    const BodySpec& body = scene.bodies[static_cast<std::size_t>(b)];
    at(layout.mass(b)) = body.mass;
    at(layout.drop_time(b)) = body.drop_time;
    if (scene.spatial) {
      const SpatialBody& form = body.spatial();
      put(values, layout.inertia(b), inertia_values(form.inertia));
      put(values, layout.pose(b), pose_values(form.pose));
      put(values, layout.velocity(b), twist_values(form.velocity));
      const Vec3 tilt = form.tilt;
      put(values, layout.tilt(b), std::array<double, 3>{tilt.x, tilt.y, tilt.z});
      const Vec3 c = form.centre;
      put(values, layout.centre(b), std::array<double, 3>{c.x, c.y, c.z});
      for (const SolidPart& part : form.parts) {
        if (!part.support_sphere) continue;
        const Vec3 at_support_sphere = part.shape.vertices.at(0);
        put(values, layout.support_sphere(support_sphere++),
            std::array<double, 3>{at_support_sphere.x, at_support_sphere.y, at_support_sphere.z});
      }
      continue;
    }
    const PlanarBody& form = body.planar();
    at(layout.inertia(b)) = form.inertia;
    at(layout.pose(b)) = form.pose.x;
    at(layout.pose(b) + 1) = form.pose.y;
    at(layout.pose(b) + 2) = form.pose.theta;
    at(layout.velocity(b)) = form.velocity.vx;
    at(layout.velocity(b) + 1) = form.velocity.vy;
    at(layout.velocity(b) + 2) = form.velocity.omega;
    if (!form.support) continue;
    for (std::size_t k = 0; k < 3; ++k, ++support) {
      at(layout.support(support)) = form.support->point[k].x;
      at(layout.support(support) + 1) = form.support->point[k].y;
      at(layout.support(support) + ParameterLayout::support_load) = form.support->load[k];
      at(layout.support(support) + ParameterLayout::support_friction) = form.support->friction[k];
    }
  }
  int slot = 0;
  if (layout.friction_count > 0) {
    for_candidates(scene, [&](int a, int b) {
      at(layout.friction(slot++)) = pair_friction(scene, a, b);
      return true;
    });
  }
  for (int i = 0; i < layout.actuator_count; ++i) {
    const ActuatorSpec& actuator = scene.actuators[static_cast<std::size_t>(i)];
    at(layout.actuator(i)) = drives_ball(scene, actuator) ? actuator.ball.x : actuator.target;
    at(layout.actuator(i) + ParameterLayout::actuator_limit) = actuator.limit;
    at(layout.actuator(i) + ParameterLayout::actuator_stiffness) = actuator.stiffness;
    at(layout.actuator(i) + ParameterLayout::actuator_damping) = actuator.damping;
    at(layout.actuator(i) + layout.target_component(1)) = actuator.ball.y;
    at(layout.actuator(i) + layout.target_component(2)) = actuator.ball.z;
  }
  put_oscillations(scene, layout, values);
  return values;
}

}  // namespace pegrasp

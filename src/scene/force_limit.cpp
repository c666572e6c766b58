// SPDX-License-Identifier: Apache-2.0
// Bodies that follow their prescribed motion as far as a force takes them.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "pegrasp/names.hpp"
#include "pegrasp/scene.hpp"
#include "src/geometry/placement.hpp"
#include "src/geometry/vectors.hpp"
#include "src/scene/body_properties.hpp"

namespace pegrasp {
namespace {

// [m/s^2] what the force gives a body whose mass nobody says: it then reaches the speeds of hands within a step, and
// what it hits feels little beyond the force.
constexpr double default_acceleration = 1000.0;
// The default torque, in forces at the body's bounding radius: more than one force on the body asks for.
constexpr double default_arms = 2.0;

// Moment of inertia per kilogram [m^2] about the origin, at equal density; 0 without a bounded part.
double planar_inertia(const PlanarBody& body) {
  double area = 0.0, moment = 0.0;
  for (const ConvexPart& part : body.parts) {
    if (part.kind != PartKind::chain) return 0.0;
    const AreaProperties p = area_properties(part);
    area += p.area;
    moment += p.second_moment + p.area * dot(p.centroid, p.centroid);
  }
  return area > 0.0 ? moment / area : 0.0;
}

// The same in 3D.
InertiaTensor spatial_inertia(const SpatialBody& body) {
  const bool endless = std::any_of(body.parts.begin(), body.parts.end(),
                                   [](const SolidPart& part) { return part.shape.vertices.empty(); });  // a half-space
  if (endless || body.parts.empty()) return {};
  const SolidProperties p = body_properties(body);
  const Vec3 c = p.centroid;
  const double f = 1.0 / p.volume;
  return {f * p.inertia.xx + c.y * c.y + c.z * c.z,
          f * p.inertia.yy + c.x * c.x + c.z * c.z,
          f * p.inertia.zz + c.x * c.x + c.y * c.y,
          f * p.inertia.xy - c.x * c.y,
          f * p.inertia.xz - c.x * c.z,
          f * p.inertia.yz - c.y * c.z};
}

// Sets the inertia. Returns false where a part has no mass.
bool set_inertia(BodySpec& body) {
  if (!body.is_spatial()) {
    body.planar().inertia = body.mass * planar_inertia(body.planar());
    return body.planar().inertia > 0.0;
  }
  const InertiaTensor i = spatial_inertia(body.spatial());
  const double m = body.mass;
  body.spatial().inertia = {m * i.xx, m * i.yy, m * i.zz, m * i.xy, m * i.xz, m * i.yz};
  return i.xx > 0.0;
}

// A body whose keyframes move it from the beginning starts with their velocity.
template <class Motion>
bool moves_at_once(const Motion& motion) {
  return motion.size() > 1 && motion[0].time <= 0.0 && motion[1].time > 0.0;
}
void start_with_keyframes(BodySpec& body) {
  if (!body.is_spatial()) {
    PlanarBody& form = body.planar();
    if (!moves_at_once(form.motion)) return;
    const Keyframe &from = form.motion[0], &to = form.motion[1];
    const double per_second = 1.0 / (to.time - from.time);
    form.velocity = {per_second * (to.pose.x - from.pose.x), per_second * (to.pose.y - from.pose.y),
                     per_second * (to.pose.theta - from.pose.theta)};
    return;
  }
  SpatialBody& form = body.spatial();
  if (!moves_at_once(form.motion)) return;
  const SpatialKeyframe &from = form.motion[0], &to = form.motion[1];
  const double per_second = 1.0 / (to.time - from.time);
  const Quaternion turned = normalised(to.pose.turn) * conjugate(normalised(from.pose.turn));
  form.velocity = {per_second * (to.pose.position - from.pose.position), per_second * turn_vector(turned)};
}

void add_followers(SceneSpec& scene, int body, const ForceLimit& limit) {
  const auto add = [&](const std::string& what, bool rotary, int component) {
    ActuatorSpec out;
    out.name = scene.bodies[static_cast<std::size_t>(body)].name + "." + what;
    out.body = body;
    out.kind = ActuatorKind::follow;
    out.rotary = rotary;
    out.component = component;
    out.limit = rotary ? limit.torque : limit.force;
    scene.actuators.push_back(std::move(out));
  };
  add("along", false, 0);
  if (!scene.spatial) {
    add("across", false, 1);
    add("turn", true, 0);
    return;
  }
  add("across_1", false, 1);
  add("across_2", false, 2);
  add("turn_x", true, 0);
  add("turn_y", true, 1);
  add("turn_z", true, 2);
}

bool is_limit(double value) { return value > 0.0 && std::isfinite(value); }

}  // namespace

void limit_force(SceneSpec& scene, int body, const ForceLimit& limit) {
  BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument("body \"" + spec.name + "\": " + what);
  };
  if (spec.motion_repeats) refuse("motion that repeats has no limit of its force; write its keyframes out");
  if (spec.oscillation) refuse("a body that oscillates has no limit of its force; give it keyframes");
  if (spec.kind != BodyKind::kinematic) refuse("a limit of its force is for a body with prescribed motion");
  if (!is_limit(limit.force)) refuse("the limit of its force must be a positive number");
  ForceLimit full = limit;
  if (limit.torque == 0.0) full.torque = default_arms * limit.force * bounding_radius(spec);
  if (limit.mass == 0.0) full.mass = limit.force / default_acceleration;
  if (!is_limit(full.mass)) refuse("its mass must be a positive number");
  BodySpec made = spec;
  made.kind = BodyKind::dynamic;
  made.mass = full.mass;
  if (!set_inertia(made)) refuse("a limit of its force is for a body of bounded parts: others have no mass");
  if (!is_limit(full.torque)) refuse("the limit of its torque must be a positive number");
  if (made.is_spatial()) made.spatial().centre = {};
  start_with_keyframes(made);
  spec = std::move(made);
  add_followers(scene, body, full);
}

bool has_default_mass(const SceneSpec& scene, int body) {
  const double mass = scene.bodies[static_cast<std::size_t>(body)].mass;
  return std::any_of(scene.actuators.begin(), scene.actuators.end(), [&](const ActuatorSpec& actuator) {
    return actuator.kind == ActuatorKind::follow && actuator.body == body && !actuator.rotary &&
           mass == actuator.limit / default_acceleration;
  });
}

bool has_functions(const SceneSpec& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [](const BodySpec& body) {
                       return std::visit([](const auto& form) { return bool{form.motion_function}; }, body.form);
                     }) ||
         std::any_of(scene.actuators.begin(), scene.actuators.end(),
                     [](const ActuatorSpec& actuator) { return bool{actuator.target_function}; });
}

bool follows_keyframes(const SceneSpec& scene, int body) {
  return std::any_of(scene.actuators.begin(), scene.actuators.end(), [body](const ActuatorSpec& actuator) {
    return actuator.kind == ActuatorKind::follow && actuator.body == body;
  });
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// One scene as a person describes it: bodies of convex parts, who rubs on whom, what drives them, what counts as
// success. SI units. The engine compiles it into a Model (shared by a batch) and a flat vector of scene parameters.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "pegrasp/polyhedron.hpp"
#include "pegrasp/shapes.hpp"
#include "pegrasp/solid_part.hpp"

namespace pegrasp {

enum class BodyKind : int { dynamic = 0, fixed, kinematic };

// A pose of prescribed motion; between keyframes poses are interpolated linearly, outside they are held.
struct Keyframe {
  double time = 0.0;  // [s]
  Pose pose;
};

// Three-point support on the plane (Berard 3.3): points in the body frame [m], the normal load [N] each carries and
// its friction coefficient. tripod_loads() computes the loads from statics.
struct SupportTripod {
  std::array<Vec2, 3> point;
  std::array<double, 3> load{};
  std::array<double, 3> friction{};
};

// What a body is in space, in scenes that are spatial; `parts`, `inertia`, `pose` and `velocity` of BodySpec are those of the plane.
struct SpatialBody {
  std::vector<SolidPart> parts;
  InertiaTensor inertia;  // about the centre of mass, body frame [kg m^2]
  SpatialPose pose;
  SpatialTwist velocity;
};

struct BodySpec {
  std::string name;
  BodyKind kind = BodyKind::dynamic;
  std::vector<ConvexPart> parts;
  double mass = 1.0;     // [kg]
  double inertia = 1.0;  // about the centre of mass [kg m^2]
  Pose pose;
  Twist velocity;
  double friction = 0.0;                 // used for pairs that SceneSpec::friction does not name: sqrt(mu_a mu_b)
  double drop_time = 0.0;                // [s] absent before
  std::optional<Vec2> slide_axis;        // joint to the world that leaves one translation (a jaw): unit axis, world
  std::optional<SupportTripod> support;  // sliding on the plane under it
  SpatialBody space;
  std::vector<Keyframe> motion;  // kinematic bodies: prescribed motion (empty: constant `velocity`)
};

// Coulomb friction between two bodies, by index.
struct FrictionPair {
  int body_a = 0;
  int body_b = 0;
  double mu = 0.0;
};

enum class ActuatorKind : int { force = 0, velocity_servo, position_servo };

// Acts on one body, along a fixed world axis or about z.
//  force:          `target` [N] (or [N m] when rotary)
//  velocity_servo: keeps speed `target` [m/s | rad/s] with at most `limit` [N | N m]
//  position_servo: PD towards the coordinate `target` [m | rad] along the axis with gains [N/m, N s/m], at most `limit`
struct ActuatorSpec {
  std::string name;
  int body = 0;
  ActuatorKind kind = ActuatorKind::force;
  bool rotary = false;
  Vec2 axis{1.0, 0.0};  // unit
  double target = 0.0;
  double limit = 0.0;
  double stiffness = 0.0;
  double damping = 0.0;
};

// Predicates of success, as a postfix program: leaves push a truth value, all/any/negate combine.
enum class PredicateKind : int {
  gap_below = 0,  // separation of part_a and part_b <= value [m]; part_b on the `side` of part_a (unit vector, frame of
                  // part_a's body; (0,0): any side), i.e. separating normal . side >= 1/2
  pose_within,    // body's x, y, theta inside [low, high] (world, or relative to body_b's frame when body_b >= 0)
  speed_below,    // speed of every point of the body <= value [m/s] for at least `duration` [s], up to now
  displacement_below,  // centre of mass within value [m] of where it started
  all,                 // of the last `count` values
  any,
  negate,  // of the last value
};

struct Predicate {
  PredicateKind kind = PredicateKind::all;
  int part_a = -1;  // part indices over all bodies, in order
  int part_b = -1;
  int body = -1;
  int body_b = -1;
  int count = 0;
  double value = 0.0;
  double duration = 0.0;
  Vec2 side;
  Pose low;
  Pose high;
};

struct SceneSpec {
  std::string name;
  std::vector<BodySpec> bodies;
  std::vector<FrictionPair> friction;
  std::vector<ActuatorSpec> actuators;
  std::vector<Predicate> success;                 // empty: success is never claimed
  Vec2 gravity;                                   // in the plane [m/s^2]
  bool spatial = false;                           // bodies move in space (BodySpec::space)
  double gravity_z = 0.0;                         // of a spatial scene [m/s^2]
  double length_scale = 0.0;                      // [m]; 0: the largest bounding radius of a dynamic body
  std::vector<std::array<int, 2>> ignored_pairs;  // body pairs that never touch
};

// Largest distance [m] of a point of the body from its centre of mass (half-planes and half-spaces ignored).
double bounding_radius(const BodySpec& body);
double length_scale(const SceneSpec& scene);

// Index of a part over all bodies in order, or -1.
int part_index(const SceneSpec& scene, const std::string& body, const std::string& part);

// Loads of a three-point support that carries `weight` [N] at the centre of mass (0, 0): Berard eq. 3.24.
// Empty when the triangle does not hold the centre of mass (a load would be negative) or is degenerate.
std::optional<std::array<double, 3>> tripod_loads(const std::array<Vec2, 3>& point, double weight);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// One scene as a person describes it: bodies of convex parts, who rubs on whom, what drives them, what counts as
// success. SI units. The engine compiles it into a Model (shared by a batch) and a flat vector of scene parameters.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
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
// its friction coefficient. tripod_loads() computes the loads from statics. In 3D support spheres (SolidPart::support sphere) are in their place.
struct SupportTripod {
  std::array<Vec2, 3> point;
  std::array<double, 3> load{};
  std::array<double, 3> friction{};
};

// A pose of prescribed motion in 3D; between keyframes the body moves and turns evenly, the shorter way round.
struct SpatialKeyframe {
  double time = 0.0;  // [s]
  SpatialPose pose;   // world
};

// What a body of a planar scene has.
struct PlanarBody {
  std::vector<ConvexPart> parts;
  double inertia = 1.0;  // about the centre of mass [kg m^2]
  Pose pose;
  Twist velocity;
  std::optional<SupportTripod> support;  // three points on which the body slides over the plane under it
  std::vector<Keyframe> motion;          // prescribed motion of a kinematic body; empty: constant `velocity`
};

// What a body of a spatial scene has.
struct SpatialBody {
  std::vector<SolidPart> parts;
  InertiaTensor inertia;  // about the centre of mass, body frame [kg m^2]
  SpatialPose pose;
  Vec3 tilt;  // rotation vector, world, about the origin of the body frame: a turn applied after that of the pose [rad]
  SpatialTwist velocity;
  Vec3 centre;  // centre of mass in the body frame [m]; `pose` is the pose of the frame wherever the centre is
  std::vector<SpatialKeyframe> motion;  // prescribed motion of a kinematic body; empty: constant `velocity`
  // Largest distance from the origin [m] at which scene parameters may place a support sphere, where it is larger than the
  // distances that the parts themselves give.
  double support_spheres_within = 0.0;
};

// One body. Its form is planar in planar scenes and spatial in spatial ones; planar() and spatial() throw
// std::bad_variant_access where the body has the other form.
struct BodySpec {
  std::string name;
  BodyKind kind = BodyKind::dynamic;
  double mass = 1.0;               // [kg]
  double friction = 0.0;           // used for pairs that SceneSpec::friction does not name: sqrt(mu_a mu_b)
  double drop_time = 0.0;          // [s] before it the body is absent
  std::optional<Vec2> slide_axis;  // joint to the world that leaves one translation (a jaw): unit axis, world
  std::variant<PlanarBody, SpatialBody> form;

  bool is_spatial() const { return std::holds_alternative<SpatialBody>(form); }
  PlanarBody& planar() { return std::get<PlanarBody>(form); }
  const PlanarBody& planar() const { return std::get<PlanarBody>(form); }
  SpatialBody& spatial() { return std::get<SpatialBody>(form); }
  const SpatialBody& spatial() const { return std::get<SpatialBody>(form); }
};

// Coulomb friction between two bodies, by index.
//
// In 3D a contact may also resist turns about its normal and rolling (Berard's thesis, 3.82): impulses p_t, the moment m_n about the normal
// and m_t across it lie within the ellipsoid |p_t|^2 + (m_n / torsion)^2 + (|m_t| / rolling)^2 <= (mu p_n)^2.
struct FrictionPair {
  int body_a = 0;
  int body_b = 0;
  double mu = 0.0;
  double torsion = 0.0;  // [m], 0: none
  double rolling = 0.0;  // [m]
};

enum class ActuatorKind : int { force = 0, velocity_servo, position_servo };

// Of a program: linear between keys, held before the first and after the last.
struct TargetKey {
  double time = 0.0;    // [s]
  double target = 0.0;  // in the units of the actuator's target, and added to it
  Vec3 ball = {};       // of spherical joints, in its place
};

// Acts on one body, along a fixed world axis or about z (planar scenes), or on the slide or the turn of a joint.
// Of a spherical joint a target is a vector, in frame a of the joint, and so is what acts on body b (its opposite on body a), of length `limit`
// at most: a torque; the angular velocity of b against a; the rotation vector of frame b in frame a, approached the shorter way round (at half a
// turn that is either way).
//  force:          `target` [N] (or [N m] when rotary)
//  velocity_servo: keeps speed `target` [m/s | rad/s] with at most `limit` [N | N m]
//  position_servo: PD towards the coordinate `target` [m | rad], and its speed where a program moves it, with gains
//                  [N/m, N s/m | N m/rad, N m s/rad], at most `limit`
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
  int joint = -1;  // index in SceneSpec::joints; then `body` and `axis` have no meaning
  std::vector<TargetKey> program;
  Vec3 ball = {};  // of spherical joints, in place of `target`
};

// What a joint leaves of the motion of one body in another (Williams' thesis, table 2.1):
//  fixed: nothing; revolute: turns about the axis; prismatic: slides along it; cylindrical: both; spherical: turns about the
//  joint's origin. The last two are for scenes in 3D.
enum class JointKind : int { fixed = 0, revolute, prismatic, cylindrical, spherical };

// Smallest and largest value of a coordinate [m | rad].
struct JointRange {
  double low = 0.0;
  double high = 0.0;
};

// Between body_b and body_a, or the world. Each body carries a joint frame; coordinates are those of frame b in frame a. The axis is z of
// frame a; in 2D joints slide along its x and turn about the plane's normal. make_joint() finds the frames.
struct JointSpec {
  std::string name;
  JointKind kind = JointKind::fixed;
  int body_a = -1;  // -1: the world
  int body_b = 0;
  SpatialPose frame_a, frame_b;     // in the bodies' frames; of the world, the world's
  Pose planar_a, planar_b;          // the same in planar scenes
  std::optional<JointRange> slide;  // [m] limits of prismatic and cylindrical joints
  std::optional<JointRange> turn;   // [rad] of revolute and cylindrical ones
  std::optional<double> swing;      // [rad] of spherical ones: the axes (z) of the two frames come no farther apart
  bool collide = false;             // the two bodies may touch
};

// Predicates of success, as a postfix program: leaves push a truth value, all/any/negate combine.
enum class PredicateKind : int {
  gap_below = 0,  // separation of part_a and part_b <= value [m]; part_b on the `side` of part_a (unit vector, frame of
                  // part_a's body; (0,0): any side), i.e. separating normal . side >= 1/2
  pose_within,  // body's x, y, theta inside [low, high] (world, or relative to body_b's frame when body_b >= 0), for at least
                // `duration` [s] up to now; in 3D x, y, z, and turned by at most `tilt` since the start
  speed_below,         // speed of every point of the body <= value [m/s] for at least `duration` [s], up to now
  displacement_below,  // centre of mass within value [m] of where it started
  all,                 // of the last `count` values
  any,
  negate,  // of the last value
  held,  // since time `since` [s] the body has moved by at most value [m] and turned by at most `tilt` [rad] as body_b (or the
         // world) sees it
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
  double low_z = -1e300;  // in 3D
  double high_z = 1e300;
  double tilt = 1e300;  // [rad]
  double since = 0.0;   // [s]
};

constexpr std::size_t most_predicates = 64;  // in a condition of success

struct SceneSpec {
  std::string name;
  std::vector<BodySpec> bodies;
  std::vector<FrictionPair> friction;
  std::vector<JointSpec> joints;
  std::vector<ActuatorSpec> actuators;
  std::vector<Predicate> success;                 // empty: success is never claimed
  Vec2 gravity;                                   // in 2D [m/s^2]
  bool spatial = false;                           // bodies move in 3D: the form of each is a SpatialBody
  double gravity_z = 0.0;                         // of a spatial scene [m/s^2]
  double length_scale = 0.0;                      // [m]; 0: the largest bounding radius of a dynamic body
  std::vector<std::array<int, 2>> ignored_pairs;  // body pairs that never touch
};

// Largest distance [m] of a point of the body from its centre of mass (half-planes and half-spaces ignored).
double bounding_radius(const BodySpec& body);
double length_scale(const SceneSpec& scene);

// A joint through a point of the world, with its axis (in 2D: of sliding), at the poses that the scene gives its bodies, where its
// coordinates are 0. The axis need not be of unit length. Throws std::invalid_argument, one line.
JointSpec make_joint(const SceneSpec& scene, const std::string& name, JointKind kind, int body_a, int body_b,
                     Vec3 anchor, Vec3 axis = {0.0, 0.0, 1.0});

// Whether an actuator is that of a spherical joint, which has vectors for targets.
bool drives_ball(const SceneSpec& scene, const ActuatorSpec& actuator);

// Names of the parts of a body, in order.
std::vector<std::string> part_names(const BodySpec& body);

// Index of a part over all bodies in order, or -1.
int part_index(const SceneSpec& scene, const std::string& body, const std::string& part);

// Loads of a three-point support that carries `weight` [N] at the centre of mass (0, 0): Berard eq. 3.24.
// Empty when the triangle does not hold the centre of mass (a load would be negative) or is degenerate.
std::optional<std::array<double, 3>> tripod_loads(const std::array<Vec2, 3>& point, double weight);

}  // namespace pegrasp

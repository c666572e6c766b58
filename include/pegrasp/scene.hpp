// SPDX-License-Identifier: Apache-2.0
// One scene as a person describes it: bodies of convex parts, friction between them, joints, actuators and the
// condition of success. SI units. compile_model() makes it a Model, which all scenes of a batch share, and
// scene_parameters() a flat vector of the numbers that may differ between the scenes of a batch.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "pegrasp/kinds.hpp"
#include "pegrasp/polyhedron.hpp"
#include "pegrasp/predicate.hpp"
#include "pegrasp/shapes.hpp"
#include "pegrasp/solid_part.hpp"

namespace pegrasp {

// A pose of prescribed motion in 2D. Between keyframes poses are interpolated linearly; before the first and after the
// last keyframe the pose is constant.
struct Keyframe {
  double time = 0.0;  // [s]
  Pose pose;
};

// Three points on which a planar body slides over the plane under it (Berard 3.3): their positions in the body frame
// [m], the normal load [N] that each carries, and its friction coefficient. tripod_loads() computes the loads from
// statics. Spatial bodies have support spheres instead (SolidPart::support_sphere).
struct SupportTripod {
  std::array<Vec2, 3> point;
  std::array<double, 3> load{};
  std::array<double, 3> friction{};
};

// A pose of prescribed motion in 3D. Between keyframes the body moves and turns at constant velocity, the shorter way
// round; before the first and after the last keyframe it rests.
struct SpatialKeyframe {
  double time = 0.0;  // [s]
  SpatialPose pose;   // world
  SpatialPose own{};  // a shift and a turn besides, which turn along with the body SpatialBody::motion_in
};

// What a body of a planar scene has.
struct PlanarBody {
  std::vector<ConvexPart> parts;
  double inertia = 1.0;  // about the centre of mass [kg m^2]
  Pose pose;
  Twist velocity;
  std::optional<SupportTripod> support;  // three points on which the body slides over the plane under it
  std::vector<Keyframe> motion;          // prescribed motion of a kinematic body; empty: constant `velocity`
  // The pose of a kinematic body at time t [s], in place of `motion`. It is asked between steps, on a CPU alone; within
  // a step the body moves at constant velocity.
  std::function<Pose(double t)> motion_function;
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
  // A body, or -1: where parameters turn it away from how the scene describes it, the keyframes' `own` turns along.
  int motion_in = -1;
  std::function<SpatialPose(double t)> motion_function;  // as PlanarBody's, world
  // Largest distance from the origin [m] at which scene parameters may place a support sphere, where it is larger than
  // the distances that the parts themselves give.
  double support_spheres_within = 0.0;
};

// What reading a file found that a person should know: a warning, or a fact for the record. One line.
struct Remark {
  bool warning = false;
  std::string text;
};

// A kinematic body swings about its pose: displaced by -A sin(W t + C) / W^2, W = 2 pi frequency, in x, y and z, and
// turned by the rotation vector of which that is a component, about x, y and z (Berard's thesis, 5.3). In 2D the first
// two and the last count.
struct Oscillation {
  double frequency = 0.0;                // [Hz]
  std::array<double, 6> acceleration{};  // A [m/s^2, rad/s^2]
  std::array<double, 6> phase{};         // C [rad]
  // In a step contacts see the velocity that the body has at the end of the step, as published results have it, and not
  // the mean velocity, which takes it to its pose there. The pose is the right one in both.
  bool end_velocity = false;
};

// One body. Its form is planar in planar scenes and spatial in spatial ones; planar() and spatial() throw
// std::bad_variant_access where the body has the other form.
struct BodySpec {
  std::string name;
  BodyKind kind = BodyKind::dynamic;
  double mass = 1.0;       // [kg]
  double friction = 0.0;   // used for pairs that SceneSpec::friction does not name: sqrt(mu_a mu_b)
  double drop_time = 0.0;  // [s] before it the body is absent
  int carried_by = -1;  // a body: this one's parameters are moved at the start as those of that body move it; -1: none
  std::optional<CompliantShell> shell;     // of its parts that have none of their own
  bool turns = true;                       // false: a dynamic body, a particle, that nothing turns
  std::optional<Oscillation> oscillation;  // of a kinematic body without other motion
  bool motion_repeats = false;             // its keyframes begin again where the last one is reached
  std::optional<Vec2> slide_axis;          // joint to the world that leaves one translation (a jaw): unit axis, world
  std::vector<Remark> remarks;             // of the files that its parts come from
  std::variant<PlanarBody, SpatialBody> form;

  bool is_spatial() const { return std::holds_alternative<SpatialBody>(form); }
  PlanarBody& planar() { return std::get<PlanarBody>(form); }
  const PlanarBody& planar() const { return std::get<PlanarBody>(form); }
  SpatialBody& spatial() { return std::get<SpatialBody>(form); }
  const SpatialBody& spatial() const { return std::get<SpatialBody>(form); }
};

// Coulomb friction between two bodies, by index.
//
// In 3D a contact may also resist turning about its normal and rolling (Berard's thesis, 3.82). The friction impulse
// p_t, the moment m_n about the normal and the moment m_t across it then lie within the ellipsoid |p_t|^2 + (m_n /
// torsion)^2 + (|m_t| / rolling)^2 <= (mu p_n)^2.
struct FrictionPair {
  int body_a = 0;
  int body_b = 0;
  double mu = 0.0;
  double torsion = 0.0;  // [m], 0: none
  double rolling = 0.0;  // [m]
};

// A key of an actuator's program. The target is linear in time between keys and constant before the first and after the
// last key.
struct TargetKey {
  double time = 0.0;    // [s]
  double target = 0.0;  // added to the target of the actuator, in its unit
  Vec3 ball = {};       // the same for motors of spherical joints, in place of `target`
};

// An actuator acts on one body, along a fixed world axis or about z (planar scenes), or on the slide or the turn of a
// joint. Springs (add_spring()) are servos on joints of kind `distance`. The kinds of actuators are:
//  force:          `target` [N] (or [N m] when rotary)
//  velocity_servo: keeps speed `target` [m/s | rad/s] with at most `limit` [N | N m]
//  position_servo: PD towards the coordinate `target` [m | rad], and its speed where a program moves it, with gains
//                  [N/m, N s/m | N m/rad, N m s/rad], at most `limit`
//  follow:         takes its body to where the body's keyframes are (or its initial velocity, where it has none), with
//                  at most `limit`. It acts along the direction number `component`: the path, and what is across it; or
//                  when rotary about x, y and z (2D: z). limit_force() makes them.
// For a spherical joint the target is a vector in frame a of the joint: a torque, the angular velocity of body b
// relative to body a, or the rotation vector of frame b in frame a. The torque on body b is a vector too, of length at
// most `limit`, and its opposite acts on body a. A position servo turns the shorter way; at half a turn it may turn
// either way.
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
  Vec3 ball = {};     // of spherical joints, in place of `target`
  int component = 0;  // of followers; of a spring: 0 along its line, 1 and 2 across it
  // What is added to the target at time t [s]. It is asked between steps, on a CPU alone: a force for the time at which
  // the step begins, what a servo is to keep for its middle. Not of spherical joints.
  std::function<double(double t)> target_function;
};

// Smallest and largest value of a joint coordinate [m | rad].
struct JointRange {
  double low = 0.0;
  double high = 0.0;
};

// The joint frames that body_a or the world, and body_b carry, in the frames of these.
struct PlanarFrames {
  Pose a, b;
};
struct SpatialFrames {
  SpatialPose a, b;
};

// A joint between body_b and body_a or the world. Each of the two carries a joint frame; the coordinates of the joint
// are those of frame b in frame a. The axis is z of frame a. In 2D joints slide along x of frame a and turn about the
// normal of the plane. make_joint() computes the frames, planar ones in planar scenes and spatial ones in spatial
// scenes; planar() and spatial() throw std::bad_variant_access where the joint has the others.
struct JointSpec {
  std::string name;
  JointKind kind = JointKind::fixed;
  int body_a = -1;  // -1: the world
  int body_b = 0;
  std::variant<PlanarFrames, SpatialFrames> frames;
  std::optional<JointRange> slide;  // [m] limits of prismatic and cylindrical joints
  std::optional<JointRange> turn;   // [rad] of revolute and cylindrical ones
  std::optional<double> swing;      // [rad] of spherical ones: largest angle between the z axes of the two frames
  bool collide = false;             // the two bodies may touch
  // What the motor of a prismatic or revolute joint can do, where a file says so: the largest force [N | N m] of its
  // actuators, and speed of their targets [m/s | rad/s]. 0: not known.
  double most_force = 0.0;
  double most_speed = 0.0;
  JointAnchor anchor = JointAnchor::as_given;

  bool is_spatial() const { return std::holds_alternative<SpatialFrames>(frames); }
  PlanarFrames& planar() { return std::get<PlanarFrames>(frames); }
  const PlanarFrames& planar() const { return std::get<PlanarFrames>(frames); }
  SpatialFrames& spatial() { return std::get<SpatialFrames>(frames); }
  const SpatialFrames& spatial() const { return std::get<SpatialFrames>(frames); }
};

// A pull on a body at its centre of mass that changes with time, such as a weight that comes and turns. Linear between
// keys and constant before the first and after the last key.
struct PullKey {
  double time = 0.0;  // [s]
  Vec3 value;         // [m/s^2], or [N] of a force
};
struct Pull {
  int body = 0;
  int in = -1;         // a body: where parameters turn it at the start, the pull turns along; -1: none
  bool force = false;  // values are forces; false: accelerations, whatever the mass
  std::vector<PullKey> program;
};

// What is measured of a body, the part, that others are to hold: the measures of a grasp in SceneOutcome.
struct HoldWatch {
  int part = -1;            // -1: nothing is measured
  int base = -1;            // slip and tilt are those of the part as seen from this body
  std::vector<int> bodies;  // that hold the part
  double since = 0.0;       // [s] slip, tilt and margin count from then on
  double overlap = 1e300;   // [m] by which bodies and part overlap at most as the trial begins, or else it ends there
};

// Couples the coordinates of two revolute or prismatic joints, as gears, belts and linkages do:
//   coordinate of `joint` = factor * coordinate of `of_joint` + offset,
// in m or rad. The force that holds it so acts on both joints, so that motors and limits of one act through it on the
// other. A joint may be named in several couplings as long as they form no cycle.
struct CouplingSpec {
  std::string name;
  int joint = 0;     // indices in SceneSpec::joints
  int of_joint = 0;  // not `joint`
  double factor = 1.0;
  double offset = 0.0;
};

struct SceneSpec {
  std::string name;
  std::vector<BodySpec> bodies;
  std::vector<FrictionPair> friction;
  std::vector<JointSpec> joints;
  std::vector<CouplingSpec> couplings;
  std::vector<ActuatorSpec> actuators;
  std::vector<Predicate> success;  // empty: success is never claimed
  Vec2 gravity;                    // in 2D [m/s^2]
  MotionModel model = MotionModel::dynamic;
  bool spatial = false;       // bodies move in 3D: the form of each is a SpatialBody
  double gravity_z = 0.0;     // of a spatial scene [m/s^2]
  double length_scale = 0.0;  // [m]; 0: the largest extent of a dynamic body that follows no keyframes
  std::vector<std::array<int, 2>> ignored_pairs;  // body pairs that never touch
  bool measure_forces = false;                    // SceneOutcome has the grip force and the margins to slip
  bool measure_margin = false;                    // SceneOutcome has the margin of the success condition
  std::vector<Pull> pulls;                        // in 3D
  HoldWatch watch;                                // in 3D; needs measure_forces
};

// Largest distance [m] of a point of the body from the origin of its frame. Half-planes and half-spaces are ignored.
double bounding_radius(const BodySpec& body);
// A circle or ball that holds the body, half-planes and half-spaces ignored: about the origin of its frame where the
// box of its parts holds that, else about the middle of the box. So it does not depend on how far off the frame is.
struct BodyExtent {
  Vec3 middle;          // in the body's frame [m]
  double radius = 0.0;  // [m]
};
BodyExtent extent(const BodySpec& body);
double length_scale(const SceneSpec& scene);  // [m] that tolerances are relative to

// A joint through the point `anchor` of the world, with the given axis (in 2D: the direction of sliding). Its
// coordinates are 0 at the poses that the bodies of the scene start with. The axis need not be of unit length. Throws
// std::invalid_argument, one line, for a pair of bodies or an axis that makes no joint.
JointSpec make_joint(const SceneSpec& scene, const std::string& name, JointKind kind, int body_a, int body_b,
                     Vec3 anchor, Vec3 axis = {0.0, 0.0, 1.0});

// A spring with a damper between two points of two bodies, or of the world and a body (Berard's thesis, 2.125-2.132).
// Along the line through the points it gives stiffness * (rest_length - length) - damping * (rate of the length). It is
// solved for implicitly: no stiffness is too large for the step, and one of 1e9 N/m is a rod.
struct SpringSpec {
  std::string name;
  int body_a = -1;  // -1: the world
  int body_b = 0;
  Vec3 point_a, point_b;     // where the bodies carry its ends: in the world, at the poses with which they start [m]
  double stiffness = 0.0;    // [N/m]
  double rest_length = 0.0;  // [m]
  double damping = 0.0;      // [N s/m]
  // The thesis damps the velocity of the ends across the line as well, by forces at the ends (2.131), which turn the
  // bodies: damps_across.
  double across_damping = 0.0;  // [N s/m]
  bool damps_across = false;
};

// Appends the spring to the scene: a joint of kind `distance` and a position servo on it, both of its name, then a
// servo for every direction across, "NAME.across" in 2D, "NAME.across_1" and "NAME.across_2" in 3D. Returns the index
// of the first servo. Throws std::invalid_argument, one line, for bodies or numbers that make no spring.
int add_spring(SceneSpec& scene, const SpringSpec& spring);

// What a body that follows its keyframes may do.
struct ForceLimit {
  double force = 0.0;   // [N] at most, along its path, and across it in each direction
  double torque = 0.0;  // [N m] at most, about each axis; 0: twice the force times bounding_radius()
  double mass = 0.0;    // [kg] of the body; 0: the force / (1000 m/s^2)
};

// Makes a kinematic body one that follows its prescribed motion as far as a force takes it: it falls behind where
// contacts or joints need more, and catches up when they let it. It becomes a dynamic body without weight, which others
// can push and which touches fixed and kinematic bodies too. Its inertia is that of its parts, at equal density, about
// the origin of its frame. Appends the actuators that drive it. Throws std::invalid_argument, one line, for a body or a
// limit that this is not for.
void limit_force(SceneSpec& scene, int body, const ForceLimit& limit);

// Whether limit_force() was applied to the body.
bool follows_keyframes(const SceneSpec& scene, int body);

// Whether any part has a compliant shell.
bool has_shells(const SceneSpec& scene);

// Takes the shells off all bodies and parts, which are rigid then.
void remove_shells(SceneSpec& scene);

// Whether functions prescribe motion or targets: such scenes are simulated on a CPU, by the per-scene strategy.
bool has_functions(const SceneSpec& scene);

// Whether the actuator drives a spherical joint, so that its targets are vectors.
bool drives_ball(const SceneSpec& scene, const ActuatorSpec& actuator);

// Names of the parts of a body, in order.
std::vector<std::string> part_names(const BodySpec& body);

// Index of a part over all bodies in order, or -1.
int part_index(const SceneSpec& scene, const std::string& body, const std::string& part);

// Loads [N] of a three-point support that carries `weight` [N] at the centre of mass (0, 0), by Berard eq. 3.24. Empty
// when the centre of mass lies outside the triangle of the points [m], so that a load would be negative, or when the
// triangle is degenerate.
std::optional<std::array<double, 3>> tripod_loads(const std::array<Vec2, 3>& point, double weight);

}  // namespace pegrasp

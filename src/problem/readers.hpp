// SPDX-License-Identifier: Apache-2.0
// The readers of the sections of a problem file. Each reads its table of the document into the problem, and returns (or
// stores) the resolved table, in which every key has its value. All throw InputError, one line with file and line.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/gripper.hpp"
#include "pegrasp/problem.hpp"
#include "src/problem/section.hpp"
#include "src/problem/uncertainties.hpp"
#include "src/scene/option_use.hpp"

namespace pegrasp {

// Reads one [[body.part]] of a planar body; `earlier` are the parts before it, which mirror_of may name.
ConvexPart read_part(ReadContext& context, const Node& node, const std::string& path,
                     const std::vector<ConvexPart>& earlier, Node& resolved);

// What reading bodies produces beside the scene.
struct BodyReadings {
  std::vector<UncertainTripod> tripods;
  Grid* grid = nullptr;           // targets are appended as pose slots by bind_grid()
  std::vector<Vec2> grid_factor;  // per body
  double gravity = 9.81;          // [m/s^2] out of the plane
  // Pads that give, which become bodies of their own behind all others.
  struct Pad {
    int body;
    PadSpec spec;
    const Node* node;
    std::string path;
  };
  std::vector<Pad> pads;
  // What differs from trial to trial, and the scales of bodies that are the same in all.
  SceneChanges changes;
  std::vector<BodyScale> scaled;
};

Node read_bodies(ReadContext& context, const Node* node, SceneSpec& scene, BodyReadings& readings);
Node read_friction(ReadContext& context, const Node* node, SceneSpec& scene);
Node read_no_contact(ReadContext& context, const Node* node, SceneSpec& scene);
Node read_actuators(ReadContext& context, const Node* node, SceneSpec& scene);
// Lets position servos begin where their joints do, as motor_limits.hpp has it. Grasps, which have beginnings of their
// own, must not be there. node: of the actuators.
void begin_servos(ReadContext& context, const Node* node, Problem& problem);
Node read_joints(ReadContext& context, const Node* node, SceneSpec& scene);
Node read_couplings(ReadContext& context, const Node* node, SceneSpec& scene);
// Reads [[spring]]: joints and actuators behind those that are there.
Node read_springs(ReadContext& context, const Node* node, SceneSpec& scene);
// Reads [[joint_offset]]. The grasps of the problem, if it has any, are there.
Node read_joint_offsets(ReadContext& context, const Node* node, Problem& problem);
// Finds what the offsets move, those of coupled joints along with them, and refuses what would tear other joints apart.
// couple_bodies() has been called.
void place_joint_offsets(ReadContext& context, const Node* node, Problem& problem);
// Reads the name of a joint; returns its index.
int read_joint_name(Section& section, const std::string& key, const SceneSpec& scene);

// (bodies) not 0 where the pose at the start depends on the trial: where it is uncertain, or follows the grid.
std::vector<char> varying_poses(const Problem& problem);
// Makes the bodies of joints follow those whose poses vary. The parameters and the grid of the problem are bound.
// node: of the joints. robot_joints: number of joints that come from robots. They are the first.
void couple_bodies(ReadContext& context, const Node* node, Problem& problem, std::size_t robot_joints);

// Reads one [[body]] of a problem in 3D.
Node read_spatial_body(ReadContext& context, const Node& node, int index, SceneSpec& scene, BodyReadings& readings);

// Reads the [[body.part]]s of a body in 3D into body.spatial().parts; body.kind must be set.
Node read_solid_parts(ReadContext& context, const Node* node, const std::string& path, BodySpec& body);

// Reads scale, scale_x and so on of a body whose parts are there. Certain factors scale the parts at once; where one is
// uncertain, it also appends the body to readings.changes.
void read_scale(Section& section, int index, BodySpec& body, BodyReadings& readings);
// Whether keys of a body give it several sizes, so that the resolved problem leaves out what follows from the parts.
bool has_several_sizes(const Section& section);
// Moves the joints of bodies that are scaled in all trials. Refuses what does not go with scaled bodies.
void scale_joints_of(ReadContext& context, const Node& document, const BodyReadings& readings, SceneSpec& scene);

// Reads tilt, or tilt_x and tilt_y, of [gravity], whose accelerations are in the scene.
void read_tilt(Section& section, SceneSpec& scene, SceneChanges& changes);

// Reads max_force, max_torque, mass and inertia of a kinematic body of the scene, and gives it the motors that make it
// follow its motion (limit_force). Does nothing where neither limit is given.
void read_force_limit(Section& section, int index, SceneSpec& scene);

// Reads the quaternion [w, x, y, z] of a table in 3D, which must be of unit length.
Quaternion read_quaternion(Section& section);
// Reads the pose of a table in 3D: x, y, z, the quaternion, and turns about x, y, z. None may be uncertain.
SpatialPose read_certain_pose(Section& section);
// Reads a direction in 3D and scales it to unit length.
Vec3 read_axis(Section& section, const std::string& key, const std::vector<double>& fallback);
// Reads `motion` of a kinematic body into body.spatial(), and its first pose.
void read_motion_in_3d(Section& section, BodySpec& body);
inline constexpr Range spatial_turns{-1e5, 1e5};  // [rad]

// Reads a pad of a finger. Where the finger is a body of the file, the pad also says where on it it is.
PadSpec read_pad(ReadContext& context, const Node& node, const std::string& path, bool placed, Node& resolved);
// Adds the pads that give to the scene, and their springs to `added`: actuators that belong behind the scene's own.
void add_pads(ReadContext& context, const BodyReadings& readings, SceneSpec& scene, std::vector<ActuatorSpec>& added);
// Reads [[pad]], pads of any bodies, and adds them likewise.
Node read_pads(ReadContext& context, const Node* node, SceneSpec& scene, std::vector<ActuatorSpec>& added);

// What [gripper] leaves to be bound once all actuators are known.
struct GripperReadings {
  Value force, friction;
  std::string force_path, friction_path;
  int motor = -1;            // its number among the actuators that are added; -1: there is no gripper
  int first = 0, after = 0;  // its bodies
};
// Reads [gripper] and adds its bodies, joints and coupling to the scene, its motor and springs to `added`.
Node read_gripper(ReadContext& context, const Node* node, SceneSpec& scene, BodyReadings& readings,
                  std::vector<ActuatorSpec>& added, GripperReadings& gripper);

// Gives the gripper's bodies its friction against all bodies that move but its own, where the file gives the pair none.
void add_gripper_friction(ReadContext& context, const GripperReadings& gripper, SceneSpec& scene);
// Binds the force of the gripper to its motor. own: number of the file's own actuators, which stand before those added.
void bind_gripper_force(ReadContext& context, const GripperReadings& gripper, std::size_t own);

// Reads [[urdf]] and appends the bodies and joints of the robots to the scene. `resistance` receives the actuators that
// stand for damping and friction of their joints; they belong behind the scene's own actuators.
Node read_urdf_list(ReadContext& context, const Node* node, SceneSpec& scene, std::vector<ActuatorSpec>& resistance);

// How far a body moves with the grid, along the first and the second axis of the grid: 0 not at all, 1 with it.
Vec2 read_follows_grid(Section& section);

// Refuses a target given as one number for a spherical joint, which takes three, and names the three keys.
void refuse_scalar_target(const Section& section, const std::string& target, const Quantity& quantity);
// Reads `program` of an actuator; `target` is the key of its target. For a spherical joint (`ball`) the keyframes have
// three of these keys, which end in _x, _y and _z.
void read_program(Section& section, const std::string& target, const Quantity& quantity, bool ball,
                  ActuatorSpec& actuator);

// Reads [body.support] into the support of a planar body. Where something in it is uncertain, it also appends a tripod
// to readings.tripods, which draws the points and loads.
Node read_support(ReadContext& context, const Node& node, const std::string& path, int body_index, BodySpec& body,
                  const Value& mass, BodyReadings& readings);

// Reads [body.oscillation], motion_repeats and turns of a body, where they are given.
void read_oscillation(Section& section, int index, BodySpec& body);
void read_repeats(Section& section, BodySpec& body);
void read_turns(Section& section, BodySpec& body);

// Reads [success] into a postfix program of predicates.
Node read_success(ReadContext& context, const Node* node, const SceneSpec& scene, std::vector<Predicate>& program);

// Whether bodies and parts keep their shells: simulation.shells, which read_simulation() checks.
bool wants_shells(const Node* simulation);
// Reads [simulation] into options, arithmetic, and length scale and model of the scene.
Node read_simulation(ReadContext& context, const Node* node, bool spatial, StepOptions& options, Arithmetic& arithmetic,
                     SceneSpec& scene);
// Refuses keys of [simulation] that have no effect with any of the choices (option_use.hpp). defaults: whether a key
// may stand with its default value, as in resolved problems.
void check_option_use(ReadContext& context, const Node* simulation, const StepChoices& choices,
                      const SceneTraits& scene, bool defaults);
// Reads the compliant shell of a body, a part or a pad, where it has one.
std::optional<CompliantShell> read_shell(Section& section);
// map.refine.
void read_refine(Section& map, Problem& problem);
Node read_grid(ReadContext& context, const Node* node, bool spatial, Grid& grid);

// Index of a body by name; throws InputError with a suggestion.
int find_body(ReadContext& context, const Node* node, const std::string& path, const SceneSpec& scene,
              const std::string& name);

// The list of tables of a key, or an InputError that says how to write one; null gives an empty list.
std::vector<const Node*> table_list(ReadContext& context, const Node* node, const std::string& path);

}  // namespace pegrasp

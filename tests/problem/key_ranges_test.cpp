// SPDX-License-Identifier: Apache-2.0
// Every numeric key of a problem file, just outside its range on either side: refused by name, with the range; and that
// the table below leaves out no key.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/text/document.hpp"
#include "src/text/units.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

struct KeyRange {
  const char* key;
  const char* below;  // just outside; null: every number from -1e12 on is taken
  const char* above;  // null: the most that is taken is as much as the type holds
  const char* range;  // what the refusal must say
};

constexpr const char* above_zero = "must be greater than 0";
constexpr const char* from_zero = "must not be less than 0";
constexpr const char* anything = "must lie between -1e12 and 1e12";
// Beyond this no number is taken, in whatever unit.
constexpr const char* huge = "1.0000001e12";
constexpr const char* minus_huge = "-1.0000001e12";

const KeyRange ranges[] = {
    {"dim", "1", "4", "must lie between 2 and 3"},
    {"map.samples", "0", "100000001", "must lie between 1 and 100000000"},
    {"map.until.half_width", "0", "0.5001", "must be greater than 0 and at most 0.5"},
    {"map.until.decided", "0", "1.0001", "must be greater than 0 and at most 1"},
    {"map.refine.levels", "0", "11", "must lie between 1 and 10"},
    {"map.refine.difference", "0", "1.0001", "must be greater than 0 and at most 1"},
    {"map.refine.threshold", "0", "1.0001", "must be greater than 0 and at most 1"},
    {"map.refine.cells", "0", "1000001", "must lie between 1 and 1000000"},
    {"map.seed", "-1", nullptr, "must lie between 0 and 9223372036854775807"},
    {"grid.x_mm.from", minus_huge, huge, anything},
    {"grid.x_mm.to", minus_huge, huge, anything},
    {"grid.x_mm.count", "0", "10001", "must lie between 1 and 10000"},
    {"grid.x_mm", "{ from = 0, to = 1, step = 0 }", nullptr, above_zero},
    {"grid.y_m[0]", minus_huge, huge, anything},
    {"simulation.h_ms", "0", "1000.001", "must be greater than 0 ms and at most 1000 ms"},
    {"simulation.duration_s", "0", "100000.1", "must be greater than 0 s and at most 100000 s"},
    {"simulation.still_speed_mm_s", "0", huge, above_zero},
    {"simulation.still_time_ms", "-0.001", "100000000.1", "must be at least 0 ms and at most 1e+08 ms"},
    {"simulation.max_passes", "0", "101", "must lie between 1 and 100"},
    {"simulation.max_iterations", "0", "10000001", "must lie between 1 and 10000000"},
    {"simulation.max_substep_level", "-1", "13", "must lie between 0 and 12"},
    {"simulation.landing_halvings", "-1", "13", "must lie between 0 and 12"},
    {"simulation.tolerance_m_s", "0", huge, above_zero},
    {"simulation.penetration_tolerance_mm", "0", huge, above_zero},
    {"simulation.reject_depth_mm", "0", huge, above_zero},
    {"simulation.detect_distance_mm", "0", huge, above_zero},
    {"simulation.recovery_speed_m_s", "0", huge, above_zero},
    {"simulation.jacobi_relaxation", "0", "1.0001", "must be greater than 0 and at most 1"},
    {"simulation.gamma", "-0.001", "1.0001", "must be at least 0 and at most 1"},
    {"simulation.length_scale_mm", "0", huge, above_zero},
    {"gravity.x_m_s2", minus_huge, huge, anything},
    {"gravity.y_m_s2", minus_huge, huge, anything},
    {"gravity.normal_m_s2", "-0.001", huge, from_zero},
    {"gravity.tilt_deg", minus_huge, huge, anything},
    {"body.brick.scale_x", "0", huge, above_zero},
    {"body.brick.scale_y", "0", huge, above_zero},
    {"body.stop.scale", "0", huge, above_zero},
    {"body.stop.variants.round.weight", "0", huge, above_zero},
    {"body.brick.mass_kg", "0", huge, above_zero},
    {"body.slab.mass_g", "0", huge, above_zero},
    {"body.part.inertia_kg_m2", "0", huge, above_zero},
    {"body.brick.x_mm", minus_huge, huge, anything},
    {"body.brick.y_mm", minus_huge, huge, anything},
    {"body.part.x_mm.nominal", minus_huge, huge, anything},
    {"body.part.x_mm.factor", minus_huge, huge, anything},
    {"body.part.turn_deg", "-5729578", "5729578", "is beyond 1e5 rad"},
    {"body.part.vx_mm_s", minus_huge, huge, anything},
    {"body.part.vy_m_s", minus_huge, huge, anything},
    {"body.part.omega_deg_s", minus_huge, huge, anything},
    {"body.part.follows_grid[0]", minus_huge, huge, anything},
    {"body.part.friction", "-0.001", huge, from_zero},
    {"body.part.drop_time_s", "-0.001", huge, from_zero},
    {"body.slab.slide_axis[1]", minus_huge, huge, anything},
    {"body.part.support.radius_mm", "0", huge, above_zero},
    {"body.part.support.turn_deg", "-5729578", "5729578",
     "must be at least -5.72958e+06 deg and at most 5.72958e+06 deg"},
    {"body.part.support.loads[1]", "0", huge, above_zero},
    {"body.slab.support.friction", "-0.001", huge, from_zero},
    {"body.slab.support.points_mm[0][1]", minus_huge, huge, anything},
    {"body.part.part.core.radius_mm", "0", huge, above_zero},
    {"body.part.part.core.centre_mm[0]", minus_huge, huge, anything},
    {"body.part.part.tooth.semi_axes_mm[0]", "0", huge, above_zero},
    {"body.part.part.tooth.order", "1", "17", "must lie between 2 and 16"},
    {"body.part.part.tooth.at_radius_mm", "-0.001", huge, from_zero},
    {"body.part.part.tooth.at_angle_deg", "-5729.6", "5729.6", "must be at least -5729.58 deg and at most 5729.58 deg"},
    {"body.part.part.tooth.turn_deg", "-5729.6", "5729.6", "must be at least -5729.58 deg and at most 5729.58 deg"},
    {"body.part.part.tooth.polygon_tolerance_mm", "0.0000229", "0.461",
     "must lie between 1e-5 and 0.2 of the larger semi-axis"},
    {"body.slab.part.triangle.vertices_mm[1][0]", minus_huge, huge, anything},
    {"body.slab.part.pad.corners_mm[0][1]", minus_huge, huge, anything},
    {"body.brick.part.box.width_mm", "0", huge, above_zero},
    {"body.brick.part.box.height_mm", "0", huge, above_zero},
    {"body.floor.shell.thickness_mm", "0", huge, above_zero},
    {"body.floor.shell.stiffness_n_per_m", "0", huge, above_zero},
    {"body.floor.shell.damping_n_s_per_m", "-0.001", huge, from_zero},
    {"body.floor.shell.tangential_stiffness_n_per_m", "-0.001", huge, from_zero},
    {"body.floor.shell.tangential_damping_n_s_per_m", "-0.001", huge, from_zero},
    {"body.brick.part.box.shell.thickness_mm", "0", huge, above_zero},
    {"body.brick.part.box.shell.stiffness_n_per_m", "0", huge, above_zero},
    {"body.floor.part.ground.normal[0]", minus_huge, huge, anything},
    {"body.floor.part.ground.offset_mm", minus_huge, huge, anything},
    {"body.pusher.part.nose.from_deg", "-5729.6", "5729.6", "must be at least -5729.58 deg and at most 5729.58 deg"},
    {"body.pusher.part.nose.to_deg", "-5729.6", "5729.6", "must be at least -5729.58 deg and at most 5729.58 deg"},
    {"body.shaker.oscillation.frequency_hz", "0", huge, above_zero},
    {"body.shaker.oscillation.acceleration_m_s2[1]", minus_huge, huge, anything},
    {"body.shaker.oscillation.phase_rad[0]", minus_huge, huge, anything},
    {"body.shaker.oscillation.angular_acceleration_rad_s2", minus_huge, huge, anything},
    {"body.shaker.oscillation.angular_phase_rad", minus_huge, huge, anything},
    {"body.pusher.max_force_n", "0", huge, above_zero},
    {"body.pusher.max_torque_n_m", "0", huge, above_zero},
    {"body.pusher.mass_kg", "0", huge, above_zero},
    {"body.pusher.inertia_kg_m2", "0", huge, above_zero},
    {"body.pusher.motion[0].time_s", "-0.001", huge, from_zero},
    {"body.pusher.motion[0].x_mm", minus_huge, huge, anything},
    {"body.pusher.motion[0].y_mm", minus_huge, huge, anything},
    {"body.pusher.motion[0].turn_deg", "-5729578", "5729578",
     "must be at least -5.72958e+06 deg and at most 5.72958e+06 deg"},
    {"friction[1].mu", "-0.001", huge, from_zero},
    {"actuator.pull.axis[0]", minus_huge, huge, anything},
    {"actuator.pull.force_n", minus_huge, huge, anything},
    {"actuator.spin.speed_deg_s", minus_huge, huge, anything},
    {"actuator.spin.max_torque_n_m", "-0.001", huge, from_zero},
    {"actuator.hold.position_mm", minus_huge, huge, anything},
    {"actuator.hold.stiffness_n_per_m", "-0.001", huge, from_zero},
    {"actuator.hold.damping_n_s_per_m", "-0.001", huge, from_zero},
    {"actuator.hold.max_force_n", "-0.001", huge, from_zero},
    {"actuator.orient.position_deg", minus_huge, huge, anything},
    {"actuator.orient.stiffness_n_m_per_rad", "-0.001", huge, from_zero},
    {"actuator.orient.damping_n_m_s_per_rad", "-0.001", huge, from_zero},
    {"actuator.orient.max_torque_n_m", "-0.001", huge, from_zero},
    {"spring.band.from_mm[0]", minus_huge, huge, anything},
    {"spring.band.to_mm[1]", minus_huge, huge, anything},
    {"spring.band.stiffness_n_per_m", "-0.001", huge, from_zero},
    {"spring.band.rest_length_mm", "-0.001", huge, from_zero},
    {"spring.band.damping_n_s_per_m", "-0.001", huge, from_zero},
    {"spring.band.across_damping_n_s_per_m", "-0.001", huge, from_zero},
    {"group.level.weights[0]", "0", huge, above_zero},
    {"uncertain.surface.groups.high.low", minus_huge, huge, anything},
    {"uncertain.surface.groups.high.high", minus_huge, huge, anything},
    {"uncertain.contact.groups.low.mean", minus_huge, huge, anything},
    {"uncertain.contact.groups.low.sd", "0", huge, above_zero},
    {"uncertain.placement.groups.sharp.sd", "0", huge, above_zero},
    {"uncertain.placement.groups.sharp.weight", "0", huge, above_zero},
    {"body.part.support.loads[2].median", "0", huge, above_zero},
    {"body.part.support.loads[2].log_sd", "0", "20.001", "must be greater than 0 and at most 20"},
    {"body.part.mass_kg.sd", "0", huge, above_zero},
    {"body.slab.drop_time_s.value", minus_huge, huge, anything},
    {"body.slab.inertia_kg_m2.values[0]", minus_huge, huge, anything},
    {"body.slab.inertia_kg_m2.weights[0]", "-0.001", huge, from_zero},
    // These are numbers like others; what may be drawn is out of range.
    {"body.part.mass_kg", "{ distribution = 'uniform', low = -0.001, high = 1 }", nullptr,
     "can be drawn out of range: it must be greater than 0"},
    {"body.part.support.radius_mm", "{ distribution = 'constant', value = 0 }", nullptr,
     "can be drawn out of range: it must be greater than 0"},
    {"body.slab.drop_time_s", "{ distribution = 'constant', value = -0.001 }", nullptr,
     "can be drawn out of range: it must not be less than 0"},
    {"space.thickness_mm", "0", huge, above_zero},
    {"space.clearance_mm", "0", huge, above_zero},
    {"space.polygon_tolerance_mm", "0", huge, above_zero},
    {"success.all[0].any[0].gap_below_mm", "-0.001", huge, from_zero},
    {"success.all[0].any[0].side[0]", minus_huge, huge, anything},
    {"success.all[1].not.x_mm[0]", minus_huge, huge, anything},
    {"success.all[1].not.y_mm[1]", minus_huge, huge, anything},
    {"success.all[1].not.turn_deg[1]", minus_huge, huge, anything},
    {"success.all[1].not.turn_modulo_deg", "0", huge, above_zero},
    {"success.all[2].speed_below_mm_s", "0", huge, above_zero},
    {"success.all[2].for_ms", "-0.001", huge, from_zero},
    {"success.all[3].displacement_below_mm", "0", huge, above_zero},
    {"success.all[4].for_ms", "-0.001", huge, from_zero},
    {"success.all[5].contact_force_n[0]", "-0.001", huge, from_zero},
    {"success.all[5].contact_force_n[1]", "-0.001", huge, from_zero},
    {"success.all[5].since_s", "-0.001", huge, from_zero},
};

// In 3D; what means the same there is in the table above.
const KeyRange ranges_in_3d[] = {
    {"grid.yaw_deg[0]", minus_huge, huge, anything},
    {"gravity.z_m_s2", minus_huge, huge, anything},
    {"gravity.tilt_x_deg", minus_huge, huge, anything},
    {"gravity.tilt_y_deg", minus_huge, huge, anything},
    {"body.cube.scale_x", "0", huge, above_zero},
    {"simulation.penalty.lambda", "-0.001", "1", "must be at least 0 and at most 0.999999"},
    {"simulation.penalty.proportional", "0", huge, above_zero},
    {"simulation.penalty.derivative", "-0.001", huge, from_zero},
    {"simulation.penalty.integral", "-0.001", huge, from_zero},
    {"simulation.penalty.still_speed_mm_s", "0", huge, above_zero},
    {"simulation.penalty.impact_speed_mm_s", "-0.001", huge, from_zero},
    {"body.cube.scale_y", "0", huge, above_zero},
    {"body.cube.scale_z", "0", huge, above_zero},
    {"body.table.friction", "-0.001", huge, from_zero},
    {"body.table.part.top.normal[0]", minus_huge, huge, anything},
    {"body.table.part.top.offset_mm", minus_huge, huge, anything},
    {"body.part.inertia_kg_m2[0]", "0", huge, above_zero},
    {"body.finger.density_kg_per_m3", "0", huge, above_zero},
    {"body.part.x_mm.factor", minus_huge, huge, anything},
    {"body.part.x_mm.nominal", minus_huge, huge, anything},
    {"body.part.y_mm", minus_huge, huge, anything},
    {"body.part.z_mm", minus_huge, huge, anything},
    {"body.part.quaternion[0]", minus_huge, huge, anything},
    {"body.part.turn_x_deg", "-5729579", "5729579", "deg"},
    {"body.part.turn_y_deg", "-5729579", "5729579", "deg"},
    {"body.part.turn_z_deg", "-5729579", "5729579", "deg"},
    {"body.part.vx_mm_s", minus_huge, huge, anything},
    {"body.part.vy_mm_s", minus_huge, huge, anything},
    {"body.part.vz_mm_s", minus_huge, huge, anything},
    {"body.part.omega_x_deg_s", minus_huge, huge, anything},
    {"body.part.omega_y_deg_s", minus_huge, huge, anything},
    {"body.part.omega_z_deg_s", minus_huge, huge, anything},
    {"body.part.centre_x_mm", minus_huge, huge, anything},
    {"body.part.centre_y_mm", minus_huge, huge, anything},
    {"body.part.centre_z_mm", minus_huge, huge, anything},
    {"body.part.drop_time_s", "-0.001", huge, from_zero},
    {"body.palm.shell.thickness_mm", "0", huge, above_zero},
    {"body.palm.shell.stiffness_n_per_m", "0", huge, above_zero},
    {"body.palm.shell.damping_n_s_per_m", "-0.001", huge, from_zero},
    {"body.palm.shell.tangential_stiffness_n_per_m", "-0.001", huge, from_zero},
    {"body.palm.shell.tangential_damping_n_s_per_m", "-0.001", huge, from_zero},
    {"body.part.part.knob.shell.thickness_mm", "0", huge, above_zero},
    {"body.part.part.knob.shell.stiffness_n_per_m", "0", huge, above_zero},
    {"body.finger.pad.shell.thickness_mm", "0", huge, above_zero},
    {"body.finger.pad.shell.stiffness_n_per_m", "0", huge, above_zero},
    {"body.palm.mass_kg", "0", huge, above_zero},
    {"body.part.mass_kg.sd", "0", huge, above_zero},
    {"body.part.mass_kg", "{ distribution = 'uniform', low = -0.001, high = 1 }", nullptr,
     "can be drawn out of range: it must be greater than 0"},
    {"body.part.part.hull.vertices_mm[1][2]", minus_huge, huge, anything},
    {"body.part.part.block.size_mm[2]", "0", huge, above_zero},
    {"body.part.part.block.centre_mm[2]", minus_huge, huge, anything},
    {"body.part.part.block.turn_deg", "-5729579", "5729579", "deg"},
    {"body.part.part.block.turn_axis[0]", minus_huge, huge, anything},
    {"body.part.part.rod.radius_mm", "0", huge, above_zero},
    {"body.part.part.rod.height_mm", "0", huge, above_zero},
    {"body.part.part.rod.sides", "2", "33", "must lie between 3 and 32"},
    {"body.part.part.rod.axis[1]", minus_huge, huge, anything},
    {"body.part.part.die.edge_mm", "0", huge, above_zero},
    {"body.part.part.egg.semi_axes_mm[0]", "0", huge, above_zero},
    {"body.part.part.pillow.order", "1", "17", "must lie between 2 and 16"},
    {"body.part.part.pin.radius_mm", "0", huge, above_zero},
    {"body.part.part.pin.height_mm", "0", huge, above_zero},
    {"body.part.part.knob.radius_mm", "0", huge, above_zero},
    {"body.part.part.handle.radius_mm", "0", huge, above_zero},
    {"body.part.part.handle.from_mm[0]", minus_huge, huge, anything},
    {"body.part.part.handle.to_mm[2]", minus_huge, huge, anything},
    {"body.shaker.oscillation.frequency_hz", "0", huge, above_zero},
    {"body.shaker.oscillation.acceleration_m_s2[1]", minus_huge, huge, anything},
    {"body.shaker.oscillation.phase_rad[0]", minus_huge, huge, anything},
    {"body.shaker.oscillation.angular_acceleration_rad_s2[2]", minus_huge, huge, anything},
    {"body.shaker.oscillation.angular_phase_rad[2]", minus_huge, huge, anything},
    {"body.pusher.max_force_n", "0", huge, above_zero},
    {"body.pusher.max_torque_n_m", "0", huge, above_zero},
    {"body.pusher.density_kg_per_m3", "0", huge, above_zero},
    {"body.pusher.inertia_kg_m2[0]", "0", huge, above_zero},
    {"body.pusher.motion[0].time_s", "-0.001", huge, from_zero},
    {"body.pusher.motion[0].x_mm", minus_huge, huge, anything},
    {"body.pusher.motion[0].y_mm", minus_huge, huge, anything},
    {"body.pusher.motion[0].z_mm", minus_huge, huge, anything},
    {"body.pusher.motion[0].turn_x_deg", "-5729579", "5729579", "deg"},
    {"body.pusher.motion[0].turn_y_deg", "-5729579", "5729579", "deg"},
    {"body.pusher.motion[0].turn_z_deg", "-5729579", "5729579", "deg"},
    {"body.finger.pad.size_mm[0]", "0", huge, above_zero},
    {"body.finger.pad.at_mm[2]", minus_huge, huge, anything},
    {"body.finger.pad.normal[0]", minus_huge, huge, anything},
    {"body.finger.pad.up[0]", minus_huge, huge, anything},
    {"body.finger.pad.mass_g", "0", huge, above_zero},
    {"body.finger.pad.stiffness_n_per_m", "0", huge, above_zero},
    {"body.finger.pad.damping_n_s_per_m", "-0.001", huge, from_zero},
    {"body.finger.pad.tilt_stiffness_n_m_per_rad[1]", "0", huge, above_zero},
    {"body.finger.pad.tilt_damping_n_m_s_per_rad[1]", "-0.001", huge, from_zero},
    {"body.finger.pad.travel_mm", "0", "3.001", "must be greater than 0 mm and at most 3 mm"},
    {"gripper.opening_mm", "0", huge, above_zero},
    {"gripper.finger_mm[0]", "0", huge, above_zero},
    {"gripper.finger_mass_kg", "0", huge, above_zero},
    {"gripper.pad.size_mm[1]", "0", huge, above_zero},
    {"gripper.force_n", "0", huge, above_zero},
    {"gripper.speed_mm_s", "0", huge, above_zero},
    {"gripper.approach_mm", "-0.001", huge, from_zero},
    {"gripper.approach_speed_mm_s", "0", huge, above_zero},
    {"gripper.close_time_s", "-0.001", huge, from_zero},
    {"gripper.lift_mm", "-0.001", huge, from_zero},
    {"gripper.lift_speed_mm_s", "0", huge, above_zero},
    {"gripper.friction", "-0.001", huge, from_zero},
    {"gripper.x_mm", minus_huge, huge, anything},
    {"gripper.y_mm", minus_huge, huge, anything},
    {"gripper.z_mm", minus_huge, huge, anything},
    {"gripper.turn_x_deg", "-5729579", "5729579", "deg"},
    {"gripper.turn_y_deg", "-5729579", "5729579", "deg"},
    {"gripper.turn_z_deg", "-5729579", "5729579", "deg"},
    {"joint.arm.anchor_mm[2]", minus_huge, huge, anything},
    {"joint.arm.axis[0]", minus_huge, huge, anything},
    {"joint.arm.slide_mm[0]", minus_huge, huge, anything},
    {"joint.hinge.turn_deg[1]", minus_huge, huge, anything},
    {"coupling.cam.factor", minus_huge, huge, anything},
    {"coupling.cam.offset_deg", minus_huge, huge, anything},
    {"joint_offset[0].offset_deg", "-14.33", "14.33", "must be at least -14.3239 deg and at most 14.3239 deg"},
    {"joint.ball.swing_deg", "0.57", "171.9", "must be at least 0.572958 deg and at most 171.887 deg"},
    {"actuator.lift.program[0].time_s", "-0.001", huge, from_zero},
    {"actuator.lift.program[1].position_mm", minus_huge, huge, anything},
    {"actuator.lift.stiffness_n_per_m", "-0.001", huge, from_zero},
    {"actuator.lift.damping_n_s_per_m", "-0.001", huge, from_zero},
    {"actuator.lift.max_force_n", "-0.001", huge, from_zero},
    {"actuator.curl.speed_deg_s", minus_huge, huge, anything},
    {"actuator.curl.max_torque_n_m", "-0.001", huge, from_zero},
    {"actuator.drive.program[1].speed_deg_s", minus_huge, huge, anything},
    {"actuator.push.program[1].force_n", minus_huge, huge, anything},
    {"actuator.twist.torque_n_m", minus_huge, huge, anything},
    {"actuator.aim.position_x_deg", "-5729579", "5729579", "deg"},
    {"actuator.aim.position_y_deg", "-5729579", "5729579", "deg"},
    {"actuator.aim.position_z_deg", "-5729579", "5729579", "deg"},
    {"actuator.aim.program[1].position_x_deg", "-5729579", "5729579", "deg"},
    {"actuator.aim.program[1].position_y_deg", "-5729579", "5729579", "deg"},
    {"actuator.aim.program[1].position_z_deg", "-5729579", "5729579", "deg"},
    {"actuator.aim.stiffness_n_m_per_rad", "-0.001", huge, from_zero},
    {"actuator.aim.damping_n_m_s_per_rad", "-0.001", huge, from_zero},
    {"actuator.aim.max_torque_n_m", "-0.001", huge, from_zero},
    {"actuator.roll.speed_x_rad_s", minus_huge, huge, anything},
    {"actuator.roll.speed_y_rad_s", minus_huge, huge, anything},
    {"actuator.roll.speed_z_rad_s", minus_huge, huge, anything},
    {"actuator.roll.program[0].speed_z_rad_s", minus_huge, huge, anything},
    {"actuator.wring.torque_x_n_m", minus_huge, huge, anything},
    {"actuator.wring.torque_y_n_m", minus_huge, huge, anything},
    {"actuator.wring.torque_z_n_m", minus_huge, huge, anything},
    {"actuator.wring.program[0].torque_z_n_m", minus_huge, huge, anything},
    {"spring.coil.from_mm[2]", minus_huge, huge, anything},
    {"spring.coil.to_mm[2]", minus_huge, huge, anything},
    {"spring.coil.stiffness_n_per_m", "-0.001", huge, from_zero},
    {"spring.coil.rest_length_mm", "-0.001", huge, from_zero},
    {"spring.coil.damping_n_s_per_m", "-0.001", huge, from_zero},
    {"spring.coil.across_damping_n_s_per_m", "-0.001", huge, from_zero},
    {"friction[0].mu", "-0.001", huge, from_zero},
    {"friction[0].torsion_mm", "-0.001", huge, from_zero},
    {"friction[0].rolling_mm", "-0.001", huge, from_zero},
    {"success.all[0].z_mm[1]", minus_huge, huge, anything},
    {"success.all[1].since_s", "-0.001", huge, from_zero},
    {"success.all[1].slip_mm", "-0.001", huge, from_zero},
    {"success.all[1].tilt_deg", "-0.001", huge, from_zero},
};

struct KeySet {
  const char* file;
  std::vector<KeyRange> ranges;
  int least;  // numbers in the resolved problem
};

const KeySet& planar() {
  static const KeySet set{"tests/problem/every_key.toml", {std::begin(ranges), std::end(ranges)}, 150};
  return set;
}
const KeySet& spatial() {
  static const KeySet set{"tests/problem/every_key_3d.toml", {std::begin(ranges_in_3d), std::end(ranges_in_3d)}, 100};
  return set;
}

std::string text_of(const KeySet& set) {
  std::ifstream stream(test::source_file(set.file), std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The message of the InputError; empty when the value is accepted.
std::string refusal(const std::string& text, const std::string& key, const std::string& value) {
  try {
    parse_problem(text, "bad.toml", {{key, value}});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// "mass_kg" of "body.slab.mass_kg", "points_mm" of "body.slab.support.points_mm[0][1]".
std::string last_key(const std::string& path) {
  const std::string last = path.substr(path.rfind('.') + 1);
  return last.substr(0, last.find('['));
}

void expect_refusals(const KeySet& set) {
  const std::string text = text_of(set);
  for (const KeyRange& range : set.ranges) {
    for (const char* value : {range.below, range.above}) {
      if (value == nullptr) continue;
      const std::string message = refusal(text, range.key, value);
      SCOPED_TRACE(std::string(range.key) + " = " + value + " -> " + message);
      EXPECT_EQ(message.rfind(std::string("bad.toml: --set ") + range.key, 0), 0u);
      EXPECT_EQ(message.find('\n'), std::string::npos);
      const bool is_huge = std::string(value) == huge || std::string(value) == minus_huge;
      const std::string said = is_huge ? "1e12" : range.range;
      EXPECT_NE(message.find(said), std::string::npos) << "wanted: " << said;
    }
  }
}

TEST(KeyRanges, JustOutsideIsRefusedByNameWithTheRange) {
  expect_refusals(planar());
  expect_refusals(spatial());
}

// Neither is a number: refused by name in any key of any problem.
TEST(KeyRanges, WhatIsNoNumberIsRefusedByName) {
  for (const KeySet* set : {&planar(), &spatial()}) {
    const std::string text = text_of(*set);
    for (const KeyRange& range : set->ranges) {
      for (const char* value : {"nan", "inf", "true"}) {
        const std::string message = refusal(text, range.key, value);
        EXPECT_EQ(message.rfind(std::string("bad.toml: --set ") + range.key, 0), 0u) << range.key << " -> " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      }
    }
  }
}

// The bounds themselves, where they are taken.
TEST(KeyRanges, TheBoundsAreTaken) {
  const std::string text = text_of(planar());
  for (const auto& [key, value] :
       std::vector<std::pair<const char*, const char*>>{{"map.samples", "1"},
                                                        {"map.samples", "100000000"},
                                                        {"map.seed", "0"},
                                                        {"simulation.h_ms", "1000"},
                                                        {"simulation.duration_s", "100000"},
                                                        {"simulation.still_time_ms", "0"},
                                                        {"simulation.still_time_ms", "100000000"},
                                                        {"simulation.max_passes", "1"},
                                                        {"simulation.max_passes", "100"},
                                                        {"simulation.max_iterations", "1"},
                                                        {"simulation.max_iterations", "10000000"},
                                                        {"simulation.max_substep_level", "0"},
                                                        {"simulation.max_substep_level", "12"},
                                                        {"simulation.landing_halvings", "0"},
                                                        {"simulation.landing_halvings", "12"},
                                                        {"simulation.jacobi_relaxation", "1"},
                                                        {"simulation.detect_distance_mm", "1e12"},
                                                        {"body.part.friction", "0"},
                                                        {"body.part.drop_time_s", "0"},
                                                        {"body.brick.mass_kg", "1e12"},
                                                        {"body.part.part.tooth.order", "2"},
                                                        {"body.part.part.tooth.order", "16"},
                                                        {"actuator.hold.stiffness_n_per_m", "0"},
                                                        {"actuator.hold.damping_n_s_per_m", "0"},
                                                        {"body.part.support.loads[2].log_sd", "0.001"},
                                                        {"success.all[2].for_ms", "0"},
                                                        {"success.all[0].any[0].gap_below_mm", "0"}}) {
    EXPECT_EQ(refusal(text, key, value), "") << key << " = " << value;
  }
}

void expect_none_left_out(const KeySet& set) {
  std::set<std::string> covered{"step"};  // inside the axis that is set as a whole
  for (const KeySet* table : {&planar(), &set}) {
    for (const KeyRange& range : table->ranges) covered.insert(key_base(last_key(range.key)));
  }
  const Node tree = parse_toml(load_problem(test::source_file(set.file)).resolved_toml, set.file);
  int count = 0;
  const std::function<void(const Node&, const std::string&)> visit = [&](const Node& node, const std::string& key) {
    for (const Member& member : node.members) visit(member.second, member.first);
    for (const Node& item : node.items) visit(item, key);
    if (!node.is_number()) return;
    ++count;
    EXPECT_TRUE(covered.count(key_base(key)) > 0) << key;
  };
  visit(tree, "");
  EXPECT_GT(count, set.least);
}

TEST(KeyRanges, NoNumericKeyIsLeftOut) {
  expect_none_left_out(planar());
  expect_none_left_out(spatial());
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "src/problem/keys.hpp"

#include <initializer_list>

#include "src/text/units.hpp"

namespace pegrasp {
namespace {

struct Measured {
  const char* base;
  const Quantity* quantity;
};

// A list of plain keys and the keys of quantities in all their units.
KeyList list(std::initializer_list<const char*> plain, std::initializer_list<Measured> measured = {}) {
  KeyList out(plain.begin(), plain.end());
  for (const Measured& key : measured) {
    for (const Unit& unit : key.quantity->units) out.push_back(unit_key(key.base, unit));
  }
  return out;
}

KeyList joined(KeyList a, const KeyList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

namespace keys {

// The quantities of units.cpp are constinit, so these lists may be built during static initialisation.
using namespace quantity;
using quantity::length;  // not the length of a vector

const KeyList root = list({"dim",         "map",      "grid",   "simulation", "gravity",      "space",    "body",
                           "no_contact",  "friction", "joint",  "coupling",   "joint_offset", "actuator", "urdf",
                           "pad",         "gripper",  "grasps", "protocol",   "success",      "group",    "uncertain",
                           "correlation", "axis",     "design", "objective",  "plan",         "spring"});
const KeyList map = list({"title", "samples", "seed", "forces", "until", "refine", "sampling", "samples_from"});
const KeyList samples_from = list({"file", "contents"});
const KeyList correlation = list({"of", "matrix", "covariance"});
const KeyList until = list({"half_width", "decided"});
const KeyList refine = list({"levels", "difference", "threshold", "cells", "axes"});
const KeyList grid = list({}, {{"x", &length}, {"y", &length}, {"yaw", &angle}});
const KeyList axis = list({"from", "to", "step", "count"});
const KeyList map_axis = list({"key", "keys", "values", "from", "to", "count", "scale", "name", "label", "contents"});
const KeyList design = list({"key", "keys", "moves", "name", "start", "scale", "low", "high"});
const KeyList design_move = list({"key", "factor"});
const KeyList simulation =
    list({"contact", "solver", "strategy", "arithmetic", "max_passes", "max_iterations", "max_substep_level",
          "landing_halvings", "on_unresolved", "warm_start", "load_sharing", "look_ahead", "jacobi_relaxation", "model",
          "gamma", "spring_force", "shells", "penalty"},
         {{"h", &duration},
          {"duration", &long_duration},
          {"still_speed", &speed},
          {"still_time", &duration},
          {"tolerance", &slow_speed},
          {"penetration_tolerance", &length},
          {"reject_depth", &length},
          {"detect_distance", &length},
          {"recovery_speed", &slow_speed},
          {"length_scale", &length}});
const KeyList penalty = list({"integrator", "lambda", "proportional", "derivative", "integral"},
                             {{"still_speed", &speed}, {"impact_speed", &speed}});
const KeyList gravity =
    list({}, {{"x", &acceleration}, {"y", &acceleration}, {"normal", &acceleration}, {"tilt", &angle}});
const KeyList spatial_gravity = list(
    {}, {{"x", &acceleration}, {"y", &acceleration}, {"z", &acceleration}, {"tilt_x", &angle}, {"tilt_y", &angle}});
const KeyList space =
    list({"lift", "support_spheres"}, {{"thickness", &length}, {"clearance", &length}, {"polygon_tolerance", &length}});
const KeyList body =
    list({"name", "kind", "turns", "follows_grid", "friction", "slide_axis", "motion", "motion_repeats", "oscillation",
          "support", "part", "shell", "variant", "variants", "scale", "scale_x", "scale_y"},
         {{"mass", &mass},
          {"inertia", &inertia},
          {"max_force", &force},
          {"max_torque", &torque},
          {"x", &length},
          {"y", &length},
          {"turn", &angle},
          {"vx", &speed},
          {"vy", &speed},
          {"omega", &angular_speed},
          {"drop_time", &long_duration}});
const KeyList oscillation = list({"velocity"}, {{"frequency", &frequency},
                                                {"acceleration", &acceleration},
                                                {"angular_acceleration", &angular_acceleration},
                                                {"phase", &phase},
                                                {"angular_phase", &phase}});
const KeyList support = list({"loads", "friction"}, {{"points", &length}, {"radius", &length}, {"turn", &angle}});
const KeyList shell = list({}, {{"thickness", &length},
                                {"stiffness", &stiffness},
                                {"damping", &damping},
                                {"tangential_stiffness", &stiffness},
                                {"tangential_damping", &damping}});
const KeyList part =
    list({"name", "shape", "mirror_of", "order", "exact", "normal", "shell"}, {{"vertices", &length},
                                                                               {"corners", &length},
                                                                               {"width", &length},
                                                                               {"height", &length},
                                                                               {"radius", &length},
                                                                               {"centre", &length},
                                                                               {"turn", &angle},
                                                                               {"at_radius", &length},
                                                                               {"at_angle", &angle},
                                                                               {"offset", &length},
                                                                               {"from", &angle},
                                                                               {"to", &angle},
                                                                               {"semi_axes", &length},
                                                                               {"polygon_tolerance", &length}});
const KeyList keyframe = list({}, {{"time", &long_duration}, {"x", &length}, {"y", &length}, {"turn", &angle}});
const KeyList spatial_body =
    list({"name", "kind", "follows_grid", "friction", "quaternion", "turns", "motion", "motion_in", "motion_repeats",
          "oscillation", "part", "pad", "shell", "variant", "variants", "scale", "scale_x", "scale_y", "scale_z"},
         {{"mass", &mass},
          {"error_x", &length},
          {"error_y", &length},
          {"error_z", &length},
          {"error_turn_x", &angle},
          {"error_turn_y", &angle},
          {"error_turn_z", &angle},
          {"density", &density},
          {"inertia", &inertia},
          {"max_force", &force},
          {"max_torque", &torque},
          {"x", &length},
          {"y", &length},
          {"z", &length},
          {"turn_x", &angle},
          {"turn_y", &angle},
          {"turn_z", &angle},
          {"vx", &speed},
          {"vy", &speed},
          {"vz", &speed},
          {"omega_x", &angular_speed},
          {"omega_y", &angular_speed},
          {"omega_z", &angular_speed},
          {"centre_x", &length},
          {"centre_y", &length},
          {"centre_z", &length},
          {"drop_time", &long_duration}});
const KeyList spatial_part =
    list({"name", "shape", "sides", "exact", "order", "axis", "turn_axis", "normal", "file", "contents", "scale",
          "tolerance", "hull", "convexify", "convexify_threshold", "pieces", "shell"},
         {{"vertices", &length},
          {"semi_axes", &length},
          {"from", &length},
          {"to", &length},
          {"offset", &length},
          {"size", &length},
          {"edge", &length},
          {"height", &length},
          {"radius", &length},
          {"centre", &length},
          {"turn", &angle}});
const KeyList spatial_keyframe = list({}, {{"time", &long_duration},
                                           {"x", &length},
                                           {"y", &length},
                                           {"z", &length},
                                           {"turn_x", &angle},
                                           {"turn_y", &angle},
                                           {"turn_z", &angle}});
const KeyList urdf = list({"name", "file", "contents", "base", "quaternion", "motion", "friction", "self_contact",
                           "cylinder_sides", "exact_cylinders", "hull", "convexify"},
                          {{"x", &length},
                           {"y", &length},
                           {"z", &length},
                           {"turn_x", &angle},
                           {"turn_y", &angle},
                           {"turn_z", &angle},
                           {"turns", &angle},
                           {"slides", &length}});
const KeyList pad = list({"body", "preset", "normal", "up", "shell"}, {{"size", &length},
                                                                       {"at", &length},
                                                                       {"mass", &mass},
                                                                       {"stiffness", &stiffness},
                                                                       {"damping", &damping},
                                                                       {"tilt_stiffness", &rotary_stiffness},
                                                                       {"tilt_damping", &rotary_damping},
                                                                       {"travel", &length}});
const KeyList gripper = list({"kind", "pad", "friction", "follows_grid", "quaternion"}, {{"opening", &length},
                                                                                         {"finger", &length},
                                                                                         {"finger_mass", &mass},
                                                                                         {"force", &force},
                                                                                         {"speed", &speed},
                                                                                         {"approach", &length},
                                                                                         {"approach_speed", &speed},
                                                                                         {"close_time", &long_duration},
                                                                                         {"lift", &length},
                                                                                         {"lift_speed", &speed},
                                                                                         {"x", &length},
                                                                                         {"y", &length},
                                                                                         {"z", &length},
                                                                                         {"turn_x", &angle},
                                                                                         {"turn_y", &angle},
                                                                                         {"turn_z", &angle}});
const KeyList joint = list({"name", "kind", "between", "axis", "collide"},
                           {{"anchor", &length}, {"slide", &length}, {"turn", &angle}, {"swing", &angle}});
const KeyList joint_offset = list({"joint"}, {{"offset", &length}, {"offset", &angle}});
const KeyList coupling = list({"name", "joint", "of_joint", "factor"}, {{"offset", &length}, {"offset", &angle}});
const KeyList spring = list({"name", "between"}, {{"from", &length},
                                                  {"to", &length},
                                                  {"rest_length", &length},
                                                  {"stiffness", &stiffness},
                                                  {"damping", &damping},
                                                  {"across_damping", &damping}});
// The targets that an actuator may have; those of spherical joints are given by components.
const KeyList target = list({}, {{"force", &force},
                                 {"torque", &torque},
                                 {"speed", &speed},
                                 {"speed", &angular_speed},
                                 {"position", &length},
                                 {"position", &angle},
                                 {"torque_x", &torque},
                                 {"torque_y", &torque},
                                 {"torque_z", &torque},
                                 {"speed_x", &angular_speed},
                                 {"speed_y", &angular_speed},
                                 {"speed_z", &angular_speed},
                                 {"position_x", &angle},
                                 {"position_y", &angle},
                                 {"position_z", &angle}});
const KeyList program = joined(list({}, {{"time", &long_duration}}), target);
const KeyList grasps = list({"file", "contents", "format", "part", "gripper", "protocol", "approach", "closing",
                             "file_approach", "file_closing", "fingers", "drive_friction", "pose_error"},
                            {{"file_origin", &length},
                             {"open_slides", &length},
                             {"open_turns", &angle},
                             {"closed_slides", &length},
                             {"closed_turns", &angle},
                             {"force", &force},
                             {"torque", &torque},
                             {"speed", &speed},
                             {"turn_speed", &angular_speed}});
const KeyList pose_error = list({"along", "covariance", "offsets", "weights"}, {{"sd", &length}, {"sd_turn", &angle}});
const KeyList protocol = list({"name", "version", "about", "gravity", "phase"},
                              {{"slip", &length}, {"tilt", &angle}, {"touching", &duration}});
const KeyList protocol_phase = list({"name", "along", "close", "pull_weights"},
                                    {{"time", &long_duration}, {"move", &length}, {"turn", &angle}, {"pull", &force}});
const KeyList no_contact = list({"between"});
const KeyList friction = list({"between", "mu"}, {{"torsion", &length}, {"rolling", &length}});
const KeyList actuator =
    joined(list({"name", "body", "joint", "kind", "rotary", "axis", "program"}, {{"max_force", &force},
                                                                                 {"max_torque", &torque},
                                                                                 {"stiffness", &stiffness},
                                                                                 {"stiffness", &rotary_stiffness},
                                                                                 {"damping", &damping},
                                                                                 {"damping", &rotary_damping}}),
           target);
const KeyList group = list({"names", "weights", "choose"});
const KeyList distribution = list({"distribution", "value", "low", "high", "mean", "sd", "median", "log_sd", "values",
                                   "weights", "group", "groups", "shared_group", "file", "contents", "column"});
const KeyList uncertain = joined(list({"unit"}), distribution);
const KeyList value = joined(list({"nominal", "plus", "factor"}), distribution);
const KeyList group_member =
    list({"value", "low", "high", "mean", "sd", "median", "log_sd", "values", "weights", "weight"});
const KeyList predicate =
    list({"all", "any", "not", "pose_within", "held", "relative_to", "of", "from", "in", "side", "touching", "with"},
         {{"gap_below", &length},
          {"contact_force", &force},
          {"slip", &length},
          {"tilt", &angle},
          {"since", &long_duration},
          {"z", &length},
          {"point", &length},
          {"speed_below", &speed},
          {"displacement_below", &length},
          {"for", &duration},
          {"x", &length},
          {"y", &length},
          {"turn", &angle},
          {"turn_modulo", &angle}});

}  // namespace keys

}  // namespace pegrasp

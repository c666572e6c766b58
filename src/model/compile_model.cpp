// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "kernels/launch/scene_worker.hpp"
#include "src/geometry/placement.hpp"
#include "src/model/compiled_part.hpp"
#include "src/model/joint_model.hpp"
#include "src/model/keyframe_ways.hpp"
#include "src/model/model.hpp"
#include "src/model/solid_model.hpp"

namespace pegrasp {
namespace {

// Packed modes give 14 bits to an edge or corner index.
constexpr int max_corners = 1 << 14;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

void check_finite(double value, const std::string& what) {
  if (!std::isfinite(value)) refuse(what + " is not a finite number");
}

void check_body(const BodySpec& body) {
  const PlanarBody& form = body.planar();
  const std::string name = "body \"" + body.name + "\": ";
  for (double value : {form.pose.x, form.pose.y, form.pose.theta}) check_finite(value, name + "pose");
  for (double value : {form.velocity.vx, form.velocity.vy, form.velocity.omega}) check_finite(value, name + "velocity");
  if (body.kind == BodyKind::dynamic) {
    if (!(body.mass > 0.0) || !std::isfinite(body.mass)) refuse(name + "the mass of a dynamic body must be positive");
    if (body.turns && (!(form.inertia > 0.0) || !std::isfinite(form.inertia))) {
      refuse(
          name +
          "its inertia (of its parts, unless inertia_kg_m2, inertia_diag in scene files, gives it) must be positive: "
          "give a moment above 0, or parts of less extreme lengths");
    }
    for (const ConvexPart& part : form.parts) {
      if (part.kind == PartKind::half_plane)
        refuse(name + "a half-plane has no mass; make the body fixed or kinematic");
    }
  } else if (body.slide_axis) {
    refuse(name + "only a dynamic body can slide along an axis");
  }
  if (form.support && body.kind != BodyKind::dynamic) refuse(name + "only a dynamic body rests on a support tripod");
  for (std::size_t k = 1; k < form.motion.size(); ++k) {
    if (!(form.motion[k].time > form.motion[k - 1].time)) refuse(name + "keyframe times must increase");
  }
}

bool has_motion(const BodySpec& body) {
  return body.is_spatial() ? !body.spatial().motion.empty() : !body.planar().motion.empty();
}

// How many truth values of the program a predicate takes.
int values_taken(const Predicate& p) {
  switch (properties(p.kind).subject) {
    case PredicateSubject::last_value:
      return 1;
    case PredicateSubject::last_values:
      if (p.count < 1) refuse("success: malformed combination of predicates");
      return p.count;
    case PredicateSubject::two_parts:
    case PredicateSubject::body:
    case PredicateSubject::body_and_other:
      break;
  }
  return 0;
}

// Whether a predicate has what it is about.
void check_predicate(const Predicate& p, int bodies, int parts) {
  const PredicateProperties asked = properties(p.kind);
  if (asked.bounds && !(p.value <= p.most)) refuse("success: contact_force needs bounds with low <= high");
  const bool reduces = properties(p.kind).lift == PredicateLift::without_turn && p.value != 0.0;  // bounds a turn
  if (reduces && !(p.value > 0.0 && p.high.theta - p.low.theta < p.value)) {
    refuse("success: pose_within counts turns but for multiples of an angle that must be wider than their bounds");
  }
  switch (asked.subject) {
    case PredicateSubject::two_parts:
      if (p.part_a < 0 || p.part_b < 0 || p.part_a >= parts || p.part_b >= parts || p.part_a == p.part_b) {
        refuse("success: gap_below needs two different parts");
      }
      break;
    case PredicateSubject::body_and_other:
      if (p.body_b >= bodies || (p.body_b >= 0 && p.body_b == p.body)) {
        refuse("success: a predicate about a body and another one needs another body, or none");
      }
      [[fallthrough]];
    case PredicateSubject::body:
      if (p.body < 0 || p.body >= bodies) refuse("success: a predicate names no body");
      break;
    case PredicateSubject::last_value:
    case PredicateSubject::last_values:
      break;
  }
}

void check_predicates(const SceneSpec& scene, int parts) {
  if (scene.success.size() > most_predicates) {
    refuse("success: more than " + std::to_string(most_predicates) + " predicates; simplify the condition");
  }
  int depth = 0;
  for (const Predicate& p : scene.success) {
    const int taken = values_taken(p);
    if (taken > depth) refuse("success: malformed combination of predicates");
    depth += 1 - taken;
    check_predicate(p, static_cast<int>(scene.bodies.size()), parts);
  }
  if (!scene.success.empty() && depth != 1) refuse("success: predicates must combine to one truth value");
}

class Compiler {
 public:
  Compiler(const SceneSpec& scene, ModelArrays& out) : scene_(scene), out_(out) {}

  void run() {
    out_.spatial = scene_.spatial;
    out_.model = scene_.model;
    out_.body_follows.assign(scene_.bodies.size(), 0);
    for (const ActuatorSpec& actuator : scene_.actuators) {
      const auto body = static_cast<std::size_t>(actuator.body);
      if (actuator.kind == ActuatorKind::follow && body < scene_.bodies.size()) out_.body_follows[body] = 1;
    }
    for (const BodySpec& body : scene_.bodies) add_body(body);
    add_shells();
    if (!out_.part_curve.empty()) out_.part_curve.resize(out_.part_body.size(), -1);
    if (scene_.spatial) end_solids(out_);
    out_.body_first_part.push_back(static_cast<int>(out_.part_body.size()));
    out_.body_first_keyframe.push_back(static_cast<int>(out_.keyframe_time.size()));
    out_.part_first_corner.push_back(static_cast<int>(out_.corner_x.size()));
    out_.part_first_edge.push_back(static_cast<int>(out_.edge_nx.size()));
    add_pairs();
    for (const JointSpec& joint : scene_.joints) {
      refuse_particles(joint);
      add_joint(scene_, joint, out_);
    }
    find_joint_tree(scene_, out_);
    for (std::size_t k = 0; k < scene_.couplings.size(); ++k) add_coupling(scene_, k, out_);
    out_.actuator_first_key.push_back(0);
    for (const ActuatorSpec& actuator : scene_.actuators) add_actuator(scene_, actuator, out_);
    out_.predicates = scene_.success;
    out_.measures_forces = scene_.measure_forces;
    out_.measures_margin = scene_.measure_margin;
    if (!scene_.spatial && (!scene_.pulls.empty() || scene_.watch.part >= 0)) {
      refuse("pulls, and parts whose hold is measured, are for scenes in 3D");
    }
    if (scene_.spatial) {
      add_pulls(scene_, out_);
      add_watch(scene_, out_);
    } else {
      out_.pull_first_key.push_back(0);
    }
  }

 private:
  void refuse_particles(const JointSpec& joint) const {
    if (joint.kind == JointKind::distance) return;
    for (const int body : {joint.body_a, joint.body_b}) {
      if (body < 0 || body >= static_cast<int>(scene_.bodies.size())) continue;
      const BodySpec& spec = scene_.bodies[static_cast<std::size_t>(body)];
      if (!spec.turns)
        refuse("joint \"" + joint.name + "\": body \"" + spec.name + "\" does not turn; joints are for bodies that do");
    }
  }

  void add_body(const BodySpec& body) {
    if (body.is_spatial() != scene_.spatial) {
      refuse("body \"" + body.name + "\": its form is not that of the scene; make both planar or both spatial");
    }
    if (scene_.spatial) {
      check_solid_body(body);
    } else {
      check_body(body);
    }
    const int index = static_cast<int>(out_.body_kind.size());
    const bool follows = out_.body_follows[static_cast<std::size_t>(index)] != 0;
    if (has_motion(body) && body.kind != BodyKind::kinematic && !follows) {
      refuse("body \"" + body.name + "\": prescribed motion needs a kinematic body");
    }
    out_.body_kind.push_back(static_cast<int>(body.kind));
    out_.body_node.push_back(body.kind == BodyKind::dynamic ? out_.node_count++ : -1);
    out_.body_first_part.push_back(static_cast<int>(out_.part_body.size()));
    out_.body_slides.push_back(body.slide_axis ? freedom_rail : body.turns ? freedom_all : freedom_no_turns);
    add_course(body);
    add_described_pose(body);
    Vec2 axis = body.slide_axis.value_or(Vec2{1.0, 0.0});
    const double length = std::sqrt(axis.x * axis.x + axis.y * axis.y);
    if (!(length > 0.0)) refuse("body \"" + body.name + "\": the slide axis has no direction");
    out_.body_axis.insert(out_.body_axis.end(), {axis.x / length, axis.y / length});
    out_.body_first_keyframe.push_back(static_cast<int>(out_.keyframe_time.size()));
    if (scene_.spatial) {
      add_solid_motion(body, out_);
      add_solids(body, index, out_);
      return;
    }
    const PlanarBody& form = body.planar();
    std::vector<Vec3> places;
    for (const Keyframe& key : form.motion) {
      places.push_back({key.pose.x, key.pose.y, 0.0});
      out_.keyframe_time.push_back(key.time);
      out_.keyframe_pose.insert(out_.keyframe_pose.end(),
                                {key.pose.x - form.pose.x, key.pose.y - form.pose.y, key.pose.theta - form.pose.theta});
    }
    add_ways(places, out_.keyframe_way);
    for (int k = 0; form.support && k < 3; ++k) out_.support_body.push_back(index);

    std::vector<CompiledPart> parts;
    for (const ConvexPart& part : form.parts) parts.push_back(compile_part(part));
    mark_covered(parts);
    restrict_corners(parts);
    double radius = 0.0;
    bool unbounded = false;
    for (const CompiledPart& part : parts) {
      add_part(part, index);
      unbounded = unbounded || part.radius < 0.0;
      for (const Corner& corner : part.corners) {
        radius = std::max(
            radius, std::sqrt(corner.centre.x * corner.centre.x + corner.centre.y * corner.centre.y) + corner.radius);
      }
    }
    out_.body_radius.push_back(radius);
    out_.body_unbounded.push_back(unbounded ? 1 : 0);
  }

  // Prescribed motion beside keyframes: whether these repeat, oscillation, and functions.
  void add_course(const BodySpec& body) {
    const std::string name = "body \"" + body.name + "\": ";
    const bool function = std::visit([](const auto& form) { return bool{form.motion_function}; }, body.form);
    if (!body.turns && body.kind != BodyKind::dynamic)
      refuse(name + "only of a dynamic body can be said that it does not turn");
    if ((function || body.oscillation) && body.kind != BodyKind::kinematic) {
      refuse(name + "prescribed motion needs a kinematic body");
    }
    if (int{function} + int{has_motion(body)} + int{body.oscillation.has_value()} > 1) {
      refuse(name + "has several prescribed motions: keyframes, an oscillation or a function; keep one");
    }
    if (body.motion_repeats) check_repeats(body, name);
    out_.body_repeats.push_back(body.motion_repeats ? 1 : 0);
    out_.body_oscillation.push_back(body.oscillation ? oscillations_++ : -1);
    out_.body_end_velocity.push_back(body.oscillation && body.oscillation->end_velocity ? 1 : 0);
    out_.body_sampled.push_back(function ? 1 : 0);
    if (!body.oscillation) return;
    if (!(body.oscillation->frequency > 0.0)) refuse(name + "the frequency of its oscillation must be positive");
    check_finite(body.oscillation->frequency, name + "the frequency of its oscillation");
    for (const std::array<double, 6>& all : {body.oscillation->acceleration, body.oscillation->phase}) {
      for (const double value : all) check_finite(value, name + "its oscillation");
    }
  }

  // Motion that repeats ends where it begins, or the body would jump.
  void check_repeats(const BodySpec& body, const std::string& name) {
    constexpr double same = 1e-9;  // [m, rad]
    double off = 0.0;
    std::size_t count = 0;
    if (scene_.spatial) {
      const std::vector<SpatialKeyframe>& motion = body.spatial().motion;
      count = motion.size();
      if (count > 1) {
        const auto& [from, to] = std::pair(motion.front(), motion.back());
        off = length(to.pose.position - from.pose.position) + length(to.own.position - from.own.position) +
              length(turn_vector(normalised(to.pose.turn) * conjugate(normalised(from.pose.turn)))) +
              length(turn_vector(normalised(to.own.turn) * conjugate(normalised(from.own.turn))));
      }
    } else {
      const std::vector<Keyframe>& motion = body.planar().motion;
      count = motion.size();
      if (count > 1) {
        const Pose &from = motion.front().pose, &to = motion.back().pose;
        off = std::fabs(to.x - from.x) + std::fabs(to.y - from.y) + std::fabs(to.theta - from.theta);
      }
    }
    if (count < 2) refuse(name + "motion that repeats needs two keyframes or more");
    if (off > same)
      refuse(name + "motion that repeats must end where it begins; give the last keyframe the first one's pose");
  }

  // Where the scene describes the body, and what carries it from there.
  void add_described_pose(const BodySpec& body) {
    const int carrier = body.carried_by;
    if (carrier < -1 || carrier >= static_cast<int>(scene_.bodies.size()) ||
        (carrier >= 0 && scene_.bodies[static_cast<std::size_t>(carrier)].carried_by >= 0)) {
      refuse("body \"" + body.name + "\": what carries it is no body of the scene, or is carried itself");
    }
    out_.body_carrier.push_back(carrier);
    if (!body.is_spatial()) {
      const Pose at = body.planar().pose;
      out_.body_described.insert(out_.body_described.end(), {at.x, at.y, at.theta});
      return;
    }
    const SpatialPose at = start_pose(body.spatial());
    out_.body_described.insert(out_.body_described.end(), {at.position.x, at.position.y, at.position.z, at.turn.w,
                                                           at.turn.x, at.turn.y, at.turn.z});
  }

  void add_part(const CompiledPart& part, int body) {
    if (part.corners.size() >= static_cast<std::size_t>(max_corners)) {
      refuse("a part has more than " + std::to_string(max_corners) + " corners; use arcs or a coarser polygon");
    }
    out_.part_body.push_back(body);
    out_.part_first_corner.push_back(static_cast<int>(out_.corner_x.size()));
    out_.part_first_edge.push_back(static_cast<int>(out_.edge_nx.size()));
    out_.part_centre.insert(out_.part_centre.end(), {part.centre.x, part.centre.y});
    out_.part_radius.push_back(part.radius);
    out_.part_inradius.push_back(part.inradius);
    const bool arcs =
        std::any_of(part.corners.begin(), part.corners.end(), [](const Corner& corner) { return corner.radius > 0.0; });
    out_.part_arcs.push_back(part.curve ? arcs_smooth : arcs ? arcs_some : arcs_none);
    if (part.curve) {
      out_.part_curve.resize(out_.part_body.size(), -1);
      out_.part_curve.back() = static_cast<int>(out_.curve_number.size() / strict::curve_size);
      out_.curve_number.insert(out_.curve_number.end(), part.curve->numbers.begin(), part.curve->numbers.end());
    }
    for (std::size_t i = 0; i < part.corners.size(); ++i) {
      out_.corner_x.push_back(part.corners[i].centre.x);
      out_.corner_y.push_back(part.corners[i].centre.y);
      out_.corner_r.push_back(part.corners[i].radius);
      out_.corner_name.push_back(part.names[i]);
      const CornerCone& cone = part.cones[i];
      out_.corner_cone.insert(out_.corner_cone.end(), {cone.from.x, cone.from.y, cone.to.x, cone.to.y});
    }
    for (const CompiledEdge& edge : part.edges) {
      out_.edge_nx.push_back(edge.normal.x);
      out_.edge_ny.push_back(edge.normal.y);
      out_.edge_offset.push_back(edge.offset);
      out_.edge_use.push_back(edge.use);
    }
  }

  void add_shell(const std::optional<CompliantShell>& own, const BodySpec& body) {
    const CompliantShell shell = own ? *own : body.shell.value_or(CompliantShell{});
    const std::array<double, 5> numbers{shell.thickness, shell.stiffness, shell.damping, shell.tangential_stiffness,
                                        shell.tangential_damping};
    const std::string name = "body \"" + body.name + "\": its compliant shell ";
    for (const double value : numbers) {
      if (!std::isfinite(value) || value < 0.0) refuse(name + "has a number that is not finite or below 0");
    }
    const bool any = own || body.shell;
    if (any && (!(shell.thickness > 0.0) || !(shell.stiffness > 0.0)))
      refuse(name + "needs a thickness and a stiffness above 0");
    if (shell.tangential_damping > 0.0 && !(shell.tangential_stiffness > 0.0))
      refuse(name + "has tangential damping and is rigid along the surface; give it a tangential stiffness too");
    out_.part_shell.insert(out_.part_shell.end(), numbers.begin(), numbers.end());
  }

  // Compliant shells, for all parts if any has one.
  void add_shells() {
    bool any = false;
    for (const BodySpec& body : scene_.bodies) {
      const auto add = [&](const auto& parts) {
        for (const auto& part : parts) {
          add_shell(part.shell, body);
          any = any || part.shell || body.shell;
        }
      };
      if (body.is_spatial()) {
        add(body.spatial().parts);
      } else {
        add(body.planar().parts);
      }
    }
    if (!any) out_.part_shell.clear();
  }

  // Pairs with a friction coefficient of their own, and excluded pairs, for models without a list of pairs.
  void add_named_pairs() {
    std::map<std::array<int, 2>, double> named;
    const auto ordered = [](int a, int b) { return std::array<int, 2>{std::min(a, b), std::max(a, b)}; };
    // Wrong parameters of other kinds are reported when the scene begins; these values are no parameters.
    const auto check = [](double mu, const std::string& whose) {
      if (!std::isfinite(mu) || mu < 0.0) refuse("the friction of " + whose + " is not a number, 0 or more");
    };
    for (const BodySpec& body : scene_.bodies) check(body.friction, "body \"" + body.name + "\"");
    for (const FrictionPair& pair : scene_.friction) {
      check(pair.mu, "bodies " + std::to_string(pair.body_a) + " and " + std::to_string(pair.body_b));
    }
    for (const FrictionPair& pair : scene_.friction) named.emplace(ordered(pair.body_a, pair.body_b), pair.mu);
    for (const std::array<int, 2>& pair : scene_.ignored_pairs) named[ordered(pair[0], pair[1])] = -1.0;
    for (const JointSpec& joint : scene_.joints) {
      if (!joint.collide && joint.body_a >= 0) named[ordered(joint.body_a, joint.body_b)] = -1.0;
    }
    for (const auto& [pair, mu] : named) {
      out_.named_pair_a.push_back(pair[0]);
      out_.named_pair_b.push_back(pair[1]);
      out_.named_pair_friction.push_back(mu);
    }
    for (const BodySpec& body : scene_.bodies) out_.body_friction.push_back(body.friction);
  }

  // Arms of torsional and rolling friction.
  void add_arms(int a, int b) {
    double torsion = 0.0;
    double rolling = 0.0;
    for (const FrictionPair& pair : scene_.friction) {
      if (std::minmax(pair.body_a, pair.body_b) != std::minmax(a, b)) continue;
      torsion = pair.torsion;
      rolling = pair.rolling;
      break;
    }
    for (const double arm : {torsion, rolling}) {
      if (!(arm >= 0.0) || !std::isfinite(arm))
        refuse("friction: the arms of torsion and rolling must be lengths, 0 or more");
      out_.body_pair_arms.push_back(arm);
    }
    out_.contact_rows = std::max(out_.contact_rows, 3 + (torsion > 0.0 ? 1 : 0) + (rolling > 0.0 ? 2 : 0));
  }

  // Support spheres touch only half-spaces, and some half-spaces touch only support spheres.
  bool parts_meet(int a, int b) const {
    if (!scene_.spatial) return true;
    const auto support_sphere = [&](int part) { return out_.part_support_sphere[static_cast<std::size_t>(part)]; };
    const auto endless = [&](int part) { return out_.part_radius[static_cast<std::size_t>(part)] < 0.0; };
    const auto meets = [&](int part, int other) {
      return support_sphere(part) >= 0 ? endless(other) : support_sphere(other) != support_spheres_only;
    };
    return meets(a, b) && meets(b, a);
  }

  void add_pairs() {
    out_.contact_rows = scene_.spatial ? 3 : 2;
    out_.lists_pairs = lists_pairs(scene_);
    if (!out_.lists_pairs) {
      add_named_pairs();
      out_.body_pair_first_part.push_back(0);
      return;
    }
    const int n = static_cast<int>(scene_.bodies.size());
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (!may_touch(scene_, a, b)) continue;
        out_.body_pair_a.push_back(a);
        out_.body_pair_b.push_back(b);
        if (scene_.spatial) add_arms(a, b);
        out_.body_pair_first_part.push_back(static_cast<int>(out_.part_pair_a.size()));
        for (int pa = out_.body_first_part[static_cast<std::size_t>(a)];
             pa < out_.body_first_part[static_cast<std::size_t>(a) + 1]; ++pa) {
          for (int pb = out_.body_first_part[static_cast<std::size_t>(b)];
               pb < out_.body_first_part[static_cast<std::size_t>(b) + 1]; ++pb) {
            if (!parts_meet(pa, pb)) continue;
            out_.part_pair_a.push_back(pa);
            out_.part_pair_b.push_back(pb);
            out_.part_pair_body_pair.push_back(static_cast<int>(out_.body_pair_a.size()) - 1);
          }
        }
      }
    }
    out_.body_pair_first_part.push_back(static_cast<int>(out_.part_pair_a.size()));
  }

  const SceneSpec& scene_;
  ModelArrays& out_;
  int oscillations_ = 0;
};

}  // namespace

Model::Model(const SceneSpec& scene)
    : layout_(parameter_layout(scene)),
      gravity_{scene.gravity.x, scene.gravity.y, scene.spatial ? scene.gravity_z : 0.0},
      length_scale_(pegrasp::length_scale(scene)) {
  const bool moves = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                 [](const BodySpec& body) { return body.kind == BodyKind::dynamic; });
  if (!moves) refuse("no body is dynamic: nothing would move");
  check_finite(gravity_.x, "gravity");
  check_finite(gravity_.y, "gravity");
  check_finite(gravity_.z, "gravity");
  Compiler(scene, arrays_).run();
  functions_.any = has_functions(scene);
  for (const BodySpec& body : scene.bodies) {
    functions_.planar.push_back(body.is_spatial() ? nullptr : body.planar().motion_function);
    functions_.spatial.push_back(body.is_spatial() ? body.spatial().motion_function : nullptr);
  }
  for (const ActuatorSpec& actuator : scene.actuators) {
    if (actuator.target_function && drives_ball(scene, actuator)) {
      refuse("actuator \"" + actuator.name + "\": the motor of a spherical joint has no function for a target");
    }
    functions_.target.push_back(actuator.target_function);
  }
  check_predicates(scene, static_cast<int>(arrays_.part_body.size()));
}

std::shared_ptr<const Model> compile_model(const SceneSpec& scene) { return std::make_shared<const Model>(scene); }

ModelView Model::view() const {
  const ModelArrays& a = arrays_;
  ModelView v{};
  v.body_count = static_cast<int>(a.body_kind.size());
  v.part_count = static_cast<int>(a.part_body.size());
  v.body_pair_count = static_cast<int>(a.body_pair_a.size());
  v.part_pair_count = static_cast<int>(a.part_pair_a.size());
  v.friction_count = layout_.friction_count;
  v.actuator_count = layout_.actuator_count;
  v.joint_count = static_cast<int>(a.joint_kind.size());
  v.coupling_count = static_cast<int>(a.coupling_factor.size());
  v.support_count = layout_.support_count;
  v.predicate_count = static_cast<int>(a.predicates.size());
  v.node_count = a.node_count;
  v.lists_pairs = a.lists_pairs ? 1 : 0;
  v.named_pair_count = static_cast<int>(a.named_pair_a.size());
  v.parameter_count = layout_.size();
  v.at = parameter_offsets(layout_);
  v.gravity_x = gravity_.x;
  v.gravity_y = gravity_.y;
  v.gravity_z = gravity_.z;
  v.spatial = a.spatial ? 1 : 0;
  v.contact_rows = a.contact_rows;
  v.motor_rows = a.motor_rows;
  v.force_predicates = static_cast<int>(std::count_if(a.predicates.begin(), a.predicates.end(),
                                                      [](const Predicate& p) { return properties(p.kind).forces; }));
  v.measures_forces = a.measures_forces ? 1 : 0;
  v.measures_margin = a.measures_margin ? 1 : 0;
  v.shells = a.part_shell.empty() ? shells_none : shells_slide;
  for (std::size_t k = 3; k < a.part_shell.size(); k += 5) {
    if (a.part_shell[k] > 0.0) v.shells = shells_deflect;
  }
  v.curve_count = static_cast<int>(a.curve_number.size()) / strict::curve_size;
  for (std::size_t k = 0; a.spatial && k + 1 < a.part_first_face.size(); ++k) {
    if (a.part_first_face[k + 1] - a.part_first_face[k] == 3) ++v.smooth_solids;
  }
  v.quasistatic = a.model == MotionModel::quasistatic ? 1 : 0;
  // Impulses give velocities of lightness * g * h, and tolerances shrink with the scene: double precision has to hold
  // both.
  v.lightness = std::min(1e6, 2e7 * length_scale_);
  v.pull_count = static_cast<int>(a.pull_body.size());
  v.watched = a.watch.part;
  v.watched_from = a.watch.base;
  v.watched_since = a.watch.since;
  v.watched_overlap = a.watch.overlap;
#define PEGRASP_ARRAY(type, name, length) v.name = a.name.data();
#include "kernels/model/model_arrays.inc"
  return v;
}

Capacity first_capacity(const Model& model, const StepOptions& options) {
  const ModelView v = model.view();
  // Piles of 20 polygons were seen with at most 79 contacts; more capacity is made when a scene asks for it.
  const int pairs = std::min(v.part_pair_count, 16 + 5 * v.body_count);
  // a contact with a shell, and one with its core; smooth parts have several points on an edge
  const int each = (v.shells != 0 ? 2 : 1) * (v.curve_count != 0 ? 3 : 1);
  if (v.spatial != 0) {
    // standard: a box that lies flat on an equal one has 2 x 8 vertices on faces and 8 pairs of edges, as a rule
    const bool features = options.contact == ContactModel::peg_features;
    const bool many = features || options.contact == ContactModel::standard || options.contact == ContactModel::ratio;
    const int usual = many ? 24 : 0;
    return {pairs, each * pairs * std::max(usual, most_solid_contacts(v) / std::max(1, v.part_pair_count) + 1),
            features ? 2 * usual * pairs : 0};
  }
  if (options.contact == ContactModel::peg) return {pairs, 2 * each * pairs, 0};
  return {pairs, 8 * pairs, options.contact == ContactModel::peg_features ? 16 * pairs : 0};
}

Capacity grown(const Capacity& capacity, int contacts_demand) {
  const int factor = 2;
  return {std::max(capacity.pairs, (contacts_demand + 1) / 2) * factor,
          std::max(capacity.contacts, contacts_demand) * factor,
          capacity.alternatives > 0 ? std::max(capacity.alternatives, contacts_demand) * factor : 0};
}

CapacityReport capacity(const Model& model, const StepOptions& options) {
  const ModelView v = model.view();
  const Capacity first = first_capacity(model, options);
  CapacityReport report;
  report.bodies = v.body_count;
  report.parts = v.part_count;
  report.corners = static_cast<int>(v.spatial != 0 ? model.arrays().vertex.size() / 3 : model.arrays().corner_x.size());
  report.candidate_pairs = v.part_pair_count;
  const int each = (v.shells != 0 ? 2 : 1) * (v.curve_count != 0 ? 5 : 1);  // smooth parts have up to 9 points
  report.contact_bound = each * (v.spatial != 0 ? most_solid_contacts(v) : 2 * v.part_pair_count);
  report.contact_capacity = first.contacts;
  report.bytes_per_scene = scene_bytes(v, first);
  return report;
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "src/problem/lift.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "pegrasp/names.hpp"
#include "pegrasp/simulation.hpp"
#include "src/geometry/prism.hpp"
#include "src/sampling/distributions.hpp"
#include "src/scene/body_properties.hpp"

namespace pegrasp {
namespace {

// A parameter slot of the 3D scene that a planar slot drives, and the factor between the two.
struct Target {
  int slot = 0;
  double factor = 1.0;
};

class Lift {
 public:
  Lift(ReadContext& context, const Node* node, const Problem& flat, double weight, const SpaceSettings& settings)
      : context_(context), node_(node), flat_(flat), settings_(settings), weight_(weight), out_(flat) {}

  Problem run() {
    check();
    SceneSpec& scene = out_.scene;
    scene.spatial = true;
    scene.length_scale = length_scale(flat_.scene);  // so that tolerances and distances are those of the plane
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) lift_body(flat_.scene.bodies[b], scene.bodies[b]);
    if (stands()) add_table(scene);
    lift_success(scene);
    for (const UncertainTripod& tripod : flat_.tripods) keep_support_spheres_within(tripod);
    solve_closely(out_.options);
    retarget();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { context_.fail(node_, "space", what); }
  [[noreturn]] void refuse(const BodySpec& body, const std::string& what) const {
    refuse("body \"" + body.name + "\" " + what);
  }

  bool stands() const {
    return std::any_of(flat_.scene.bodies.begin(), flat_.scene.bodies.end(),
                       [](const BodySpec& body) { return body.planar().support.has_value(); });
  }

  // A finger that sticks to the object it pushes may also carry it or press it down, with any force that friction
  // allows. Nothing in the model decides with which force; in 2D there is none. The residual of a solve at the support
  // spheres makes the finger exert such a force step after step, until it turns the object another way than in 2D. With
  // a hundredth of the usual tolerance the effect is too small to notice. Solvers in fast arithmetic do not reach this
  // tolerance, and the other solvers have no penalties that would make such forces.
  void solve_closely(StepOptions& options) const {
    if (options.tolerance != 0.0 || flat_.arithmetic != Arithmetic::strict) return;
    StepOptions derived;
    try {
      derived = derive_options(options, out_.scene, flat_.arithmetic);
    } catch (const std::invalid_argument&) {
      return;  // whoever reads the problem says what is wrong with them
    }
    const bool newton = derived.solver == SolverKind::newton || derived.solver == SolverKind::stiff_newton;
    if (newton && derived.strategy == Strategy::per_scene) options.tolerance = std::min(1e-8, derived.tolerance);
  }

  void check() const {
    if (!flat_.scene.joints.empty()) {
      refuse("does not lift " + joint_words(flat_.scene) +
             " so far; write the problem with dim = 3, or set space.lift = false");
    }
    for (const ActuatorSpec& actuator : flat_.scene.actuators) {
      if (actuator.kind != ActuatorKind::follow) continue;
      const BodySpec& body = flat_.scene.bodies[static_cast<std::size_t>(actuator.body)];
      refuse(body, "has max_force_n, which is not lifted so far; write the problem with dim = 3");
    }
    check_shells();
    for (const BodySpec& body : flat_.scene.bodies) {
      if (!body.planar().motion.empty())
        refuse(body, "has prescribed motion, which is not lifted so far; give it a velocity");
      if (body.oscillation) refuse(body, "oscillates, which is not lifted so far; write the problem with dim = 3");
      if (body.kind != BodyKind::dynamic) continue;
      if (!body.planar().support && !body.slide_axis) {
        refuse(body, "has nothing that holds it in its plane; add [body.support] or slide_axis");
      }
      if (body.planar().support && body.slide_axis) {
        refuse(body, "stands and slides on an axis: in 3D rails carry all of its weight; remove one of the two");
      }
    }
    for (const ActuatorSpec& actuator : flat_.scene.actuators) {
      if (actuator.rotary) {
        refuse("does not lift actuator \"" + actuator.name + "\", which turns a body; in 3D that takes a joint");
      }
    }
    constexpr double no_turn = 1e300;
    for (const Predicate& p : flat_.scene.success) {
      if (properties(p.kind).lift != PredicateLift::without_turn) continue;
      if (p.low.theta > -no_turn || p.high.theta < no_turn) {
        refuse("does not lift turn_deg of pose_within; leave it out, or set space.lift = false");
      }
    }
  }

  // A shell has its numbers for every contact point. Prisms touch in two where outlines touch in one, but where a round
  // outline has become chords, which may touch with a face, in four.
  void check_shells() const {
    if (!has_shells(flat_.scene)) return;
    for (const BodySpec& body : flat_.scene.bodies) {
      for (const ConvexPart& part : body.planar().parts) {
        const bool arcs = std::any_of(part.corners.begin(), part.corners.end(),
                                      [](const Corner& corner) { return corner.radius > 0.0; });
        if (!arcs && !part.curve) continue;
        refuse(body, "has the round part \"" + part.name +
                         "\", which in 3D touches in other numbers of points, so that compliant shells are stiffer "
                         "there; set simulation.shells = false, or make it a polygon");
      }
    }
  }

  // A body with a support has the thickness of the settings and stands `clearance` above the table. Every other body is
  // thicker by half a clearance on either side, so that the edges of the two do not coincide, and hovers over the
  // table.
  // Where outlines touch at a point prisms touch along an edge, which has two contact points: each has half the shell.
  static std::optional<CompliantShell> half_of(const std::optional<CompliantShell>& shell) {
    if (!shell) return shell;
    return CompliantShell{shell->thickness, 0.5 * shell->stiffness, 0.5 * shell->damping,
                          0.5 * shell->tangential_stiffness, 0.5 * shell->tangential_damping};
  }
  void lift_parts(const PlanarBody& flat, const std::optional<CompliantShell>& shell, SpatialBody& body) {
    const double half = 0.5 * settings_.thickness + (flat.support ? 0.0 : 0.5 * settings_.clearance);
    std::vector<int>& first = first_piece_.emplace_back();
    for (const ConvexPart& part : flat.parts) {
      first.push_back(static_cast<int>(body.parts.size()));
      for (SolidPart& piece : make_prisms(part, -half, half, settings_.polygon_tolerance)) {
        piece.shell = half_of(part.shell ? part.shell : shell);
        body.parts.push_back(std::move(piece));
      }
    }
    first.push_back(static_cast<int>(body.parts.size()));
  }

  // Height of the middle of the bodies over the table [m]. It is 0 with level support spheres: friction at the table
  // then has no moment about the middle, as in 2D, and the parts that reach below the table's surface do not meet it.
  double middle() const { return settings_.level ? 0.0 : settings_.clearance + 0.5 * settings_.thickness; }

  void lift_body(const BodySpec& flat, BodySpec& body) {
    const PlanarBody& plane = flat.planar();
    SpatialBody& space = body.form.emplace<SpatialBody>();
    lift_parts(plane, flat.shell, space);
    body.shell.reset();  // that of the feet
    space.pose.position = {plane.pose.x, plane.pose.y, middle()};
    space.tilt = {0.0, 0.0, plane.pose.theta};
    space.velocity = {{plane.velocity.vx, plane.velocity.vy, 0.0}, {0.0, 0.0, plane.velocity.omega}};
    if (body.kind == BodyKind::dynamic) {
      // the tensor of the parts at equal density, scaled so that the moment about z is the planar one
      const InertiaTensor shape = body_properties(space).inertia;
      const double scale = plane.inertia / shape.zz;
      space.inertia = {scale * shape.xx, scale * shape.yy, plane.inertia, scale * shape.xy, 0.0, 0.0};
    }
    if (!plane.support) return;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec2 at = plane.support->point[k];
      SolidPart support_sphere = make_sphere("foot_" + std::to_string(k + 1),
                                             {at.x, at.y, settings_.clearance - middle()}, settings_.clearance);
      support_sphere.support_sphere = true;
      space.parts.push_back(std::move(support_sphere));
    }
  }

  void add_table(SceneSpec& scene) {
    BodySpec table;
    const auto taken = [&] {
      return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                         [&](const BodySpec& body) { return body.name == table.name; });
    };
    for (table.name = "table"; taken();) table.name += "_";
    table.kind = BodyKind::fixed;
    SolidPart top = make_half_space("top", {0.0, 0.0, 1.0}, 0.0);
    top.support_spheres_only = settings_.level;
    table.form.emplace<SpatialBody>().parts.push_back(std::move(top));
    table_ = static_cast<int>(scene.bodies.size());
    scene.bodies.push_back(std::move(table));
    scene.gravity_z = -weight_;
    for (int b = 0; b < table_; ++b) {
      const BodySpec& flat = flat_.scene.bodies[static_cast<std::size_t>(b)];
      if (flat.kind != BodyKind::dynamic) continue;
      if (flat.planar().support) {
        scene.friction.push_back({b, table_, flat.planar().support->friction[0]});
      } else {
        scene.ignored_pairs.push_back({b, table_});
      }
    }
  }

  // The pieces that a planar part became, as part indices over all bodies.
  std::vector<int> pieces_of(int flat_part) const {
    int before = 0;
    for (std::size_t b = 0; b < first_piece_.size(); ++b) {
      const int parts = static_cast<int>(first_piece_[b].size()) - 1;
      if (flat_part < parts) {
        const auto k = static_cast<std::size_t>(flat_part);
        std::vector<int> pieces(static_cast<std::size_t>(first_piece_[b][k + 1] - first_piece_[b][k]));
        std::iota(pieces.begin(), pieces.end(), before + first_piece_[b][k]);
        return pieces;
      }
      flat_part -= parts;
      before += static_cast<int>(out_.scene.bodies[b].spatial().parts.size());
    }
    return {};
  }

  // A predicate about two planar parts, such as that their gap is below a bound, becomes one about each two of their
  // pieces, of which any must hold.
  void lift_to_pieces(const Predicate& flat, std::vector<Predicate>& program) const {
    Predicate any;
    any.kind = PredicateKind::any;
    for (const int a : pieces_of(flat.part_a)) {
      for (const int b : pieces_of(flat.part_b)) {
        Predicate lifted = flat;
        lifted.part_a = a;
        lifted.part_b = b;
        program.push_back(lifted);
        ++any.count;
      }
    }
    if (any.count > 1) program.push_back(any);
  }

  void lift_success(SceneSpec& scene) {
    std::vector<Predicate> program;
    for (const Predicate& flat : flat_.scene.success) {
      switch (properties(flat.kind).lift) {
        case PredicateLift::any_pieces:
          lift_to_pieces(flat, program);
          break;
        case PredicateLift::as_it_is:
        case PredicateLift::without_turn:  // check() has refused those with one
          program.push_back(flat);
          break;
      }
    }
    if (program.size() > most_predicates) {
      refuse("cuts parts into so many pieces that success has " + std::to_string(program.size()) +
             " predicates, of which " + std::to_string(most_predicates) +
             " are allowed; make polygon_tolerance coarser");
    }
    scene.success = std::move(program);
  }

  void keep_support_spheres_within(const UncertainTripod& tripod) {
    const double height = settings_.level ? settings_.clearance : 0.5 * settings_.thickness;  // from the middle
    out_.scene.bodies[static_cast<std::size_t>(tripod.body)].spatial().support_spheres_within =
        std::hypot(draw_bounds(tripod.radius).high, height) + settings_.clearance;
  }

  // --- targets of the uncertain parameters and of the grid ---

  // A table of friction_slot() for all pairs of a scene, because each call of friction_slot() counts the pairs anew.
  class FrictionSlots {
   public:
    explicit FrictionSlots(const SceneSpec& scene) : bodies_(scene.bodies.size()), slot_(bodies_ * bodies_, -1) {
      int count = 0;
      for (std::size_t a = 0; a < bodies_; ++a) {
        for (std::size_t b = a + 1; b < bodies_; ++b) {
          if (may_touch(scene, static_cast<int>(a), static_cast<int>(b))) slot_[a * bodies_ + b] = count++;
        }
      }
    }
    int operator()(int a, int b) const {
      return slot_[static_cast<std::size_t>(std::min(a, b)) * bodies_ + static_cast<std::size_t>(std::max(a, b))];
    }

   private:
    std::size_t bodies_;
    std::vector<int> slot_;
  };

  void retarget_body(int b, const ParameterLayout& from, const ParameterLayout& to, const FrictionSlots& slots) {
    const auto one = [&](int slot, int target) { targets_[static_cast<std::size_t>(slot)] = {{target, 1.0}}; };
    one(from.mass(b), to.mass(b));
    one(from.drop_time(b), to.drop_time(b));
    const InertiaTensor& i = out_.scene.bodies[static_cast<std::size_t>(b)].spatial().inertia;
    const double moments[6] = {i.xx, i.xy, i.xz, i.yy, i.yz, i.zz};
    for (int k = 0; k < 6; ++k) {
      if (moments[k] != 0.0) {
        targets_[static_cast<std::size_t>(from.inertia(b))].push_back({to.inertia(b) + k, moments[k] / i.zz});
      }
    }
    one(from.pose(b), to.pose(b));
    one(from.pose(b) + 1, to.pose(b) + 1);
    one(from.pose(b) + 2, to.tilt(b) + 2);
    one(from.velocity(b), to.velocity(b));
    one(from.velocity(b) + 1, to.velocity(b) + 1);
    one(from.velocity(b) + 2, to.velocity(b) + 5);
    const int support_sphere = support_point(out_.scene, b);
    const int point = support_point(flat_.scene, b);
    for (int k = 0; support_sphere >= 0 && k < 3; ++k) {
      one(from.support(point + k), to.support_sphere(support_sphere + k));
      one(from.support(point + k) + 1, to.support_sphere(support_sphere + k) + 1);
      // In 3D contact forces share the weight among the three points. They have one friction coefficient: that of the
      // first.
      if (k == 0) one(from.support(point) + 3, to.friction(slots(b, table_)));
    }
  }

  void retarget() {
    const ParameterLayout from = parameter_layout(flat_.scene);
    const ParameterLayout to = parameter_layout(out_.scene);
    if (!lists_pairs(out_.scene)) {
      refuse("has more pairs of bodies that may touch than are listed; take fewer bodies, or write it with dim = 3");
    }
    const FrictionSlots from_slots(flat_.scene), to_slots(out_.scene);
    targets_.assign(static_cast<std::size_t>(from.size()), {});
    for (int a = 0; a < from.body_count; ++a) {
      retarget_body(a, from, to, to_slots);
      for (int b = a + 1; b < from.body_count; ++b) {
        const int slot = from_slots(a, b);
        if (slot >= 0) {
          targets_[static_cast<std::size_t>(from.friction(slot))] = {{to.friction(to_slots(a, b)), 1.0}};
        }
      }
    }
    for (int k = 0; k < from.actuator_count * ParameterLayout::actuator_stride; ++k) {
      targets_[static_cast<std::size_t>(from.actuator(0) + k)] = {{to.actuator(0) + k, 1.0}};
    }
    for (UncertainParameter& parameter : out_.uncertain) redirect(parameter.target, parameter.scale);
    redirect(out_.grid.x_target, out_.grid.x_factor);
    redirect(out_.grid.y_target, out_.grid.y_factor);
  }

  void redirect(std::vector<int>& slots, std::vector<double>& factors) const {
    std::vector<int> to_slots;
    std::vector<double> to_factors;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      for (const Target& target : targets_[static_cast<std::size_t>(slots[i])]) {
        to_slots.push_back(target.slot);
        to_factors.push_back(target.factor * factors[i]);
      }
    }
    slots = std::move(to_slots);
    factors = std::move(to_factors);
  }

  ReadContext& context_;
  const Node* node_;
  const Problem& flat_;
  const SpaceSettings& settings_;
  double weight_;
  Problem out_;
  int table_ = -1;
  std::vector<std::vector<int>> first_piece_;  // of each part of each body, and behind the last
  std::vector<std::vector<Target>> targets_;   // of each slot in 2D
};

}  // namespace

SpaceSettings read_space(ReadContext& context, const Node* node, bool spatial, Node& resolved) {
  Section section(context, node, "space", keys::space);
  if (spatial) section.fail("", "is for planar problems, and this one has dim = 3; remove it");
  SpaceSettings settings;
  settings.lift = section.boolean("lift", false);
  if (!section.has("thickness", quantity::length)) {
    section.fail("", "\"thickness_mm\" is missing: how thick flat parts are in 3D; add it to [space]");
  }
  settings.thickness = section.number("thickness", quantity::length, {}, positive);
  const double third = 1000.0 * settings.thickness / 3.0;  // fallbacks are in the key's first unit
  settings.clearance = section.number("clearance", quantity::length, third, positive);
  settings.polygon_tolerance = section.number("polygon_tolerance", quantity::length, 0.001, positive);
  settings.level = section.choice("support_spheres", {"below", "level"}, 0) == 1;
  resolved = section.finish(true);
  return settings;
}

Problem lifted(ReadContext& context, const Node* node, const Problem& flat, double weight,
               const SpaceSettings& settings) {
  if (flat.changes.any()) {
    context.fail(node, "space",
                 "takes no uncertain scale and no uncertain tilt of gravity; make them certain, or give them an axis");
  }
  try {
    return Lift(context, node, flat, weight, settings).run();
  } catch (const ShapeError& error) {
    context.fail(node, "space", error.what());
  }
}

}  // namespace pegrasp

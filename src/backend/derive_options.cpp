// SPDX-License-Identifier: Apache-2.0
// Tolerances and distances that follow from the scene's size.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/solver/kind.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/simulation.hpp"
#include "src/penalty/contacts.hpp"
#include "src/scene/option_use.hpp"

namespace pegrasp {
namespace {

constexpr int largest_per_scene = 1000;  // bodies
constexpr double most_tolerance = 1.0;   // [m/s] a residual above it says nothing any more

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

std::string in_words(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

bool has_round_parts(const SceneSpec& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodySpec& body) {
    return std::any_of(body.spatial().parts.begin(), body.spatial().parts.end(),
                       [](const SolidPart& part) { return part.radius > 0.0; });
  });
}

bool has_cylinders(const SceneSpec& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodySpec& body) {
    return std::any_of(body.spatial().parts.begin(), body.spatial().parts.end(),
                       [](const SolidPart& part) { return part.kind == SolidKind::cylinder; });
  });
}

bool has_smooth_solids(const SceneSpec& scene) {
  return scene.spatial && std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodySpec& body) {
           return std::any_of(body.spatial().parts.begin(), body.spatial().parts.end(),
                              [](const SolidPart& part) { return part.kind == SolidKind::superellipsoid; });
         });
}

bool has_smooth_parts(const SceneSpec& scene) {
  return !scene.spatial && std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodySpec& body) {
    return std::any_of(body.planar().parts.begin(), body.planar().parts.end(),
                       [](const ConvexPart& part) { return part.curve.has_value(); });
  });
}

bool has_arms(const SceneSpec& scene) {
  return std::any_of(scene.friction.begin(), scene.friction.end(),
                     [](const FrictionPair& pair) { return pair.torsion != 0.0 || pair.rolling != 0.0; });
}

// By size alone: neither strategy is chosen by what it finds on the way. On the batched strategy steps are solved with
// AJ, which is also what stands in for Newton's method in scenes that are too large for it.
void choose_strategy(StepOptions& options, const SceneSpec& scene, Arithmetic arithmetic) {
  const bool by_islands = options.solver == SolverKind::island_newton;
  require(!by_islands || arithmetic == Arithmetic::strict, "solver island-newton takes arithmetic strict; choose it");
  require(!by_islands || !(is_penalty(options.contact) || options.contact == ContactModel::ratio),
          "solver island-newton is not for contact models penalty and ratio; choose peg, standard or corrective");
  const bool listed = lists_pairs(scene);
  require(options.contact == ContactModel::peg || !has_shells(scene),
          "compliant shells are for contact model peg; choose it, or leave shell out");
  require(
      options.contact == ContactModel::peg || !has_smooth_parts(scene),
      "exact ellipses and superellipses are for contact model peg; choose it, or make them polygons (exact = false)");
  if (is_penalty(options.contact)) {
    require(listed, "contact model penalty takes at most " + std::to_string(largest_pair_list) +
                        " pairs of bodies that may touch; take fewer bodies, or choose contact model peg");
    options.strategy = Strategy::per_scene;
    return;
  }
  if (options.contact == ContactModel::ratio) {
    require(listed, "contact model ratio takes at most " + std::to_string(largest_pair_list) +
                        " pairs of bodies that may touch; take fewer bodies, or choose contact model peg");
    options.strategy = Strategy::per_scene;
    return;
  }
  if (scene.spatial) {
    require(options.contact == ContactModel::peg || !has_cylinders(scene),
            "exact cylinders are for contact model peg; choose it, or make them prisms (exact = false, in scene files "
            "vertices)");
    require(options.contact == ContactModel::peg || !has_smooth_solids(scene),
            "ellipsoids and superellipsoids are for contact model peg; choose it, or make them meshes");
    require(options.contact != ContactModel::peg_features || !has_round_parts(scene),
            "contact model peg-features has no spheres and capsules; choose peg, standard or corrective");
    require(listed || !has_arms(scene), "torsion and rolling friction are for scenes with at most " +
                                            std::to_string(largest_pair_list) +
                                            " pairs of bodies that may touch; leave them out, or take fewer bodies");
  }
  const bool able = options.contact != ContactModel::peg_features &&
                    (options.solver == SolverKind::aj || is_newton(options.solver) || by_islands);
  if (options.strategy == Strategy::automatic) {
    const bool large = static_cast<int>(scene.bodies.size()) > largest_per_scene;
    options.strategy = able && (large || !listed || by_islands) ? Strategy::batched : Strategy::per_scene;
  }
  require(options.strategy == Strategy::per_scene || able,
          "the batched strategy takes contact models other than peg-features, and solver aj; choose those, or strategy "
          "per-scene");
  require(
      options.strategy == Strategy::batched || listed,
      "the scene has more than " + std::to_string(largest_pair_list) +
          " pairs of bodies that may touch: that takes the batched strategy, with solver aj and a contact model other "
          "than peg-features");
  require(options.strategy == Strategy::batched || !by_islands,
          "solver island-newton takes strategy batched; choose it, or solver newton");
  const bool quasistatic = scene.model == MotionModel::quasistatic;
  require(options.strategy == Strategy::per_scene || !quasistatic,
          "quasistatic scenes take strategy per-scene; choose it, or model dynamic");
  require(options.strategy == Strategy::per_scene || !has_functions(scene),
          "motion and targets that are functions take strategy per-scene; choose it, or give keyframes");
  if (options.strategy == Strategy::batched && !by_islands) options.solver = SolverKind::aj;
}

bool is_polytope(const SolidPart& part) {
  return (part.kind == SolidKind::polyhedron || part.kind == SolidKind::half_space) && !part.support_sphere &&
         !part.support_spheres_only;
}
bool is_polytope(const ConvexPart& part) {
  return std::all_of(part.corners.begin(), part.corners.end(),
                     [](const Corner& corner) { return !(corner.radius > 0.0); });
}

// The stiffest shell of a body's parts, and whether a part has none.
struct Stiffest {
  double stiffness = 0.0, damping = 0.0;
  bool rigid = false;
};
Stiffest stiffest_shell(const BodySpec& body) {
  Stiffest out;
  const auto see = [&](const auto& parts) {
    for (const auto& part : parts) {
      const std::optional<CompliantShell>& shell = part.shell ? part.shell : body.shell;
      if (!shell) {
        out.rigid = true;
      } else if (shell->stiffness > out.stiffness) {
        out.stiffness = shell->stiffness;
        out.damping = shell->damping;
      }
    }
  };
  if (body.is_spatial()) {
    see(body.spatial().parts);
  } else {
    see(body.planar().parts);
  }
  return out;
}
double in_series(double a, double b) { return a + b > 0.0 ? a * b / (a + b) : 0.0; }

// A force that is that of the start of a step throws a body m off a spring K with a damper C, step by step farther,
// where K h^2 >= 4 m + 2 C h. Nothing rejects such steps. Of each pair the stiffest contact that it may have counts.
void check_forces_at_start(const SceneSpec& scene, double h) {
  constexpr std::size_t most_bodies = 1000;  // pairs of more would take long
  const std::size_t count = std::min(scene.bodies.size(), most_bodies);
  std::vector<Stiffest> shells;
  for (std::size_t b = 0; b < count; ++b) shells.push_back(stiffest_shell(scene.bodies[b]));
  const auto lightness = [&](std::size_t b) {
    const BodySpec& body = scene.bodies[b];
    return body.kind == BodyKind::dynamic && body.mass > 0.0 ? 1.0 / body.mass : 0.0;
  };
  for (std::size_t b = 1; b < count; ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const Stiffest &one = shells[a], &other = shells[b];
      Stiffest pair{in_series(one.stiffness, other.stiffness), in_series(one.damping, other.damping)};
      if (other.rigid && one.stiffness > pair.stiffness) pair = one;
      if (one.rigid && other.stiffness > pair.stiffness) pair = other;
      const double light = lightness(a) + lightness(b);
      if (!(pair.stiffness > 0.0 && light > 0.0) || !may_touch(scene, static_cast<int>(a), static_cast<int>(b)))
        continue;
      require(pair.stiffness * h * h * light < 4.0 + 2.0 * pair.damping * h * light,
              "spring_force \"start\" is unstable between \"" + scene.bodies[a].name + "\" and \"" +
                  scene.bodies[b].name + "\": a shell of " + in_words(pair.stiffness) +
                  " N/m swings faster than steps of " + in_words(1e3 * h) +
                  " ms follow; shorten h, or choose spring_force \"end\"");
    }
  }
}

// Hart's step solves one problem, and nothing is rejected.
void take_ratio_steps(StepOptions& options, const SceneSpec& scene, Arithmetic arithmetic) {
  require(std::isfinite(options.gamma) && options.gamma >= 0.0 && options.gamma <= 1.0, "gamma must be 0 .. 1");
  require(arithmetic == Arithmetic::strict, "contact model ratio takes arithmetic strict; choose it");
  require(options.strategy != Strategy::batched, "contact model ratio takes strategy per-scene; choose it");
  require(scene.model == MotionModel::dynamic,
          "contact model ratio is not for quasistatic scenes; choose model dynamic, or contact model peg");
  for (const BodySpec& body : scene.bodies) {
    const auto check = [&body](const auto& part) {
      require(is_polytope(part), "body \"" + body.name + "\", part \"" + part.name +
                                     "\": contact model ratio takes polygons, polyhedra, half-planes and half-spaces; "
                                     "make it one of these, or choose contact model peg");
    };
    if (scene.spatial) {
      for (const SolidPart& part : body.spatial().parts) check(part);
    } else {
      for (const ConvexPart& part : body.planar().parts) check(part);
    }
  }
  options.max_passes = 1;
  options.max_substep_level = 0;
  options.landing_halvings = 0;
}

// Solves of heaps take so many more that with the usual number steps would be halved in vain, at the same cost.
constexpr int iterations = 4000, iterations_of_heaps = 20'000;
constexpr int least_heap_in_3d = 33;  // bodies that move

bool may_heap(const StepOptions& options, const SceneSpec& scene) {
  const auto moving = std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                    [](const BodySpec& body) { return body.kind == BodyKind::dynamic; });
  return options.strategy == Strategy::batched || (scene.spatial && moving >= least_heap_in_3d);
}

// Where few bodies move, one that lands within a step is rare, and parts of such a step are cheap; in a pile some body
// lands in every step.
constexpr int landing_halvings = 2;
constexpr int most_that_land = 8;  // bodies that move

int derived_landing_halvings(const SceneSpec& scene) {
  const auto moving = std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                    [](const BodySpec& body) { return body.kind == BodyKind::dynamic; });
  return !scene.spatial && moving <= most_that_land ? landing_halvings : 0;
}

// What all solves of a step, and all unresolved steps of a scene, may take together. A body that friction jams is found
// to be at the smallest substep, after solves in vain in all passes of the longer ones: a step gets as many and half as
// many again.
void bound_iterations(StepOptions& options, const SceneSpec& scene) {
  const std::int64_t solves =
      std::int64_t{options.max_substep_level + 1} * options.max_passes * (scene.spatial ? 2 : 1);
  const std::int64_t all = solves * std::max(options.max_iterations, iterations);
  if (options.step_iterations == 0) options.step_iterations = all + all / 2;
  if (options.scene_iterations == 0) options.scene_iterations = 2 * options.step_iterations;
}

}  // namespace

StepOptions derive_options(const StepOptions& options, const SceneSpec& scene, Arithmetic arithmetic) {
  StepOptions out = options;
  require(std::isfinite(out.h) && out.h > 0.0, "the step h must be a positive number of seconds");
  require(std::isfinite(out.duration) && out.duration >= 0.0, "the duration must be a non-negative number of seconds");
  const double steps = std::round(out.duration / out.h);
  require(steps >= 1.0, "the time limit of " + in_words(out.duration) + " s is shorter than half a step of " +
                            in_words(out.h) +
                            " s, so nothing would be simulated; shorten h or lengthen the time limit");
  require(out.max_passes >= 1 && out.max_passes <= 100, "max_passes must be 1 .. 100");
  require(out.max_iterations >= 0, "max_iterations must be at least 1, or 0 for the usual number");
  require(out.step_iterations >= 0 && out.scene_iterations >= 0,
          "step_iterations and scene_iterations must be at least 1, or 0 for the usual numbers");
  require(out.max_substep_level >= 0 && out.max_substep_level <= 12, "max_substep_level must be 0 .. 12");
  require(out.landing_halvings >= -1 && out.landing_halvings <= 12, "landing_halvings must be 0 .. 12, or -1 for auto");
  require(out.jacobi_relaxation > 0.0 && out.jacobi_relaxation <= 1.0, "jacobi_relaxation must be in (0, 1]");
  for (double value : {out.tolerance, out.penetration_tolerance, out.reject_depth, out.detect_distance,
                       out.recovery_speed, out.still_speed, out.still_time}) {
    require(std::isfinite(value) && value >= 0.0, "tolerances, distances, speeds and times must be finite and >= 0");
  }
  const double length = length_scale(scene);
  require(length > 0.0, "the scene has no size: give a dynamic body a part");
  if (out.penetration_tolerance == 0.0) out.penetration_tolerance = 1e-6 * length;
  // Maps in 3D hang on what a solve leaves sooner than single scenes do: trials near the edge of success. In float a
  // solver seldom gets there.
  const bool closely = out.load_sharing && arithmetic == Arithmetic::strict;
  if (out.tolerance == 0.0) out.tolerance = std::min(closely ? 3e-7 : 1e-6, out.penetration_tolerance / (10.0 * out.h));
  // Faces overlap by areas: what is harmless between outlines is a millionth of the bodies' volume between flat faces.
  // Smooth parts touch along more of their outlines than corners do, and passes near the tolerance end below it.
  if (out.reject_depth == 0.0) {
    const bool smooth = has_smooth_parts(scene);
    out.reject_depth =
        smooth ? std::max(3e-6 * length, 3.0 * out.penetration_tolerance) : (scene.spatial ? 1e-5 : 3e-5) * length;
  }
  if (out.detect_distance == 0.0) out.detect_distance = 1e-3 * length;
  if (out.recovery_speed == 0.0) out.recovery_speed = length;
  if (scene.model == MotionModel::quasistatic) out.landing_halvings = 0;  // nothing lands that has no velocity
  require(scene.model == MotionModel::dynamic || arithmetic == Arithmetic::strict,
          "quasistatic scenes take arithmetic strict: a millionth of the forces is lost in single precision");
  require(scene.model == MotionModel::dynamic || !out.look_ahead,
          "quasistatic scenes have no velocities to look ahead by; leave look_ahead out");
  refuse_unread(out, scene);
  if (is_penalty(out.contact)) check_penalty(scene, out, arithmetic);
  if (out.contact == ContactModel::ratio) take_ratio_steps(out, scene, arithmetic);
  if (out.landing_halvings < 0)
    out.landing_halvings = out.contact == ContactModel::peg ? derived_landing_halvings(scene) : 0;
  out.landing_halvings = std::min(out.landing_halvings, out.max_substep_level);
  choose_strategy(out, scene, arithmetic);
  if (out.spring_force == SpringForce::start && has_shells(scene)) check_forces_at_start(scene, out.h);
  if (out.max_iterations == 0) out.max_iterations = may_heap(out, scene) ? iterations_of_heaps : iterations;
  bound_iterations(out, scene);
  require(scene.spatial || !out.load_sharing, "load_sharing is for scenes in 3D; leave it out");
  require(scene.spatial || !out.look_ahead, "look_ahead is for scenes in 3D; leave it out");
  require(out.tolerance <= most_tolerance,
          "tolerance_m_s is above 1 m/s, which would accept any step; give a smaller one, or \"auto\"");
  require(out.reject_depth >= out.penetration_tolerance,
          "reject_depth of " + in_words(1e3 * out.reject_depth) + " mm is less than the penetration_tolerance of " +
              in_words(1e3 * out.penetration_tolerance) +
              " mm, so that a step could be accepted and too deep at once; raise one or lower the other");
  return out;
}

}  // namespace pegrasp

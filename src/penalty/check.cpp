// SPDX-License-Identifier: Apache-2.0
// Which scenes and options penalty contacts take.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "pegrasp/names.hpp"
#include "src/penalty/contacts.hpp"

namespace pegrasp {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument("contact model penalty " + what);
}

std::string in_words(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void check_part(const BodySpec& body, const SolidPart& part) {
  const std::string name = "body \"" + body.name + "\", part \"" + part.name + "\": ";
  if (part.support_sphere || part.support_spheres_only) {
    throw std::invalid_argument(name +
                                "contact model penalty has no support spheres, by which planar problems stand "
                                "in 3D; choose another, or write the problem with dim = 3");
  }
  if (part.kind == SolidKind::capsule || part.kind == SolidKind::cylinder || part.kind == SolidKind::superellipsoid) {
    throw std::invalid_argument(
        name +
        "contact model penalty takes polyhedra, spheres and half-spaces; make cylinders prisms (exact = false, in "
        "scene "
        "files vertices), and capsules, ellipsoids and superellipsoids polyhedra (hull or mesh), or choose contact "
        "model peg");
  }
}

// A penalty pushes on a body as the masses of both bodies have it, and so throws one that weighs next to nothing.
void check_masses(const SceneSpec& scene) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!has_default_mass(scene, static_cast<int>(b))) continue;
    throw std::invalid_argument("bodies[" + std::to_string(b) + "].max_force: of body \"" + scene.bodies[b].name +
                                "\" needs a mass with contact penalty, which throws bodies of next to no mass; give "
                                "mass");
  }
}

// What explicit integration cannot do.
void check_rk4(const SceneSpec& scene) {
  constexpr const char* remedy = "; set integrator = \"semi-implicit\" in [simulation.penalty]";
  for (const JointSpec& joint : scene.joints) {
    require(joint.kind == JointKind::distance, "has no joint \"" + joint.name + "\" with integrator rk4" + remedy);
  }
  for (const ActuatorSpec& actuator : scene.actuators) {
    require(actuator.kind == ActuatorKind::force,
            "has no " + motor_words(scene, actuator) + " but motors of kind force with integrator rk4" + remedy);
  }
}

// Beyond these a body on the ground does not come to rest on its spring: every step throws it off or holds it where it
// is, and no later step finds out.
void check_step(const PenaltyOptions& law, double h) {
  constexpr double most_damped = 2.0, most_swung = 4.0;
  constexpr const char* remedy = "; shorten h, or lower the gain, so that it is well below 1";
  require(law.damping * h < most_damped,
          "needs derivative x h below 2 to be stable, and it is " + in_words(law.damping * h) + remedy);
  require(law.stiffness * h * h < most_swung,
          "needs proportional x h^2 below 4 to be stable, and it is " + in_words(law.stiffness * h * h) + remedy);
}

void check_law(const PenaltyOptions& law) {
  const auto good = [](double value) { return std::isfinite(value) && value >= 0.0; };
  require(good(law.stiffness) && law.stiffness > 0.0 && good(law.damping) && good(law.integral),
          "needs a stiffness above 0, and gains of at least 0");
  require(law.lambda >= 0.0 && law.lambda < 1.0, "needs a lambda in [0, 1)");
  require(good(law.still_speed) && law.still_speed > 0.0 && good(law.impact_speed),
          "needs a still_speed above 0, and an impact_speed of at least 0");
}

}  // namespace

void check_penalty(const SceneSpec& scene, const StepOptions& options, Arithmetic arithmetic) {
  require(scene.spatial, "is for problems with dim = 3; choose another model, or write the problem in 3D");
  require(arithmetic == Arithmetic::strict, "takes arithmetic strict; choose it");
  require(options.strategy != Strategy::batched, "takes strategy per-scene; choose it");
  require(scene.model == MotionModel::dynamic, "is not for quasistatic scenes; choose model dynamic");
  for (const FrictionPair& pair : scene.friction) {
    require(pair.torsion == 0.0 && pair.rolling == 0.0, "has no torsion and rolling friction; leave them out");
  }
  for (const BodySpec& body : scene.bodies) {
    for (const SolidPart& part : body.spatial().parts) check_part(body, part);
  }
  check_masses(scene);
  if (options.penalty.integrator == PenaltyIntegrator::rk4) check_rk4(scene);
  check_law(options.penalty);
  check_step(options.penalty, options.h);
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// Compliant shells in the reference simulator (Berard's thesis, 3.88-3.93), from the deflections. With d the deflection
// of a shell, a the time for which forces act, and h the length of the step,
//
//   p = a (K d + C (d - d_before) / h),   d = -gap at the end,   d_before = max(0, -gap at the start),
//
// which a row of a contact states by what it lacks to a rigid one, gap / h >= 0: that -d / h. The springs along the
// surface are the same in the slip, with their deflection carried from step to step. Under the shell the core is a
// rigid contact with friction of its own.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"
#include "src/reference/common/scene_parts.hpp"

namespace pegrasp::reference {

enum class Layer { rigid, shell, core };

// What of a pair with a shell has contact at a point: smooth parts and rims have points that keep their core from
// rocking, and no spring.
enum class Role { both, core_alone, spring_alone };

// A spring with a damper.
struct KelvinVoigt {
  double stiffness = 0.0, damping = 0.0;  // [N/m, N s/m]
  bool rigid() const { return !(stiffness > 0.0); }
};

// A row with a spring: w = (velocity of the rigid row) + lack + compliance p.
struct SpringRow {
  double lack = 0.0;        // [m/s]
  double compliance = 0.0;  // [m/s per N s]
};

// The row of a spring whose deflection was `before` [m] where the step of h [s] begins. acts: how long its force does
// [s]. response: velocity of the rigid row per impulse. at_start: the force is that of the deflection there, and the
// row is all but without velocity.
inline SpringRow spring_row(const KelvinVoigt& spring, double before, double acts, double h, double response,
                            bool at_start) {
  if (at_start) {
    constexpr double firm = 1e8;  // times the response
    const double softest = firm * response;
    const double compliance = acts * spring.damping * softest > 1.0 ? 1.0 / (acts * spring.damping) : softest;
    return {-compliance * acts * spring.stiffness * before, compliance};
  }
  // p / a + C d_before / h = (K + C / h) d
  const double firmness = spring.stiffness + spring.damping / h;
  return {spring.damping * before / (h * h * firmness), 1.0 / (acts * h * firmness)};
}

// The deflection [m] that the impulse p leaves; speed: that at which the row deflects [m/s], which counts at_start.
inline double deflection_after(const KelvinVoigt& spring, double before, double acts, double h, double p, double speed,
                               bool at_start) {
  const double force = p / acts;
  if (at_start) return (force - spring.damping * speed) / spring.stiffness + h * speed;
  return (force + spring.damping * before / h) / (spring.stiffness + spring.damping / h);
}

struct ShellLaw {
  double thickness = 0.0;  // [m] 0: there is none
  KelvinVoigt normal, tangential;
  bool any() const { return thickness > 0.0; }
};

inline std::optional<CompliantShell> shell_of_part(const SceneSpec& scene, int body, int part) {
  const BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
  const auto i = static_cast<std::size_t>(part);
  const auto& own = spec.is_spatial() ? spec.spatial().parts[i].shell : spec.planar().parts[i].shell;
  return own ? own : spec.shell;
}

// Springs in series: deflections add under one force. What is rigid adds none; a shell without damping between others
// takes all of it away.
inline ShellLaw law_of(const std::optional<CompliantShell>& a, const std::optional<CompliantShell>& b) {
  const auto of_one = [](const CompliantShell& s) {
    return ShellLaw{s.thickness, {s.stiffness, s.damping}, {s.tangential_stiffness, s.tangential_damping}};
  };
  if (!a && !b) return {};
  if (!a || !b) return of_one(a ? *a : *b);
  const auto series = [](double x, double y) { return x > 0.0 && y > 0.0 ? 1.0 / (1.0 / x + 1.0 / y) : 0.0; };
  const ShellLaw one = of_one(*a), other = of_one(*b);
  ShellLaw out;
  out.thickness = one.thickness + other.thickness;
  out.normal = {series(one.normal.stiffness, other.normal.stiffness), series(one.normal.damping, other.normal.damping)};
  if (one.tangential.rigid()) {
    out.tangential = other.tangential;
  } else if (other.tangential.rigid()) {
    out.tangential = one.tangential;
  } else {
    out.tangential = {series(one.tangential.stiffness, other.tangential.stiffness),
                      series(one.tangential.damping, other.tangential.damping)};
  }
  return out;
}

// A pair of parts. first_part(body): index of the first part of a body.
template <class FirstPart>
ShellLaw law_of(const SceneSpec& scene, const PartPair& parts, const FirstPart& first_part) {
  return law_of(shell_of_part(scene, parts.body_a, parts.part_a - first_part(parts.body_a)),
                shell_of_part(scene, parts.body_b, parts.part_b - first_part(parts.body_b)));
}

// What a contact has of the shell of its pair.
struct ShellContact {
  Layer layer = Layer::rigid;
  ShellLaw law;
  std::vector<double> deflection = {};  // [m] in the surface at the start, world; empty: none
  double start = 0.0;                   // [m] separation of the pair at the start
};

// Whether forces of shells are those at the start of a step of h [s].
inline bool forces_at_start(SpringForce force, double h) { return force == SpringForce::start || !(h > 0.0); }

// How long [s] the force of a contact acts, on bodies that are dynamic or not, with last (sub)steps of such lengths.
inline double acting_time(bool dynamic_a, double last_a, bool dynamic_b, double last_b, double h) {
  const double a = 0.5 * (last_a + h), b = 0.5 * (last_b + h);
  return dynamic_a && dynamic_b ? 0.5 * (a + b) : (dynamic_a ? a : b);
}

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
#include "src/problem/trial_scene.hpp"

#include <cmath>

#include "kernels/base/sincos.hpp"
#include "pegrasp/problem.hpp"
#include "src/geometry/vectors.hpp"
#include "src/scene/scale_body.hpp"

namespace pegrasp {
namespace {

// The factors of a trial, and the parameters that follow the parts: as if their dimensions had been written so.
void scale_trial(const BodyScale& scale, Vec3 factor, TrialScene& trial) {
  BodySpec& body = trial.scene.bodies[static_cast<std::size_t>(scale.body)];
  const ParameterLayout layout = parameter_layout(trial.scene);
  double* const inertia = trial.parameters.data() + layout.inertia(scale.body);
  if (!body.is_spatial()) {
    if (scale.inertia) *inertia *= inertia_ratio(body.planar(), factor);
  } else {
    const double volume = factor.x * factor.y * factor.z;
    const double heavier = scale.mass ? volume : 1.0;
    trial.parameters[static_cast<std::size_t>(layout.mass(scale.body))] *= heavier;
    if (scale.inertia) {
      const InertiaTensor i =
          scaled_inertia({inertia[0], inertia[3], inertia[5], inertia[1], inertia[2], inertia[4]}, factor);
      const double values[6] = {i.xx, i.xy, i.xz, i.yy, i.yz, i.zz};
      for (int k = 0; k < 6; ++k) inertia[k] = heavier * values[k];
    }
    const double along[3] = {factor.x, factor.y, factor.z};
    for (int k = 0; k < 3; ++k) {
      if (scale.centre[static_cast<std::size_t>(k)])
        trial.parameters[static_cast<std::size_t>(layout.centre(scale.body) + k)] *= along[k];
    }
  }
  scale_parts(body, factor);
  scale_joints(trial.scene, scale.body, factor);
}

}  // namespace

void tilt_gravity(SceneSpec& scene, double x, double y) {
  const double angle = scene.spatial ? std::sqrt(x * x + y * y) : x;
  if (angle == 0.0) return;
  const strict::SinCos of = strict::sin_cos(angle);
  const Vec2 g = scene.gravity;
  if (!scene.spatial) {
    scene.gravity = {of.cos * g.x - of.sin * g.y, of.sin * g.x + of.cos * g.y};
    return;
  }
  const Vec3 v{g.x, g.y, scene.gravity_z}, axis{x / angle, y / angle, 0.0};
  const Vec3 out = of.cos * v + of.sin * cross(axis, v) + ((1.0 - of.cos) * dot(axis, v)) * axis;
  scene.gravity = {out.x, out.y};
  scene.gravity_z = out.z;
}

TrialScene scene_of_trial(const Problem& problem, std::span<const double> drawn) {
  const auto own = static_cast<std::ptrdiff_t>(parameter_layout(problem.scene).size());
  TrialScene trial{problem.scene, {drawn.begin(), drawn.begin() + own}};
  const SceneChanges& changes = problem.changes;
  if (!changes.any()) return trial;
  const double* at = drawn.data() + own;
  if (changes.tilts) tilt_gravity(trial.scene, at[0], at[1]);
  at += changes.tilt.size();
  for (const BodyScale& scale : changes.scales) {
    scale_trial(scale, {at[0], at[1], at[2]}, trial);
    at += scale.factor.size();
  }
  return trial;
}

}  // namespace pegrasp

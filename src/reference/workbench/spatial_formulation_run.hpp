// SPDX-License-Identifier: Apache-2.0
// A spatial scene of polyhedra, stepped as the sources write it (formulated_scene.hpp): v and w of every body change by
// the impulses of the step, then x += h v and q = exp(h w) q. The inertia is that where the step begins.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "src/reference/spatial/polyhedron_step.hpp"
#include "src/reference/workbench/formulated_scene.hpp"

namespace pegrasp::reference {

class SpatialFormulationRun final : public FormulatedScene {
 public:
  // As FormulationRun. Throws std::invalid_argument, one line, for scenes that it cannot step: round parts,
  // motors, couplings, bodies that follow, oscillations, friction moments, the quasistatic model; and for Egan's rows.
  SpatialFormulationRun(const SceneSpec& scene, std::span<const double> parameters, const StepOptions& options,
                        const FormulationChoice& choice);

  // The next step starts at `time` [s] from this state, (bodies) each: of the bodies' frames; velocities of the centres
  // of mass.
  void set_state(double time, std::span<const SpatialPose> poses, std::span<const SpatialTwist> velocities);

  SpatialPose pose(int body) const;  // of the body's frame
  SpatialTwist velocity(int body) const;
  // The next step and where the velocities of bodies lie in it.
  spatial::PolyhedronStep next();

 private:
  double drop_time(int body) const override { return numbers_.drop_time(body); }
  StepProblem problem(int& traps) override;
  bool move(const StepSolution& solution) override;

  std::shared_ptr<const spatial::SpatialScene> scene_;
  spatial::SpatialNumbers numbers_;
  PolygonStepOptions sets_;
  spatial::SpatialState state_;
  std::vector<int> offsets_;
};

}  // namespace pegrasp::reference

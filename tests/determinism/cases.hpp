// SPDX-License-Identifier: Apache-2.0
// Batches of scenes whose results are compared bit by bit: samples of the gear grasp, piles of polygons, stacks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/places.hpp"
#include "tests/scenes/groove.hpp"
#include "tests/scenes/heaps.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/mixed_3d.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/stack.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::test {

// Scenes of one model: parameters (scenes, layout.size()).
struct SceneBatchCase {
  std::shared_ptr<const Model> model;
  StepOptions options;
  std::vector<double> parameters;
  int parameter_count = 0;
  int body_count = 0;
  int pose_size = 3;  // numbers a body has in the final poses; 7 in 3D

  int scenes() const { return static_cast<int>(parameters.size()) / parameter_count; }
  const double* scene(int i) const { return parameters.data() + static_cast<std::size_t>(i) * parameter_count; }
};

// What a case changes in the options.
struct Variant {
  ContactModel contact = ContactModel::peg;
  SolverKind solver = SolverKind::newton;
  double duration = 0.0;  // [s], 0: the case's own
};

inline StepOptions varied(StepOptions options, const Variant& variant, const SceneSpec& scene) {
  options.contact = variant.contact;
  options.solver = variant.solver;
  if (variant.duration > 0.0) options.duration = variant.duration;
  return derive_options(options, scene);
}

inline SceneBatchCase one_scene(const SceneSpec& scene, StepOptions options, const Variant& variant) {
  SceneBatchCase out;
  out.model = compile_model(scene);
  out.options = varied(options, variant, scene);
  out.parameters = scene_parameters(scene);
  out.parameter_count = static_cast<int>(out.parameters.size());
  out.body_count = static_cast<int>(scene.bodies.size());
  out.pose_size = parameter_layout(scene).pose_size();
  return out;
}

// Cut off early: what matters is the order of work, not its end.
inline SceneBatchCase cut_off_scene(const SceneSpec& scene, double h, double duration,
                                    SolverKind solver = SolverKind::newton, ContactModel contact = ContactModel::peg) {
  StepOptions options;
  options.h = h;
  SceneBatchCase batch = one_scene(scene, options, {contact, solver, duration});
  batch.options.max_iterations = 40;
  return batch;
}

// `count` samples of examples/gear/gear.toml, spread over its grid.
inline SceneBatchCase gear_case(int count, const Variant& variant = {}) {
  static const Problem problem = load_problem(test::source_file("examples/gear/gear.toml"));
  const std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> values(sampled_columns(problem).size());
  SceneBatchCase out;
  out.model = compile_model(problem.scene);
  out.options = varied(problem.options, variant, problem.scene);
  out.parameter_count = static_cast<int>(base.size());
  out.body_count = static_cast<int>(problem.scene.bodies.size());
  out.parameters.resize(base.size() * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    // a stride that shares no factor with the grid visits all cells
    const int cell = static_cast<int>(static_cast<long long>(i) * 179 % problem.grid.cells());
    draw_sample(problem, base, cell, i / problem.grid.cells(),
                std::span(out.parameters).subspan(base.size() * static_cast<std::size_t>(i), base.size()), values);
  }
  return out;
}

// Polygons in a container, all present from the start and close to each other.
inline SceneBatchCase pile_case(std::uint64_t seed, int polygons, const Variant& variant = {}) {
  SceneSpec scene = scenes::polygon_box(seed, 0.25, polygons);
  int index = 0;
  for (BodySpec& body : scene.bodies) {
    if (body.kind != BodyKind::dynamic) continue;
    body.drop_time = 0.0;
    body.planar().pose.y += 0.4 + 0.3 * index++ - 3.0;
  }
  StepOptions options;
  options.h = 0.004;
  options.duration = 0.8;
  return one_scene(scene, options, variant);
}

// The thesis' box of polygons: one dropped every 0.25 s.
inline SceneBatchCase box_case(std::uint64_t seed, const Variant& variant = {}) {
  StepOptions options;
  options.h = 0.008;
  options.duration = 3.0;
  return one_scene(scenes::polygon_box(seed, 0.25, 10), options, variant);
}

inline SceneBatchCase stack_case(std::uint64_t seed, int boxes, const Variant& variant = {}) {
  StepOptions options;
  options.h = 0.01;
  options.duration = 1.0;
  return one_scene(scenes::stack(seed, 0.25, boxes), options, variant);
}

// In 3D: a little of everything, and the box of polyhedra; scenes of one model with other friction.
inline SceneBatchCase space_case(std::uint64_t seed, bool mixed, int count) {
  StepOptions options;
  options.h = 0.008;
  options.duration = mixed ? 1.0 : 2.0;
  const SceneSpec scene = mixed ? scenes::mixed_3d(seed) : scenes::polyhedron_box(seed, 0.3, 4);
  SceneBatchCase batch = one_scene(scene, options, {});
  const ParameterLayout layout = parameter_layout(scene);
  const std::vector<double> base = batch.parameters;
  for (int i = 1; i < count; ++i) {
    std::vector<double> other = base;
    for (int slot = 0; slot < layout.friction_count; ++slot) {
      other[static_cast<std::size_t>(layout.friction(slot))] = 0.1 * (i - 1);
    }
    batch.parameters.insert(batch.parameters.end(), other.begin(), other.end());
  }
  return batch;
}

// In 3D with another contact model or solver: fast tetrahedra on slabs, and a small stack (peg-features takes no round
// parts).
inline std::vector<SceneBatchCase> space_variants(Variant variant) {
  StepOptions options;
  options.h = 0.016;
  variant.duration = 0.128;
  return {one_scene(scenes::two_heaps(), options, variant), one_scene(scenes::stack_3d(3, 0.3), options, variant)};
}

// Arms that the motor of a ball joint drives, at its limit and below it, with other targets and limits; the elbow's
// halves meet a block.
inline SceneBatchCase ball_motor_case(int count) {
  const SceneSpec scene = load_scene_json(test::source_file("examples/scenes/shoulder.json")).scene;
  StepOptions options;
  options.h = 0.01;
  options.duration = 2.4;
  SceneBatchCase batch = one_scene(scene, options, {});
  const std::vector<double> base = batch.parameters;
  const auto motor = static_cast<std::size_t>(parameter_layout(scene).actuator(0));
  for (int i = 1; i < count; ++i) {
    std::vector<double> other = base;
    other[motor + 5] += 0.2 * i;        // about z
    other[motor + 1] /= 1.0 + 2.0 * i;  // limit
    batch.parameters.insert(batch.parameters.end(), other.begin(), other.end());
  }
  return batch;
}

// A block that jaws lift off the floor, with load sharing.
inline SceneBatchCase load_sharing_lift_case() {
  StepOptions options;
  options.h = 0.005;
  options.load_sharing = true;
  return one_scene(scenes::space_lift(0.5), options, {.duration = 0.8});
}

// A wedge that friction holds in a groove, in 2D and in 3D.
inline std::vector<SceneBatchCase> groove_cases(SolverKind solver) {
  StepOptions options;
  options.h = 0.002;
  std::vector<SceneBatchCase> cases;
  for (const SceneSpec& scene :
       {scenes::groove_in_2d(scenes::groove_holds), scenes::groove_in_3d(scenes::groove_holds)}) {
    cases.push_back(one_scene(scene, options, {ContactModel::peg, solver, 0.002}));
    cases.back().options.max_iterations = 1000;  // fewer do not say that a body is jammed
  }
  return cases;
}

// Any case on the batched strategy.
inline SceneBatchCase is_batched(const SceneSpec& scene, double h, double duration) {
  StepOptions options;
  options.h = h;
  options.strategy = Strategy::batched;
  return one_scene(scene, options, {ContactModel::peg, SolverKind::aj, duration});
}

struct Results {
  std::vector<SceneOutcome> outcomes;  // (scenes)
  std::vector<double> poses;           // (scenes, bodies, pose_size)
};

// All scenes of a case, on the backend under test unless another is named (threads: CPU only).
inline Results run_all(const SceneBatchCase& batch, int threads, Arithmetic arithmetic = Arithmetic::strict,
                       BackendKind kind = backend_under_test()) {
  Results out;
  out.outcomes.resize(static_cast<std::size_t>(batch.scenes()));
  out.poses.resize(static_cast<std::size_t>(batch.scenes() * batch.body_count * batch.pose_size));
  make_backend(kind, arithmetic, threads)
      ->run(*batch.model, batch.options, batch.parameters, out.outcomes, out.poses, nullptr);
  return out;
}

constexpr ContactModel all_contacts[] = {ContactModel::peg, ContactModel::peg_features, ContactModel::standard,
                                         ContactModel::corrective};
constexpr SolverKind all_solvers[] = {SolverKind::aj,   SolverKind::pgs,    SolverKind::jacobi,
                                      SolverKind::nncg, SolverKind::newton, SolverKind::stiff_newton};

inline std::string name(ContactModel contact) {
  const char* const names[] = {"peg", "peg-features", "standard", "corrective"};
  return names[static_cast<int>(contact)];
}
inline std::string name(SolverKind solver) {
  const char* const names[] = {"aj", "pgs", "jacobi", "nncg", "newton", "stiff-newton"};
  return names[static_cast<int>(solver)];
}

}  // namespace pegrasp::test

// SPDX-License-Identifier: Apache-2.0
#include "bench/cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "pegrasp/parameters.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "src/formats/urdf_file.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/mixed_3d.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/polyhedron_pour.hpp"
#include "tests/scenes/stack.hpp"
#include "tests/scenes/thin_wall.hpp"

namespace pegrasp::bench {
namespace {

// A number in [-1, 1) from a counter (splitmix64): copies of a scene differ, and are the same on every machine.
double jitter(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

Case make_trials_of_5_ms(const std::string& file, int scene_count) {
  Case result = make_trials(file, scene_count);
  result.options.h = 0.005;
  return result;
}

Case make_gear(const std::string& examples, int scene_count) {
  return make_trials_of_5_ms(examples + "/gear/gear.toml", scene_count);
}

Case make_lift_trials(const std::string& examples, int scene_count) {
  return make_trials_of_5_ms(examples + "/lift/lift.toml", scene_count);
}

bool jointed(const SceneSpec& scene, int body) {
  return std::any_of(scene.joints.begin(), scene.joints.end(),
                     [&](const JointSpec& joint) { return joint.body_a == body || joint.body_b == body; });
}

// Copies of one scene. Dynamic bodies without joints start up to `distance` [m] along x from their places in the scene.
Case make_copies(const SceneSpec& scene, const StepOptions& options, int scene_count, double distance) {
  Case result;
  result.scene = scene;
  result.options = options;
  const ParameterLayout layout = parameter_layout(scene);
  const std::vector<double> base = scene_parameters(scene);
  std::uint64_t counter = 0;
  for (int copy = 0; copy < scene_count; ++copy) {
    const std::size_t row = result.parameters.size();
    result.parameters.insert(result.parameters.end(), base.begin(), base.end());
    for (int body = 0; body < layout.body_count; ++body) {
      if (scene.bodies[static_cast<std::size_t>(body)].kind != BodyKind::dynamic || jointed(scene, body)) continue;
      result.parameters[row + static_cast<std::size_t>(layout.pose(body))] += distance * jitter(counter++);
    }
  }
  return result;
}

StepOptions timed(double h, double duration) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  return options;
}

Case make_pile(const std::string&, int scene_count) {
  return make_copies(scenes::polygon_box(0, 0.25), timed(0.004, scenes::polygon_box_duration), scene_count, 1e-3);
}

Case make_stack(const std::string&, int scene_count) {
  return make_copies(scenes::stack(0, 0.25), timed(0.01, 4.0), scene_count, 1e-4);
}

// In about four layers.
Case make_pour(int bodies, int scene_count) {
  return make_copies(scenes::polygon_pour(0, 0.25, bodies, std::max(3, bodies / 4)), timed(0.004, 0.8), scene_count,
                     1e-3);
}

Case make_pour_200(const std::string&, int scene_count) { return make_pour(200, scene_count); }

Case make_pour_10000(const std::string&, int scene_count) {
  return make_copies(scenes::polygon_pour(0, 0.25, 10'000, 1000), timed(0.004, 0.4), scene_count, 1e-3);
}

// Two layers: deeper piles take hours to come to rest.
Case make_pour_to_rest(const std::string&, int scene_count) {
  StepOptions options = timed(0.004, 10.0);
  options.still_speed = 1e-3;
  options.still_time = 0.1;
  return make_copies(scenes::polygon_pour(0, 0.25, 10'000, 5000), options, scene_count, 1e-3);
}

// In about three layers, which have met after half a second.
Case make_pour_3d(int bodies, int scene_count) {
  const int columns = std::max(2, static_cast<int>(std::lround(std::sqrt(bodies / 3.0))));
  return make_copies(scenes::polyhedron_pour(0, 0.3, bodies, columns), timed(0.004, 0.5), scene_count, 1e-3);
}

Case make_pour_2000_3d(const std::string&, int scene_count) {
  return make_copies(scenes::polyhedron_pour(0, 0.3, 2000, 14), timed(0.004, 0.3), scene_count, 1e-3);
}

Case make_box_3d(const std::string&, int scene_count) {
  return make_copies(scenes::polyhedron_box(1, 0.3), timed(0.004, scenes::polyhedron_box_duration), scene_count, 1e-3);
}

Case make_stack_3d(const std::string&, int scene_count) {
  return make_copies(scenes::stack_3d(10, 0.3), timed(0.01, 2.0), scene_count, 1e-4);
}

Case make_lift_3d(const std::string&, int scene_count) {
  return make_copies(scenes::space_lift(0.5), timed(0.005, scenes::space_lift_duration), scene_count, 1e-3);
}

Case make_arm_3d(const std::string& examples, int scene_count) {
  const SceneFile file = load_scene_json(examples + "/arm/arm.json");
  return make_copies(file.scene, timed(0.005, file.t_end), scene_count, 1e-3);
}

Case make_mixed_3d(const std::string&, int scene_count) {
  return make_copies(scenes::mixed_3d(1), timed(0.008, 2.0), scene_count, 1e-2);
}

// Rods of all poses and turns against one plate.
Case make_rods_3d(const std::string&, int scene_count) {
  constexpr scenes::Shot shot{100.0, 100.0, 0.016, false};
  Case result;
  result.scene = scenes::shot_scene(shot, 1);
  result.options = timed(shot.h, 8.0 * shot.h);
  for (int copy = 0; copy < scene_count; ++copy) {
    const std::vector<double> one = scene_parameters(scenes::shot_scene(shot, static_cast<std::uint64_t>(copy) + 1));
    result.parameters.insert(result.parameters.end(), one.begin(), one.end());
  }
  return result;
}

}  // namespace

const std::vector<NamedCase>& named_cases() {
  static const std::vector<NamedCase> cases{
      {"gear_step", "trials of the gear map on one core, h = 5 ms", true, 4410, 100'800, 0, 5, false, make_gear},
      {"gear_map", "100,800 trials of the gear map, h = 5 ms", false, 100'800, 100'800, 4410, 3, false, make_gear},
      {"pile_20", "twenty polygons poured into a box, mu 0.25, h = 4 ms, 5 s", false, 16, 4096, 32, 3, false,
       make_pile},
      {"stack_10", "a stack of ten boxes, mu 0.25, h = 10 ms, 4 s", false, 16, 4096, 32, 3, false, make_stack},
      {"box_3d", "ten polyhedra dropped into a box, in 3D, mu 0.3, h = 4 ms, 5 s", true, 8, 16'384, 4, 3, false,
       make_box_3d},
      {"stack_3d", "a stack of ten boxes in 3D, mu 0.3, h = 10 ms, 2 s", true, 16, 16'384, 16, 3, false, make_stack_3d},
      {"lift_3d", "two jaws on rails grip a block and lift it, in 3D, mu 0.5, h = 5 ms, 1.6 s", true, 32, 16'384, 32, 3,
       false, make_lift_3d},
      {"arm_3d", "an arm from URDF carries a block, in 3D, h = 5 ms, 4.2 s", true, 4, 16'384, 8, 3, false, make_arm_3d,
       true},
      {"lift_trials", "trials of the lift map, in 3D, h = 5 ms", true, 99, 99'000, 198, 3, false, make_lift_trials},
      {"mixed_3d", "hulls, a union, round parts, a half-space, a hinge, in 3D, h = 8 ms, 2 s", true, 16, 4096, 32, 3,
       true, make_mixed_3d},
      {"rods_3d", "rods at 100 m/s against a thin plate, h = 16 ms", true, 200, 100'000, 1000, 3, true, make_rods_3d},
      {"pour_200", "200 polygons poured into a wide box, mu 0.25, h = 4 ms, 0.8 s", false, 4, 256, 0, 1, true,
       make_pour_200, false, make_pour},
      {"pour_10000", "one scene of 10,000 polygons poured into a box, h = 4 ms, 0.4 s", false, 1, 1, 0, 1, true,
       make_pour_10000},
      {"pour_to_rest", "the same 10,000 in a box five times as wide, until all rest", false, 1, 1, 0, 1, true,
       make_pour_to_rest},
      {"pour_2000_3d", "one scene of 2,000 polyhedra poured into a box, in 3D, mu 0.3, h = 4 ms, 0.3 s", false, 1, 1, 0,
       1, true, make_pour_2000_3d, false, make_pour_3d},
  };
  return cases;
}

std::string why_skipped(bool from_urdf) {
  return from_urdf && !reads_urdf() ? "this build reads no URDF (it was built without TinyXML-2)" : "";
}

Case make_trials(const std::string& file, int scene_count) {
  const Problem problem = load_problem(file);
  Case result;
  result.scene = problem.scene;
  result.options = problem.options;
  const Sampler sampler(problem);
  const std::size_t stride = sampler.parameters();
  std::vector<double> values(sampler.values());
  result.parameters.resize(stride * static_cast<std::size_t>(scene_count));
  // As many samples of each cell, one cell after the other, as a map has them: trials of one cell take like steps,
  // which matters where a GPU runs them side by side.
  const int cells = problem.grid.cells();
  std::size_t trial = 0;
  for (int cell = 0; cell < cells; ++cell) {
    for (int sample = 0; sample * cells + cell < scene_count; ++sample, ++trial)
      sampler.draw(cell, sample, std::span(result.parameters).subspan(stride * trial, stride), values);
  }
  result.scene_count = scene_count;
  return result;
}

namespace {

Case settled(Case result, int scene_count, const CaseSettings& settings) {
  result.scene_count = scene_count;
  if (settings.h > 0.0) result.options.h = settings.h;
  if (settings.duration > 0.0) result.options.duration = settings.duration;
  if (settings.strategy != Strategy::automatic) result.options.strategy = settings.strategy;
  if (!settings.own_solver) result.options.solver = settings.solver;
  result.options.tolerance = 0.0;  // follows from h and the arithmetic
  result.options = derive_options(result.options, result.scene, settings.arithmetic);
  return result;
}

}  // namespace

Case make_scene_case(const std::string& file, const CaseSettings& settings) {
  const SceneFile read = load_scene_json(file);
  const int count = std::max(1, settings.scene_count);
  return settled(
      make_copies(read.scene, timed(0.005, read.t_end > 0.0 ? read.t_end : 1.0), count, count > 1 ? 1e-4 : 0.0), count,
      settings);
}

Case make_case(const NamedCase& named, const std::string& examples, const CaseSettings& settings, bool cuda) {
  int count = settings.scene_count;
  if (count == 0) count = cuda ? named.cuda_scene_count : named.scene_count;
  if (settings.bodies > 0) {
    if (named.sized == nullptr)
      throw InputError(std::string(named.name) + " has a number of bodies of its own; leave out --bodies");
    return settled(named.sized(settings.bodies, count), count, settings);
  }
  return settled(named.make(examples, count), count, settings);
}

}  // namespace pegrasp::bench

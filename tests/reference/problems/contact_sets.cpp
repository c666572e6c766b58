// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/problems/contact_sets.hpp"

#include <cstdio>

#include "pegrasp/simulation.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/stack.hpp"

namespace pegrasp::reference::test {
namespace {

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

}  // namespace

const char* name(Form form) {
  constexpr const char* names[] = {"lcp", "mixed", "quadratic", "convex"};
  return names[static_cast<int>(form)];
}

const char* name(ContactSets sets) {
  switch (sets) {
    case ContactSets::standard_all:
      return "standard, all facets";
    case ContactSets::standard_single:
      return "standard, one facet";
    case ContactSets::lnc:
      return "LNC";
    case ContactSets::peg_one:
      return "PEG, one carrier";
    case ContactSets::peg_several:
      return "PEG, several carriers";
  }
  return "?";
}

void capture(const std::string& label, const SceneSpec& scene, double h, double mu, double from, double every,
             double until, const CaptureOptions& options, std::vector<CapturedProblem>& problems) {
  StepOptions run;
  run.h = h;
  run.duration = until + h;
  run.solver = SolverKind::stiff_newton;  // docs/explanation/mcp-solver.md speaks of single steps of these trajectories
  Simulation simulation(compile_model(scene), derive_options(run, scene), scene_parameters(scene));
  double next = from;
  const int count = static_cast<int>(scene.bodies.size());
  while (simulation.step()) {
    if (simulation.time() < next - 0.5 * h) continue;
    next += every;
    std::vector<Pose> poses;
    std::vector<Twist> twists;
    PolygonStepOptions step_options;
    for (int body = 0; body < count; ++body) {
      poses.push_back(simulation.pose(body));
      twists.push_back(simulation.velocity(body));
      step_options.present.push_back(simulation.present(body));
    }
    for (const ContactSets sets : options.sets) {
      step_options.rules.sets = sets;
      const StepProblem step = polygon_step(scene, poses, twists, h, step_options);
      if (step.contacts.empty()) continue;
      for (const Form form : options.forms) {
        CapturedProblem problem;
        problem.family = std::string(name(sets)) + format(", mu %g", mu);
        problem.sets = sets;
        problem.mu = mu;
        problem.name = label + format(", h %g ms", 1e3 * h) + format(", mu %g", mu) +
                       format(", t %.3f s, ", simulation.time()) + name(sets) + ", " + name(form);
        problem.formulation.form = form;
        problem.formulation.set_rows = options.set_rows;
        problem.formulated = formulate(step, problem.formulation);
        problem.step = step;
        problems.push_back(std::move(problem));
      }
    }
  }
}

std::vector<CapturedProblem> captured_problems(const CaptureOptions& options) {
  std::vector<CapturedProblem> problems;
  for (const double h : options.steps) {
    for (const double mu : options.frictions) {
      for (int seed = 1; seed <= options.boxes; ++seed) {
        capture("box " + std::to_string(seed), scenes::polygon_box(static_cast<std::uint64_t>(seed), mu), h, mu,
                options.box_from, options.box_every, scenes::polygon_box_duration, options, problems);
      }
      for (int seed = 1; seed <= options.stacks; ++seed) {
        capture("stack " + std::to_string(seed), scenes::stack(static_cast<std::uint64_t>(seed), mu), h, mu,
                options.stack_from, options.stack_every, options.stack_until, options, problems);
      }
    }
  }
  return problems;
}

}  // namespace pegrasp::reference::test

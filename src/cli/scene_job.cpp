// SPDX-License-Identifier: Apache-2.0
#include "src/cli/scene_job.hpp"

#include <limits>
#include <utility>

#include "pegrasp/scene_json.hpp"
#include "src/decide/numbers.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {

SceneJob job_of_trial(const Problem& whole, int cell, int sample) {
  const Problem& problem = whole.of_trial(cell, sample);
  SceneJob job;
  job.options = problem.options;
  job.arithmetic = problem.arithmetic;
  const std::vector<double> base = base_parameters(problem);
  std::vector<double> drawn(base.size()), values(sampled_columns(problem).size());
  draw_sample(problem, base, cell, sample, drawn, values);
  TrialScene own = scene_of_trial(problem, drawn);
  job.scene = std::move(own.scene);
  job.parameters = std::move(own.parameters);
  return job;
}

SceneJob job_at_start(const Problem& whole) {
  const Problem& problem = whole.of_trial(0, 0);
  SceneJob job;
  job.scene = problem.scene;
  job.options = problem.options;
  job.arithmetic = problem.arithmetic;
  job.parameters = scene_parameters(problem.scene);
  return job;
}

void finish_job(const std::string& file, SceneJob& job) {
  Compiled compiled = compile(file, job.scene, job.options, job.arithmetic);
  job.model = std::move(compiled.model);
  job.options = compiled.options;
}

SceneJob SceneChoice::of_problem() const {
  const Problem whole = read_problem(file, options.overrides());
  const int cells = whole.cells();
  if (cell < 0 || cell >= cells) {
    throw InputError("--cell: must be given, from 0 to " + std::to_string(cells - 1) + ", for " + file);
  }
  if ((sample < 0 || sample >= whole.samples) && whole.rows) {
    throw InputError("--sample: must be given, from 0 to " + std::to_string(whole.samples - 1) + ": a row of " +
                     printable(whole.rows->file.string()));
  }
  if (sample < 0 || sample >= whole.samples) {
    throw InputError("--sample: must be given, from 0 to " + std::to_string(whole.samples - 1) + ", for " + file +
                     "; --set map.samples=N asks for more samples per cell");
  }
  return job_of_trial(whole, cell, sample);
}

SceneJob SceneChoice::of_scene() const {
  SceneFile content = read_scene(file, options.urdf_hull());
  if (cell >= 0 || sample >= 0) {
    throw InputError("--cell and --sample are for problem files; a scene file holds one scene");
  }
  SceneJob job;
  job.scene = std::move(content.scene);
  job.parameters = scene_parameters(job.scene);
  job.options.duration = content.t_end;
  options.apply(file, job.options, job.arithmetic, job.scene);
  if (!(job.options.duration > 0.0)) {
    throw InputError(file + ": t_end: is missing; give it there or as --t-end SECONDS");
  }
  return job;
}

SceneJob SceneChoice::make() const {
  const bool trial = cell >= 0 || sample >= 0;
  SceneJob job = is_problem_file(file, trial) ? of_problem() : of_scene();
  tell_warnings(job.scene);
  if (friction >= 0.0) {
    for (BodySpec& body : job.scene.bodies) body.friction = friction;
    for (FrictionPair& pair : job.scene.friction) pair.mu = friction;
    const ParameterLayout layout = parameter_layout(job.scene);
    for (int k = 0; k < layout.friction_count; ++k) {
      job.parameters[static_cast<std::size_t>(layout.friction(k))] = friction;
    }
  }
  finish_job(file, job);
  return job;
}

std::string SceneChoice::words() const {
  std::string out = decide::shell_word(file);
  if (cell >= 0) out += " --cell " + std::to_string(cell);
  if (sample >= 0) out += " --sample " + std::to_string(sample);
  for (const Override& one : options.overrides()) out += " --set " + decide::shell_word(one.key + "=" + one.value);
  if (friction >= 0.0) out += " --friction " + shortest(friction);
  return out;
}

std::string SceneChoice::label(const SceneJob& job) const {
  const std::string name = job.scene.name.empty() ? file : job.scene.name;
  if (cell < 0) return name;
  return name + ", cell " + std::to_string(cell) + ", sample " + std::to_string(sample);
}

void SceneChoice::add(CLI::App& app) {
  app.add_option("file", file, "scene file (JSON), or problem file (TOML) with --cell and --sample")->required();
  app.add_option("--cell", cell, "cell of the problem's map, from 0, counted along the first axis first")
      ->check(whole_number(0, std::numeric_limits<int>::max()));
  app.add_option("--sample", sample, "sample in that cell, from 0")
      ->check(whole_number(0, std::numeric_limits<int>::max()));
  options.add_simulation(app, "--t-end");
  options.add_rows(app);
  app.add_option("--friction", friction, "friction coefficient for all pairs of bodies")->check(non_negative());
}

}  // namespace pegrasp::cli

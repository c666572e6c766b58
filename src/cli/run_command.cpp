// SPDX-License-Identifier: Apache-2.0
// pegrasp run: one scene, watched step by step, by the very code that the map runs.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/common.hpp"
#include "cli/scene_watch.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "results/atomic_file.hpp"

namespace pegrasp::cli {
namespace {

struct RunArguments {
  std::string file;
  int cell = -1, sample = -1;
  double step = 0.0, t_end = 0.0, friction = -1.0;
  std::string contact, solver, trajectory;
  bool strict = false, fast = false, json = false;
  std::vector<std::string> sets;
};

// What is to be simulated: the scene, its parameters, how.
struct Job {
  SceneSpec scene;
  std::vector<double> parameters;
  StepOptions options;
  Arithmetic arithmetic = Arithmetic::strict;
};

std::vector<Override> run_overrides(const RunArguments& arguments) {
  std::vector<Override> all;
  for (const std::string& set : arguments.sets) {
    const auto equals = set.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError("--set " + set + ": is not KEY=VALUE");
    all.push_back({set.substr(0, equals), set.substr(equals + 1)});
  }
  return all;
}

Job problem_job(const RunArguments& arguments) {
  const Problem problem = load_problem(arguments.file, run_overrides(arguments));
  const int cells = problem.grid.cells();
  if (arguments.cell < 0 || arguments.cell >= cells) {
    throw InputError("--cell: must be 0 .. " + std::to_string(cells - 1) + " for " + arguments.file);
  }
  if (arguments.sample < 0) throw InputError("--sample: must be 0 or more");
  Job job;
  job.scene = problem.scene;
  job.options = problem.options;
  job.arithmetic = problem.arithmetic;
  const std::vector<double> base = scene_parameters(problem.scene);
  job.parameters.resize(base.size());
  std::vector<double> values(sampled_columns(problem).size());
  draw_sample(problem, base, arguments.cell, arguments.sample, job.parameters, values);
  return job;
}

Job scene_job(const RunArguments& arguments) {
  SceneFile file = load_scene_json(arguments.file);
  if (!arguments.sets.empty()) throw InputError("--set: is for problem files; a scene file has no such keys");
  if (arguments.cell >= 0 || arguments.sample >= 0) {
    throw InputError("--cell and --sample: are for problem files; a scene file is one scene");
  }
  Job job;
  job.scene = std::move(file.scene);
  job.parameters = scene_parameters(job.scene);
  job.options.duration = file.t_end;
  if (!(file.t_end > 0.0) && !(arguments.t_end > 0.0)) {
    throw InputError(arguments.file + ": t_end: is missing; give it there or as --t-end SECONDS");
  }
  return job;
}

Job make_job(const RunArguments& arguments) {
  const std::string extension = std::filesystem::path(arguments.file).extension();
  Job job = extension == ".toml" ? problem_job(arguments) : scene_job(arguments);
  if (arguments.step > 0.0) job.options.h = arguments.step;
  if (arguments.t_end > 0.0) job.options.duration = arguments.t_end;
  const auto index = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  if (!arguments.contact.empty()) {
    job.options.contact = static_cast<ContactModel>(index(contact_names(), arguments.contact));
  }
  if (!arguments.solver.empty()) job.options.solver = static_cast<SolverKind>(index(solver_names(), arguments.solver));
  if (arguments.fast) job.arithmetic = Arithmetic::fast;
  if (arguments.strict) job.arithmetic = Arithmetic::strict;
  if (arguments.friction >= 0.0) {
    const ParameterLayout layout = parameter_layout(job.scene);
    for (int k = 0; k < layout.friction_count; ++k) {
      job.parameters[static_cast<std::size_t>(layout.friction(k))] = arguments.friction;
    }
  }
  job.options = derive_options(job.options, job.scene);
  return job;
}

void print_text(const nlohmann::ordered_json& report) {
  for (const auto& [key, value] : report.items()) {
    if (value.is_object()) {
      for (const auto& [inner, number] : value.items()) std::cout << key << '.' << inner << ": " << number << '\n';
    } else {
      std::cout << key << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
    }
  }
}

int run(const RunArguments& arguments) {
  const Job job = make_job(arguments);
  const std::shared_ptr<const Model> model = compile_model(job.scene);
  Simulation simulation(model, job.options, job.parameters, job.arithmetic);
  SceneWatch watch(job.scene, job.parameters);
  std::ostringstream trajectory;
  const bool keep = !arguments.trajectory.empty();
  if (keep) trajectory << "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  install_stop_signals();
  double wall = 0.0;
  while (true) {
    const auto begin = std::chrono::steady_clock::now();
    const bool more = simulation.step();
    wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!more) break;
    watch.see(simulation);
    if (keep) append_state(trajectory, job.scene, simulation);
    if (stop_requested().load()) throw InputError("stopped at t = " + shortest(simulation.time()) + " s; nothing written");
  }
  if (keep) write_file_atomically(arguments.trajectory, trajectory.str());
  const nlohmann::ordered_json report = watch.report(simulation, job.options, job.arithmetic, wall);
  if (arguments.json) {
    std::cout << report.dump(2) << '\n';
  } else {
    print_text(report);
  }
  return simulation.outcome().status == status_ok ? exit_done : exit_unaccepted;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RunArguments>();
  auto* run_app = app.add_subcommand("run", "simulate one scene (peg-scene-1 JSON), or one sample of a problem");
  run_app->add_option("file", arguments->file, "SCENE.json, or PROBLEM.toml with --cell and --sample")->required();
  run_app->add_option("--cell", arguments->cell, "cell of the problem's grid, 0-based (x fastest)");
  run_app->add_option("--sample", arguments->sample, "sample in that cell, 0-based");
  run_app->add_option("--h", arguments->step, "step size [s]")->check(CLI::PositiveNumber);
  run_app->add_option("--t-end", arguments->t_end, "time limit [s]")->check(CLI::PositiveNumber);
  run_app->add_option("--contact", arguments->contact, "contact model")->check(CLI::IsMember(contact_names()));
  run_app->add_option("--solver", arguments->solver, "solver of a step")->check(CLI::IsMember(solver_names()));
  run_app->add_option("--friction", arguments->friction, "friction coefficient for all pairs of bodies")
      ->check(CLI::NonNegativeNumber);
  run_app->add_option("--trajectory", arguments->trajectory, "write the state after every step to this CSV file");
  auto* strict = run_app->add_flag("--strict", arguments->strict, "the same bits on every machine (default)");
  run_app->add_flag("--fast", arguments->fast, "contraction and a float solver")->excludes(strict);
  run_app->add_option("--set", arguments->sets, "KEY=VALUE for any key of a problem (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  run_app->add_flag("--json", arguments->json, "print one JSON object");
  run_app->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// pegrasp validate: compares the product with the reference simulator, or with another backend, on the same trials.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <ostream>
#include <stdexcept>

#include "pegrasp/map.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/scene_json.hpp"
#include "src/cli/common.hpp"
#include "src/cli/reference/commands.hpp"
#include "src/cli/reference/validate_report.hpp"
#include "src/cli/terminal.hpp"

namespace pegrasp::cli {
namespace {

using reference::Trial;
using reference::ValidateCase;
using reference::ValidateTolerances;

constexpr int most_threads = 1024;  // more is a typing error; each thread needs memory of its own
constexpr int default_samples = 100;

struct ValidateArguments {
  std::string file;
  std::string against = "reference";
  std::string backend = "auto";
  int samples = default_samples;
  bool samples_given = false;
  int cell = -1, sample = -1;
  double friction = -1.0;
  int threads = 0;
  bool every_step = false, trajectory = false, json = false, quiet = false;
  ProblemOptions options;
  std::string replay;  // options that a replay of one trial repeats
};

// What `--help` prints below the options.
std::string tolerances_in_words() {
  const ValidateTolerances t;
  char text[2000];
  std::snprintf(
      text, sizeof text,
      "Single steps are always taken by the CPU code, whatever --backend says. --against cpu or cuda compares whole\n"
      "trajectories only.\n\n"
      "The exit code is 1 if something is outside these tolerances (docs/explanation/validation.md), or if nothing "
      "was compared:\n"
      "  residual of the product's velocities in the reference simulator's equations: 99 %% of the steps within %g\n"
      "    and all within %g times the problem's tolerance, or %g m/s if that is larger; ties of features may leave\n"
      "    %g %% of the steps open, and substeps as many; in 3D substeps and further linearisations %g %%, and the\n"
      "    product accepts no step in which bodies overlap by more than the penetration tolerance, as the reference "
      "simulator\n"
      "    measures it\n"
      "  residual of every resolved step, by each side's own account: %g m/s, or the problem's tolerance if that\n"
      "    is larger\n"
      "  velocities after a step from the same state, without friction at contacts: 99 %% within %g m/s, in 3D\n"
      "    within the bound of 99 %% of the residuals; all that are unique within %g m/s\n"
      "  outcomes of trials that both sides resolve: at most %g %% differ (one always may)\n"
      "  unresolved trials and steps: at most %g %% of the product, %g %% of the reference simulator (one always "
      "may)\n"
      "  two backends, both in strict arithmetic: the same bits\n"
      "A step with friction at contacts may have several solutions. Its velocities are shown, but not checked.",
      reference::residual_of_velocities_99, reference::residual_of_velocities, t.residual, 100.0 * (1.0 - t.assessed),
      100.0 * (1.0 - t.assessed_passes), t.residual, t.velocity, t.unique_velocity, 100.0 * (1.0 - t.agreement),
      100.0 * (1.0 - t.product_resolved), 100.0 * (1.0 - t.reference_resolved));
  return text;
}

ValidateCase case_of_scene_of(const Problem& problem, std::vector<Trial> trials) {
  ValidateCase job;
  job.scene = problem.scene;
  job.options = problem.options;
  job.arithmetic = problem.arithmetic;
  job.trials = std::move(trials);
  return job;
}

// The case of trials of one group; its scene is that of the first of them, where each has its own.
ValidateCase case_of(const Problem& problem, std::vector<Trial> trials) {
  if (!problem.changes.any()) return case_of_scene_of(problem, std::move(trials));
  for (Trial& trial : trials) {
    TrialScene own = scene_of_trial(problem, trial.parameters);
    auto one = std::make_shared<ValidateCase>(
        case_of_scene_of(problem, {Trial{trial.cell, trial.sample, std::move(own.parameters), nullptr}}));
    one->scene = std::move(own.scene);
    trial.own = std::move(one);
  }
  return case_of_scene_of(problem, std::move(trials));
}

// Several where trials differ by more than parameters ([[axis]], variants): one for each group that has trials.
std::vector<ValidateCase> cases_of_problem(const ValidateArguments& arguments) {
  const Problem problem = read_problem(arguments.file, arguments.options.overrides());
  const int cells = problem.cells();
  if (arguments.cell >= cells) {
    throw InputError("--cell: must be 0 .. " + std::to_string(cells - 1) + " for " + arguments.file);
  }
  if (arguments.sample >= problem.samples) {
    throw InputError("--sample: must be 0 .. " + std::to_string(problem.samples - 1) + " for " + arguments.file +
                     "; --set map.samples=N asks for more samples a cell");
  }
  if ((arguments.cell >= 0) != (arguments.sample >= 0)) {
    throw InputError("--cell and --sample: together name one trial; give both, or neither of them");
  }
  if (arguments.cell >= 0) {
    return {case_of(problem.of_trial(arguments.cell, arguments.sample),
                    {reference::one_trial(problem, arguments.cell, arguments.sample)})};
  }
  const long long trials = static_cast<long long>(cells) * problem.samples;
  const int samples =
      arguments.samples_given ? arguments.samples : static_cast<int>(std::min<long long>(trials, default_samples));
  std::vector<std::vector<Trial>> trials_of(problem.group_count());
  for (Trial& trial : reference::spread_trials(problem, samples))
    trials_of[problem.group_of(trial.cell, trial.sample)].push_back(std::move(trial));
  std::vector<ValidateCase> cases;
  for (std::size_t g = 0; g < trials_of.size(); ++g)
    if (!trials_of[g].empty()) cases.push_back(case_of(problem.of_group(g), std::move(trials_of[g])));
  return cases;
}

ValidateCase case_of_scene(const ValidateArguments& arguments) {
  ValidateCase job;
  SceneFile file = read_scene(arguments.file, arguments.options.urdf_hull());
  if (arguments.cell >= 0 || arguments.sample >= 0 || arguments.samples_given) {
    throw InputError("--cell, --sample and --samples: are for problem files; a scene file describes one scene");
  }
  job.scene = std::move(file.scene);
  job.trials = {Trial{-1, -1, scene_parameters(job.scene)}};
  job.options.duration = file.t_end;
  arguments.options.apply(arguments.file, job.options, job.arithmetic, job.scene);
  if (!(job.options.duration > 0.0)) {
    throw InputError(arguments.file + ": t_end: is missing; give it there or as --t-end SECONDS");
  }
  return job;
}

std::vector<ValidateCase> make_cases(const ValidateArguments& arguments) {
  const bool trial = arguments.cell >= 0 || arguments.sample >= 0;
  if (is_problem_file(arguments.file, trial)) return cases_of_problem(arguments);
  return {case_of_scene(arguments)};
}

void complete_case(const ValidateArguments& arguments, ValidateCase& job) {
  if (arguments.friction >= 0.0) {
    const ParameterLayout layout = parameter_layout(job.scene);
    for (Trial& t : job.trials) {
      for (int k = 0; k < layout.friction_count; ++k) {
        t.parameters[static_cast<std::size_t>(layout.friction(k))] = arguments.friction;
      }
    }
  }
  Compiled compiled = compile(arguments.file, job.scene, job.options, job.arithmetic);
  job.model = std::move(compiled.model);
  job.options = compiled.options;
  if (arguments.against == "reference" && job.options.contact != ContactModel::peg) {
    throw InputError(
        "--contact " + name_of(job.options.contact) +
        ": the reference simulator has the contact model peg only; give --contact peg, or compare backends with "
        "--against cpu");
  }
  if (arguments.against == "reference") {
    const reference::AnyScene other(job.scene);
    job.planar_scene = other.planar_scene;
    job.spatial_scene = other.spatial_scene;
  }
  for (Trial& trial : job.trials) {
    if (!trial.own) continue;
    auto one = std::make_shared<ValidateCase>(*trial.own);
    complete_case(arguments, *one);
    trial.own = std::move(one);
  }
}

std::unique_ptr<Backend> backend_named(const std::string& name, Arithmetic arithmetic, int threads) {
  const BackendKind kind = name == "cuda"  ? BackendKind::cuda
                           : name == "cpu" ? BackendKind::cpu
                                           : BackendKind::automatic;
  try {
    return make_backend(kind, arithmetic, threads);
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

// Returns what is wrong. report: the object to print with --json.
std::vector<std::string> validate_case(const ValidateArguments& arguments, const ValidateCase& job,
                                       nlohmann::ordered_json& json) {
  const bool by_reference = arguments.against == "reference";
  const std::unique_ptr<Backend> fast = backend_named(arguments.backend, job.arithmetic, arguments.threads);
  std::unique_ptr<Backend> other;
  if (!by_reference) other = backend_named(arguments.against, Arithmetic::strict, arguments.threads);
  const ValidateTolerances tolerances = reference::tolerances_for(job);
  const bool talks = !arguments.quiet && !arguments.json;
  const auto watched = [&](const auto& work) {
    ProgressBar bar(talks);
    reference::Watch watch{arguments.threads, &stop_requested(),
                           [&bar](std::size_t done, std::size_t total) { bar.update(done, total); }};
    try {
      work(watch);
    } catch (...) {
      bar.finish();
      throw;
    }
    bar.finish();
  };
  ValidateReport report{
      arguments.file, arguments.replay, arguments.against, *fast, other.get(), job, tolerances, {}, {}};
  if (by_reference && !arguments.trajectory) {
    watched([&](const reference::Watch& watch) { report.steps = compare_steps(job, tolerances, watch); });
  }
  if (!arguments.every_step) {
    watched([&](const reference::Watch& watch) {
      report.trajectories =
          by_reference ? compare_with_reference(job, *fast, watch) : compare_backends(job, *fast, *other, watch);
    });
  }
  std::vector<std::string> wrong = failures_of(report);
  if (arguments.json) {
    json = report_json(report, wrong);
  } else if (!arguments.quiet) {
    console().out << report_text(report, wrong);
  }
  return wrong;
}

int run(const ValidateArguments& arguments) {
  if (arguments.against != "reference" && arguments.every_step) {
    throw InputError(
        "--every-step: only the reference simulator takes single steps; leave it out, or give --against reference");
  }
  std::vector<ValidateCase> cases = make_cases(arguments);
  tell_warnings(cases.front().scene);
  for (ValidateCase& job : cases) complete_case(arguments, job);
  install_stop_signals();
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  bool accepted = true;
  for (std::size_t g = 0; g < cases.size(); ++g) {
    if (cases.size() > 1 && !arguments.json && !arguments.quiet) {
      console().out << (g > 0 ? "\n" : "") << "group " << g + 1 << " of " << cases.size() << ": trials like sample "
                    << cases[g].trials.front().sample << " of cell " << cases[g].trials.front().cell << '\n';
    }
    nlohmann::ordered_json one;
    accepted = validate_case(arguments, cases[g], one).empty() && accepted;
    groups.push_back(std::move(one));
  }
  if (arguments.json) {
    const nlohmann::ordered_json out = cases.size() == 1 ? groups[0] : nlohmann::ordered_json{{"groups", groups}};
    console().out << out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }
  finish_output();
  return accepted ? exit_done : exit_unaccepted;
}

// The options given that decide what is simulated, as words of a command line.
std::string given_options(const CLI::App& app) {
  const std::vector<std::string> own{"--cell",       "--sample",  "--samples", "--threads", "--every-step",
                                     "--trajectory", "--against", "--json",    "--quiet",   "--backend"};
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_positional() || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (std::find(own.begin(), own.end(), name) != own.end()) continue;
    if (option->get_expected_max() == 0) {
      out += " " + name;
      continue;
    }
    for (const std::string& value : option->results()) out += " " + name + " '" + value + "'";
  }
  return out;
}

}  // namespace

void add_validate_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ValidateArguments>();
  auto* validate =
      app.add_subcommand("validate", "compare the product with the reference simulator, on the same trials");
  validate->add_option("file", arguments->file, "problem (TOML) or scene (JSON)")->required();
  CLI::Option* samples =
      validate->add_option("--samples", arguments->samples, "number of trials, spread evenly over the cells of the map")
          ->check(whole_number(1, 100'000'000))
          ->capture_default_str();
  validate
      ->add_option("--against", arguments->against,
                   "reference: the reference simulator, which solves every step exactly; cpu, cuda: a backend in "
                   "strict arithmetic")
      ->check(one_of({"reference", "cpu", "cuda"}))
      ->capture_default_str();
  validate->add_option("--backend", arguments->backend, "the side that is validated: auto, cpu or cuda")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  CLI::Option* every_step = validate->add_flag("--every-step", arguments->every_step,
                                               "compare single steps only, each from the product's state");
  validate->add_flag("--trajectory", arguments->trajectory, "compare whole trajectories only")->excludes(every_step);
  validate
      ->add_option("--cell", arguments->cell,
                   "one trial: cell of the problem's map, from 0, counted along the first axis first")
      ->check(whole_number(0, std::numeric_limits<int>::max()));
  validate->add_option("--sample", arguments->sample, "one trial: sample in that cell, from 0")
      ->check(whole_number(0, std::numeric_limits<int>::max()));
  arguments->options.add_simulation(*validate, "--duration,--t-end");
  validate->add_option("--friction", arguments->friction, "friction coefficient for all pairs of bodies")
      ->check(non_negative());
  validate->add_option("--threads", arguments->threads, "CPU threads; 0: all cores that the process may use")
      ->check(whole_number(0, most_threads))
      ->capture_default_str();
  validate->add_flag("--json", arguments->json, "print one JSON object");
  validate->add_flag("--quiet", arguments->quiet, "print nothing but errors; the exit code says whether they agree");
  validate->footer(tolerances_in_words());
  validate->callback([arguments, validate, samples, &exit_code] {
    arguments->samples_given = samples->count() > 0;
    arguments->replay = given_options(*validate);
    exit_code = run(*arguments);
  });
}

}  // namespace pegrasp::cli

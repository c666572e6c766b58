// SPDX-License-Identifier: Apache-2.0
// pegrasp dump: simulates a scene and writes the complementarity problems of its steps to a problem file.
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "pegrasp/map.hpp"
#include "pegrasp/names.hpp"
#include "src/cli/reference/commands.hpp"
#include "src/cli/scene_job.hpp"
#include "src/cli/terminal.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/reference/reference.hpp"

namespace pegrasp::cli {
namespace {

using reference::StepModel;
using reference::StepProblem;
using reference::StoredProblem;

const std::vector<std::string>& form_names() {  // the first ones in the order of Form
  static const std::vector<std::string> names{"lcp", "mixed", "quadratic", "fclib"};
  return names;
}

struct DumpArguments {
  SceneChoice scene;
  std::string steps, out;
  std::string form = "mixed";
  std::string model = reference::step_model_names().front();
  bool quiet = false;
};

struct StepRange {
  int first = 1, last = 1;
  bool holds(int step) const { return first <= step && step <= last; }
};

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return all ? std::optional(value) : std::nullopt;
}

// "A:B", or "A" for one step.
std::optional<StepRange> range_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto first = whole(std::string_view(text).substr(0, colon));
  const auto last = colon == std::string::npos ? first : whole(std::string_view(text).substr(colon + 1));
  if (!first || !last || *first < 1 || *last < *first) return std::nullopt;
  return StepRange{*first, *last};
}

int index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

StoredProblem stored(const DumpArguments& arguments, const SceneJob& job, const StepProblem& step, int number) {
  StoredProblem problem;
  problem.scene = job.scene.name.empty() ? arguments.scene.file : job.scene.name;
  if (arguments.scene.cell >= 0) {
    problem.scene +=
        ", cell " + std::to_string(arguments.scene.cell) + ", sample " + std::to_string(arguments.scene.sample);
  }
  problem.family = arguments.model + ", " + arguments.form;
  problem.name = problem.scene + ", step " + std::to_string(number) + ", " + problem.family;
  problem.step = number;
  problem.h = job.options.h;
  if (arguments.form == "fclib") {
    if (job.scene.model == MotionModel::quasistatic) {
      throw std::invalid_argument("quasistatic steps have no masses, by which fclib divides; choose mixed");
    }
    problem.formulation = "friction-contact problem, Stewart and Trinkle's gaps";
    problem.content = friction_problem(step);
    return problem;
  }
  reference::Formulation formulation;
  formulation.form = static_cast<reference::Form>(index_of(form_names(), arguments.form));
  const bool balance = job.scene.model == MotionModel::quasistatic;
  if (balance) formulation.scheme = reference::Scheme::quasistatic;
  problem.formulation = arguments.form + (balance ? ", quasistatic" : ", Stewart and Trinkle");
  problem.content = to_stored(step, formulation);
  return problem;
}

struct Dumped {
  std::vector<StoredProblem> problems;
  int flights = 0;
  int last = 0;  // step that was taken last
};

Dumped simulate(const DumpArguments& arguments, const SceneJob& job, const StepRange& range) {
  Simulation simulation(job.model, job.options, job.parameters, job.arithmetic);
  const auto model = static_cast<StepModel>(index_of(reference::step_model_names(), arguments.model));
  Dumped dumped;
  ProgressBar bar(!arguments.quiet, "steps");
  try {
    reference::StepSource source(job.scene, job.options, job.parameters, model);
    for (int step = 1; step <= range.last; ++step) {
      if (range.holds(step)) {
        const std::optional<StepProblem> problem = source.next(simulation, step - 1);
        // fclib's problems are of contacts; on supports alone there is none.
        const bool flight = !problem || (arguments.form == "fclib" && problem->contacts.empty());
        dumped.flights += flight ? 1 : 0;
        if (!flight) dumped.problems.push_back(stored(arguments, job, *problem, step));
      }
      bar.update(static_cast<std::size_t>(step), static_cast<std::size_t>(range.last));
      if (step == range.last) break;
      if (!simulation.step()) break;
      dumped.last = step;
      if (stop_requested().load()) {
        bar.finish();
        throw Interrupted("stopped at step " + std::to_string(step) + "; nothing written");
      }
    }
  } catch (const std::invalid_argument& error) {
    bar.finish();
    throw InputError(arguments.scene.file + ": --model " + arguments.model + ", --form " + arguments.form + ": " +
                     error.what());
  }
  bar.finish();
  return dumped;
}

// Steps of contact models that no --model writes would be passed off as those of another.
void require_written(const DumpArguments& arguments, ContactModel contact) {
  const bool features = contact == ContactModel::peg_features;
  const bool other = features || contact == ContactModel::standard;
  if (contact == ContactModel::peg || (other && arguments.model != "pair-modes")) return;
  throw InputError(arguments.scene.file + ": --contact " + name_of(contact) + ": " +
                   (other ? "--model pair-modes writes the problems of contact model peg; give --contact peg, or "
                            "--model " +
                                std::string(features ? "peg" : "standard")
                          : "its steps are not written as complementarity problems; give --contact peg"));
}

int run(const DumpArguments& arguments) {
  const std::optional<StepRange> range = range_of(arguments.steps);
  if (!range)
    throw InputError("--steps " + arguments.steps +
                     ": is not FIRST:LAST, two whole numbers from 1 of which the first is not larger");
  const SceneJob job = arguments.scene.make();
  require_written(arguments, job.options.contact);
  AtomicFile file(arguments.out);
  install_stop_signals();
  const Dumped dumped = simulate(arguments, job, *range);
  if (dumped.problems.empty()) {
    const std::string why = dumped.flights > 0 ? "the problems of these steps have no contacts"
                                               : "the scene ends after step " + std::to_string(dumped.last);
    throw InputError("--steps " + arguments.steps + ": " + why + "; choose other steps");
  }
  file.commit(reference::problem_file_bytes(dumped.problems, &stop_requested()));
  if (!arguments.quiet) {
    console().out << dumped.problems.size() << (dumped.problems.size() == 1 ? " problem" : " problems") << " ("
                  << dumped.problems.front().family << ") of steps " << dumped.problems.front().step << " to "
                  << dumped.problems.back().step << " written to " << arguments.out;
    if (dumped.flights > 0) console().out << "; " << dumped.flights << " steps without contacts were left out";
    console().out << '\n';
  }
  finish_output();
  return exit_done;
}

}  // namespace

void add_dump_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<DumpArguments>();
  auto* dump = app.add_subcommand("dump", "write the complementarity problems of a scene's steps to an HDF5 file");
  dump->add_option("--steps", arguments->steps,
                   "steps FIRST:LAST, from 1; each problem is that of a step from the state that the simulation is in")
      ->required()
      ->type_name("A:B");
  dump->add_option("--out", arguments->out, "problem file to write (HDF5, docs/reference/stored-problems.md)")
      ->required()
      ->check(not_empty());
  dump->add_option("--form", arguments->form,
                   "lcp: without velocities; mixed: with velocities; quadratic: with Coulomb's law in its quadratic "
                   "form; fclib: W, q, "
                   "mu")
      ->check(one_of(form_names()))
      ->capture_default_str();
  dump->add_option("--model", arguments->model,
                   "contact model of the problems: pair-modes is that of contact model peg, for all shapes; the "
                   "others are for polygons and polyhedra")
      ->check(one_of(reference::step_model_names()))
      ->capture_default_str();
  arguments->scene.add(*dump);
  dump->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  dump->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

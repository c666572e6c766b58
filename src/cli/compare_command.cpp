// SPDX-License-Identifier: Apache-2.0
// pegrasp compare: two problems, or two finished maps, trial by trial.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/decision_output.hpp"
#include "src/cli/terminal.hpp"
#include "src/decide/compare.hpp"
#include "src/text/read_file.hpp"
#include "src/text/revision.hpp"

namespace pegrasp::cli {
namespace {

struct CompareArguments {
  std::string a, b;
  std::string backend = "auto";
  int threads = 0;
  bool resume = false;
  ProblemOptions options;
  DecisionOutput output;
};

// Whether a folder holds the finished map of just this problem, whatever version wrote it.
bool is_complete(const std::filesystem::path& folder, const Problem& problem) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "summary.json", ignored) ||
      std::filesystem::exists(journal_path(folder), ignored))
    return false;
  constexpr std::size_t largest = std::size_t{1} << 28;
  try {
    return without_version(read_file(folder / "problem.toml", largest)) == problem.resolved_toml;
  } catch (const ReadError&) {
    return false;  // it is simulated again, which says what is wrong
  }
}

// Simulates a problem's map into a folder.
void simulate_map(const Problem& problem, const std::string& name, const std::filesystem::path& folder,
                  const CompareArguments& arguments) {
  const std::unique_ptr<Backend> backend = backend_named(arguments.backend, problem.arithmetic, arguments.threads, -1);
  const bool talks = !arguments.output.quiet && !arguments.output.json;
  if (talks) console().err << "pegrasp: simulating " << name << " into " << folder.string() << '\n';
  ProgressBar bar(talks);
  MapOptions options;
  options.out = folder;
  options.resume = arguments.resume;
  options.threads = arguments.threads;
  options.stop = &stop_requested();
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  try {
    SuccessMap map = run_map(problem, *backend, options);
    bar.finish();
    write_map(map, problem, folder);
    finish_map(map, problem, folder);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + " of " + name + "; to continue, repeat the command with --resume");
  }
}

Problem fixed_problem(const std::string& file, const std::vector<Override>& overrides) {
  Problem problem = read_problem(file, overrides);
  if (problem.until.any()) {
    throw InputError(file +
                     ": map.until: trials of cells that are sampled until their intervals suffice are no pairs; "
                     "leave it out and give map.samples");
  }
  compile(file, problem.scene, problem.options, problem.arithmetic);
  return problem;
}

// Both problems on common random numbers: B takes seed and samples of A.
void simulate_both(const CompareArguments& arguments, const std::filesystem::path& out) {
  std::vector<Override> overrides = arguments.options.overrides();
  const Problem a = fixed_problem(arguments.a, overrides);
  overrides.push_back({"map.seed", std::to_string(a.seed)});
  overrides.push_back({"map.samples", std::to_string(a.samples)});
  const Problem b = fixed_problem(arguments.b, overrides);
  const std::vector<Axis> axes = axes_of(a), others = axes_of(b);
  const auto same_axis = [](const Axis& x, const Axis& y) {
    return x.name == y.name && x.numbers == y.numbers && x.texts == y.texts;
  };
  if (!std::equal(axes.begin(), axes.end(), others.begin(), others.end(), same_axis)) {
    throw InputError(arguments.a + " and " + arguments.b +
                     ": the cells of their grids are not the same, so their trials are no pairs; give both the same "
                     "[grid] and [[axis]], for example with --set");
  }
  install_stop_signals();
  if (!arguments.resume || !is_complete(out / "a", a)) simulate_map(a, arguments.a, out / "a", arguments);
  if (!arguments.resume || !is_complete(out / "b", b)) simulate_map(b, arguments.b, out / "b", arguments);
}

std::string name_of_place(const std::string& place) {
  const std::filesystem::path path = std::filesystem::path(place).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).stem().string();
}

int run(const CompareArguments& arguments) {
  const bool result = decide::is_result(arguments.a);
  if (result != decide::is_result(arguments.b)) {
    throw InputError(
        arguments.a + " and " + arguments.b +
        ": one is a problem and the other a folder; give two problem files, or the folders of two finished "
        "maps");
  }
  const std::filesystem::path out =
      arguments.output.out.empty()
          ? std::filesystem::path("out") / (name_of_place(arguments.a) + "-" + name_of_place(arguments.b))
          : std::filesystem::path(arguments.output.out);
  std::filesystem::path a = arguments.a, b = arguments.b;
  if (!result) {
    simulate_both(arguments, out);
    a = out / "a";
    b = out / "b";
  } else if (!arguments.options.overrides().empty()) {
    throw InputError("options of a simulation go with two problems; of two finished maps nothing is simulated");
  }
  const decide::StoredMap map_a = decide::read_stored_map(a, decide::Trials::outcomes);
  const decide::StoredMap map_b = decide::read_stored_map(b, decide::Trials::outcomes);
  const decide::Comparison comparison = decide::compare(map_a, map_b);
  write_decision({"compare",
                  decide::compare_text(map_a, map_b, comparison),
                  decide::compare_json(map_a, map_b, comparison),
                  {{"compare.csv", decide::compare_csv(map_a, comparison)},
                   {"flips.csv", decide::flips_csv(map_a, map_b, comparison)}}},
                 out, arguments.output);
  return exit_done;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<CompareArguments>();
  auto* compare = app.add_subcommand(
      "compare", "compare two problems, or two finished maps, trial by trial on the same random numbers");
  compare->add_option("a", arguments->a, "problem file, or folder of a finished map")->required()->check(not_empty());
  compare->add_option("b", arguments->b, "the other one, of the same kind")->required()->check(not_empty());
  arguments->options.add_map(*compare);
  compare->add_option("--backend", arguments->backend, "where to simulate: auto, cpu or cuda")
      ->check(one_of({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  compare->add_option("--threads", arguments->threads, "CPU threads; 0: all cores that the process may use")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  compare->add_flag("--resume", arguments->resume, "continue interrupted simulations of the same problems");
  arguments->output.add(*compare, "compare", "out/<name of A>-<name of B>");
  compare->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

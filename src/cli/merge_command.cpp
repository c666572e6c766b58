// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/map_output.hpp"
#include "src/cli/reference_commands.hpp"
#include "src/cli/terminal.hpp"
#include "src/map/refine.hpp"

namespace pegrasp::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> places;
  std::string out;
  int threads = 0;
  MapOutput output;
};

// The cells that map.refine adds depend on those of all parts. They are simulated here, as one run would do.
void add_refined_cells(MergedMap& merged, const std::filesystem::path& out, const MergeArguments& arguments) {
  const Problem& problem = merged.problem;
  if (problem.refine.levels == 0) return;
  const bool strict = problem.arithmetic == Arithmetic::strict;
  const std::unique_ptr<Backend> backend =
      backend_named(strict ? "auto" : merged.map.backend, problem.arithmetic, arguments.threads, -1);
  ProgressBar bar(arguments.output.talks());
  MapOptions options;
  options.out = out;
  options.resume = true;  // a join that was interrupted here
  options.fallback = merged.map.fallback;
  options.reference = reference_engine();
  options.threads = arguments.threads;
  options.stop = &stop_requested();
  options.progress = [&bar](std::size_t done, std::size_t total) { bar.update(done, total); };
  try {
    refine_map(problem, *backend, options, merged.map);
  } catch (const Interrupted& stopped) {
    bar.finish();
    throw Interrupted(std::string(stopped.what()) + "; to continue, repeat the command");
  }
  bar.finish();
}

int run(const MergeArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  install_stop_signals();
  MergedMap merged = merge_parts({arguments.places.begin(), arguments.places.end()}, &stop_requested());
  std::filesystem::path out = arguments.out;
  if (out.empty()) {
    std::error_code ignored;
    if (arguments.places.size() > 1 || !std::filesystem::is_directory(arguments.places.front(), ignored)) {
      throw InputError("--out: must be given, unless the parts are in one folder and that folder is named");
    }
    out = arguments.places.front();
  }
  take_folder(merged.map, merged.problem, out);
  merged.map.timing.reading = seconds_since(begin);
  try {
    add_refined_cells(merged, out, arguments);
    write_and_tell(merged.map, merged.problem, out, arguments.output);
  } catch (...) {
    // Nobody resumes a join: its journal only holds the folder.
    std::error_code ignored;
    if (merged.map.journal) std::filesystem::remove(journal_path(out), ignored);
    throw;
  }
  return exit_done;
}

}  // namespace

void add_merge_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<MergeArguments>();
  auto* merge = app.add_subcommand("merge", "join the parts that pegrasp map --shard wrote into one map");
  merge->add_option("parts", arguments->places, "folders that hold parts, or files of parts")
      ->required()
      ->check(not_empty());
  merge->add_option("--out", arguments->out, "output folder (default: the folder of the parts, if one folder is named)")
      ->check(not_empty());
  merge
      ->add_option("--threads", arguments->threads,
                   "CPU threads for cells that --refine adds; 0: all cores that the process may use")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  arguments->output.add(*merge);
  merge->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

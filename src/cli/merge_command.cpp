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

namespace pegrasp::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> places;
  std::string out;
  MapOutput output;
};

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
  arguments->output.add(*merge);
  merge->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// pegrasp best: the cell of a finished map to use.
#include <filesystem>
#include <memory>
#include <string>

#include "src/cli/common.hpp"
#include "src/cli/decision_output.hpp"
#include "src/decide/best.hpp"

namespace pegrasp::cli {
namespace {

struct BestArguments {
  std::string folder;
  DecisionOutput output;
};

int run(const BestArguments& arguments) {
  const decide::StoredMap map = decide::read_stored_map(arguments.folder, decide::Trials::none);
  const decide::BestCell best = decide::best_cell(map);
  write_decision(
      {"best", decide::best_text(map, best), decide::best_json(map, best), {{"best.csv", decide::best_csv(map, best)}}},
      arguments.output.out.empty() ? std::filesystem::path(arguments.folder)
                                   : std::filesystem::path(arguments.output.out),
      arguments.output);
  return exit_done;
}

}  // namespace

void add_best_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<BestArguments>();
  auto* best = app.add_subcommand(
      "best", "find the cell of a finished map whose lower bound is highest, and say how sure that is");
  best->add_option("folder", arguments->folder, "output folder of a finished map")->required()->check(not_empty());
  arguments->output.add(*best, "best", "the map's");
  best->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// pegrasp explain: which uncertain parameters decide in a finished map.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "src/cli/common.hpp"
#include "src/cli/decision_output.hpp"
#include "src/decide/explain.hpp"

namespace pegrasp::cli {
namespace {

struct ExplainArguments {
  std::string folder;
  std::int64_t cell = -1;
  DecisionOutput output;
};

int run(const ExplainArguments& arguments) {
  const decide::StoredMap map = decide::read_stored_map(arguments.folder, decide::Trials::all);
  const std::optional<std::size_t> cell =
      arguments.cell < 0 ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(arguments.cell));
  const decide::Explanation explanation = decide::explain(map, cell);
  write_decision({"explain",
                  decide::explain_text(map, explanation),
                  decide::explain_json(map, explanation),
                  {{"explain.csv", decide::explain_csv(explanation)},
                   {"explain_curves.csv", decide::curves_csv(explanation)},
                   {"explain_failures.csv", decide::failures_csv(map, explanation)}}},
                 arguments.output.out.empty() ? std::filesystem::path(arguments.folder)
                                              : std::filesystem::path(arguments.output.out),
                 arguments.output);
  return exit_done;
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ExplainArguments>();
  auto* explain = app.add_subcommand(
      "explain", "say which parameters decide about success in a finished map, and how its trials fail");
  explain->add_option("folder", arguments->folder, "output folder of a finished map")->required()->check(not_empty());
  explain->add_option("--cell", arguments->cell, "only the trials of this cell, from 0 (default: all cells)")
      ->check(whole_number(0, std::numeric_limits<int>::max()));
  arguments->output.add(*explain, "explain", "the map's");
  explain->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// For a program without the reference simulator: its commands are known, and say what to do.
#include "src/cli/reference_commands.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "pegrasp/problem.hpp"

namespace pegrasp::cli {

void add_reference_commands(CLI::App& app, int&) {
  for (const char* name : {"validate", "dump", "solve"}) {
    const std::string command = name;
    CLI::App* absent = app.add_subcommand(command, "not in this program: it was built without the reference simulator");
    absent->allow_extras();
    absent->callback([command] {
      throw InputError(command + ": this program was built without the reference simulator; " +
                       std::string(how_to_get_the_reference));
    });
  }
}

int run_formulation(const SceneChoice&, const FormulationWords&, const std::string&, bool,
                    const std::function<void(const nlohmann::ordered_json&)>&) {
  throw InputError("--formulation: this program was built without the reference simulator; " +
                   std::string(how_to_get_the_reference));
}

const ReferenceEngine* reference_engine() { return nullptr; }

}  // namespace pegrasp::cli

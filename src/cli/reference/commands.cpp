// SPDX-License-Identifier: Apache-2.0
#include "src/cli/reference/commands.hpp"

#include "src/cli/reference_commands.hpp"
#include "src/reference/reference.hpp"

namespace pegrasp::cli {

void add_reference_commands(CLI::App& app, int& exit_code) {
  add_validate_command(app, exit_code);
  add_dump_command(app, exit_code);
  add_solve_command(app, exit_code);
}

const ReferenceEngine* reference_engine() {
  static const std::unique_ptr<ReferenceEngine> engine = make_reference_engine();
  return engine.get();
}

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
// pegrasp map | evaluate | merge | run | replay | show | report | check | convexify | compare | explain | best | rare |
// validate | dump | solve | info.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "src/cli/command_line.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is a write that fails, reported as such
  const pegrasp::cli::Ending ending =
      pegrasp::cli::run_command(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  if (!ending.message.empty()) std::cerr << "pegrasp: " << ending.message << '\n';
  return ending.exit_code;
}

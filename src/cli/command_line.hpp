// SPDX-License-Identifier: Apache-2.0
// The whole command line, for the program and for others that call its commands.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pegrasp::cli {

// How a command ended: its exit code (src/cli/common.hpp) and, where that is not 0, one line that says why. A command
// that ended with exit_unaccepted has said why in its output.
struct Ending {
  int exit_code = 0;
  std::string message;
};

// Runs a command: its words, without the program's name. Words for people go to the calling thread's console. Throws
// nothing.
Ending run_command(const std::vector<std::string>& words);

// What `work` returns; where it throws, the ending that a command has by that.
Ending guarded(const std::function<Ending()>& work);

// One option or positional argument of a command.
struct CommandOption {
  std::string name;  // the long one, without "--"; of a positional argument its own
  std::string description, type;
  bool positional = false, flag = false, required = false;
  int least_values = 0, most_values = 0;  // that it takes at one place
};
struct CommandInfo {
  std::string name, description;
  std::vector<CommandOption> options;
};
std::vector<CommandInfo> list_commands();

}  // namespace pegrasp::cli

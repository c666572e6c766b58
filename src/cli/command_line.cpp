// SPDX-License-Identifier: Apache-2.0
// Every error is one line; bad input ends with exit code 2.
#include "src/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/reference_commands.hpp"
#include "src/cli/search_commands.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/text/passing_error.hpp"
#include "src/text/printable.hpp"
#include "src/text/revision.hpp"

namespace pegrasp::cli {
namespace {

void add_commands(CLI::App& app, int& exit_code) {
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done; 1 done, but something is not accepted (run, validate, solve); 2 bad input: do not try again "
      "unchanged; 3 an internal error; 75 a disk that is full or fails, or a folder that another run is writing: try "
      "again, with --resume; 130 stopped by Ctrl-C or SIGTERM: likewise.");
  add_map_command(app, exit_code);
  add_evaluate_command(app, exit_code);
  add_merge_command(app, exit_code);
  add_run_command(app, exit_code);
  add_replay_command(app, exit_code);
  add_show_command(app, exit_code);
  add_report_command(app, exit_code);
  add_check_command(app, exit_code);
  add_convexify_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_explain_command(app, exit_code);
  add_best_command(app, exit_code);
  add_rare_command(app, exit_code);
  add_design_command(app, exit_code);
  add_optimise_command(app, exit_code);
  add_identify_command(app, exit_code);
  add_plan_command(app, exit_code);
  add_reference_commands(app, exit_code);
  add_info_command(app, exit_code);
}

constexpr const char* program_words =
    "Success-probability maps of uncertain grasps, with contact that respects exact geometry.";

// "--record --h 0.005" would take "--h" for the name of a file, and stumble over 0.005.
std::string missing_value(const CLI::App& app, const std::vector<std::string>& words) {
  const auto is_option = [](const std::string& word) { return word.rfind("--", 0) == 0; };
  const CLI::App* command = nullptr;
  for (const CLI::App* known : app.get_subcommands({}))
    command = !words.empty() && known->get_name() == words[0] ? known : command;
  for (std::size_t i = 1; command != nullptr && i + 1 < words.size(); ++i) {
    const CLI::Option* const option = is_option(words[i]) ? command->get_option_no_throw(words[i]) : nullptr;
    if (option == nullptr || option->get_items_expected_min() == 0 || !is_option(words[i + 1])) continue;
    if (command->get_option_no_throw(words[i + 1].substr(0, words[i + 1].find('='))) == nullptr) continue;
    std::string value = option->get_type_name();
    value = value.substr(0, value.find(':'));
    return words[i] + " needs a value, " + value + ", and is followed by the option " + words[i + 1] +
           ": give the value; see pegrasp " + words[0] + " --help";
  }
  return {};
}

Ending obey(const std::vector<std::string>& words) {
  CLI::App app{program_words, "pegrasp"};
  int exit_code = exit_done;
  add_commands(app, exit_code);
  if (const std::string fault = missing_value(app, words); !fault.empty()) {
    return {exit_bad_input, printable_line(fault)};
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 takes them: the last one first
  } catch (const CLI::Success& done) {                                  // --help, --version
    app.exit(done, console().out, console().err);
    finish_output();
  } catch (const CLI::ParseError& error) {
    return {exit_bad_input, refusal(app, error)};
  }
  return {exit_code, {}};
}

// Whatever a message quotes from files or from a library, it is one line.
Ending complaint(int exit_code, const std::string& message) { return {exit_code, printable_line(message)}; }

CommandOption option_of(const CLI::Option& option) {
  CommandOption out;
  out.positional = option.get_positional();
  out.name = out.positional || option.get_lnames().empty() ? option.get_name(true) : option.get_lnames().front();
  if (!option.get_lnames().empty()) out.name = option.get_lnames().front();
  out.description = option.get_description();
  out.type = option.get_type_name();
  out.flag = option.get_expected_max() == 0;
  out.required = option.get_required();
  out.least_values = option.get_items_expected_min();
  out.most_values = option.get_items_expected_max();
  return out;
}

}  // namespace

Ending guarded(const std::function<Ending()>& work) {
  try {
    return work();
  } catch (const PassingError& error) {
    return complaint(exit_try_again, error.what());
  } catch (const WriteError& error) {
    return complaint(error.passes() ? exit_try_again : exit_bad_input, error.what());
  } catch (const InputError& error) {
    return complaint(exit_bad_input, error.what());
  } catch (const Interrupted& stopped) {
    return complaint(exit_stopped, stopped.what());
  } catch (const std::invalid_argument& error) {
    return complaint(exit_bad_input, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return complaint(may_pass(error.code().value()) ? exit_try_again : exit_bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return {exit_bad_input, "out of memory; ask for fewer samples, or a smaller scene"};
  } catch (const std::exception& error) {
    return complaint(exit_internal, error.what());
  }
}

Ending run_command(const std::vector<std::string>& words) {
  return guarded([&] { return obey(words); });
}

std::vector<CommandInfo> list_commands() {
  CLI::App app{program_words, "pegrasp"};
  int exit_code = exit_done;
  add_commands(app, exit_code);
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandInfo info{command->get_name(), command->get_description(), {}};
    for (const CLI::Option* option : command->get_options()) {
      if (option != command->get_help_ptr()) info.options.push_back(option_of(*option));
    }
    commands.push_back(std::move(info));
  }
  return commands;
}

}  // namespace pegrasp::cli

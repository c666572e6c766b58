// SPDX-License-Identifier: Apache-2.0
// pegrasp map | evaluate | merge | run | check | convexify | compare | explain | best | rare | validate | dump
// | solve | info.
// Every error is one line on stderr; bad input ends with exit code 2.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/reference_commands.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/text/passing_error.hpp"
#include "src/text/printable.hpp"
#include "src/text/revision.hpp"

namespace {

// One line on standard error, whatever a message quotes from files or from a library.
int complain(const std::string& message, int exit_code) {
  std::cerr << "pegrasp: " << pegrasp::printable_line(message) << '\n';
  return exit_code;
}

// Exit code of what the command line asks for; throws what main() prints.
int obey(CLI::App& app, const int& exit_code, int argc, char** argv) {
  using namespace pegrasp;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help, --version
    app.exit(done);
    cli::finish_output();
  } catch (const CLI::ParseError& error) {
    app.exit(error, std::cout, std::cerr);
    return cli::exit_bad_input;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace pegrasp;
  CLI::App app{"Success-probability maps of uncertain grasps, with contact that respects exact geometry.", "pegrasp"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.failure_message(
      [&app](const CLI::App*, const CLI::Error& error) { return "pegrasp: " + cli::refusal(app, error) + "\n"; });
  app.footer(
      "Exit codes: 0 done; 1 done, but something is not accepted (run, validate, solve); 2 bad input: do not try again "
      "unchanged; 3 an internal error; 75 a disk that is full or fails, or a folder that another run is writing: try "
      "again, with --resume; 130 stopped by Ctrl-C or SIGTERM: likewise.");
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is a write that fails, reported as such
  int exit_code = cli::exit_done;
  cli::add_map_command(app, exit_code);
  cli::add_evaluate_command(app, exit_code);
  cli::add_merge_command(app, exit_code);
  cli::add_run_command(app, exit_code);
  cli::add_check_command(app, exit_code);
  cli::add_convexify_command(app, exit_code);
  cli::add_compare_command(app, exit_code);
  cli::add_explain_command(app, exit_code);
  cli::add_best_command(app, exit_code);
  cli::add_rare_command(app, exit_code);
  cli::add_reference_commands(app, exit_code);
  cli::add_info_command(app, exit_code);
  try {
    return obey(app, exit_code, argc, argv);
  } catch (const PassingError& error) {
    return complain(error.what(), cli::exit_try_again);
  } catch (const WriteError& error) {
    return complain(error.what(), error.passes() ? cli::exit_try_again : cli::exit_bad_input);
  } catch (const InputError& error) {
    return complain(error.what(), cli::exit_bad_input);
  } catch (const Interrupted& stopped) {
    return complain(stopped.what(), cli::exit_stopped);
  } catch (const std::invalid_argument& error) {
    return complain(error.what(), cli::exit_bad_input);
  } catch (const std::filesystem::filesystem_error& error) {
    const bool passes = may_pass(error.code().value());
    return complain(error.what(), passes ? cli::exit_try_again : cli::exit_bad_input);
  } catch (const std::bad_alloc&) {
    std::cerr << "pegrasp: out of memory; ask for fewer samples, or a smaller scene\n";
    return cli::exit_bad_input;
  } catch (const std::exception& error) {
    return complain(error.what(), cli::exit_internal);
  }
}

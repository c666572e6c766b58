// SPDX-License-Identifier: Apache-2.0
// pegrasp_mcp_bench runs the MCP solver over the problem sets of tests/reference/problems/ and over steps of scenes
// with contact, on one thread. It prints a table and writes JSON. Exit code 1: a claim of the solver does not hold.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "bench/studies/thesis/mcp_beside.hpp"
#include "bench/studies/thesis/mcp_contact.hpp"
#include "bench/studies/thesis/mcp_report.hpp"
#include "bench/studies/thesis/mcp_run.hpp"

namespace {

using namespace pegrasp;

struct Arguments {
  std::vector<std::string> families;  // none: all
  std::vector<std::string> names;     // none: all
  bench::ContactOptions contact;
  std::string json;
  bool list = false, beside = false;
  bench::McpOptions options;
};

constexpr const char* contact = "contact";  // stands for all families of steps with contact

bool wanted(const std::vector<std::string>& asked, const std::string& name) {
  return asked.empty() || std::find(asked.begin(), asked.end(), name) != asked.end();
}

// Each problem that the arguments ask for, of the sets; then, when asked for, the steps with contact.
template <class TakeProblem, class TakeContacts>
void for_each_problem(const Arguments& arguments, TakeProblem take, TakeContacts take_contacts) {
  for (const problems::Family& family : problems::families()) {
    if (!wanted(arguments.families, family.name)) continue;
    std::cerr << family.name << " ..." << std::endl;
    for (const problems::NamedProblem& problem : family.make()) {
      if (wanted(arguments.names, problem.name)) take(problem);
    }
  }
  if (!wanted(arguments.families, contact)) return;
  std::cerr << contact << " ..." << std::endl;
  bench::ContactOptions steps = arguments.contact;
  steps.names = arguments.names;
  take_contacts(steps);
}

int nothing_to_run() {
  std::cerr << "pegrasp_mcp_bench: nothing to run\n";
  return 2;
}

int run_beside(const Arguments& arguments) {
  std::vector<bench::BesideRun> runs;
  for_each_problem(
      arguments, [&](const problems::NamedProblem& problem) { bench::run_beside(problem, arguments.options, runs); },
      [&](const bench::ContactOptions& steps) { bench::run_contacts_beside(steps, arguments.options, runs); });
  if (runs.empty()) return nothing_to_run();
  bench::print_beside_table(std::cout, runs, arguments.options);
  if (!arguments.json.empty()) bench::write_beside_json(arguments.json, runs, arguments.options);
  return 0;
}

int run_all(const Arguments& arguments) {
  const std::vector<problems::Family> families = problems::families();
  for (const std::string& asked : arguments.families) {
    if (asked != contact &&
        std::none_of(families.begin(), families.end(), [&](const auto& family) { return family.name == asked; })) {
      std::cerr << "pegrasp_mcp_bench: no family '" << asked << "'; --list names them\n";
      return 2;
    }
  }
  if (arguments.beside) return run_beside(arguments);
  std::vector<bench::McpRun> runs;
  for_each_problem(
      arguments,
      [&](const problems::NamedProblem& problem) {
        if (!bench::applies(arguments.options.solver, problem)) return;
        for (bench::McpRun& run : bench::run_mcp(problem, arguments.options)) runs.push_back(std::move(run));
      },
      [&](const bench::ContactOptions& steps) {
        bench::run_contacts(steps, arguments.options, [&](bench::McpRun run) { runs.push_back(std::move(run)); });
      });
  if (runs.empty()) return nothing_to_run();
  bench::print_mcp_table(std::cout, runs, arguments.options);
  if (!arguments.json.empty()) bench::write_mcp_json(arguments.json, runs, arguments.options);
  return std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.verdict == bench::Verdict::wrong; });
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{
      "The MCP solver over its problem sets and over steps with contact. Prints a table; times are processor time."};
  app.add_option("--family", arguments.families, "families to run (all)");
  app.add_option("--name", arguments.names, "problems to run, by name (all)");
  app.add_option("--more", arguments.contact.more, "times as many scenes with contact")->check(CLI::PositiveNumber);
  app.add_flag("--list", arguments.list, "name the families and how many problems they have, and stop");
  app.add_option("--json", arguments.json, "write the runs to this file too");
  app.add_option("--solver", arguments.options.solver,
                 "pegrasp, its ancestors lemke and josephy_newton, textbook_lemke, or path_library")
      ->check(CLI::IsMember(bench::mcp_solvers()));
  auto* tolerance =
      app.add_option("--tolerance", arguments.options.tolerance, "on the natural residual")->check(CLI::PositiveNumber);
  app.add_option("--tight", arguments.options.tight_tolerance, "of the second run; 0: none")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--time-limit", arguments.options.time_limit_s, "of one solve, by the clock on the wall [s]")
      ->check(CLI::PositiveNumber);
  app.add_option("--contact-time-limit", arguments.contact.time_limit_s, "the same for steps with contact [s]")
      ->check(CLI::PositiveNumber);
  app.add_option("--certify-nodes", arguments.options.certify_nodes, "leaves of a search for a proof")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--repeat", arguments.options.repeats, "timed runs of each")->check(CLI::PositiveNumber);
  std::string library;
  app.add_option("--path-library", library, "PATH's shared library, for --solver path_library");
  std::string beside;
  app.add_option("--beside", beside,
                 "PATH's shared library: run it beside ours, on what its licence allows, to --tolerance (1e-6)")
      ->excludes("--solver")
      ->excludes("--path-library");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!beside.empty()) {
      arguments.beside = true;
      library = beside;
      if (tolerance->empty()) arguments.options.tolerance = 1e-6;  // PATH's own default
    }
    if (!library.empty()) arguments.options.path_library = std::make_shared<const mcp::PathLibrary>(library);
    if (arguments.list) {
      for (const problems::Family& family : problems::families()) {
        std::printf("%-20s %zu\n", family.name.c_str(), family.make().size());
      }
      std::printf("%-20s steps of scenes, in all contact models and forms\n", contact);
      return 0;
    }
    return run_all(arguments);
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_mcp_bench: " << error.what() << '\n';
    return 2;
  }
}

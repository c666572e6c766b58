// SPDX-License-Identifier: Apache-2.0
#include "bench/studies/thesis/mcp_beside.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "bench/machine.hpp"
#include "bench/origin.hpp"
#include "bench/quantile.hpp"
#include "pegrasp/version.hpp"

namespace pegrasp::bench {
namespace {

using reference::Form;
using reference::test::CapturedProblem;

// The first of two solves belongs to the second's answer.
void add_costs(mcp::Statistics& sum, const mcp::Statistics& more) {
  sum.majors += more.majors;
  sum.pivots += more.pivots;
}

bool solved(const McpRun& run, const McpOptions& options) { return run.residual <= options.tolerance; }

// `form`, `solve`: of steps with contact; the latter for the solver of the options that it is given.
void append(const problems::NamedProblem& problem, int start, const McpOptions& given, const std::string& form,
            const std::function<McpSolve(const McpOptions&)>& solve, std::vector<BesideRun>& runs) {
  McpOptions options = given;
  options.tight_tolerance = 0.0;
  const auto run = [&](const char* solver) {
    options.solver = solver;
    McpRun one = run_mcp(problem, start, options, solve ? solve(options) : McpSolve());
    one.form = form;
    one.size = size_range(one.n);
    return one;
  };
  BesideRun both;
  both.path = run("path_library");
  if (both.path.status == mcp::Status::bad_input) return;
  both.ours = run("pegrasp");
  runs.push_back(std::move(both));
}

struct Sums {
  int smallest = 0, largest = 0, problems = 0, ours = 0, infeasible = 0, path = 0, only_ours = 0, only_path = 0;
  std::vector<double> ours_ms, path_ms;
};

void add(Sums& sums, const BesideRun& run, const McpOptions& options) {
  const int n = run.ours.n;
  const bool ours = solved(run.ours, options);
  const bool path = solved(run.path, options);
  sums.smallest = sums.problems == 0 ? n : std::min(sums.smallest, n);
  sums.largest = std::max(sums.largest, n);
  ++sums.problems;
  sums.ours += ours ? 1 : 0;
  sums.infeasible += run.ours.verdict == Verdict::infeasible ? 1 : 0;
  sums.path += path ? 1 : 0;
  sums.only_ours += ours && !path ? 1 : 0;
  sums.only_path += path && !ours ? 1 : 0;
  sums.ours_ms.push_back(1e3 * run.ours.seconds);
  sums.path_ms.push_back(1e3 * run.path.seconds);
}

std::string milliseconds(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

void print_row(std::ostream& out, const std::string& name, const Sums& sums) {
  out << "| " << name << " | " << sums.smallest;
  if (sums.largest > sums.smallest) out << '-' << sums.largest;
  out << " | " << sums.problems << " | " << sums.ours << " | " << sums.infeasible << " | " << sums.path << " | "
      << sums.only_ours << " | " << sums.only_path;
  for (const auto* times : {&sums.ours_ms, &sums.path_ms}) {
    out << " | " << milliseconds(quantile(*times, 0.5)) << " | " << milliseconds(quantile(*times, 0.9));
  }
  out << " |\n";
}

nlohmann::ordered_json entry(const McpRun& run, const McpOptions& options) {
  return {{"solved", solved(run, options)},
          {"infeasible", run.verdict == Verdict::infeasible},
          {"status", mcp::status_name(run.status)},
          {"residual", run.residual},
          {"seconds", run.seconds},
          {"majors", run.statistics.majors},
          {"pivots", run.statistics.pivots},
          {"message", run.message}};
}

}  // namespace

void run_beside(const problems::NamedProblem& problem, const McpOptions& options, std::vector<BesideRun>& runs) {
  for (int start = 0; start < static_cast<int>(problem.starts.size()); ++start) {
    append(problem, start, options, "", {}, runs);
  }
}

void run_contacts_beside(const ContactOptions& contact, const McpOptions& given, std::vector<BesideRun>& runs) {
  const McpOptions options = contact_options(contact, given);
  for_each_contact_step(contact, [&](const CapturedProblem& captured, bool) {
    const problems::NamedProblem problem = named(captured);
    const char* const form = reference::test::name(captured.formulation.form);
    if (captured.formulation.form != Form::quadratic) {
      append(problem, 0, options, form, {}, runs);
      return;
    }
    const reference::LinearisedStep linear = linearise(captured.step, captured.formulation, captured.formulated);
    append(
        problem, 0, options, form,
        [&](const McpOptions& solver) -> McpSolve {
          return [&](const mcp::Options& made) {
            const mcp::Result first = call_solver(solver, linear.step.problem, linear.step.start, made);
            if (first.x.size() != linear.step.start.size()) return first;
            mcp::Result second = call_solver(solver, problem.problem, linear.back * first.x, made);
            add_costs(second.statistics, first.statistics);
            return second;
          };
        },
        runs);
  });
}

void print_beside_table(std::ostream& out, const std::vector<BesideRun>& runs, const McpOptions& options) {
  out << "pegrasp " << version::number << (*version::git ? " " : "") << version::git << ", " << version::compiler << ' '
      << version::build_type << ", beside " << options.path_library->version() << "; " << processor()
      << ", one thread, processor time\n\n"
      << "| problems | n | number | solved at " << options.tolerance
      << " | shown infeasible | solved by PATH | by ours only | by PATH only | ms, median | 90 % | PATH: ms, median | "
         "90 "
         "% |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  std::vector<std::string> order;
  std::map<std::string, Sums> sums;
  Sums all;
  for (const BesideRun& run : runs) {
    const McpRun& ours = run.ours;
    const std::string name = ours.form.empty() ? ours.family : ours.family + ", " + ours.form + ", " + ours.size;
    if (sums.find(name) == sums.end()) order.push_back(name);
    add(sums[name], run, options);
    add(all, run, options);
  }
  for (const std::string& name : order) print_row(out, name, sums[name]);
  print_row(out, "all", all);
}

void write_beside_json(const std::string& path, const std::vector<BesideRun>& runs, const McpOptions& options) {
  nlohmann::ordered_json json = origin();
  json["path"] = options.path_library->version();
  json["tolerance"] = options.tolerance;
  json["runs"] = nlohmann::ordered_json::array();
  for (const BesideRun& run : runs) {
    nlohmann::ordered_json one;
    one["family"] = run.ours.family;
    one["name"] = run.ours.name;
    one["start"] = run.ours.start;
    if (!run.ours.form.empty()) one["form"] = run.ours.form;
    one["size"] = run.ours.size;
    one["n"] = run.ours.n;
    one["ours"] = entry(run.ours, options);
    one["path"] = entry(run.path, options);
    json["runs"].push_back(std::move(one));
  }
  std::ofstream file(path);
  file << json.dump(1) << '\n';
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace pegrasp::bench

// SPDX-License-Identifier: Apache-2.0
#include "bench/studies/thesis/mcp_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <tuple>

#include "bench/machine.hpp"
#include "bench/origin.hpp"
#include "bench/quantile.hpp"
#include "pegrasp/version.hpp"

namespace pegrasp::bench {
namespace {

std::string number(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

const char* answer_name(problems::Answer answer) {
  switch (answer) {
    case problems::Answer::solvable:
      return "has a solution";
    case problems::Answer::infeasible:
      return "has no solution";
    case problems::Answer::unknown:
      break;
  }
  return "unknown whether it has a solution";
}

void print_row(std::ostream& out, const std::string& name, const std::vector<const McpRun*>& runs) {
  int smallest = runs.front()->n, largest = runs.front()->n, solved = 0, sum = 0, rounded = 0, tight = 0,
      infeasible = 0, missed = 0;
  double residual = 0.0;
  std::vector<double> pivots, per_pivot, milliseconds;
  for (const McpRun* run : runs) {
    smallest = std::min(smallest, run->n);
    largest = std::max(largest, run->n);
    solved += run->verdict == Verdict::solved ? 1 : 0;
    sum += run->verdict == Verdict::sum ? 1 : 0;
    rounded += run->verdict == Verdict::rounded ? 1 : 0;
    tight += run->tight ? 1 : 0;
    infeasible += run->verdict == Verdict::infeasible ? 1 : 0;
    missed += run->verdict == Verdict::missed || run->verdict == Verdict::wrong ? 1 : 0;
    if (run->verdict == Verdict::solved || run->verdict == Verdict::sum || run->verdict == Verdict::rounded)
      residual = std::max(residual, run->residual);
    const auto count = static_cast<double>(run->statistics.pivots);
    pivots.push_back(count);
    if (count > 0.0) per_pivot.push_back(1e6 * run->statistics.pivot_seconds / count);
    milliseconds.push_back(1e3 * run->seconds);
  }
  out << "| " << name << " | " << smallest;
  if (largest > smallest) out << "-" << largest;
  out << " | " << runs.size() << " | " << solved << " | " << tight << " | " << sum << " | " << rounded << " | "
      << infeasible << " | " << missed << " | " << number("%.0f", quantile(pivots, 0.5)) << " | "
      << number("%.2f", quantile(per_pivot, 0.5)) << " | " << number("%.1e", residual) << " | "
      << number("%.3f", quantile(milliseconds, 0.5)) << " | " << number("%.3f", quantile(milliseconds, 0.9)) << " |\n";
}

}  // namespace

void print_mcp_table(std::ostream& out, const std::vector<McpRun>& runs, const McpOptions& options) {
  out << "pegrasp " << version::number << (*version::git ? " " : "") << version::git << ", " << version::compiler << ' '
      << version::build_type << ", " << processor() << ", one thread, processor time; solver " << options.solver
      << "\n\n"
      << "| family | n | runs | solved at " << number("%.0e", options.tolerance) << " | at "
      << number("%.0e", options.tight_tolerance)
      << " | as a sum | to rounding | shown infeasible | not solved | pivots, median | us/pivot, median | residual, "
         "max | ms, "
         "median | ms, 90 % "
         "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  // The problem sets in their order, then the classes of steps with contact in theirs.
  std::vector<std::string> families;
  std::map<std::string, std::vector<const McpRun*>> sets;
  std::map<std::tuple<std::string, std::string, int>, std::vector<const McpRun*>> steps;
  for (const McpRun& run : runs) {
    if (run.form.empty()) {
      if (sets[run.family].empty()) families.push_back(run.family);
      sets[run.family].push_back(&run);
    } else {
      steps[{run.family, run.form, run.n <= 60 ? 0 : run.n <= 150 ? 1 : run.n <= 300 ? 2 : 3}].push_back(&run);
    }
  }
  std::vector<const McpRun*> everything;
  for (const std::string& family : families) {
    everything.insert(everything.end(), sets[family].begin(), sets[family].end());
    print_row(out, family, sets[family]);
  }
  if (families.size() > 1) print_row(out, "all", everything);
  for (const auto& [key, members] : steps) {
    print_row(out, std::get<0>(key) + ", " + std::get<1>(key) + ", " + members.front()->size, members);
  }
  bool any = false;
  for (const McpRun& run : runs) {
    if (run.verdict != Verdict::missed && run.verdict != Verdict::wrong) continue;
    if (!any) out << "\nNot solved:\n\n";
    any = true;
    out << "- " << run.family << " / " << run.name;
    if (run.form.empty()) out << ", start " << run.start;
    if (run.form == "quadratic, cold") out << ", cold";
    out << ": ";
    if (run.verdict == Verdict::wrong) out << "WRONG, ";
    out << mcp::status_name(run.status) << ", residual " << number("%.1e", run.residual) << ", "
        << run.statistics.pivots << " pivots, " << number("%.3g", 1e3 * run.seconds) << " ms; it "
        << answer_name(run.answer);
    if (!run.message.empty()) out << " (" << run.message << ")";
    out << "\n";
  }
}

void write_mcp_json(const std::string& path, const std::vector<McpRun>& runs, const McpOptions& options) {
  nlohmann::ordered_json json = origin();
  json["solver"] = options.solver;
  json["tolerance"] = options.tolerance;
  json["tight_tolerance"] = options.tight_tolerance;
  json["time_limit_s"] = options.time_limit_s;
  json["certify_nodes"] = options.certify_nodes;
  json["runs"] = nlohmann::ordered_json::array();
  for (const McpRun& run : runs) {
    nlohmann::ordered_json entry;
    entry["family"] = run.family;
    entry["name"] = run.name;
    entry["start"] = run.start;
    if (!run.form.empty()) {
      entry["form"] = run.form;
      entry["size"] = run.size;
    }
    entry["n"] = run.n;
    entry["answer"] = answer_name(run.answer);
    entry["verdict"] = verdict_name(run.verdict);
    entry["status"] = mcp::status_name(run.status);
    // Infinite is null in JSON.
    entry["residual"] = run.residual;
    if (run.verdict == Verdict::sum) entry["sum_residual"] = run.sum_residual;
    entry["tight"] = run.tight;
    entry["seconds"] = run.seconds;
    entry["majors"] = run.statistics.majors;
    entry["pivots"] = run.statistics.pivots;
    entry["pivot_seconds"] = run.statistics.pivot_seconds;
    entry["factorisations"] = run.statistics.factorisations;
    entry["function_evaluations"] = run.statistics.function_evaluations;
    entry["jacobian_evaluations"] = run.statistics.jacobian_evaluations;
    entry["restarts"] = run.statistics.restarts;
    entry["gradient_steps"] = run.statistics.gradient_steps;
    entry["watchdog_returns"] = run.statistics.watchdog_returns;
    entry["message"] = run.message;
    json["runs"].push_back(std::move(entry));
  }
  std::ofstream file(path);
  file << json.dump(1) << '\n';
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace pegrasp::bench

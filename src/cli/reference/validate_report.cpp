// SPDX-License-Identifier: Apache-2.0
#include "src/cli/reference/validate_report.hpp"

#include <algorithm>
#include <cstdio>

#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"

namespace pegrasp::cli {
namespace {

using nlohmann::ordered_json;
using reference::Disagreement;
using reference::SideTally;
using reference::StepDifference;
using reference::Trial;

constexpr std::size_t most_listed = 20;  // lines of one kind in the text; JSON has all

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

template <class Count>
std::string percent(Count part, Count whole) {
  if (whole == 0) return "none";
  char text[64];
  std::snprintf(text, sizeof text, "%lld of %lld, %.2f %%", static_cast<long long>(part), static_cast<long long>(whole),
                100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

class Table {
 public:
  explicit Table(std::string& out) : out_(out) {}
  void head(const std::string& what, const std::string& fast, const std::string& other) {
    row(what, fast, other);
    out_ += std::string(what_width + 2 * side_width, '-') + '\n';
  }
  void row(const std::string& what, const std::string& fast, const std::string& other) {
    pad(what, what_width);
    pad(fast, side_width);
    out_ += other + '\n';
  }
  void both(const std::string& what, const std::string& value) {
    pad(what, what_width);
    out_ += value + '\n';
  }

 private:
  static constexpr std::size_t what_width = 46, side_width = 24;
  void pad(const std::string& text, std::size_t width) {
    out_ += text + std::string(text.size() < width ? width - text.size() : 1, ' ');
  }
  std::string& out_;
};

std::string trial_words(const ValidateReport& report, std::size_t trial) {
  const Trial& t = report.job.trials[trial];
  return t.cell < 0 ? std::string("the scene")
                    : "cell " + std::to_string(t.cell) + " sample " + std::to_string(t.sample);
}

std::string replay_command(const ValidateReport& report, std::size_t trial) {
  const Trial& t = report.job.trials[trial];
  std::string out = "pegrasp validate " + report.file;
  if (t.cell >= 0) out += " --cell " + std::to_string(t.cell) + " --sample " + std::to_string(t.sample);
  if (report.other != nullptr) out += " --against " + report.against;
  return out + report.replay;
}

std::string per(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? number(static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string other_name(const ValidateReport& report) {
  return report.other != nullptr ? report.other->name() + ", strict" : "reference simulator";
}

std::string fast_name(const ValidateReport& report, const std::string& device) {
  return device + ", " + name_of(report.job.options.solver) + ", " + name_of(report.job.arithmetic);
}

void sides(Table& table, const SideTally& fast, const SideTally& other, const std::string& unresolved, bool reference) {
  table.row("overlap, largest [m]", number(fast.penetration_max), number(other.penetration_max));
  table.row(unresolved, std::to_string(fast.unresolved), std::to_string(other.unresolved));
  table.row(reference ? "iterations, pivots a solve" : "iterations a solve", per(fast.iterations, fast.solves),
            per(other.iterations, other.solves));
  table.row("time [s]", number(fast.seconds), number(other.seconds));
}

void steps_text(const ValidateReport& report, std::string& out) {
  const reference::StepComparison& s = *report.steps;
  Table table(out);
  // Single steps are taken by the CPU code; its strict arithmetic is that of every backend.
  table.head("step by step, from the same states", fast_name(report, "cpu"), "reference simulator");
  table.both("steps", std::to_string(s.steps) + " of " + std::to_string(report.job.trials.size()) +
                          (report.job.trials.size() == 1 ? " trial" : " trials"));
  table.both("velocities differ by, largest [m/s]", number(s.largest));
  table.both("  99 % of the steps by less than", number(s.quantile_99));
  table.both("  by " + number(report.tolerances.velocity) + " or less", number(100.0 * s.within) + " % of the steps");
  if (s.frictionless_steps > 0) {
    table.both("  " + std::to_string(s.frictionless_steps) + " without friction: 99 % by less than",
               number(s.frictionless_quantile_99));
    table.both("  " + std::to_string(s.unique_steps) + " of them unique: largest", number(s.unique_largest));
  }
  table.both("steps with a tie of features",
             std::to_string(s.ties) + ", " + std::to_string(s.open_ties) + " left open");
  table.both("other steps linearised differently", std::to_string(s.otherwise));
  table.both(report.job.spatial_scene ? "steps linearised again, left open" : "steps in substeps, left open",
             std::to_string(s.open_passes));
  if (report.job.spatial_scene) table.both("steps accepted although too deep", std::to_string(s.sank));
  table.both("steps checked by the reference simulator", percent(s.assessed, s.compared));
  table.both("  solutions of another linearisation", std::to_string(s.found_otherwise));
  table.both("  no solutions", std::to_string(s.unexplained));
  table.row("natural-map residual, largest [m/s]", number(s.fast.residual_max), number(s.other.residual_max));
  table.row("  99 % of the steps by less than", number(s.residual_99), "");
  table.row("  by the product's own account", number(s.fast.reported_residual_max), "");
  table.row("complementarity residual, largest", number(s.fast.mcp_residual_max), number(s.other.mcp_residual_max));
  table.row("  steps with an MCP short of its tolerance", "", std::to_string(s.other.mcp_short));
  sides(table, s.fast, s.other, "steps unresolved", true);
  out +=
      "Checked: the residuals of all steps that are not left open. The product's residual is that of its velocities\n"
      "in the reference simulator's equations";
  out += s.frictionless_steps == 0
             ? ".\nShown only: velocities, because a step with friction at contacts may have several solutions.\n"
             : ".\nChecked too: velocities without friction; those that are unique must agree within " +
                   number(report.tolerances.unique_velocity) + " m/s.\nShown only: velocities with friction.\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(5, s.worst.size()); ++i) {
    const StepDifference& d = s.worst[i];
    const bool solution = d.left_open || d.residual_fast <= report.tolerances.step_residual;
    if (solution && !(d.velocity > report.tolerances.velocity)) continue;
    out += "  " + number(d.velocity) + " m/s in step " + std::to_string(d.step) + " of " +
           trial_words(report, d.trial) + ": residuals " + (d.left_open ? "-" : number(d.residual_fast)) + " and " +
           number(d.residual_other) + " m/s, contacts " + std::to_string(d.contacts_fast) + " and " +
           std::to_string(d.contacts_other) + ", solves " + std::to_string(d.solves_fast) + " and " +
           std::to_string(d.solves_other) + (d.tie ? ", a tie of features" : "") +
           (d.left_open    ? ", left open"
            : d.both_found ? ", both are solutions, of different linearisations"
            : solution     ? (d.residual_fast <= report.tolerances.step_residual_99 ? ", both are solutions" : "")
            : d.tie        ? ", left open"
                           : ", the product's velocities are NO solution") +
           "\n    " + replay_command(report, d.trial) + " --every-step\n";
  }
  out += '\n';
}

void list_unresolved(const ValidateReport& report, const std::vector<std::size_t>& trials, const std::string& who,
                     std::string& out) {
  for (std::size_t i = 0; i < std::min(most_listed, trials.size()); ++i) {
    out += "  unresolved by " + who + ": " + trial_words(report, trials[i]) + "\n    " +
           replay_command(report, trials[i]) + '\n';
  }
}

void trajectories_text(const ValidateReport& report, std::string& out) {
  const reference::TrajectoryComparison& t = *report.trajectories;
  Table table(out);
  table.head("whole trajectories", fast_name(report, report.fast.name()), other_name(report));
  if (t.has_outcomes) {
    table.both("outcomes alike", percent(t.alike, t.both_resolved));
    if (report.job.spatial_scene && report.other == nullptr) {
      table.both("  others whose checked steps are solutions", std::to_string(t.allowed));
    }
    table.row("succeeded", std::to_string(t.successes_fast), std::to_string(t.successes_other));
  } else {
    table.both("outcomes alike", "not compared: the scene has no success rule");
  }
  table.both("identical to the last bit", percent(t.identical, t.trials));
  table.both("final poses differ by, median, largest [m]", number(t.pose_quantile_50) + ", " + number(t.pose_largest));
  table.row("residual by own account, largest [m/s]", number(t.fast.residual_max), number(t.other.residual_max));
  sides(table, t.fast, t.other, "trials unresolved", report.other == nullptr);
  out += "Checked: ";
  out += t.has_outcomes ? "outcomes, residuals, trials unresolved" : "residuals, trials unresolved";
  out += t.same_bits_promised ? ", bits.\n" : ". Shown only: final poses, bits.\n";
  for (std::size_t i = 0; i < std::min(most_listed, t.disagreements.size()); ++i) {
    const Disagreement& d = t.disagreements[i];
    out += "  " + trial_words(report, d.trial) + ": success " + std::to_string(d.fast.success) + " and " +
           std::to_string(d.other.success) + (d.reason.empty() ? "" : "; " + d.reason) + "\n    " +
           replay_command(report, d.trial) + '\n';
  }
  if (t.disagreements.size() > most_listed) {
    out += "  and " + std::to_string(t.disagreements.size() - most_listed) + " more; --json lists all\n";
  }
  list_unresolved(report, t.unresolved_fast, report.fast.name(), out);
  list_unresolved(report, t.unresolved_other, other_name(report), out);
  out += '\n';
}

ordered_json side_json(const SideTally& side) {
  return {{"residual_max_m_s", side.residual_max},
          {"reported_residual_max_m_s", side.reported_residual_max},
          {"complementarity_residual_max", side.mcp_residual_max},
          {"mcp_short", side.mcp_short},
          {"penetration_max_m", side.penetration_max},
          {"unresolved", side.unresolved},
          {"iterations", side.iterations},
          {"solves", side.solves},
          {"seconds", side.seconds}};
}

ordered_json trial_json(const ValidateReport& report, std::size_t trial) {
  const Trial& t = report.job.trials[trial];
  ordered_json out;
  if (t.cell >= 0) out = {{"cell", t.cell}, {"sample", t.sample}};
  out["replay"] = replay_command(report, trial);
  return out;
}

ordered_json difference_json(const StepDifference& d) {
  return {{"step", d.step},
          {"velocity_m_s", d.velocity},
          {"residual_fast_m_s", d.residual_fast},
          {"reported_residual_fast_m_s", d.reported_fast},
          {"residual_other_m_s", d.residual_other},
          {"complementarity_fast", d.complementarity_fast},
          {"contacts_fast", d.contacts_fast},
          {"contacts_other", d.contacts_other},
          {"solves_fast", d.solves_fast},
          {"solves_other", d.solves_other},
          {"tie", d.tie},
          {"both_found", d.both_found}};
}

ordered_json steps_json(const ValidateReport& report) {
  const reference::StepComparison& s = *report.steps;
  ordered_json out{{"steps", s.steps},
                   {"frictionless_steps", s.frictionless_steps},
                   {"unique_steps", s.unique_steps},
                   {"velocity_largest_m_s", s.largest},
                   {"velocity_q99_m_s", s.quantile_99},
                   {"frictionless_velocity_q99_m_s", s.frictionless_quantile_99},
                   {"unique_velocity_largest_m_s", s.unique_largest},
                   {"compared", s.compared},
                   {"assessed", s.assessed},
                   {"solutions_of_other_rows", s.found_otherwise},
                   {"no_solutions", s.unexplained},
                   {"ties_left_open", s.open_ties},
                   {"passes_left_open", s.open_passes},
                   {"accepted_too_deep", s.sank},
                   {"residual_q99_m_s", s.residual_99},
                   {"share_within_tolerance", s.within},
                   {"ties", s.ties},
                   {"linearised_differently", s.otherwise},
                   {"fast", side_json(s.fast)},
                   {"other", side_json(s.other)},
                   {"worst", ordered_json::array()}};
  for (const StepDifference& d : s.worst) {
    ordered_json one = trial_json(report, d.trial);
    one.update(difference_json(d));
    out["worst"].push_back(one);
  }
  return out;
}

ordered_json trajectories_json(const ValidateReport& report) {
  const reference::TrajectoryComparison& t = *report.trajectories;
  ordered_json out{{"trials", t.trials},
                   {"both_resolved", t.both_resolved},
                   {"outcomes_assessed", t.has_outcomes},
                   {"bits_assessed", t.same_bits_promised},
                   {"alike", t.alike},
                   {"allowed", t.allowed},
                   {"successes_fast", t.successes_fast},
                   {"successes_other", t.successes_other},
                   {"identical", t.identical},
                   {"pose_median_m", t.pose_quantile_50},
                   {"pose_largest_m", t.pose_largest},
                   {"fast", side_json(t.fast)},
                   {"other", side_json(t.other)},
                   {"disagreements", ordered_json::array()},
                   {"unresolved_fast", ordered_json::array()},
                   {"unresolved_other", ordered_json::array()}};
  for (const Disagreement& d : t.disagreements) {
    ordered_json one = trial_json(report, d.trial);
    one["success_fast"] = d.fast.success;
    one["success_other"] = d.other.success;
    if (report.other == nullptr) {
      one["outcomes_fast"] = d.fast_set;
      one["outcomes_other"] = d.other_set;
      one["not_unique"] = d.not_unique();
      if (d.parted >= 0) one["parting"] = difference_json(d.parting);
      one["reason"] = d.reason;
    }
    out["disagreements"].push_back(one);
  }
  for (const std::size_t i : t.unresolved_fast) out["unresolved_fast"].push_back(trial_json(report, i));
  for (const std::size_t i : t.unresolved_other) out["unresolved_other"].push_back(trial_json(report, i));
  return out;
}

}  // namespace

std::vector<std::string> failures_of(const ValidateReport& report) {
  std::vector<std::string> out;
  if (report.steps) out = failures(*report.steps, report.tolerances);
  if (report.trajectories) {
    for (std::string& line : failures(*report.trajectories, report.tolerances, report.other == nullptr)) {
      out.push_back(std::move(line));
    }
    if (!report.steps && !report.trajectories->assessed()) {
      out.push_back(std::string("no outcome was compared: the scene has no success rule; ") +
                    (report.other == nullptr ? "--every-step checks its steps"
                                             : "two sides in strict arithmetic are compared bit by bit"));
    }
  }
  return out;
}

std::string report_text(const ValidateReport& report, const std::vector<std::string>& wrong) {
  std::string out;
  if (report.steps) steps_text(report, out);
  if (report.trajectories) trajectories_text(report, out);
  if (wrong.empty()) out += "within the tolerances\n";
  for (const std::string& line : wrong) out += "NOT within the tolerances: " + line + '\n';
  return out;
}

ordered_json report_json(const ValidateReport& report, const std::vector<std::string>& wrong) {
  ordered_json out{{"file", report.file},
                   {"trials", report.job.trials.size()},
                   {"backend", report.fast.name()},
                   {"device", report.fast.device()},
                   {"solver", name_of(report.job.options.solver)},
                   {"strategy", name_of(report.job.options.strategy)},
                   {"arithmetic", name_of(report.job.arithmetic)},
                   {"against", report.against},
                   {"h_s", report.job.options.h},
                   {"tolerances",
                    {{"residual_m_s", report.tolerances.residual},
                     {"step_residual_m_s", report.tolerances.step_residual},
                     {"step_residual_q99_m_s", report.tolerances.step_residual_99},
                     {"velocity_m_s", report.tolerances.velocity},
                     {"unique_velocity_m_s", report.tolerances.unique_velocity},
                     {"agreement", report.tolerances.agreement},
                     {"reference_resolved", report.tolerances.reference_resolved},
                     {"product_resolved", report.tolerances.product_resolved}}}};
  if (report.steps) out["every_step"] = steps_json(report);
  if (report.trajectories) out["trajectories"] = trajectories_json(report);
  out["within_tolerances"] = wrong.empty();
  out["outside"] = wrong;
  // A stored report shows which code gave it, under the names that a map's summary has.
  out["version"] = version::number;
  out["git"] = version::git;
  out["compiler"] = version::compiler;
  out["build_type"] = version::build_type;
  return out;
}

}  // namespace pegrasp::cli

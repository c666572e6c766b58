// SPDX-License-Identifier: Apache-2.0
#include "src/reference/compare/profile.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pegrasp::reference {
namespace {

// A clock cannot measure shorter times [s]; without this a ratio could be infinite.
constexpr double shortest_time = 1e-7;

double time_of(const Attempt& attempt) { return std::max(attempt.seconds, shortest_time); }

// Element at a share of a sorted list, the lower of two.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0.0;
  const double place = std::ceil(share * static_cast<double>(sorted.size())) - 1.0;
  return sorted[static_cast<std::size_t>(std::max(0.0, place))];
}

std::string text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : "inf";
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end.ptr};
}

// As RFC 4180 has it.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

SolverSums sums(const std::vector<Attempt>& attempts) {
  SolverSums all;
  std::vector<double> seconds, residuals;
  for (const Attempt& attempt : attempts) {
    ++all.problems;
    all.solved += attempt.outcome == Outcome::solved ? 1 : 0;
    all.infeasible += attempt.outcome == Outcome::infeasible ? 1 : 0;
    all.unsolved += attempt.outcome == Outcome::unsolved ? 1 : 0;
    all.not_applicable += attempt.outcome == Outcome::not_applicable ? 1 : 0;
    if (attempt.outcome == Outcome::solved) all.residual_max = std::max(all.residual_max, attempt.residual);
    if (attempt.outcome == Outcome::not_applicable) continue;
    seconds.push_back(attempt.seconds);
    residuals.push_back(attempt.residual);
    all.seconds_total += attempt.seconds;
  }
  std::sort(seconds.begin(), seconds.end());
  std::sort(residuals.begin(), residuals.end());
  all.residual_median = quantile(residuals, 0.5);
  all.seconds_median = quantile(seconds, 0.5);
  all.seconds_90 = quantile(seconds, 0.9);
  return all;
}

Profile performance_profile(const std::vector<std::vector<Attempt>>& attempts) {
  Profile profile;
  const std::size_t solvers = attempts.size();
  const std::size_t problems = solvers > 0 ? attempts.front().size() : 0;
  std::vector<std::vector<double>> ratios(solvers);
  for (std::size_t p = 0; p < problems; ++p) {
    double best = mcp::infinity;
    bool infeasible = false;
    for (const auto& of_solver : attempts) {
      infeasible = infeasible || of_solver[p].outcome == Outcome::infeasible;
      if (of_solver[p].outcome == Outcome::solved) best = std::min(best, time_of(of_solver[p]));
    }
    if (infeasible) continue;
    ++profile.problems;
    for (std::size_t s = 0; s < solvers; ++s) {
      if (attempts[s][p].outcome == Outcome::solved) ratios[s].push_back(time_of(attempts[s][p]) / best);
    }
  }
  if (profile.problems == 0) return profile;
  profile.tau.push_back(1.0);
  for (std::vector<double>& list : ratios) {
    std::sort(list.begin(), list.end());
    profile.tau.insert(profile.tau.end(), list.begin(), list.end());
  }
  std::sort(profile.tau.begin(), profile.tau.end());
  profile.tau.erase(std::unique(profile.tau.begin(), profile.tau.end()), profile.tau.end());
  for (const std::vector<double>& list : ratios) {
    std::vector<double>& rho = profile.rho.emplace_back();
    for (const double tau : profile.tau) {
      const auto within = std::upper_bound(list.begin(), list.end(), tau) - list.begin();
      rho.push_back(static_cast<double>(within) / profile.problems);
    }
  }
  return profile;
}

std::string profile_csv(const Comparison& comparison) {
  const Profile profile = performance_profile(comparison.attempts);
  std::string out = "tau";
  for (const std::string& solver : comparison.solvers) out += "," + quoted(solver);
  out += '\n';
  for (std::size_t k = 0; k < profile.tau.size(); ++k) {
    out += text(profile.tau[k]);
    for (const std::vector<double>& rho : profile.rho) out += "," + text(rho[k]);
    out += '\n';
  }
  return out;
}

std::string solves_csv(const Comparison& comparison) {
  std::string out = "file,problem,solver,outcome,residual,seconds,iterations,message\n";
  for (std::size_t p = 0; p < comparison.problems.size(); ++p) {
    for (std::size_t s = 0; s < comparison.solvers.size(); ++s) {
      const Attempt& attempt = comparison.attempts[s][p];
      out += quoted(comparison.files[p]) + ',' + quoted(comparison.problems[p]) + ',' + comparison.solvers[s] + ',' +
             outcome_name(attempt.outcome) + ',' + text(attempt.residual) + ',' + text(attempt.seconds) + ',' +
             std::to_string(attempt.iterations) + ',' + quoted(attempt.message) + '\n';
    }
  }
  return out;
}

}  // namespace pegrasp::reference

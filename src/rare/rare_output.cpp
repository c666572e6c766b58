// SPDX-License-Identifier: Apache-2.0
// Rare failures as text, CSV and JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "pegrasp/version.hpp"
#include "src/decide/numbers.hpp"
#include "src/rare/rare.hpp"

namespace pegrasp::rare {
namespace {

using decide::shortest_text;
using decide::text_of;
using Json = nlohmann::ordered_json;

double measure_at(double distance, const RareOptions& options) {
  return options.limit + (options.above ? -distance : distance);
}

std::string condition(const RareResult& result, const RareOptions& options) {
  if (options.measure == "success" && options.limit == 0.0 && !options.above) return "[success] does not hold";
  return result.measure + (options.above ? " above " : " below ") + shortest_text(options.limit);
}

// Of the k-th of the worst trials. What is not in its row, the variants, is set.
std::string replay_of(const Problem& problem, const RareResult& result, const RareOptions& options,
                      const std::string& file, const std::string& rows, std::size_t k) {
  std::string sets;
  const std::vector<std::string>& chosen = result.worst[k].variants;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    sets += " --set " + decide::shell_word("body." + problem.variants->bodies[i].body + ".variant=" + chosen[i]);
  return "pegrasp run " + decide::shell_word(file) + " --samples-from " + decide::shell_word(rows) + " --cell " +
         std::to_string(options.cell) + " --sample " + std::to_string(k) + sets;
}

const char* end_name(End end) {
  switch (end) {
    case End::reached:
      return "estimated";
    case End::atoms:
      return "atoms";
    case End::not_reached:
      break;
  }
  return "not_reached";
}

Json levels_of(const Run& run, const RareOptions& options) {
  Json levels = Json::array();
  for (const Level& level : run.levels) {
    levels.push_back({{"measure", measure_at(level.threshold, options)},
                      {"probability", level.probability},
                      {"acceptance", level.acceptance},
                      {"trials", level.trials},
                      {"unresolved", level.unresolved}});
  }
  return levels;
}

// Of the runs, where there are any.
std::vector<Level> mean_levels(const SubsetResult& result) {
  std::vector<Level> levels = result.pilot.levels;
  if (result.runs.empty()) return levels;
  const auto runs = static_cast<double>(result.runs.size());
  for (std::size_t k = 0; k < levels.size(); ++k) {
    double probability = 0.0, acceptance = 0.0, reached = 0.0;
    for (const Run& run : result.runs) {
      if (k >= run.levels.size()) continue;
      probability += run.levels[k].probability;
      acceptance += run.levels[k].acceptance;
      reached += 1.0;
    }
    levels[k].probability = probability / runs;
    levels[k].acceptance = reached > 0.0 ? acceptance / reached : 0.0;
  }
  return levels;
}

}  // namespace

std::string no_result(const RareResult& result, const RareOptions& options) {
  const Run& pilot = result.subsets.pilot;
  if (result.end == End::atoms) {
    return "no result: " + text_of("%.0f", 100.0 * pilot.stuck_share) + " % of the trials of level " +
           std::to_string(pilot.levels.size()) + " have the same " + result.measure + " or a smaller one, " +
           text_of("%.6g", measure_at(pilot.stuck_at, options)) +
           ", so that nothing leads towards the failure; name another --measure, or count with pegrasp map";
  }
  if (result.end == End::not_reached) {
    return "no result: down to a probability of " + text_of("%.0e", pilot.levels.back().probability) +
           " no trial comes nearer than " + result.measure + " " + text_of("%.6g", measure_at(pilot.nearest, options)) +
           "; the failure is rarer than that, or cannot happen";
  }
  return {};
}

std::string rare_csv(const RareResult& result, const RareOptions& options) {
  std::string out = "run,level,measure,probability,acceptance,trials,unresolved\n";
  const auto add = [&](const Run& run, const std::string& name) {
    for (std::size_t k = 0; k < run.levels.size(); ++k) {
      const Level& level = run.levels[k];
      out += name + "," + std::to_string(k + 1) + "," + shortest_text(measure_at(level.threshold, options)) + "," +
             shortest_text(level.probability) + "," + shortest_text(level.acceptance) + "," +
             std::to_string(level.trials) + "," + std::to_string(level.unresolved) + "\n";
    }
  };
  add(result.subsets.pilot, "pilot");
  for (std::size_t r = 0; r < result.subsets.runs.size(); ++r) add(result.subsets.runs[r], std::to_string(r + 1));
  return out;
}

std::string rare_json(const Problem& problem, const RareResult& result, const RareOptions& options,
                      const std::string& file, const std::string& rows) {
  Json out;
  out["kind"] = "rare";
  out["title"] = problem.title;
  out["version"] = version::number;
  out["git"] = version::git;
  out["cell"] = options.cell;
  out["seed"] = problem.seed;
  out["measure"] = result.measure;
  out["unit"] = result.unit;
  out[options.above ? "above" : "below"] = options.limit;
  out["status"] = end_name(result.end);
  if (result.end == End::reached) {
    out["probability"] = result.estimate.mean;
    out["ci_low"] = result.estimate.interval.low;
    out["ci_high"] = result.estimate.interval.high;
    out["relative_standard_error"] = result.estimate.relative_error;
    out["trials_to_count"] = result.counting;
    out["runs_without_failure"] = result.runs_without;
  } else {
    out["reason"] = no_result(result, options);
  }
  out["trials"] = result.subsets.trials;
  out["unresolved"] = result.subsets.unresolved;
  out["runs"] = options.runs;
  out["trials_a_level"] = options.samples;
  out["device"] = result.device;
  out["pilot"] = {{"levels", levels_of(result.subsets.pilot, options)}};
  Json& runs = out["levels_of_runs"] = Json::array();
  for (const Run& run : result.subsets.runs)
    runs.push_back({{"probability", run.probability}, {"levels", levels_of(run, options)}});
  const std::vector<SampledColumn> columns = sampled_columns(problem.of_trial(options.cell, 0));
  Json& worst = out["worst"] = Json::array();
  for (std::size_t k = 0; k < result.worst.size(); ++k) {
    Json values;
    for (std::size_t c = 0; c < columns.size(); ++c)
      values[columns[c].name + " [" + columns[c].unit + "]"] = result.worst[k].values[c];
    Json one = {{"measure", result.worst[k].measure}, {"values", values}};
    for (std::size_t i = 0; i < result.worst[k].variants.size(); ++i)
      one["variants"][problem.variants->bodies[i].body] = result.worst[k].variants[i];
    if (!rows.empty()) one["replay"] = replay_of(problem, result, options, file, rows, k);
    worst.push_back(one);
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string rare_text(const Problem& problem, const RareResult& result, const RareOptions& options,
                      const std::string& file, const std::string& rows) {
  const SubsetResult& subsets = result.subsets;
  std::string out = "problem     " + (problem.title.empty() ? file : problem.title) + ", cell " +
                    std::to_string(options.cell) + "\nfailure     " + condition(result, options) +
                    (result.unit.empty() ? "" : " " + result.unit) + "\n";
  if (result.end == End::reached) {
    const Estimate& e = result.estimate;
    out += "probability " + text_of("%.3g", e.mean) + " [" + text_of("%.3g", e.interval.low) + ", " +
           text_of("%.3g", e.interval.high) + "] at 95 %, relative standard error " +
           text_of("%.1f", 100.0 * e.relative_error) + " %\n";
    out += "trials      " + std::to_string(subsets.trials) + " in a pilot and " + std::to_string(options.runs) +
           " independent runs; counting needs " + text_of("%.2g", result.counting) + " for an interval as narrow\n";
  } else {
    out += "trials      " + std::to_string(subsets.trials) + ", in a pilot\n";
  }
  if (result.runs_without > 0) {
    out += "runs        " + std::to_string(result.runs_without) +
           " of them found no failure; take more trials a level (--per-level)\n";
  }
  out += std::string("levels      measure, probability of a ") + (options.above ? "larger" : "smaller") +
         " one, share of the chains' steps that were taken\n";
  for (const Level& level : mean_levels(subsets)) {
    out += "            " + text_of("%10.5g", measure_at(level.threshold, options)) +
           text_of("  %9.3g", level.probability) + text_of("  %5.2f", level.acceptance) + "\n";
  }
  if (subsets.unresolved > 0) {
    out += "unresolved  " + std::to_string(subsets.unresolved) +
           " trials; they count as failures at the upper end of the interval\n";
  }
  const std::size_t shown = std::min<std::size_t>(result.worst.size(), 3);
  for (std::size_t k = 0; k < shown; ++k) {
    out += (k == 0 ? "worst       " : "            ") + text_of("%.5g", result.worst[k].measure) +
           (rows.empty() ? std::string() : ": " + replay_of(problem, result, options, file, rows, k)) + "\n";
  }
  return out;
}

}  // namespace pegrasp::rare

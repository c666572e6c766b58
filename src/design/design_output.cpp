// SPDX-License-Identifier: Apache-2.0
// Verified designs as text, CSV and JSON.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numbers>

#include "pegrasp/interval.hpp"
#include "pegrasp/version.hpp"
#include "src/decide/numbers.hpp"
#include "src/design/verify.hpp"

namespace pegrasp::design {
namespace {

using decide::shortest_text;
using decide::text_of;
using Json = nlohmann::ordered_json;

const char* name_of(Level level) { return level_names[static_cast<int>(level)]; }

std::string seconds_text(double seconds) { return text_of("%.2f s", seconds); }

std::string list_of(const std::vector<std::size_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size() && i < 10; ++i) out += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return out + (numbers.size() > 10 ? ", ..." : "");
}

Json seconds_or_null(bool known, double seconds) { return known ? Json(seconds) : Json(nullptr); }

// The rows of Table 4.1: what each level cost, naive and hierarchical.
Json table_of(const DesignTotals& totals, const DesignOptions& options) {
  Json rows = Json::array();
  double sum = 0.0;
  for (std::size_t k = 0; k < options.levels.size(); ++k) {
    const bool last = k + 1 == options.levels.size();
    rows.push_back({{"level", name_of(options.levels[k])},
                    {"naive_s", seconds_or_null(options.naive && last, totals.naive_seconds)},
                    {"hierarchical_s", totals.seconds[k]}});
    sum += totals.seconds[k];
  }
  rows.push_back(
      {{"level", "total"}, {"naive_s", seconds_or_null(options.naive, totals.naive_seconds)}, {"hierarchical_s", sum}});
  return rows;
}

double saved_share(const DesignTotals& totals) {
  double sum = 0.0;
  for (const double seconds : totals.seconds) sum += seconds;
  return totals.naive_seconds > 0.0 ? 1.0 - sum / totals.naive_seconds : 0.0;
}

std::string trials_and_seconds(const Verdict& verdict) {
  return verdict.tried ? std::to_string(verdict.trials) + "," + shortest_text(verdict.seconds) : ",";
}

// The interval of the success probability of random trials of a design that passed them all.
Interval interval_of(const DesignResult& result) { return wilson_interval(result.random, result.random); }

// In millimetres and degrees.
Json picture_json(const DesignPicture& picture) {
  const auto outlines = [](const std::vector<std::vector<Vec2>>& all) {
    Json list = Json::array();
    for (const std::vector<Vec2>& outline : all) {
      Json points = Json::array();
      for (const Vec2& p : outline) points.push_back({1e3 * p.x, 1e3 * p.y});
      list.push_back(std::move(points));
    }
    return list;
  };
  Json paths = Json::array();
  for (const std::vector<Pose>& path : picture.paths) {
    Json places = Json::array();
    for (const Pose& q : path) places.push_back({1e3 * q.x, 1e3 * q.y, q.theta * 180.0 / std::numbers::pi});
    paths.push_back(std::move(places));
  }
  return {{"fixed_mm", outlines(picture.fixed)}, {"moving_mm", outlines(picture.moving)}, {"paths", paths}};
}

}  // namespace

DesignTotals totals_of(const DesignResult& result, const DesignOptions& options) {
  DesignTotals totals;
  totals.refused.assign(options.levels.size(), 0);
  totals.seconds.assign(options.levels.size(), 0.0);
  totals.trials.assign(options.levels.size(), 0);
  for (std::size_t i = 0; i < result.designs.size(); ++i) {
    const DesignRecord& record = result.designs[i];
    for (std::size_t k = 0; k < options.levels.size() && k <= record.refused_by; ++k) {
      const Verdict& verdict = record.of(options.levels[k]);
      totals.seconds[k] += verdict.seconds;
      totals.trials[k] += static_cast<std::size_t>(verdict.trials);
    }
    const bool passed = record.refused_by == options.levels.size();
    if (passed) {
      totals.passed.push_back(i);
    } else {
      ++totals.refused[record.refused_by];
    }
    if (!options.naive) continue;
    const Verdict& last = record.of(options.levels.back());
    totals.naive_seconds += last.seconds;
    totals.naive_trials += static_cast<std::size_t>(last.trials);
    if (last.passed && !passed) totals.contradictions.push_back(i);
  }
  return totals;
}

std::string design_text(const DesignResult& result, const DesignOptions& options) {
  const DesignTotals totals = totals_of(result, options);
  std::string out = options.designs == 0 ? "designs     that of the file"
                                         : "designs     " + std::to_string(result.designs.size()) + " drawn, " +
                                               std::to_string(result.parameters.size()) + " parameters";
  out += "; " + (result.grid > 0 ? std::to_string(result.grid) + " trials of the grid and " : std::string()) +
         std::to_string(result.random) + " random ones each, up to the first failure\n";
  for (std::size_t k = 0; k < options.levels.size(); ++k) {
    std::string name = name_of(options.levels[k]);
    name.resize(12, ' ');
    out += name + "refused " + std::to_string(totals.refused[k]) + ", in " + seconds_text(totals.seconds[k]) + "\n";
  }
  out += "passed      " + std::to_string(totals.passed.size()) +
         (totals.passed.empty() ? "" : ": " + list_of(totals.passed)) + "\n";
  if (!totals.passed.empty() && options.levels.back() != Level::geometric) {
    out += "            P(success) of random trials at least " + text_of("%.4f", interval_of(result).low) +
           " (lower 95 % bound)\n";
  }
  if (options.naive) {
    double sum = 0.0;
    for (const double seconds : totals.seconds) sum += seconds;
    out += "naive       " + seconds_text(totals.naive_seconds) + ", hierarchical " + seconds_text(sum) + ": " +
           text_of("%.0f", 100.0 * saved_share(totals)) + " % saved\n";
    out += "verdicts    " +
           (totals.contradictions.empty() ? std::string("the same by both")
                                          : "differ for designs " + list_of(totals.contradictions) +
                                                ": a cheap level refused what the last one passes") +
           "\n";
  }
  if (result.resumed > 0) out += "resumed     " + std::to_string(result.resumed) + " verdicts of an earlier run\n";
  return out + "backend     " + result.device + "\n";
}

std::string design_json(const DesignResult& result, const DesignOptions& options, const std::string& file,
                        const std::string& title, const DesignPicture& picture) {
  const DesignTotals totals = totals_of(result, options);
  Json levels = Json::array();
  for (std::size_t k = 0; k < options.levels.size(); ++k) {
    levels.push_back({{"level", name_of(options.levels[k])},
                      {"refused", totals.refused[k]},
                      {"trials", totals.trials[k]},
                      {"seconds", totals.seconds[k]}});
  }
  Json out = {{"kind", "design"},
              {"title", title},
              {"file", file},
              {"version", version::number},
              {"git", version::git},
              {"designs", result.designs.size()},
              {"drawn", options.designs > 0},
              {"grid_trials", result.grid},
              {"random_trials", result.random},
              {"levels", levels},
              {"passed", totals.passed}};
  if (!totals.passed.empty() && options.levels.back() != Level::geometric) {
    const Interval interval = interval_of(result);
    out["success_interval"] = {interval.low, interval.high};
  }
  out["table"] = table_of(totals, options);
  if (options.naive) {
    out["naive_trials"] = totals.naive_trials;
    out["saved_share"] = saved_share(totals);
    out["contradictions"] = totals.contradictions;
  }
  if (!picture.fixed.empty()) out["picture"] = picture_json(picture);
  out["backend"] = result.device;
  return out.dump(2) + "\n";
}

std::string designs_csv(const DesignResult& result, const DesignOptions& options) {
  std::string out = "design";
  for (const DesignParameter& one : result.parameters) out += "," + decide::csv_cell(one.name);
  const bool compliant = options.levels.back() == Level::compliant;
  out += ",refused_by,first_failing,unresolved,geometric_s,dynamic_trials,dynamic_s" +
         std::string(compliant ? ",compliant_trials,compliant_s" : "") +
         std::string(options.naive ? ",naive_passed" : "") + "\n";
  for (std::size_t i = 0; i < result.designs.size(); ++i) {
    const DesignRecord& record = result.designs[i];
    out += std::to_string(i);
    for (const double value : record.values) out += "," + shortest_text(value);
    const bool passed = record.refused_by == options.levels.size();
    const Verdict& decisive = record.of(passed ? options.levels.back() : options.levels[record.refused_by]);
    out += std::string(",") + (passed ? "" : name_of(options.levels[record.refused_by])) + "," +
           (decisive.first_failing >= 0 ? std::to_string(decisive.first_failing) : "") + "," +
           (decisive.unresolved ? "1" : "0") + "," +
           (record.of(Level::geometric).tried ? shortest_text(record.of(Level::geometric).seconds) : "") + "," +
           trials_and_seconds(record.of(Level::dynamic)) +
           (compliant ? "," + trials_and_seconds(record.of(Level::compliant)) : "");
    if (options.naive) out += record.of(options.levels.back()).passed ? ",1" : ",0";
    out += "\n";
  }
  return out;
}

}  // namespace pegrasp::design

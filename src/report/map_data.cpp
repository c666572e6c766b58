// SPDX-License-Identifier: Apache-2.0
#include "src/report/map_data.hpp"

#include <cmath>

#include "pegrasp/error.hpp"
#include "src/decide/axes_json.hpp"
#include "src/decide/explain.hpp"
#include "src/decide/numbers.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp::report {
namespace {

constexpr std::size_t largest_summary = 64u << 20;  // [bytes]

Json or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json summary_of(const std::filesystem::path& folder) {
  try {
    Json summary = Json::parse(read_file(folder / "summary.json", largest_summary), nullptr, false);
    if (summary.is_object()) return summary;
    throw InputError((folder / "summary.json").string() + ": is damaged; simulate the map again");
  } catch (const ReadError& error) {
    throw InputError((folder / "summary.json").string() + ": " + error.what());
  }
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return decide::text_of("%.6g", value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_totals(const Json& summary, Json& data) {
  static const std::vector<std::pair<const char*, const char*>> rows{
      {"trials", "trials"},
      {"cells", "cells"},
      {"successes", "successes"},
      {"success_rate", "share of the resolved trials that succeed"},
      {"unresolved", "unresolved trials"},
      {"resolved_by_reference", "trials resolved by the reference simulator"},
      {"residual_max_m_s", "largest residual of a step [m/s]"},
      {"penetration_max_m", "largest overlap of two parts [m]"},
      {"contacts_max", "most contacts at a time"},
      {"steps", "steps"},
      {"contact", "contact model"},
      {"solver", "solver"},
      {"arithmetic", "arithmetic"},
      {"h_s", "step [s]"},
      {"backend", "backend"},
      {"device", "device"},
      {"trials_per_s", "trials per second"}};
  Json& totals = data["totals"] = Json::array();
  for (const auto& [key, words] : rows) {
    if (summary.contains(key) && !summary[key].is_null()) totals.push_back({words, value_text(summary[key])});
  }
  if (summary.contains("seconds") && summary["seconds"].contains("total")) {
    totals.push_back({"time of the map [s]", value_text(summary["seconds"]["total"])});
  }
  if (summary.contains("failures") && summary["failures"].is_object()) {
    for (const auto& [reason, count] : summary["failures"].items()) {
      totals.push_back({"failures: " + reason, value_text(count)});
    }
  }
  Json& warnings = data["warnings"] = Json::array();
  if (!summary.contains("step_check") || !summary["step_check"].is_object()) return;
  const Json& check = summary["step_check"];
  for (const auto& [key, words] : {std::pair{"trials", "trials simulated again at half the step"},
                                   std::pair{"bias", "change of the success rate at half the step"}}) {
    if (check.contains(key) && !check[key].is_null()) totals.push_back({words, value_text(check[key])});
  }
  if (check.contains("warning") && check["warning"].is_string()) warnings.push_back(check["warning"]);
}

void add_explanation(const decide::StoredMap& map, Json& data) {
  data["explain"] = nullptr;
  data["no_explain"] = "";
  try {
    const decide::Explanation explanation = decide::explain(map, std::nullopt);
    data["explain"] = Json::parse(decide::explain_json(map, explanation));
    Json& failures = data["explain"]["failures"];
    for (std::size_t i = 0; i < explanation.failures.size(); ++i) {
      failures[i]["words"] = decide::reason_words(explanation.failures[i].reason);
    }
  } catch (const InputError& nothing) {
    data["no_explain"] = nothing.what();
  }
}

}  // namespace

Json map_data(const decide::StoredMap& map) {
  Json out, cells;
  Json& axes = out["axes"] = Json::array();
  for (const Axis& axis : map.axes) {
    Json values = Json::array();
    for (std::size_t i = 0; i < axis.size(); ++i) values.push_back(decide::axis_value(axis, i));
    axes.push_back({{"name", axis.name},
                    {"unit", axis.unit},
                    {"label", axis.label},
                    {"log", axis.logarithmic},
                    {"categorical", axis.categorical},
                    {"values", std::move(values)}});
  }
  for (const char* name : {"samples", "successes", "unresolved", "p", "low", "high", "rerun", "flipped"}) {
    cells[name] = Json::array();
  }
  for (const decide::StoredCell& cell : map.cells) {
    cells["samples"].push_back(cell.samples);
    cells["successes"].push_back(cell.successes);
    cells["unresolved"].push_back(cell.unresolved);
    cells["p"].push_back(or_null(cell.p));
    cells["low"].push_back(cell.ci_low);
    cells["high"].push_back(cell.ci_high);
    if (!map.step_check) continue;
    cells["rerun"].push_back(cell.rerun);
    cells["flipped"].push_back(cell.flipped);
  }
  out["cells"] = std::move(cells);
  return out;
}

void add_findings(const decide::StoredMap& map, Json& data) {
  if (map.cell.empty()) {
    data["explain"] = nullptr;
    data["no_explain"] = "The map keeps counts alone (--counts-only), so that nothing is known of single trials.";
  } else {
    add_explanation(map, data);
  }
  const Json summary = summary_of(map.folder);
  add_totals(summary, data);
  data["seed"] = map.seed;
  const std::string folder = decide::shell_word(map.folder.string());
  const std::string problem = decide::shell_word((map.folder / "problem.toml").string());
  const std::string fallback = summary.value("fallback", "none") == "reference" ? " --fallback reference" : "";
  data["replay"] = "pegrasp replay " + folder + " --cell {cell} --sample 0 --html trial.html";
  data["commands"] = {"pegrasp map " + problem + fallback + " --out again", "pegrasp report " + folder};
}

Json least_certain(const decide::StoredMap& map, const std::vector<int>& recorded) {
  Json found;
  double nearest = 2.0;
  for (const int cell : recorded) {
    const double p = map.cells[static_cast<std::size_t>(cell)].p;
    const double away = std::isfinite(p) ? std::fabs(p - 0.5) : 1.0;
    if (away < nearest) {
      nearest = away;
      found = cell;
    }
  }
  return found;
}

}  // namespace pegrasp::report

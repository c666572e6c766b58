// SPDX-License-Identifier: Apache-2.0
// An explanation as text, CSV and JSON.
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "pegrasp/version.hpp"
#include "src/decide/explain.hpp"
#include "src/decide/numbers.hpp"

namespace pegrasp::decide {
namespace {

using Json = nlohmann::ordered_json;

// Factors, those with the largest total index first.
std::vector<std::size_t> by_total(const Explanation& explanation) {
  std::vector<std::size_t> order(explanation.factors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return explanation.indices.total[a].value > explanation.indices.total[b].value;
  });
  return order;
}

// The pair with the largest index; null without pairs.
const PairIndex* strongest_pair(const Explanation& explanation) {
  const std::vector<PairIndex>& pairs = explanation.indices.pairs;
  const auto strongest = std::max_element(
      pairs.begin(), pairs.end(), [](const PairIndex& a, const PairIndex& b) { return a.index.value < b.index.value; });
  return strongest == pairs.end() ? nullptr : &*strongest;
}

Json index_json(const Index& index) {
  return {{"value", index.value}, {"ci_low", index.interval.low}, {"ci_high", index.interval.high}};
}

std::string index_text(const Index& index) {
  return text_of("%.3f", index.value) + " [" + text_of("%.3f", index.interval.low) + ", " +
         text_of("%.3f", index.interval.high) + "]";
}

std::string index_cells(const Index& index) {
  return shortest_text(index.value) + "," + shortest_text(index.interval.low) + "," +
         shortest_text(index.interval.high);
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string factor_text(const Factor& factor) {
  return factor.unit == "1" ? factor.name : factor.name + " [" + factor.unit + "]";
}

}  // namespace

std::string explain_csv(const Explanation& explanation) {
  std::string out = "index,parameter,with,value,ci_low,ci_high\n";
  const auto row = [&](const std::string& kind, const std::string& a, const std::string& b, const Index& index) {
    out += kind + "," + csv_cell(a) + "," + csv_cell(b) + "," + index_cells(index) + "\n";
  };
  const SobolIndices& indices = explanation.indices;
  for (std::size_t i = 0; i < explanation.factors.size(); ++i)
    row("first", explanation.factors[i].name, "", indices.first[i]);
  for (std::size_t i = 0; i < explanation.factors.size(); ++i)
    row("total", explanation.factors[i].name, "", indices.total[i]);
  for (const PairIndex& pair : indices.pairs)
    row("second", explanation.factors[pair.i].name, explanation.factors[pair.j].name, pair.index);
  row("rest", "", "", indices.rest);
  return out;
}

std::string curves_csv(const Explanation& explanation) {
  std::string out = "parameter,unit,low,high,mean,trials,successes,p,ci_low,ci_high\n";
  for (std::size_t i = 0; i < explanation.factors.size(); ++i) {
    for (const CurvePoint& point : explanation.curves[i]) {
      out += csv_cell(explanation.factors[i].name) + "," + csv_cell(explanation.factors[i].unit);
      for (const double value : {point.low, point.high, point.mean}) out += "," + shortest_text(value);
      out += "," + std::to_string(point.trials) + "," + std::to_string(point.successes);
      for (const double value : {point.p, point.interval.low, point.interval.high}) out += "," + shortest_text(value);
      out += "\n";
    }
  }
  return out;
}

std::string failures_csv(const StoredMap& map, const Explanation& explanation) {
  std::string out = "reason,trials,typical_cell,typical_sample,replay\n";
  for (const FailureGroup& group : explanation.failures) {
    const auto cell = static_cast<std::size_t>(map.cell[group.typical]);
    const auto sample = static_cast<std::size_t>(map.sample[group.typical]);
    out += std::string(reason_name(group.reason)) + "," + std::to_string(group.trials) + "," + std::to_string(cell) +
           "," + std::to_string(sample) + "," + csv_cell(map.replay(cell, sample)) + "\n";
  }
  return out;
}

std::string explain_json(const StoredMap& map, const Explanation& explanation) {
  Json out;
  out["kind"] = "explain";
  out["folder"] = map.folder.string();
  out["title"] = map.title;
  out["version"] = version::number;
  out["git"] = version::git;
  out["cell"] = explanation.cell ? Json(*explanation.cell) : Json(nullptr);
  out["trials"] = explanation.trials;
  out["resolved"] = explanation.resolved;
  out["successes"] = explanation.successes;
  Json& parameters = out["parameters"] = Json::array();
  for (const std::size_t i : by_total(explanation)) {
    Json curve = Json::array();
    for (const CurvePoint& point : explanation.curves[i]) {
      curve.push_back({{"low", point.low},
                       {"high", point.high},
                       {"mean", point.mean},
                       {"trials", point.trials},
                       {"p", point.p},
                       {"ci_low", point.interval.low},
                       {"ci_high", point.interval.high}});
    }
    parameters.push_back({{"name", explanation.factors[i].name},
                          {"unit", explanation.factors[i].unit},
                          {"nominal", explanation.factors[i].nominal},
                          {"first", index_json(explanation.indices.first[i])},
                          {"total", index_json(explanation.indices.total[i])},
                          {"curve", std::move(curve)}});
  }
  out["strongest_pair"] = nullptr;
  if (const PairIndex* pair = strongest_pair(explanation)) {
    out["strongest_pair"] = {{"parameters", {explanation.factors[pair->i].name, explanation.factors[pair->j].name}},
                             {"second", index_json(pair->index)}};
  }
  out["rest"] = index_json(explanation.indices.rest);
  out["left_out"] = explanation.left_out;
  Json& failures = out["failures"] = Json::array();
  for (const FailureGroup& group : explanation.failures) {
    const auto cell = static_cast<std::size_t>(map.cell[group.typical]);
    const auto sample = static_cast<std::size_t>(map.sample[group.typical]);
    failures.push_back({{"reason", reason_name(group.reason)},
                        {"trials", group.trials},
                        {"typical_cell", cell},
                        {"typical_sample", sample},
                        {"replay", map.replay(cell, sample)}});
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string explain_text(const StoredMap& map, const Explanation& explanation) {
  std::string out = "map         " + map.heading();
  if (explanation.cell) {
    out += ", cell " + std::to_string(*explanation.cell) + " (" + map.words_of(*explanation.cell) + ")";
  }
  const double rate = static_cast<double>(explanation.successes) / static_cast<double>(explanation.resolved);
  out += "\ntrials      " + std::to_string(explanation.resolved) + " resolved of " +
         std::to_string(explanation.trials) + ", " + text_of("%.2f", 100.0 * rate) + " % succeed\n";
  std::size_t width = 9;
  for (const Factor& factor : explanation.factors) width = std::max(width, factor_text(factor).size());
  const std::string indent = "            ";
  out += "explained   share of the variance of success, by itself and with all that it takes part in\n" + indent +
         padded("parameter", width + 2) + padded("first order", 24) + "total\n";
  for (const std::size_t i : by_total(explanation)) {
    out += indent + padded(factor_text(explanation.factors[i]), width + 2) +
           padded(index_text(explanation.indices.first[i]), 24) + index_text(explanation.indices.total[i]) + "\n";
  }
  if (const PairIndex* pair = strongest_pair(explanation)) {
    out += "pair        " + explanation.factors[pair->i].name + " and " + explanation.factors[pair->j].name +
           " interact most: " + index_text(pair->index) + "\n";
  }
  const std::size_t seen = explanation.indices.threes ? 3 : 2;  // parameters together that were looked at
  out += "rest        " + index_text(explanation.indices.rest) + ": ";
  if (explanation.factors.size() > seen) out += (seen == 3 ? "four" : "three") + std::string(" or more together, or ");
  out += "finer than the bins of these trials\n";
  if (!explanation.left_out.empty()) {
    out += "left out    ";
    for (std::size_t i = 0; i < explanation.left_out.size(); ++i) out += (i > 0 ? ", " : "") + explanation.left_out[i];
    out += ": they follow from the others\n";
  }
  const long long failed = explanation.trials - explanation.successes;
  for (std::size_t i = 0; i < explanation.failures.size(); ++i) {
    const FailureGroup& group = explanation.failures[i];
    const double share = static_cast<double>(group.trials) / static_cast<double>(failed);
    out += padded(i == 0 ? "failures" : "", 12) + std::to_string(group.trials) + " (" + text_of("%.1f", 100.0 * share) +
           " %) " + reason_words(group.reason) + "\n" + indent + "  for example " +
           map.replay(static_cast<std::size_t>(map.cell[group.typical]),
                      static_cast<std::size_t>(map.sample[group.typical])) +
           "\n";
  }
  if (!explanation.drops_known) {
    out += indent +
           "drops are not reported: the problem of this map cannot be read by this version, or its files are gone\n";
  }
  return out;
}

}  // namespace pegrasp::decide

// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "pegrasp/version.hpp"
#include "src/decide/numbers.hpp"
#include "src/optimise/optimise.hpp"

namespace pegrasp::optimise {
namespace {

using decide::text_of;
using Json = nlohmann::ordered_json;

Json named(const std::vector<std::string>& names, const std::vector<double>& numbers) {
  Json out = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k) out[names[k]] = std::isfinite(numbers[k]) ? Json(numbers[k]) : Json();
  return out;
}

}  // namespace

std::string optimise_json(const RowEvaluator& rows, const OptimiseResult& result) {
  Json out;
  out["kind"] = "optimise";
  out["title"] = rows.problem().title;
  out["version"] = version::number;
  out["git"] = version::git;
  out["objective"] = result.objective;
  out["converged"] = result.search.converged;
  out["iterations"] = result.search.iterations;
  out["evaluations"] = result.search.evaluations;
  Json& parameters = out["parameters"] = Json::array();
  for (std::size_t k = 0; k < rows.parameters().size(); ++k) {
    const DesignParameter& one = rows.parameters()[k];
    Json table{{"name", one.name}, {"keys", one.keys}, {"start", one.start}, {"optimum", result.search.best[k]}};
    if (std::isfinite(one.low)) table["low"] = one.low;
    if (std::isfinite(one.high)) table["high"] = one.high;
    parameters.push_back(table);
  }
  out["start"] = named(result.columns, result.first);
  out["optimum"] = named(result.columns, result.best);
  Json& values = out["values"] = Json::array();
  for (const double value : result.values) values.push_back(std::isfinite(value) ? Json(value) : Json());
  out["device"] = result.device;
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string optimise_text(const RowEvaluator& rows, const OptimiseResult& result) {
  std::string out = "problem     " + (rows.problem().title.empty() ? rows.origin() : rows.problem().title) + "\n";
  out += "objective   " + result.objective + ": " + text_of("%.6g", result.best[0]) + ", " +
         text_of("%.6g", result.first[0]) + " at the start\n";
  for (std::size_t k = 1; k < result.columns.size(); ++k)
    out += "            " + result.columns[k] + " " + text_of("%.6g", result.best[k]) + ", " +
           text_of("%.6g", result.first[k]) + " at the start\n";
  for (std::size_t k = 0; k < rows.parameters().size(); ++k) {
    out += (k == 0 ? "optimum     " : "            ") + rows.parameters()[k].name + " = " +
           text_of("%.8g", result.search.best[k]) + ", from " + text_of("%.8g", rows.parameters()[k].start) + "\n";
  }
  out += "search      " + std::to_string(result.search.evaluations) + " evaluations, " +
         std::to_string(result.search.iterations) + " iterations" +
         (result.search.converged ? "" : "; not converged: more --evaluations would go on") + "\n";
  return out;
}

}  // namespace pegrasp::optimise

// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "pegrasp/version.hpp"
#include "src/decide/numbers.hpp"
#include "src/identify/identify.hpp"

namespace pegrasp::identify {
namespace {

using decide::shortest_text;
using decide::text_of;
using Json = nlohmann::ordered_json;

const DesignParameter& parameter(const RowEvaluator& rows, std::size_t fitted, std::size_t k) {
  return rows.parameters()[rows.parameters().size() - fitted + k];
}

std::string method_name(const IdentifyOptions& options) {
  if (options.method == Method::window) return "window:" + std::to_string(options.window);
  return options.method == Method::batch ? "batch" : "particles";
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

std::string estimate_csv(const RowEvaluator& rows, std::size_t fitted, const Track& track,
                         const IdentifyResult& result) {
  std::string out = "time,body,x,y,theta";
  for (std::size_t k = 0; k < fitted; ++k) {
    const std::string& name = parameter(rows, fitted, k).name;
    out += "," + decide::csv_cell(name) + "," + decide::csv_cell(name + "_sd");
  }
  out += "\n";
  for (const Estimate& one : result.estimates)
    for (std::size_t b = 0; b < track.bodies.size(); ++b) {
      out += shortest_text(static_cast<double>(one.record) * track.interval) + "," +
             decide::csv_cell(rows.problem().scene.bodies[track.bodies[b]].name);
      for (std::size_t c = 0; c < 3; ++c) out += "," + shortest_text(one.poses[3 * b + c]);
      for (std::size_t k = 0; k < fitted; ++k)
        out += "," + shortest_text(one.values[k]) + "," + shortest_text(one.sd[k]);
      out += "\n";
    }
  return out;
}

std::string identify_json(const RowEvaluator& rows, std::size_t fitted, const Track& track,
                          const IdentifyOptions& options, const IdentifyResult& result) {
  Json out;
  out["kind"] = "identify";
  out["title"] = rows.problem().title;
  out["version"] = version::number;
  out["git"] = version::git;
  out["method"] = method_name(options);
  Json& parameters = out["parameters"] = Json::array();
  for (std::size_t k = 0; k < fitted; ++k) {
    const DesignParameter& one = parameter(rows, fitted, k);
    Json table{{"name", one.name}, {"start", one.start}, {"value", result.values[k]}, {"sd", number(result.sd[k])}};
    if (!result.sd_over_time.empty()) table["sd_over_time"] = result.sd_over_time[k];
    if (std::isfinite(one.low)) table["low"] = one.low;
    if (std::isfinite(one.high)) table["high"] = one.high;
    parameters.push_back(table);
  }
  if (options.method == Method::batch) {
    out["objective"] = result.objective;
    out["objective_per_number"] = result.objective / static_cast<double>(result.numbers);
    out["sum_of_squares_m2"] = result.sum_of_squares;
  }
  out["numbers"] = result.numbers;
  out["noise_mm"] = 1e3 * options.noise;
  out["noise_rad"] = options.turn_noise;
  out["iterations"] = result.iterations;
  out["trials"] = result.trials;
  Json times = Json::array(), values = Json::array(), sd = Json::array();
  for (const Estimate& one : result.estimates) {
    times.push_back(static_cast<double>(one.record) * track.interval);
    values.push_back(one.values);
    Json row = Json::array();
    for (const double each : one.sd) row.push_back(number(each));
    sd.push_back(row);
  }
  out["time_s"] = times;
  out["values"] = values;
  out["sd"] = sd;
  out["device"] = result.device;
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string identify_text(const RowEvaluator& rows, std::size_t fitted, const IdentifyOptions& options,
                          const IdentifyResult& result) {
  std::string out = "problem     " + (rows.problem().title.empty() ? rows.origin() : rows.problem().title) + "\n";
  out += "method      " + method_name(options) + ", " + std::to_string(result.numbers) + " numbers seen, " +
         std::to_string(result.trials) + " trials\n";
  for (std::size_t k = 0; k < fitted; ++k) {
    const DesignParameter& one = parameter(rows, fitted, k);
    out += (k == 0 ? "estimate    " : "            ") + one.name + " = " + text_of("%.8g", result.values[k]);
    if (std::isfinite(result.sd[k])) {
      out += " +- " + text_of("%.2g", result.sd[k]);
    } else {
      out += ", which changes nothing that is seen, or nothing that others do not";
    }
    if (!result.sd_over_time.empty()) out += ", over time +- " + text_of("%.2g", result.sd_over_time[k]);
    out += "\n";
  }
  if (options.method == Method::batch) {
    out += "fit         " + text_of("%.4g", result.objective / static_cast<double>(result.numbers)) +
           " of the square that the noise makes expect, " + std::to_string(result.iterations) + " iterations\n";
  }
  return out;
}

}  // namespace pegrasp::identify

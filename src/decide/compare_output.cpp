// SPDX-License-Identifier: Apache-2.0
// A comparison as text, CSV and JSON.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "pegrasp/version.hpp"
#include "src/decide/axes_json.hpp"
#include "src/decide/compare.hpp"
#include "src/decide/numbers.hpp"
#include "src/decide/special.hpp"

namespace pegrasp::decide {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_cells_named = 5, most_flips_named = 5;

Json number_or_null(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json pairs_json(const Pairs& pairs) {
  const Interval interval = pairs.interval();
  return {{"pairs", pairs.compared()},
          {"unresolved", pairs.unresolved},
          {"p_a", number_or_null(pairs.p_a())},
          {"p_b", number_or_null(pairs.p_b())},
          {"difference", number_or_null(pairs.difference())},
          {"ci_low", interval.low},
          {"ci_high", interval.high},
          {"failed_then_succeeded", pairs.gained},
          {"succeeded_then_failed", pairs.lost},
          {"mcnemar_p", pairs.p_value()}};
}

std::string pairs_text(const Pairs& pairs) {
  if (pairs.compared() == 0) return "no pair is resolved in both";
  const Interval interval = pairs.interval();
  return "p " + text_of("%.4f", pairs.p_a()) + " to " + text_of("%.4f", pairs.p_b()) + ", difference " +
         text_of("%+.4f", pairs.difference()) + " [" + text_of("%+.4f", interval.low) + ", " +
         text_of("%+.4f", interval.high) + "]";
}

// Cells that differ, those with the least p-value first.
std::vector<std::size_t> cells_by_difference(const Comparison& comparison) {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < comparison.cells.size(); ++c)
    if (comparison.differs[c]) order.push_back(c);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return comparison.cells[a].p_value() < comparison.cells[b].p_value();
  });
  return order;
}

}  // namespace

std::string compare_csv(const StoredMap& a, const Comparison& comparison) {
  std::string out = "cell," + a.csv_names() +
                    ",pairs,unresolved,p_a,p_b,difference,ci_low,ci_high,failed_then_succeeded,succeeded_then_failed,"
                    "mcnemar_p,differs\n";
  for (std::size_t c = 0; c < comparison.cells.size(); ++c) {
    const Pairs& pairs = comparison.cells[c];
    const Interval interval = pairs.interval();
    out += std::to_string(c) + "," + a.csv_place(c) + "," + std::to_string(pairs.compared()) + "," +
           std::to_string(pairs.unresolved);
    for (const double value : {pairs.p_a(), pairs.p_b(), pairs.difference(), interval.low, interval.high})
      out += "," + shortest_text(value);
    out += "," + std::to_string(pairs.gained) + "," + std::to_string(pairs.lost) + "," +
           shortest_text(pairs.p_value()) + "," + (comparison.differs[c] ? "1" : "0") + "\n";
  }
  return out;
}

std::string flips_csv(const StoredMap& a, const StoredMap& b, const Comparison& comparison) {
  std::string out = "cell," + a.csv_names() + ",sample,success_a,success_b,replay_a,replay_b\n";
  for (const FlippedPair& flip : comparison.flipped) {
    out += std::to_string(flip.cell) + "," + a.csv_place(flip.cell) + "," + std::to_string(flip.sample) +
           (flip.success_in_b ? ",0,1," : ",1,0,") + csv_cell(a.replay(flip.cell, flip.sample)) + "," +
           csv_cell(b.replay(flip.cell, flip.sample)) + "\n";
  }
  return out;
}

std::string compare_json(const StoredMap& a, const StoredMap& b, const Comparison& comparison) {
  Json out;
  out["kind"] = "compare";
  out["a"] = {{"folder", a.folder.string()}, {"title", a.title}};
  out["b"] = {{"folder", b.folder.string()}, {"title", b.title}};
  out["version"] = version::number;
  out["git"] = version::git;
  out["all"] = pairs_json(comparison.all);
  out["cells_that_differ"] = std::count(comparison.differs.begin(), comparison.differs.end(), true);
  out["flipped"] = comparison.flipped.size();
  put_axes(a, out);
  Json& difference = out["difference"] = Json::array();
  Json& differs = out["differs"] = Json::array();
  for (std::size_t c = 0; c < comparison.cells.size(); ++c) {
    difference.push_back(number_or_null(comparison.cells[c].difference()));
    differs.push_back(comparison.differs[c] ? 1 : 0);
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string compare_text(const StoredMap& a, const StoredMap& b, const Comparison& comparison) {
  const Pairs& all = comparison.all;
  std::string out = "A           " + a.heading() + "\nB           " + b.heading() + "\n";
  out += "pairs       " + std::to_string(all.compared()) + " compared in " + std::to_string(a.cells.size()) +
         " cells, " + std::to_string(all.unresolved) + " unresolved in A or B\n";
  out += "overall     " + pairs_text(all) + "\n";
  out += "McNemar     " + std::to_string(all.gained) + " trials fail in A and succeed in B, " +
         std::to_string(all.lost) + " the other way round: p-value " + text_of("%.3g", all.p_value()) +
         (all.gained + all.lost <= mcnemar_exact_most ? " (exact)\n" : " (normal)\n");
  const std::vector<std::size_t> cells = cells_by_difference(comparison);
  out += "cells       " + std::to_string(cells.size()) + " of " + std::to_string(comparison.cells.size()) +
         " differ at 5 %, by Holm's correction for so many tests\n";
  for (std::size_t i = 0; i < std::min(most_cells_named, cells.size()); ++i) {
    const std::size_t c = cells[i];
    out +=
        "            cell " + std::to_string(c) + " (" + a.words_of(c) + "): " + pairs_text(comparison.cells[c]) + "\n";
  }
  const std::vector<FlippedPair>& flips = comparison.flipped;
  out +=
      "flips       " + std::to_string(flips.size()) + " trials; flips.csv has all, with the commands that show them\n";
  for (std::size_t i = 0; i < std::min(most_flips_named, flips.size()); ++i) {
    const FlippedPair& flip = flips[i];
    out += "            " + std::string(flip.success_in_b ? "A fails:    " : "A succeeds: ") +
           a.replay(flip.cell, flip.sample) + "\n            " + (flip.success_in_b ? "B succeeds: " : "B fails:    ") +
           b.replay(flip.cell, flip.sample) + "\n";
  }
  return out;
}

}  // namespace pegrasp::decide

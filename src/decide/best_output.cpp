// SPDX-License-Identifier: Apache-2.0
// The best cell as text, CSV and JSON.
#include <nlohmann/json.hpp>

#include "pegrasp/version.hpp"
#include "src/decide/axes_json.hpp"
#include "src/decide/best.hpp"
#include "src/decide/numbers.hpp"

namespace pegrasp::decide {

std::string best_csv(const StoredMap& map, const BestCell& best) {
  std::string out = "cell," + map.csv_names() + ",samples,successes,unresolved,smoothed_p,low,high,chance_best,best\n";
  for (std::size_t c = 0; c < best.cells.size(); ++c) {
    const StoredCell& counted = map.cells[c];
    const SmoothCell& cell = best.cells[c];
    out += std::to_string(c) + "," + map.csv_place(c) + "," + std::to_string(counted.samples) + "," +
           std::to_string(counted.successes) + "," + std::to_string(counted.unresolved);
    for (const double value : {cell.p, cell.low, cell.high, cell.chance_best}) out += "," + shortest_text(value);
    out += c == best.best ? ",1\n" : ",0\n";
  }
  return out;
}

std::string best_json(const StoredMap& map, const BestCell& best) {
  using Json = nlohmann::ordered_json;
  const SmoothCell& cell = best.cells[best.best];
  const StoredCell& counted = map.cells[best.best];
  Json out;
  out["kind"] = "best";
  out["folder"] = map.folder.string();
  out["title"] = map.title;
  out["version"] = version::number;
  out["git"] = version::git;
  out["cell"] = best.best;
  put_place(map, best.best, out);
  out["samples"] = counted.samples;
  out["successes"] = counted.successes;
  out["unresolved"] = counted.unresolved;
  out["smoothed_p"] = cell.p;
  out["low"] = cell.low;
  out["high"] = cell.high;
  out["cells_as_good"] = best.equal;
  out["smoothing_radius_cells"] = best.radius;
  out["chance_best"] = cell.chance_best;
  out["regret_mean"] = best.regret_mean;
  out["regret_95"] = best.regret_bound;
  out["draws"] = best.draws;
  put_axes(map, out);
  Json& low = out["low_of_cells"] = Json::array();
  for (const SmoothCell& each : best.cells) low.push_back(each.low);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string best_text(const StoredMap& map, const BestCell& best) {
  const SmoothCell& cell = best.cells[best.best];
  const StoredCell& counted = map.cells[best.best];
  std::string out = "map         " + map.heading() + "\n";
  out += "best        cell " + std::to_string(best.best) + " (" + map.words_of(best.best) +
         "): " + std::to_string(counted.successes) + " of " + std::to_string(counted.samples) + " trials succeed\n";
  out += "smoothed    p " + text_of("%.4f", cell.p) + " [" + text_of("%.4f", cell.low) + ", " +
         text_of("%.4f", cell.high) + "]; " +
         (best.radius > 1.0 ? "neighbours count up to " + shortest_text(best.radius) + " cells away\n"
                            : std::string("neighbours do not count: success changes too sharply between cells\n"));
  if (best.equal > 1) {
    out += "as good     " + std::to_string(best.equal) +
           " cells have this lower bound; this one lies deepest among them\n";
  }
  out += "sure        no cell is better with probability " + text_of("%.3f", cell.chance_best) +
         "; with 95 % certainty none is better by more than " + text_of("%.4f", best.regret_bound) + "\n";
  return out;
}

}  // namespace pegrasp::decide

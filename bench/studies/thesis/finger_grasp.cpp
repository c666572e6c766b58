// SPDX-License-Identifier: Apache-2.0
// Williams' thesis, 5.2.5 and 5.2.6, done again: how far from the truth is the grasped polygon, over the step? Position error at every step against
// h = 0.1 ms (contact peg), over all steps of ten polygons: median and quartiles, for three contact models, without and with friction. The same
// of the steps in which the polygon is gripped where it lies: from when the fingers first move it until they lift.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/origin.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/scenes/finger_grasp.hpp"

namespace {

using pegrasp::ContactModel;
using pegrasp::Vec2;

constexpr double truth_step = 1e-4;  // [s]

struct Track {
  std::vector<Vec2> at;  // after every step
  int unresolved = 0;
};

Track simulate(const pegrasp::SceneSpec& scene, double h, ContactModel contact) {
  pegrasp::StepOptions options;
  options.h = h;
  options.duration = pegrasp::scenes::finger_grasp_duration;
  options.contact = contact;
  const std::vector<double> parameters = scene_parameters(scene);
  pegrasp::Simulation simulation(compile_model(scene), derive_options(options, scene), parameters);
  Track track;
  while (simulation.step()) {
    const pegrasp::Pose pose = simulation.pose(pegrasp::scenes::finger_grasp_object);
    track.at.push_back({pose.x, pose.y});
  }
  track.unresolved = simulation.outcome().unresolved_steps;
  return track;
}

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return 0.0;
  const std::size_t k = static_cast<std::size_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<long>(k), values.end());
  return values[k];
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("the thesis' 2D grasp experiment: position error over the step, for three contact models");
  int polygons = 10;
  std::string json_path;
  app.add_option("--polygons", polygons, "random polygons")->check(CLI::Range(1, 1000));
  app.add_option("--json", json_path, "write the table here");
  CLI11_PARSE(app, argc, argv);

  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const double friction : {0.0, 0.25}) {
    std::vector<pegrasp::SceneSpec> scenes;
    std::vector<Track> truth;
    for (int k = 0; k < polygons; ++k) {
      scenes.push_back(pegrasp::scenes::finger_grasp(static_cast<std::uint64_t>(k) + 1, friction));
      truth.push_back(simulate(scenes.back(), truth_step, ContactModel::peg));
    }
    for (const ContactModel contact : {ContactModel::peg, ContactModel::standard, ContactModel::corrective}) {
      for (int ms = 1; ms <= 10; ++ms) {
        std::vector<double> errors;
        std::vector<double> gripped;
        std::vector<double> last;
        int unresolved = 0;
        int broken = 0;
        for (std::size_t k = 0; k < scenes.size(); ++k) {
          const Track track = simulate(scenes[k], 1e-3 * ms, contact);
          unresolved += track.unresolved;
          const std::size_t whole =
              static_cast<std::size_t>(std::round(pegrasp::scenes::finger_grasp_duration / (1e-3 * ms)));
          broken += track.at.size() < whole ? 1 : 0;
          const std::size_t from = pegrasp::scenes::first_moved(truth[k].at, truth_step);
          for (std::size_t i = 0; i < track.at.size(); ++i) {
            const std::size_t same = (i + 1) * static_cast<std::size_t>(ms) * 10 - 1;
            if (same >= truth[k].at.size()) break;
            errors.push_back(std::hypot(track.at[i].x - truth[k].at[same].x, track.at[i].y - truth[k].at[same].y));
            const double time = truth_step * static_cast<double>(same + 1);
            if (same >= from && time <= pegrasp::scenes::finger_grasp_lift) gripped.push_back(errors.back());
          }
          if (!errors.empty()) last.push_back(errors.back());
        }
        nlohmann::ordered_json row;
        row["friction"] = friction;
        row["contact"] = name_of(contact);
        row["h_ms"] = ms;
        row["q1_m"] = quantile(errors, 0.25);
        row["median_m"] = quantile(errors, 0.5);
        row["q3_m"] = quantile(errors, 0.75);
        row["gripped_q1_m"] = quantile(gripped, 0.25);
        row["gripped_median_m"] = quantile(gripped, 0.5);
        row["gripped_q3_m"] = quantile(gripped, 0.75);
        row["median_at_end_m"] = quantile(last, 0.5);
        row["unresolved_steps"] = unresolved;
        row["broken_off"] = broken;
        std::printf(
            "mu %.2f  %-10s  h %2d ms   error q1 %.1e  median %.1e  q3 %.1e m, gripped %.1e %.1e %.1e, at the end "
            "%.1e; "
            "%d steps unresolved, %d broken off\n",
            friction, name_of(contact).c_str(), ms, row["q1_m"].get<double>(), row["median_m"].get<double>(),
            row["q3_m"].get<double>(), row["gripped_q1_m"].get<double>(), row["gripped_median_m"].get<double>(),
            row["gripped_q3_m"].get<double>(), row["median_at_end_m"].get<double>(), unresolved, broken);
        std::fflush(stdout);
        rows.push_back(row);
      }
    }
  }
  if (json_path.empty()) return 0;
  nlohmann::ordered_json out = pegrasp::bench::origin();
  out["what"] = "Williams' thesis 5.2.5 and 5.2.6";
  out["polygons"] = polygons;
  out["rows"] = rows;
  std::ofstream file(json_path);
  file << out.dump(1) << '\n';
  return file ? 0 : 1;
}

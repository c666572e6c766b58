// SPDX-License-Identifier: Apache-2.0
// pegrasp_finger_grasp repeats the experiment of Williams' thesis, 5.2.5 and 5.2.6: the position error of the grasped
// polygon against the step. The error of every step is the distance to a run at h = 0.1 ms (contact peg). It prints
// median and quartiles over all steps of ten polygons, for three contact models, without and with friction, and the
// same for the steps in which the polygon is gripped where it lies: from when the fingers first move it until they
// lift.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "bench/csv.hpp"
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

// Position errors [m] of all runs of one contact model at one step.
struct Errors {
  std::vector<double> all, gripped, last;
  int unresolved = 0;
  int broken_off = 0;
};

void add_run(Errors& errors, const Track& track, const Track& truth, int ms) {
  errors.unresolved += track.unresolved;
  const auto whole = static_cast<std::size_t>(std::round(pegrasp::scenes::finger_grasp_duration / (1e-3 * ms)));
  errors.broken_off += track.at.size() < whole ? 1 : 0;
  const std::size_t from = pegrasp::scenes::first_moved(truth.at, truth_step);
  double error = -1.0;
  for (std::size_t i = 0; i < track.at.size(); ++i) {
    const std::size_t same = (i + 1) * static_cast<std::size_t>(ms) * 10 - 1;
    if (same >= truth.at.size()) break;
    error = std::hypot(track.at[i].x - truth.at[same].x, track.at[i].y - truth.at[same].y);
    errors.all.push_back(error);
    const double time = truth_step * static_cast<double>(same + 1);
    if (same >= from && time <= pegrasp::scenes::finger_grasp_lift) errors.gripped.push_back(error);
  }
  if (error >= 0.0) errors.last.push_back(error);
}

nlohmann::ordered_json row_of(double friction, ContactModel contact, int ms, Errors& errors) {
  nlohmann::ordered_json row;
  row["friction"] = friction;
  row["contact"] = name_of(contact);
  row["h_ms"] = ms;
  row["q1_m"] = quantile(errors.all, 0.25);
  row["median_m"] = quantile(errors.all, 0.5);
  row["q3_m"] = quantile(errors.all, 0.75);
  row["gripped_q1_m"] = quantile(errors.gripped, 0.25);
  row["gripped_median_m"] = quantile(errors.gripped, 0.5);
  row["gripped_q3_m"] = quantile(errors.gripped, 0.75);
  row["median_at_end_m"] = quantile(errors.last, 0.5);
  row["unresolved_steps"] = errors.unresolved;
  row["broken_off"] = errors.broken_off;
  std::printf(
      "mu %.2f  %-10s  h %2d ms   error q1 %.1e  median %.1e  q3 %.1e m, gripped %.1e %.1e %.1e, at the end "
      "%.1e; %d steps unresolved, %d broken off\n",
      friction, name_of(contact).c_str(), ms, row["q1_m"].get<double>(), row["median_m"].get<double>(),
      row["q3_m"].get<double>(), row["gripped_q1_m"].get<double>(), row["gripped_median_m"].get<double>(),
      row["gripped_q3_m"].get<double>(), row["median_at_end_m"].get<double>(), errors.unresolved, errors.broken_off);
  std::fflush(stdout);
  return row;
}

void measure(int polygons, double friction, nlohmann::ordered_json& rows) {
  std::vector<pegrasp::SceneSpec> scenes;
  std::vector<Track> truth;
  for (int k = 0; k < polygons; ++k) {
    scenes.push_back(pegrasp::scenes::finger_grasp(static_cast<std::uint64_t>(k) + 1, friction));
    truth.push_back(simulate(scenes.back(), truth_step, ContactModel::peg));
  }
  for (const ContactModel contact : {ContactModel::peg, ContactModel::standard, ContactModel::corrective}) {
    for (int ms = 1; ms <= 10; ++ms) {
      Errors errors;
      for (std::size_t k = 0; k < scenes.size(); ++k)
        add_run(errors, simulate(scenes[k], 1e-3 * ms, contact), truth[k], ms);
      rows.push_back(row_of(friction, contact, ms, errors));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The 2D grasp experiment of Williams' thesis: position error over the step, for three contact models");
  int polygons = 10;
  std::string csv;
  app.add_option("--polygons", polygons, "random polygons")->check(CLI::Range(1, 1000));
  app.add_option("--csv", csv, "write the table to this CSV file too");
  CLI11_PARSE(app, argc, argv);
  try {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const double friction : {0.0, 0.25}) measure(polygons, friction, rows);
    if (!csv.empty()) pegrasp::bench::write_rows(csv, rows, pegrasp::bench::origin_columns());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pegrasp_finger_grasp: %s\n", error.what());
    return 1;
  }
  return 0;
}

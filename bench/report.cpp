// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/csv.hpp"
#include "bench/machine.hpp"
#include "bench/origin.hpp"
#include "bench/phase_clock.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"

namespace pegrasp::bench {
namespace {

double ratio(std::int64_t a, std::int64_t b) { return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b); }

}  // namespace

void print_table(std::ostream& out, const Report& report) {
  out << "pegrasp " << version::number << (*version::git ? " " : "") << version::git << ", " << version::compiler << ' '
      << version::build_type << ", " << report.arithmetic << " arithmetic\n"
      << processor() << ", " << std::thread::hardware_concurrency() << " cores\n\n";
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), "%-12s %-5s %3s %8s %5s %9s %9s %13s %9s %7s %6s %8s %6s\n", "benchmark",
                "on", "thr", "scenes", "h/ms", "min/s", "median/s", "scene-steps/s", "us/step", "it/solv", "sol/st",
                "contacts", "unres.");
  out << line.data();
  for (const Measurement& m : report.measurements) {
    std::snprintf(line.data(), line.size(), "%-12s %-5s %3d %8d %5.2f %9.4f %9.4f %13.0f %9.3f %7.1f %6.3f %8.2f %6d\n",
                  m.name.c_str(), m.backend.c_str(), m.threads, m.scenes, 1e3 * m.h, m.wall_min(), m.wall_median(),
                  m.steps_per_second(), m.microseconds_per_step(), ratio(m.iterations, m.solves),
                  ratio(m.solves, m.steps), ratio(m.contacts, m.substeps), m.unresolved);
    out << line.data();
  }
  bool phases = false;
  for (const Measurement& m : report.measurements) {
    if (m.phases.microseconds.empty()) continue;
    if (!phases) {
      std::snprintf(line.data(), line.size(), "\n%-12s", "us/step of");
      out << line.data();
      for (const auto& [name, time] : m.phases.microseconds) {
        std::snprintf(line.data(), line.size(), " %12s", name.c_str());
        out << line.data();
      }
      out << "  (of one core, of the whole device on a GPU; with the clock's own cost)\n";
      phases = true;
    }
    std::snprintf(line.data(), line.size(), "%-12s", m.name.c_str());
    out << line.data();
    for (const auto& [name, time] : m.phases.microseconds) {
      std::snprintf(line.data(), line.size(), " %12.3f", time);
      out << line.data();
    }
    out << '\n';
  }
  out << "\nus/step: time of one core (of the whole device on a GPU) for one step of one scene, from the fastest "
         "repeat\n";
  for (const LeftOut& left : report.left_out) {
    out << left.name << (left.failed ? " FAILED: " : " was skipped: ") << left.why << '\n';
  }
}

namespace {

nlohmann::ordered_json document_of(const Report& report) {
  nlohmann::ordered_json document;
  document["pegrasp"] = {{"version", version::number},    {"git", version::git},
                         {"compiler", version::compiler}, {"build_type", version::build_type},
                         {"flags", version::flags},       {"cuda_toolkit", version::cuda_toolkit}};
  document["hardware"] = {{"processor", processor()}, {"cores", std::thread::hardware_concurrency()}};
  document["date"] = now_utc();
  document["arithmetic"] = report.arithmetic;
  document["benchmarks"] = nlohmann::ordered_json::array();
  for (const Measurement& m : report.measurements) {
    document["benchmarks"].push_back({{"name", m.name},
                                      {"backend", m.backend},
                                      {"device", m.device},
                                      {"threads", m.threads},
                                      {"scenes", m.scenes},
                                      {"bodies", m.bodies},
                                      {"h_s", m.h},
                                      {"duration_s", m.duration},
                                      {"strategy", name_of(m.strategy)},
                                      {"solver", name_of(m.solver)},
                                      {"workspace_bytes", m.workspace_bytes},
                                      {"wall_s", m.wall},
                                      {"wall_min_s", m.wall_min()},
                                      {"wall_median_s", m.wall_median()},
                                      {"scene_steps", m.steps},
                                      {"scene_steps_per_s", m.steps_per_second()},
                                      {"us_per_scene_step", m.microseconds_per_step()},
                                      {"iterations_per_solve", ratio(m.iterations, m.solves)},
                                      {"solves_per_step", ratio(m.solves, m.steps)},
                                      {"substeps_per_step", ratio(m.substeps, m.steps)},
                                      {"contacts_mean", ratio(m.contacts, m.substeps)},
                                      {"contact_steps_per_s", m.contact_steps_per_second()},
                                      {"successes", m.successes},
                                      {"at_rest", m.at_rest},
                                      {"converged_steps", m.steps - m.unresolved_steps},
                                      {"unresolved_steps", m.unresolved_steps},
                                      {"unresolved", m.unresolved},
                                      {"residual_max_m_s", m.residual_max},
                                      {"penetration_max_m", m.penetration_max}});
    if (!m.shape.empty()) document["benchmarks"].back()["shape"] = m.shape;
    if (m.phases.microseconds.empty()) continue;
    auto& phases = document["benchmarks"].back()["phases_us"];
    for (const auto& [phase, time] : m.phases.microseconds) phases[phase] = time;
  }
  document["skipped"] = document["failed"] = nlohmann::ordered_json::array();
  for (const LeftOut& left : report.left_out) {
    document[left.failed ? "failed" : "skipped"].push_back({{"name", left.name}, {"why", left.why}});
  }
  return document;
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot write the measurements there");
}

nlohmann::ordered_json row_of(const Measurement& m, const std::string& arithmetic) {
  nlohmann::ordered_json row{{"benchmark", m.name},
                             {"backend", m.backend},
                             {"device", m.device},
                             {"strategy", name_of(m.strategy)},
                             {"arithmetic", arithmetic},
                             {"solver", name_of(m.solver)},
                             {"h_s", m.h},
                             {"duration_s", m.duration},
                             {"scenes", m.scenes},
                             {"bodies", m.bodies},
                             {"threads", m.threads},
                             {"time_s", m.wall_min()},
                             {"time_median_s", m.wall_median()},
                             {"scene_steps", m.steps},
                             {"scene_steps_per_s", m.steps_per_second()},
                             {"us_per_scene_step", m.microseconds_per_step()},
                             {"contacts_mean", ratio(m.contacts, m.substeps)},
                             {"solves_per_step", ratio(m.solves, m.steps)},
                             {"iterations_per_solve", ratio(m.iterations, m.solves)},
                             {"substeps_per_step", ratio(m.substeps, m.steps)},
                             {"successes", m.successes},
                             {"at_rest", m.at_rest},
                             {"unresolved", m.unresolved},
                             {"unresolved_steps", m.unresolved_steps},
                             {"residual_max_m_s", m.residual_max},
                             {"penetration_max_m", m.penetration_max},
                             {"workspace_bytes", m.workspace_bytes},
                             {"shape", m.shape}};
  // All phases are columns, measured or not: files of several runs have the same columns.
  for (const char* phase : phase_names) row[std::string("phase_") + phase + "_us"] = nullptr;
  row["phase_other_us"] = nullptr;
  for (const auto& [phase, time] : m.phases.microseconds) row["phase_" + phase + "_us"] = time;
  return row;
}

}  // namespace

void write_json(const std::string& file, const Report& report) { write(file, document_of(report).dump(2) + '\n'); }

void write_csv(const std::string& file, const Report& report) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Measurement& m : report.measurements) rows.push_back(row_of(m, report.arithmetic));
  write_rows(file, rows, origin_columns());
}

}  // namespace pegrasp::bench

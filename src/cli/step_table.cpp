// SPDX-License-Identifier: Apache-2.0
#include "src/cli/step_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "pegrasp/names.hpp"
#include "src/cli/contact_names.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

using nlohmann::ordered_json;

std::string formatted(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Columns as wide as their widest cell; the first `left` of them begin on the left, the others end on the right.
std::string aligned(std::vector<std::vector<std::string>> rows, std::size_t left) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<std::size_t> width(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(width[k] - row[k].size(), ' ');
      line += (k > 0 ? "  " : "") + (k < left ? row[k] + space : space + row[k]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

double magnitude(Vec3 v) { return std::hypot(v.x, v.y, v.z); }

std::string vector_text(Vec3 v, bool spatial, const char* format) {
  return "(" + formatted(format, v.x) + ", " + formatted(format, v.y) +
         (spatial ? ", " + formatted(format, v.z) + ")" : ")");
}

ordered_json vector_json(Vec3 v, bool spatial) {
  ordered_json out{v.x, v.y};
  if (spatial) out.push_back(v.z);
  return out;
}

std::string contacts_text(const SceneSpec& scene, const std::vector<ContactReport>& contacts) {
  std::vector<std::vector<std::string>> rows{{"bodies", "parts", "feature", "point [m]", "normal", "gap [m]",
                                              "normal [N s]", "tangential [N s]", "normal [N]", "tangential [N]",
                                              "friction"}};
  for (const ContactReport& c : contacts) {
    const double sliding = magnitude(c.tangential_impulse);
    rows.push_back({body_name(scene, c.body_a) + ", " + body_name(scene, c.body_b),
                    part_name(scene, c.part_a) + ", " + part_name(scene, c.part_b),
                    feature_name(c.feature, scene.spatial), vector_text(c.point, scene.spatial, "%.6f"),
                    vector_text(c.normal, scene.spatial, "%.4f"), formatted("%.2e", c.gap),
                    formatted("%.4g", c.normal_impulse), formatted("%.4g", sliding),
                    formatted("%.4g", c.normal_impulse / c.duration), formatted("%.4g", sliding / c.duration),
                    formatted("%.4g", c.friction)});
  }
  return aligned(rows, 5);
}

std::string rows_text(const SceneSpec& scene, const std::vector<RowReport>& reports) {
  std::vector<std::vector<std::string>> rows{{"kind", "of", "row", "impulse [N s]", "mean [N]", "bound [N s]"}};
  for (const RowReport& r : reports) {
    const RowName name = row_name(scene, r);
    rows.push_back({name.kind, name.name, name.row, formatted("%.4g", r.impulse),
                    formatted("%.4g", r.impulse / r.duration), r.bound > 0.0 ? formatted("%.4g", r.bound) : "none"});
  }
  return aligned(rows, 3);
}

}  // namespace

std::string steps_heading() {
  return "  step    time [s]  status                   residual [m/s]  depth [m]  contacts  iterations  substeps  "
         "rejected\n";
}

std::string step_line(const StepReport& step) {
  char text[256];
  std::snprintf(text, sizeof text, "%6d  %10.6g  %-23s  %14.1e  %9.1e  %8d  %10lld  %8lld  %8d\n", step.step, step.time,
                status_words(step.status).c_str(), step.residual, step.depth, step.contacts,
                static_cast<long long>(step.iterations), static_cast<long long>(step.substeps), step.rejected);
  return text;
}

ordered_json step_json(const StepReport& step) {
  return {{"step", step.step},
          {"time_s", step.time},
          {"status", status_words(step.status)},
          {"residual_m_s", step.residual},
          {"depth_m", step.depth},
          {"contacts", step.contacts},
          {"iterations", step.iterations},
          {"substeps", step.substeps},
          {"rejected", step.rejected}};
}

std::string step_text(const SceneSpec& scene, const StepReport& step, const StepContents& contents) {
  std::string text = steps_heading() + step_line(step);
  text += "\ncontacts of the last accepted substep" + std::string(scene.spatial ? " of every island; " : "; ") +
          "impulses act on the second body\n";
  text += contents.contacts.empty() ? "none\n" : contacts_text(scene, contents.contacts);
  text += "\njoints, limits, motors and support points\n";
  text += contents.rows.empty() ? "none\n" : rows_text(scene, contents.rows);
  return text;
}

ordered_json step_json(const SceneSpec& scene, const StepReport& step, const StepContents& contents) {
  ordered_json out{{"step", step_json(step)}, {"contacts", ordered_json::array()}, {"rows", ordered_json::array()}};
  for (const ContactReport& c : contents.contacts) {
    out["contacts"].push_back({{"bodies", {body_name(scene, c.body_a), body_name(scene, c.body_b)}},
                               {"parts", {part_name(scene, c.part_a), part_name(scene, c.part_b)}},
                               {"feature", feature_name(c.feature, scene.spatial)},
                               {"point_m", vector_json(c.point, scene.spatial)},
                               {"normal", vector_json(c.normal, scene.spatial)},
                               {"gap_m", c.gap},
                               {"friction", c.friction},
                               {"normal_impulse_N_s", c.normal_impulse},
                               {"tangential_impulse_N_s", vector_json(c.tangential_impulse, scene.spatial)},
                               {"substep_s", c.duration},
                               {"slip_m_s", vector_json(c.slip, scene.spatial)},
                               {"state", state_name(c.state)},
                               {"margin", c.margin}});
  }
  for (const RowReport& r : contents.rows) {
    const RowName name = row_name(scene, r);
    ordered_json row{{"kind", name.kind}, {"of", name.name}, {"row", name.row}, {"impulse_N_s", r.impulse}};
    row["bound_N_s"] = nullptr;
    if (r.bound > 0.0) row["bound_N_s"] = r.bound;
    row["substep_s"] = r.duration;
    out["rows"].push_back(std::move(row));
  }
  return out;
}

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
#include "src/problem/axes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "kernels/sampling/portable_math.hpp"
#include "src/problem/limits.hpp"
#include "src/problem/overrides.hpp"
#include "src/problem/readers.hpp"
#include "src/text/units.hpp"

namespace pegrasp {
namespace {

// Keys that all cells of a map share. A key of theirs, or one below, is no axis.
const std::vector<std::string> shared_keys{"dim",    "map",      "grid",       "axis",
                                           "grasps", "protocol", "space.lift", "simulation.arithmetic"};

// Columns and datasets of results that are no axes.
const std::set<std::string> taken_names{"samples",        "successes",
                                        "unresolved",     "p",
                                        "ci_low",         "ci_high",
                                        "ended",          "interval",
                                        "samples_table",  "step_check",
                                        "grip_force_max", "slip_margin_min",
                                        "grasps",         "slip_margin_end",
                                        "cell",           "sample",
                                        "x_mm",           "y_mm",
                                        "yaw_deg",        "trials",
                                        "cold_start",     "problem_toml",
                                        "replay",         "kind",
                                        "axes",           "low",
                                        "high",           "best",
                                        "title",          "folder"};

bool is_below(const std::string& key, const std::string& table) {
  return key == table || key.rfind(table + ".", 0) == 0;
}

std::string last_steps(const std::string& key, std::size_t count) {
  std::size_t at = key.size();
  for (std::size_t i = 0; i < count && at != std::string::npos && at > 0; ++i) at = key.rfind('.', at - 1);
  return at == std::string::npos ? key : key.substr(at + 1);
}

// "a[0].b" as "a.0.b".
std::string with_dots(const std::string& key) {
  std::string out;
  for (const char c : key)
    if (c != ']' && c != '"') out += c == '[' ? '.' : c;
  return out;
}

bool is_plain(const Node& node) {
  return node.is_number() || node.type == Node::Type::text || node.type == Node::Type::boolean;
}

// To twelve digits, so that 0.1 to 10 has 1 in the middle, and tenths are tenths.
double rounded(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return std::strtod(text.data(), nullptr);
}

std::string words_of(const Node& node) {
  if (node.type == Node::Type::text) return node.text;
  std::string out = write_value(node);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

}  // namespace

std::vector<AxisTable> read_axes(ReadContext& context, const Node& document, bool has_grid) {
  std::vector<AxisTable> axes;
  std::set<std::string> names;
  if (has_grid) names = {"x_mm", "y_mm", "yaw_deg"};
  double cells = 1.0;
  for (const Node* item : table_list(context, document.find("axis"), "axis")) {
    AxisReader reader(context, *item, "axis[" + std::to_string(axes.size()) + "]");
    axes.push_back(reader.read());
    reader.name(axes.back(), names);
    names.insert(axes.back().axis.name);
    cells *= static_cast<double>(axes.back().axis.size());
    if (axes.size() > most_axes) context.fail(item, "axis", "there are more than 30 axes; leave some out");
    if (cells <= most_combinations) continue;
    context.fail(item, "axis",
                 "the axes have more than " + std::to_string(static_cast<long long>(most_combinations)) +
                     " combinations of values; make them coarser");
  }
  must_be_apart(context, document, axes);
  return axes;
}

void set_axes(Node& document, const std::vector<AxisTable>& axes, const std::vector<std::size_t>& at,
              const std::string& origin) {
  for (std::size_t k = 0; k < axes.size(); ++k) {
    for (std::size_t i = 0; i < axes[k].keys.size(); ++i)
      set_value(document, axes[k].keys[i], axes[k].values[i][at[k]], origin, "axis");
  }
}

Node resolved_axes(const std::vector<AxisTable>& axes) {
  std::vector<Node> list;
  for (const AxisTable& table : axes) {
    list.push_back(table.resolved);
    if (table.files.empty()) continue;
    std::vector<Node> files, contents;
    for (const std::string& file : table.files) files.push_back(Node::of(file));
    for (const std::string& one : table.contents) contents.push_back(Node::of(one));
    list.back().set("values", Node::list(std::move(files)));
    list.back().set("contents", Node::list(std::move(contents)));
  }
  Node out = Node::list(std::move(list));
  out.expanded = true;
  return out;
}

std::string axes_text(const std::vector<AxisTable>& axes, const std::vector<std::size_t>& at) {
  std::string out;
  for (std::size_t k = 0; k < axes.size(); ++k)
    out += (k > 0 ? ", " : "") + axes[k].axis.name + " = " + axes[k].axis.texts[at[k]];
  return printable(out);
}

}  // namespace pegrasp

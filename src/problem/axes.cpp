// SPDX-License-Identifier: Apache-2.0
#include "src/problem/axes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "kernels/sampling/portable_math.hpp"
#include "pegrasp/names.hpp"
#include "src/formats/csv.hpp"
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
                                        "title",          "folder",
                                        "level",          "refined"};

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

// Reads one table.
class AxisReader {
 public:
  AxisReader(ReadContext& context, const Node& node, const std::string& path)
      : section_(context, &node, path, keys::map_axis), node_(node) {}

  AxisTable read() {
    table_.node = &node_;
    read_keys();
    const bool range = section_.has("from") || section_.has("to") || section_.has("count");
    if (range == section_.has("values")) {
      section_.fail(range ? "values" : "", range ? "stands beside from, to and count; give one of the two"
                                                 : "has no values; give values = [...], or from, to and count");
    }
    if (range) {
      read_range();
    } else {
      read_values();
    }
    read_scale();
    table_.axis.label = section_.text("label", "");
    if (section_.has("contents")) table_.contents = section_.texts("contents", table_.axis.size(), table_.axis.size());
    return std::move(table_);
  }

  // Chooses the name, unless the table has one. chosen: names of the axes before.
  void name(AxisTable& table, const std::set<std::string>& chosen) {
    const auto is_free = [&](const std::string& name) {
      return taken_names.count(name) == 0 && chosen.count(name) == 0;
    };
    std::string fallback;
    const std::string key = with_dots(table.keys.front());
    for (std::size_t steps = 1; steps <= 20 && (fallback.empty() || !is_free(fallback)); ++steps)
      fallback = last_steps(key, steps);
    std::replace(fallback.begin(), fallback.end(), '/', '_');
    const std::string name = section_.text("name", fallback);
    const bool bad = name.empty() || name.find_first_of("/,\"\n\r\t") != std::string::npos;
    if (bad) section_.fail("name", "must be a word without slashes, commas and quotes");
    if (!is_free(name)) section_.fail("name", printable(name) + " is the name of another column; choose another name");
    table.axis.name = name;
    table.axis.unit = unit_of_key(key);
    table.resolved = section_.finish(true);
    if (table.axis.label.empty())
      std::erase_if(table.resolved.members, [](const Member& member) { return member.first == "label"; });
  }

 private:
  void read_keys() {
    if (section_.has("key") == section_.has("keys")) {
      section_.fail(section_.has("key") ? "key" : "", section_.has("key")
                                                          ? "stands beside keys; give one of the two"
                                                          : "moves no key; give key = \"friction.0.mu\", for example");
    }
    table_.keys =
        section_.has("key") ? std::vector<std::string>{section_.text("key", {})} : section_.texts("keys", 1, any_count);
    for (const std::string& key : table_.keys) {
      if (is_shared_key(key)) {
        section_.fail(section_.has("key") ? "key" : "keys",
                      "moves " + printable(key) + ", which all cells of a map share; choose another key");
      }
    }
  }

  void read_range() {
    for (const char* key : {"from", "to", "count"})
      if (!section_.has(key)) section_.fail("", std::string("has no ") + key + "; from, to and count go together");
    const double from = section_.number("from", quantity::number, {});
    const double to = section_.number("to", quantity::number, {});
    const auto count = static_cast<double>(section_.integer("count", {}, 1, most_axis_values));
    const bool log = section_.has("scale") && section_.choice("scale", scales_, {}) == 1;
    if (count == 1.0 && from != to) section_.fail("count", "of 1 needs from = to; give 2 or more");
    if (log && !(from > 0.0 && to > 0.0)) section_.fail("scale", "\"log\" needs from and to above 0");
    std::vector<Node> values;
    for (double i = 0.0; i < count; i += 1.0) {
      const double part = count > 1.0 ? i / (count - 1.0) : 0.0;
      double value = i == 0.0 ? from : to;
      if (i > 0.0 && i < count - 1.0) {
        value = rounded(log ? from * portable::exp(part * portable::log(to / from))
                            : (from * (count - 1.0 - i) + to * i) / (count - 1.0));
      }
      values.push_back(Node::of(value));
    }
    take(std::vector<std::vector<Node>>(table_.keys.size(), values));
  }

  void read_values() {
    const Node* node = section_.raw("values");
    if (node->type != Node::Type::array) section_.fail("values", "must be a list, for example [0.1, 0.2, 0.4]");
    if (node->items.empty()) section_.fail("values", "is empty; give one value or more");
    if (node->items.size() > static_cast<std::size_t>(most_axis_values))
      section_.fail("values", "has more than " + std::to_string(most_axis_values) + " values; make the axis coarser");
    const bool nested = node->items.front().type == Node::Type::array;
    std::vector<std::vector<Node>> lists(table_.keys.size(), node->items);
    if (nested) {
      if (node->items.size() != table_.keys.size()) {
        section_.fail("values", "has " + std::to_string(node->items.size()) + " lists for " +
                                    std::to_string(table_.keys.size()) +
                                    " keys; give one list for all keys, or one for each");
      }
      for (std::size_t k = 0; k < lists.size(); ++k) lists[k] = node->items[k].items;
    }
    for (std::size_t k = 0; k < lists.size(); ++k) check_list(lists[k], lists.front().size(), k);
    take(std::move(lists));
    section_.put("values", *node);
  }

  void check_list(const std::vector<Node>& list, std::size_t count, std::size_t key) {
    if (list.empty()) section_.fail("values", "has an empty list; give one value or more");
    if (list.size() != count) {
      section_.fail("values", "has " + std::to_string(count) + " values for " + printable(table_.keys.front()) +
                                  " and " + std::to_string(list.size()) + " for " + printable(table_.keys[key]) +
                                  "; give as many");
    }
    for (const Node& value : list) {
      if (!is_plain(value)) section_.fail("values", "must hold numbers, texts or truth values");
      if (value.is_number() != list.front().is_number()) section_.fail("values", "mixes numbers with others");
    }
  }

  void take(std::vector<std::vector<Node>> lists) {
    Axis& axis = table_.axis;
    axis.categorical = !lists.front().front().is_number();
    for (const Node& value : lists.front()) {
      axis.numbers.push_back(axis.categorical ? static_cast<double>(axis.numbers.size()) : value.number());
      axis.texts.push_back(words_of(value));
    }
    const std::set<std::string> distinct(axis.texts.begin(), axis.texts.end());
    if (distinct.size() != axis.texts.size()) section_.fail("values", "holds a value twice; remove one");
    for (std::vector<Node>& list : lists)
      for (Node& value : list) value.line = node_.line;
    table_.values = std::move(lists);
  }

  void read_scale() {
    if (!section_.has("scale")) return;
    table_.axis.logarithmic = section_.choice("scale", scales_, {}) == 1;
    const Axis& axis = table_.axis;
    if (!table_.axis.logarithmic) return;
    if (axis.categorical || !std::all_of(axis.numbers.begin(), axis.numbers.end(), [](double v) { return v > 0.0; }))
      section_.fail("scale", "\"log\" needs numbers above 0");
  }

  const std::vector<std::string> scales_{"linear", "log"};
  Section section_;
  const Node& node_;
  AxisTable table_;
};

// Two keys of axes that are the same, or of which one holds the other.
void must_be_apart(ReadContext& context, const Node& document, const std::vector<AxisTable>& axes) {
  std::vector<std::pair<std::string, const AxisTable*>> places;
  for (const AxisTable& table : axes) {
    for (const std::string& key : table.keys) {
      const std::string place = place_of_key(document, key);
      for (const auto& [other, owner] : places) {
        if (!is_below(place, other) && !is_below(other, place)) continue;
        context.fail(table.node, "axis", "two axes move " + printable(key) + "; leave it to one of them");
      }
      places.emplace_back(place, &table);
    }
  }
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
    std::erase_if(list.back().members, [](const Member& member) { return member.first == "contents"; });
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

StepChoices choices_of(const std::vector<AxisTable>& axes) {
  StepChoices out;
  const auto add = [](const std::vector<Node>& values, const std::vector<std::string>& names, auto& to) {
    for (const Node& value : values) {
      const auto found = std::find(names.begin(), names.end(), value.text);
      // A value that is no name is refused where its cell is read.
      using Kind = typename std::decay_t<decltype(to)>::value_type;
      if (found != names.end()) to.push_back(static_cast<Kind>(found - names.begin()));
    }
  };
  for (const AxisTable& table : axes) {
    for (std::size_t k = 0; k < table.keys.size(); ++k) {
      if (table.keys[k] == "simulation.contact") add(table.values[k], contact_names(), out.contacts);
      if (table.keys[k] == "simulation.solver") add(table.values[k], solver_names(), out.solvers);
      if (table.keys[k] == "simulation.penalty.integrator")
        add(table.values[k], penalty_integrator_names(), out.integrators);
    }
  }
  return out;
}

bool is_shared_key(const std::string& key) {
  return std::any_of(shared_keys.begin(), shared_keys.end(),
                     [&key](const std::string& shared) { return is_below(with_dots(key), shared); });
}

void name_by_files(AxisTable& table) {
  if (table.files.empty()) return;
  for (std::size_t steps = 1; steps < 64; ++steps) {
    std::vector<std::string> names;
    for (const std::string& file : table.files) {
      std::filesystem::path rest = file, name;
      for (std::size_t k = 0; k < steps && rest.has_filename(); ++k, rest = rest.parent_path())
        name = name.empty() ? rest.filename() : rest.filename() / name;
      names.push_back(name.string());
    }
    table.axis.texts = names;
    if (std::set<std::string>(names.begin(), names.end()).size() == names.size()) return;
  }
}

std::vector<std::size_t> place_on(const std::vector<Axis>& axes, std::size_t cell) {
  std::vector<std::size_t> place;
  for (const Axis& axis : axes) {
    place.push_back(cell % axis.size());
    cell /= axis.size();
  }
  return place;
}

std::vector<Axis> axes_of(const Problem& problem) {
  std::vector<Axis> out;
  const auto add = [&out](const std::string& name, const std::vector<double>& values) {
    Axis axis;
    axis.name = name;
    axis.unit = unit_of_key(name);
    axis.numbers.reserve(values.size());
    for (const double value : values) {
      axis.numbers.push_back(on_axis(name, value));
      if (name != "grasp") axis.texts.push_back(number_text(axis.numbers.back()));  // they have names of their own
    }
    out.push_back(std::move(axis));
  };
  if (problem.grid.given) {
    add(problem.grid.x_name, problem.grid.x);
    add(problem.grid.y_name, problem.grid.y);
  }
  out.insert(out.end(), problem.axes.begin(), problem.axes.end());
  return out;
}

}  // namespace pegrasp

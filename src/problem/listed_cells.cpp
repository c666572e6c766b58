// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/listed_cells.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "kernels/sampling/portable_math.hpp"
#include "src/problem/limits.hpp"
#include "src/problem/problem_tree.hpp"
#include "src/problem/readers.hpp"
#include "src/text/printable.hpp"

namespace pegrasp {
namespace {

constexpr const char* remedy = "; name in map.refine.axes the axes that can be refined";

double between(double from, double to, double part, bool geometric) {
  if (part == 0.0) return from;
  return geometric ? from * portable::exp(part * portable::log(to / from)) : from + part * (to - from);
}

// To twelve digits, as values of [[axis]] are.
double to_twelve_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value);
  return std::strtod(text, nullptr);
}

bool is_monotone(const std::vector<double>& numbers) {
  const bool falls = numbers.front() > numbers.back();
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (falls ? numbers[i] >= numbers[i - 1] : numbers[i] <= numbers[i - 1]) return false;
  return true;
}

bool is_refinable(const Axis& axis) { return !axis.categorical && axis.size() > 1 && is_monotone(axis.numbers); }

std::size_t axes_of_grid(const Problem& problem) { return problem.grid.given ? 2 : 0; }

double on_grid(const std::vector<double>& values, const AxisPlace& at) {
  return at.part == 0.0 ? values[at.value] : between(values[at.value], values[at.value + 1], at.part, false);
}

Node value_between(const AxisTable& table, std::size_t key, const AxisPlace& at) {
  const std::vector<Node>& values = table.values[key];
  if (at.part == 0.0) return values[at.value];
  const Node &low = values[at.value], &high = values[at.value + 1];
  if (!low.is_number()) {
    throw InputError("map.refine: axis " + printable(table.axis.name) + " moves " + printable(table.keys[key]) +
                     ", which has no numbers" + remedy);
  }
  const bool geometric = table.axis.logarithmic && low.number() * high.number() > 0.0;
  Node out = Node::of(to_twelve_digits(between(low.number(), high.number(), at.part, geometric)));
  out.line = low.line;
  return out;
}

// Gives axis k the values at which cells are, the first one first. Returns which of them each cell has.
std::vector<std::size_t> take_values(AxisTable& table, const std::vector<CellPlace>& cells, std::size_t axis) {
  std::map<AxisPlace, std::size_t> numbers{{{0, 0.0}, 0}};
  std::vector<std::size_t> taken;
  for (const CellPlace& cell : cells) numbers.emplace(cell[axis], 0);
  std::size_t count = 0;
  std::vector<std::vector<Node>> values(table.keys.size());
  Axis of_places = table.axis;
  of_places.numbers.clear();
  of_places.texts.clear();
  for (auto& [at, number] : numbers) {
    number = count++;
    for (std::size_t key = 0; key < values.size(); ++key) values[key].push_back(value_between(table, key, at));
    of_places.numbers.push_back(number_at(table.axis, at));
    of_places.texts.push_back(at.part == 0.0 ? table.axis.texts[at.value]
                                             : write_value(Node::of(of_places.numbers.back())));
  }
  for (const CellPlace& cell : cells) taken.push_back(numbers.at(cell[axis]));
  table.values = std::move(values);
  table.axis = std::move(of_places);
  return taken;
}

std::string text_of(const std::vector<CellPlace>& cells) {
  std::string out;
  for (const CellPlace& cell : cells) {
    for (const AxisPlace& at : cell) out += std::to_string(at.value) + "+" + write_value(Node::of(at.part)) + " ";
    out += '\n';
  }
  return out;
}

std::vector<bool> named_axes(const Refine& refine, const std::vector<Axis>& axes) {
  std::vector<bool> out;
  for (const Axis& axis : axes) {
    const bool named = std::find(refine.axes.begin(), refine.axes.end(), axis.name) != refine.axes.end();
    if (named && !is_refinable(axis)) {
      throw InputError("map.refine.axes: " + printable(axis.name) +
                       " has no values that rise or fall; leave it out, as axes of other values are never refined");
    }
    out.push_back(named || (refine.axes.empty() && is_refinable(axis)));
  }
  for (const std::string& name : refine.axes) {
    if (std::any_of(axes.begin(), axes.end(), [&name](const Axis& axis) { return axis.name == name; })) continue;
    std::string known;
    for (const Axis& axis : axes) known += (known.empty() ? "" : ", ") + axis.name;
    throw InputError("map.refine.axes: there is no axis " + printable(name) + "; choose among " + printable(known));
  }
  return out;
}

}  // namespace

double number_at(const Axis& axis, const AxisPlace& at) {
  if (at.part == 0.0) return axis.numbers[at.value];
  return to_twelve_digits(between(axis.numbers[at.value], axis.numbers[at.value + 1], at.part, axis.logarithmic));
}

std::vector<bool> refined_axes(const Problem& problem) {
  const std::vector<Axis> axes = axes_of(problem);
  std::vector<bool> out = named_axes(problem.refine, axes);
  const auto count = static_cast<std::size_t>(std::count(out.begin(), out.end(), true));
  if (count == 0) {
    throw InputError("map.refine: no axis has two numbers or more that rise or fall; leave it out");
  }
  if (count > refine_most_axes) {
    throw InputError("map.refine: " + std::to_string(count) + " axes are more than " +
                     std::to_string(refine_most_axes) + "; name in map.refine.axes those that are to be refined");
  }
  for (std::size_t k = axes_of_grid(problem); k < axes.size(); ++k) {
    if (!out[k]) continue;
    CellPlace halfway(axes.size());
    halfway[k].part = 0.5;
    try {
      listed_cells(problem, {halfway}, 0);
    } catch (const InputError& error) {
      const std::string text = error.what();
      throw InputError(text.ends_with(remedy) ? text : "map.refine: " + text + remedy);
    }
  }
  return out;
}

void ListedCells::put_into(Problem& problem) const {
  problem.listed = true;
  problem.first_cell = first;
  problem.grid.x = x;
  problem.grid.y = y;
}

namespace {

// Lists the cells in a problem without axes, in those of its rows' scenes, and in those of its variants.
void list_all(const ListedCells& list, Problem& problem) {
  list.put_into(problem);
  const auto listed = [&list](const std::shared_ptr<const Problem>& one) {
    auto copy = std::make_shared<Problem>(*one);
    list_all(list, *copy);
    return std::shared_ptr<const Problem>(std::move(copy));
  };
  if (problem.groups) {  // of rows
    AxisGroups groups = *problem.groups;
    for (std::shared_ptr<const Problem>& one : groups.problems) one = listed(one);
    problem.groups = std::make_shared<const AxisGroups>(std::move(groups));
  }
  if (!problem.variants) return;
  Variants variants = *problem.variants;
  for (std::shared_ptr<const Problem>& one : variants.problems) one = listed(one);
  problem.variants = std::make_shared<const Variants>(std::move(variants));
}

}  // namespace

Problem listed_cells(const Problem& problem, const std::vector<CellPlace>& cells, int first_cell) {
  ListedCells list;
  list.first = first_cell;
  const std::size_t grid = axes_of_grid(problem);
  for (const CellPlace& cell : cells) {
    list.x.push_back(grid > 0 ? on_grid(problem.grid.x, cell[0]) : problem.grid.x.front());
    list.y.push_back(grid > 0 ? on_grid(problem.grid.y, cell[1]) : problem.grid.y.front());
  }
  Problem out = problem;
  if (problem.axes.empty()) {
    list_all(list, out);
  } else {
    Node document = parse_toml(problem.resolved_toml, "the map");
    out = listed_of_tree(std::move(document), "the map", [&](std::vector<AxisTable>& tables) {
      ListedCells chosen = list;
      chosen.at.assign(cells.size(), std::vector<std::size_t>(tables.size()));
      for (std::size_t k = 0; k < tables.size(); ++k) {
        const std::vector<std::size_t> taken = take_values(tables[k], cells, grid + k);
        for (std::size_t c = 0; c < cells.size(); ++c) chosen.at[c][k] = taken[c];
      }
      return chosen;
    });
  }
  out.refine = {};
  out.resolved_toml = problem.resolved_toml;
  out.content_toml = problem.content_toml + "\n# cells " + std::to_string(first_cell) + "\n" + text_of(cells);
  return out;
}

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "src/decide/compare.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "pegrasp/error.hpp"
#include "src/decide/special.hpp"

namespace pegrasp::decide {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr double level = 0.05;

void add_pair(bool resolved, bool a, bool b, Pairs& pairs) {
  if (!resolved) {
    ++pairs.unresolved;
  } else if (a == b) {
    ++(a ? pairs.both : pairs.neither);
  } else {
    ++(b ? pairs.gained : pairs.lost);
  }
}

// Holm's step-down rule: of n tests the one with the k-th least p-value (from 0) is significant if it and all before it
// are at most level / (n - k).
std::vector<bool> significant(const std::vector<Pairs>& cells) {
  std::vector<bool> out(cells.size(), false);
  std::vector<double> p;
  for (const Pairs& pairs : cells) p.push_back(pairs.p_value());
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&p](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (p[order[k]] > level / static_cast<double>(order.size() - k)) break;
    out[order[k]] = true;
  }
  return out;
}

}  // namespace

double Pairs::p_a() const {
  return compared() > 0 ? static_cast<double>(both + lost) / static_cast<double>(compared()) : nothing;
}
double Pairs::p_b() const {
  return compared() > 0 ? static_cast<double>(both + gained) / static_cast<double>(compared()) : nothing;
}
double Pairs::difference() const {
  return compared() > 0 ? static_cast<double>(gained - lost) / static_cast<double>(compared()) : nothing;
}
Interval Pairs::interval() const { return change_interval(gained, lost, compared()); }
double Pairs::p_value() const { return mcnemar_p(gained, lost); }

void must_pair(const StoredMap& a, const StoredMap& b) {
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    throw InputError(a.folder.string() + " and " + b.folder.string() + ": their trials are no pairs: " + why + "; " +
                     remedy);
  };
  if (a.until || b.until) {
    refuse((a.until ? a : b).folder.string() + " was sampled until its intervals sufficed (map.until)",
           "simulate it with a fixed number of samples");
  }
  if (a.seed != b.seed) {
    refuse("the seeds are " + std::to_string(a.seed) + " and " + std::to_string(b.seed),
           "simulate one again with --seed of the other");
  }
  const auto same_axis = [](const Axis& x, const Axis& y) {
    return x.name == y.name && x.numbers == y.numbers && x.texts == y.texts;
  };
  if (!std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(), same_axis)) {
    refuse("the cells of their grids are not the same", "give both problems the same [grid] and [[axis]]");
  }
  if (a.samples_per_cell != b.samples_per_cell) {
    refuse("they have " + std::to_string(a.samples_per_cell) + " and " + std::to_string(b.samples_per_cell) +
               " samples per cell",
           "simulate one again with --samples of the other");
  }
  if (a.cell != b.cell || a.sample != b.sample) {
    refuse("their map.h5 do not hold the same trials", "simulate both again");
  }
}

Comparison compare(const StoredMap& a, const StoredMap& b) {
  must_pair(a, b);
  Comparison out;
  out.cells.resize(a.cells.size());
  for (std::size_t i = 0; i < a.success.size(); ++i) {
    const bool resolved = a.resolved(i) && b.resolved(i);
    const bool in_a = a.success[i] != 0, in_b = b.success[i] != 0;
    const auto cell = static_cast<std::size_t>(a.cell[i]);
    add_pair(resolved, in_a, in_b, out.cells[cell]);
    add_pair(resolved, in_a, in_b, out.all);
    if (resolved && in_a != in_b) out.flipped.push_back({cell, static_cast<std::size_t>(a.sample[i]), in_b});
  }
  out.differs = significant(out.cells);
  return out;
}

}  // namespace pegrasp::decide

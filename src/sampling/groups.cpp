// SPDX-License-Identifier: Apache-2.0
// The groups that a sample drew. They are drawn again from the counters of the sample, so that they need not be stored.
#include <algorithm>
#include <array>

#include "pegrasp/problem.hpp"
#include "src/sampling/distributions.hpp"
#include "src/sampling/support_tripod.hpp"

namespace pegrasp {
namespace {

// Calls visit(name, distribution, stream, tripod) for every sampled number. `tripod` is the tripod whose load it is, or
// null.
template <class Visit>
void for_each_number(const Problem& problem, const Visit& visit) {
  for (const UncertainParameter& parameter : problem.uncertain) {
    visit(parameter.name, parameter.distribution, parameter.stream, nullptr);
  }
  for (const UncertainTripod& tripod : problem.tripods) {
    visit(tripod.name + ".radius", tripod.radius, tripod.stream, nullptr);
    visit(tripod.name + ".turn", tripod.turn, tripod.stream + 1, nullptr);
    for (std::uint32_t k = 0; k < 3; ++k) {
      visit(tripod.name + ".load" + std::to_string(k + 1), tripod.load[k], tripod.stream + 2 + k, &tripod);
    }
  }
}

// One column of the result: its name, and the mixture that is drawn for it.
struct Column {
  std::string name;
  const Distribution* mixture;
  std::uint32_t stream;
  const UncertainTripod* loads;
};

std::vector<Column> columns_of(const Problem& problem) {
  std::vector<Column> columns;
  std::vector<Column> shared;
  for_each_number(
      problem, [&](const std::string& name, const Distribution& d, std::uint32_t stream, const UncertainTripod* loads) {
        if (d.kind != DistributionKind::mixture) return;
        columns.push_back({name + ".group", &d, stream, loads});
        const Column group{"group." + d.shared_group, &d, d.group_stream, nullptr};
        const auto same = [&](const Column& other) { return other.name == group.name; };
        if (!d.shared_group.empty() && std::none_of(shared.begin(), shared.end(), same)) shared.push_back(group);
      });
  columns.insert(columns.end(), shared.begin(), shared.end());
  return columns;
}

std::int32_t drawn_group(const Column& column, std::uint64_t seed, int cell, int sample) {
  DrawKey key{seed, static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(sample), column.stream, 0};
  std::array<double, 3> load{};
  if (column.loads != nullptr) key.redraw = draw_loads(*column.loads, key, load);
  return static_cast<std::int32_t>(draw_group(*column.mixture, key));
}

}  // namespace

std::vector<GroupColumn> group_columns(const Problem& problem) {
  std::vector<GroupColumn> out;
  for (const Column& column : columns_of(problem)) out.push_back({column.name, column.mixture->groups});
  if (!problem.variants) return out;
  for (const BodyVariants& body : problem.variants->bodies) out.push_back({body.body + ".variant", body.names});
  return out;
}

std::vector<std::int32_t> drawn_groups(const Problem& problem, std::size_t column, std::size_t first,
                                       std::size_t count) {
  const auto a_cell = static_cast<std::size_t>(problem.samples);
  const std::size_t mixtures = columns_of(problem).size();
  const Problem* known = nullptr;  // whose columns are at hand
  std::vector<Column> columns;
  std::vector<std::int32_t> out;
  out.reserve(count);
  for (std::size_t i = first; i < first + count; ++i) {
    const auto cell = static_cast<int>(i / a_cell), sample = static_cast<int>(i % a_cell);
    if (column >= mixtures) {
      const BodyVariants& body = problem.variants->bodies.at(column - mixtures);
      out.push_back(static_cast<std::int32_t>(drawn_variant(body, problem.seed, cell + problem.first_cell, sample)));
      continue;
    }
    const Problem& own = problem.of_trial(cell, sample);
    if (known != &own) columns = columns_of(own);
    known = &own;
    out.push_back(drawn_group(columns.at(column), problem.seed, cell + problem.first_cell, sample));
  }
  return out;
}

}  // namespace pegrasp

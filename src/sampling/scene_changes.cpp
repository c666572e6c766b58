// SPDX-License-Identifier: Apache-2.0
// What a trial's draws begin from, and which problem a trial is one of.
#include <utility>

#include "pegrasp/parameters.hpp"
#include "pegrasp/problem.hpp"
#include "src/sampling/distributions.hpp"

namespace pegrasp {
namespace {

// The number of the combination of variants that a trial draws.
std::size_t drawn_combination(const Variants& variants, std::uint64_t seed, int cell, int sample) {
  std::size_t combination = 0, each = 1;
  for (const BodyVariants& body : variants.bodies) {
    combination += each * drawn_variant(body, seed, cell, sample);
    each *= body.names.size();
  }
  return combination;
}

// The same of a problem without variants.
std::size_t axis_groups(const Problem& problem) { return problem.groups ? problem.groups->problems.size() : 1; }

}  // namespace

std::size_t drawn_variant(const BodyVariants& body, std::uint64_t seed, int cell, int sample) {
  const DrawKey key{seed, static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(sample), body.stream, 0};
  return static_cast<std::size_t>(draw(body.chosen, key));
}

std::vector<double> base_parameters(const Problem& problem) {
  std::vector<double> out = scene_parameters(problem.scene);
  const SceneChanges& changes = problem.changes;
  if (!changes.any()) return out;
  out.insert(out.end(), changes.tilt.begin(), changes.tilt.end());
  for (const BodyScale& scale : changes.scales) out.insert(out.end(), scale.factor.begin(), scale.factor.end());
  return out;
}

std::size_t Problem::group_count() const {
  if (!variants) return axis_groups(*this);
  std::size_t count = 0;
  for (const auto& one : variants->problems) count += axis_groups(*one);
  return count;
}

std::size_t Problem::group_of(int cell, int sample) const {
  if (variants) {
    const std::size_t combination = drawn_combination(*variants, seed, cell + first_cell, sample);
    std::size_t before = 0;
    for (std::size_t k = 0; k < combination; ++k) before += axis_groups(*variants->problems[k]);
    return before + variants->problems[combination]->group_of(cell, sample);
  }
  if (!groups) return 0;
  const int place = groups->by_row ? sample : listed ? cell : cell / grid.cells();
  return static_cast<std::size_t>(groups->group[static_cast<std::size_t>(place)]);
}

const Problem& Problem::of_group(std::size_t group) const {
  if (variants) {
    std::size_t k = 0;
    for (; group >= axis_groups(*variants->problems[k]); ++k) group -= axis_groups(*variants->problems[k]);
    return variants->problems[k]->of_group(group);
  }
  return groups ? *groups->problems[group] : *this;
}

}  // namespace pegrasp

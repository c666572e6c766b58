// SPDX-License-Identifier: Apache-2.0
// [map] refine: where cells are added to a map. Written only where it is asked for.
#include "src/problem/limits.hpp"
#include "src/problem/readers.hpp"

namespace pegrasp {

void read_refine(Section& map, Problem& problem) {
  const Node* const node = map.raw("refine");
  if (node == nullptr) return;
  Section section(map.context(), node, map.at("refine"), keys::refine);
  Refine& refine = problem.refine;
  refine.levels = static_cast<int>(section.integer("levels", 1, 1, Refine::most_levels));
  refine.difference = section.number("difference", quantity::number, 0.25, Range{0.0, 1.0, true});
  // Who samples until cells are decided wants to know where the decision changes.
  if (section.has("threshold") || problem.until.decided > 0.0) {
    const bool given = section.has("threshold");
    refine.threshold =
        given ? section.number("threshold", quantity::number, {}, Range{0.0, 1.0, true}) : problem.until.decided;
    if (refine.threshold == 1.0) section.fail("threshold", "must be less than 1: no count of trials shows 1");
  }
  if (section.has("cells")) refine.cells = static_cast<int>(section.integer("cells", {}, 1, most_refine_cells));
  if (section.has("axes")) refine.axes = section.texts("axes", 1, any_count);
  map.put("refine", section.finish(false));
}

}  // namespace pegrasp

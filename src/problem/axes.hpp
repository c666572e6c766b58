// SPDX-License-Identifier: Apache-2.0
// The tables [[axis]]: keys of the problem that differ from cell to cell of a map.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/problem/section.hpp"
#include "src/scene/option_use.hpp"

namespace pegrasp {

// A table [[axis]]: what it moves and to what.
struct AxisTable {
  Axis axis;
  std::vector<std::string> keys;
  std::vector<std::vector<Node>> values;     // of each key, one for each value of the axis
  std::vector<std::string> files, contents;  // that the values name, and fingerprints; none, or empty: not known
  const Node* node = nullptr;
  Node resolved;
};

// Reads the list of tables; `document` is the problem that holds it. has_grid: whether the grid's axes come before.
std::vector<AxisTable> read_axes(ReadContext& context, const Node& document, bool has_grid);

// Sets the keys of all axes in a document: axis k to its value number at[k].
void set_axes(Node& document, const std::vector<AxisTable>& axes, const std::vector<std::size_t>& at,
              const std::string& origin);

// The list of tables for the resolved problem.
Node resolved_axes(const std::vector<AxisTable>& axes);

// The contact models, integrators and solvers among the values of axes; none where no axis moves the key.
StepChoices choices_of(const std::vector<AxisTable>& axes);

// Whether all cells and trials of a map share this key.
bool is_shared_key(const std::string& key);

// Calls files by as much of the ends of their paths as tells them apart, wherever their folder is.
void name_by_files(AxisTable& table);

// "mu = 0.3, contact = \"peg\"": what a combination of values is called in messages.
std::string axes_text(const std::vector<AxisTable>& axes, const std::vector<std::size_t>& at);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// What `pegrasp run --contacts` and `--loads` write: the forces of every step (StepContents), as CSV.
#pragma once

#include <iosfwd>
#include <string>

#include "pegrasp/simulation.hpp"

namespace pegrasp::cli {

// The columns of --contacts, and a row for each contact and each other constraint of the last step: means over it.
std::string contacts_heading();
void append_contacts(std::ostream& out, const SceneSpec& scene, const Simulation& simulation);

// The columns that --loads adds to the trajectory, and their cells for one body: means over the last step.
std::string loads_heading();
std::string load_cells(const Simulation& simulation, int body);

}  // namespace pegrasp::cli

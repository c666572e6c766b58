// SPDX-License-Identifier: Apache-2.0
// Results of maps whose cells are grasps: why trials failed, and the files that list the grasps.
#pragma once

#include <string>

#include "pegrasp/map.hpp"
#include "src/formats/atomic_file.hpp"

namespace pegrasp {

// Writes grasps.csv, and finishes the file: a row for each grasp.
void write_grasps_csv(const SuccessMap& map, const Problem& problem, AtomicFile& file);

// The grasps as they were given, in their format, each with its probability as its confidence. The file's name ends as
// that of the given one.
void write_scored_grasps(const SuccessMap& map, const Problem& problem, AtomicFile& file);
std::string scored_file(const Problem& problem);

// Adds a resolved trial to the sums of its grasp; finish_grasp() makes means of them.
void add_to_grasp(GraspMeasures& sums, const SceneOutcome& outcome, GraspFailure failure);
void finish_grasp(GraspMeasures& sums);

// The names of the reasons, by GraspFailure, as files have them.
const std::vector<std::string>& grasp_failure_names();

}  // namespace pegrasp

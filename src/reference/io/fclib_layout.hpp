// SPDX-License-Identifier: Apache-2.0
// Friction-contact problems in the layout of fclib (FrictionContactLibrary, src/fclib.h),
// docs/reference/stored-problems.md. `at` is the group that stands for fclib's root: "" in a file of one problem.
#pragma once

#include <string>

#include "src/formats/hdf5_file.hpp"
#include "src/reference/io/hdf5_vectors.hpp"
#include "src/reference/io/stored_problem.hpp"

namespace pegrasp::reference {

bool holds_fclib(const Hdf5Input& input, const std::string& at);

// Local form, or global form brought to local form: M v = H r + G l + f, G' v + b = 0, u = H' v + w. Bilateral
// constraints (V, R, s or G, b) are eliminated. The first guess, where there is one, is the start. Names the problem by
// info/title.
StoredProblem read_fclib(const Hdf5Input& input, const std::string& at);

// Local form; the start, where there is one, as the first guess. title: info/title.
void write_fclib(Hdf5File& file, const std::string& at, const FrictionProblem& problem, const std::string& title,
                 const std::string& description);

}  // namespace pegrasp::reference

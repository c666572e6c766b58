// SPDX-License-Identifier: Apache-2.0
// What the command line has of the reference simulator: its commands and its engine. Implemented twice: by
// src/cli/reference/ in a program that is linked with pegrasp_reference, by reference_absent.cpp in one that is not.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/reference_engine.hpp"

namespace pegrasp::cli {

struct SceneChoice;

// How `run --formulation` steps a scene, in the words of the command line.
struct FormulationWords {
  std::string formulation;  // lcp, mlcp, ncp, qp; empty: by the product
  std::string scheme = "stewart-trinkle";
  std::string sets = "peg";
  int directions = 7;  // of the friction pyramid where there are two tangents (RPIsim's default, Williams' table 6.1)
  std::optional<double> feasible_depth_ratio;  // the depth [eps] up to which a contact stays feasible
};
inline const std::vector<std::string> formulation_names{"lcp", "mlcp", "ncp", "qp"};
inline const std::vector<std::string> scheme_names{"stewart-trinkle", "anitescu-potra"};
inline const std::vector<std::string> formulation_sets{"peg",      "peg-several",     "lnc",
                                                       "standard", "standard-single", "egan"};

// Steps the scene so, writes the trajectory where a file is named, prints the report; returns the exit code.
int run_formulation(const SceneChoice& scene, const FormulationWords& words, const std::string& trajectory, bool json,
                    const std::function<void(const nlohmann::ordered_json&)>& print);

// Adds validate, dump and solve; `exit_code` is set when one of them ran.
void add_reference_commands(CLI::App& app, int& exit_code);

// The engine for `map --fallback reference`; null where the program has none.
const ReferenceEngine* reference_engine();

}  // namespace pegrasp::cli

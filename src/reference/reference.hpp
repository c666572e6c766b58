// SPDX-License-Identifier: Apache-2.0
// The reference simulator and the MCP solver as the commands `validate`, `dump`, `solve` and `run --formulation` use
// them. Code outside src/reference includes this header, or pegrasp_reference/engine.hpp for whole trajectories alone.
//
//   validate   ValidateCase, spread_trials() and one_trial(); compare_steps(), compare_with_reference(),
//              compare_backends(); tolerances_for(), failures()
//   dump       StepSource, the step problems of a running scene; to_stored() and friction_problem(), which bring them
//              into the form of a file; problem_file_bytes()
//   run        FormulationRun, SpatialFormulationRun: a scene stepped as the sources write it
//   solve      load_problems(); attempt(), one solver on one problem; Comparison, sums(), profile_csv(), solves_csv()
#pragma once

#include "pegrasp_reference/engine.hpp"
#include "src/reference/compare/profile.hpp"
#include "src/reference/io/friction_step.hpp"
#include "src/reference/io/problem_file.hpp"
#include "src/reference/io/step_source.hpp"
#include "src/reference/validate/validate.hpp"
#include "src/reference/workbench/formulation_run.hpp"
#include "src/reference/workbench/spatial_formulation_run.hpp"

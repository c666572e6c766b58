// SPDX-License-Identifier: Apache-2.0
// Complementarity problems as they come up: the thesis' scenes, run by the engine; at chosen instants its state is
// taken over and the step formulated in each of the contact models. The engine only says where the bodies are.
#pragma once

#include <string>
#include <vector>

#include "src/reference/planar/polygon_step.hpp"
#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference::test {

struct CapturedProblem {
  std::string name;    // "box 3, h 4 ms, mu 0.3, t 2.504 s, PEG one carrier, mixed"
  std::string family;  // "PEG one carrier, mu 0.3"
  ContactSets sets = ContactSets::standard_all;
  double mu = 0.0;
  StepProblem step;
  Formulation formulation;
  FormulatedStep formulated;
};

struct CaptureOptions {
  std::vector<double> steps{0.001, 0.004, 0.016};  // h [s]
  std::vector<double> frictions{0.0, 0.3};
  std::vector<ContactSets> sets{ContactSets::standard_all, ContactSets::standard_single, ContactSets::lnc,
                                ContactSets::peg_one, ContactSets::peg_several};
  std::vector<Form> forms{Form::mixed};
  SetRows set_rows = SetRows::reduced;
  int boxes = 2;             // boxes of 20 polygons, seeds 1, 2, ...
  int stacks = 1;            // stacks of 10 boxes
  double box_from = 1.0;     // [s] first instant of a box
  double box_every = 1.0;    // [s] between instants, up to the end of the pouring
  double stack_from = 0.4;   // [s] the lowest boxes meet at 0.23 s
  double stack_every = 0.4;  // [s]
  double stack_until = 2.0;  // [s]
};

const char* name(ContactSets sets);
const char* name(Form form);

// Steps without contacts are left out. The order, and every bit, depend on the options alone.
std::vector<CapturedProblem> captured_problems(const CaptureOptions& options = {});

// The same for one scene: from `from`, every `every` seconds until `until` (and the engine's steps of h in between).
void capture(const std::string& label, const SceneSpec& scene, double h, double mu, double from, double every,
             double until, const CaptureOptions& options, std::vector<CapturedProblem>& problems);

}  // namespace pegrasp::reference::test

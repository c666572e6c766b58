// SPDX-License-Identifier: Apache-2.0
// The named benchmarks: a scene, how it is stepped, and one set of parameters for every copy of it in the batch.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp::bench {

struct Case {
  SceneSpec scene;
  StepOptions options;             // resolved
  std::vector<double> parameters;  // (scene_count, layout.size()) row-major
  int scene_count = 0;
};

// The settings of a case that the command line may change.
struct CaseSettings {
  int scene_count = 0;    // 0: the case's own
  int bodies = 0;         // that move; 0: the case's own
  double h = 0.0;         // [s]; 0: the case's own
  double duration = 0.0;  // [s]; 0: the case's own
  SolverKind solver = SolverKind::aj;
  bool own_solver = true;  // keep the case's own solver
  Strategy strategy = Strategy::automatic;
  Arithmetic arithmetic = Arithmetic::strict;
};

struct NamedCase {
  const char* name;
  const char* about;
  bool one_thread;        // measured on one core of the CPU, whatever --threads says
  int scene_count;        // by default, on the CPU
  int cuda_scene_count;   // by default, on a GPU, which needs many to be busy
  int agree_scene_count;  // for pegrasp_agree; 0: not compared, another case has the same scenes
  int repeats;            // by default
  bool on_request;        // measured only when it is named
  Case (*make)(const std::string& examples, int scene_count);
  bool from_urdf = false;
  Case (*sized)(int bodies, int scene_count) = nullptr;  // the same with so many bodies that move, where there is such
};

const std::vector<NamedCase>& named_cases();

// Why this build cannot make such a scene; empty if it can. Static binaries read no URDF.
std::string why_skipped(bool from_urdf);

// The first `scene_count` trials of a problem's map, as `pegrasp map` steps them. They go round the cells of the grid,
// so that any number covers it evenly.
Case make_trials(const std::string& file, int scene_count);

// Copies of a scene file's scene whose bodies start up to 0.1 mm beside their places in the file. Steps are 5 ms long
// up to the file's t_end (1 s without one), unless settings say otherwise. Throws InputError when the file cannot be
// read.
Case make_scene_case(const std::string& file, const CaseSettings& settings);

// examples: the folder of the example problems. Throws InputError when an example cannot be read, or when settings give
// a number of bodies for a case whose number is fixed.
Case make_case(const NamedCase& named, const std::string& examples, const CaseSettings& settings, bool cuda);

}  // namespace pegrasp::bench

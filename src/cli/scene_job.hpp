// SPDX-License-Identifier: Apache-2.0
// One scene to be simulated, as `run` and `dump` name it: a scene file, or one trial of a problem.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/cli/common.hpp"

namespace pegrasp::cli {

// What is to be simulated: the scene, its parameters, how.
struct SceneJob {
  SceneSpec scene;
  std::shared_ptr<const Model> model;
  std::vector<double> parameters;
  StepOptions options;
  Arithmetic arithmetic = Arithmetic::strict;
};

// One trial of a problem that was read; without `model`, which finish_job() adds.
SceneJob job_of_trial(const Problem& whole, int cell, int sample);
// The scene of a problem as its file describes it: nothing is drawn, no cell moves it. Likewise.
SceneJob job_at_start(const Problem& whole);
// Compiles the scene and derives the options. file: for messages.
void finish_job(const std::string& file, SceneJob& job);

struct SceneChoice {
  std::string file;
  int cell = -1, sample = -1;
  double friction = -1.0;
  ProblemOptions options;

  void add(CLI::App& app);
  SceneJob make() const;  // throws InputError
  // The same as words of a command line: file, cell, sample, and what was set otherwise.
  std::string words() const;
  // What a picture of it is called: name of the scene, or title of the problem, cell and sample.
  std::string label(const SceneJob& job) const;

 private:
  SceneJob of_problem() const;
  SceneJob of_scene() const;
};

}  // namespace pegrasp::cli

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

struct SceneChoice {
  std::string file;
  int cell = -1, sample = -1;
  double friction = -1.0;
  ProblemOptions options;

  void add(CLI::App& app);
  SceneJob make() const;  // throws InputError

 private:
  SceneJob of_problem() const;
  SceneJob of_scene() const;
};

}  // namespace pegrasp::cli

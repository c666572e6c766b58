// SPDX-License-Identifier: Apache-2.0
// A scene as `pegrasp run` reads it, for simulations and batches in Python.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/cli/command_line.hpp"
#include "src/cli/console.hpp"
#include "src/cli/scene_job.hpp"

namespace pegrasp::python {

struct SceneCase {
  cli::Ending ending;  // with exit code 0 there is a job
  std::string says;    // warnings
  std::shared_ptr<const cli::SceneJob> job;
};
// words: a file and options of `run` that choose a scene. texts: by Console::texts.
SceneCase make_case(const std::vector<std::string>& words, const std::map<std::string, std::string>& texts);

// A name for every scene parameter, in the order of ParameterLayout.
std::vector<std::string> parameter_names(const SceneSpec& scene);

}  // namespace pegrasp::python

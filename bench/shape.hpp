// SPDX-License-Identifier: Apache-2.0
// How scenes lie on a GPU, as options of a benchmark's command line.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "pegrasp/simulation.hpp"

namespace pegrasp::bench {

inline const std::map<std::string, CudaShape::Workspaces>& workspace_names() {
  static const std::map<std::string, CudaShape::Workspaces> names{{"automatic", CudaShape::Workspaces::automatic},
                                                                  {"global", CudaShape::Workspaces::global},
                                                                  {"shared", CudaShape::Workspaces::shared}};
  return names;
}

inline void add_shape_options(CLI::App& app, CudaShape& shape) {
  app.add_option("--team-size", shape.team_size, "GPU: lanes that share a scene, 1, 8 or 32; 0: automatic")
      ->check(CLI::IsMember({0, 1, 8, 32}));
  app.add_option("--workspaces", shape.workspaces, "GPU: automatic, global or shared memory for the scenes' workspaces")
      ->transform(CLI::CheckedTransformer(workspace_names()));
}

}  // namespace pegrasp::bench

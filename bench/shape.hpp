// SPDX-License-Identifier: Apache-2.0
// The command line options of a benchmark for the launch shape on a GPU: teams, workspaces and the place of the model.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "pegrasp/simulation.hpp"

namespace pegrasp::bench {

inline const std::map<std::string, CudaShape::Memory>& memory_names() {
  static const std::map<std::string, CudaShape::Memory> names{{"automatic", CudaShape::Memory::automatic},
                                                              {"global", CudaShape::Memory::global},
                                                              {"shared", CudaShape::Memory::shared},
                                                              {"interleaved", CudaShape::Memory::interleaved}};
  return names;
}

inline void add_shape_options(CLI::App& app, CudaShape& shape) {
  app.add_option("--team-size", shape.team_size, "GPU: lanes that share a scene, 1, 2, 8, 32 or 128; 0: automatic")
      ->check(CLI::IsMember({0, 1, 2, 8, 32, 128}));
  app.add_option("--workspaces", shape.workspaces,
                 "GPU: automatic, global, shared or interleaved memory for the scenes' workspaces")
      ->transform(CLI::CheckedTransformer(memory_names()));
  app.add_option("--model-memory", shape.model, "GPU: automatic, global or shared memory for shapes and topology")
      ->transform(CLI::CheckedTransformer(memory_names()));
}

}  // namespace pegrasp::bench

// SPDX-License-Identifier: Apache-2.0
// Runs a case several times on a backend and stores the times. A warm-up run comes first and does not count: it touches
// memory, fills caches and, on a GPU, starts the device and loads its code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/phases.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp::bench {

struct Measurement {
  std::string name;
  std::string backend;
  std::string device;
  std::string shape;  // of a GPU's teams and their workspaces; empty on a CPU
  int threads = 1;    // that share the CPU's work; 1 on a GPU
  int scenes = 0;
  int bodies = 0;            // of a scene
  std::vector<double> wall;  // [s], one per repeat
  std::int64_t steps = 0;    // of size h, over all scenes
  std::int64_t substeps = 0;
  std::int64_t solves = 0;
  std::int64_t iterations = 0;
  std::int64_t contacts = 0;          // over accepted substeps
  std::int64_t unresolved_steps = 0;  // with a status bit set; all others have converged
  int unresolved = 0;                 // scenes with a status bit set
  int successes = 0;
  int at_rest = 0;               // scenes that the stop rule ended
  double residual_max = 0.0;     // [m/s]
  double penetration_max = 0.0;  // [m]
  double h = 0.0;                // [s]
  double duration = 0.0;         // of a scene, at most [s]
  Strategy strategy = Strategy::per_scene;
  SolverKind solver = SolverKind::newton;
  std::size_t workspace_bytes = 0;  // of a scene in the per-scene strategy, at its first capacity; 0 in the batched one
  PhaseTimes phases;                // empty where they are not measured

  double wall_min() const;
  double wall_median() const;
  double steps_per_second() const { return static_cast<double>(steps) / wall_min(); }
  double contact_steps_per_second() const { return static_cast<double>(contacts) / wall_min(); }
  // Time of one core (of one device on a GPU) for one step of one scene [us].
  double microseconds_per_step() const { return 1e6 * wall_min() * threads / static_cast<double>(steps); }
};

// Throws std::runtime_error when two repeats differ in their results.
Measurement measure(const std::string& name, const Case& benchmark, Backend& backend, int threads, int repeats);

}  // namespace pegrasp::bench

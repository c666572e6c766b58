// SPDX-License-Identifier: Apache-2.0
// Included by team_pieces_planar.cpp and team_pieces_spatial.cpp: teams of fibers with clocks, built with the kernels
// of either dimension.
#pragma once

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "bench/studies/scaling/team_pieces.hpp"
#include "kernels/step/run_scene.hpp"
#include "src/model/model.hpp"
#include "tests/teams/fiber_team.hpp"

namespace pegrasp::bench {
namespace {

namespace kernels = PEGRASP_ARITHMETIC;

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double clock_cost_ns() {
  double least = 1e9;
  for (int k = 0; k < 1000; ++k) {
    const double begin = now_ns();
    least = std::min(least, now_ns() - begin);
  }
  return least;
}

struct Recorder {
  Pieces pieces;
  double clock_cost = clock_cost_ns();
  bool on = false;
};

// A rank that notes its pieces.
class ClockedTeam {
 public:
  ClockedTeam(test::FiberTeam& team, Recorder& recorder) : team_(team), recorder_(recorder) {}
  int rank() const { return team_.rank(); }
  int size() const { return team_.size(); }
  void sync() {
    note();
    team_.sync();
    begin_ = now_ns();
  }
  double max(double x) {
    note();
    const double all = team_.max(x);
    begin_ = now_ns();
    return all;
  }

 private:
  void note() {
    if (!recorder_.on) return;
    const double taken = now_ns() - begin_ - recorder_.clock_cost;
    recorder_.pieces[static_cast<std::size_t>(rank())].push_back(static_cast<float>(std::max(0.0, taken)));
  }
  test::FiberTeam& team_;
  Recorder& recorder_;
  double begin_ = 0.0;
};

// One run of the first scene of a case; pieces within the window.
Pieces record(const Case& one, const Window& window, int ranks) {
  const auto model = compile_model(one.scene);
  const ModelView view = model->view();
  const Capacity capacity = first_capacity(*model, one.options);
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  kernels::SceneView bound{};
  std::vector<Chunk> arena(kernels::bind_scene(bound, view, capacity, nullptr) / sizeof(Chunk) + 1);
  kernels::bind_scene(bound, view, capacity, reinterpret_cast<unsigned char*>(arena.data()));
  bound.parameters = one.parameters.data();
  Recorder recorder;
  recorder.pieces.resize(static_cast<std::size_t>(ranks));
  test::FiberCrew crew(ranks, test::RankOrder::forward);
  const bool together = crew.run([&](test::FiberTeam& fiber) {
    ClockedTeam team(fiber, recorder);
    kernels::SceneView scene = bound;
    kernels::begin_scene(team, scene);
    while (!kernels::scene_over(scene, one.options) && scene.tally->step * one.options.h < window.to) {
      team.sync();  // all are here, so that the first to go on may switch the recorder
      recorder.on = scene.tally->step * one.options.h >= window.from;
      if (!kernels::advance_scene(team, scene, one.options)) break;
    }
  });
  if (!together || bound.tally->outcome.status != status_ok)
    throw std::runtime_error("the scene did not end as it should");
  return recorder.pieces;
}

// The least time of several runs counts for each piece, since disturbances only make a run longer.
Pieces least_of_runs(const Case& one, const Window& window, int ranks, int runs) {
  Pieces least = record(one, window, ranks);
  for (int run = 1; run < runs; ++run) {
    const Pieces again = record(one, window, ranks);
    for (std::size_t rank = 0; rank < least.size(); ++rank) {
      if (again[rank].size() != least[rank].size()) throw std::runtime_error("two runs were not the same");
      std::transform(least[rank].begin(), least[rank].end(), again[rank].begin(), least[rank].begin(),
                     [](float a, float b) { return std::min(a, b); });
    }
  }
  return least;
}

}  // namespace
}  // namespace pegrasp::bench

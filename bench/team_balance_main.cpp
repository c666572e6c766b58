// SPDX-License-Identifier: Apache-2.0
// pegrasp_team_balance: how evenly the ranks of a team share the steps of a scene in space, without a device. Ranks are fibers on one CPU
// thread, which run from sync to sync; a clock says what each takes between two of them. A team waits for its slowest rank at every sync: so
// the sum of the slowest rank's times is the path through a step, the least it takes where ranks do not get into each other's way. The work is
// that of one rank alone: what every rank of a team does for itself is no gain.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#define PEGRASP_SPATIAL
#include "cases.hpp"
#include "model/model.hpp"
#include "run_scene.hpp"
#include "teams/fiber_team.hpp"

namespace {

using namespace pegrasp;

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

// Of every rank, the time of each piece between two syncs [ns].
using Pieces = std::vector<std::vector<float>>;

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

struct Window {
  double from, to;  // [s]
};

// One run of the first scene of a case; pieces within the window.
Pieces record(const bench::Case& one, const Window& window, int ranks) {
  const auto model = compile_model(one.scene);
  const ModelView view = model->view();
  const Capacity capacity = first_capacity(*model, one.options);
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  spatial::SceneView bound{};
  std::vector<Chunk> arena(spatial::bind_scene(bound, view, capacity, nullptr) / sizeof(Chunk) + 1);
  spatial::bind_scene(bound, view, capacity, reinterpret_cast<unsigned char*>(arena.data()));
  bound.parameters = one.parameters.data();
  Recorder recorder;
  recorder.pieces.resize(static_cast<std::size_t>(ranks));
  test::FiberCrew crew(ranks, test::RankOrder::forward);
  const bool together = crew.run([&](test::FiberTeam& fiber) {
    ClockedTeam team(fiber, recorder);
    spatial::SceneView scene = bound;
    spatial::begin_scene(team, scene);
    while (!spatial::scene_over(scene, one.options) && scene.tally->step * one.options.h < window.to) {
      team.sync();  // all are here, so that the first to go on may switch the recorder
      recorder.on = scene.tally->step * one.options.h >= window.from;
      if (!spatial::advance_scene(team, scene, one.options)) break;
    }
  });
  if (!together || bound.tally->outcome.status != status_ok)
    throw std::runtime_error("the scene did not end as it should");
  return recorder.pieces;
}

// What disturbs a run takes longer: of several the least counts, piece by piece.
Pieces least_of_runs(const bench::Case& one, const Window& window, int ranks, int runs) {
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

// The sum of the slowest rank's times, a step [us].
double path_of(const Pieces& pieces, double steps) {
  double path = 0.0;
  for (std::size_t piece = 0; piece < pieces[0].size(); ++piece) {
    float slowest = 0.0f;
    for (const std::vector<float>& rank : pieces) slowest = std::max(slowest, rank[piece]);
    path += slowest;
  }
  return 1e-3 * path / steps;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name = "space_box", examples = "examples";
  std::vector<int> ranks{8, 32};
  Window window{4.4, 4.6};
  double h = 0.0;
  int runs = 5;
  CLI::App app{"How evenly a team's ranks share the steps of a benchmark in space."};
  app.add_option("name", name, "benchmark (pegrasp_bench --list)");
  app.add_option("--ranks", ranks, "sizes of teams")->check(CLI::Range(1, 1024));
  app.add_option("--h", h, "step [s]; 0: the benchmark's own")->check(CLI::NonNegativeNumber);
  app.add_option("--from", window.from, "first time that is looked at [s]");
  app.add_option("--to", window.to, "and last [s]");
  app.add_option("--runs", runs, "the least time of so many counts")->check(CLI::PositiveNumber);
  app.add_option("--examples", examples, "folder of the example problems");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto& cases = bench::named_cases();
    const auto named = std::find_if(cases.begin(), cases.end(), [&](const auto& one) { return name == one.name; });
    if (named == cases.end()) throw std::runtime_error("no benchmark '" + name + "'; pegrasp_bench --list names them");
    bench::CaseSettings settings;
    settings.scene_count = 1;
    settings.h = h;
    const bench::Case one = bench::make_case(*named, examples, settings, false);
    if (!one.scene.spatial) throw std::runtime_error(name + " is no scene in space");
    if (!(window.from < window.to)) throw std::runtime_error("--from must be before --to");
    const double steps = (window.to - window.from) / one.options.h;
    const double work = path_of(least_of_runs(one, window, 1, runs), steps);
    std::printf("%s, %g to %g s, a step: one rank %.1f us\nranks    path [us]   work / (ranks path)   syncs\n",
                name.c_str(), window.from, window.to, work);
    for (const int size : ranks) {
      const Pieces pieces = least_of_runs(one, window, size, runs);
      const double path = path_of(pieces, steps);
      std::printf("%5d %12.1f %21.2f %7.0f\n", size, path, work / (size * path),
                  static_cast<double>(pieces[0].size()) / steps);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "pegrasp_team_balance: " << error.what() << '\n';
    return 2;
  }
}

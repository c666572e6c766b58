// SPDX-License-Identifier: Apache-2.0
// pegrasp_team_balance measures how evenly the ranks of a team share the steps of a scene, without a GPU. Ranks are
// fibers on one CPU thread that run from one synchronisation to the next; a clock measures each between the two. A team
// waits for its slowest rank at every synchronisation. The sum of the slowest rank's times is therefore the path of a
// step: the least time that it takes if ranks do not slow each other down. The work is that of a single rank, so that
// operations which every rank repeats do not count as gain.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/studies/scaling/team_pieces.hpp"

namespace {

using namespace pegrasp;
using bench::Pieces;

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
  std::string name = "box_3d", examples = "examples";
  std::vector<int> ranks{8, 32};
  bench::Window window{4.4, 4.6};
  double h = 0.0;
  int runs = 5;
  CLI::App app{"How evenly a team's ranks share the steps of a benchmark."};
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
    const auto pieces_of = one.scene.spatial ? bench::spatial_pieces : bench::planar_pieces;
    if (!(window.from < window.to)) throw std::runtime_error("--from must be before --to");
    const double steps = (window.to - window.from) / one.options.h;
    const double work = path_of(pieces_of(one, window, 1, runs), steps);
    std::printf("%s, %g to %g s, a step: one rank %.1f us\nranks    path [us]   work / (ranks path)   syncs\n",
                name.c_str(), window.from, window.to, work);
    for (const int size : ranks) {
      const Pieces pieces = pieces_of(one, window, size, runs);
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

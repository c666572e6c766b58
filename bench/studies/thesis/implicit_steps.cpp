// SPDX-License-Identifier: Apache-2.0
// Steps of smooth bodies whose closest points are unknowns of the problem, Berard's (3.82) and (3.83).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/studies/thesis/figures.hpp"
#include "src/reference/mcp/thread_time.hpp"
#include "tests/scenes/smooth_pairs.hpp"

namespace pegrasp::bench {
namespace {

using namespace reference;

std::string printed(const char* format, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

struct Sums {
  int steps = 0, solved = 0, touching = 0;
  double deepest = 0.0, apart = 0.0;  // [m] most overlap; largest gap of bodies that push
  double seconds = 0.0;

  ImplicitSolution solve(const ImplicitStep& step, mcp::Workspace& workspace) {
    const double begin = mcp::thread_seconds();
    ImplicitSolution solution = solve_implicit(step, &workspace);
    seconds += mcp::thread_seconds() - begin;
    ++steps;
    if (solution.status != mcp::Status::solved) return solution;
    ++solved;
    deepest = std::max(deepest, -solution.gap);
    if (!(solution.normal > 1e-9)) return solution;
    ++touching;
    apart = std::max(apart, solution.gap);
    return solution;
  }
  std::vector<std::string> row(const std::string& bodies, const std::string& energy) const {
    return {bodies,
            std::to_string(solved) + " of " + std::to_string(steps),
            std::to_string(touching),
            printed("%.0e", deepest),
            printed("%.0e", apart),
            energy,
            printed("%.0f", 1e6 * seconds / std::max(1, steps))};
  }
};

}  // namespace

StudyTable implicit_steps() {
  StudyTable table{{"bodies", ">solved", ">push", ">overlap at most [m]", ">apart while they push [m]",
                    ">energy off by at most [J]", ">time a step [us]"},
                   {}};
  mcp::Workspace workspace;
  Sums disc;
  ImplicitStep step = scenes::rolling_smooth({1.0, 1.0, 2.0, false});
  double off = 0.0;
  for (int k = 0; k < 1000; ++k) {
    advance(step, disc.solve(step, workspace));
    off = std::max(off, std::abs(kinetic_energy(step) - 6.75));
  }
  table.rows.push_back(disc.row("disc that rolls for 10 s, h = 10 ms", printed("%.0e", off)));
  for (const double order : {2.0, 4.0, 8.0, 16.0}) {
    scenes::Random random(1);
    Sums sums;
    for (int pair = 0; pair < 250; ++pair) sums.solve(scenes::meeting(random, order, pair % 2 == 0), workspace);
    table.rows.push_back(sums.row("pairs of order " + printed("%.0f", order), ""));
  }
  return table;
}

}  // namespace pegrasp::bench

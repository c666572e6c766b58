// SPDX-License-Identifier: Apache-2.0
// The cost of a step problem, from a cold start and from the solution of the step before, in trials of the gear grasp
// and against the size of the problem. The engine moves a scene. From time to time the reference simulator takes over
// its state for three steps: the first two leave impulses and a workspace behind, and the first problem of the third is
// timed.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "bench/cases.hpp"
#include "bench/quantile.hpp"
#include "bench/studies/thesis/figures.hpp"
#include "pegrasp/simulation.hpp"
#include "src/reference/mcp/thread_time.hpp"
#include "src/reference/planar/simulation.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/stack.hpp"

namespace pegrasp::bench {
namespace {

using namespace reference;

// One way to solve some steps: the fastest of three runs of each.
struct Costs {
  int solved = 0;
  std::vector<double> microseconds, pivots, factorisations, searched;
};

// A problem as the simulator meets it: with what the solve before left behind, and the problems before it.
struct Met {
  StepProblem step;
  StepSolution before;
};

// prepare: before every run, not timed.
template <class Solve, class Prepare>
void add(Costs& costs, Solve solve, Prepare prepare) {
  double fastest = mcp::infinity;
  mcp::Status status = mcp::Status::no_progress;
  mcp::Statistics statistics;
  for (int repeat = 0; repeat < 3; ++repeat) {
    prepare();
    const double begin = mcp::thread_seconds();
    std::tie(status, statistics) = solve();
    fastest = std::min(fastest, mcp::thread_seconds() - begin);
  }
  costs.solved += status == mcp::Status::solved ? 1 : 0;
  costs.microseconds.push_back(1e6 * fastest);
  costs.pivots.push_back(static_cast<double>(statistics.pivots));
  costs.factorisations.push_back(static_cast<double>(statistics.factorisations));
  costs.searched.push_back(static_cast<double>(statistics.factorisations - statistics.repeated_factorisations));
}

template <class Solve>
void add(Costs& costs, Solve solve) {
  add(costs, solve, [] {});
}

using Ended = std::pair<mcp::Status, mcp::Statistics>;

// Steps of some size, in the mixed form from both starts; and in the quadratic one, the linearised problem included.
struct StepCosts {
  std::vector<double> n, quadratic_n;
  Costs cold, warm, known, quadratic_cold, quadratic_warm, quadratic_known;
};

// earlier: problems of the steps before, in their order.
void add(StepCosts& costs, std::span<const Met> earlier, const Met& met, bool quadratic_too) {
  const StepProblem& step = met.step;
  const StepSolution& before = met.before;
  const FormulatedStep mixed = formulate(step, {Form::mixed});
  const mcp::Vector near = mixed.write(before);
  mcp::Workspace workspace;
  const auto from = [&](const mcp::Vector& start, mcp::Workspace* known = nullptr) {
    const mcp::Result result = mcp::solve(mixed.problem, start, {}, known);
    return Ended(result.status, result.statistics);
  };
  costs.n.push_back(static_cast<double>(mixed.start.size()));
  add(costs.cold, [&] { return from(mixed.start); });
  add(costs.warm, [&] { return from(near); });
  add(
      costs.known, [&] { return from(near, &workspace); },
      [&] {
        workspace = {};
        for (const Met& one : earlier) {
          const FormulatedStep formulated = formulate(one.step, {Form::mixed});
          mcp::solve(formulated.problem, formulated.write(one.before), {}, &workspace);
        }
      });
  if (!quadratic_too) return;
  const auto whole = [&](const StepSolution* start, mcp::Workspace* known = nullptr) {
    const SolvedStep solved = solve_step(step, {Form::quadratic}, {}, start, known);
    return Ended(solved.result.status, solved.statistics);
  };
  costs.quadratic_n.push_back(static_cast<double>(formulate(step, {Form::quadratic}).start.size()));
  add(costs.quadratic_cold, [&] { return whole(nullptr); });
  add(costs.quadratic_warm, [&] { return whole(&before); });
  add(
      costs.quadratic_known, [&] { return whole(&before, &workspace); },
      [&] {
        workspace = {};
        for (const Met& one : earlier) solve_step(one.step, {Form::quadratic}, {}, &one.before, &workspace);
      });
}

using Take = std::function<void(std::span<const Met> earlier, const Met& met)>;

// Calls `take` with the first problem of every `every`-th step of the scene and with the problems of the two steps
// before.
void sample_steps(const SceneSpec& spec, const StepOptions& given, std::span<const double> parameters, int every,
                  const Take& take) {
  StepOptions options = given;
  options.warm_start = true;
  Simulation simulation(compile_model(spec), options, parameters);
  bool waiting = false;
  std::vector<Met> earlier;
  PlanarSimulation twin(std::make_shared<const PlanarScene>(spec), options, parameters,
                        [&](const StepProblem& step, const StepSolution* start) {
                          if (std::exchange(waiting, false)) take(earlier, {step, *start});
                          earlier.push_back({step, *start});
                          return solve_exactly(step, start);
                        });
  std::vector<Pose> poses(spec.bodies.size());
  std::vector<Twist> velocities(spec.bodies.size());
  std::vector<double> last(spec.bodies.size());
  std::vector<Twist> accelerations(spec.bodies.size());
  for (int steps = 0; simulation.step(); ++steps) {
    if ((steps + 1) % every != 0) continue;
    for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
      poses[b] = simulation.pose(static_cast<int>(b));
      velocities[b] = simulation.middle_velocity(static_cast<int>(b));
      last[b] = simulation.last_substep(static_cast<int>(b));
      accelerations[b] = simulation.last_acceleration(static_cast<int>(b));
    }
    twin.set_state(steps + 1, poses, velocities, last, accelerations);
    earlier.clear();
    if (!twin.step() || !twin.step()) continue;
    waiting = true;
    twin.step();
    waiting = false;
  }
}

constexpr int gear_trials = 42;  // spread over the cells of the example's map
constexpr int gear_every = 4;    // steps

void sample_gear(const std::string& examples, const Take& take) {
  const auto& cases = named_cases();
  const auto named =
      std::find_if(cases.begin(), cases.end(), [](const auto& c) { return c.name == std::string("gear_step"); });
  const Case gear = make_case(*named, examples, {}, false);
  const std::size_t width = gear.parameters.size() / static_cast<std::size_t>(gear.scene_count);
  for (int k = 0; k < gear_trials; ++k) {
    const auto trial = static_cast<std::size_t>(k * (gear.scene_count / gear_trials));
    sample_steps(gear.scene, gear.options, std::span(gear.parameters).subspan(trial * width, width), gear_every, take);
  }
}

std::string rounded(double value) { return std::to_string(std::lround(value)); }

void add_row(StudyTable& table, const char* form, const char* start, const std::vector<double>& n, const Costs& costs) {
  table.rows.push_back({form, start, std::to_string(n.size()), rounded(quantile(n, 0.5)), rounded(quantile(n, 1.0)),
                        std::to_string(costs.solved), rounded(quantile(costs.pivots, 0.5)),
                        rounded(quantile(costs.pivots, 0.9)), rounded(quantile(costs.factorisations, 0.5)),
                        rounded(quantile(costs.searched, 0.5)), rounded(quantile(costs.microseconds, 0.5)),
                        rounded(quantile(costs.microseconds, 0.9))});
}

struct SizeRange {
  int up_to;
  const char* name;
};
constexpr std::array<SizeRange, 8> size_ranges{{{20, "≤ 20"},
                                                {40, "21-40"},
                                                {60, "41-60"},
                                                {100, "61-100"},
                                                {150, "101-150"},
                                                {250, "151-250"},
                                                {400, "251-400"},
                                                {1 << 30, "over 400"}}};

// A table row needs some problems before a median and a 90 % say anything.
constexpr std::size_t fewest = 5;

void add_rows(StudyTable& table, const char* scene, const std::array<StepCosts, size_ranges.size()>& costs) {
  for (std::size_t k = 0; k < costs.size(); ++k) {
    const StepCosts& of = costs[k];
    if (of.n.size() < fewest) continue;
    std::vector<std::string> row{scene, size_ranges[k].name, std::to_string(of.n.size())};
    for (const Costs* start : {&of.cold, &of.warm}) {
      row.insert(row.end(), {std::to_string(start->solved), rounded(quantile(start->pivots, 0.5)),
                             rounded(quantile(start->microseconds, 0.5)), rounded(quantile(start->microseconds, 0.9))});
    }
    row.insert(row.end(),
               {rounded(quantile(of.known.microseconds, 0.5)), rounded(quantile(of.known.microseconds, 0.9))});
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

StudyTable gear_step_times(const std::string& examples) {
  StepCosts costs;
  sample_gear(examples, [&](std::span<const Met> earlier, const Met& met) { add(costs, earlier, met, true); });
  StudyTable table{{"form", "start", ">problems", ">n", ">largest n", ">solved", ">pivots", ">90 %", ">factorisations",
                    ">searched", ">µs", ">µs, 90 %"},
                   {}};
  add_row(table, "mixed", "cold", costs.n, costs.cold);
  add_row(table, "mixed", "the step before", costs.n, costs.warm);
  add_row(table, "mixed", "and workspace", costs.n, costs.known);
  add_row(table, "quadratic", "cold", costs.quadratic_n, costs.quadratic_cold);
  add_row(table, "quadratic", "the step before", costs.quadratic_n, costs.quadratic_warm);
  add_row(table, "quadratic", "and workspace", costs.quadratic_n, costs.quadratic_known);
  return table;
}

StudyTable step_times_by_size(const std::string& examples) {
  StudyTable table{{"scenes", ">n", ">problems", ">solved, cold", ">pivots", ">µs", ">µs, 90 %",
                    ">solved, from the step before", ">pivots", ">µs", ">µs, 90 %", ">µs, and workspace", ">µs, 90 %"},
                   {}};
  std::array<StepCosts, size_ranges.size()> costs;
  const auto take = [&](std::span<const Met> earlier, const Met& met) {
    StepCosts one;
    add(one, earlier, met, false);
    std::size_t k = 0;
    while (one.n.front() > size_ranges[k].up_to) ++k;
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(costs[k].n, one.n);
    for (const auto part : {&StepCosts::cold, &StepCosts::warm, &StepCosts::known}) {
      (costs[k].*part).solved += (one.*part).solved;
      append((costs[k].*part).microseconds, (one.*part).microseconds);
      append((costs[k].*part).pivots, (one.*part).pivots);
    }
  };
  const auto finish = [&](const char* scene) {
    add_rows(table, scene, costs);
    costs = {};
  };
  sample_gear(examples, take);
  finish("gear grasp, 5 ms");
  constexpr double mu = 0.3;
  const auto run = [&](const SceneSpec& scene, double h, double duration, int every) {
    StepOptions options;
    options.h = h;
    options.duration = duration;
    sample_steps(scene, derive_options(options, scene), scene_parameters(scene), every, take);
  };
  for (const int boxes : {2, 5, 10, 20}) run(scenes::stack(1, mu, boxes), 0.004, 2.0, 20);
  finish("stacks of 2 to 20 boxes, 4 ms");
  for (const int polygons : {5, 10, 20, 30}) {
    const double poured = 0.25 * polygons;  // [s] one appears every quarter of a second
    run(scenes::polygon_box(1, mu, polygons), 0.004, poured + 1.0, 50);
  }
  finish("boxes of 5 to 30 polygons, 4 ms");
  return table;
}

}  // namespace pegrasp::bench

// SPDX-License-Identifier: Apache-2.0
#include "src/reference/validate/other_solutions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "src/reference/common/residual.hpp"
#include "src/reference/planar/simulation.hpp"

namespace pegrasp::reference {
namespace {

// The number of starts that are tried. The first one is from rest.
constexpr int random_starts = 32;

// splitmix64 (Steele, Lea, Flood): the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double between(double low, double high) {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return low + (high - low) * (static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53);
  }

 private:
  std::uint64_t state_;
};

// Random impulses of the size of the momenta in the step.
StepSolution random_start(const StepProblem& step, Random& random) {
  const Vector momentum = step.mass * step.velocity + step.external;
  double size = momentum.size() > 0 ? momentum.lpNorm<Eigen::Infinity>() : 0.0;
  const auto largest = [&step](const Motor& motor) { return is_limited(motor, step.h) ? motor.bound : 0.0; };
  for (const Motor& motor : step.motors) size = std::max(size, largest(motor));
  // From rest impulses are of the size of what they balance.
  if (size == 0.0) {
    for (const SupportPoint& support : step.supports) size += support.bound;
  }
  StepSolution out;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    out.normal.push_back(std::max(0.0, random.between(-size, size)));
    const double bound = step.contacts[i].mu * out.normal.back();
    out.tangent.emplace_back();
    for (std::size_t k = 0; k < step.contacts[i].tangents.size(); ++k)
      out.tangent.back().push_back(random.between(-bound, bound));
  }
  for (const SupportPoint& point : step.supports) {
    const double x = random.between(-point.bound, point.bound);
    out.support.push_back({x, random.between(-point.bound, point.bound)});
  }
  for (const Motor& motor : step.motors) out.motor.push_back(random.between(-largest(motor), largest(motor)));
  out.bilateral.assign(step.bilaterals.size(), 0.0);
  out.velocity = velocity_of_impulses(step, out);
  return out;
}

// The lengths of the substeps of a step, in order. Level k means h / 2^k.
using Levels = std::vector<int>;

// All ways to halve a step into so many substeps.
std::vector<Levels> partitions(int level, int deepest, std::int64_t parts) {
  if (parts == 1) return {{level}};
  std::vector<Levels> out;
  if (level == deepest) return out;
  for (std::int64_t first = 1; first < parts; ++first) {
    for (const Levels& a : partitions(level + 1, deepest, first)) {
      for (const Levels& b : partitions(level + 1, deepest, parts - first)) {
        out.push_back(a);
        out.back().insert(out.back().end(), b.begin(), b.end());
      }
    }
  }
  return out;
}

// With more substeps there are too many ways, and only the whole step is tried.
constexpr std::int64_t most_parts = 5;

// One way in which the reference simulator may take the step.
struct Way {
  double acceptance = 1.0;  // factor on what an accepted end may overlap
  Levels parts{0};
  int start = 0;  // 0: from rest, else random
};

class Search {
 public:
  Search(const ValidateCase& job, std::size_t trial, const ProductStep& step, double enough)
      : job_(job),
        parameters_(job.trials[trial].parameters),
        step_(step),
        enough_(enough),
        numbers_(*job.planar_scene, parameters_),
        assessment_(numbers_, step.present, step.answer) {}

  std::optional<Shortfall> along(const Way& way) const {
    Random random(static_cast<std::uint64_t>(way.start));
    std::optional<Shortfall> last;
    mcp::Workspace workspace;
    const StepSolver solver = [&](const StepProblem& problem, const StepSolution*) {
      last = assessment_.assess(problem, nullptr, enough_);
      if (last->residual() <= enough_) {
        SolvedStep solved;
        solved.solution = last->solution;
        solved.result.status = mcp::Status::solved;
        solved.result.residual = last->complementarity;
        return solved;
      }
      if (way.start == 0) return solve_exactly(problem, nullptr, &workspace);
      const StepSolution start = random_start(problem, random);
      return solve_exactly(problem, &start, &workspace);
    };
    std::vector<Pose> poses = step_.poses;
    std::vector<Twist> velocities = step_.velocities;
    std::vector<double> lasts = step_.last;
    std::vector<Twist> accelerations = step_.accelerations;
    const int finest = 1 << job_.options.max_substep_level;
    int at = 0;  // of `finest`
    for (const int level : way.parts) {
      const int size = finest >> level;
      PlanarSimulation reference(job_.planar_scene, options_of(way, level), parameters_, solver);
      reference.set_state(step_.step * (1 << level) + at / size, poses, velocities, lasts, accelerations);
      if (!reference.step() || reference.last_status() != status_ok) return std::nullopt;
      for (std::size_t body = 0; body < poses.size(); ++body) {
        poses[body] = reference.pose(static_cast<int>(body));
        velocities[body] = reference.middle_velocity(static_cast<int>(body));
        lasts[body] = reference.last_substep(static_cast<int>(body));
        accelerations[body] = reference.last_acceleration(static_cast<int>(body));
      }
      at += size;
    }
    if (!last || !(last->residual() <= enough_)) return std::nullopt;
    std::vector<Vector3> end;
    for (const Twist& velocity : velocities) end.push_back(vector3(velocity));
    // The last rows may be those of a pass that free flight followed.
    return assessment_.apart(end) <= enough_ ? last : std::nullopt;
  }

 private:
  StepOptions options_of(const Way& way, int level) const {
    StepOptions options = job_.options;
    options.h /= static_cast<double>(1 << level);
    options.max_substep_level -= level;
    options.landing_halvings = 0;
    options.penetration_tolerance *= way.acceptance;
    options.reject_depth *= way.acceptance;
    // Impulses that fit the product's velocities up to `enough` leave as much in the rows at their own velocities.
    options.tolerance = std::max(options.tolerance, 10.0 * enough_);
    options.still_time = 0.0;
    options.duration = std::numeric_limits<double>::infinity();
    return options;
  }

  const ValidateCase& job_;
  const std::vector<double>& parameters_;
  const ProductStep& step_;
  double enough_;
  PlanarNumbers numbers_;
  StepAssessment assessment_;
};

}  // namespace

std::optional<Shortfall> other_solution(const ValidateCase& job, std::size_t trial, const ProductStep& step,
                                        double enough, bool starts) {
  const Search search(job, trial, step, enough);
  std::vector<Levels> all{{0}};
  if (step.substeps > 1 && step.substeps <= most_parts) {
    all = partitions(0, job.options.max_substep_level, step.substeps);
    all.push_back({0});
  }
  for (const Levels& parts : all) {
    for (const double acceptance : {1.0, 1.01, 0.99}) {
      if (auto found = search.along({acceptance, parts, 0})) return found;
    }
  }
  for (int start = 1; starts && start < random_starts; ++start) {
    for (const Levels& parts : all) {
      if (auto found = search.along({1.0, parts, start})) return found;
    }
  }
  return std::nullopt;
}

}  // namespace pegrasp::reference

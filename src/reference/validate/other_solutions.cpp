// SPDX-License-Identifier: Apache-2.0
#include "reference/validate/other_solutions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "reference/simulate/motion.hpp"
#include "reference/simulate/reference_simulation.hpp"
#include "reference/simulate/residual.hpp"

namespace pegrasp::reference {
namespace {

// Starts that are tried: from rest, then random impulses.
constexpr int starts = 32;

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

// Impulses of the size that the step's bodies bring along.
StepSolution random_start(const StepProblem& step, Random& random) {
  const Vector momentum = step.mass * step.velocity + step.external;
  double size = momentum.size() > 0 ? momentum.lpNorm<Eigen::Infinity>() : 0.0;
  for (const Motor& motor : step.motors) size = std::max(size, motor.bound);
  StepSolution out;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    out.normal.push_back(std::max(0.0, random.between(-size, size)));
    const double bound = step.contacts[i].mu * out.normal.back();
    out.tangent.push_back({random.between(-bound, bound)});
  }
  for (const SupportPoint& point : step.supports) {
    const double x = random.between(-point.bound, point.bound);
    out.support.push_back({x, random.between(-point.bound, point.bound)});
  }
  for (const Motor& motor : step.motors) out.motor.push_back(random.between(-motor.bound, motor.bound));
  out.velocity = velocity_of_impulses(step, out);
  return out;
}

struct State {
  std::vector<Pose> poses;
  std::vector<Twist> velocities;
};

State state_of(const Simulation& simulation, int bodies) {
  State out;
  for (int body = 0; body < bodies; ++body) {
    out.poses.push_back(simulation.pose(body));
    out.velocities.push_back(simulation.velocity(body));
  }
  return out;
}

}  // namespace

bool reference_finds_it(const ValidateCase& job, const StepDifference& step, double tolerance) {
  const std::vector<double>& parameters = job.trials[step.trial].parameters;
  const int bodies = job.reference->body_count();
  Simulation fast(job.model, job.options, parameters, job.arithmetic);
  for (int k = 0; k < step.step; ++k) fast.step();
  const State before = state_of(fast, bodies);
  fast.step();
  const State after = state_of(fast, bodies);
  for (int k = 0; k < starts; ++k) {
    Random random(static_cast<std::uint64_t>(k));
    const StepSolver solver = [&random, k](const StepProblem& problem, const StepSolution*) {
      if (k == 0) return solve_exactly(problem, nullptr);
      const StepSolution start = random_start(problem, random);
      return solve_exactly(problem, &start);
    };
    ReferenceSimulation other(job.reference, job.options, parameters, solver);
    other.set_state(step.step, before.poses, before.velocities);
    if (!other.step() || other.last_status() != status_ok) continue;
    double apart = 0.0;
    for (int body = 0; body < bodies; ++body) {
      if (!job.reference->body(body).dynamic() || !other.present(body)) continue;
      const Vector3 difference =
          vector3(after.velocities[static_cast<std::size_t>(body)]) - vector3(other.velocity(body));
      apart = std::max(apart, fastest_point(job.reference->body(body), difference));
    }
    if (apart <= tolerance) return true;
  }
  return false;
}

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
#include "src/reference/compare/attempt.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>

#include "src/reference/compare/damped_newton.hpp"
#include "src/reference/compare/fixed_point.hpp"
#include "src/reference/compare/iterative.hpp"
#include "src/reference/io/friction_mcp.hpp"
#include "src/reference/mcp/lexicographic_lemke.hpp"
#include "src/reference/mcp/stop.hpp"
#include "src/reference/mcp/thread_time.hpp"

namespace pegrasp::reference {
namespace {

using mcp::Vector;

// A solver of complementarity problems. It throws Unfit where it is not for the problem.
using McpSolver = std::function<mcp::Result(const StoredMcp& stored, const Vector& start, double tolerance)>;

struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A found point of a problem, before it is assessed.
struct Answer {
  Vector x;
  bool infeasible = false;
  std::int64_t iterations = 0;
  std::string message;
};

double residual_of(const StoredMcp& stored, const Vector& x) {
  Vector f;
  const mcp::Problem problem = to_problem(stored);
  if (x.size() != stored.q.size() || !problem.evaluate(x, f, nullptr)) return mcp::infinity;
  return mcp::natural_residual(x, f, stored.lower, stored.upper);
}

std::string words(const mcp::Result& result) {
  return result.message.empty() && result.status != mcp::Status::solved ? mcp::status_name(result.status)
                                                                        : result.message;
}

// "Infeasible" counts when the certificate holds.
bool proven_infeasible(const StoredMcp& stored, const mcp::Result& result, std::string& message) {
  if (result.status != mcp::Status::infeasible) return false;
  std::string why;
  if (mcp::check_certificate(stored.m, stored.q, stored.lower, stored.upper, result.certificate, &why)) return true;
  message = "its certificate of infeasibility does not hold: " + why;
  return false;
}

Answer answer_of(const StoredMcp& stored, const Vector& start, double tolerance, const McpSolver& solver) {
  const mcp::Result result = solver(stored, start, tolerance);
  Answer answer{result.x, false, result.statistics.pivots, words(result)};
  answer.infeasible = stored.quadratic.empty() && proven_infeasible(stored, result, answer.message);
  return answer;
}

// As solve_step() does: solves the linearised problem first and continues from its solution, and where that fails, from
// the problem's own start. Returns the answer that is nearer to a solution, with the cost of all solves.
Answer solve_from_linearised(const StoredMcp& stored, double tolerance, const McpSolver& solver) {
  const StoredLinearisation& linear = *stored.linearised;
  const Answer near = answer_of(linear.problem, linear.problem.start, tolerance, solver);
  Answer answer;
  double residual = mcp::infinity;
  if (near.x.size() == linear.problem.q.size()) {
    answer = answer_of(stored, linear.back * near.x, tolerance, solver);
    residual = residual_of(stored, answer.x);
  }
  answer.iterations += near.iterations;
  if (residual <= tolerance) return answer;
  Answer cold = answer_of(stored, stored.start, tolerance, solver);
  const std::int64_t iterations = answer.iterations + cold.iterations;
  if (residual_of(stored, cold.x) < residual) answer = std::move(cold);
  answer.iterations = iterations;
  return answer;
}

// Rounding in impulses and velocities of size 1. A smaller tolerance makes no sense.
constexpr double finest_tolerance = 1e-14;

// The residual of the complementarity problem does not bound that of the friction problem. Where the answer is not good
// enough, the solver is asked for a better one from there.
Answer friction_answer(const FrictionProblem& problem, const FrictionMcp& mcp, Vector start, double tolerance,
                       const McpSolver& solver) {
  Answer answer;
  double asked = std::min(0.1, tolerance / std::max(mcp.impulse, mcp.velocity));
  std::int64_t before = 0;
  for (int refinement = 0; refinement < 3; ++refinement) {
    answer = answer_of(mcp.stored, start, std::max(finest_tolerance, asked), solver);
    answer.iterations += before;
    before = answer.iterations;
    if (answer.infeasible || answer.x.size() != start.size()) return answer;
    start = answer.x;
    answer.x = impulses(mcp, start);
    if (friction_residual(problem, answer.x) <= tolerance || asked < finest_tolerance) return answer;
    asked *= 1e-3;
  }
  return answer;
}

Answer solve_friction(const FrictionProblem& problem, double tolerance, bool quadratic_too, const McpSolver& solver) {
  const FrictionMcp pyramid = linearised_mcp(problem);
  const Vector start = problem.start.size() > 0 ? unknowns(pyramid, problem, problem.start) : pyramid.stored.start;
  if (problem.dimension == 2) return friction_answer(problem, pyramid, start, tolerance, solver);
  if (!quadratic_too) throw Unfit("is for linear problems; friction in 3D is not");
  // The pyramid only provides a start: three digits and the right contacts.
  constexpr double rough = 1e-6;
  const Answer near = answer_of(pyramid.stored, start, rough, solver);
  const FrictionMcp cone = quadratic_mcp(problem);
  const Vector r = near.x.size() == start.size() ? impulses(pyramid, near.x) : Vector(Vector::Zero(problem.q.size()));
  Answer answer = friction_answer(problem, cone, unknowns(cone, problem, r), tolerance, solver);
  answer.iterations += near.iterations;
  return answer;
}

// [s] of a part that begins when the limit is spent: its start is still assessed.
constexpr double shortest_limit = 1e-6;

// A solver without pivots is counted by its steps.
mcp::Result counted(mcp::Result result) {
  result.statistics.pivots = result.statistics.majors;
  return result;
}

McpSolver mcp_solver(const std::string& name, const AttemptOptions& options) {
  // A problem may be solved in several parts; the limit in time is for all of them.
  const auto begin = std::chrono::steady_clock::now();
  const auto limited = [&options, begin](mcp::Options all, double tolerance) {
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    all.tolerance = tolerance;
    all.max_majors = options.max_majors;
    all.max_pivots = options.max_pivots;
    all.time_limit_s = std::max(options.time_limit_s - spent, shortest_limit);
    return all;
  };
  if (name == "lemke") {
    return [&options](const StoredMcp& stored, const Vector&, double tolerance) {
      if (!stored.quadratic.empty()) throw Unfit("is for linear problems; this one has quadratic terms");
      const double scale = 1.0 + (stored.q.size() > 0 ? stored.q.cwiseAbs().maxCoeff() : 0.0);
      return mcp::solve_lexicographic_lemke(stored.m, stored.q, stored.lower, stored.upper, options.max_pivots,
                                            tolerance / scale);
    };
  }
  if (name == "path-library") {
    if (options.library == nullptr) throw Unfit("needs the library's file");
    return [&options, limited](const StoredMcp& stored, const Vector& start, double tolerance) {
      return options.library->solve(to_problem(stored), start, limited({}, tolerance));
    };
  }
  if (name == "fixed-point") {
    return [&options, limited](const StoredMcp& stored, const Vector& start, double tolerance) {
      return counted(solve_fixed_point(stored, start, limited({}, tolerance), options.max_iterations));
    };
  }
  if (name == "interior-point") {
    return [limited](const StoredMcp& stored, const Vector& start, double tolerance) {
      if (!stored.quadratic.empty()) throw Unfit("is for linear problems; this one has quadratic terms");
      return counted(solve_interior_point(stored, start, limited({}, tolerance)));
    };
  }
  if (name == "fischer-newton" || name == "minmap-newton") {
    const NewtonKind kind = name == "fischer-newton" ? NewtonKind::fischer : NewtonKind::minmap;
    return [kind, limited](const StoredMcp& stored, const Vector& start, double tolerance) {
      return counted(solve_newton(stored, start, kind, limited({}, tolerance)));
    };
  }
  const mcp::Options base = name == "path" ? mcp::Options() : mcp::Options::josephy_newton();
  return [base, limited](const StoredMcp& stored, const Vector& start, double tolerance) {
    return mcp::solve(to_problem(stored), start, limited(base, tolerance));
  };
}

Answer first_order(const StoredProblem& problem, IterativeMethod method, double augmentation,
                   const AttemptOptions& options) {
  IterativeOptions limits;
  limits.tolerance = options.tolerance;
  limits.max_iterations = options.max_iterations;
  limits.time_limit_s = options.time_limit_s;
  limits.augmentation = augmentation;
  IterativeResult result =
      std::visit([&](const auto& content) { return solve_iterative(content, method, limits); }, problem.content);
  if (!result.applies) throw Unfit(result.message);
  const bool silent = result.status == mcp::Status::solved || !result.message.empty();
  return {result.x, false, result.iterations, silent ? result.message : mcp::status_name(result.status)};
}

struct FirstOrder {
  std::string name;
  IterativeMethod method;
  bool augmented = false;
};

const std::vector<FirstOrder>& first_order_solvers() {
  static const std::vector<FirstOrder> solvers{{"jacobi", IterativeMethod::jacobi},
                                               {"pgs", IterativeMethod::pgs},
                                               {"nncg", IterativeMethod::nncg},
                                               {"aj", IterativeMethod::aj},
                                               {"jacobi-augmented", IterativeMethod::jacobi, true},
                                               {"pgs-augmented", IterativeMethod::pgs, true}};
  return solvers;
}

// Whether it takes problems without quadratic terms alone.
bool linear_only(const std::string& solver) { return solver == "lemke" || solver == "interior-point"; }

Answer answer_to(const StoredProblem& problem, const std::string& solver, const AttemptOptions& options) {
  for (const FirstOrder& one : first_order_solvers()) {
    if (one.name == solver) {
      return first_order(problem, one.method, one.augmented ? options.augmentation : 0.0, options);
    }
  }
  const McpSolver chosen = mcp_solver(solver, options);
  if (const auto* stored = std::get_if<StoredMcp>(&problem.content)) {
    if (stored->linearised == nullptr || linear_only(solver)) {
      return answer_of(*stored, stored->start, options.tolerance, chosen);
    }
    return solve_from_linearised(*stored, options.tolerance, chosen);
  }
  return solve_friction(std::get<FrictionProblem>(problem.content), options.tolerance, !linear_only(solver), chosen);
}

double assessed(const StoredProblem& problem, const Vector& x) {
  if (const auto* stored = std::get_if<StoredMcp>(&problem.content)) return residual_of(*stored, x);
  const auto& friction = std::get<FrictionProblem>(problem.content);
  return x.size() == friction.q.size() ? friction_residual(friction, x) : mcp::infinity;
}

}  // namespace

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::solved:
      return "solved";
    case Outcome::infeasible:
      return "infeasible";
    case Outcome::unsolved:
      return "unsolved";
    case Outcome::not_applicable:
      return "not applicable";
  }
  return "?";
}

const std::vector<std::string>& compared_solvers() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"path",           "josephy-newton", "lemke",          "path-library",
                                 "fischer-newton", "minmap-newton",  "interior-point", "fixed-point"};
    for (const FirstOrder& one : first_order_solvers()) all.push_back(one.name);
    return all;
  }();
  return names;
}

Attempt attempt(const StoredProblem& problem, const std::string& solver, const AttemptOptions& options) {
  Attempt done;
  const mcp::StopScope stop(options.stop);
  const double begin = mcp::thread_seconds();
  Answer answer;
  try {
    answer = answer_to(problem, solver, options);
  } catch (const Unfit& why) {
    done.outcome = Outcome::not_applicable;
    done.message = why.what();
    return done;
  }
  done.seconds = mcp::thread_seconds() - begin;
  done.iterations = answer.iterations;
  done.message = answer.message;
  done.residual = assessed(problem, answer.x);
  if (done.residual <= options.tolerance) {
    done.outcome = Outcome::solved;
  } else if (answer.infeasible) {
    done.outcome = Outcome::infeasible;
  }
  return done;
}

}  // namespace pegrasp::reference

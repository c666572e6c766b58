// SPDX-License-Identifier: Apache-2.0
// Mixed complementarity problems (MCP) and a PATH-class solver for them. On its own: nothing here knows of contact.
//
//   find x, l <= x <= u, with   F_i(x) >= 0 where x_i = l_i,   F_i(x) <= 0 where x_i = u_i,   F_i(x) = 0 in between.
//
// Bounds may be infinite (any number of 1e20 or more counts as infinite). A linear complementarity problem is
// F = M x + q, l = 0, u = inf; a square system is l = -inf, u = inf; mixed LCPs are in between.
//
// Method: Dirkse and Ferris 1995 (the PATH solver), Ferris and Munson 1999, Munson's thesis (2000);
// docs/explanation/mcp-solver.md. No global state: solve() may be called from any number of threads. The same input
// gives the same bits.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace pegrasp::mcp {

using Vector = Eigen::VectorXd;
using SparseMatrix = Eigen::SparseMatrix<double>;  // by columns

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Problem {
  Vector lower, upper;  // (n) l <= u
  // f = F(x), and its Jacobian (n, n) when `jacobian` is not null; its pattern may change from call to call. Returns
  // false where F is not defined at x. Called with l <= x <= u, from one thread at a time for one solve().
  std::function<bool(const Vector& x, Vector& f, SparseMatrix* jacobian)> evaluate;
  bool linear = false;  // F is affine: one Jacobian serves
};

// F = M x + q. M (n, n).
Problem linear_problem(SparseMatrix m, Vector q, Vector lower, Vector upper);
// 0 <= x  ⊥  M x + q >= 0.
Problem lcp(SparseMatrix m, Vector q);

enum class Status : int {
  // Natural residual <= tolerance; or within what rounding makes of F, 1e-6 at most: Result::rounding; or, with
  // Options::sums, the tolerance met by a sum of two doubles where no double does: Result::sum_high.
  solved = 0,
  infeasible,         // no solution exists, of moderate numbers: Result::certificate shows it (check_certificate())
  no_progress,        // every start and every setting ended without a solution, and none was shown not to exist
  pivot_limit,        // Options::max_pivots
  iteration_limit,    // Options::max_majors
  time_limit,         // Options::time_limit_s
  evaluation_failed,  // F could not be evaluated at the start, or is not finite there
  bad_input,          // sizes, NaN, l > u: Result::message says what
};
const char* status_name(Status status);

struct Options {
  double tolerance = 1e-10;          // on the natural residual, see natural_residual()
  int max_majors = 500;              // linearisations, over all restarts
  std::int64_t max_pivots = 200000;  // of all paths; each search for a witness may take as many
  double time_limit_s = infinity;

  // What makes the method PATH rather than its ancestors; lemke() and josephy_newton() switch these off.
  bool globalise = true;      // search along the step, watchdog, projected gradient steps
  bool restarts = true;       // from the start again with other settings, when one fails
  bool regular_start = true;  // pivots begin at the current point; false: from a ray (Lemke)
  bool perturb = true;        // lambda I where the linear model is singular or its solve fails
  bool crash = false;         // projected Newton before the first linearisation
  bool certify = true;        // look for a witness where nothing was found; linear problems only
  // Linear problems of up to 600 rows whose bounds admit 0: where no double meets the tolerance, look for a solution as
  // a sum of two, by Lemke's method in 32 decimals; it may take a hundred times as long as a path.
  bool sums = false;
  int certify_nodes = 1000;     // leaves of the branch over disjunctions, at most
  double regularisation = 0.0;  // first lambda; 0: chosen by the solver
  int memory = 10;              // of the non-monotone search

  // The pivotal engine.
  double pivot_tolerance = 4e-11;
  double feasibility_tolerance = 1e-6;  // of the EXPAND ratio test, grows from half of it
  int refactor_interval = 50;           // pivots between factorisations

  static Options lemke();           // linear problems: Lemke's method from a ray, one pass
  static Options josephy_newton();  // full Newton steps: linearise, solve, repeat
};

// A proof that a linear problem has no solution, of moderate numbers where it has unbounded variables: see
// check_certificate() for what that means. Each leaf fixes, for some indices, which alternative of the
// complementarity condition holds; the alternatives of all leaves together leave nothing out. In each leaf y is a
// combination of the rows that contradicts itself (Farkas), see check_certificate().
struct Certificate {
  enum class Alternative : std::int8_t {
    at_lower,
    at_upper,
    zero
  };  // x_i = l_i, F_i >= 0; x_i = u_i, F_i <= 0; F_i = 0
  struct Leaf {
    std::vector<std::pair<int, Alternative>> fixed;
    Vector y;           // (n) multipliers of the rows of F
    Vector y_low = {};  // (n) or empty: what is added to y, where the digits of y are too few for a sum to vanish
  };
  std::vector<Leaf> leaves;  // one leaf with nothing fixed: the bounds and signs alone contradict each other
  Vector range = {};         // (n) or empty: shown for |x_j| <= range_j where a bound of x_j is infinite
};

// Whether the certificate proves that M x + q, l, u has no solution: for every leaf, with y's signs admissible for the
// leaf's conditions on F, max over the leaf's box of y'(M x + q) is below zero by more than rounding, which contradicts
// y'F >= 0. Where x_j is not bounded its coefficient in y'M must vanish, up to 1e-12 of its terms, and x_j is taken to
// be within certificate.range_j, or, without a range, to make terms of at most a million times those of y'q and of the
// bounded variables. So a problem that is singular but for rounding may be called infeasible though it has a solution
// of huge numbers: [1, -1; -(1 - 2^-40), 1] x - (1, 0) may, with x = (2^40, 2^40 - 1). Independent of how it was found.
// `why`, when not null, says what is wrong.
bool check_certificate(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper,
                       const Certificate& certificate, std::string* why = nullptr);

struct Statistics {
  int majors = 0;
  std::int64_t pivots = 0;  // of all paths, those in 32 decimals included
  int factorisations = 0;
  int repeated_factorisations = 0;  // of these: in an order of pivots known from an equal pattern, without a search
  int function_evaluations = 0;
  int jacobian_evaluations = 0;
  int restarts = 0;
  int gradient_steps = 0;
  int watchdog_returns = 0;
  double seconds = 0.0;
  double pivot_seconds = 0.0;  // in the pivotal engine: processor time, where the solver is ours
};

struct Result {
  Status status = Status::no_progress;
  Vector x;  // the best point found, l <= x <= u; one that counts as solved goes before a smaller residual
  double residual = infinity;  // natural residual at x
  // When solved with a residual above the tolerance: what rounding makes of the rows in question; 0 where that is more
  // than is excused, and a sum solves the problem.
  double rounding = 0.0;
  // (n) or empty: with Options::sums, a solution as the sum sum_high + sum_low, unrounded, where the one found in
  // doubles has a residual above the tolerance. It may be another solution than the one x is near to.
  Vector sum_high, sum_low;
  Statistics statistics;
  Certificate certificate;  // when infeasible
  std::string message;      // one line, for people
};

// What one solve may hand to the next: orders of pivots, by the pattern of the matrices that they factorise. Problems
// of any size and any order may be solved with one. Not for two threads at once. With one the bits of a solution depend
// on what was solved before: the same problems in the same order give the same bits.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  struct Contents;
  Contents& contents();

 private:
  std::unique_ptr<Contents> contents_;
};

// Solves from `start` (n), projected into the bounds. Never throws for what the problem contains; see Status.
// workspace: null, or what earlier solves of like problems have filled.
Result solve(const Problem& problem, const Vector& start, const Options& options = {}, Workspace* workspace = nullptr);

// max_i |x_i - mid(l_i, u_i, x_i - f_i)|: zero at solutions only. NaN counts as infinite.
double natural_residual(const Vector& x, const Vector& f, const Vector& lower, const Vector& upper);
double natural_residual(double x, double f, double lower, double upper);  // of one entry
// The same of F = M x + q at the sum x + x_low, in twice the precision of a double. |x_low| is at most half a unit in
// the last place of x.
double precise_residual(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper,
                        const Vector& x, const Vector& x_low);

}  // namespace pegrasp::mcp

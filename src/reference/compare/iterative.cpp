// SPDX-License-Identifier: Apache-2.0
#include "src/reference/compare/iterative.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "src/reference/io/friction_mcp.hpp"
#include "src/reference/mcp/stop.hpp"

namespace pegrasp::reference {
namespace {

using Eigen::Index;
using mcp::Vector;

// w = A x + q with blocks of `size` rows: intervals (size 1) or contacts (size 2 or 3, normal component first).
struct Blocks {
  Eigen::SparseMatrix<double, Eigen::RowMajor> a;
  Vector q;
  int size = 1;
  double augmentation = 0.0;
  Vector lower, upper;                        // intervals
  const FrictionProblem* contacts = nullptr;  // contacts
  Vector diagonal, row_sum;                   // rows of a disc share the largest, lest the projection lean to an axis

  Index rows() const { return q.size(); }
  Index count() const { return rows() / size; }
  double row(Index i, const Vector& x) const { return a.row(i).dot(x) + augmentation * x[i] + q[i]; }
  Vector slope(const Vector& x) const { return a * x + q; }  // without augmentation: for the residual

  double residual(const Vector& x, const Vector& w) const {
    return contacts != nullptr ? friction_residual(*contacts, x, w) : mcp::natural_residual(x, w, lower, upper);
  }
  // Projects block b of x on its set.
  void project(Index b, Vector& x) const {
    const Index first = b * size;
    if (contacts == nullptr) {
      x[first] = std::min(std::max(x[first], lower[first]), upper[first]);
      return;
    }
    x[first] = std::max(0.0, x[first]);
    project_disc(b, x);
  }
  void project_disc(Index b, Vector& x) const {
    const double radius = contacts->mu[b] * x[b * size];
    const double length = x.segment(b * size + 1, size - 1).norm();
    if (length > radius) x.segment(b * size + 1, size - 1) *= radius / length;
  }
  void project_all(Vector& x) const {
    for (Index b = 0; b < count(); ++b) project(b, x);
  }
};

// Fills diagonal and row_sum. Empty, or why the methods do not apply.
std::string prepare(Blocks& blocks) {
  blocks.diagonal = blocks.a.diagonal().array() + blocks.augmentation;
  blocks.row_sum = Vector::Zero(blocks.rows());
  for (Index i = 0; i < blocks.rows(); ++i) {
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(blocks.a, i); it; ++it) {
      blocks.row_sum[i] += std::abs(it.value());
    }
    if (!(blocks.diagonal[i] > 0.0)) {
      return "needs a positive diagonal; row " + std::to_string(i) + " has none";
    }
  }
  if (blocks.size < 3) return {};
  for (Index b = 0; b < blocks.count(); ++b) {
    for (Vector* scale : {&blocks.diagonal, &blocks.row_sum}) {
      scale->segment(b * blocks.size + 1, blocks.size - 1)
          .setConstant(scale->segment(b * blocks.size + 1, blocks.size - 1).maxCoeff());
    }
  }
  return {};
}

// Keeps the best point and says when to stop.
class Watch {
 public:
  Watch(const Blocks& blocks, const IterativeOptions& options) : blocks_(blocks), options_(options) {}

  // True when the iteration is over. w: slope at x.
  bool over(const Vector& x, const Vector& w) {
    const double residual = blocks_.residual(x, w);
    last = residual;
    ++stale;
    if (residual < result.residual || result.x.size() == 0) {
      result.residual = residual;
      result.x = x;
      stale = 0;
    }
    if (residual <= options_.tolerance) {
      result.status = mcp::Status::solved;
      return true;
    }
    if (!std::isfinite(residual)) {
      result.status = mcp::Status::no_progress;
      result.message = "diverged";
      return true;
    }
    if (result.iterations >= options_.max_iterations) {
      result.status = mcp::Status::iteration_limit;
      return true;
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (mcp::stop_asked() || spent.count() > options_.time_limit_s) {
      result.status = mcp::Status::time_limit;
      return true;
    }
    ++result.iterations;
    return false;
  }

  IterativeResult result;
  double last = mcp::infinity;
  int stale = 0;  // iterations since the best point

 private:
  const Blocks& blocks_;
  const IterativeOptions& options_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void jacobi(const Blocks& blocks, Vector x, Watch& watch) {
  double relaxation = 0.5;
  Vector w = blocks.slope(x);
  while (!watch.over(x, w)) {
    if (watch.last > 4.0 * watch.result.residual && relaxation > 1.0 / 256.0) {
      relaxation *= 0.5;
      x = watch.result.x;
      w = blocks.slope(x);
    }
    x -= relaxation * (w + blocks.augmentation * x).cwiseQuotient(blocks.diagonal);
    blocks.project_all(x);
    w = blocks.slope(x);
  }
}

// One sweep of Gauss-Seidel, in place.
void sweep(const Blocks& blocks, Vector& x) {
  for (Index b = 0; b < blocks.count(); ++b) {
    const Index first = b * blocks.size;
    x[first] -= blocks.row(first, x) / blocks.diagonal[first];
    if (blocks.contacts == nullptr) {
      blocks.project(b, x);
      continue;
    }
    x[first] = std::max(0.0, x[first]);
    Vector moved = x.segment(first + 1, blocks.size - 1);
    for (Index k = 1; k < blocks.size; ++k) moved[k - 1] -= blocks.row(first + k, x) / blocks.diagonal[first + k];
    x.segment(first + 1, blocks.size - 1) = moved;
    blocks.project_disc(b, x);
  }
}

void gauss_seidel(const Blocks& blocks, Vector x, Watch& watch) {
  while (!watch.over(x, blocks.slope(x))) sweep(blocks, x);
}

void conjugate_gradients(const Blocks& blocks, Vector x, Watch& watch) {
  Vector direction = Vector::Zero(x.size());
  Vector swept = x;
  double before = 0.0;  // squared length of the last sweep's step
  while (!watch.over(swept, blocks.slope(swept))) {
    swept = x;
    sweep(blocks, swept);
    const Vector step = swept - x;  // minus the gradient
    const double now = step.squaredNorm();
    const double beta = before > 0.0 ? now / before : 2.0;
    x = swept;
    if (beta > 1.0) {
      direction = before > 0.0 ? Vector(Vector::Zero(x.size())) : step;
    } else {
      x += beta * direction;
      direction = beta * direction + step;
    }
    before = now;
  }
}

// The sets of friction move with the normal impulses, so momentum may cycle (1 of 400 random problems in 3D). After
// this many iterations without a better point, the iteration goes on from the best point without momentum.
constexpr int patience = 1000;

void accelerated_jacobi(const Blocks& blocks, Vector x, Watch& watch) {
  Vector y = x;
  Vector w = blocks.slope(x);
  Vector w_at_y = w;
  double theta = 1.0;
  bool plain = false;
  while (!watch.over(x, w)) {
    if (!plain && watch.stale > patience) {
      plain = true;
      x = y = watch.result.x;
      w = w_at_y = blocks.slope(x);
    }
    Vector next = y - w_at_y.cwiseQuotient(blocks.row_sum);
    blocks.project_all(next);
    const Vector step = next - x;
    const bool uphill = (y - next).cwiseProduct(blocks.row_sum).dot(step) > 0.0;
    Vector w_next = blocks.slope(next);
    double momentum = 0.0;
    if (uphill) {
      theta = 1.0;
    } else if (!plain) {
      const double coming = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta * theta));
      momentum = (theta - 1.0) / coming;
      theta = coming;
    }
    // A x + q is affine: slopes extrapolate as points do.
    y = next + momentum * step;
    w_at_y = w_next + momentum * (w_next - w);
    x = std::move(next);
    w = std::move(w_next);
  }
}

IterativeResult run(Blocks& blocks, Vector start, IterativeMethod method, const IterativeOptions& options) {
  blocks.augmentation = options.augmentation;
  if (const std::string why = prepare(blocks); !why.empty()) {
    IterativeResult none;
    none.applies = false;
    none.status = mcp::Status::bad_input;
    none.message = why;
    return none;
  }
  Watch watch(blocks, options);
  blocks.project_all(start);
  switch (method) {
    case IterativeMethod::jacobi:
      jacobi(blocks, std::move(start), watch);
      break;
    case IterativeMethod::pgs:
      gauss_seidel(blocks, std::move(start), watch);
      break;
    case IterativeMethod::nncg:
      conjugate_gradients(blocks, std::move(start), watch);
      break;
    case IterativeMethod::aj:
      accelerated_jacobi(blocks, std::move(start), watch);
      break;
  }
  return std::move(watch.result);
}

}  // namespace

IterativeResult solve_iterative(const StoredMcp& problem, IterativeMethod method, const IterativeOptions& options) {
  if (!problem.quadratic.empty()) {
    IterativeResult none;
    none.applies = false;
    none.status = mcp::Status::bad_input;
    none.message = "is for linear problems; this one has quadratic terms";
    return none;
  }
  Blocks blocks;
  blocks.a = problem.m;
  blocks.q = problem.q;
  blocks.lower = problem.lower;
  blocks.upper = problem.upper;
  return run(blocks, problem.start, method, options);
}

IterativeResult solve_iterative(const FrictionProblem& problem, IterativeMethod method,
                                const IterativeOptions& options) {
  Blocks blocks;
  blocks.a = problem.w;
  blocks.q = problem.q;
  blocks.size = problem.dimension;
  blocks.contacts = &problem;
  return run(blocks, problem.start.size() > 0 ? problem.start : Vector(Vector::Zero(problem.q.size())), method,
             options);
}

}  // namespace pegrasp::reference

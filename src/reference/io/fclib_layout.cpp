// SPDX-License-Identifier: Apache-2.0
#include "src/reference/io/fclib_layout.hpp"

#include <Eigen/Dense>
#include <Eigen/SparseLU>
#include <utility>

#include "src/reference/io/sparse_layout.hpp"

namespace pegrasp::reference {
namespace {

using mcp::SparseMatrix;
using mcp::Vector;

// u = W r + V l + q with V' r + R l + s = 0, where there are bilateral constraints (p > 0).
struct LocalForm {
  SparseMatrix w, v, r;
  Vector q, s;
};

Vector vector_of(const Hdf5Input& input, const std::string& name, Eigen::Index size) {
  Vector all = input.reals(name);
  if (all.size() != size) {
    input.fail(name, "has " + std::to_string(all.size()) + " elements, not " + std::to_string(size));
  }
  return all;
}

LocalForm read_local(const Hdf5Input& input, const std::string& group) {
  LocalForm form;
  form.q = input.reals(group + "/vectors/q");
  const Eigen::Index m = form.q.size();
  form.w = read_matrix(input, group + "/W", m, m);
  if (!input.has(group + "/V") && !input.has(group + "/R")) return form;
  form.s = input.reals(group + "/vectors/s");
  form.v = read_matrix(input, group + "/V", m, form.s.size());
  form.r = read_matrix(input, group + "/R", form.s.size(), form.s.size());
  return form;
}

LocalForm read_global(const Hdf5Input& input, const std::string& group) {
  const Vector f = input.reals(group + "/vectors/f");
  const Vector w = input.reals(group + "/vectors/w");
  const SparseMatrix mass = read_matrix(input, group + "/M", f.size(), f.size());
  const SparseMatrix h = read_matrix(input, group + "/H", f.size(), w.size());
  if (f.size() == 0) input.fail(group + "/vectors/f", "is empty: a problem has bodies");
  Eigen::SparseLU<SparseMatrix> inverse(mass);
  if (inverse.info() != Eigen::Success) input.fail(group + "/M", "has no inverse: a mass matrix is positive definite");
  const Vector free = inverse.solve(f);
  const SparseMatrix to_contacts = SparseMatrix(h.transpose());
  LocalForm form;
  form.q = to_contacts * free + w;
  if (w.size() > 0) form.w = (to_contacts * SparseMatrix(inverse.solve(h))).pruned(0.0, 0.0);
  if (!input.has(group + "/G")) return form;
  const Vector b = input.reals(group + "/vectors/b");
  if (b.size() == 0) return form;
  const SparseMatrix g = read_matrix(input, group + "/G", f.size(), b.size());
  const SparseMatrix moved = inverse.solve(g);
  form.v = to_contacts * moved;
  form.r = SparseMatrix(g.transpose()) * moved;
  form.s = SparseMatrix(g.transpose()) * free + b;
  return form;
}

// l = -R^+ (V' r + s). Redundant constraints make R singular; where they agree with each other any l serves, and the
// pseudo-inverse gives one.
void eliminate_bilaterals(const Hdf5Input& input, const std::string& group, LocalForm& form) {
  if (form.s.size() == 0) return;
  const Eigen::MatrixXd v = form.v;
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(Eigen::MatrixXd(form.r));
  const Eigen::MatrixXd by_impulse = factors.solve(v.transpose());
  const Vector constant = factors.solve(form.s);
  const double scale = 1e-9 * (form.s.cwiseAbs().maxCoeff() + 1e-300);
  if (!((form.r * constant - form.s).cwiseAbs().maxCoeff() <= scale)) {
    input.fail(group, "its bilateral constraints contradict each other");
  }
  const Eigen::MatrixXd w = Eigen::MatrixXd(form.w) - v * by_impulse;
  form.w = w.sparseView();
  form.q -= v * constant;
}

}  // namespace

bool holds_fclib(const Hdf5Input& input, const std::string& at) {
  return input.is_group(at + "/fclib_local") || input.is_group(at + "/fclib_global");
}

StoredProblem read_fclib(const Hdf5Input& input, const std::string& at) {
  const bool local = input.is_group(at + "/fclib_local");
  const std::string group = at + (local ? "/fclib_local" : "/fclib_global");
  FrictionProblem problem;
  problem.dimension = input.integer(group + "/spacedim");
  if (problem.dimension != 2 && problem.dimension != 3) {
    input.fail(group + "/spacedim", std::to_string(problem.dimension) + " is neither 2 nor 3");
  }
  LocalForm form = local ? read_local(input, group) : read_global(input, group);
  const Eigen::Index m = form.q.size();
  if (m % problem.dimension != 0) {
    input.fail(group, std::to_string(m) + " rows are not divisible by spacedim, " + std::to_string(problem.dimension));
  }
  problem.mu = vector_of(input, group + "/vectors/mu", m / problem.dimension);
  if (problem.mu.size() > 0 && problem.mu.minCoeff() < 0.0) {
    input.fail(group + "/vectors/mu", "a coefficient of friction is below zero");
  }
  eliminate_bilaterals(input, group, form);
  problem.w = std::move(form.w);
  if (m == 0) problem.w.resize(0, 0);
  problem.w.makeCompressed();
  if (!problem.w.coeffs().allFinite() || !form.q.allFinite()) {
    input.fail(group, "cannot be brought to local form: its matrices are too near to singular");
  }
  problem.q = std::move(form.q);
  if (input.has(at + "/guesses/1/r")) problem.start = vector_of(input, at + "/guesses/1/r", m);
  StoredProblem stored;
  stored.name = input.text(group + "/info/title").value_or("");
  stored.content = std::move(problem);
  return stored;
}

void write_fclib(Hdf5File& file, const std::string& at, const FrictionProblem& problem, const std::string& title,
                 const std::string& description) {
  const std::string group = at + "/fclib_local";
  file.group(group);
  write_integer(file, group + "/spacedim", problem.dimension);
  write_matrix(file, group + "/W", problem.w);
  file.group(group + "/vectors");
  write_vector(file, group + "/vectors/q", problem.q);
  write_vector(file, group + "/vectors/mu", problem.mu);
  file.group(group + "/info");
  file.text(group + "/info/title", title);
  if (!description.empty()) file.text(group + "/info/description", description);
  if (problem.start.size() == 0) return;
  file.group(at + "/guesses");
  write_integer(file, at + "/guesses/number_of_guesses", 1);
  file.group(at + "/guesses/1");
  write_vector(file, at + "/guesses/1/r", problem.start);
  write_vector(file, at + "/guesses/1/u", problem.q + problem.w * problem.start);
}

}  // namespace pegrasp::reference

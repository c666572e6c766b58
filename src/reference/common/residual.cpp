// SPDX-License-Identifier: Apache-2.0
#include "src/reference/common/residual.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

namespace pegrasp::reference {
namespace {

// Of a diagonal mass matrix.
Vector inverse_diagonal(const SparseMatrix& mass) { return mass.diagonal().cwiseInverse(); }

class Residual {
 public:
  Residual(const StepProblem& step, const Vector& velocity, std::span<const int> body_of)
      : step_(step), inverse_(inverse_diagonal(step.mass)), velocity_(velocity), body_of_(body_of) {
    for (const Contact& contact : step.contacts) {
      count(contact.normal);
      for (const SparseVector& tangent : contact.tangents) {
        if (contact.mu > 0.0) count(tangent);
      }
    }
    for (const Bilateral& bilateral : step.bilaterals) count(bilateral.row);
    for (const SupportPoint& support : step.supports) {
      for (const SparseVector& row : support.tangents) count(row);
    }
    for (const Motor& motor : step.motors) count(motor.row);
  }

  double contact(const Contact& c, double normal, const std::vector<double>& tangent) const {
    const double scale_n = scale(c.normal, push_of(c)) + c.compliance;
    const double w_n = c.normal.dot(velocity_) + c.gap / step_.h + c.rate + c.compliance * normal;
    const double to_n = std::max(0.0, step_back(normal, w_n, scale_n));
    const double residual = std::abs(to_n - normal) * scale_n;
    if (!(c.mu > 0.0)) return residual;
    return worse(residual, disc(c.tangents, c.tangent_rate, tangent, c.mu * to_n, c.tangent_compliance));
  }

  double support(const SupportPoint& s, const std::vector<double>& impulse) const {
    return disc(s.tangents, s.rate, impulse, s.bound);
  }

  double bilateral(const Bilateral& b) const { return std::abs(b.row.dot(velocity_) + b.gap / step_.h + b.rate); }

  // Of a motor and its mates.
  double motor(std::span<const Motor> motors, std::span<const double> impulse) const {
    double diagonal = 0.0;
    for (const Motor& m : motors) diagonal = std::max(diagonal, scale(m.row) + m.compliance);
    Vector to(static_cast<Eigen::Index>(motors.size()));
    for (std::size_t k = 0; k < motors.size(); ++k) {
      const Motor& m = motors[k];
      const double w = m.row.dot(velocity_) + m.bias + m.compliance * impulse[k];
      to[static_cast<Eigen::Index>(k)] = step_back(impulse[k], w, diagonal);
    }
    return off_the_ball(to, impulse, motors.front().bound, diagonal);
  }

  // NaN wins.
  static double worse(double a, double b) { return a >= b ? a : b >= a ? b : std::nan(""); }

 private:
  double disc(const std::vector<SparseVector>& rows, const std::vector<double>& rates,
              const std::vector<double>& impulse, double bound, double compliance = 0.0) const {
    double shared = 0.0;
    for (const SparseVector& row : rows) shared = std::max(shared, scale(row) + compliance);
    Vector to(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double w =
          rows[k].dot(velocity_) + (rates.empty() ? 0.0 : rates[k]) + (k < 2 ? compliance : 0.0) * impulse[k];
      to[static_cast<Eigen::Index>(k)] = step_back(impulse[k], w, shared);
    }
    return off_the_ball(to, impulse, bound, shared);
  }
  static double off_the_ball(Vector to, std::span<const double> impulse, double bound, double scale) {
    if (to.norm() > bound) to *= bound / to.norm();
    double residual = 0.0;
    for (std::size_t k = 0; k < impulse.size(); ++k) {
      residual = worse(residual, std::abs(to[static_cast<Eigen::Index>(k)] - impulse[k]) * scale);
    }
    return residual;
  }
  static double step_back(double p, double w, double scale) { return scale > 0.0 ? p - w / scale : p; }

  void count(const SparseVector& row) {
    int last = -1;
    for (SparseVector::InnerIterator it(row); it; ++it) {
      const int body = body_of_[static_cast<std::size_t>(it.index())];
      if (body != last) ++rows_[body];
      last = body;
    }
  }
  double scale(const SparseVector& row) const { return scale(row, row); }
  double scale(const SparseVector& row, const SparseVector& push) const {
    double sum = 0.0;
    for (SparseVector::InnerIterator it(row); it; ++it) {
      const int rows = rows_.at(body_of_[static_cast<std::size_t>(it.index())]);
      sum += rows * it.value() * push.coeff(it.index()) * inverse_[it.index()];
    }
    return sum;
  }

  const StepProblem& step_;
  Vector inverse_, velocity_;
  std::span<const int> body_of_;
  std::map<int, int> rows_;  // body -> rows that act on it
};

}  // namespace

Vector free_velocity(const StepProblem& step) {
  return step.velocity + inverse_diagonal(step.mass).cwiseProduct(step.external);
}

Vector velocity_of_impulses(const StepProblem& step, const StepSolution& solution) {
  Vector impulse = step.external;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const Contact& contact = step.contacts[i];
    impulse += solution.normal[i] * push_of(contact);
    for (std::size_t k = 0; k < contact.tangents.size(); ++k) {
      if (contact.mu > 0.0) impulse += solution.tangent[i][k] * contact.tangents[k];
    }
  }
  for (std::size_t i = 0; i < step.supports.size(); ++i) {
    for (std::size_t k = 0; k < step.supports[i].tangents.size(); ++k) {
      impulse += solution.support[i][k] * step.supports[i].tangents[k];
    }
  }
  for (std::size_t i = 0; i < step.motors.size(); ++i) impulse += solution.motor[i] * push_of(step.motors[i]);
  for (std::size_t i = 0; i < step.bilaterals.size(); ++i) {
    impulse += solution.bilateral[i] * push_of(step.bilaterals[i]);
  }
  return step.velocity + inverse_diagonal(step.mass).cwiseProduct(impulse);
}

double natural_map_residual(const StepProblem& step, const StepSolution& solution, std::span<const int> body_of) {
  return natural_map_residual(step, solution, velocity_of_impulses(step, solution), body_of);
}

double natural_map_residual(const StepProblem& step, const StepSolution& solution, const Vector& velocity,
                            std::span<const int> body_of) {
  const Residual residual(step, velocity, body_of);
  double worst = 0.0;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    worst = Residual::worse(worst, residual.contact(step.contacts[i], solution.normal[i], solution.tangent[i]));
  }
  for (std::size_t i = 0; i < step.supports.size(); ++i) {
    worst = Residual::worse(worst, residual.support(step.supports[i], solution.support[i]));
  }
  for (std::size_t i = 0; i < step.motors.size();) {
    const std::size_t count = 1 + static_cast<std::size_t>(step.motors[i].mates);
    const std::span all(step.motors);
    worst = Residual::worse(worst, residual.motor(all.subspan(i, count), std::span(solution.motor).subspan(i, count)));
    i += count;
  }
  for (const Bilateral& bilateral : step.bilaterals) worst = Residual::worse(worst, residual.bilateral(bilateral));
  return worst;
}

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// Derivatives of formulas that are written once: a number that carries its gradient (forward differentiation, Griewank
// and Walther 2008, chapter 3), and MCPs made from such formulas. For small problems: n numbers go with every
// operation.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/reference/problems/problem_set.hpp"

namespace pegrasp::problems {

// T is double, or again a Dual for second derivatives. An empty gradient is that of a constant.
template <class T>
struct Dual {
  T value{};
  std::vector<T> gradient;

  Dual() = default;
  Dual(double constant) : value(constant) {}  // implicit: formulas mix numbers and variables
  Dual(T v, std::vector<T> g) : value(std::move(v)), gradient(std::move(g)) {}

  static Dual variable(T v, std::size_t index, std::size_t n) {
    std::vector<T> g(n, T(0.0));
    g[index] = T(1.0);
    return {std::move(v), std::move(g)};
  }

  T derivative(std::size_t index) const { return gradient.empty() ? T(0.0) : gradient[index]; }

  // What the chain rule gives for f(a, b) with the partial derivatives da and db.
  static Dual chain(T v, const Dual& a, const T& da, const Dual& b, const T& db) {
    if (b.gradient.empty()) return chain(std::move(v), a, da);
    if (a.gradient.empty()) return chain(std::move(v), b, db);
    std::vector<T> g(a.gradient.size());
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = da * a.gradient[i] + db * b.gradient[i];
    return {std::move(v), std::move(g)};
  }
  static Dual chain(T v, const Dual& a, const T& da) {
    std::vector<T> g(a.gradient.size());
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = da * a.gradient[i];
    return {std::move(v), std::move(g)};
  }

  friend Dual operator+(const Dual& a, const Dual& b) { return chain(a.value + b.value, a, T(1.0), b, T(1.0)); }
  friend Dual operator-(const Dual& a, const Dual& b) { return chain(a.value - b.value, a, T(1.0), b, T(-1.0)); }
  friend Dual operator-(const Dual& a) { return chain(T(0.0) - a.value, a, T(-1.0)); }
  friend Dual operator*(const Dual& a, const Dual& b) { return chain(a.value * b.value, a, b.value, b, a.value); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return chain(quotient, a, T(1.0) / b.value, b, (T(0.0) - quotient) / b.value);
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }

  friend Dual exp(const Dual& a) {
    using std::exp;
    const T e = exp(a.value);
    return chain(e, a, e);
  }
  friend Dual log(const Dual& a) {
    using std::log;
    return chain(log(a.value), a, T(1.0) / a.value);
  }
  friend Dual sin(const Dual& a) {
    using std::cos;
    using std::sin;
    return chain(sin(a.value), a, cos(a.value));
  }
  friend Dual cos(const Dual& a) {
    using std::cos;
    using std::sin;
    return chain(cos(a.value), a, T(0.0) - sin(a.value));
  }
  friend Dual pow(const Dual& a, double exponent) {
    using std::pow;
    return chain(pow(a.value, exponent), a, T(exponent) * pow(a.value, exponent - 1.0));
  }
};

inline double value_of(double x) { return x; }
template <class T>
double value_of(const Dual<T>& x) {
  return value_of(x.value);
}

template <class T>
T square(const T& x) {
  return x * x;
}

// The MCP of `formula`, which has operator()<T>(const std::vector<T>& x, std::vector<T>& f) and returns false where F
// is not defined; f comes with n zeros. Where F has no finite derivative, as x^0.8 at zero, a Jacobian is refused.
template <class Formula>
mcp::Problem differentiated(Vector lower, Vector upper, Formula formula) {
  mcp::Problem problem;
  problem.lower = std::move(lower);
  problem.upper = std::move(upper);
  problem.evaluate = [formula](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    const std::size_t n = static_cast<std::size_t>(x.size());
    f.resize(x.size());
    if (!jacobian) {
      std::vector<double> values(n, 0.0);
      if (!formula(std::vector<double>(x.data(), x.data() + n), values)) return false;
      for (std::size_t i = 0; i < n; ++i) f[static_cast<Eigen::Index>(i)] = values[i];
      return true;
    }
    std::vector<Dual<double>> variables(n), values(n);
    for (std::size_t i = 0; i < n; ++i) {
      variables[i] = Dual<double>::variable(x[static_cast<Eigen::Index>(i)], i, n);
    }
    if (!formula(variables, values)) return false;
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t i = 0; i < n; ++i) {
      f[static_cast<Eigen::Index>(i)] = values[i].value;
      for (std::size_t j = 0; j < values[i].gradient.size(); ++j) {
        const double d = values[i].gradient[j];
        if (!std::isfinite(d)) return false;
        if (d != 0.0) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), d);
      }
    }
    jacobian->resize(x.size(), x.size());
    jacobian->setFromTriplets(entries.begin(), entries.end());
    return true;
  };
  return problem;
}

template <class Formula>
NamedProblem named(std::string name, Vector lower, Vector upper, std::vector<Vector> starts, Formula formula) {
  NamedProblem problem;
  problem.name = std::move(name);
  problem.starts = std::move(starts);
  problem.problem = differentiated(std::move(lower), std::move(upper), std::move(formula));
  return problem;
}

}  // namespace pegrasp::problems

// SPDX-License-Identifier: Apache-2.0
#include "src/reference/workbench/implicit_step.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace pegrasp::reference {
namespace {

constexpr int most = 15;  // unknowns

// A number with its derivatives by the unknowns.
struct Dual {
  double value = 0.0;
  std::array<double, most> by{};

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): constants are numbers
};
// f(x) with the derivative `slope` there.
Dual chain(const Dual& x, double value, double slope) {
  Dual out(value);
  for (std::size_t k = 0; k < most; ++k) out.by[k] = slope * x.by[k];
  return out;
}
Dual operator+(Dual x, const Dual& y) {
  x.value += y.value;
  for (std::size_t k = 0; k < most; ++k) x.by[k] += y.by[k];
  return x;
}
Dual operator-(const Dual& x) { return chain(x, -x.value, -1.0); }
Dual operator-(const Dual& x, const Dual& y) { return x + (-y); }
Dual operator*(const Dual& x, const Dual& y) { return chain(x, x.value * y.value, y.value) + chain(y, 0.0, x.value); }
Dual power(const Dual& x, double n) {
  return chain(x, std::pow(x.value, n), n == 0.0 ? 0.0 : n * std::pow(x.value, n - 1.0));
}
Dual cosine(const Dual& x) { return chain(x, std::cos(x.value), -std::sin(x.value)); }
Dual sine(const Dual& x) { return chain(x, std::sin(x.value), std::cos(x.value)); }
Dual absolute(const Dual& x) { return x.value < 0.0 ? -x : x; }

struct Dual2 {
  Dual x, y;
};
Dual2 operator+(const Dual2& a, const Dual2& b) { return {a.x + b.x, a.y + b.y}; }
Dual2 operator-(const Dual2& a, const Dual2& b) { return {a.x - b.x, a.y - b.y}; }
Dual2 operator*(const Dual& s, const Dual2& a) { return {s * a.x, s * a.y}; }
Dual dot(const Dual2& a, const Dual2& b) { return a.x * b.x + a.y * b.y; }
Dual cross(const Dual2& a, const Dual2& b) { return a.x * b.y - a.y * b.x; }

struct Surface {
  Dual f;
  Dual2 gradient;
};

// A body at the end of the step.
struct Placed {
  const SmoothShape& shape;
  Dual2 origin;
  Dual c, s;

  Surface at(const Dual2& point) const {
    const Dual2 d = point - origin;
    const Dual2 own{c * d.x + s * d.y, c * d.y - s * d.x};
    Surface out;
    Dual2 g;
    if (shape.half_plane) {
      out.f = own.y;
      g = {0.0, 1.0};
    } else {
      const double n = shape.order;
      const Dual x = Dual(1.0 / shape.semi_x) * own.x, y = Dual(1.0 / shape.semi_y) * own.y;
      const Dual sum = power(absolute(x), n) + power(absolute(y), n);
      out.f = power(sum, 1.0 / n) - Dual(1.0);
      const Dual scale = power(sum, 1.0 / n - 1.0);
      const auto side = [&](const Dual& along, double semi) {
        return Dual((along.value < 0.0 ? -1.0 : 1.0) / semi) * scale * power(absolute(along), n - 1.0);
      };
      g = {side(x, shape.semi_x), side(y, shape.semi_y)};
    }
    out.gradient = {c * g.x - s * g.y, s * g.x + c * g.y};
    return out;
  }
};

// Where the unknowns lie.
class Rows {
 public:
  explicit Rows(const ImplicitStep& step) : step_(step) {
    for (std::size_t b = 0; b < 2; ++b) {
      velocity_[b] = step.body[b].moves ? count_ : -1;
      if (step.body[b].moves) count_ += 3;
    }
    points_ = count_;
    count_ += 4;
    tangent_ = count_++;
    bounded_ = count_;  // l_1, l_2, p_n, s
    count_ += 4;
  }

  int count() const { return count_; }
  int velocity(std::size_t b) const { return velocity_[b]; }
  int points() const { return points_; }
  int tangent() const { return tangent_; }
  int bounded() const { return bounded_; }

  std::vector<Dual> evaluate(const mcp::Vector& z) const {
    const auto unknown = [&](int i) {
      Dual out(z[i]);
      out.by[static_cast<std::size_t>(i)] = 1.0;
      return out;
    };
    std::array<std::array<Dual, 3>, 2> nu;
    std::array<Dual2, 2> origin, point;
    std::array<Dual, 2> angle;
    for (std::size_t b = 0; b < 2; ++b) {
      const SmoothBody& body = step_.body[b];
      for (int k = 0; k < 3; ++k) {
        nu[b][static_cast<std::size_t>(k)] = body.moves ? unknown(velocity_[b] + k) : Dual(body.velocity[k]);
      }
      origin[b] = {Dual(body.pose[0]) + Dual(step_.h) * nu[b][0], Dual(body.pose[1]) + Dual(step_.h) * nu[b][1]};
      angle[b] = Dual(body.pose[2]) + Dual(step_.h) * nu[b][2];
      point[b] = {unknown(points_ + 2 * static_cast<int>(b)), unknown(points_ + 2 * static_cast<int>(b) + 1)};
    }
    const Dual p_t = unknown(tangent_), l1 = unknown(bounded_), l2 = unknown(bounded_ + 1);
    const Dual p_n = unknown(bounded_ + 2), s = unknown(bounded_ + 3);
    const Placed first{step_.body[0].shape, origin[0], cosine(angle[0]), sine(angle[0])};
    const Placed second{step_.body[1].shape, origin[1], cosine(angle[1]), sine(angle[1])};
    const Surface f1 = first.at(point[0]), g2 = second.at(point[1]);
    // Away from the first body, and to the left of that.
    const Dual2 n = power(dot(f1.gradient, f1.gradient), -0.5) * f1.gradient;
    const Dual2 t{-n.y, n.x};
    const Dual2 impulse = p_n * n + p_t * t;

    std::vector<Dual> rows(static_cast<std::size_t>(count_));
    Dual slide;
    for (std::size_t b = 0; b < 2; ++b) {
      const SmoothBody& body = step_.body[b];
      const Dual sign(b == 1 ? 1.0 : -1.0);
      const Dual2 arm = point[b] - origin[b];
      slide = slide + sign * (dot({nu[b][0], nu[b][1]}, t) + nu[b][2] * cross(arm, t));
      if (!body.moves) continue;
      const std::array<Dual, 3> wrench{sign * impulse.x, sign * impulse.y, sign * cross(arm, impulse)};
      const std::array<double, 3> inertia{body.mass, body.mass, body.inertia};
      for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        rows[static_cast<std::size_t>(velocity_[b]) + k] =
            Dual(inertia[k]) * (nu[b][k] - Dual(body.velocity[i])) - wrench[k] - Dual(step_.h * body.force[i]);
      }
    }
    const auto at = [&](int i) -> Dual& { return rows[static_cast<std::size_t>(i)]; };
    const Dual2 closest = point[0] - point[1] + l1 * f1.gradient, parallel = f1.gradient + l2 * g2.gradient;
    at(points_) = closest.x;
    at(points_ + 1) = closest.y;
    at(points_ + 2) = parallel.x;
    at(points_ + 3) = parallel.y;
    const Dual limit = Dual(step_.mu) * p_n;
    at(tangent_) = step_.mu > 0.0 ? limit * slide + p_t * s : p_t;
    at(bounded_) = -f1.f;
    at(bounded_ + 1) = -g2.f;
    at(bounded_ + 2) = first.at(point[1]).f;
    at(bounded_ + 3) = step_.mu > 0.0 ? limit * limit - p_t * p_t : s;
    return rows;
  }

 private:
  const ImplicitStep& step_;
  std::array<int, 2> velocity_{};
  int points_ = 0, tangent_ = 0, bounded_ = 0, count_ = 0;
};

mcp::Problem problem_of(const Rows& rows) {
  mcp::Problem problem;
  problem.lower = mcp::Vector::Constant(rows.count(), -mcp::infinity);
  problem.lower.tail(4).setZero();
  problem.upper = mcp::Vector::Constant(rows.count(), mcp::infinity);
  problem.evaluate = [&rows](const mcp::Vector& z, mcp::Vector& f, mcp::SparseMatrix* jacobian) {
    const std::vector<Dual> values = rows.evaluate(z);
    f.resize(rows.count());
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < rows.count(); ++i) {
      const Dual& row = values[static_cast<std::size_t>(i)];
      f[i] = row.value;
      if (!std::isfinite(row.value)) return false;
      for (int j = 0; jacobian != nullptr && j < rows.count(); ++j) {
        const double slope = row.by[static_cast<std::size_t>(j)];
        if (!std::isfinite(slope)) return false;
        if (slope != 0.0) entries.emplace_back(i, j, slope);
      }
    }
    if (jacobian != nullptr) {
      jacobian->resize(rows.count(), rows.count());
      jacobian->setFromTriplets(entries.begin(), entries.end());
    }
    return true;
  };
  return problem;
}

SmoothBody moved(SmoothBody body, const Eigen::Vector3d& velocity, double h) {
  body.pose += h * velocity;
  return body;
}

Eigen::Vector2d turned(const Eigen::Vector2d& v, double angle) {
  return {std::cos(angle) * v.x() - std::sin(angle) * v.y(), std::sin(angle) * v.x() + std::cos(angle) * v.y()};
}

// The point of the body that is farthest along d (unit); of a half-plane, whose only direction is its normal, the point
// of its edge under `over`.
Eigen::Vector2d farthest(const SmoothBody& body, const Eigen::Vector2d& d, const Eigen::Vector2d& over) {
  const Eigen::Vector2d origin = body.pose.head<2>();
  if (body.shape.half_plane) {
    const Eigen::Vector2d n = turned(Eigen::Vector2d::UnitY(), body.pose[2]);
    return over - n.dot(over - origin) * n;
  }
  const Eigen::Vector2d own = turned(d, -body.pose[2]);
  const double dual = body.shape.order / (body.shape.order - 1.0);
  const double u = body.shape.semi_x * std::abs(own.x()), v = body.shape.semi_y * std::abs(own.y());
  const double top = std::max(u, v);  // powers of numbers up to 1
  const double norm = std::pow(std::pow(u / top, dual) + std::pow(v / top, dual), 1.0 / dual);
  const auto place = [&](double semi, double share, double sign) {
    return std::copysign(semi * std::pow(share / top / norm, dual - 1.0), sign);
  };
  return origin + turned({place(body.shape.semi_x, u, own.x()), place(body.shape.semi_y, v, own.y())}, body.pose[2]);
}

// How far apart along d (unit, from a to b).
double apart(const SmoothBody& a, const SmoothBody& b, const Eigen::Vector2d& d) {
  return d.dot(farthest(b, -d, a.pose.head<2>()) - farthest(a, d, b.pose.head<2>()));
}

Eigen::Vector2d along(double angle) { return {std::cos(angle), std::sin(angle)}; }

// The direction along which the bodies are farthest apart; near `angle` where it is given, which it is set to.
Eigen::Vector2d separating(const SmoothBody& a, const SmoothBody& b, std::optional<double>* angle = nullptr) {
  if (b.shape.half_plane) return -turned(Eigen::Vector2d::UnitY(), b.pose[2]);
  constexpr int samples = 360;
  constexpr double width = 2.0 * std::numbers::pi / samples;
  double best = 0.0;
  if (angle != nullptr && *angle) {
    best = **angle;
  } else {
    double most = -1e300;
    for (int k = 0; k < samples; ++k) {
      const double here = apart(a, b, along(width * k));
      if (!(here > most)) continue;
      most = here;
      best = width * k;
    }
  }
  // How far apart they are changes with the direction by what the farthest points are apart across it.
  const auto rises = [&](double x) {
    const Eigen::Vector2d d = along(x), across(-d.y(), d.x());
    return across.dot(farthest(b, -d, a.pose.head<2>()) - farthest(a, d, b.pose.head<2>())) > 0.0;
  };
  double low = best - width, high = best + width;
  while (!rises(low) && low > best - 1.0) low -= width;
  while (rises(high) && high < best + 1.0) high += width;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (rises(middle) ? low : high) = middle;
  }
  if (angle != nullptr) *angle = low;
  return along(low);
}

Eigen::Vector3d inverse_inertia(const SmoothBody& body) {
  if (!body.moves) return Eigen::Vector3d::Zero();
  return {1.0 / body.mass, 1.0 / body.mass, 1.0 / body.inertia};
}

// What an impulse along `direction` at the point does to the velocity of a body.
Eigen::Vector3d answer(const SmoothBody& body, const Eigen::Vector2d& point, const Eigen::Vector2d& direction) {
  const Eigen::Vector2d arm = point - body.pose.head<2>();
  const Eigen::Vector3d wrench(direction.x(), direction.y(), arm.x() * direction.y() - arm.y() * direction.x());
  return inverse_inertia(body).cwiseProduct(wrench);
}
double speed_along(const SmoothBody& body, const Eigen::Vector3d& nu, const Eigen::Vector2d& point,
                   const Eigen::Vector2d& direction) {
  const Eigen::Vector2d arm = point - body.pose.head<2>();
  return direction.dot(Eigen::Vector2d(nu[0] - nu[2] * arm.y(), nu[1] + nu[2] * arm.x()));
}

// A point near a solution: impulses by which the bodies, at the end of the step, no longer overlap along the direction
// that separates them best, and do not slide or slide at the bound, found in turn.
mcp::Vector start_of(const ImplicitStep& step, const Rows& rows) {
  constexpr int turns = 20;
  std::optional<double> angle;
  std::array<Eigen::Vector3d, 2> free, nu;
  for (std::size_t b = 0; b < 2; ++b) {
    free[b] = step.body[b].velocity + step.h * inverse_inertia(step.body[b]).cwiseProduct(step.body[b].force);
    nu[b] = free[b];
  }
  double p_n = 0.0, p_t = 0.0, slide = 0.0;
  Eigen::Vector2d d, on_a, on_b;
  for (int k = 0; k < turns; ++k) {
    const SmoothBody a = moved(step.body[0], nu[0], step.h), b = moved(step.body[1], nu[1], step.h);
    d = separating(a, b, &angle);
    on_a = farthest(a, d, b.pose.head<2>());
    on_b = farthest(b, -d, on_a);
    const Eigen::Vector2d t(-d.y(), d.x());
    const Eigen::Vector3d n_a = answer(a, on_a, d), n_b = answer(b, on_b, d);
    const Eigen::Vector3d t_a = answer(a, on_a, t), t_b = answer(b, on_b, t);
    p_n = std::max(0.0,
                   p_n - d.dot(on_b - on_a) / step.h / (speed_along(a, n_a, on_a, d) + speed_along(b, n_b, on_b, d)));
    slide = speed_along(b, nu[1], on_b, t) - speed_along(a, nu[0], on_a, t);
    const double bound = step.mu * p_n;
    p_t = std::clamp(p_t - slide / (speed_along(a, t_a, on_a, t) + speed_along(b, t_b, on_b, t)), -bound, bound);
    nu[0] = free[0] - p_n * n_a - p_t * t_a;
    nu[1] = free[1] + p_n * n_b + p_t * t_b;
  }
  mcp::Vector z = mcp::Vector::Zero(rows.count());
  for (std::size_t b = 0; b < 2; ++b) {
    if (step.body[b].moves) z.segment<3>(rows.velocity(b)) = nu[b];
  }
  z.segment<2>(rows.points()) = on_a;
  z.segment<2>(rows.points() + 2) = on_b;
  z[rows.tangent()] = p_t;
  z[rows.bounded() + 2] = p_n;
  z[rows.bounded() + 3] = step.mu > 0.0 && std::abs(p_t) >= step.mu * p_n ? std::abs(slide) : 0.0;
  // grad f(a_1) and grad g(a_2) from the rows: with l_2 = 1 less that with l_2 = 0.
  mcp::Vector other = z;
  other[rows.bounded() + 1] = 1.0;
  const std::vector<Dual> without = rows.evaluate(z), with = rows.evaluate(other);
  const auto row = [&](const std::vector<Dual>& v, int i) { return v[static_cast<std::size_t>(i)].value; };
  const Eigen::Vector2d f(row(without, rows.points() + 2), row(without, rows.points() + 3));
  const Eigen::Vector2d g(row(with, rows.points() + 2) - f.x(), row(with, rows.points() + 3) - f.y());
  z[rows.bounded()] = std::max(0.0, d.dot(on_b - on_a)) / f.norm();
  z[rows.bounded() + 1] = f.norm() / g.norm();
  return z;
}

}  // namespace

ImplicitSolution solve_implicit(const ImplicitStep& step, mcp::Workspace* workspace) {
  const Rows rows(step);
  const mcp::Problem problem = problem_of(rows);
  mcp::Options options;
  options.tolerance = 1e-12;
  const mcp::Result result = mcp::solve(problem, start_of(step, rows), options, workspace);
  ImplicitSolution out;
  out.status = result.status;
  out.residual = result.residual;
  out.unknowns = rows.count();
  const mcp::Vector& z = result.x;
  for (std::size_t b = 0; b < 2; ++b) {
    out.velocity[b] = step.body[b].moves ? Eigen::Vector3d(z.segment<3>(rows.velocity(b))) : step.body[b].velocity;
    out.point[b] = z.segment<2>(rows.points() + 2 * static_cast<int>(b));
  }
  out.tangent = z[rows.tangent()];
  out.l1 = z[rows.bounded()];
  out.l2 = z[rows.bounded() + 1];
  out.normal = z[rows.bounded() + 2];
  out.slip = z[rows.bounded() + 3];
  out.gap = separation(moved(step.body[0], out.velocity[0], step.h), moved(step.body[1], out.velocity[1], step.h));
  return out;
}

void advance(ImplicitStep& step, const ImplicitSolution& solution) {
  for (std::size_t b = 0; b < 2; ++b) {
    step.body[b].velocity = solution.velocity[b];
    step.body[b].pose += step.h * solution.velocity[b];
  }
}

double kinetic_energy(const ImplicitStep& step) {
  double sum = 0.0;
  for (const SmoothBody& body : step.body) {
    if (!body.moves) continue;
    sum += 0.5 * body.mass * body.velocity.head<2>().squaredNorm() + 0.5 * body.inertia * std::pow(body.velocity[2], 2);
  }
  return sum;
}

double separation(const SmoothBody& a, const SmoothBody& b) { return apart(a, b, separating(a, b)); }

}  // namespace pegrasp::reference

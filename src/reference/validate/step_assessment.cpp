// SPDX-License-Identifier: Apache-2.0
#include "src/reference/validate/step_assessment.hpp"

#include <Eigen/QR>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/common/residual.hpp"
#include "src/reference/common/step_solver.hpp"
#include "src/reference/planar/motion.hpp"
#include "src/reference/validate/worst.hpp"

namespace pegrasp::reference {
namespace {

double slip_of(const Contact& contact, const Vector& velocity) {
  return contact.tangents[0].dot(velocity) + contact.tangent_rate[0];
}

// The edge n + sign mu t of the contact's cone, as a contact without friction.
Contact edge_of_cone(const Contact& contact, double sign, double slip) {
  Contact edge = contact;
  edge.normal = contact.normal + (sign * contact.mu) * contact.tangents[0];
  edge.rate += sign * contact.mu * contact.tangent_rate[0] + contact.mu * std::abs(slip);
  edge.mu = 0.0;
  return edge;
}

}  // namespace

double Shortfall::residual() const { return worst(0.0, worst(momentum, natural)); }

StepAssessment::StepAssessment(const PlanarNumbers& numbers, std::vector<char> present, std::vector<Vector3> velocities)
    : scene_(numbers.scene()),
      present_(std::move(present)),
      coordinates_(numbers, present_),
      velocities_(std::move(velocities)),
      claimed_(Vector::Zero(coordinates_.size())) {
  for (int body = 0; body < scene_.body_count(); ++body) {
    coordinates_.write(body, velocities_[static_cast<std::size_t>(body)], claimed_);
  }
}

double StepAssessment::apart(std::span<const Vector3> velocities) const {
  double most = 0.0;
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (!coordinates_.moves(body)) continue;
    most = worst(most, fastest_point(scene_.body(body), velocities_[b] - velocities[b]));
  }
  return most;
}

Shortfall StepAssessment::measure(const StepProblem& step, StepSolution impulses) const {
  Shortfall out;
  const Vector reached = velocity_of_impulses(step, impulses);
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!coordinates_.moves(body)) continue;
    const Vector3 apart = coordinates_.read(body, claimed_) - coordinates_.read(body, reached);
    out.momentum = worst(out.momentum, fastest_point(scene_.body(body), apart));
  }
  impulses.velocity = claimed_;
  out.natural = worst(0.0, natural_map_residual(step, impulses, claimed_, coordinates_.body_of()));
  out.complementarity = worst(0.0, complementarity_residual(step, impulses));
  out.solution = std::move(impulses);
  return out;
}

// The impulses of the convex problem. The discs of support points and the intervals of motors are convex already.
std::optional<StepSolution> StepAssessment::fitting(const StepProblem& step, const StepSolution* near) const {
  StepProblem convex = step;
  StepSolution start;
  convex.contacts.clear();
  convex.unilateral.clear();
  const auto add = [&](const Contact& contact, double impulse) {
    convex.unilateral.push_back(static_cast<int>(convex.contacts.size()));
    convex.contacts.push_back(contact);
    start.normal.push_back(impulse);
    start.tangent.push_back({0.0});
  };
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const Contact& contact = step.contacts[i];
    const double normal = near != nullptr ? near->normal[i] : 0.0;
    if (!(contact.mu > 0.0)) {
      add(contact, normal);
      continue;
    }
    const double slip = slip_of(contact, claimed_);
    const double tangent = near != nullptr ? near->tangent[i][0] / contact.mu : 0.0;
    add(edge_of_cone(contact, 1.0, slip), 0.5 * (normal + tangent));
    add(edge_of_cone(contact, -1.0, slip), 0.5 * (normal - tangent));
  }
  if (near != nullptr) {
    start.support = near->support;
    start.motor = near->motor;
    start.bilateral = near->bilateral;
    start.velocity = claimed_;
  }
  const StepSolution found = solve_exactly(convex, near != nullptr ? &start : nullptr).solution;
  if (found.normal.size() != convex.contacts.size()) return std::nullopt;  // the solver ended without a point
  StepSolution out = found;
  out.normal.clear();
  out.tangent.clear();
  std::size_t edge = 0;
  for (const Contact& contact : step.contacts) {
    const double forward = found.normal[edge++];
    if (!(contact.mu > 0.0)) {
      out.normal.push_back(forward);
      out.tangent.push_back({0.0});
      continue;
    }
    const double backward = found.normal[edge++];
    out.normal.push_back(forward + backward);
    out.tangent.push_back({contact.mu * (forward - backward)});
  }
  return out;
}

// Where rows are nearly parallel, velocities that are slightly off in every row are far from those of the impulses
// above. This puts the missing momentum into the impulses that are inside their bounds, as far as these can take it, by
// least squares in the norm of kinetic energy. The rows then show what that costs. Contacts that move apart and along
// by no more than `closed` [m/s] are among those impulses.
StepSolution StepAssessment::balanced(const StepProblem& step, StepSolution impulses, double closed) const {
  const Vector weight = step.mass.diagonal().cwiseSqrt();
  std::vector<SparseVector> columns;
  std::vector<std::function<void(double)>> takes;
  const auto add = [&](const SparseVector& column, std::function<void(double)> take) {
    columns.push_back(column);
    takes.push_back(std::move(take));
  };
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const Contact& contact = step.contacts[i];
    double& normal = impulses.normal[i];
    const double opening = contact.normal.dot(claimed_) + contact.gap / step.h + contact.rate;
    if (!(normal > 0.0) && !(std::abs(opening) <= closed)) continue;
    if (!(contact.mu > 0.0)) {
      add(push_of(contact), [&normal](double more) { normal += more; });
      continue;
    }
    double& tangent = impulses.tangent[i][0];
    const bool sticks = std::abs(slip_of(contact, claimed_)) <= closed;
    for (const double sign : {1.0, -1.0}) {
      if (!sticks && !(contact.mu * normal + sign * tangent > 0.0))
        continue;  // slides along the other edge of its cone
      const double along = sign * contact.mu;
      add(contact.normal + along * contact.tangents[0], [&normal, &tangent, along](double more) {
        normal += more;
        tangent += along * more;
      });
    }
  }
  for (std::size_t i = 0; i < step.supports.size(); ++i) {
    std::vector<double>& impulse = impulses.support[i];
    if (!(std::hypot(impulse[0], impulse[1]) < step.supports[i].bound)) continue;
    for (std::size_t k = 0; k < impulse.size(); ++k) {
      add(step.supports[i].tangents[k], [&impulse, k](double more) { impulse[k] += more; });
    }
  }
  for (std::size_t i = 0; i < step.motors.size(); ++i) {
    double& impulse = impulses.motor[i];
    if (!(std::abs(impulse) < step.motors[i].bound)) continue;
    add(push_of(step.motors[i]), [&impulse](double more) { impulse += more; });
  }
  for (std::size_t i = 0; i < step.bilaterals.size(); ++i) {
    double& impulse = impulses.bilateral[i];
    add(push_of(step.bilaterals[i]), [&impulse](double more) { impulse += more; });
  }
  if (columns.empty()) return impulses;
  Eigen::MatrixXd matrix(weight.size(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    matrix.col(static_cast<Eigen::Index>(k)) = Vector(columns[k]).cwiseQuotient(weight);
  }
  const Vector missing = (claimed_ - velocity_of_impulses(step, impulses)).cwiseProduct(weight);
  const Vector more = matrix.completeOrthogonalDecomposition().solve(missing);
  for (std::size_t k = 0; k < takes.size(); ++k) takes[k](more[static_cast<Eigen::Index>(k)]);
  return impulses;
}

Shortfall StepAssessment::assess(const StepProblem& step, const StepSolution* own, double enough) const {
  Shortfall least;
  least.momentum = least.natural = least.complementarity = mcp::infinity;
  if (own != nullptr) {
    least = measure(step, *own);
    if (least.residual() <= enough) return least;
  }
  const auto keep_less = [&least](Shortfall other) {
    if (other.residual() <= least.residual()) least = std::move(other);
  };
  const std::optional<StepSolution> found = fitting(step, own);
  if (!found) return least;
  keep_less(measure(step, *found));
  for (const double closed : {0.0, 2.0 * enough}) {
    if (!(least.residual() <= enough)) keep_less(measure(step, balanced(step, *found, closed)));
  }
  return least;
}

Shortfall StepAssessment::assess_flight(std::span<const Vector3> velocities) const {
  Shortfall out;
  out.momentum = apart(velocities);
  return out;
}

bool StepAssessment::leads_to(const StepProblem& step, const StepSolution& solution,
                              std::span<const Vector3> velocities) const {
  const Vector reached = velocity_of_impulses(step, solution);
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!coordinates_.moves(body)) continue;
    if (coordinates_.read(body, reached) != velocities[static_cast<std::size_t>(body)]) return false;
  }
  return true;
}

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
#include "src/reference/workbench/curved_facets.hpp"

#include <algorithm>
#include <utility>

namespace pegrasp::reference {
namespace {

SparseVector row(const Eigen::Vector2d& direction) {
  SparseVector v(2);
  for (Eigen::Index k = 0; k < 2; ++k) v.insert(k) = direction[k];
  return v;
}

double gap_to(const SubBody& part, const Eigen::Vector2d& x) {
  double most = -1e300;
  for (const CurvedFacet& facet : part) most = std::max(most, gap_to(facet, x).gap);
  return most;
}

}  // namespace

FacetGap gap_to(const CurvedFacet& facet, const Eigen::Vector2d& x) {
  const Eigen::Vector2d from = x - facet.point;
  if (facet.kind == CurvedFacet::Kind::line) return {facet.normal.dot(from), facet.normal};
  const double distance = from.norm();
  // In its centre an arc is equally far along all directions.
  const Eigen::Vector2d out = distance > 0.0 ? Eigen::Vector2d(from / distance) : Eigen::Vector2d::UnitY();
  if (facet.kind == CurvedFacet::Kind::convex_arc) return {distance - facet.radius, out};
  return {facet.radius - distance, -out};
}

double gap_to(const std::vector<SubBody>& body, const Eigen::Vector2d& x) {
  double least = 1e300;
  for (const SubBody& part : body) least = std::min(least, gap_to(part, x));
  return least;
}

StepProblem particle_step(const Particle& particle, const std::vector<SubBody>& body, const Eigen::Vector2d& force,
                          double mu, double h, double eps) {
  StepProblem step;
  step.h = h;
  step.mass.resize(2, 2);
  step.mass.insert(0, 0) = step.mass.insert(1, 1) = particle.mass;
  step.mass.makeCompressed();
  step.velocity = particle.velocity;
  step.external = h * force;
  for (const SubBody& part : body) {
    if (gap_to(part, particle.position) > eps) continue;
    InterContact set;
    for (const CurvedFacet& facet : part) {
      const FacetGap at = gap_to(facet, particle.position);
      Contact contact;
      contact.gap = at.gap;
      contact.mu = mu;
      contact.normal = row(at.normal);
      contact.tangents = {row({at.normal.y(), -at.normal.x()})};
      contact.tangent_rate = {0.0};
      // A facet deep below which the particle lies can carry no force (feasibility, 3.3).
      (at.gap > -eps ? set.carriers : set.masks).push_back(static_cast<int>(step.contacts.size()));
      step.contacts.push_back(std::move(contact));
    }
    if (set.carriers.empty()) continue;
    if (set.carriers.size() + set.masks.size() == 1) {
      step.unilateral.push_back(set.carriers[0]);
    } else {
      step.inter.push_back(std::move(set));
    }
  }
  return step;
}

bool advance(Particle& particle, const std::vector<SubBody>& body, const Eigen::Vector2d& force, double mu, double h,
             double eps) {
  const SolvedStep solved = solve_step(particle_step(particle, body, force, mu, h, eps), {});
  if (solved.result.status != mcp::Status::solved) return false;
  particle.velocity = solved.solution.velocity;
  particle.position += h * particle.velocity;
  return true;
}

}  // namespace pegrasp::reference

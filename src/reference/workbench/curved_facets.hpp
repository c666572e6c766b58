// SPDX-License-Identifier: Apache-2.0
// A particle against bodies with curved facets, convex and concave ones (Williams' thesis, 4.6). A body is a union of
// sub-bodies, and a sub-body is where all of its facets are passed: a half-plane, what is within a circle (a convex
// arc), or what is outside of one (a concave arc, in the place of an edge between interior facets; figure 4.15). The
// gap to a facet is the distance to its line or circle, and its half-space that of the tangent at the nearest point
// (figure 4.14). The facets of one sub-body that are near form one I-constraint (4.25); those of different ones are
// independent.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

struct CurvedFacet {
  enum class Kind { line, convex_arc, concave_arc } kind = Kind::line;
  Eigen::Vector2d point = Eigen::Vector2d::Zero();   // of the line [m]; centre of an arc
  Eigen::Vector2d normal = Eigen::Vector2d::Zero();  // unit, outward; of a line
  double radius = 0.0;                               // [m] of an arc
};

struct FacetGap {
  double gap = 0.0;        // [m], below zero inside
  Eigen::Vector2d normal;  // unit, outward, of the tangent there
};
FacetGap gap_to(const CurvedFacet& facet, const Eigen::Vector2d& x);

using SubBody = std::vector<CurvedFacet>;

// The largest gap of a sub-body's facets, and of a union of sub-bodies the least of these: below zero inside [m].
double gap_to(const std::vector<SubBody>& body, const Eigen::Vector2d& x);

struct Particle {
  double mass = 1.0;  // [kg]
  Eigen::Vector2d position = Eigen::Vector2d::Zero(), velocity = Eigen::Vector2d::Zero();
};

// The step of a particle on which `force` [N] acts. Sub-bodies farther than eps [m] have no part in it.
StepProblem particle_step(const Particle& particle, const std::vector<SubBody>& body, const Eigen::Vector2d& force,
                          double mu, double h, double eps);

// One step by Stewart and Trinkle's method; false where it has no solution.
bool advance(Particle& particle, const std::vector<SubBody>& body, const Eigen::Vector2d& force, double mu, double h,
             double eps);

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// One leaf of a certificate, checked on its own; check_certificate() in pegrasp/mcp.hpp does it for all of them.
#pragma once

#include <string>

#include "pegrasp/mcp.hpp"

namespace pegrasp::mcp {

// Numbers of 1e20 or more are infinite (pegrasp/mcp.hpp).
constexpr double infinite_bound = 1e20;
inline bool is_finite_bound(double bound) { return bound > -infinite_bound && bound < infinite_bound; }

// What a leaf knows of one variable and its row: lower <= x <= upper, and the sign of F.
struct LeafCondition {
  double lower = -infinity, upper = infinity;
  bool positive = false, negative = false;  // F >= 0, F <= 0; both: F = 0; neither: nothing is known
  double range = infinity;                  // |x| <= range is all that is asked about, where a bound is infinite
};

// The condition of an index that no alternative is fixed for: the bounds, and the sign of F that follows from them.
LeafCondition free_condition(double lower, double upper);
// With an alternative. False when there is no such alternative: at a bound that is infinite.
bool fixed_condition(double lower, double upper, Certificate::Alternative alternative, LeafCondition& condition);

// A contradiction must exceed this part of S (certificate.cpp): what is less is a constraint met exactly, and rounding
// where the problem was set up (two rows that say the same).
constexpr double slight_contradiction = 1e-12;
constexpr double plain_contradiction = 1e-9;  // beyond which there is hardly a point of a small residual, either

// Whether y + y_low contradicts the conditions; see certificate.cpp for what that takes. y_low may be empty, `why` null.
bool check_leaf(const SparseMatrix& m, const Vector& q, const std::vector<LeafCondition>& conditions, const Vector& y,
                const Vector& y_low, std::string* why, double least_contradiction = slight_contradiction);

}  // namespace pegrasp::mcp

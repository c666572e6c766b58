// SPDX-License-Identifier: Apache-2.0
// Chooses the vertex-edge contacts of two convex polygons that enter a step, and the constraints that they form: the
// models that the thesis compares (chapter 5), for polygons as the thesis defines them.
#pragma once

#include <vector>

#include "src/reference/planar/polygon.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

enum class ContactSets {
  standard_all,     // U for every vertex within eps of an edge (algorithm 5, 4.1: "the standard model")
  standard_single,  // U for every such vertex and the nearest of its edges
  lnc,              // a vertex near several edges: I with all of them as carriers, (4.2) to (4.4); no X
  peg_one,          // algorithms 8 to 11, one carrier a set: (4.14)
  peg_several,      // algorithms 8 to 11, all that may carry: (4.10) to (4.13)
};

struct ContactRules {
  ContactSets sets = ContactSets::peg_one;
  double applicable_sine = -0.2;  // eps_theta = -sin(theta): APPL at which a vertex may carry force
  double feasible_slope = 1.0;    // tan(phi)
  // The depth below an edge, in units of eps, up to which a contact is feasible. The thesis has "a small value greater
  // than machine precision"; with a depth below the overlap that a step leaves (5.3), contacts would come and go. The
  // contact model `peg-features` has 1 in the plane and 0.05 in 3D.
  double feasible_depth_ratio = 0.05;
  // What happens to a set of which no contact may carry force. false: the most applicable contact does, for "C_iota
  // contains at least one" (4.3.2). true: the set is dropped, as in the contact model `peg-features`.
  bool drop_without_carrier = false;
  // For Anitescu and Potra's scheme, which leaves the overlap with which bodies arrive and has to hold them there:
  // where two parts overlap by s, what lies inside the other part is near, and feasible, up to a depth of s + eps.
  bool keep_overlaps = false;
};

// C(vertex, edge); the edge belongs to the other polygon.
struct FeaturePair {
  bool vertex_on_a = true;
  int vertex = 0;
  int edge = 0;
  bool operator==(const FeaturePair&) const = default;
};

struct PairConstraints {
  std::vector<FeaturePair> contacts;  // no two alike
  std::vector<int> unilateral;
  std::vector<InterContact> inter;
  std::vector<CrossContact> cross;
};

// eps [m]: how far apart features may be and still count.
PairConstraints pair_constraints(const Polygon& a, const Polygon& b, double eps, const ContactRules& rules);

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
// Chooses the contacts of two convex polyhedra that enter a step, and the constraints that they form, as the thesis
// writes them (Williams, 3.2 to 3.6 and 4.4, algorithms 12 to 17). In 2D: src/reference/planar/constraint_sets.hpp.
//
//   psi(v, f)  = n_f . v - offset_f                                                     (3.7)
//   APPL(v, f) = min over the edges that leave v of  n_f . (v_k - v) / |v_k - v|        (3.4)
//   APPL(e, e) = min over the faces beside both edges of how far they lean away from n  (3.5), for one sign of n
//   FEAS(v, f): psi > -depth - slope * (how far v lies beyond the rim of f);  FEAS(e, e): psi > -depth
//
// As in the contact model `peg-features`, features are near by their distances, in place of the flags of algorithm 17,
// and the misprints of algorithms 16 and 17 are corrected. Every part counts by itself: what siblings of the same body
// cover of it is a face all the same (4.5).
#pragma once

#include <vector>

#include "src/reference/planar/constraint_sets.hpp"
#include "src/reference/spatial/solid.hpp"

namespace pegrasp::reference::spatial {

// C(v, f) or C(e, e).
struct SolidContact {
  bool edges = false;
  bool vertex_on_a = true;  // of C(v, f): the face belongs to the other part
  int i = 0, j = 0;         // vertex and face; or edge of a and edge of b
  bool flipped = false;     // of C(e, e): along the opposite of the common normal (algorithm 14)
  bool operator==(const SolidContact&) const = default;
};

// Where it is. Both points are those that the gap is between, and move with their bodies.
struct SolidContactAt {
  Vector3 on_a, on_b;  // world
  Vector3 normal;      // unit, from a to b
  double gap = 0.0;    // normal . (on_b - on_a) [m]
};
SolidContactAt place_of(const SolidContact& contact, const PlacedSolid& a, const PlacedSolid& b);

struct SolidConstraints {
  std::vector<SolidContact> contacts;  // no two alike
  std::vector<int> unilateral;
  std::vector<InterContact> inter;
  std::vector<CrossContact> cross;
};

// eps [m]: how far apart features may be and still count.
SolidConstraints pair_constraints(const PlacedSolid& a, const PlacedSolid& b, double eps, const ContactRules& rules);

// APPL and distances, for tests.
double applicability(const PlacedSolid& of_vertex, int vertex, const Vector3& face_normal);
double applicability(const PlacedSolid& a, int edge_a, const PlacedSolid& b, int edge_b, const Vector3& n);
double distance_to_face(const PlacedSolid& p, int face, const Vector3& x);  // [m]; of a half-space to its plane

// Vertices of either part that are within eps of two faces or more of the other: corners in a standard-model trap.
int count_traps(const PlacedSolid& a, const PlacedSolid& b, double eps);

}  // namespace pegrasp::reference::spatial

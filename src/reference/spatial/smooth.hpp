// SPDX-License-Identifier: Apache-2.0
// Pairs with an ellipsoid or a superellipsoid C: their facets, as those of pairs with a cylinder (cylinder.hpp), and
// their contact. Peaks on the normals of a polyhedron's edge are found by halving an arc, those of a point outside C by
// halving Lagrange's multiplier of its nearest point, all others by climbing from many directions.
#pragma once

#include <vector>

#include "src/reference/spatial/touch.hpp"

namespace pegrasp::reference::spatial {

// In the world. The columns of `axes` are its axes.
struct SmoothBody {
  Vector3 centre;
  Matrix3 axes;
  Vector3 half;
  int order;

  Vector3 farthest(const Vector3& d) const;
  // The direction from x along which C lies farthest from it: that to the nearest point, where x is outside.
  Vector3 direction_from(const Vector3& x) const;
  // Whether it is nearly flat where d is the outward normal, or may be nearby.
  bool nearly_flat(const Vector3& d) const;
  // Points round the farthest one along the unit direction d or, of a side without curvature, round its middle.
  std::vector<Vector3> side_points(const Vector3& d, double flat_sine, double tolerance) const;
  // The corners of what counts as flat of a superellipsoid's side, or its ends where it is flat along one axis alone.
  // As far as the touching point where that is farther out. d: along the face's normal, to it.
  std::vector<Vector3> side_corners(const Vector3& d, const Vector3& touching, double flat_sine,
                                    double tolerance) const;
  // [m] the mean of both radii of curvature where d is the outward normal; at most ten half-axes.
  double mean_radius(const Vector3& d) const;

 private:
  double both_radii(const Vector3& d) const;  // [m] their sum; infinite where one is
  Vector3 nearest_outside(const Vector3& own) const;
};
SmoothBody smooth_body(const PlacedSolid& part);

bool with_smooth(const PlacedSolid& a, const PlacedSolid& b);

std::vector<Facet> smooth_facets(const PlacedSolid& a, const PlacedSolid& b);

// The direction of a curved facet, from a to b. `there`: s peaks on the normals of that feature.
struct SmoothPeak {
  Vector3 n;
  bool there = false;
};
SmoothPeak smooth_peak(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b);

// Whether a point lies over face or cap f of p, widened by `slack` [m], and not beside it.
bool is_over_face(const PlacedSolid& p, int f, const Vector3& x, double slack);
// over, if given: of a face, whether C lies over it and not beside it.
ContactPoint smooth_contact(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, bool* over = nullptr);
// As contacts_of(): with that one, points of a side that lies nearly flat on the other part, and on a face the farthest
// point of the last pass.
std::vector<ContactPoint> smooth_contacts(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b,
                                          double flat_sine, double slack, const EarlierRims& rims,
                                          bool* over = nullptr);
void remember_farthest(const std::vector<ContactPoint>& contacts, const PlacedSolid& a, const PlacedSolid& b,
                       EarlierRims& rims);
// Whether a contact is the first one, which moves along the smooth part as that turns.
bool runs_along_smooth(const FeatureKey& key);
// The facet of a contact's key.
Facet facet_of_smooth(const FeatureKey& key);

}  // namespace pegrasp::reference::spatial

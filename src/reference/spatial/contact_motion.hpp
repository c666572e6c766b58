// SPDX-License-Identifier: Apache-2.0
// How the bodies of a contact in 3D move against each other from the start of a step to the pose at which the contact
// is linearised, and how they did in the step before.
#pragma once

#include <vector>

#include "src/reference/spatial/rows.hpp"

namespace pegrasp::reference::spatial {

class ContactMotion {
 public:
  ContactMotion(const StepView& view, const PairContact& contact);

  // Whether the contact is linearised at an end pose.
  bool about_an_end() const { return about_an_end_; }
  // Such a contact at the start of the step.
  ContactPoint at_start() const;
  // The mean slip [m/s] of b against a on the way to the end at hand, seen from the body with the facet where that
  // ends.
  Vector3 slip() const;
  // The same of another motion, that is close to the one that leads there. place: of the contact, at the start.
  Vector3 expected_slip(const std::vector<Twist6>& motion, const Vector3& place) const;
  // What a row, which is linear in the motion, leaves out of it to second order: as bodies turn, points move on arcs.
  Vector3 slip_on_arcs(const std::vector<Twist6>& motion) const;
  // The same over the last (sub)step, of `last` [s]. normal: that of now.
  Vector3 slip_before(const Vector3& normal, double last) const;
  // By how much a slip of this step turns with the body that has the facet.
  Vector3 turned_on(const Vector3& slip) const;
  // The length of the last (sub)step of both bodies, the shorter one; 0 where one of them, if it can move, has made
  // none.
  double last_step() const;

 private:
  Placement start(std::size_t body) const;
  Placement linearised(std::size_t body) const;
  Placement end(std::size_t body) const;
  Vector3 core_at_start() const;
  ContactPoint edges_at_start() const;
  PlacedSolid part_at_start(int part, int body) const;

  const StepView& view_;
  const PairContact& contact_;
  bool about_an_end_;
  // As in 2D (src/reference/planar/rows.cpp): the body that has the contact's point, on the side of b (1) or of a (-1),
  // the other, and the point of the first one's core.
  std::size_t corner_, facet_;
  double side_;
  Vector3 core_;
};

// (bodies) The motion of the last pass; in the first one as if the bodies were accelerated as in the last step.
std::vector<Twist6> expected_motion(const StepView& view);

}  // namespace pegrasp::reference::spatial

// SPDX-License-Identifier: Apache-2.0
// The slip of a contact in the last step, which its friction takes into account, is that of the material points: none
// if the bodies have moved as one, however they have turned, and none if one has rolled on the other.
#define PEGRASP_SPATIAL
#include "kernels/spatial/slip_turns.hpp"

#include <gtest/gtest.h>

namespace pegrasp::PEGRASP_ARITHMETIC {
namespace {

// Two bodies after a step of `last` [s] in which the second one kept its place in the first one; the step at hand goes
// on with these velocities.
class MovedAsOne {
 public:
  MovedAsOne(V3 v, V3 w, V3 apart, double last) : last_h_{last, last} {
    const V3 turns = last * w;
    const V3 before = apart + swing(-turns, apart);  // a vector of the bodies where the step began
    store3({0.4, -0.2, 0.1}, pose_);
    store3(load3(pose_) + apart, pose_ + pose_size);
    for (int body = 0; body < 2; ++body) {
      store_turn({1.0, 0.0, 0.0, 0.0}, pose_ + pose_size * body + 3);
      store3(body == 0 ? v : v + (1.0 / last) * (apart - before), twist_ + dof * body);
      store3(w, twist_ + dof * body + 3);
      store3(w, spin_ + 3 * body);
    }
    model_.body_kind = kind_;
    tally_.pass = 1;
    s_.model = &model_;
    s_.tally = &tally_;
    s_.pose = pose_;
    s_.twist = s_.nu = twist_;
    s_.last_spin = spin_;
    s_.last_h = last_h_;
    contact_.body_a = 0;
    contact_.body_b = 1;
  }
  // on_a: the body with the contact's point is a.
  V3 slip(bool on_a, V3 at, V3 n, double round) {
    contact_.key = pack_mode(on_a ? mode_face_b : mode_face_a, 0, 0);
    contact_.round = round;
    contact_.n = n;
    contact_.p = at;
    const ContactSides sides = sides_of(contact_);
    return slip_before(s_, contact_, sides, sides.core, n, last_h_[0]);
  }
  void kind(int body, BodyKind what) { kind_[body] = static_cast<int>(what); }
  void last(int body, double h) { last_h_[body] = h; }
  void add_spin(int body, V3 w) { store3(load3(spin_ + 3 * body) + w, spin_ + 3 * body); }
  void add_velocity(int body, V3 v) { store3(load3(twist_ + dof * body) + v, twist_ + dof * body); }
  ContactSlip bias(V3 slip) {
    return turn_at_contact(s_, contact_, sides_of(contact_).core, slip, contact_.p, contact_.n, {0.0, 0.0}, 0.01);
  }

 private:
  double pose_[2 * pose_size], twist_[2 * dof], spin_[6], last_h_[2];
  int kind_[2] = {static_cast<int>(BodyKind::dynamic), static_cast<int>(BodyKind::dynamic)};
  ModelView model_{};
  SceneTally tally_{};
  SceneView s_{};
  Contact contact_{};
};

TEST(SpatialSlipTurns, BodiesThatMovedAsOneHaveNotSlipped) {
  for (const double turns : {0.0, 1.0, 30.0}) {
    const V3 w = turns * V3{0.48, -0.6, 0.64};
    MovedAsOne bodies({3.0, -1.0, 0.5}, w, {0.2, 0.1, -0.3}, 0.01);
    for (const bool on_a : {false, true}) {
      for (const double round : {0.0, 0.05}) {
        EXPECT_NEAR(norm(bodies.slip(on_a, {0.5, -0.1, 0.3}, {0.0, 0.6, 0.8}, round)), 0.0, 1e-12) << turns;
        EXPECT_EQ(norm(bodies.bias({0.0, 0.0, 0.0}).slide), 0.0);
        EXPECT_LT(norm(bodies.bias({0.1, -0.2, 0.15}).slide), 1e-12) << "what has not slipped does not begin to";
      }
    }
  }
}

// A ball that has rolled on a plane that turns about where the contact is now, and rises. In the middle of the step the
// ball went with the plane as well.
TEST(SpatialSlipTurns, ABallThatRolledHasNotSlipped) {
  const double last = 0.002, radius = 0.1;
  const V3 w{0.0, 0.0, 2.0};
  for (const bool on_a : {false, true}) {
    MovedAsOne bodies({0.0, 0.0, 1.0}, w, {0.0, 0.0, radius}, last);
    const int body = on_a ? 0 : 1;
    const V3 n = on_a ? V3{0.0, 0.0, -1.0} : V3{0.0, 0.0, 1.0};
    const V3 centre = V3{0.4, -0.2, 0.1} + (on_a ? V3{0.0, 0.0, 0.0} : V3{0.0, 0.0, radius});
    bodies.add_spin(body, {0.0, 3.0, 0.0});
    const V3 rolls{3.0 * radius, 0.0, 0.0};
    bodies.add_velocity(body, rolls - (0.5 * last) * cross(w, rolls));
    // The plane has turned by 4 mrad.
    EXPECT_LT(norm(bodies.slip(on_a, centre - radius * V3{0.0, 0.0, 1.0}, n, radius)), 3e-6);
  }
}

// No bias in the first step of a body; fixed bodies make none.
TEST(SpatialSlipTurns, TheFirstStepOfABodyHasNoBias) {
  const V3 slip{0.3, 0.1, 0.0};
  MovedAsOne bodies({0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.1}, 0.01);
  bodies.slip(false, {0.4, -0.2, 0.1}, {0.0, 0.0, 1.0}, 0.0);
  bodies.add_velocity(1, {0.3, 0.0, 0.0});
  EXPECT_GT(norm(bodies.bias(slip).slide), 0.03);
  bodies.last(0, 0.0);
  EXPECT_EQ(norm(bodies.bias(slip).slide), 0.0);
  bodies.kind(0, BodyKind::fixed);
  EXPECT_GT(norm(bodies.bias(slip).slide), 0.03);
  bodies.last(1, 0.0);
  EXPECT_EQ(norm(bodies.bias(slip).slide), 0.0);
}

}  // namespace
}  // namespace pegrasp::PEGRASP_ARITHMETIC

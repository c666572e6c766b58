// SPDX-License-Identifier: Apache-2.0
// A row whose gradient of the gap is at odds with that of the impulse takes the latter for both, and stays about the
// same pose: at the velocities of the last solve it must give the gap that was found there.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include "kernels/spatial/rows.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {
namespace {

TEST(SpatialRow, KeepsItsGapWhereTheImpulseServesForBoth) {
  SceneTally tally{};
  tally.pass = 1;
  double nu[2 * dof] = {0.3, -1.0, 0.2, 20.0, 70.0, -90.0, 0.1, 0.5, -0.7, -40.0, 10.0, 60.0};
  double inv_mass[2 * mass_size] = {2.0, 30.0, 40.0, 50.0, 1.0, 2.0, 3.0, 0.5, 6.0, 5.0, 4.0, 0.1, 0.2, 0.3};
  const int slides[2] = {};
  ModelView model{};
  model.body_slides = slides;
  SceneView s{};
  s.model = &model;
  s.tally = &tally;
  s.nu = nu;
  s.inv_mass = inv_mass;
  const Wrench ga{{-1.0, 0.0, 0.0}, {0.0, -0.4, 0.1}};
  const Wrench gb{{1.0, 0.0, 0.0}, {0.0, 0.3, -0.2}};
  const double gap_speed = 0.125;                     // of the pose that the row is about
  for (const double turn : {1.0, 0.2, -0.5, -1.0}) {  // cosine of what the bodies have turned by
    Wrench ja{turn * ga.force, turn * ga.torque};
    Wrench jb{turn * gb.force, turn * gb.torque};
    double bias = gap_speed;
    for (const auto& [j, body] : {std::pair{ja, 0}, std::pair{jb, 1}}) {
      bias -= dot(j.force, linear(nu, body)) + dot(j.torque, angular(nu, body));
    }
    Row row{};
    set_row(s, row, 0, ja, ga, 1, jb, gb, bias, true);
    double speed = row.bias;
    double diagonal = 0.0;
    for (int i = 0; i < dof; ++i) {
      speed += row.ja[i] * nu[i] + row.jb[i] * nu[dof + i];
      diagonal += row.ja[i] * row.wa[i] + row.jb[i] * row.wb[i];
    }
    EXPECT_NEAR(speed, gap_speed, 1e-12) << turn;
    EXPECT_GT(diagonal, 0.0) << turn;
    EXPECT_NEAR(diagonal, row.diagonal, 1e-12) << turn;
  }
}

}  // namespace
}  // namespace pegrasp::PEGRASP_ARITHMETIC

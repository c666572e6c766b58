// SPDX-License-Identifier: Apache-2.0
// A cup of three boxes falls through a slot. Its side, which two boxes have, turns over the flank of a fixed union: the
// contact goes from one box on to the other within a step.
#pragma once

#include <string>

#include "pegrasp/problem.hpp"

namespace pegrasp::scenes {

inline SceneSpec turning_cup() {
  const std::string text = R"(
[gravity]
y_m_s2 = -9.81
[[body]]
name = "cup"
mass_kg = 0.01
x_mm = -2.2269
y_mm = 123.7143
turn_deg = -60
part = [
  { shape = "box", width_mm = 20, height_mm = 2, centre_mm = [0, -6.428571] },
  { shape = "box", width_mm = 2, height_mm = 18, centre_mm = [-9, 3.571429] },
  { shape = "box", width_mm = 2, height_mm = 18, centre_mm = [9, 3.571429] },
]
[[body]]
name = "left"
kind = "fixed"
part = [
  { shape = "polygon", vertices_mm = [[-15, 190], [-150, 190], [-150, 110], [-15, 110]] },
  { shape = "polygon", vertices_mm = [[-15, 110], [-150, 110], [-150, 90], [-45, 90]] },
  { shape = "polygon", vertices_mm = [[-45, 90], [-150, 90], [-150, 60], [-40, 60]] },
  { shape = "polygon", vertices_mm = [[-40, 60], [-150, 60], [-150, 0], [-12, 0]] },
  { shape = "polygon", vertices_mm = [[-12, 0], [-150, 0], [-150, -60], [-12, -60]] },
  { shape = "disc", radius_mm = 9, centre_mm = [0, 80] },
]
[[friction]]
between = ["cup", "left"]
mu = 0.3
[success]
displacement_below_mm = 1000
of = "cup"
)";
  return parse_problem(text, "turning_cup.toml").scene;
}

}  // namespace pegrasp::scenes

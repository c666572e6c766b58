// SPDX-License-Identifier: Apache-2.0
// The exact motion of one angle, for tests: the fourth-order method of Runge and Kutta in fine steps.
#pragma once

#include <functional>

namespace pegrasp::test {

struct Swing {
  double angle, speed;
};

// The state after `seconds` of angle'' = pull(angle).
inline Swing integrate(Swing at, double seconds, const std::function<double(double)>& pull) {
  constexpr int steps = 20000;
  const double h = seconds / steps;
  for (int k = 0; k < steps; ++k) {
    const Swing a{at.speed, pull(at.angle)};
    const Swing b{at.speed + 0.5 * h * a.speed, pull(at.angle + 0.5 * h * a.angle)};
    const Swing c{at.speed + 0.5 * h * b.speed, pull(at.angle + 0.5 * h * b.angle)};
    const Swing d{at.speed + h * c.speed, pull(at.angle + h * c.angle)};
    at.angle += h / 6.0 * (a.angle + 2.0 * b.angle + 2.0 * c.angle + d.angle);
    at.speed += h / 6.0 * (a.speed + 2.0 * b.speed + 2.0 * c.speed + d.speed);
  }
  return at;
}

}  // namespace pegrasp::test

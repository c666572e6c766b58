// SPDX-License-Identifier: Apache-2.0
// Exact motions, for tests: the fourth-order method of Runge and Kutta in fine steps.
#pragma once

#include <array>
#include <cstddef>
#include <functional>

namespace pegrasp::test {

template <std::size_t size>
using Numbers = std::array<double, size>;

// The state after `seconds` of state' = rate(state).
template <std::size_t size, class Rate>
Numbers<size> integrate_state(Numbers<size> at, double seconds, const Rate& rate) {
  constexpr int steps = 20000;
  const double h = seconds / steps;
  const auto moved = [&](const Numbers<size>& by, double time) {
    Numbers<size> out = at;
    for (std::size_t i = 0; i < size; ++i) out[i] += time * by[i];
    return out;
  };
  for (int k = 0; k < steps; ++k) {
    const Numbers<size> a = rate(at);
    const Numbers<size> b = rate(moved(a, 0.5 * h));
    const Numbers<size> c = rate(moved(b, 0.5 * h));
    const Numbers<size> d = rate(moved(c, h));
    for (std::size_t i = 0; i < size; ++i) at[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
  }
  return at;
}

struct Swing {
  double angle, speed;
};

// The state after `seconds` of angle'' = pull(angle).
inline Swing integrate(Swing from, double seconds, const std::function<double(double)>& pull) {
  const auto rate = [&](const Numbers<2>& at) { return Numbers<2>{at[1], pull(at[0])}; };
  const Numbers<2> end = integrate_state(Numbers<2>{from.angle, from.speed}, seconds, rate);
  return {end[0], end[1]};
}

}  // namespace pegrasp::test

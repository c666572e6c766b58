// SPDX-License-Identifier: Apache-2.0
// What the planar and the spatial scene have in common: the pairs of parts, and access to the parameter vector by name.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>
#include <vector>

#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp::reference {

// Two parts of different bodies that may touch; body_a < body_b.
struct PartPair {
  int body_a, body_b;
  int part_a, part_b;  // index over the parts of all bodies
  int slot;            // friction slot of the pair of bodies
};

// The time in keyframes that repeat: t [s], back by whole periods. motion: has `time`.
template <class Motion>
double time_in_period(const Motion& motion, double t) {
  const double begin = motion.front().time, period = motion.back().time - begin;
  return t <= begin + period ? t : begin + std::fmod(t - begin, period);
}

// All pairs of parts of the bodies that may touch. bodies: have `parts` and `first_part`, the index of the first of
// them.
template <class Body>
std::vector<PartPair> part_pairs(const SceneSpec& scene, const std::vector<Body>& bodies) {
  std::vector<PartPair> out;
  int slot = -1;
  const int count = static_cast<int>(bodies.size());
  for (int a = 0; a < count; ++a) {
    const Body& body_a = bodies[static_cast<std::size_t>(a)];
    for (int b = a + 1; b < count; ++b) {
      if (!may_touch(scene, a, b)) continue;
      ++slot;
      const Body& body_b = bodies[static_cast<std::size_t>(b)];
      for (int i = 0; i < static_cast<int>(body_a.parts.size()); ++i) {
        for (int j = 0; j < static_cast<int>(body_b.parts.size()); ++j) {
          out.push_back({a, b, body_a.first_part + i, body_b.first_part + j, slot});
        }
      }
    }
  }
  return out;
}

// The parameter vector of one scene, read by name. Units are those of ParameterLayout.
class SceneParameters {
 public:
  // Throws std::invalid_argument where the vector is not of this layout.
  SceneParameters(const ParameterLayout& layout, std::span<const double> parameters)
      : layout_(&layout), values_(parameters.begin(), parameters.end()) {
    if (static_cast<int>(parameters.size()) != layout.size()) {
      throw std::invalid_argument("the parameter vector is not of the scene's layout");
    }
  }
  bool finite() const {
    return std::all_of(values_.begin(), values_.end(), [](double value) { return std::isfinite(value); });
  }
  double mass(int body) const { return at(layout().mass(body)); }
  // Displacement of a body that oscillates, and its rate, at time t [s]: by coordinate, in 2D x, y and theta.
  struct Swing {
    std::vector<double> displacement, rate;
  };
  Swing swing(const SceneSpec& scene, int body, double t) const {
    const int first = layout().oscillation(oscillation_block(scene, body));
    const int count = layout().twist_size();
    const double w = 2.0 * std::numbers::pi * at(first);
    Swing out;
    for (int i = 0; i < count; ++i) {
      const double angle = w * t + at(first + 1 + count + i);
      out.displacement.push_back(-at(first + 1 + i) / (w * w) * std::sin(angle));
      out.rate.push_back(-at(first + 1 + i) / w * std::cos(angle));
    }
    return out;
  }
  double drop_time(int body) const { return at(layout().drop_time(body)); }
  double friction(int slot) const { return at(layout().friction(slot)); }
  double limit(int actuator) const { return at(layout().actuator(actuator) + ParameterLayout::actuator_limit); }
  double stiffness(int actuator) const { return at(layout().actuator(actuator) + ParameterLayout::actuator_stiffness); }
  double damping(int actuator) const { return at(layout().actuator(actuator) + ParameterLayout::actuator_damping); }

 protected:
  const ParameterLayout& layout() const { return *layout_; }
  double at(int index) const { return values_[static_cast<std::size_t>(index)]; }

 private:
  const ParameterLayout* layout_;
  std::vector<double> values_;
};

}  // namespace pegrasp::reference

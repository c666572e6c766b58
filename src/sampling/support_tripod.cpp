// SPDX-License-Identifier: Apache-2.0
#include "src/sampling/support_tripod.hpp"

#include <stdexcept>

#include "kernels/sampling/tripod.hpp"
#include "src/sampling/distributions.hpp"

namespace pegrasp {

bool tripod_can_carry(const std::array<double, 3>& load) { return can_carry({load[0], load[1], load[2]}); }

std::uint32_t draw_loads(const UncertainTripod& tripod, const DrawKey& key, std::array<double, 3>& load) {
  double drawn[3];
  const auto of_load = [&](int k, const DrawKey& at) { return draw(tripod.load[static_cast<std::size_t>(k)], at); };
  const std::uint32_t redrawn = draw_until_carried(of_load, most_redraws, tripod.stream, key, drawn);
  if (redrawn >= most_redraws) throw std::runtime_error(no_loads(tripod.name));
  load = {drawn[0], drawn[1], drawn[2]};
  return redrawn;
}

std::string no_loads(const std::string& tripod) {
  return tripod + ": no tripod in " + std::to_string(most_redraws) + " draws held the centre of mass; narrow its loads";
}

SupportTripod tripod_on_circle(double radius, double turn, const std::array<double, 3>& load, double weight) {
  const TripodPoints points = points_on_circle(radius, turn, {load[0], load[1], load[2]}, weight);
  SupportTripod tripod;
  for (std::size_t k = 0; k < 3; ++k) {
    tripod.point[k] = {points.x[k], points.y[k]};
    tripod.load[k] = points.load[k];
  }
  return tripod;
}

}  // namespace pegrasp

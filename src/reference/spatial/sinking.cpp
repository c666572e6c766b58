// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/sinking.hpp"

#include <algorithm>

#include "src/reference/common/shell.hpp"
#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {
namespace {

std::vector<PlacedSolid> placed(const SpatialScene& scene, const std::vector<Placement>& frames) {
  std::vector<PlacedSolid> out;
  for (int part = 0; part < scene.part_count(); ++part) {
    out.push_back(scene.place(part, frames[static_cast<std::size_t>(scene.part_body(part))]));
  }
  return out;
}

// give: by how much compliant shells let the parts overlap [m].
double depth(const PlacedSolid& a, const PlacedSolid& b, double give) {
  return within_reach(a, b, 0.0) ? std::max(0.0, -best_separation(a, b).value() - give) : 0.0;
}

}  // namespace

double sinking(const SpatialScene& scene, std::span<const char> present, const std::vector<Placement>& start,
               const std::vector<Placement>& end) {
  const std::vector<PlacedSolid> before = placed(scene, start);
  const std::vector<PlacedSolid> after = placed(scene, end);
  double most = 0.0;
  for (const PartPair& pair : scene.pairs()) {
    if (present[static_cast<std::size_t>(pair.body_a)] == 0 || present[static_cast<std::size_t>(pair.body_b)] == 0) {
      continue;
    }
    const auto a = static_cast<std::size_t>(pair.part_a);
    const auto b = static_cast<std::size_t>(pair.part_b);
    const ShellLaw shell = law_of(scene.spec(), pair, [&](int body) { return scene.body(body).first_part; });
    const double now = depth(after[a], after[b], shell.thickness);
    if (now > most) most = std::max(most, now - depth(before[a], before[b], shell.thickness));
  }
  return most;
}

}  // namespace pegrasp::reference::spatial

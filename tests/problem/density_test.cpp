// SPDX-License-Identifier: Apache-2.0
// Masses from densities, in 3D: certain and drawn.
#include <gtest/gtest.h>

#include <string>

#include "pegrasp/problem.hpp"

namespace pegrasp {
namespace {

Problem block(const std::string& mass) {
  return parse_problem(
      "dim = 3\n[grid]\nx_mm = [0]\n[simulation]\nduration_s = 0.1\n[[body]]\nname = \"block\"\n" + mass +
          "\n[[body.part]]\nshape = \"box\"\nsize_mm = [20, 30, 40]\n[success]\nall = [{ pose_within = "
          "\"block\", z_mm = [0, 1] }]\n",
      "block.toml");
}

TEST(Density, GivesMassAndInertia) {
  const BodySpec by_density = block("density_g_per_cm3 = 2.5").scene.bodies[0];
  const BodySpec by_mass = block("mass_g = 60").scene.bodies[0];
  EXPECT_NEAR(by_density.mass, by_mass.mass, 1e-15);
  EXPECT_NEAR(by_density.spatial().inertia.xx, by_mass.spatial().inertia.xx, 1e-18);
  EXPECT_NEAR(by_density.spatial().inertia.xx, 0.06 / 12.0 * (0.03 * 0.03 + 0.04 * 0.04), 1e-18);
}

TEST(Density, ThatIsDrawnMovesMassAndInertia) {
  const Problem problem = block("density_kg_per_m3 = { distribution = \"uniform\", low = 1000, high = 3000 }");
  const std::vector<double> base = scene_parameters(problem.scene);
  const ParameterLayout layout = parameter_layout(problem.scene);
  std::vector<double> row(base.size()), values(sampled_columns(problem).size());
  ASSERT_EQ(values.size(), 1u);
  draw_sample(problem, base, 0, 3, row, values);
  EXPECT_GE(values[0], 1000.0);
  EXPECT_LE(values[0], 3000.0);
  const double volume = 24e-6;
  EXPECT_NEAR(row[static_cast<std::size_t>(layout.mass(0))], values[0] * volume, 1e-15);
  EXPECT_NEAR(row[static_cast<std::size_t>(layout.inertia(0))], values[0] * volume / 12.0 * (0.03 * 0.03 + 0.04 * 0.04),
              1e-17);
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// A part that is drawn far from its frame moves and is judged as one in its frame.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

// A cube that falls on a table, tilted, `off` [mm] from its frame.
Problem falling_cube(double off, const std::string& strategy) {
  const auto mm = [](double value) { return std::to_string(value); };
  return parse_problem(
      "dim = 3\n[simulation]\nduration_s = 0.4\nstrategy = \"" + strategy +
          "\"\n[[body]]\nname = \"cube\"\nmass_g = 3\nz_mm = " + mm(20.0 - off) +
          "\nomega_x_rad_s = 1\nfriction = 0.3\n[[body.part]]\nshape = \"box\"\nsize_mm = [20, 20, 20]\n"
          "centre_mm = [0, 0, " +
          mm(off) +
          "]\n[[body]]\nname = \"table\"\nkind = \"fixed\"\nfriction = 0.3\n[[body.part]]\n"
          "shape = \"half_space\"\nnormal = [0, 0, 1]\n",
      "cube.toml");
}

TEST(FarFrame, APartFallsAsInItsFrame) {
  for (const std::string strategy : {"per-scene", "batched"}) {
    double height = 0.0;
    for (const double off : {0.0, 1000.0, 100'000.0}) {
      const Problem problem = falling_cube(off, strategy);
      const StepOptions options = derive_options(problem.options, problem.scene);
      Simulation simulation(compile_model(problem.scene), options, scene_parameters(problem.scene));
      EXPECT_NEAR(options.penetration_tolerance, 1.7320508e-8, 1e-14) << off;
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok) << strategy << ' ' << off;
      const SpatialPose at = simulation.spatial_pose(0);
      // A vertical edge of the cube stays vertical: the part's middle is off the frame along it.
      const double z = at.position.z + 1e-3 * off * (1.0 - 2.0 * (at.turn.x * at.turn.x + at.turn.y * at.turn.y));
      if (off == 0.0) height = z;
      EXPECT_NEAR(z, 0.01, 1e-6) << strategy << ' ' << off;
      EXPECT_NEAR(z, height, 1e-6) << strategy << ' ' << off;
      EXPECT_LT(simulation.outcome().penetration_max, 1e-5 * 0.0174) << strategy << ' ' << off;
    }
  }
}

}  // namespace
}  // namespace pegrasp

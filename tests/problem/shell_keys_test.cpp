// SPDX-License-Identifier: Apache-2.0
// `shell` of bodies, parts and pads in problem files, and simulation.spring_force: what arrives, what is refused.
#include <gtest/gtest.h>

#include <string>

#include "pegrasp/parameters.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

Problem shell_problem(const std::string& table, const std::string& block, const std::string& part,
                      const std::string& simulation = "[simulation]\nspring_force = \"start\"\n") {
  return parse_problem(simulation + "[[body]]\nname = \"table\"\nkind = \"fixed\"\n" + table +
                           "part = [{ shape = \"half_plane\", normal = [0, 1] }]\n[[body]]\nname = \"block\"\n"
                           "mass_kg = 1\ny_mm = 20\n" +
                           block + "part = [{ shape = \"box\", width_mm = 40, height_mm = 40" + part +
                           " }]\n[success]\ndisplacement_below_mm = 10\nof = \"block\"\n",
                       "shell.toml");
}

TEST(ShellKeys, Arrive) {
  const Problem p = shell_problem("shell = { thickness_mm = 4, stiffness_n_per_m = 5e3 }\n",
                                  "shell = { thickness_mm = 1, stiffness_n_per_m = 1e3 }\n",
                                  ", shell = { thickness_mm = 2, stiffness_n_per_m = 3e3, damping_n_s_per_m = 4, "
                                  "tangential_stiffness_n_per_m = 5, tangential_damping_n_s_per_m = 6 }");
  EXPECT_EQ(p.options.spring_force, SpringForce::start);
  ASSERT_TRUE(p.scene.bodies[0].shell.has_value());
  EXPECT_EQ(*p.scene.bodies[0].shell, (CompliantShell{0.004, 5e3, 0.0, 0.0, 0.0}));
  EXPECT_FALSE(p.scene.bodies[0].planar().parts[0].shell.has_value());
  ASSERT_TRUE(p.scene.bodies[1].planar().parts[0].shell.has_value());
  EXPECT_EQ(*p.scene.bodies[1].planar().parts[0].shell, (CompliantShell{0.002, 3e3, 4.0, 5.0, 6.0}));
  EXPECT_TRUE(has_shells(p.scene));
  const Problem again = parse_problem(p.resolved_toml, "again.toml");
  EXPECT_EQ(test::words_of(again), test::words_of(p));
}

TEST(ShellKeys, AreAbsentWhereNobodyGivesThem) {
  const Problem p = shell_problem("", "", "", "");
  EXPECT_FALSE(has_shells(p.scene));
  EXPECT_EQ(p.resolved_toml.find("shell ="), std::string::npos);
}

TEST(ShellKeys, AreTakenOffTogether) {
  const std::string text =
      "[[body]]\nname = \"table\"\nkind = \"fixed\"\n"
      "part = [{ shape = \"half_plane\", normal = [0, 1], shell = { thickness_mm = 4, "
      "stiffness_n_per_m = 1 } }]\nshell = { thickness_mm = 4, stiffness_n_per_m = 1 }\n"
      "[[body]]\nname = \"disc\"\nmass_kg = 1\npart = [{ shape = \"disc\", radius_mm = 5 }]\n";
  EXPECT_TRUE(has_shells(parse_problem(text, "shells.toml").scene));
  const Problem rigid = parse_problem("simulation = { shells = false }\n" + text, "shells.toml");
  EXPECT_FALSE(has_shells(rigid.scene));
  EXPECT_FALSE(has_shells(parse_problem(rigid.resolved_toml, "again.toml").scene));
  EXPECT_NE(test::refusal([&] { parse_problem("simulation = { shells = 0 }\n" + text, "shells.toml"); }).find("shells"),
            std::string::npos);
}

TEST(ShellKeys, RefuseWhatMakesNone) {
  const auto refused = [](const std::string& shell) {
    return test::refusal([&] { shell_problem("shell = " + shell + "\n", "", ""); });
  };
  EXPECT_NE(refused("3").find("must be a table"), std::string::npos);
  EXPECT_NE(refused("{ thickness_mm = 4 }").find("stiffness"), std::string::npos);
  EXPECT_NE(refused("{ thickness_mm = 4, stiffness_n_per_m = 0 }").find("must be greater than 0"), std::string::npos);
  EXPECT_NE(
      refused("{ thickness_mm = 4, stiffness_n_per_m = 1, tangential_damping_n_s_per_m = 1 }").find("rigid along"),
      std::string::npos);
  EXPECT_NE(refused("{ thickness_mm = 4, stiffness_n_per_m = 1, hardness = 1 }").find("hardness"), std::string::npos);
}

// Where outlines touch at a point, prisms do along an edge of two points.
TEST(ShellKeys, HalveWhereAPlanarProblemIsRunInSpace) {
  const Problem p = parse_problem(
      "[space]\nlift = true\nthickness_mm = 10\n[gravity]\nnormal_m_s2 = 9.81\n[[body]]\nname = \"puck\"\n"
      "mass_kg = 1\nshell = { thickness_mm = 1, stiffness_n_per_m = 1e3 }\n"
      "part = [{ shape = \"box\", width_mm = 40, height_mm = 40 }]\n"
      "support = { radius_mm = 15, friction = 0.2 }\n[success]\ndisplacement_below_mm = 10\nof = \"puck\"\n",
      "lifted.toml");
  const BodySpec& puck = p.scene.bodies[0];
  EXPECT_FALSE(puck.shell.has_value());
  for (const SolidPart& part : puck.spatial().parts) {
    EXPECT_EQ(part.shell.has_value(), !part.support_sphere);
    if (part.shell) {
      EXPECT_EQ(part.shell->stiffness, 500.0);
    }
  }
}

}  // namespace
}  // namespace pegrasp

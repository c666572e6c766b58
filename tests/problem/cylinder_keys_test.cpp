// SPDX-License-Identifier: Apache-2.0
// Cylinders in problem files: exact ones where they are asked for, prisms otherwise; and what is refused.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

Problem parse(const std::string& part, const std::string& rest = {}) {
  return parse_problem(rest + R"(
dim = 3
[[body]]
name = "can"
mass_kg = 1
[success]
displacement_below_mm = 10
of = "can"
[[body.part]]
shape = "cylinder"
)" + part,
                       "problem.toml");
}

const std::string sizes = "radius_mm = 20\nheight_mm = 50\n";

TEST(CylinderKeys, ExactOnesAreCylinders) {
  const Problem problem = parse(sizes + "exact = true\naxis = [0, 3, 0]\n");
  const SolidPart& part = problem.scene.bodies[0].spatial().parts[0];
  EXPECT_EQ(part.kind, SolidKind::cylinder);
  EXPECT_EQ(part.radius, 0.02);
  EXPECT_NEAR(part.shape.vertices[1].y, 0.025, 1e-15);
  EXPECT_NEAR(problem.scene.bodies[0].spatial().inertia.yy, 0.5 * 0.02 * 0.02, 1e-12);
  // the file as it was understood is the same problem
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  EXPECT_EQ(again.scene.bodies[0].spatial().parts[0].kind, SolidKind::cylinder);
  EXPECT_EQ(again.scene.bodies[0].spatial().parts[0].shape.vertices[1].y, part.shape.vertices[1].y);
}

TEST(CylinderKeys, OthersStayPrisms) {
  for (const char* const key : {"", "exact = false\n"}) {
    const Problem problem = parse(sizes + key);
    EXPECT_EQ(problem.scene.bodies[0].spatial().parts[0].kind, SolidKind::polyhedron);
    EXPECT_EQ(problem.scene.bodies[0].spatial().parts[0].shape.vertices.size(), 32u);
    EXPECT_EQ(problem.resolved_toml.find("exact = ") == std::string::npos, key[0] == 0);
  }
}

TEST(CylinderKeys, WhatIsWrongIsSaidInOneLine) {
  const auto names = [](const std::string& part, const char* words) {
    const std::string message = test::refusal([&] { parse(part); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  names("exact = true\nradius_mm = -1\nheight_mm = 50\n", "part[0].radius_mm: must be greater than 0");
  names("exact = true\nradius_mm = 20\n", "\"height_mm\" is missing");
  names(sizes + "exact = 1\n", "part[0].exact");
  names(sizes + "exact = true\nsides = 8\n", "part[0].sides: is for prisms");
  names(sizes + "exact = true\naxis = [0, 0, 0]\n", "has no direction");
}

TEST(CylinderKeys, WhatIsNextToALineHasNoInertia) {
  const Problem problem = parse("exact = true\nradius_mm = 1e-9\nheight_mm = 1e9\n");
  try {
    compile_model(problem.scene);
    ADD_FAILURE() << "taken";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    for (const char* const words : {"\"can\"", "inertia_kg_m2", "parts of less extreme lengths"})
      EXPECT_NE(message.find(words), std::string::npos) << message;
  }
}

TEST(CylinderKeys, OnlyPairModesTakeThem) {
  const Problem problem = parse(sizes + "exact = true\n");
  for (const ContactModel model : {ContactModel::standard, ContactModel::corrective, ContactModel::peg_features}) {
    StepOptions options;
    options.contact = model;
    try {
      derive_options(options, problem.scene);
      ADD_FAILURE() << "taken";
    } catch (const std::invalid_argument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("exact cylinders are for contact model peg"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// A planar problem in 3D ([space]): what it becomes, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

Problem gear(bool space) {
  return load_problem(test::source_file("examples/gear/gear.toml"), {{"space.lift", space ? "true" : "false"}});
}

std::vector<double> drawn(const Problem& problem, int cell, int sample, std::vector<double>& values) {
  const std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> parameters(base.size());
  values.resize(sampled_columns(problem).size());
  draw_sample(problem, base, cell, sample, parameters, values);
  return parameters;
}

TEST(Lift, GearStandsOnItsSupportSpheresBetweenFingersOnRails) {
  const Problem flat = gear(false);
  const Problem space = gear(true);
  const SceneSpec& scene = space.scene;
  ASSERT_TRUE(scene.spatial);
  ASSERT_EQ(scene.bodies.size(), flat.scene.bodies.size() + 1);
  EXPECT_EQ(scene.bodies.back().name, "table");
  EXPECT_EQ(scene.gravity_z, -9.81);
  EXPECT_EQ(length_scale(scene), length_scale(flat.scene));
  double lowest_plate = 1.0, lowest_foot = 1.0;
  int support_spheres = 0;
  for (const SolidPart& part : scene.bodies[0].spatial().parts) {
    support_spheres += part.support_sphere ? 1 : 0;
    for (const Vec3& x : part.shape.vertices) {
      const double z = scene.bodies[0].spatial().pose.position.z + x.z;
      (part.support_sphere ? lowest_foot : lowest_plate) =
          std::min(part.support_sphere ? lowest_foot : lowest_plate, z - part.radius);
    }
  }
  EXPECT_EQ(support_spheres, 3);
  EXPECT_NEAR(lowest_foot, 0.0, 1e-15);
  EXPECT_NEAR(lowest_plate, 1e-3, 1e-15);
  EXPECT_EQ(scene.bodies[0].spatial().inertia.zz, flat.scene.bodies[0].planar().inertia);
  EXPECT_GT(scene.bodies[0].spatial().inertia.xx,
            0.5 * flat.scene.bodies[0].planar().inertia);  // a plate's, and a little thickness
  EXPECT_LT(scene.bodies[0].spatial().inertia.xx, 0.53 * flat.scene.bodies[0].planar().inertia);
  for (const int finger : {1, 2}) {
    EXPECT_TRUE(scene.bodies[static_cast<std::size_t>(finger)].slide_axis.has_value());
    EXPECT_EQ(friction_slot(scene, finger, 3), -1) << "a finger would rub on the table";
  }
}

// Newton's method alone, in strict arithmetic, where nothing else was asked for.
TEST(Lift, SolvesClosely) {
  const auto tolerance = [](const std::vector<Override>& overrides) {
    return load_problem(test::source_file("examples/gear/gear.toml"), overrides).options.tolerance;
  };
  const Override lift{"space.lift", "true"};
  EXPECT_EQ(tolerance({lift}), 1e-8);
  EXPECT_EQ(tolerance({}), 0.0);
  EXPECT_EQ(tolerance({lift, {"simulation.tolerance_m_s", "1e-6"}}), 1e-6);
  EXPECT_EQ(tolerance({lift, {"simulation.solver", "aj"}}), 0.0);
  EXPECT_EQ(tolerance({lift, {"simulation.arithmetic", "fast"}}), 0.0);
  EXPECT_EQ(tolerance({lift, {"simulation.strategy", "batched"}}), 0.0);
  // what is accepted of overlap may ask for more
  EXPECT_DOUBLE_EQ(tolerance({lift, {"simulation.penetration_tolerance_mm", "1e-7"}}), 2e-9);
}

// More bodies than the per-scene strategy takes: AJ solves them, as closely as any other scene.
TEST(Lift, SolvesALargeSceneAsUsual) {
  std::string text = "[map]\nsamples = 1\n[space]\nlift = true\nthickness_mm = 10\n";
  for (int i = 0; i < 1001; ++i) {
    text += "[[body]]\nname = \"b" + std::to_string(i) + "\"\nmass_kg = 0.1\nx_mm = " + std::to_string(40 * i) +
            "\n[body.support]\nradius_mm = 7\nfriction = 0.3\n[[body.part]]\nshape = \"box\"\nwidth_mm = 20\nheight_mm "
            "= 20\n";
  }
  const Problem problem = parse_problem(text, "large.toml");
  EXPECT_EQ(problem.options.tolerance, 0.0);
  EXPECT_EQ(derive_options(problem.options, problem.scene).strategy, Strategy::batched);
}

// What is drawn, and where the grid moves what, trial by trial.
TEST(Lift, DrawsAreTheSame) {
  const Problem flat = gear(false);
  const Problem space = gear(true);
  const ParameterLayout from = parameter_layout(flat.scene);
  const ParameterLayout to = parameter_layout(space.scene);
  for (const int cell : {0, 17, 220, 440}) {
    for (int sample = 0; sample < 5; ++sample) {
      std::vector<double> values, values_in_3d;
      const std::vector<double> a = drawn(flat, cell, sample, values);
      const std::vector<double> b = drawn(space, cell, sample, values_in_3d);
      ASSERT_EQ(values, values_in_3d);
      const auto slot = [](const std::vector<double>& v, int i) { return v[static_cast<std::size_t>(i)]; };
      for (int body = 0; body < 3; ++body) {
        EXPECT_EQ(slot(a, from.pose(body)), slot(b, to.pose(body)));
        EXPECT_EQ(slot(a, from.pose(body) + 1), slot(b, to.pose(body) + 1));
        EXPECT_EQ(slot(a, from.mass(body)), slot(b, to.mass(body)));
      }
      for (const int finger : {1, 2}) {
        EXPECT_EQ(slot(a, from.friction(friction_slot(flat.scene, 0, finger))),
                  slot(b, to.friction(friction_slot(space.scene, 0, finger))));
      }
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(slot(a, from.support(k)), slot(b, to.support_sphere(k)));
        EXPECT_EQ(slot(a, from.support(k) + 1), slot(b, to.support_sphere(k) + 1));
        EXPECT_EQ(slot(a, from.support(k) + 3), slot(b, to.friction(friction_slot(space.scene, 0, 3))));
      }
    }
  }
}

TEST(Lift, LevelSupportSpheresReachTheTableAtTheMiddle) {
  const std::string file = test::source_file("examples/gear/gear.toml");
  const Problem space = load_problem(file, {{"space.lift", "true"}, {"space.support_spheres", "level"}});
  const SpatialBody& body = space.scene.bodies[0].spatial();
  EXPECT_EQ(body.pose.position.z, 0.0);
  for (const SolidPart& part : body.parts) {
    if (!part.support_sphere) continue;
    EXPECT_EQ(part.shape.vertices[0].z, part.radius);
    EXPECT_GE(body.support_spheres_within, bounding_radius(part) - 1e-15);
  }
  EXPECT_TRUE(space.scene.bodies.back().spatial().parts[0].support_spheres_only);
  const Problem below = load_problem(file, {{"space.lift", "true"}, {"space.support_spheres", "below"}});
  EXPECT_EQ(below.resolved_toml, gear(true).resolved_toml) << "the default";
  EXPECT_FALSE(below.scene.bodies.back().spatial().parts[0].support_spheres_only);
  const Problem again = parse_problem(space.resolved_toml, "again.toml");
  EXPECT_EQ(again.resolved_toml, space.resolved_toml);
  EXPECT_EQ(scene_parameters(again.scene), scene_parameters(space.scene));
}

// Whether it is lifted or not.
TEST(Lift, MisspeltSupportSpheresAreReportedInALine) {
  for (const char* lift : {"true", "false"}) {
    const std::string said = test::refusal([&] {
      load_problem(test::source_file("examples/gear/gear.toml"),
                   {{"space.lift", lift}, {"space.support_spheres", "levl"}});
    });
    EXPECT_NE(said.find("space.support_spheres"), std::string::npos) << said;
    EXPECT_NE(said.find("must be one of below, level"), std::string::npos) << said;
    EXPECT_NE(said.find("did you mean \"level\"?"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(Lift, OnlyHalfSpacesAreForSupportSpheresAlone) {
  SceneSpec scene = gear(true).scene;
  scene.bodies[0].spatial().parts[0].support_spheres_only = true;
  EXPECT_THROW(compile_model(scene), std::invalid_argument);
}

TEST(Lift, ResolvedProblemIsLiftedAgain) {
  const Problem space = gear(true);
  const Problem again = parse_problem(space.resolved_toml, "again.toml");
  EXPECT_EQ(again.resolved_toml, space.resolved_toml);
  EXPECT_EQ(scene_parameters(again.scene), scene_parameters(space.scene));
}

const std::string plate = R"(
[space]
lift = true
thickness_mm = 3
[[body]]
name = "plate"
mass_kg = 0.1
inertia_kg_m2 = 1e-5
[[body.part]]
shape = "disc"
radius_mm = 10
)";
const std::string support_spheres = "[body.support]\nradius_mm = 7\nfriction = 0.3\n";

std::string refusal(const std::string& text, const std::vector<Override>& overrides = {}) {
  return test::refusal([&] { parse_problem(text, "bad.toml", overrides); });
}

TEST(Lift, WhatIsNotLiftedIsReportedInALine) {
  ASSERT_EQ(refusal(plate + support_spheres), "");
  const std::string rod =
      "[[body]]\nname = \"rod\"\nmass_kg = 1\nslide_axis = [1, 0]\n[[body.part]]\nshape = \"disc\"\nradius_mm = 1\n";
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {plate, "has nothing that holds it in its plane; add [body.support] or slide_axis"},
           {plate + support_spheres + rod + "[body.support]\nradius_mm = 7\nfriction = 0.3\n", "remove one of the two"},
           {plate + support_spheres +
                "[[body]]\nname = \"wall\"\nkind = \"kinematic\"\nmotion = [{ time_s = 0 }, { time_s = 1, x_mm = 1 "
                "}]\n" +
                "[[body.part]]\nshape = \"disc\"\nradius_mm = 1\n",
            "has prescribed motion, which is not lifted so far"},
           {plate + support_spheres +
                "[[joint]]\nkind = \"revolute\"\nbetween = [\"world\", \"plate\"]\nanchor_mm = [0, 0]\n",
            "does not lift joints so far"},
           {plate + support_spheres +
                "[[actuator]]\nbody = \"plate\"\nkind = \"force\"\nrotary = true\ntorque_n_m = 1\n",
            "which turns a body"},
           {plate + support_spheres + "[success]\npose_within = \"plate\"\nturn_deg = [-1, 1]\n",
            "does not lift turn_deg of pose_within"},
           {plate + support_spheres +
                "[[body]]\nname = \"wall\"\nkind = \"fixed\"\nx_mm = 90\nshell = { thickness_mm = 1, "
                "stiffness_n_per_m = 1e4 }\npart = [{ shape = \"box\", width_mm = 5, height_mm = 9 }]\n",
            "body \"plate\" has the round part \"part_1\""},
           {"dim = 3\n" + plate, "is for planar problems, and this one has dim = 3; remove it"}}) {
    const std::string message = refusal(text);
    EXPECT_NE(message.find(said), std::string::npos) << message;
    EXPECT_EQ(message.rfind("bad.toml:", 0), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  const std::string coarse = refusal(plate + support_spheres, {{"space.polygon_tolerance_mm", "3"}});
  EXPECT_NE(coarse.find("between 1e-5 and 0.2 of its radius"), std::string::npos) << coarse;
}

// peg-features knows no spheres, which the support spheres are.
// One condition on two discs is one on every pair of their pieces.
TEST(Lift, ManyPiecesAreRefusedWithARemedy) {
  const auto discs = [](const std::string& tolerance) {
    return parse_problem(R"(
[simulation]
duration_s = 0.1
[space]
lift = true
thickness_mm = 3
polygon_tolerance_mm = )" + tolerance +
                             R"(
[[body]]
name = "a"
mass_kg = 0.1
support = { radius_mm = 9, friction = 0.05 }
[[body.part]]
shape = "disc"
radius_mm = 20
[[body]]
name = "b"
kind = "fixed"
x_mm = 50
[[body.part]]
shape = "disc"
radius_mm = 20
[success]
gap_below_mm = 0.05
from = "a"
of = "b"
)",
                         "discs.toml");
  };
  try {
    discs("0.001");
    ADD_FAILURE() << "taken";
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_EQ(said.rfind("discs.toml", 0), 0u) << said;
    EXPECT_NE(said.find("make polygon_tolerance coarser"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  EXPECT_LE(discs("0.1").scene.success.size(), most_predicates);
}

TEST(Lift, PegFeaturesIsRefused) {
  const Problem problem = load_problem(test::source_file("examples/gear/gear.toml"),
                                       {{"space.lift", "true"}, {"simulation.contact", "\"peg-features\""}});
  EXPECT_THROW(derive_options(problem.options, problem.scene), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp

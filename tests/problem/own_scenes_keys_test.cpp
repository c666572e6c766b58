// SPDX-License-Identifier: Apache-2.0
// The keys of variants, of sizes of bodies, and of the tilt of gravity: what they make of a problem, and what is
// refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/geometry/vectors.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

const std::string planar = R"(
[gravity]
y_m_s2 = -9.81
[[body]]
name = "part"
mass_kg = { distribution = "uniform", low = 0.1, high = 0.3 }
PLACE
)";

const std::string spatial = R"(
dim = 3
[[body]]
name = "part"
density_kg_per_m3 = { distribution = "uniform", low = 800, high = 1200 }
PLACE
)";

std::string with(const std::string& text, const std::string& keys) {
  const std::string place = "PLACE";
  std::string out = text;
  return out.replace(out.find(place), place.size(), keys);
}

Problem problem_of(const std::string& text, const std::vector<Override>& more = {}) {
  return parse_problem(text, "part.toml", more);
}

std::string refusal(const std::string& text, const std::vector<Override>& more = {}) {
  try {
    problem_of(text, more);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string box = "part = [{ shape = \"box\", width_mm = 20, height_mm = 30 }]\n";
const std::string disc = "part = [{ shape = \"disc\", radius_mm = 10 }]\n";
const std::string two_variants = "[[body.variants]]\nname = \"box\"\n" + box +
                                 "[[body.variants]]\nname = \"round\"\nweight = 3\nfriction = 0.2\n" + disc;

TrialScene first_trial(const Problem& problem, int sample = 0) {
  const std::vector<double> base = base_parameters(problem);
  std::vector<double> drawn(base.size()), values(sampled_columns(problem).size());
  draw_sample(problem, base, 0, sample, drawn, values);
  return scene_of_trial(problem, drawn);
}

TEST(VariantKeys, AreReadAndWritten) {
  const Problem problem = problem_of(with(planar, two_variants));
  ASSERT_TRUE(problem.variants);
  EXPECT_EQ(problem.group_count(), 2u);
  EXPECT_EQ(problem.of_group(0).scene.bodies[0].friction, 0.0);
  EXPECT_EQ(problem.of_group(1).scene.bodies[0].friction, 0.2);
  EXPECT_EQ(problem.of_group(1).scene.bodies[0].planar().parts[0].corners.size(), 1u);
  const Problem again = problem_of(problem.resolved_toml);
  EXPECT_EQ(again.resolved_toml, problem.resolved_toml);
  for (std::size_t g = 0; g < 2; ++g) EXPECT_EQ(test::words_of(again.of_group(g)), test::words_of(problem.of_group(g)));
  const Problem chosen = problem_of(problem.resolved_toml, {{"body.part.variant", "round"}});
  EXPECT_FALSE(chosen.variants);
  EXPECT_EQ(test::words_of(chosen), test::words_of(problem.of_group(1)));
  EXPECT_EQ(problem_of(chosen.resolved_toml).resolved_toml, chosen.resolved_toml);
}

TEST(VariantKeys, AnAxisChooses) {
  const std::string axis = "\n[[axis]]\nkey = \"body.part.variant\"\nvalues = [\"round\", \"box\"]\n";
  const Problem problem = problem_of(with(planar, two_variants) + axis);
  EXPECT_FALSE(problem.variants);
  EXPECT_EQ(problem.group_count(), 2u);
  EXPECT_EQ(problem.of_trial(0, 0).scene.bodies[0].planar().parts[0].corners.size(), 1u);
  EXPECT_EQ(problem.of_trial(1, 0).scene.bodies[0].planar().parts[0].corners.size(), 4u);
  EXPECT_EQ(problem.axes[0].name, "variant");
  EXPECT_EQ(problem_of(problem.resolved_toml).resolved_toml, problem.resolved_toml);
}

TEST(VariantKeys, OfTwoBodiesAreDrawnApart) {
  std::string text = with(planar, two_variants);
  const std::string second = "\n[[body]]\nname = \"other\"\nkind = \"fixed\"\nx_mm = 100\n" + two_variants;
  const Problem problem = problem_of(text + second.substr(0, second.find("friction")) + disc);
  EXPECT_EQ(problem.group_count(), 4u);
  const std::vector<std::int32_t> a = drawn_groups(problem, 0, 0, 4000), b = drawn_groups(problem, 1, 0, 4000);
  int both[2][2] = {};
  for (std::size_t i = 0; i < a.size(); ++i) {
    ++both[a[i]][b[i]];
    ASSERT_EQ(problem.group_of(static_cast<int>(i) / problem.samples, static_cast<int>(i) % problem.samples),
              static_cast<std::size_t>(a[i] + 2 * b[i]));
  }
  EXPECT_NEAR(both[0][0], 250, 60);
  EXPECT_NEAR(both[0][1], 750, 90);
  EXPECT_NEAR(both[1][1], 2250, 110);
}

TEST(VariantKeys, WrongOnesAreRefusedInOneLine) {
  const std::string text = with(planar, two_variants);
  EXPECT_EQ(refusal(text, {{"body.part.variant", "rund"}}),
            "part.toml: --set body.part.variant: there is no variant \"rund\"; did you mean \"round\"?");
  const auto expect = [](const std::string& what, const std::string& words) {
    EXPECT_NE(what.find(words), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  };
  expect(refusal(text, {{"body.part.variants.round.weight", "0"}}), "must be greater than 0");
  expect(refusal(text, {{"body.part.variants.round.name", "box"}}), "is the name of another variant");
  expect(refusal(text, {{"body.part.variants.round.name", "any"}}), "\"any\" stands for all variants");
  expect(refusal(text, {{"body.part.variants.round.mass_kg", "1"}}), "is given by the body, too");
  expect(refusal(text, {{"body.part.variants.round.kind", "fixed"}}), "is a key of the body");
  expect(refusal(text, {{"body.part.variants.round.weihgt", "2"}}), "weihgt");
  expect(refusal(text, {{"body.part.variants", "[]"}}), "must be a list of tables");
  expect(refusal(text, {{"body.part.variants.round.x_mm", "{ distribution = 'normal', mean = 0, sd = 1 }"}}),
         "other numbers are uncertain there");
  expect(refusal(with(planar, "variant = \"box\"\n" + box)), "is for a body with variants");
  expect(refusal(with(planar, "[[body.variants]]\nname = \"box\"\n")), "has no parts");
}

// A wedge and a block beside each other: no axis of the body is an axis of inertia.
std::string wedge(double x, double y, double z) {
  const auto number = [](double v) { return std::to_string(v); };
  const auto point = [&](double a, double b, double c) {
    return "[" + number(a * x) + ", " + number(b * y) + ", " + number(c * z) + "]";
  };
  return "part = [{ shape = \"hull\", vertices_mm = [" + point(0, 0, 0) + ", " + point(30, 0, 0) + ", " +
         point(0, 20, 0) + ", " + point(5, 5, 25) + "] }, { shape = \"box\", size_mm = " + point(10, 8, 6) +
         ", centre_mm = " + point(-20, 4, 1) + " }]\n";
}

void expect_same_trial(const TrialScene& a, const TrialScene& b) {
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_NEAR(a.parameters[i], b.parameters[i], 1e-12 * std::fabs(b.parameters[i]) + 1e-18) << i;
  }
  const std::vector<SolidPart>& parts = a.scene.bodies[0].spatial().parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Polyhedron &one = parts[p].shape, &other = b.scene.bodies[0].spatial().parts[p].shape;
    ASSERT_EQ(one.faces.size(), other.faces.size());
    for (std::size_t f = 0; f < one.faces.size(); ++f) {
      EXPECT_LT(length(one.faces[f].normal - other.faces[f].normal), 1e-13);
      EXPECT_NEAR(one.faces[f].offset, other.faces[f].offset, 1e-16);
    }
  }
  EXPECT_NEAR(length_scale(a.scene), length_scale(b.scene), 1e-15);
}

TEST(ScaleKeys, ABodyHasTheMassOfItsWrittenDimensions) {
  const Problem written = problem_of(with(spatial, wedge(1.5, 0.5, 2.0)));
  const Problem given = problem_of(with(spatial, "scale_x = 1.5\nscale_y = 0.5\nscale_z = 2\n" + wedge(1, 1, 1)));
  const std::string constant = "{ distribution = \"choice\", values = [";
  const Problem drawn = problem_of(with(
      spatial, "scale_x = " + constant + "1.5] }\nscale_y = 0.5\nscale_z = " + constant + "2] }\n" + wedge(1, 1, 1)));
  EXPECT_FALSE(given.changes.any());
  ASSERT_EQ(drawn.changes.scales.size(), 1u);
  for (const int sample : {0, 1}) {
    expect_same_trial(first_trial(given, sample), first_trial(written, sample));
    expect_same_trial(first_trial(drawn, sample), first_trial(written, sample));
  }
  for (const Problem& problem : {given, drawn})
    EXPECT_EQ(problem_of(problem.resolved_toml).resolved_toml, problem.resolved_toml);
  expect_same_trial(first_trial(problem_of(drawn.resolved_toml)), first_trial(written));
}

TEST(ScaleKeys, AMassThatIsGivenStays) {
  const std::string own = "[[body]]\nname = \"own\"\nmass_kg = 0.2\ncentre_x_mm = 1\n";
  const auto trial = [&](const std::string& scale, double f) {
    return first_trial(problem_of(with(spatial, wedge(1, 1, 1)) + own + scale + wedge(f, f, f)));
  };
  const TrialScene a = trial("scale = { distribution = \"choice\", values = [0.5] }\n", 1.0), b = trial("", 0.5);
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i)
    EXPECT_NEAR(a.parameters[i], b.parameters[i], 1e-12 * std::fabs(b.parameters[i]) + 1e-18) << i;
}

TEST(ScaleKeys, InertiaInThePlaneFollows) {
  const auto inertia = [](const std::string& keys) {
    const TrialScene trial = first_trial(problem_of(with(planar, keys)));
    return trial.parameters[static_cast<std::size_t>(parameter_layout(trial.scene).inertia(0))];
  };
  const std::string large = "part = [{ shape = \"box\", width_mm = 30, height_mm = 30 }]\n";
  const double written = inertia(large);
  EXPECT_NEAR(inertia("scale_x = 1.5\n" + box), written, 1e-15 * written + 1e-18);
  EXPECT_NEAR(inertia("scale_x = { distribution = \"choice\", values = [1.5] }\n" + box), written, 1e-13 * written);
  EXPECT_NEAR(inertia("scale = { distribution = \"choice\", values = [2] }\n" + disc), 4.0 * inertia(disc), 1e-18);
}

// Its joint holds the body at the same point of it.
TEST(ScaleKeys, JointsMoveWithTheBody) {
  const std::string hinge =
      "\n[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nbetween = [\"world\", \"part\"]\nanchor_mm = [10, 15]\n";
  const TrialScene trial = first_trial(
      problem_of(with(planar, "scale_x = { distribution = \"choice\", values = [1.5] }\nscale_y = 2\n" + box) + hinge));
  const JointSpec& joint = trial.scene.joints[0];
  EXPECT_NEAR(joint.planar().b.x, 0.015, 1e-15);
  EXPECT_NEAR(joint.planar().b.y, 0.030, 1e-15);
  EXPECT_EQ(joint.anchor, JointAnchor::by_second);
}

TEST(ScaleKeys, ColumnsOfRowsAndAxesGiveThem) {
  const std::string axis = "\n[[axis]]\nkey = \"body.part.scale_x\"\nvalues = [1, 1.5]\n";
  const Problem by_axis = problem_of(with(planar, box) + axis);
  EXPECT_EQ(by_axis.group_count(), 2u);
  const auto& parts = by_axis.of_trial(1, 0).scene.bodies[0].planar().parts;
  EXPECT_NEAR(parts[0].corners[0].centre.x,
              by_axis.of_trial(0, 0).scene.bodies[0].planar().parts[0].corners[0].centre.x * 1.5, 1e-15);
  const Problem drawn =
      problem_of(with(planar, "scale_x = { distribution = \"uniform\", low = 0.9, high = 1.1 }\n" + box));
  EXPECT_EQ(sampled_columns(drawn)[1].name, "part.scale_x");
}

TEST(ScaleKeys, WrongOnesAreRefusedInOneLine) {
  const auto expect = [](const std::string& keys, const std::string& words, const std::string& more = "") {
    const std::string what = refusal(with(planar, keys) + more);
    EXPECT_NE(what.find(words), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  };
  expect("scale = 0\n" + box, "must be greater than 0");
  expect("scale_x = { distribution = \"uniform\", low = -0.1, high = 1 }\n" + box, "can be drawn out of range");
  expect("scale_x = { distribution = \"normal\", mean = 1, sd = 0.2 }\n" + box, "can be drawn out of range");
  expect("scale = 2\nscale_x = 1\n" + box, "stands beside scale");
  expect("scale_x = 2\n" + disc, "must be one factor for all axes, since part \"part_1\" is round");
  expect("scale_z = 2\n" + box, "scale_z");
  expect(
      box, "has no end",
      "[[body]]\nname = \"wall\"\nkind = \"fixed\"\nscale = 2\npart = [{ shape = \"half_plane\", normal = [0, 1] }]\n");
}

TEST(ScaleKeys, TwoScaledBodiesShareNoJoint) {
  const std::string other = "[[body]]\nname = \"other\"\nmass_kg = 1\nx_mm = 50\nscale = 2\n" + box +
                            "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nbetween = [\"other\", \"part\"]\n" +
                            "anchor_mm = [20, 0]\n";
  EXPECT_NE(refusal(with(planar, "scale = 2\n" + box) + other).find("holds two bodies with a scale"),
            std::string::npos);
  EXPECT_EQ(refusal(with(planar, box) + other), "");
}

TEST(TiltKeys, WrongOnesAreRefusedInOneLine) {
  EXPECT_NE(refusal(with(spatial, wedge(1, 1, 1)), {{"gravity.z_m_s2", "0"}, {"gravity.tilt_x_deg", "3"}})
                .find("tilts nothing"),
            std::string::npos);
  EXPECT_NE(refusal(with(planar, box), {{"gravity.tilt_x_deg", "3"}}).find("tilt_x_deg"), std::string::npos);
  const Problem tilted = problem_of(with(planar, box), {{"gravity.tilt_deg", "90"}});
  EXPECT_NEAR(tilted.scene.gravity.x, 9.81, 1e-14);
  EXPECT_NEAR(tilted.scene.gravity.y, 0.0, 1e-14);
}

}  // namespace
}  // namespace pegrasp

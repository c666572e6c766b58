// SPDX-License-Identifier: Apache-2.0
// max_force and max_torque of bodies with prescribed motion, in problem files and in scene files.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/runs.hpp"

namespace pegrasp {
namespace {

// A part of 100 g, 40 mm wide, and a jaw that comes from the left up to 9 mm into it; `jaw` are more keys of the jaw.
std::string squeezed(int dim, const std::string& jaw, const std::string& kind = "kinematic", bool moves = true) {
  const auto box = [&](int x, int y) {
    const std::string width = std::to_string(x), height = std::to_string(y);
    const std::string part = "[[body.part]]\nshape = \"box\"\n";
    if (dim == 2) return part + "width_mm = " + width + "\nheight_mm = " + height + "\n";
    return part + "size_mm = [" + width + ", " + height + ", " + height + "]\n";
  };
  std::string text = "dim = " + std::to_string(dim) + "\n[simulation]\nduration_s = 0.2\n";
  text += dim == 2 ? "[gravity]\nnormal_m_s2 = 0\n" : "[gravity]\nz_m_s2 = 0\n";
  text += "[[body]]\nname = \"part\"\nmass_kg = 0.1\n" + box(40, 40);
  text += "[[body]]\nname = \"wall\"\nkind = \"fixed\"\nx_mm = 30\n" + box(20, 60);
  text += "[[body]]\nname = \"jaw\"\nkind = \"" + kind + "\"\n" + jaw + "\n";
  if (moves) text += "motion = [{ time_s = 0, x_mm = -35 }, { time_s = 0.1, x_mm = -21 }]\n";
  return text + box(20, 60);
}

double limit(const Problem& problem, const std::string& name) {
  for (const ActuatorSpec& actuator : problem.scene.actuators) {
    if (actuator.name == name) return actuator.limit;
  }
  return -1.0;
}

std::vector<double> parameters_of(const Problem& problem, int cell, int sample) {
  std::vector<double> parameters = scene_parameters(problem.scene);
  const std::vector<double> base = parameters;
  const Sampler sampler(problem);
  std::vector<double> values(static_cast<std::size_t>(sampler.values()));
  draw_sample(problem, base, cell, sample, parameters, values);
  return parameters;
}

class ForceLimitKeys : public testing::TestWithParam<int> {};

// An uncertain limit drives the body's own motors, also where the file has motors, which stand before them.
TEST_P(ForceLimitKeys, UncertainOnesDriveTheirOwnMotors) {
  const std::string uncertain = "max_force_n = { distribution = \"uniform\", low = 4, high = 6 }";
  const std::string text = squeezed(GetParam(), uncertain);
  const std::string motor = "[[actuator]]\nname = \"push\"\nkind = \"velocity_servo\"\n" +
                            std::string(GetParam() == 2 ? "body = \"part\"\naxis = [1, 0]\n" : "joint = \"rail\"\n") +
                            "speed_mm_s = 1\nmax_force_n = 3\n";
  const std::string rail =
      "[[joint]]\nname = \"rail\"\nkind = \"prismatic\"\nbetween = [\"world\", \"part\"]\n"
      "anchor_mm = [0, 0, 0]\naxis = [1, 0, 0]\n";
  const Problem problem = parse_problem(text + (GetParam() == 2 ? "" : rail) + motor, "p.toml");
  const std::vector<double> base = scene_parameters(problem.scene), drawn = parameters_of(problem, 0, 1);
  const ParameterLayout layout = parameter_layout(problem.scene);
  int followers = 0;
  for (std::size_t k = 0; k < problem.scene.actuators.size(); ++k) {
    const ActuatorSpec& actuator = problem.scene.actuators[k];
    const auto at = static_cast<std::size_t>(layout.actuator(static_cast<int>(k)));
    const bool follows = actuator.kind == ActuatorKind::follow;
    followers += follows ? 1 : 0;
    for (std::size_t slot = 0; slot < 4; ++slot) {
      const bool limit = slot == ParameterLayout::actuator_limit;
      EXPECT_EQ(base[at + slot] != drawn[at + slot], follows && limit) << actuator.name << " " << slot;
    }
  }
  EXPECT_EQ(followers, GetParam() == 2 ? 3 : 6);
}

TEST_P(ForceLimitKeys, MakeABodyFollowItsMotion) {
  const Problem problem = parse_problem(squeezed(GetParam(), "max_force_n = 5"), "p.toml");
  EXPECT_TRUE(follows_keyframes(problem.scene, 2));
  EXPECT_EQ(problem.scene.actuators.size(), GetParam() == 2 ? 3u : 6u);
  EXPECT_EQ(limit(problem, "jaw.along"), 5.0);
  EXPECT_NEAR(problem.scene.bodies[2].mass, 0.005, 1e-15);
  Simulation simulation(compile_model(problem.scene), derive_options(problem.options, problem.scene),
                        scene_parameters(problem.scene));
  while (simulation.step()) EXPECT_EQ(simulation.last_status(), std::uint32_t{status_ok});
  const double x = GetParam() == 2 ? simulation.pose(2).x : simulation.spatial_pose(2).position.x;
  EXPECT_NEAR(x, -0.03, 1e-8);
  // What is written out is the same problem.
  const Problem again = parse_problem(problem.resolved_toml, "q.toml");
  EXPECT_EQ(again.resolved_toml, problem.resolved_toml);
  EXPECT_EQ(limit(again, "jaw.along"), 5.0);
}

TEST_P(ForceLimitKeys, TakeTorqueMassAndInertia) {
  const bool planar = GetParam() == 2;
  const std::string inertia = planar ? "inertia_kg_m2 = 0.001" : "inertia_kg_m2 = [0.001, 0.002, 0.003]";
  const Problem problem =
      parse_problem(squeezed(GetParam(), "max_force_n = 5\nmax_torque_n_m = 0.3\nmass_g = 200\n" + inertia), "p.toml");
  EXPECT_EQ(limit(problem, planar ? "jaw.turn" : "jaw.turn_y"), 0.3);
  EXPECT_NEAR(problem.scene.bodies[2].mass, 0.2, 1e-15);
  if (planar) {
    EXPECT_EQ(problem.scene.bodies[2].planar().inertia, 0.001);
  } else {
    EXPECT_EQ(problem.scene.bodies[2].spatial().inertia.yy, 0.002);
    const Problem dense = parse_problem(squeezed(3, "max_force_n = 5\ndensity_kg_per_m3 = 1000"), "p.toml");
    EXPECT_NEAR(dense.scene.bodies[2].mass, 0.072, 1e-12);
  }
}

// A penalty throws a body of next to no mass, as the default is.
TEST(ForceLimitMass, NeedsAMassWithPenaltyContacts) {
  const std::vector<Override> penalty{{"simulation.contact", "penalty"}};
  EXPECT_NO_THROW(parse_problem(squeezed(3, "max_force_n = 5\nmass_g = 200"), "p.toml", penalty));
  EXPECT_NO_THROW(parse_problem(squeezed(3, "max_force_n = 5\ndensity_kg_per_m3 = 1000"), "p.toml", penalty));
  try {
    parse_problem(squeezed(3, "max_force_n = 5"), "p.toml", penalty);
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_EQ(said.find("p.toml:"), 0u) << said;
    EXPECT_NE(said.find("body[2].max_force_n: needs a mass with contact penalty"), std::string::npos) << said;
    EXPECT_NE(said.find("give mass_kg"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

// Uncertain limits reach all motors; a torque that is not given follows the force.
TEST_P(ForceLimitKeys, MayBeUncertain) {
  const std::string uncertain =
      "max_force_n = { distribution = \"uniform\", low = 4, high = 8 }\n"
      "mass_kg = { distribution = \"uniform\", low = 0.1, high = 0.3 }";
  const Problem problem = parse_problem(squeezed(GetParam(), uncertain), "p.toml");
  const ParameterLayout layout = parameter_layout(problem.scene);
  const std::vector<double> drawn = parameters_of(problem, 0, 3);
  const auto of = [&](int k) {
    return drawn[static_cast<std::size_t>(layout.actuator(k) + ParameterLayout::actuator_limit)];
  };
  const int across = GetParam() == 2 ? 1 : 2;
  const int turn = across + 1;
  EXPECT_GE(of(0), 4.0);
  EXPECT_LE(of(0), 8.0);
  EXPECT_NE(of(0), limit(problem, "jaw.along"));
  for (int k = 1; k <= across; ++k) EXPECT_EQ(of(k), of(0));
  const double arm = problem.scene.actuators[static_cast<std::size_t>(turn)].limit / limit(problem, "jaw.along");
  EXPECT_NEAR(of(turn), arm * of(0), 1e-12);
  const double mass = drawn[static_cast<std::size_t>(layout.mass(2))];
  EXPECT_NEAR(drawn[static_cast<std::size_t>(layout.inertia(2))] / mass,
              GetParam() == 2 ? (0.02 * 0.02 + 0.06 * 0.06) / 12.0 : (0.06 * 0.06 + 0.06 * 0.06) / 12.0, 1e-12);
}

TEST_P(ForceLimitKeys, MayBeSet) {
  const Problem problem =
      parse_problem(squeezed(GetParam(), "max_force_n = 5"), "p.toml", {{"body.jaw.max_force_n", "7"}});
  EXPECT_EQ(limit(problem, "jaw.along"), 7.0);
}

// A body of constant velocity whose place follows the grid goes on from where it is put.
TEST_P(ForceLimitKeys, FollowTheGrid) {
  std::string text =
      squeezed(GetParam(), "max_force_n = 5\nx_mm = -35\nvx_mm_s = 100\nfollows_grid = true", "kinematic", false);
  text = text.replace(text.find("[simulation]"), 0, "[grid]\ny_mm = [-3, 3]\n");
  const Problem problem = parse_problem(text, "p.toml");
  Simulation simulation(compile_model(problem.scene), derive_options(problem.options, problem.scene),
                        parameters_of(problem, 1, 0));
  while (simulation.step()) EXPECT_EQ(simulation.last_status(), std::uint32_t{status_ok});
  const bool planar = GetParam() == 2;
  EXPECT_NEAR(planar ? simulation.pose(2).x : simulation.spatial_pose(2).position.x, -0.03, 1e-7);
  EXPECT_NEAR(planar ? simulation.pose(2).y : simulation.spatial_pose(2).position.y, 0.003, 1e-7);
}

// A map over yaw turns the way of a body of limited force as it turns that of a kinematic one.
TEST(ForceLimitIn3d, TurnsWithTheYawOfTheGrid) {
  const auto end = [](const std::string& keys) {
    std::string text = squeezed(3, keys + "follows_grid = true");
    text = text.replace(text.find("[simulation]"), 0, "[grid]\nyaw_deg = [0, 30]\n");
    const Problem problem = parse_problem(text + "[[no_contact]]\nbetween = [\"part\", \"jaw\"]\n", "p.toml");
    Simulation simulation(compile_model(problem.scene), derive_options(problem.options, problem.scene),
                          parameters_of(problem, 1, 0));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    return simulation.spatial_pose(2);
  };
  const SpatialPose given = end(""), limited = end("max_force_n = 5\n");
  EXPECT_NEAR(given.position.y, 0.014 * std::sin(0.5235987755982988), 1e-12);
  EXPECT_NEAR(limited.position.x, given.position.x, 1e-8);
  EXPECT_NEAR(limited.position.y, given.position.y, 1e-8);
  EXPECT_NEAR(limited.turn.z, given.turn.z, 1e-6);
}

TEST_P(ForceLimitKeys, SayWhatIsWrong) {
  const auto says = [](const std::string& text, const std::string& what) {
    try {
      parse_problem(text, "p.toml");
      ADD_FAILURE() << "not refused: " << what;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  const int dim = GetParam();
  for (const char* bad : {"0", "-1", "nan", "inf"}) {
    says(squeezed(dim, std::string("max_force_n = ") + bad), "max_force_n");
    says(squeezed(dim, std::string("max_force_n = 5\nmax_torque_n_m = ") + bad), "max_torque_n_m");
  }
  says(squeezed(dim, "max_force_n = 5", "fixed", false), "is for bodies with prescribed motion");
  says(squeezed(dim, "mass_kg = 1\nmax_force_n = 5", "dynamic", false), "is for bodies with prescribed motion");
  says(squeezed(dim, "max_torque_n_m = 5"), "add max_force_n");
  says(squeezed(dim, "mass_kg = 1"), "mass_kg");
}

INSTANTIATE_TEST_SUITE_P(Dimensions, ForceLimitKeys, testing::Values(2, 3),
                         [](const auto& info) { return "in_" + std::to_string(info.param) + "d"; });

std::string jaws_scene(const std::string& of_left, const std::string& more = "") {
  return R"({"format": "peg-scene-1", "dim": 2, "gravity": [0, 0], "friction": 0.5, "t_end": 0.2, "bodies": [
    {"name": "part", "mass": 0.1, "inertia_diag": [1, 1, 2.7e-5],
     "vertices": [[-0.02, -0.02], [0.02, -0.02], [0.02, 0.02], [-0.02, 0.02]])" +
         more + R"(},
    {"name": "left", "kinematic": true, "position": [-0.035, 0], "velocity": [0.1, 0], )" +
         of_left + R"( "vertices": [[-0.01, -0.03], [0.01, -0.03], [0.01, 0.03], [-0.01, 0.03]]},
    {"name": "right", "static": true, "position": [0.03, 0],
     "vertices": [[-0.01, -0.03], [0.01, -0.03], [0.01, 0.03], [-0.01, 0.03]]}]})";
}

TEST(ForceLimitInScenes, IsReadAndWritten) {
  const SceneSpec scene =
      parse_scene_json(jaws_scene(R"("max_force": 5, "max_torque": 0.25, "mass": 0.2,)"), "s").scene;
  EXPECT_TRUE(follows_keyframes(scene, 1));
  EXPECT_EQ(scene.bodies[1].mass, 0.2);
  ASSERT_EQ(scene.actuators.size(), 3u);
  EXPECT_EQ(scene.actuators[1].limit, 5.0);
  EXPECT_EQ(scene.actuators[2].limit, 0.25);
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.2));
  while (simulation.step()) EXPECT_EQ(simulation.last_status(), std::uint32_t{status_ok});
  EXPECT_NEAR(simulation.pose(1).x, -0.03, 1e-8);

  const SceneSpec again = parse_scene_json(write_scene_json(scene, 0.2), "s").scene;
  ASSERT_EQ(again.actuators.size(), 3u);
  EXPECT_EQ(again.actuators[2].limit, 0.25);
  EXPECT_EQ(again.bodies[1].mass, 0.2);
  EXPECT_EQ(again.bodies[1].planar().inertia, scene.bodies[1].planar().inertia);
}

TEST(ForceLimitInScenes, SaysWhatIsWrong) {
  const auto says = [](const std::string& text, const std::string& what) {
    try {
      parse_scene_json(text, "s.json");
      ADD_FAILURE() << "not refused: " << what;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  says(jaws_scene(R"("max_force": 0,)"), "max_force");
  says(jaws_scene(R"("max_force": -5,)"), "max_force");
  says(jaws_scene(R"("max_torque": 5,)"), "add it");
  says(jaws_scene("", R"(, "max_force": 5)"), "is for bodies with prescribed motion");
}

// As problem files do, for scene files and for scenes made in C++.
TEST(ForceLimitMass, IsAskedForInScenesWithPenaltyContacts) {
  const std::string cube =
      R"("vertices": [[-0.02, -0.02, -0.02], [0.02, -0.02, -0.02], [0.02, 0.02, -0.02], [-0.02, 0.02, -0.02],
        [-0.02, -0.02, 0.02], [0.02, -0.02, 0.02], [0.02, 0.02, 0.02], [-0.02, 0.02, 0.02]])";
  const auto scene = [&cube](const std::string& mass) {
    return parse_scene_json(R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, -9.81], "t_end": 0.2, "bodies": [
      {"name": "part", "mass": 0.1, "position": [0, 0, 0.02], )" +
                                cube + R"(},
      {"name": "jaw", "kinematic": true, "position": [-0.05, 0, 0.02], "velocity": [0.1, 0, 0], "max_force": 5, )" +
                                mass + cube + "}]}",
                            "s.json")
        .scene;
  };
  const auto says = [](const SceneSpec& of, ContactModel contact) {
    try {
      derive_options(test::steps_of(0.001, 0.2, contact), of);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  StepOptions options = test::steps_of(0.001, 0.2, ContactModel::penalty);
  options.penalty.integrator = PenaltyIntegrator::semi_implicit;
  EXPECT_EQ(says(scene(""), ContactModel::peg), "");
  const std::string said = says(scene(""), ContactModel::penalty);
  EXPECT_EQ(said,
            "bodies[1].max_force: of body \"jaw\" needs a mass with contact penalty, which throws bodies of next to no "
            "mass; give mass");
  EXPECT_NO_THROW(derive_options(options, scene("\"mass\": 0.2, ")));
  EXPECT_NO_THROW(derive_options(options, scene("\"density\": 1000, ")));
}

}  // namespace
}  // namespace pegrasp

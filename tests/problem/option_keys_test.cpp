// SPDX-License-Identifier: Apache-2.0
// Keys of [simulation] that the contact model or the solver does not read: refused in one line with file, key and
// remedy, in problem files and with --set for scene files.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/problem/simulation_overrides.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

Problem block_problem(const std::string& simulation, const std::vector<Override>& overrides = {}) {
  return parse_problem("dim = 3\n" + simulation +
                           "\n[[body]]\nname = \"block\"\nmass_kg = 1\nz_mm = 30\n"
                           "part = [{ shape = \"box\", size_mm = [40, 40, 40] }]\n"
                           "[[body]]\nname = \"table\"\nkind = \"fixed\"\n"
                           "part = [{ shape = \"half_space\", normal = [0, 0, 1] }]\n"
                           "[success]\ndisplacement_below_mm = 10\nof = \"block\"\n",
                       "p.toml", overrides);
}
std::string refusal(const std::string& simulation, const std::vector<Override>& overrides = {}) {
  return test::refusal([&] { block_problem(simulation, overrides); });
}

struct Unread {
  const char* simulation;  // below [simulation]
  const char* key;
  const char* why;
};
class UnreadKey : public testing::TestWithParam<Unread> {};

TEST_P(UnreadKey, IsRefusedByName) {
  const std::string message = refusal(std::string("[simulation]\n") + GetParam().simulation);
  EXPECT_EQ(message.rfind("p.toml:", 0), 0u) << message;
  EXPECT_NE(message.find(std::string(": simulation.") + GetParam().key + ": has no effect " + GetParam().why),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("; leave it out"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Keys, UnreadKey,
    testing::Values(
        Unread{"gamma = 0.5", "gamma", "with contact peg; leave it out, or choose contact ratio"},
        Unread{"gamma = 1", "gamma", "with contact peg"},
        Unread{"contact = \"penalty\"\ngamma = 0.5", "gamma", "with contact penalty"},
        Unread{"spring_force = \"start\"", "spring_force", "where no body has a shell"},
        Unread{"penalty = { proportional = 2000 }", "penalty", "with contact peg; leave it out, or choose contact pen"},
        Unread{"contact = \"ratio\"\npenalty = {}", "penalty", "with contact ratio"},
        Unread{"contact = \"penalty\"\nlook_ahead = true", "look_ahead", "with contact penalty and integrator rk4"},
        Unread{"contact = \"penalty\"\nmax_passes = 7", "max_passes", "with contact penalty"},
        Unread{"contact = \"penalty-deepest\"\nlanding_halvings = 2", "landing_halvings", "with contact penalty"},
        Unread{"contact = \"penalty\"\nmax_substep_level = 2", "max_substep_level", "with contact penalty"},
        Unread{"contact = \"penalty\"\nload_sharing = false", "load_sharing", "with contact penalty"},
        Unread{"contact = \"penalty\"\nreject_depth_mm = 1", "reject_depth_mm", "with contact penalty"},
        Unread{"contact = \"penalty\"\ndetect_distance_m = 1", "detect_distance_m", "with contact penalty"},
        Unread{"contact = \"penalty\"\nsolver = \"aj\"", "solver", "with contact penalty and integrator rk4"},
        Unread{"contact = \"penalty\"\ntolerance_m_s = 1e-7", "tolerance_m_s", "with contact penalty and integrator"},
        Unread{"contact = \"penalty\"\npenalty = { integrator = \"semi-implicit\" }\nwarm_start = false", "warm_start",
               "with contact penalty where there are no joints, springs and motors"},
        Unread{"contact = \"ratio\"\nmax_passes = 1", "max_passes", "with contact ratio"},
        Unread{"contact = \"ratio\"\nmax_substep_level = 1", "max_substep_level", "with contact ratio"},
        Unread{"contact = \"ratio\"\nlanding_halvings = 1", "landing_halvings", "with contact ratio"},
        Unread{"contact = \"ratio\"\nlook_ahead = true", "look_ahead", "with contact ratio"},
        Unread{"contact = \"standard\"\nlook_ahead = true", "look_ahead", "with contact standard; leave it out (or"},
        Unread{"contact = \"corrective\"\nlanding_halvings = 1", "landing_halvings", "with contact corrective"},
        Unread{"contact = \"peg-features\"\nmax_passes = 3", "max_passes",
               "with contact peg-features where there are no joints and springs"},
        Unread{"jacobi_relaxation = 0.3", "jacobi_relaxation",
               "with solver newton; leave it out (or give its default, 0.5), or choose solver jacobi"},
        Unread{"solver = \"aj\"\nload_sharing = false", "load_sharing", "with solver aj"}));

// Defaults change nothing, and resolved problems hold them.
TEST(OptionKeys, MayHaveTheirDefaults) {
  for (const char* contact : {"peg", "peg-features", "standard", "corrective", "penalty", "penalty-deepest", "ratio"}) {
    const Problem first = block_problem(std::string("[simulation]\ncontact = \"") + contact + "\"");
    const Problem again = parse_problem(first.resolved_toml, "again.toml");
    EXPECT_EQ(again.resolved_toml, first.resolved_toml) << contact;
    EXPECT_EQ(again.options, first.options) << contact;
  }
  for (const char* solver : {"newton", "stiff-newton", "aj", "pgs", "nncg", "jacobi"}) {
    const std::string flat = std::string("[simulation]\nsolver = \"") + solver +
                             "\"\n[[body]]\nname = \"puck\"\nmass_kg = 1\n"
                             "part = [{ shape = \"disc\", radius_mm = 40 }]\n";
    const Problem first = parse_problem(flat, "flat.toml"), space = block_problem(flat.substr(0, flat.find("[[body")));
    EXPECT_EQ(parse_problem(first.resolved_toml, "again.toml").resolved_toml, first.resolved_toml) << solver;
    EXPECT_EQ(parse_problem(space.resolved_toml, "again.toml").resolved_toml, space.resolved_toml) << solver;
  }
}

TEST(OptionKeys, MayBeReadInOtherCellsOfAMap) {
  const std::string axis = "[[axis]]\nkey = \"simulation.contact\"\nvalues = [\"peg\", \"ratio\"]\n";
  const Problem problem = block_problem(axis + "[simulation]\ngamma = 0.5\nlook_ahead = true\nmax_passes = 3\n");
  EXPECT_EQ(problem.of_trial(0, 0).options.gamma, 1.0);
  EXPECT_EQ(problem.of_trial(1, 0).options.gamma, 0.5);
  EXPECT_TRUE(problem.of_trial(0, 0).options.look_ahead);
  EXPECT_FALSE(problem.of_trial(1, 0).options.look_ahead);
  EXPECT_EQ(parse_problem(problem.resolved_toml, "again.toml").resolved_toml, problem.resolved_toml);
  EXPECT_NE(refusal(axis + "[simulation]\npenalty = {}\n").find("has no effect with contact peg and ratio"),
            std::string::npos);
  const std::string solvers = "[[axis]]\nkey = \"simulation.solver\"\nvalues = [\"newton\", \"jacobi\"]\n";
  EXPECT_EQ(refusal(solvers + "[simulation]\njacobi_relaxation = 0.3\n"), "");
}

TEST(OptionKeys, AreRefusedWhereTheyAreSet) {
  const std::string message = refusal("", {{"simulation.gamma", "0.5"}});
  EXPECT_EQ(message.rfind("p.toml: --set simulation.gamma: has no effect with contact peg", 0), 0u) << message;
  EXPECT_EQ(refusal("", {{"simulation.gamma", "0.5"}, {"simulation.contact", "ratio"}}), "");
}

// A scene file has no keys of [simulation] but those that are set.
TEST(OptionKeys, AreRefusedForScenes) {
  SceneSpec scene;
  scene.bodies.emplace_back().planar().parts = {make_disc("disc", {}, 0.1)};
  const auto says = [&](const std::vector<Override>& sets) {
    StepOptions options;
    Arithmetic arithmetic = Arithmetic::strict;
    return test::refusal([&] { override_simulation(sets, "s.json", options, arithmetic, scene); });
  };
  EXPECT_EQ(says({{"simulation.gamma", "1"}}),
            "s.json: --set simulation.gamma: has no effect with contact peg; leave it out, or choose contact ratio");
  EXPECT_EQ(says({{"simulation.gamma", "1"}, {"simulation.contact", "ratio"}}), "");
  EXPECT_NE(says({{"simulation.max_passes", "5"}, {"simulation.contact", "standard"}}).find("joints and springs"),
            std::string::npos);
  EXPECT_NE(says({{"simulation.spring_force", "end"}}).find("has a shell"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp

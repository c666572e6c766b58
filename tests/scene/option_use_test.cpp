// SPDX-License-Identifier: Apache-2.0
// The table of which options a contact model and a solver read: it leaves nothing out, what it says has no effect has
// none, and the C++ interface refuses it.
#include "src/scene/option_use.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "pegrasp/names.hpp"
#include "src/problem/keys.hpp"
#include "src/text/units.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/solid_pours.hpp"

namespace pegrasp {
namespace {

// Options that are no keys of a file.
const std::set<std::string> not_in_files{"step_iterations", "scene_iterations"};

// A new field of StepOptions does not compile here: name it in both lists, and give it a line in the table.
std::set<std::string> fields_of_options() {
  [[maybe_unused]] const auto& [h, contact, solver, strategy, max_passes, max_iterations, max_substep_level,
                                landing_halvings, step_iterations, scene_iterations, tolerance, penetration_tolerance,
                                reject_depth, detect_distance, recovery_speed, jacobi_relaxation, still_speed,
                                still_time, duration, on_unresolved, warm_start, load_sharing, look_ahead, islands,
                                spring_force, penalty, gamma] = StepOptions{};
  return {"h",
          "contact",
          "solver",
          "strategy",
          "max_passes",
          "max_iterations",
          "max_substep_level",
          "landing_halvings",
          "step_iterations",
          "scene_iterations",
          "tolerance",
          "penetration_tolerance",
          "reject_depth",
          "detect_distance",
          "recovery_speed",
          "jacobi_relaxation",
          "still_speed",
          "still_time",
          "duration",
          "on_unresolved",
          "warm_start",
          "load_sharing",
          "look_ahead",
          "spring_force",
          "penalty",
          "gamma"};
}

TEST(OptionUse, HasALineForEveryOption) {
  std::set<std::string> lines;
  for (const OptionUse& use : option_uses()) EXPECT_TRUE(lines.insert(use.key).second) << use.key << " has two lines";
  std::set<std::string> wanted;
  for (const std::string& key : keys::simulation) wanted.insert(key_base(key));
  EXPECT_EQ(lines, wanted);
  for (const std::string& field : fields_of_options())
    EXPECT_TRUE(lines.contains(field) || not_in_files.contains(field)) << field;
}

TEST(OptionUse, HasAColumnForEveryContactModel) {
  std::set<int> ways;
  for (std::size_t contact = 0; contact < contact_names().size(); ++contact)
    for (std::size_t integrator = 0; integrator < penalty_integrator_names().size(); ++integrator)
      ways.insert(
          static_cast<int>(step_way(static_cast<ContactModel>(contact), static_cast<PenaltyIntegrator>(integrator))));
  ASSERT_EQ(ways.size(), step_ways);
  EXPECT_EQ(*ways.rbegin(), static_cast<int>(step_ways) - 1);
  for (const OptionUse& use : option_uses()) {
    const std::string letters = use.by_way;
    EXPECT_EQ(letters.size(), step_ways) << use.key;
    EXPECT_EQ(letters.find_first_not_of("-yjms"), std::string::npos) << use.key;
    EXPECT_NE(letters.find_first_not_of('-'), std::string::npos) << use.key << " is read by nothing";
  }
}

// Options, derived, with another value of a key.
using Change = std::function<void(StepOptions&)>;
const std::map<std::string, Change>& changes() {
  static const std::map<std::string, Change> all{
      {"solver", [](StepOptions& o) { o.solver = SolverKind::pgs; }},
      {"max_passes", [](StepOptions& o) { o.max_passes = o.max_passes == 1 ? 4 : 1; }},
      {"max_iterations", [](StepOptions& o) { o.max_iterations = 7; }},
      {"max_substep_level", [](StepOptions& o) { o.max_substep_level = o.max_substep_level == 0 ? 4 : 0; }},
      {"landing_halvings", [](StepOptions& o) { o.landing_halvings = 3; }},
      {"warm_start", [](StepOptions& o) { o.warm_start = !o.warm_start; }},
      {"load_sharing", [](StepOptions& o) { o.load_sharing = !o.load_sharing; }},
      {"look_ahead", [](StepOptions& o) { o.look_ahead = true; }},
      {"jacobi_relaxation", [](StepOptions& o) { o.jacobi_relaxation = 0.2; }},
      {"tolerance", [](StepOptions& o) { o.tolerance *= 1e3; }},
      {"reject_depth", [](StepOptions& o) { o.reject_depth *= 30.0; }},
      {"detect_distance", [](StepOptions& o) { o.detect_distance *= 30.0; }},
      {"recovery_speed", [](StepOptions& o) { o.recovery_speed *= 0.01; }},
      {"gamma", [](StepOptions& o) { o.gamma = 0.3; }},
      {"spring_force", [](StepOptions& o) { o.spring_force = SpringForce::start; }},
      {"penalty", [](StepOptions& o) { o.penalty.stiffness = 300.0, o.penalty.still_speed = 0.1; }},
  };
  return all;
}

// Two bodies tumble onto the ground and onto each other.
SceneSpec tumbling() {
  SceneSpec scene = scenes::solid_pour("plates", 3, 0.4, 2);
  double height = 0.35;  // [m]
  for (BodySpec& body : scene.bodies) {
    if (body.kind != BodyKind::dynamic) continue;
    body.drop_time = 0.0;
    body.spatial().pose.position = {0.0, 0.0, height};
    body.spatial().velocity.velocity.z = -1.0;
    height += 0.4;
  }
  return scene;
}

std::vector<double> final_poses(const SceneSpec& scene, const StepOptions& options) {
  Simulation simulation(compile_model(scene), options, scene_parameters(scene));
  while (simulation.step()) {
  }
  std::vector<double> out;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const SpatialPose p = simulation.spatial_pose(b);
    out.insert(out.end(), {p.position.x, p.position.y, p.position.z, p.turn.w, p.turn.x, p.turn.y, p.turn.z});
  }
  return out;
}

struct Case {
  ContactModel contact;
  PenaltyIntegrator integrator = PenaltyIntegrator::rk4;
  SolverKind solver = SolverKind::newton;
};
class OptionsWithoutEffect : public testing::TestWithParam<Case> {};

TEST_P(OptionsWithoutEffect, ChangeNothing) {
  const SceneSpec scene = tumbling();
  StepOptions asked = test::steps_of(0.004, 0.4, GetParam().contact);
  asked.solver = GetParam().solver;
  asked.penalty.integrator = GetParam().integrator;
  const StepOptions options = derive_options(asked, scene);
  const std::vector<double> plain = final_poses(scene, options);
  int count = 0;
  for (const OptionUse& use : option_uses()) {
    if (why_unread(use, choices_of(options), traits_of(scene)).empty()) continue;
    ++count;
    ASSERT_TRUE(changes().contains(use.key)) << use.key << ": say in changes() how it may differ";
    StepOptions other = options;
    changes().at(use.key)(other);
    EXPECT_FALSE(other == options) << use.key;
    EXPECT_EQ(final_poses(scene, other), plain) << use.key;
  }
  EXPECT_GE(count, 2);
}

INSTANTIATE_TEST_SUITE_P(Models, OptionsWithoutEffect,
                         testing::Values(Case{ContactModel::peg}, Case{ContactModel::peg, {}, SolverKind::aj},
                                         Case{ContactModel::peg_features}, Case{ContactModel::standard},
                                         Case{ContactModel::corrective}, Case{ContactModel::penalty},
                                         Case{ContactModel::penalty, PenaltyIntegrator::semi_implicit},
                                         Case{ContactModel::penalty_deepest}, Case{ContactModel::ratio}),
                         [](const auto& one) {
                           std::string name = name_of(one.param.contact);
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name + std::to_string(one.index);
                         });

// What is refused in C++, and its message; and that options may be derived again.
TEST(OptionUse, RefusesOptionsWithoutEffect) {
  const SceneSpec scene = tumbling();
  const auto says = [&](ContactModel contact, const std::string& key) {
    StepOptions options = test::steps_of(0.001, 0.1, contact);
    changes().at(key)(options);
    try {
      derive_options(options, scene);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(says(ContactModel::peg, "gamma"),
            "gamma has no effect with contact peg; leave it out, or choose contact ratio");
  EXPECT_EQ(says(ContactModel::ratio, "gamma"), "");
  EXPECT_EQ(says(ContactModel::standard, "penalty"),
            "penalty has no effect with contact standard; leave it out, or choose contact penalty");
  EXPECT_EQ(says(ContactModel::penalty, "penalty"), "");
  EXPECT_EQ(says(ContactModel::peg, "spring_force"),
            "spring_force has no effect where no body has a shell; leave it out, or give a body a shell");
  EXPECT_EQ(says(ContactModel::penalty, "max_passes"),
            "max_passes has no effect with contact penalty and integrator rk4; leave it out (or give its default, 5), "
            "or choose contact peg, peg-features, standard or corrective");
  for (const char* key : {"look_ahead", "landing_halvings"}) {
    EXPECT_EQ(says(ContactModel::peg, key), "") << key;
    EXPECT_EQ(says(ContactModel::corrective, key).find(std::string(key) + " has no effect with contact corrective"), 0u)
        << key;
  }
  EXPECT_NE(says(ContactModel::peg, "jacobi_relaxation").find("has no effect with solver newton"), std::string::npos);
  for (std::size_t contact = 0; contact < contact_names().size(); ++contact) {
    const StepOptions once = derive_options(test::steps_of(0.001, 0.1, static_cast<ContactModel>(contact)), scene);
    EXPECT_EQ(derive_options(once, scene), once) << contact_names()[contact];
  }
}

}  // namespace
}  // namespace pegrasp

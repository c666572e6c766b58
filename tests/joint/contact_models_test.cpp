// SPDX-License-Identifier: Apache-2.0
// Joints close under every contact model: those that linearise contacts once pass again for joints.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/joint/scenes.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/finger_grasp.hpp"

namespace pegrasp {
namespace {

constexpr std::array<ContactModel, 4> every_model{ContactModel::peg, ContactModel::peg_features, ContactModel::standard,
                                                  ContactModel::corrective};

struct Found {
  double apart = 0.0;  // [m]
  int unresolved = 0;
  double x = 0.0;  // [m] of the last body, at the end
};

Found run(const SceneSpec& scene, StepOptions options, Strategy strategy) {
  options.strategy = strategy;
  if (strategy == Strategy::batched) {
    options.solver = SolverKind::aj;
    options.max_iterations = 100'000;
  }
  Simulation simulation = test::simulate(scene, options);
  Found found;
  while (simulation.step()) {
    for (int joint = 0; joint < static_cast<int>(scene.joints.size()); ++joint) {
      found.apart = std::max(found.apart, simulation.joint_apart(joint));
    }
  }
  found.unresolved = simulation.outcome().unresolved_steps;
  const int last = static_cast<int>(scene.bodies.size()) - 1;
  found.x = scene.spatial ? simulation.spatial_pose(last).position.x : simulation.pose(last).x;
  return found;
}

TEST(JointsUnderContactModels, RodsHangIn2DAndIn3D) {
  for (const SceneSpec& scene : {test::planar_rod(0.8), test::hanging_rod(0.8, JointKind::revolute)}) {
    const double expected = run(scene, test::steps_of(0.01, 1.0), Strategy::per_scene).x;
    for (const ContactModel contact : every_model) {
      SCOPED_TRACE(testing::Message() << scene.name << ", " << name_of(contact));
      const Found found = run(scene, test::steps_of(0.01, 1.0, contact), Strategy::per_scene);
      EXPECT_LT(found.apart, 1e-6);
      EXPECT_EQ(found.unresolved, 0);
      EXPECT_NEAR(found.x, expected, 1e-5);
      if (contact == ContactModel::peg_features) continue;  // the batched strategy does not take it
      const Found batched = run(scene, test::steps_of(0.01, 1.0, contact), Strategy::batched);
      EXPECT_LT(batched.apart, 1e-6);
      EXPECT_EQ(batched.unresolved, 0);
      EXPECT_NEAR(batched.x, expected, 1e-5);
    }
  }
}

// Contacts of a model that linearises once stay where the step started, whatever joints ask for: where a scene's joints
// and contacts do not meet, the contacts do as they would without joints.
TEST(JointsUnderContactModels, ContactsAreLinearisedOnce) {
  for (const ContactModel contact : {ContactModel::standard, ContactModel::corrective, ContactModel::peg_features}) {
    SCOPED_TRACE(name_of(contact));
    SceneSpec alone = scenes::finger_grasp(3, 0.25);
    alone.actuators.clear();
    alone.joints.clear();
    alone.bodies.resize(2);  // the ground and a polygon
    alone.bodies[1].planar().velocity = {1.0, 0.5, 6.0};
    SceneSpec beside = alone;
    BodySpec rod = test::planar_rod(0.8).bodies[0];
    rod.planar().pose.x += 50.0;
    rod.planar().pose.y += 50.0;
    rod.planar().velocity = {1.0, 0.0, 2.0};
    beside.bodies.push_back(rod);
    beside.joints.push_back(make_joint(beside, "hinge", JointKind::revolute, -1, 2, {50.0, 50.0, 0.0}));
    StepOptions options = test::steps_of(0.01, 0.5, contact);
    options.tolerance = 1e-11;
    options.penetration_tolerance = 1e-7;
    options.recovery_speed = 1.0;
    options.reject_depth = 1e-5;
    options.detect_distance = 1e-3;
    Simulation a = test::simulate(alone, options);
    Simulation b = test::simulate(beside, options);
    bool passed_again = false;
    while (a.step() && b.step()) {
      passed_again = passed_again || (b.contact_count() > 0 && b.last_passes() > 1);
      ASSERT_NEAR(a.pose(1).x, b.pose(1).x, 1e-8) << a.time();
      ASSERT_NEAR(a.pose(1).y, b.pose(1).y, 1e-8) << a.time();
      ASSERT_NEAR(a.pose(1).theta, b.pose(1).theta, 1e-7) << a.time();
    }
    EXPECT_TRUE(passed_again);
    EXPECT_NEAR(a.time(), 0.5, 1e-9);
    EXPECT_GT(a.outcome().contacts_sum, 0);
  }
}

// What the thesis' figure 5.20 shows: while polygons are gripped where they lie, peg is nearest to the truth
// (pegrasp_finger_grasp measures ten).
TEST(JointsUnderContactModels, PegErrsLeastInTheThesisGrasp) {
  constexpr double h = 0.01, fine = 0.0005;
  const auto track = [](const SceneSpec& scene, double step, ContactModel contact) {
    Simulation simulation = test::simulate(scene, test::steps_of(step, scenes::finger_grasp_lift, contact));
    std::vector<Pose> at;
    while (simulation.step()) at.push_back(simulation.pose(scenes::finger_grasp_object));
    return at;
  };
  std::vector<double> error[3];
  constexpr std::array<ContactModel, 3> models{ContactModel::peg, ContactModel::corrective, ContactModel::standard};
  for (const std::uint64_t polygon : {1, 2, 3, 4, 5}) {
    const SceneSpec scene = scenes::finger_grasp(polygon, 0.0);
    const std::vector<Pose> truth = track(scene, fine, ContactModel::peg);
    for (std::size_t model = 0; model < models.size(); ++model) {
      const std::vector<Pose> at = track(scene, h, models[model]);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const std::size_t same = 20 * (i + 1) - 1;
        if (same < scenes::first_moved(truth, fine)) continue;
        error[model].push_back(std::hypot(at[i].x - truth[same].x, at[i].y - truth[same].y));
      }
    }
  }
  double median[3];
  for (std::size_t model = 0; model < models.size(); ++model) {
    std::sort(error[model].begin(), error[model].end());
    median[model] = error[model][error[model].size() / 2];
    std::printf("%s: median error %.2g m\n", name_of(models[model]).c_str(), median[model]);
  }
  EXPECT_LT(median[0], 0.5 * median[1]);
  EXPECT_LT(median[0], 0.5 * median[2]);
}

TEST(JointsUnderContactModels, TheThesisGripperIsResolved) {
  for (const ContactModel contact : every_model) {
    SCOPED_TRACE(name_of(contact));
    for (const std::uint64_t polygon : {1, 2}) {
      const SceneSpec scene = scenes::finger_grasp(polygon, 0.0);
      const Found found = run(scene, test::steps_of(0.01, scenes::finger_grasp_duration, contact), Strategy::per_scene);
      EXPECT_EQ(found.unresolved, 0) << "polygon " << polygon;
      EXPECT_LT(found.apart, 1e-5) << "polygon " << polygon;
    }
  }
}

}  // namespace
}  // namespace pegrasp

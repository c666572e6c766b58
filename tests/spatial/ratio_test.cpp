// SPDX-License-Identifier: Apache-2.0
// Contact model ratio (Hart): its contacts against the gradient of the metric that they stand for, one step in closed
// form, joints, rest, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "src/geometry/placement.hpp"
#include "src/geometry/vectors.hpp"
#include "src/metrics/infeasibility.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

StepOptions ratio_options(double h, double duration, double gamma = 1.0) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.contact = ContactModel::ratio;
  options.gamma = gamma;
  options.tolerance = 1e-12;
  return options;
}

Simulation begin(const SceneSpec& scene, const StepOptions& options) {
  return Simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
}

BodySpec unit_cube(const std::string& name, Vec3 at) {
  BodySpec cube = scenes::solid_body(name, scenes::cuboid(0.5, 0.5, 0.5), 1000.0);
  cube.spatial().pose.position = at;
  return cube;
}

// A unit cube 0.9 m above the middle of a fixed one: r = 0.9, and one step closes the share gamma of the gap r psi.
TEST(RatioContact, OneStepIsNewtonsOnTheMetric) {
  for (const double gamma : {1.0, 0.5, 0.25}) {
    SceneSpec scene = scenes::scene_3d("two cubes");
    scene.gravity_z = 0.0;
    scene.bodies = {unit_cube("below", {}), unit_cube("above", {0.0, 0.0, 0.9})};
    scene.bodies[0].kind = BodyKind::fixed;
    Simulation simulation = begin(scene, ratio_options(0.01, 0.01, gamma));
    ASSERT_TRUE(simulation.step());
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.9 + gamma * 0.09, 1e-12) << gamma;
    EXPECT_EQ(simulation.last_passes(), 1);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// A gap closes by the share gamma at most: a cube that would fall through it stops there.
TEST(RatioContact, AGapClosesByItsShare) {
  for (const double gamma : {1.0, 0.5}) {
    SceneSpec scene = scenes::scene_3d("falling");
    scene.gravity_z = 0.0;
    scene.bodies = {unit_cube("below", {}), unit_cube("above", {0.0, 0.0, 1.01})};
    scene.bodies[0].kind = BodyKind::fixed;
    scene.bodies[1].spatial().velocity.velocity.z = -3.0;
    Simulation simulation = begin(scene, ratio_options(0.01, 0.01, gamma));
    ASSERT_TRUE(simulation.step());
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, 1.01 - gamma * 1.01 * 0.01, 1e-12) << gamma;
  }
}

// With gamma = 0 what touches may not come closer, what overlaps stays, and what is apart falls on.
TEST(RatioContact, WithoutStabilisationOverlapsStay) {
  for (const double height : {0.95, 1.0, 1.02}) {
    SceneSpec scene = scenes::scene_3d("unstabilised");
    scene.gravity_z = 0.0;
    scene.bodies = {unit_cube("below", {}), unit_cube("above", {0.0, 0.0, height})};
    scene.bodies[0].kind = BodyKind::fixed;
    scene.bodies[1].spatial().velocity.velocity.z = -3.0;
    Simulation simulation = begin(scene, ratio_options(0.01, 0.01, 0.0));
    ASSERT_TRUE(simulation.step());
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, height > 1.0 ? height - 0.03 : height, 1e-12);
  }
}

Quaternion random_turn(scenes::Random& random) {
  const Quaternion q{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                     random.uniform(-1.0, 1.0)};
  return normalised(q);
}

// The contact of least gap of a pair of random polyhedra that nearly touch is the metric's: it has its value, and its
// force along the normal at its point is the gradient, also by turns of both.
TEST(RatioContact, TheNearestEventIsTheGradientOfTheMetric) {
  scenes::Random random(41);
  int faces = 0, edges = 0;
  for (int trial = 0; trial < 50; ++trial) {
    SceneSpec scene = scenes::scene_3d("pair");
    scene.gravity_z = 0.0;
    scene.bodies = {scenes::random_hull(random, "a"), scenes::random_hull(random, "b")};
    for (BodySpec& body : scene.bodies) body.spatial().pose.turn = random_turn(random);
    const Vec3 way = turned(random_turn(random), Vec3{1.0, 0.0, 0.0});
    const auto metric = [&](const std::vector<SpatialPose>& poses) {
      GrowingPolytope of[2];
      for (std::size_t k = 0; k < 2; ++k) of[k] = growing(moved(scene.bodies[k].spatial().parts[0].shape, poses[k]));
      return ratio_metric_3d(of[0], of[1]);
    };
    // where rho = aim
    const double aim = random.uniform(-0.02, 0.02);
    double near = 0.05, far = 1.0;
    const auto poses_at = [&](double distance) {
      std::vector<SpatialPose> poses{scene.bodies[0].spatial().pose, scene.bodies[1].spatial().pose};
      poses[1].position = poses[0].position + distance * way;
      return poses;
    };
    for (int k = 0; k < 45; ++k) {
      const double middle = 0.5 * (near + far);
      (metric(poses_at(middle)).metric < aim ? near : far) = middle;
    }
    const std::vector<SpatialPose> poses = poses_at(far);
    scene.bodies[1].spatial().pose = poses[1];
    StepOptions options = ratio_options(0.01, 0.01);
    options.detect_distance = 0.02;
    Simulation simulation = begin(scene, options);
    simulation.watch_contacts();
    ASSERT_TRUE(simulation.step());
    const std::vector<ContactReport>& contacts = simulation.contents().contacts;
    const RatioMetric found = metric(poses);
    const auto nearest = std::min_element(contacts.begin(), contacts.end(), [&](const auto& x, const auto& y) {
      return length(x.point - found.point) < length(y.point - found.point);
    });
    ASSERT_NE(nearest, contacts.end()) << trial;
    EXPECT_LT(length(nearest->point - found.point), 1e-9) << trial;
    // rho by the contact: gap = r psi, r = n . D / (n . D - psi)
    GrowingPolytope a = growing(moved(scene.bodies[0].spatial().parts[0].shape, poses[0]));
    GrowingPolytope b = growing(moved(scene.bodies[1].spatial().parts[0].shape, poses[1]));
    const double along = dot(nearest->normal, b.centre - a.centre);
    const double psi = nearest->gap / found.ratio;
    EXPECT_NEAR(psi / along, found.metric, 1e-9) << trial;
    (nearest->feature == ContactFeature::edges ? edges : faces) += 1;
    // d rho / dt = n . (v_b(x) - v_a(x)) / (H r^2)
    Vec3 v[2], w[2];
    for (int k = 0; k < 2; ++k) {
      v[k] = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
      w[k] = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
    }
    const auto after = [&](double t) {
      std::vector<SpatialPose> out = poses;
      for (std::size_t k = 0; k < 2; ++k) {
        out[k].position = out[k].position + t * v[k];
        const double angle = t * length(w[k]);
        const Vec3 axis = (std::sin(0.5 * angle) / length(w[k])) * w[k];
        out[k].turn = normalised(Quaternion{std::cos(0.5 * angle), axis.x, axis.y, axis.z} * out[k].turn);
      }
      return metric(out).metric;
    };
    constexpr double t = 1e-6;
    const double slope = (after(t) - after(-t)) / (2.0 * t);
    const auto speed = [&](std::size_t k) { return v[k] + cross(w[k], nearest->point - poses[k].position); };
    const double expected = dot(nearest->normal, speed(1) - speed(0)) / ((along - psi) * found.ratio * found.ratio);
    EXPECT_NEAR(slope, expected, 1e-6 * (1.0 + std::abs(slope))) << trial;
  }
  EXPECT_GT(faces, 5);
  EXPECT_GT(edges, 5);
}

// A cube that is dropped flat comes to rest without an overlap; thrown, it slides v^2 / (2 mu g), less what the first
// step leaves out.
TEST(RatioContact, ACubeSlidesAndRests) {
  SceneSpec scene = scenes::scene_3d("slide");
  scene.bodies = {scenes::fixed_cuboid("floor", {10.0, 10.0, 1.0}, {0.0, 0.0, -1.0}, 0.3), unit_cube("cube", {})};
  scene.bodies[1].spatial().pose.position.z = 0.5;
  scene.bodies[1].spatial().velocity.velocity.x = 2.0;
  scene.bodies[1].friction = 0.3;
  const Infeasibility infeasibility(scene);
  Simulation simulation = begin(scene, ratio_options(0.004, 1.2));
  while (simulation.step()) {
    EXPECT_LT(infeasibility.spatial({simulation.spatial_pose(0), simulation.spatial_pose(1)}, {true, true}), 1e-9);
  }
  EXPECT_NEAR(simulation.spatial_pose(1).position.x, 4.0 / (2.0 * 0.3 * scenes::standard_gravity), 8e-3);
  EXPECT_LT(std::abs(simulation.spatial_velocity(1).velocity.x), 1e-9);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// A bar in two parts, and a half-space: pairs of parts, and a plane that does not grow.
TEST(RatioContact, AUnionRestsOnAHalfSpace) {
  SceneSpec scene = scenes::scene_3d("union");
  BodySpec floor;
  floor.name = "floor";
  floor.kind = BodyKind::fixed;
  floor.form = SpatialBody{};
  floor.spatial().parts = {make_half_space("floor", {0.0, 0.0, 1.0}, 0.0)};
  BodySpec bar = scenes::solid_body("bar", scenes::cuboid(1.0, 0.1, 0.1), 1000.0);
  const Polyhedron half = scenes::cuboid(0.5, 0.1, 0.1);
  bar.spatial().parts = {{"left", moved(half, SpatialPose{{-0.5, 0.0, 0.0}, {}})},
                         {"right", moved(half, SpatialPose{{0.5, 0.0, 0.0}, {}})}};
  bar.spatial().pose.position.z = 0.3;
  scene.bodies = {floor, bar};
  Simulation simulation = begin(scene, ratio_options(0.01, 1.0));
  simulation.run();
  EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.1, 1e-9);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// (13): a joint that is apart closes by the share gamma a step, and a pendulum's by O(h^2) only.
TEST(RatioContact, JointsAreSolvedOnceAStep) {
  const auto worst = [](double h) {
    SceneSpec scene = scenes::scene_3d("pendulum");
    scene.bodies = {scenes::solid_body("bob", scenes::cuboid(0.1, 0.1, 0.1), 1000.0)};
    scene.bodies[0].spatial().pose.position = {1.0, 0.0, 0.0};
    scene.joints = {make_joint(scene, "hinge", JointKind::revolute, -1, 0, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0})};
    Simulation simulation = begin(scene, ratio_options(h, 1.0));
    double apart = 0.0;
    while (simulation.step()) {
      apart = std::max(apart, simulation.joint_apart(0));
      EXPECT_EQ(simulation.last_passes(), 1);
      EXPECT_EQ(simulation.last_status(), status_ok);
    }
    return apart;
  };
  const double coarse = worst(0.02), fine = worst(0.01);
  EXPECT_LT(coarse, 0.01);
  EXPECT_NEAR(coarse / fine, 4.0, 0.5);
}

TEST(RatioContact, RefusesWhatItDoesNotHave) {
  SceneSpec scene = scenes::scene_3d("refused");
  scene.bodies = {unit_cube("below", {}), unit_cube("above", {0.0, 0.0, 1.0})};
  scene.bodies[0].kind = BodyKind::fixed;
  const auto refusal = [](const SceneSpec& spec, const StepOptions& options, Arithmetic arithmetic) -> std::string {
    try {
      derive_options(options, spec, arithmetic);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const StepOptions good = ratio_options(0.01, 1.0);
  EXPECT_EQ(refusal(scene, good, Arithmetic::strict), "");
  EXPECT_EQ(derive_options(good, scene).max_substep_level, 0);
  EXPECT_EQ(derive_options(good, scene).max_passes, 1);
  EXPECT_EQ(refusal(scene, good, Arithmetic::fast), "contact model ratio takes arithmetic strict; choose it");
  StepOptions batched = good;
  batched.strategy = Strategy::batched;
  EXPECT_EQ(refusal(scene, batched, Arithmetic::strict), "contact model ratio takes strategy per-scene; choose it");
  StepOptions steep = good;
  steep.gamma = 1.5;
  EXPECT_EQ(refusal(scene, steep, Arithmetic::strict), "gamma must be 0 .. 1");
  SceneSpec balance = scene;
  balance.model = MotionModel::quasistatic;
  EXPECT_NE(refusal(balance, good, Arithmetic::strict).find("not for quasistatic"), std::string::npos);
  SceneSpec round = scene;
  round.bodies[1].spatial().parts = {make_sphere("ball", {}, 0.5)};
  EXPECT_EQ(
      refusal(round, good, Arithmetic::strict),
      "body \"above\", part \"ball\": contact model ratio takes polygons, polyhedra, half-planes and half-spaces; "
      "make it one of these, or choose contact model peg");
}

}  // namespace
}  // namespace pegrasp

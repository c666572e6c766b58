// SPDX-License-Identifier: Apache-2.0
// Wrenches that are set between steps: Simulation::set_force.
#include <limits>
#include <stdexcept>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/followers.hpp"

namespace pegrasp::test {
namespace {

using scenes::standard_gravity;

struct Case {
  bool spatial;
  Strategy strategy;
};

constexpr double mass = 0.7;

SceneSpec one_box(bool spatial, bool weight) {
  SceneSpec scene = scenes::empty_scene(spatial, weight);
  scene.bodies.push_back(scenes::placed_box(spatial, "box", {0.1, 0.05, 0.08}, {0.3, -0.2, 0.0}, mass));
  return scene;
}

constexpr double half = 0.02, mu = 0.5;

// A block that stands on a floor.
SceneSpec block_on_floor(bool spatial) {
  SceneSpec scene = scenes::empty_scene(spatial, true);
  scene.bodies.push_back(scenes::placed_box(spatial, "block", scenes::size_of(spatial, 2.0 * half, half),
                                            scenes::raised(spatial, 0.0, half), mass));
  scene.bodies.push_back(scenes::placed_box(spatial, "floor", scenes::size_of(spatial, 5.0, 0.05),
                                            scenes::raised(spatial, 0.0, -0.05), 1.0));
  scene.bodies[1].kind = BodyKind::fixed;
  scene.friction.push_back({0, 1, mu});
  return scene;
}

class UserWrench : public testing::TestWithParam<Case> {
 protected:
  bool spatial() const { return GetParam().spatial; }
  Simulation start(const SceneSpec& scene, double h, double duration) const {
    StepOptions options = steps_of(h, duration);
    options.strategy = GetParam().strategy;
    return simulate(scene, options);
  }
  // x along the ground; y up, in 3D z; torque about z.
  void push(Simulation& simulation, int body, double x, double up, double torque) const {
    if (spatial()) {
      simulation.set_force(body, SpatialWrench{{x, 0.0, up}, {0.0, 0.0, torque}});
    } else {
      simulation.set_force(body, PlanarWrench{x, up, torque});
    }
  }
  // x, up, the turn about z (in 3D as long as it is the only one), and their rates.
  struct State {
    double x, up, turn, vx, vup, spin;
  };
  State state(const Simulation& simulation, int body) const {
    if (!spatial()) {
      const Pose q = simulation.pose(body);
      const Twist v = simulation.velocity(body);
      return {q.x, q.y, q.theta, v.vx, v.vy, v.omega};
    }
    const SpatialPose q = simulation.spatial_pose(body);
    const SpatialTwist v = simulation.spatial_velocity(body);
    return {q.position.x, q.position.z, 2.0 * std::atan2(q.turn.z, q.turn.w), v.velocity.x, v.velocity.z, v.angular.z};
  }
  double inertia(const SceneSpec& scene) const {
    return spatial() ? scene.bodies[0].spatial().inertia.zz : scene.bodies[0].planar().inertia;
  }
};

// p = F t and L = T t while it pushes, and nothing any more from the step on in which it was set to 0; no step is
// halved for the energy, which its work explains.
TEST_P(UserWrench, AConstantOneGivesForceTimesTime) {
  const SceneSpec scene = one_box(spatial(), false);
  const double h = 0.01, fx = 3.0, up = -1.7, torque = 0.02;
  Simulation simulation = start(scene, h, 1.0);
  const State begin = state(simulation, 0);
  push(simulation, 0, fx, up, torque);
  const int on = 60, all = 100;
  for (int n = 1; n <= all; ++n) {
    if (n == on + 1) push(simulation, 0, 0.0, 0.0, 0.0);
    const State before = state(simulation, 0);
    ASSERT_TRUE(simulation.step());
    const double t = h * std::min(n, on), later = h * std::max(0, n - on);
    const State now = state(simulation, 0);
    const double way = 0.5 * t * t + t * later;
    EXPECT_NEAR(now.vx, fx * t / mass, 1e-12);
    EXPECT_NEAR(now.vup, up * t / mass, 1e-12);
    EXPECT_NEAR(now.spin, torque * t / inertia(scene), 1e-12 * torque * t / inertia(scene) + 1e-15);
    EXPECT_NEAR(now.x - begin.x, fx * way / mass, 1e-12);
    EXPECT_NEAR(now.up - begin.up, up * way / mass, 1e-12);
    const double turn = torque * way / inertia(scene);
    EXPECT_NEAR(std::remainder(now.turn - turn, 6.283185307179586), 0.0, 1e-11);
    if (n > on + 1) {
      EXPECT_NEAR(now.vx, before.vx, 1e-15);
    }
  }
  const SceneOutcome outcome = simulation.outcome();
  EXPECT_EQ(outcome.status, status_ok);
  EXPECT_EQ(outcome.substeps, all);
  const EnergyReport energy = simulation.energy();
  EXPECT_GT(energy.kinetic, 1.0);
  EXPECT_NEAR(energy.explained, energy.kinetic, 1e-12 * energy.kinetic);
}

TEST_P(UserWrench, AgainstTheWeightItKeepsABodyInPlace) {
  const SceneSpec scene = one_box(spatial(), true);
  Simulation simulation = start(scene, 0.01, 5.0);
  const State begin = state(simulation, 0);
  push(simulation, 0, 0.0, mass * standard_gravity, 0.0);
  while (simulation.step()) {
    const State now = state(simulation, 0);
    ASSERT_NEAR(now.x, begin.x, 1e-12);
    ASSERT_NEAR(now.up, begin.up, 1e-12);
    ASSERT_NEAR(now.vup, 0.0, 1e-12);
  }
  EXPECT_EQ(simulation.outcome().steps, 500);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// m x'' = -k x - c x'. Asked for the middle of the step the law is of second order; asked where the step begins it is
// late by half a step.
TEST_P(UserWrench, APdLawIsOfSecondOrder) {
  const double k = 40.0, c = 1.5, duration = 1.0;
  const double decay = 0.5 * c / mass, w = std::sqrt(k / mass - decay * decay);
  const auto error = [&](double h, bool middle) {
    const SceneSpec scene = one_box(spatial(), false);
    Simulation simulation = start(scene, h, duration);
    double worst = 0.0;
    for (bool more = true; more;) {
      const State now = state(simulation, 0);
      const double t = simulation.time();
      const double exact = 0.3 * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
      worst = std::max(worst, std::abs(now.x - exact));
      const double ahead = middle ? 0.5 * h : 0.0;
      const double force = -(k * (now.x + ahead * now.vx) + c * now.vx) / (1.0 + ahead * c / mass);
      push(simulation, 0, force, 0.0, 0.0);
      more = simulation.step();
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    return worst;
  };
  const double coarse = error(0.01, true), fine = error(0.005, true);
  EXPECT_LT(coarse, 2e-3);
  EXPECT_NEAR(coarse / fine, 4.0, 0.3);
  EXPECT_NEAR(error(0.01, false) / error(0.005, false), 2.0, 0.3);
}

// Over a floor with friction: what is below the bound moves nothing, what is above it accelerates by the rest. Where
// friction or the floor lets go, a half step of what they bore is lost.
TEST_P(UserWrench, FrictionHoldsAgainstIt) {
  const SceneSpec scene = block_on_floor(spatial());
  const double h = 0.005, weight = mass * standard_gravity;
  Simulation simulation = start(scene, h, 1.0);
  push(simulation, 0, 0.9 * mu * weight, 0.0, 0.0);
  for (int n = 0; n < 50; ++n) ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(state(simulation, 0).x, 0.0, 1e-6);
  push(simulation, 0, 1.4 * mu * weight, 0.0, 0.0);
  for (int n = 0; n < 100; ++n) ASSERT_TRUE(simulation.step());
  const double a = 0.4 * mu * standard_gravity;
  const double lost = 0.5 * h * standard_gravity;
  EXPECT_NEAR(state(simulation, 0).vx, a * 0.5, 0.1 * mu * lost + 1e-5);
  EXPECT_NEAR(state(simulation, 0).x, 0.5 * a * 0.25, 0.5 * (0.1 * mu * lost + 1e-5));
  push(simulation, 0, 0.0, 2.0 * weight, 0.0);  // lifts it
  for (int n = 0; n < 20; ++n) ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(state(simulation, 0).up - half, 0.5 * standard_gravity * 0.01, 0.1 * lost + 1e-5);
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const EnergyReport energy = simulation.energy();
  EXPECT_LT(energy.kinetic, energy.explained);  // friction takes some
}

// A motor that pushes the same way does the same, and the same work.
TEST_P(UserWrench, DoesWhatAMotorDoes) {
  const double force = 1.3 * mu * mass * standard_gravity;
  const SceneSpec scene = block_on_floor(spatial());
  SceneSpec driven = scene;
  ActuatorSpec motor;
  motor.name = "motor";
  motor.target = force;
  driven.actuators.push_back(motor);
  Simulation pushed = start(scene, 0.005, 0.5), other = start(driven, 0.005, 0.5);
  push(pushed, 0, force, 0.0, 0.0);
  for (int n = 0; n < 100; ++n) {
    ASSERT_TRUE(pushed.step());
    ASSERT_TRUE(other.step());
    const State a = state(pushed, 0), b = state(other, 0);
    ASSERT_NEAR(a.x, b.x, 1e-12);
    ASSERT_NEAR(a.up, b.up, 1e-12);
    ASSERT_NEAR(a.vx, b.vx, 1e-12);
    ASSERT_NEAR(pushed.energy().explained, other.energy().explained, 1e-12);
  }
  EXPECT_EQ(pushed.outcome().substeps, other.outcome().substeps);
  EXPECT_GT(state(pushed, 0).x, 0.1);
}

// Where a wrench is 0 all bytes stay, whether it was set or not.
TEST_P(UserWrench, OneOfNothingChangesNoBit) {
  const SceneSpec scene = scenes::pushed_block(spatial(), {.force = 2.0});
  Simulation plain = start(scene, 0.005, 0.3), set = start(scene, 0.005, 0.3);
  for (int n = 0; n < 60; ++n) {
    push(set, 0, 0.0, 0.0, 0.0);
    ASSERT_EQ(plain.step(), set.step());
    const State a = state(plain, 0), b = state(set, 0);
    ASSERT_EQ(a.x, b.x);
    ASSERT_EQ(a.up, b.up);
    ASSERT_EQ(a.turn, b.turn);
    ASSERT_EQ(a.vx, b.vx);
    ASSERT_EQ(plain.energy().explained, set.energy().explained);
  }
}

std::string name_of_wrench_case(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.spatial ? "in3D" : "in2D") +
         (info.param.strategy == Strategy::batched ? "Batched" : "PerScene");
}

INSTANTIATE_TEST_SUITE_P(All, UserWrench,
                         testing::Values(Case{false, Strategy::per_scene}, Case{true, Strategy::per_scene},
                                         Case{false, Strategy::batched}, Case{true, Strategy::batched}),
                         name_of_wrench_case);

// Off the axes of inertia a constant torque changes the angular momentum by T t to rounding.
TEST(UserTorque, ChangesTheAngularMomentumByItsTime) {
  const SceneSpec scene = one_box(true, false);
  Simulation simulation = simulate(scene, steps_of(0.005, 1.0));
  const Vec3 torque{0.004, -0.003, 0.002};
  simulation.set_force(0, SpatialWrench{{}, torque});
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().substeps, 200);
  const auto [x, q] = simulation.spatial_pose(0);
  const Vec3 w = simulation.spatial_velocity(0).angular;
  const InertiaTensor& inertia = scene.bodies[0].spatial().inertia;
  const double r[3][3] = {
      {1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)},
      {2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x)},
      {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)}};
  const double own[3] = {inertia.xx, inertia.yy, inertia.zz}, given[3] = {torque.x, torque.y, torque.z};
  for (int i = 0; i < 3; ++i) {
    double momentum = 0.0;
    for (int k = 0; k < 3; ++k) momentum += r[i][k] * own[k] * (r[0][k] * w.x + r[1][k] * w.y + r[2][k] * w.z);
    EXPECT_NEAR(momentum, given[i], 1e-12 * 0.004) << i;
  }
  const EnergyReport energy = simulation.energy();
  EXPECT_NEAR(energy.explained, energy.kinetic, 1e-3 * energy.kinetic);
}

// Runge and Kutta's steps, and the semi-implicit ones of scenes with penalty contacts.
TEST(UserWrenchOfPenaltyScenes, GivesForceTimesTime) {
  for (const PenaltyIntegrator integrator : {PenaltyIntegrator::rk4, PenaltyIntegrator::semi_implicit}) {
    StepOptions options = steps_of(0.001, 0.5, ContactModel::penalty);
    options.penalty.integrator = integrator;
    Simulation simulation = simulate(one_box(true, true), options);
    simulation.set_force(0, SpatialWrench{{2.0, 0.0, mass * standard_gravity}, {}});
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.spatial_pose(0).position.x - 0.3, 0.5 * 2.0 / mass * 0.25, 1e-10);
    EXPECT_NEAR(simulation.spatial_pose(0).position.z, 0.0, 1e-12);
  }
}

// A scene that is begun again with more capacity gets the wrenches of all its steps again.
TEST(UserWrenchReplayed, WhereContactsAskForMore) {
  SceneSpec scene = scenes::polygon_on_plane(200, 0.1, 1.0, 0.0, {0.0, 0.0, 0.0});
  scene.bodies[1].planar().pose.y += 0.05;
  const StepOptions options = derive_options(steps_of(0.005, 0.3, ContactModel::standard), scene);
  const auto model = compile_model(scene);
  Simulation simulation(model, options, scene_parameters(scene));
  double v = 0.0, x = 0.0;
  for (int n = 0; n < 60; ++n) {
    const double force = n % 2 == 0 ? 2.0 : -1.0;
    simulation.set_force(1, PlanarWrench{force, 0.0, 0.0});
    ASSERT_TRUE(simulation.step());
    x += 0.005 * (v + 0.5 * 0.005 * force);
    v += 0.005 * force;
    ASSERT_NEAR(simulation.pose(1).x, x, 1e-12) << n;
  }
  EXPECT_GT(simulation.outcome().contacts_demand, capacity(*model, options).contact_capacity);
}

TEST(UserWrenchRefused, WhereItCannotPush) {
  SceneSpec scene = scenes::polygon_on_plane(8, 0.1, 1.0, 0.0, {0.0, 0.0, 0.0});
  Simulation simulation = simulate(scene, steps_of(0.005, 0.3));
  EXPECT_THROW(simulation.set_force(0, PlanarWrench{1.0, 0.0, 0.0}), std::invalid_argument);  // the ground
  EXPECT_THROW(simulation.set_force(2, PlanarWrench{1.0, 0.0, 0.0}), std::invalid_argument);
  EXPECT_THROW(simulation.set_force(-1, PlanarWrench{1.0, 0.0, 0.0}), std::invalid_argument);
  EXPECT_THROW(simulation.set_force(1, PlanarWrench{std::numeric_limits<double>::infinity(), 0.0, 0.0}),
               std::invalid_argument);
  EXPECT_THROW(simulation.set_force(1, SpatialWrench{}), std::logic_error);
}

}  // namespace
}  // namespace pegrasp::test

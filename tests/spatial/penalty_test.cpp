// SPDX-License-Identifier: Apache-2.0
// Penalty contact (Drumwright): depths at rest and their course in closed form, friction, impacts, what is refused, and
// the paper's experiments A to C.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/scene_batch.hpp"
#include "pegrasp/simulation.hpp"
#include "src/backend/cuda_backend.hpp"
#include "tests/files.hpp"
#include "tests/scenes/penalty_scenes.hpp"

namespace pegrasp {
namespace {

constexpr double g = scenes::standard_gravity;
constexpr ContactModel multi = ContactModel::penalty, deepest = ContactModel::penalty_deepest;

StepOptions penalty_options(double h, double duration, ContactModel contact = multi) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.contact = contact;
  return options;
}

Simulation begin(const SceneSpec& scene, const StepOptions& options) {
  const std::vector<double> parameters = scene_parameters(scene);
  return Simulation(compile_model(scene), derive_options(options, scene), parameters);
}

// How deep a body of an even mass rests in ground that has none: k_p d + k_i d / (1 - lambda) = g for each kilogram.
double depth_at_rest(const PenaltyOptions& law) { return g / (law.stiffness + law.integral / (1.0 - law.lambda)); }

TEST(PenaltyContact, DepthAtRestFollowsFromTheGains) {
  for (const double lambda : {0.8, 0.85, 0.9}) {
    for (const PenaltyIntegrator integrator : {PenaltyIntegrator::rk4, PenaltyIntegrator::semi_implicit}) {
      SCOPED_TRACE(testing::Message() << lambda << " " << static_cast<int>(integrator));
      StepOptions options = penalty_options(1e-3, 3.0);
      options.penalty.lambda = lambda;
      options.penalty.integrator = integrator;
      const double depth = depth_at_rest(options.penalty);
      Simulation simulation = begin(scenes::cube_in_plane(3.0, 0.1, 0.3), options);
      simulation.run();
      EXPECT_NEAR(simulation.last_penetration(), depth, 0.01 * depth);
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
  }
}

// A ball has one point, so that both models are the same to the bit, at rest and on the way there.
TEST(PenaltyContact, ABallRestsOnItsDeepestPoint) {
  SceneSpec scene = scenes::cube_in_plane(3.0, 0.0, 0.3);
  scene.bodies[1] = scenes::ball_of_mass("ball", 0.5, 3.0);
  scene.bodies[1].spatial().pose.position.z = 0.4;
  Simulation several = begin(scene, penalty_options(1e-3, 4.0)),
             one = begin(scene, penalty_options(1e-3, 4.0, deepest));
  while (several.step()) {
    one.step();
    ASSERT_EQ(several.last_penetration(), one.last_penetration());
  }
  EXPECT_NEAR(one.last_penetration(), depth_at_rest({}), 1e-4);
}

// m x'' = -m g + k_p d - k_v x' + k_i I, step by step, with I as (2) says.
TEST(PenaltyContact, AFlatCubeFollowsItsEquationOfMotion) {
  const PenaltyOptions law;
  const double h = 1e-3;
  Simulation simulation = begin(scenes::cube_in_plane(1.0, 0.2, 0.0), penalty_options(h, 3.0));
  double d = 0.2, speed = 0.0, sum = 0.0;  // the speed is that upwards
  for (int step = 1; step <= 3000; ++step) {
    const auto rate = [&](double depth, double v) {
      return std::max(0.0, law.stiffness * depth - law.damping * v + law.integral * sum) - g;
    };
    const double a1 = rate(d, speed), v2 = speed + 0.5 * h * a1, a2 = rate(d - 0.5 * h * speed, v2);
    const double v3 = speed + 0.5 * h * a2, a3 = rate(d - 0.5 * h * v2, v3);
    const double v4 = speed + h * a3, a4 = rate(d - h * v3, v4);
    sum = law.lambda * sum + d;
    d -= h / 6.0 * (speed + 2.0 * v2 + 2.0 * v3 + v4);
    speed += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    ASSERT_TRUE(simulation.step());
    ASSERT_NEAR(simulation.last_penetration(), d, 1e-9) << step;
    EXPECT_EQ(simulation.contact_count(), 4);
    if (step == 500) {
      EXPECT_NEAR(d, 0.123, 5e-4);
    } else if (step == 1000) {
      EXPECT_NEAR(d, 0.098, 5e-4);
    } else if (step == 3000) {
      EXPECT_NEAR(d, 0.0867, 1e-4);
    }
  }
}

// Without damping and integral a ball swings in its spring.
TEST(PenaltyContact, RungeKuttaIsOfFourthOrder) {
  const auto end = [](double h, PenaltyIntegrator integrator) {
    SceneSpec scene = scenes::cube_in_plane(2.0, 0.0, 0.0);
    scene.bodies[1] = scenes::ball_of_mass("ball", 0.5, 2.0);
    scene.bodies[1].spatial().pose.position.z = 0.35;  // swings by 0.05 m and stays within the ground
    StepOptions options = penalty_options(h, 0.4);
    options.penalty.damping = options.penalty.integral = 0.0;
    options.penalty.integrator = integrator;
    Simulation simulation = begin(scene, options);
    simulation.run();
    return simulation.spatial_pose(1).position.z;
  };
  const double middle = 0.5 - g / 100.0, exact = middle + (0.35 - middle) * std::cos(10.0 * 0.4);
  const double coarse = std::fabs(end(0.02, PenaltyIntegrator::rk4) - exact);
  const double fine = std::fabs(end(0.01, PenaltyIntegrator::rk4) - exact);
  EXPECT_LT(coarse, 1e-5);
  EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.3);
  const double half = std::fabs(end(0.01, PenaltyIntegrator::semi_implicit) - exact);
  EXPECT_NEAR(std::log2(half / std::fabs(end(0.005, PenaltyIntegrator::semi_implicit) - exact)), 2.0, 0.3);
}

// A free body in Runge and Kutta's hands: momentum to rounding, energy to the fourth order.
TEST(PenaltyContact, AFreeBodyKeepsItsEnergy) {
  SceneSpec scene = scenes::cube_in_plane(2.0, -50.0, 0.0);
  scene.bodies[1] = scenes::solid_body("brick", scenes::cuboid(0.1, 0.2, 0.4), 10.0);
  scene.bodies[1].spatial().pose.position.z = 50.0;
  scene.bodies[1].spatial().velocity.angular = {0.1, 5.0, 0.2};
  Simulation simulation = begin(scene, penalty_options(2e-3, 2.0));
  const double before = simulation.energy().kinetic;
  simulation.run();
  const EnergyReport after = simulation.energy();
  EXPECT_NEAR(after.kinetic - after.explained, before, 1e-7 * before);
  EXPECT_NEAR(simulation.spatial_pose(1).position.z, 50.0 - 0.5 * g * 4.0, 1e-10);
}

// A body that falls is stopped by one impulse, and does not jump back.
TEST(PenaltyContact, AFallEndsInAnImpact) {
  SceneSpec scene = scenes::cube_in_plane(2.0, -0.5, 0.3);
  Simulation simulation = begin(scene, penalty_options(1e-3, 2.0));
  double fastest = 0.0, highest = -1.0;
  bool landed = false;
  while (simulation.step()) {
    const double speed = simulation.spatial_velocity(1).velocity.z;
    landed = landed || simulation.last_penetration() > 0.0;
    fastest = std::min(fastest, speed);
    if (simulation.contact_count() > 0) highest = std::max(highest, speed);
  }
  EXPECT_TRUE(landed);
  EXPECT_NEAR(fastest, -std::sqrt(2.0 * g * 0.5), 0.02);
  EXPECT_LT(highest, 0.02);  // nothing is thrown back
  EXPECT_NEAR(simulation.last_penetration(), depth_at_rest({}), 0.002);
}

// On a slope it stays where the slope is less steep than friction, else it slides at g (sin - mu cos).
TEST(PenaltyContact, FrictionHoldsAndSlides) {
  const double slope = 0.3, cosine = 1.0 / std::sqrt(1.0 + slope * slope);
  for (const double mu : {0.4, 0.2}) {
    SceneSpec scene = scenes::cube_in_plane(2.0, 0.08, mu);
    scene.gravity = {g * slope * cosine, 0.0};
    scene.gravity_z = -g * cosine;
    Simulation simulation = begin(scene, penalty_options(1e-3, mu > slope ? 8.0 : 2.0));
    simulation.run();
    const double gone = simulation.spatial_pose(1).position.x, speed = simulation.spatial_velocity(1).velocity.x;
    if (mu > slope) {
      EXPECT_GT(gone, g * slope * cosine / 100.0);  // as far as the spring is drawn, and the cube leans
      EXPECT_LT(gone, 0.08);
      EXPECT_LT(std::fabs(speed), 1e-3);
    } else {
      EXPECT_NEAR(speed, 2.0 * g * cosine * (slope - mu), 0.03);
    }
  }
}

TEST(PenaltyContact, ForcesAreReportedAndBalanceTheWeight) {
  SceneSpec scene = scenes::cube_in_plane(2.0, depth_at_rest({}), 0.3);
  scene.measure_forces = true;
  Simulation simulation = begin(scene, penalty_options(1e-3, 1.0));
  simulation.watch_contacts();
  simulation.run();
  const StepContents& contents = simulation.contents();
  ASSERT_EQ(contents.contacts.size(), 4u);
  EXPECT_NEAR(contents.bodies[1].contact_impulse.z, 2.0 * g * 1e-3, 1e-6);
  EXPECT_NEAR(contents.bodies[0].contact_impulse.z, -2.0 * g * 1e-3, 1e-6);
  for (const ContactReport& contact : contents.contacts) EXPECT_NEAR(contact.gap, -depth_at_rest({}), 1e-4);
  EXPECT_NEAR(simulation.outcome().grip_force_max, 2.0 * g, 0.5);
  EXPECT_EQ(simulation.outcome().slip_margin_end, 1.0);
}

// A floor that rises carries the cube along, and does the work that gravity takes.
TEST(PenaltyContact, AFloorThatRisesCarries) {
  for (const PenaltyIntegrator integrator : {PenaltyIntegrator::rk4, PenaltyIntegrator::semi_implicit}) {
    SceneSpec scene = scenes::cube_in_plane(2.0, depth_at_rest({}), 0.3);
    scene.bodies[0].kind = BodyKind::kinematic;
    for (BodySpec& body : scene.bodies) body.spatial().velocity.velocity.z = 0.1;
    StepOptions options = penalty_options(1e-3, 3.0);
    options.penalty.integrator = integrator;
    Simulation simulation = begin(scene, options);
    simulation.run();
    const EnergyReport energy = simulation.energy();
    EXPECT_NEAR(simulation.spatial_pose(0).position.z, 0.3, 1e-9);
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.8 - depth_at_rest({}), 1e-3);
    EXPECT_NEAR(energy.kinetic, 0.01, 1e-4);
    EXPECT_NEAR(energy.explained, 0.0, 0.01);
  }
}

// Two cubes on each other: the upper one's weight goes by both contacts.
TEST(PenaltyContact, AStackOfTwo) {
  const double rest = depth_at_rest({});
  SceneSpec scene = scenes::cube_in_plane(1.0, 1.9 * rest, 0.3);
  BodySpec upper = scene.bodies[1];
  upper.name = "upper";
  upper.spatial().pose.position.z += 1.0 - 0.6 * rest;
  scene.bodies.push_back(upper);
  scene.friction.push_back({1, 2, 0.3});
  Simulation simulation = begin(scene, penalty_options(1e-3, 3.0));
  simulation.run();
  EXPECT_NEAR(0.5 - simulation.spatial_pose(1).position.z, 2.0 * rest, 0.01 * rest);
  EXPECT_NEAR(1.0 - (simulation.spatial_pose(2).position.z - simulation.spatial_pose(1).position.z), 0.5 * rest,
              0.01 * rest);
}

// A rod that turns about a fixed hinge falls on the ground with its end: joints hold with the semi-implicit integrator.
TEST(PenaltyContact, JointsHold) {
  SceneSpec scene = scenes::scene_3d("hinge");
  BodySpec rod = scenes::body_of_mass("rod", scenes::cuboid(0.5, 0.05, 0.05), 2.0);
  rod.spatial().pose.position = {0.5, 0.0, 0.5};
  scene.bodies = {scenes::penalty_plane("ground", {0.0, 0.0, 1.0}, 0.0), rod};
  scene.joints = {make_joint(scene, "hinge", JointKind::revolute, -1, 1, {0.0, 0.0, 0.5}, {0.0, 1.0, 0.0})};
  StepOptions options = penalty_options(1e-3, 3.0);
  options.penalty.integrator = PenaltyIntegrator::semi_implicit;
  Simulation simulation = begin(scene, options);
  double apart = 0.0;
  while (simulation.step()) apart = std::max(apart, simulation.joint_apart(0));
  EXPECT_LT(apart, 1e-5);
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_GT(simulation.contact_count(), 0);
  // half of the weight rests on the end
  EXPECT_NEAR(simulation.last_penetration(), 0.5 * depth_at_rest({}), 0.1 * depth_at_rest({}));
}

// A batch gives the same bits on any number of threads, and the same as scenes one by one.
TEST(PenaltyContact, ABatchIsTheSameOnAnyNumberOfThreads) {
  const StepOptions options = penalty_options(1e-3, 0.3);
  scenes::Random random(3);
  const Quaternion turn = scenes::random_turn(random);
  const auto run = [&](int threads) {
    SceneBatch batch(scenes::cube_in_plane(2.0, 0.1, 0.3, turn), 5, options);
    for (std::size_t k = 0; k < batch.size(); ++k) batch.set_friction(k, 0.1 * static_cast<double>(k));
    EXPECT_TRUE(batch.run(*make_backend(BackendKind::cpu, Arithmetic::strict, threads)));
    std::vector<double> places;
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const SpatialPose pose = batch.spatial_pose(k, scenes::penalty_cube);
      places.insert(places.end(), {pose.position.x, pose.position.y, pose.position.z, pose.turn.w, pose.turn.x});
    }
    return places;
  };
  const std::vector<double> alone = run(1);
  EXPECT_EQ(alone, run(3));
  SceneSpec scene = scenes::cube_in_plane(2.0, 0.1, 0.2, turn);
  Simulation simulation = begin(scene, options);
  simulation.run();
  EXPECT_EQ(simulation.spatial_pose(scenes::penalty_cube).position.z, alone[2 * 5 + 2]);
}

void expect_refusal(const SceneSpec& scene, StepOptions options, const std::string& words,
                    Arithmetic arithmetic = Arithmetic::strict) {
  try {
    derive_options(options, scene, arithmetic);
    FAIL() << words;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(PenaltyContact, RefusesWhatItDoesNotTake) {
  const SceneSpec cube = scenes::cube_in_plane(1.0, 0.0, 0.3);
  const StepOptions options = penalty_options(1e-3, 1.0);
  SceneSpec scene = cube;
  scene.bodies[1].spatial().parts = {make_cylinder("can", {0.0, 0.0, -0.1}, {0.0, 0.0, 0.1}, 0.1)};
  expect_refusal(scene, options, "exact = false");
  scene.bodies[1].spatial().parts = {make_capsule("pill", {0.0, 0.0, -0.1}, {0.0, 0.0, 0.1}, 0.1)};
  expect_refusal(scene, options, "capsules");
  scene.bodies[1].spatial().parts = {make_ellipsoid("egg", {}, {0.1, 0.1, 0.2}, {}, 2)};
  expect_refusal(scene, options, "ellipsoids and superellipsoids polyhedra (hull or mesh)");
  scene = cube;
  scene.model = MotionModel::quasistatic;
  expect_refusal(scene, options, "quasistatic");
  scene = cube;
  scene.friction[0].torsion = 0.01;
  expect_refusal(scene, options, "torsion");
  scene = cube;
  scene.joints = {make_joint(scene, "hinge", JointKind::revolute, -1, 1, {}, {0.0, 1.0, 0.0})};
  expect_refusal(scene, options, "semi-implicit");
  expect_refusal(cube, options, "strict", Arithmetic::fast);
  StepOptions other = options;
  other.strategy = Strategy::batched;
  expect_refusal(cube, other, "per-scene");
  other = options;
  other.penalty.lambda = 1.0;
  expect_refusal(cube, other, "lambda");
  // Gains that a step cannot follow, which end in no status bit.
  other = options;
  other.penalty.damping = 2001.0;
  expect_refusal(cube, other, "derivative x h below 2 to be stable, and it is 2");
  other = options;
  other.penalty.stiffness = 1e9;
  expect_refusal(cube, other, "proportional x h^2 below 4 to be stable, and it is 1e+03");
  SceneSpec flat;
  flat.bodies = {scenes::box_body("box", 1.0, 1.0, 1.0)};
  expect_refusal(flat, options, "dim = 3");
}

TEST(PenaltyContact, IsRefusedOnAGpu) {
  const auto backend = make_cuda_backend({"no device", {}, {}});
  SceneBatch batch(scenes::cube_in_plane(1.0, 0.0, 0.3), 1, penalty_options(1e-3, 1.0));
  try {
    batch.run(*backend);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("--backend cpu"), std::string::npos) << error.what();
  }
}

TEST(PenaltyContact, ProblemsSayTheLaw) {
  const Problem problem = load_problem(test::source_file("examples/penalty/penalty.toml"));
  EXPECT_EQ(problem.cells(), 3);
  EXPECT_EQ(problem.of_trial(0, 0).options.penalty, PenaltyOptions{}) << "contact peg does not read it";
  for (const int cell : {1, 2}) {
    const PenaltyOptions& law = problem.of_trial(cell, 0).options.penalty;
    EXPECT_EQ(law.stiffness, 20000.0);
    EXPECT_EQ(law.still_speed, PenaltyOptions{}.still_speed);
    EXPECT_EQ(law.impact_speed, PenaltyOptions{}.impact_speed);
  }
  EXPECT_NE(problem.resolved_toml.find("[simulation.penalty]"), std::string::npos);
  const Problem other = load_problem(test::source_file("examples/puck/puck.toml"));
  EXPECT_EQ(other.resolved_toml.find("penalty"), std::string::npos);
}

// ------------------------------------------------------------------------------------------------ the experiments

struct Course {
  double mean_depth = 0.0;    // of the deepest point [m], in the first `counted` steps
  double mean_height = 0.0;   // of the cube's middle [m], likewise
  double final_energy = 0.0;  // [J], mean of the last 20 steps
};
Course course_of(const SceneSpec& scene, const StepOptions& options, int counted) {
  constexpr int last = 20;
  Simulation simulation = begin(scene, options);
  const int steps = static_cast<int>(std::lround(options.duration / options.h));
  Course course;
  for (int step = 0; step < steps && simulation.step(); ++step) {
    if (step < counted) {
      course.mean_depth += simulation.last_penetration() / counted;
      course.mean_height += simulation.spatial_pose(scenes::penalty_cube).position.z / counted;
    }
    if (step >= steps - last) course.final_energy += simulation.energy().kinetic / last;
  }
  EXPECT_EQ(simulation.outcome().steps, steps);
  EXPECT_EQ(simulation.outcome().status, status_ok);
  return course;
}

TEST(PenaltyExperimentsLong, ACubeInAnyTurnIsSetIntoAPlane) {
  scenes::Random random(1);
  Course several, one;
  for (int k = 0; k < 10; ++k) {
    const SceneSpec scene = scenes::cube_in_plane(1.0, 0.2, 0.0, scenes::random_turn(random));
    const Course a = course_of(scene, penalty_options(1e-3, 3.0), 3000),
                 b = course_of(scene, penalty_options(1e-3, 3.0, deepest), 3000);
    EXPECT_LT(a.mean_depth, b.mean_depth) << k;
    several.final_energy += a.final_energy;
    one.final_energy += b.final_energy;
  }
  EXPECT_LT(several.final_energy, 0.01 * one.final_energy);
}

// Ten pushes, then four seconds without. The face of the cube sinks less on several points; its deepest corner does
// not, since a point that jumps from corner to corner holds the cube level, and several points give way.
TEST(PenaltyExperimentsLong, ACubeIsPushedAtItsTop) {
  const double h = 1e-3, duration = 14.0;
  const SceneSpec scene = scenes::pushed_cube(1, 0.3, h);
  const Course several = course_of(scene, penalty_options(h, duration), 10000),
               one = course_of(scene, penalty_options(h, duration, deepest), 10000),
               peg = course_of(scene, penalty_options(h, duration, ContactModel::peg), 10000);
  EXPECT_GT(several.mean_height, one.mean_height);
  EXPECT_LT(several.final_energy, 0.01 * one.final_energy);
  EXPECT_LT(peg.mean_depth, 1e-6);
  EXPECT_LT(peg.final_energy, 1e-6);
}

TEST(PenaltyExperimentsLong, APileStaysInItsBoxAndComesToRest) {
  const SceneSpec scene = scenes::penalty_pile(1, 0.3);
  StepOptions options = penalty_options(1e-4, 10.0);
  options.penalty.integrator = PenaltyIntegrator::semi_implicit;
  Simulation simulation = begin(scene, options);
  simulation.run();
  EXPECT_EQ(simulation.outcome().steps, 100000);
  EXPECT_LT(simulation.energy().kinetic, 1e-3);
  for (int body = scenes::pile_walls; body < static_cast<int>(scene.bodies.size()); ++body) {
    const Vec3 at = simulation.spatial_pose(body).position;
    EXPECT_LT(std::max(std::fabs(at.x), std::fabs(at.y)), scenes::pile_wall) << body;
    EXPECT_GT(at.z, -0.1) << body;  // light bodies under heavy ones are pressed into the floor, up to their middle
  }
}

}  // namespace
}  // namespace pegrasp

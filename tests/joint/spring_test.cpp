// SPDX-License-Identifier: Apache-2.0
// Springs between two points against closed forms: oscillators, rods, dampers, what is conserved, and the order of the
// energy's error.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::test {
namespace {

constexpr double particle_mass = 0.7;  // [kg]

// A body without shape, which nothing turns.
BodySpec spring_particle(const std::string& name, bool spatial, Vec3 at, Vec3 velocity, double mass = particle_mass) {
  BodySpec body;
  body.name = name;
  body.mass = mass;
  body.turns = false;
  if (spatial) {
    SpatialBody form;
    form.inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    form.pose.position = at;
    form.velocity.velocity = velocity;
    body.form = form;
  } else {
    PlanarBody form;
    form.pose = {at.x, at.y, 0.0};
    form.velocity = {velocity.x, velocity.y, 0.0};
    body.form = form;
  }
  return body;
}

SceneSpec empty_scene(bool spatial, double gravity) {
  SceneSpec scene;
  scene.name = "springs";
  scene.spatial = spatial;
  scene.length_scale = 1.0;
  (spatial ? scene.gravity_z : scene.gravity.y) = -gravity;
  return scene;
}

SpringSpec spring_between(int a, int b, Vec3 from, Vec3 to, double stiffness, double rest, double damping = 0.0) {
  SpringSpec out;
  out.name = "spring";
  out.body_a = a;
  out.body_b = b;
  out.point_a = from;
  out.point_b = to;
  out.stiffness = stiffness;
  out.rest_length = rest;
  out.damping = damping;
  return out;
}

struct State {
  Vec3 x, v;
};
State state_of(const SceneSpec& scene, const Simulation& simulation, int body) {
  if (scene.spatial) return {simulation.spatial_pose(body).position, simulation.spatial_velocity(body).velocity};
  const Pose q = simulation.pose(body);
  const Twist v = simulation.velocity(body);
  return {{q.x, q.y, 0.0}, {v.vx, v.vy, 0.0}};
}
Vec3 minus(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
double size(Vec3 a) { return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

StepOptions fine_steps(double h, double duration) {
  StepOptions options = steps_of(h, duration);
  options.tolerance = 1e-12;
  options.penetration_tolerance = 1e-11;
  return options;
}

// m x'' = -K (x - L0) - C x' from x0, by the roots of the characteristic polynomial.
double damped(double stiffness, double damping, double rest, double x0, double v0, double t) {
  const std::complex<double> root =
      std::sqrt(std::complex<double>(damping * damping - 4.0 * particle_mass * stiffness, 0.0));
  const std::complex<double> r1 = (-damping + root) / (2.0 * particle_mass);
  const std::complex<double> r2 = (-damping - root) / (2.0 * particle_mass);
  const std::complex<double> b = (v0 - r1 * (x0 - rest)) / (r2 - r1);
  const std::complex<double> a = (x0 - rest) - b;
  return rest + (a * std::exp(r1 * t) + b * std::exp(r2 * t)).real();
}

struct Oscillator {
  bool spatial;
  Vec3 line;  // of unit length
  double damping;
};

// The largest error [m] over two seconds of a particle on a spring to the world.
double oscillator_error(const Oscillator& of, double h, double stiffness = 90.0) {
  const double x0 = 1.3, v0 = -0.4, rest = 1.0;
  SceneSpec scene = empty_scene(of.spatial, 0.0);
  const auto along = [&](double s) { return Vec3{s * of.line.x, s * of.line.y, s * of.line.z}; };
  scene.bodies = {spring_particle("particle", of.spatial, along(x0), along(v0))};
  add_spring(scene, spring_between(-1, 0, {}, along(x0), stiffness, rest, of.damping));
  Simulation simulation = simulate(scene, fine_steps(h, 2.0));
  double worst = 0.0;
  while (simulation.step()) {
    const Vec3 x = state_of(scene, simulation, 0).x;
    const double exact = damped(stiffness, of.damping, rest, x0, v0, simulation.time());
    worst = std::fmax(worst, size(minus(x, along(exact))));
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  return worst;
}

class SpringOscillator : public testing::TestWithParam<Oscillator> {};

TEST_P(SpringOscillator, FollowsTheClosedFormAtSecondOrder) {
  const double coarse = oscillator_error(GetParam(), 0.004);
  const double fine = oscillator_error(GetParam(), 0.002);
  EXPECT_LT(coarse, 8e-3);
  EXPECT_GT(coarse / fine, 3.5) << coarse << " " << fine;
}

INSTANTIATE_TEST_SUITE_P(Springs, SpringOscillator,
                         testing::Values(Oscillator{false, {1.0, 0.0, 0.0}, 0.0},
                                         Oscillator{false, {0.6, -0.8, 0.0}, 1.5},
                                         Oscillator{false, {0.0, 1.0, 0.0}, 30.0},  // overdamped
                                         Oscillator{true, {0.0, 0.6, -0.8}, 0.0},
                                         Oscillator{true, {0.48, 0.6, 0.64}, 1.5}));

// Far beyond the step, where an explicit spring would explode, it settles at its length.
TEST(Spring, AnyStiffnessIsStable) {
  for (const double stiffness : {1e4, 1e6, 1e9}) {
    SceneSpec scene = empty_scene(false, 0.0);
    scene.bodies = {spring_particle("particle", false, {1.2, 0.0, 0.0}, {})};
    add_spring(scene, spring_between(-1, 0, {}, {1.2, 0.0, 0.0}, stiffness, 1.0, 0.1 * std::sqrt(stiffness)));
    Simulation simulation = simulate(scene, steps_of(0.01, 1.0));
    while (simulation.step()) EXPECT_LT(std::fabs(simulation.pose(0).x), 1.3);
    EXPECT_NEAR(simulation.pose(0).x, 1.0, 1e-6) << stiffness;
  }
}

// A spring of 1e9 N/m is a rod: a mathematical pendulum keeps its length, and its period.
TEST(Spring, OfAnyStepActsAsARodWhereItIsStiff) {
  for (const bool spatial : {false, true}) {
    for (const double h : {0.001, 0.005, 0.01}) {
      SCOPED_TRACE(testing::Message() << (spatial ? "3D " : "2D ") << h);
      const double amplitude = 0.2;
      const Vec3 start = spatial ? Vec3{std::sin(amplitude), 0.0, -std::cos(amplitude)}
                                 : Vec3{std::sin(amplitude), -std::cos(amplitude), 0.0};
      SceneSpec scene = empty_scene(spatial, scenes::standard_gravity);
      scene.bodies = {spring_particle("bob", spatial, start, {})};
      add_spring(scene, spring_between(-1, 0, {}, start, 1e9, 1.0));
      Simulation simulation = simulate(scene, steps_of(h, 4.2));
      double last = start.x, crossed = 0.0;
      std::vector<double> down;
      while (simulation.step()) {
        const Vec3 x = state_of(scene, simulation, 0).x;
        EXPECT_NEAR(size(x), 1.0, 1.1e-6) << "the tolerance of joints, and its stretch";
        if (last > 0.0 && x.x <= 0.0) down.push_back(simulation.time() - h * x.x / (x.x - last));
        last = x.x;
        crossed = x.x;
      }
      ASSERT_EQ(down.size(), 2u) << crossed;
      const double a2 = amplitude * amplitude;
      const double period =
          2.0 * 3.14159265358979 / std::sqrt(scenes::standard_gravity) * (1.0 + a2 / 16.0 + 11.0 / 3072.0 * a2 * a2);
      EXPECT_NEAR((down[1] - down[0]) / period, 1.0, 20.0 * h * h + 1e-5);
    }
  }
}

// Mechanical energy with that of the spring [J].
double elastic_energy(const SceneSpec& scene, const Simulation& simulation, double stiffness, double rest) {
  const State s = state_of(scene, simulation, 0);
  const double height = scene.spatial ? s.x.z : s.x.y;
  const double gone = size(s.x) - rest;
  return 0.5 * particle_mass * (s.v.x * s.v.x + s.v.y * s.v.y + s.v.z * s.v.z) +
         particle_mass * scenes::standard_gravity * height + 0.5 * stiffness * gone * gone;
}

// The energy of an elastic pendulum keeps its value, up to an error that falls at least with the step.
TEST(Spring, EnergyBalancesToFirstOrder) {
  for (const bool spatial : {false, true}) {
    double error[2] = {};
    for (const int fine : {0, 1}) {
      const double stiffness = 120.0, rest = 0.8;
      const Vec3 start = spatial ? Vec3{0.5, 0.3, -0.7} : Vec3{0.6, -0.6, 0.0};
      SceneSpec scene = empty_scene(spatial, scenes::standard_gravity);
      scene.bodies = {spring_particle("bob", spatial, start, {0.2, 0.1, 0.0})};
      add_spring(scene, spring_between(-1, 0, {}, start, stiffness, rest));
      Simulation simulation = simulate(scene, fine_steps(fine ? 0.001 : 0.002, 3.0));
      const double begin = elastic_energy(scene, simulation, stiffness, rest);
      while (simulation.step())
        error[fine] = std::fmax(error[fine], std::fabs(elastic_energy(scene, simulation, stiffness, rest) - begin));
    }
    EXPECT_LT(error[0], 0.05);
    EXPECT_GT(error[0] / error[1], 1.8) << error[0] << " " << error[1];
  }
}

// Two bodies joined by a spring at corners of theirs, in free flight: both momenta stay, whatever the damping.
TEST(Spring, KeepsMomentumAndItsMomentIn2D) {
  SceneSpec scene = empty_scene(false, 0.0);
  scene.bodies = {scenes::box_body("a", 0.2, 0.1, 0.5), scenes::box_body("b", 0.1, 0.3, 0.9)};
  scene.bodies[1].planar().pose = {0.6, 0.1, 0.4};
  scene.bodies[0].planar().velocity = {0.3, -0.2, 2.0};
  scene.bodies[1].planar().velocity = {-0.1, 0.6, -1.0};
  scene.ignored_pairs = {{0, 1}};  // they would meet
  add_spring(scene, spring_between(0, 1, {0.1, 0.05, 0.0}, {0.55, 0.1, 0.0}, 200.0, 0.3, 0.6));
  Simulation simulation = simulate(scene, fine_steps(0.005, 2.0));
  const auto momenta = [&] {
    std::array<double, 3> sum{};
    for (const int k : {0, 1}) {
      const double m = scene.bodies[static_cast<std::size_t>(k)].mass;
      const Pose q = simulation.pose(k);
      const Twist v = simulation.velocity(k);
      sum[0] += m * v.vx;
      sum[1] += m * v.vy;
      sum[2] += m * (q.x * v.vy - q.y * v.vx) + scene.bodies[static_cast<std::size_t>(k)].planar().inertia * v.omega;
    }
    return sum;
  };
  const std::array<double, 3> begin = momenta();
  while (simulation.step()) {
    const std::array<double, 3> now = momenta();
    EXPECT_NEAR(now[0], begin[0], 1e-10);
    EXPECT_NEAR(now[1], begin[1], 1e-10);
    EXPECT_NEAR(now[2], begin[2], 1e-10);
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// A damper in all directions, without a spring, as in Berard's (2.131): u = u0 exp(-C t (1 / m_a + 1 / m_b)).
TEST(Spring, DampsInAllDirectionsWhereAsked) {
  for (const bool spatial : {false, true}) {
    SceneSpec scene = empty_scene(spatial, 0.0);
    const Vec3 a{}, b{1.0, 0.2, spatial ? 0.5 : 0.0};
    scene.bodies = {spring_particle("a", spatial, a, {}),
                    spring_particle("b", spatial, b, {0.05, 0.08, spatial ? -0.06 : 0.0}, 2.0 * particle_mass)};
    SpringSpec spring = spring_between(0, 1, a, b, 0.0, 0.0, 3.0);
    spring.across_damping = 3.0;
    spring.damps_across = true;
    EXPECT_EQ(add_spring(scene, spring), 0);
    EXPECT_EQ(scene.actuators.size(), spatial ? 3u : 2u);
    Simulation simulation = simulate(scene, fine_steps(0.001, 0.5));
    const Vec3 begin = scene.spatial ? scene.bodies[1].spatial().velocity.velocity : Vec3{0.05, 0.08, 0.0};
    while (simulation.step()) {
      const Vec3 u = minus(state_of(scene, simulation, 1).v, state_of(scene, simulation, 0).v);
      const double left = std::exp(-3.0 * simulation.time() * 1.5 / particle_mass);
      EXPECT_LT(size(minus(u, {left * begin.x, left * begin.y, left * begin.z})), 1e-5);
    }
  }
}

// A body that hangs in a spring rests where its weight stretches it; on the batched strategy as on the other one.
TEST(Spring, HangsByItsWeightOnBothStrategies) {
  for (const bool spatial : {false, true}) {
    SceneSpec scene = empty_scene(spatial, scenes::standard_gravity);
    const Vec3 start = spatial ? Vec3{0.1, 0.0, -1.0} : Vec3{0.1, -1.0, 0.0};
    scene.bodies = {spring_particle("weight", spatial, start, {})};
    SpringSpec spring = spring_between(-1, 0, {}, start, 50.0, 1.0, 8.0);
    spring.across_damping = 8.0;
    spring.damps_across = true;
    add_spring(scene, spring);
    std::vector<Vec3> ends;
    for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
      StepOptions options = fine_steps(0.005, 8.0);
      options.strategy = strategy;
      Simulation simulation = simulate(scene, options);
      while (simulation.step()) continue;
      EXPECT_EQ(simulation.outcome().status, status_ok);
      ends.push_back(state_of(scene, simulation, 0).x);
      EXPECT_NEAR(size(ends.back()), 1.0 + particle_mass * scenes::standard_gravity / 50.0, 1e-6);
    }
    EXPECT_LT(size(minus(ends[0], ends[1])), 1e-9);
  }
}

TEST(Spring, RefusesWhatIsNone) {
  SceneSpec scene = empty_scene(false, 0.0);
  scene.bodies = {spring_particle("a", false, {}, {})};
  const auto refused = [&](const SpringSpec& spring) {
    SceneSpec copy = scene;
    EXPECT_THROW(add_spring(copy, spring), std::invalid_argument);
  };
  refused(spring_between(0, 0, {}, {1.0, 0.0, 0.0}, 1.0, 1.0));
  refused(spring_between(-1, 1, {}, {1.0, 0.0, 0.0}, 1.0, 1.0));
  refused(spring_between(-1, 0, {}, {1.0, 0.0, 0.0}, -1.0, 1.0));
  refused(spring_between(-1, 0, {}, {1.0, 0.0, 0.0}, 1.0, -1.0));
  refused(spring_between(-1, 0, {}, {1.0, 0.0, 0.0}, 1.0, 1.0, -1.0));
}

}  // namespace
}  // namespace pegrasp::test

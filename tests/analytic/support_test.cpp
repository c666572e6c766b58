// SPDX-License-Identifier: Apache-2.0
// Surface friction of a body on three points (Berard 3.3): stopping times, the law at each point, and quasi-static
// pushing against an independent solution. Engines that clamp friction per axis fail the last.
#include <cstddef>
#include <numbers>

#include "kernels/launch/scene_worker.hpp"
#include "kernels/step/run_scene.hpp"
#include "src/model/model.hpp"
#include "tests/least_power.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

using scenes::standard_gravity;

constexpr double at_rest = 1e-5;  // [m/s] of any support point, ten times the solver's tolerance

Tripod on_circle(double radius, double a, double b, double c) {
  return {Vec2{radius * std::cos(a), radius * std::sin(a)}, Vec2{radius * std::cos(b), radius * std::sin(b)},
          Vec2{radius * std::cos(c), radius * std::sin(c)}};
}

double stopping_time(Simulation& simulation) {
  while (simulation.step()) {
    const Twist v = simulation.velocity(0);
    if (std::hypot(v.vx, v.vy) + 0.05 * std::fabs(v.omega) < at_rest) return simulation.time();
  }
  return -1.0;
}

// The bias of the row of a point whose slip turns. However small the slip is, and however it turns, the bias is at most
// twice the slip, and it has no jump: a point that comes to rest gets no direction from rounding.
TEST(Support, TheBiasOfASlipThatTurnsEndsWithTheSlip) {
  using namespace PEGRASP_ARITHMETIC;
  for (const double before : {1e-3, 0.1, 3.0}) {
    for (const double after : {1e-9, 1e-5, 0.01, 1.0}) {
      double last = 0.0;
      const int count = 7200;
      const double step = 2.0 * std::numbers::pi / count;
      for (int i = 0; i <= count; ++i) {
        const double angle = step * i;
        const V2 bias = turn_of_slip<V2>({before, 0.0}, {after * std::cos(angle), after * std::sin(angle)});
        const double size = norm(bias);
        EXPECT_LE(size, 2.0 * after) << before << " " << after << " at " << angle;
        if (i > 0) {
          EXPECT_NEAR(size, last, 6.0 * after * step) << before << " " << after << " at " << angle;
        }
        last = size;
      }
    }
  }
  // Where a step resolves the turn, the slip points as the mean of both.
  const V2 before{0.3, 0.0};
  const V2 after{0.2, 0.1};
  const V2 slip = after + turn_of_slip(before, after);
  EXPECT_NEAR(slip.x * (before.y + after.y) - slip.y * (before.x + after.x), 0.0, 1e-15);
}

// Loads balance moments about the centre of mass, so friction that opposes a translation does too: the body goes
// straight on any tripod, and stops after v / (mu g), v^2 / (2 mu g).
TEST(Support, SlidingStopsAfterTheAnalyticTimeAndDistance) {
  for (const Tripod& points : {scenes::regular_tripod(0.035), lopsided}) {
    for (const double mu : {0.15, 0.6}) {
      for (const double h : {0.001, 0.005}) {
        const double speed = 0.5;
        const double angle = 0.7;
        const SceneSpec scene =
            scenes::tripod_slider(points, mu, {speed * std::cos(angle), speed * std::sin(angle), 0.0});
        Simulation simulation = simulate(scene, steps_of(h, 1.0));
        EXPECT_NEAR(stopping_time(simulation), speed / (mu * standard_gravity), h * 1.0001) << mu << " " << h;
        const Pose end = simulation.pose(0);
        const double distance = std::hypot(end.x, end.y);
        EXPECT_NEAR(distance, speed * speed / (2.0 * mu * standard_gravity),
                    0.13 * mu * standard_gravity * h * h + 1e-6)
            << mu << " " << h;
        EXPECT_NEAR(std::atan2(end.y, end.x), angle, 1e-6);
        EXPECT_NEAR(end.theta, 0.0, 1e-6);
        EXPECT_EQ(simulation.outcome().status, status_ok);
      }
    }
  }
}

// All points at one radius: spin about the centre of mass is pure, and slows down by mu m g r / I whatever the loads.
TEST(Support, SpinStopsAfterTheAnalyticTimeAndAngle) {
  const double radius = 0.035;
  for (const Tripod& points : {scenes::regular_tripod(radius), on_circle(radius, 0.2, 1.9, 4.0)}) {
    for (const double mu : {0.15, 0.6}) {
      for (const double h : {0.001, 0.005}) {
        const double omega = 12.0;
        const SceneSpec scene = scenes::tripod_slider(points, mu, {0.0, 0.0, omega});
        const BodySpec& body = scene.bodies[0];
        const double slowing = mu * body.mass * standard_gravity * radius / body.planar().inertia;
        Simulation simulation = simulate(scene, steps_of(h, 3.0));
        EXPECT_NEAR(stopping_time(simulation), omega / slowing, h * 1.0001) << mu << " " << h;
        const Pose end = simulation.pose(0);
        EXPECT_NEAR(end.theta, omega * omega / (2.0 * slowing), 0.13 * slowing * h * h + 1e-5) << mu << " " << h;
        EXPECT_NEAR(std::hypot(end.x, end.y), 0.0, 1e-6);
      }
    }
  }
}

// The same code as Simulation, with a view of its inside: the impulses at the support points after one step.
class OneStep {
 public:
  OneStep(const SceneSpec& scene, const StepOptions& options)
      : model_(compile_model(scene)), view_(model_->view()), parameters_(scene_parameters(scene)) {
    const Capacity capacity = first_capacity(*model_, options);
    strict::SceneView measure{};
    arena_.resize(strict::bind_scene(measure, view_, capacity, nullptr) / sizeof(std::max_align_t) + 1);
    strict::bind_scene(scene_, view_, capacity, reinterpret_cast<unsigned char*>(arena_.data()));
    scene_.parameters = parameters_.data();
    SerialTeam team;
    strict::begin_scene(team, scene_);
    strict::advance_scene(team, scene_, options);
  }
  Vec2 impulse(int point) const { return {scene_.support_impulse[2 * point], scene_.support_impulse[2 * point + 1]}; }
  const double* twist() const { return scene_.twist; }
  std::uint32_t status() const { return scene_.tally->step_status; }

 private:
  std::shared_ptr<const Model> model_;
  ModelView view_;
  std::vector<double> parameters_;
  std::vector<std::max_align_t> arena_;
  strict::SceneView scene_{};
};

// |p| <= k mu N, and p = -k mu N v / |v| wherever the point slips; in a first step k = h / 2.
TEST(Support, TheThreeForcesOpposeSlipAtTheirPoints) {
  scenes::Random random(7);
  int slipping = 0;
  int sticking = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const double turn = random.uniform(0.0, 6.28);
    const double magnitude = std::pow(10.0, random.uniform(-3.0, 0.5));
    SceneSpec scene = scenes::tripod_slider(
        trial % 2 ? lopsided : on_circle(random.uniform(0.01, 0.05), turn, turn + 1.7, turn + 3.9), 0.4,
        {magnitude * random.uniform(-1.0, 1.0), magnitude * random.uniform(-1.0, 1.0),
         magnitude / 0.03 * random.uniform(-1.0, 1.0)});
    for (double& mu : scene.bodies[0].planar().support->friction) mu = random.uniform(0.05, 1.0);
    scene.bodies[0].planar().pose.theta = random.uniform(-3.0, 3.0);
    StepOptions options = steps_of(0.005, 1.0);
    options.tolerance = 1e-11;
    options.solver = every_solver[static_cast<std::size_t>(trial) % every_solver.size()];
    options.max_iterations = 100000;
    options = derive_options(options, scene);
    const OneStep step(scene, options);
    ASSERT_EQ(step.status(), status_ok) << trial;

    const BodySpec& body = scene.bodies[0];
    const double cosine = std::cos(body.planar().pose.theta);
    const double sine = std::sin(body.planar().pose.theta);
    Vec2 sum;
    double moment = 0.0;
    for (int k = 0; k < 3; ++k) {
      const Vec2 local = body.planar().support->point[static_cast<std::size_t>(k)];
      const Vec2 arm{cosine * local.x - sine * local.y, sine * local.x + cosine * local.y};
      const double bound = 0.5 * options.h * body.planar().support->friction[static_cast<std::size_t>(k)] *
                           body.planar().support->load[static_cast<std::size_t>(k)];
      const Vec2 p = step.impulse(k);
      const double* v = step.twist();
      const Vec2 slip{v[0] - v[2] * arm.y, v[1] + v[2] * arm.x};
      const double speed = std::hypot(slip.x, slip.y);
      EXPECT_LE(std::hypot(p.x, p.y), bound * (1.0 + 1e-12)) << trial;
      if (speed > 1e-6) {
        ++slipping;
        EXPECT_NEAR(p.x, -bound * slip.x / speed, 1e-4 * bound) << trial << " " << name_of(options.solver);
        EXPECT_NEAR(p.y, -bound * slip.y / speed, 1e-4 * bound) << trial << " " << name_of(options.solver);
      } else {
        ++sticking;
      }
      sum = {sum.x + p.x, sum.y + p.y};
      moment += arm.x * p.y - arm.y * p.x;
    }
    const double* v = step.twist();
    EXPECT_NEAR(body.mass * (v[0] - body.planar().velocity.vx), sum.x, 1e-14);
    EXPECT_NEAR(body.mass * (v[1] - body.planar().velocity.vy), sum.y, 1e-14);
    EXPECT_NEAR(body.planar().inertia * (v[2] - body.planar().velocity.omega), moment, 1e-14);
  }
  EXPECT_GT(slipping, 3000);
  EXPECT_GT(sticking, 300);
}

TEST(Support, OffCentrePushTurnsTheBodyAtTheExactRate) {
  const double speed = 1e-4;  // [m/s]: friction stops it in microseconds
  double largest_difference = 0.0;
  for (const Tripod& points : {scenes::regular_tripod(0.035), on_circle(0.04, 0.4, 2.2, 4.1), lopsided}) {
    for (const double y : {-0.04, -0.02, -0.005, 0.0, 0.01, 0.03, 0.045}) {
      const SceneSpec scene = pushed_square(points, y, speed);
      StepOptions options = steps_of(0.001, 0.05);
      options.tolerance = 1e-12;
      Simulation simulation = simulate(scene, options);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const Pose pose = simulation.pose(0);
      const Vec2 arm{-half_side - pose.x + simulation.time() * speed, y - pose.y};
      const SupportTripod& support = *scene.bodies[0].planar().support;
      const Twist exact = quasistatic_twist(support, pose.theta, arm, {1.0, 0.0}, speed, euclidean);
      const Twist found = simulation.velocity(0);
      // The exact minimum is flat: its velocities are good to the square root of rounding.
      const double tolerance = 2e-3 * speed;
      EXPECT_NEAR(found.vx, exact.vx, tolerance) << y;
      EXPECT_NEAR(found.vy, exact.vy, tolerance) << y;
      EXPECT_NEAR(found.omega * half_side, exact.omega * half_side, tolerance) << y;
      const Twist pyramid = quasistatic_twist(support, pose.theta, arm, {1.0, 0.0}, speed, per_axis);
      largest_difference = std::fmax(largest_difference, std::fabs(pyramid.omega - exact.omega) * half_side / speed);
    }
  }
  EXPECT_GT(largest_difference, 0.1) << "the test must tell friction that is clamped per axis from the exact law";
}

// The whole turn: the exact twist integrated in time (midpoint rule) against the engine's trajectory.
TEST(Support, OffCentrePushFollowsTheQuasistaticTrajectory) {
  const double speed = 0.002;  // [m/s]
  const double seconds = 10.0;
  const double y = 0.03;
  const SceneSpec scene = pushed_square(lopsided, y, speed);
  StepOptions options = steps_of(0.005, seconds);
  Simulation simulation = simulate(scene, options);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);

  const Pose q = pushed_pose(lopsided, y, speed, seconds);
  EXPECT_GT(std::fabs(q.theta), 0.2) << "it must turn";
  const Pose end = simulation.pose(0);
  EXPECT_NEAR(end.x, q.x, 2e-5);
  EXPECT_NEAR(end.y, q.y, 2e-5);
  EXPECT_NEAR(end.theta, q.theta, 1e-3);
}

// A push that friction can hold moves nothing; a little more does.
TEST(Support, ForceBelowFrictionMovesNothing) {
  for (const double share : {0.99, 1.01}) {
    SceneSpec scene = scenes::tripod_slider(lopsided, 0.4, {});
    ActuatorSpec push;
    push.body = 0;
    push.axis = {0.6, 0.8};
    push.target = share * 0.4 * scene.bodies[0].mass * standard_gravity;
    scene.actuators = {push};
    const int n = 200;
    const double h = 0.005;
    Simulation simulation = simulate(scene, steps_of(h, n * h));
    simulation.run();
    const Pose end = simulation.pose(0);
    const double expected = share > 1.0 ? 0.5 * n * n * h * h * 0.01 * 0.4 * standard_gravity : 0.0;
    EXPECT_NEAR(std::hypot(end.x, end.y), expected, 2e-6) << share;
    EXPECT_NEAR(end.theta, 0.0, 2e-5) << share;
  }
}

}  // namespace
}  // namespace pegrasp::test

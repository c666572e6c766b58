// SPDX-License-Identifier: Apache-2.0
// What drives bodies, against closed forms: forces, velocity servos, PD servos, along an axis and about z.
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

constexpr double body_mass = 0.7;      // [kg]
constexpr double body_inertia = 0.02;  // [kg m^2]

// How an actuator reaches the body: what it moves, in which direction, and what resists.
struct Drive {
  bool rotary;
  Vec2 axis;  // of unit length
  double inertia() const { return rotary ? body_inertia : body_mass; }
};

const std::vector<Drive> every_drive{
    {false, {1.0, 0.0}}, {false, {0.0, -1.0}}, {false, {0.6, 0.8}}, {true, {1.0, 0.0}}};

// A free disc that turns and goes at `speed` in every direction that the drive has.
SceneSpec driven_disc(const Drive& drive, const ActuatorSpec& actuator, double speed) {
  SceneSpec scene;
  BodySpec disc = scenes::disc_body("disc", 0.1, body_mass);
  disc.planar().inertia = body_inertia;
  disc.planar().velocity =
      drive.rotary ? Twist{0.0, 0.0, speed} : Twist{speed * drive.axis.x, speed * drive.axis.y, 0.0};
  scene.bodies = {disc};
  ActuatorSpec driven = actuator;
  driven.rotary = drive.rotary;
  driven.axis = drive.axis;
  scene.actuators = {driven};
  return scene;
}

double coordinate(const Drive& drive, const Simulation& simulation) {
  const Pose q = simulation.pose(0);
  return drive.rotary ? q.theta : drive.axis.x * q.x + drive.axis.y * q.y;
}

double speed_of(const Drive& drive, const Simulation& simulation) {
  const Twist v = simulation.velocity(0);
  return drive.rotary ? v.omega : drive.axis.x * v.vx + drive.axis.y * v.vy;
}

// Fastest that the body moves in a direction in which nothing drives it [m/s, rad/s].
double astray(const Drive& drive, const Simulation& simulation) {
  const Twist v = simulation.velocity(0);
  if (drive.rotary) return std::hypot(v.vx, v.vy);
  return std::fmax(std::fabs(drive.axis.x * v.vy - drive.axis.y * v.vx), std::fabs(v.omega));
}

StepOptions exact_steps(double h, double duration) {
  StepOptions options = steps_of(h, duration);
  options.tolerance = 1e-12;
  return options;
}

// v = v0 + F t / m, x = v0 t + F t^2 / (2 m).
TEST(ForceActuator, GainsForceTimesTimeOverMass) {
  for (const Drive& drive : every_drive) {
    for (const double force : {0.3, -5.0}) {
      for (const double h : {0.001, 0.016}) {
        ActuatorSpec push;
        push.target = force;
        Simulation simulation = simulate(driven_disc(drive, push, 0.25), steps_of(h, 100 * h));
        int n = 0;
        while (simulation.step()) {
          ++n;
          const double rate = force / drive.inertia();
          EXPECT_NEAR(speed_of(drive, simulation), 0.25 + rate * n * h, 1e-12 * (1.0 + std::fabs(rate)));
          EXPECT_NEAR(coordinate(drive, simulation), 0.25 * n * h + 0.5 * n * n * h * h * rate,
                      1e-12 * (1.0 + std::fabs(rate)));
          EXPECT_LT(astray(drive, simulation), 1e-12);
        }
        EXPECT_EQ(n, 100);
      }
    }
  }
}

// An axis need not be of unit length: it is a direction.
TEST(ForceActuator, TakesTheAxisForADirection) {
  ActuatorSpec push;
  push.target = 1.4;
  SceneSpec scene = driven_disc({false, {0.6, 0.8}}, push, 0.0);
  scene.actuators[0].axis = {30.0, 40.0};
  Simulation simulation = simulate(scene, steps_of(0.01, 1.0));
  simulation.run();
  EXPECT_NEAR(simulation.velocity(0).vx, 0.6 * 1.4 / body_mass, 1e-12);
  EXPECT_NEAR(simulation.velocity(0).vy, 0.8 * 1.4 / body_mass, 1e-12);
}

TEST(ForceActuator, SeveralOnABodyAdd) {
  ActuatorSpec push;
  push.target = 1.0;
  SceneSpec scene = driven_disc({false, {1.0, 0.0}}, push, 0.0);
  scene.actuators.push_back(scene.actuators[0]);
  scene.actuators[1].axis = {0.0, 1.0};
  scene.actuators[1].target = -2.0;
  scene.actuators.push_back(scene.actuators[0]);
  scene.actuators[2].rotary = true;
  scene.actuators[2].target = 0.01;
  Simulation simulation = simulate(scene, steps_of(0.01, 1.0));
  simulation.run();
  EXPECT_NEAR(simulation.velocity(0).vx, 1.0 / body_mass, 1e-12);
  EXPECT_NEAR(simulation.velocity(0).vy, -2.0 / body_mass, 1e-12);
  EXPECT_NEAR(simulation.velocity(0).omega, 0.01 / body_inertia, 1e-12);
}

// At the limit until the target is reached within a step, at the target from then on.
TEST(VelocityServo, AcceleratesAtTheLimitAndThenKeepsItsSpeed) {
  const double h = 0.005;
  for (const Drive& drive : every_drive) {
    for (const double target : {0.5, -0.5}) {
      for (const double start : {0.0, 0.9}) {
        ActuatorSpec servo;
        servo.kind = ActuatorKind::velocity_servo;
        servo.target = target;
        servo.limit = 0.8 * drive.inertia();  // reached after 0.5 s at most 1.75 s
        Simulation simulation = simulate(driven_disc(drive, servo, start), exact_steps(h, 2.0));
        const double rate = servo.limit / drive.inertia();
        const auto nearer = [&](double v, double seconds) {
          return v + std::fmin(std::fmax(target - v, -rate * seconds), rate * seconds);
        };
        double v = start;  // in mid-step
        double x = 0.0;
        int limited = 0;
        double last = 0.0;
        while (simulation.step()) {
          const double kick = 0.5 * (last + h);
          limited += std::fabs(target - v) > rate * kick ? 1 : 0;
          v = nearer(v, kick);
          x += h * v;
          last = h;
          EXPECT_NEAR(speed_of(drive, simulation), nearer(v, 0.5 * h), 1e-12);
          EXPECT_NEAR(coordinate(drive, simulation), x, 1e-12);
          EXPECT_LT(astray(drive, simulation), 1e-12);
        }
        EXPECT_EQ(v, target);
        EXPECT_NEAR(limited, std::fabs(target - start) / (0.8 * h), 1.5);
        EXPECT_EQ(simulation.outcome().status, status_ok);
      }
    }
  }
}

TEST(VelocityServo, WithoutForceItDoesNothing) {
  ActuatorSpec servo;
  servo.kind = ActuatorKind::velocity_servo;
  servo.target = 1.0;
  Simulation simulation = simulate(driven_disc({false, {1.0, 0.0}}, servo, 0.25), exact_steps(0.01, 0.5));
  simulation.run();
  EXPECT_EQ(simulation.velocity(0).vx, 0.25);
}

// A pusher on a rail along x, level with the centre of a block of 2 kg that rubs on the ground with mu = 0.3.
constexpr double block_mass = 2.0;   // [kg]
constexpr double pusher_mass = 0.5;  // [kg]
constexpr double block_drag = 0.3 * block_mass * scenes::standard_gravity;

SceneSpec pushed_block(double gap, double speed, double limit) {
  SceneSpec scene = scenes::block_on_plane(0.3, 0.0);
  BodySpec pusher = scenes::box_body("pusher", 0.1, 0.06, pusher_mass);
  pusher.planar().pose = {-0.25 - gap, 0.05, 0.0};
  pusher.slide_axis = Vec2{1.0, 0.0};
  scene.bodies.push_back(pusher);
  scene.ignored_pairs = {{0, 2}};
  ActuatorSpec servo;
  servo.body = 2;
  servo.kind = ActuatorKind::velocity_servo;
  servo.target = speed;
  servo.limit = limit;
  scene.actuators = {servo};
  return scene;
}

TEST(VelocityServo, DoesNotMoveABlockThatRubsMoreThanItsLimit) {
  Simulation simulation = simulate(pushed_block(0.0, 0.2, block_drag - 0.01), exact_steps(0.005, 1.0));
  simulation.run();
  EXPECT_LT(std::fabs(simulation.pose(1).x), 1e-9);
  EXPECT_LT(std::fabs(simulation.velocity(1).vx), 1e-9);
}

// Both at (F - mu M g) / (m + M) until the target, then at the target with F = mu M g.
TEST(VelocityServo, PushesABlockWithItsLimitAndThenAtItsSpeed) {
  const double h = 0.005;
  const double target = 0.2;
  for (const double limit : {block_drag + 0.01, 8.0, 20.0, 1000.0}) {
    Simulation simulation = simulate(pushed_block(0.0, target, limit), exact_steps(h, 0.5));
    double v = 0.0;
    while (simulation.step()) {
      v = std::fmin(target, simulation.time() * (limit - block_drag) / (pusher_mass + block_mass));
      EXPECT_NEAR(simulation.velocity(1).vx, v, 1e-9) << limit;
      EXPECT_NEAR(simulation.velocity(2).vx, v, 1e-9) << limit;
    }
    EXPECT_EQ(simulation.outcome().status, status_ok) << limit;
  }
}

// Through an impact as well: friction takes k mu M g from a block that slides, the rest of what the momentum changes by
// from the middle of one step to that of the next is the servo's.
TEST(VelocityServo, NeverGivesMoreThanItsLimitThroughAnImpact) {
  const double h = 0.005;
  const double limit = 8.0;
  StepOptions options = exact_steps(h, 0.6);
  options.landing_halvings = 0;
  Simulation simulation = simulate(pushed_block(0.02, 0.3, limit), options);
  double before = 0.0;
  double most = 0.0;
  double kick = 0.5 * h;  // half of a last step that there was not
  int slides = 0;
  while (simulation.step()) {
    const double block = simulation.middle_velocity(1).vx;
    const double after = block_mass * block + pusher_mass * simulation.middle_velocity(2).vx;
    const bool sliding = block > 1e-6;
    const double force = (after - before) / kick + (sliding ? block_drag : 0.0);
    kick = h;
    slides += sliding ? 1 : 0;
    most = std::fmax(most, std::fabs(force));
    before = after;
  }
  EXPECT_GT(slides, 50) << "they must have met";
  EXPECT_NEAR(most, limit, 1e-6);
  EXPECT_NEAR(simulation.velocity(1).vx, 0.3, 1e-9);
}

// F = K (x* - x1 + a h v_) - D (g v + (1 - g) v_) at most the limit, v in mid-step and v_ in that before: m (v - v_) =
// k (F + m g), x1 = x0 + h v; k is half of the last step and half of this one.
struct PdState {
  double x, v;
  double last = 0.0;  // step [s]
};
PdState pd_step(PdState s, const ActuatorSpec& servo, double inertia, double pull, double h) {
  const double kick = 0.5 * (s.last + h);
  const double pulled = s.v + kick * pull;
  const double a = 1.0 / (1.0 + h * (h * servo.stiffness + servo.damping) / inertia);
  const double g = 1.0 - 0.5 * a;
  const double still = servo.stiffness * (servo.target - s.x + a * h * s.v) - servo.damping * (1.0 - g) * s.v;
  const double gain = h * servo.stiffness + g * servo.damping;
  const double v = (inertia * pulled + kick * still) / (inertia + kick * gain);
  const double force = still - gain * v;
  if (std::fabs(force) <= servo.limit) return {s.x + h * v, v, h};
  const double limited = pulled + kick * (force > 0.0 ? servo.limit : -servo.limit) / inertia;
  return {s.x + h * limited, limited, h};
}

// Of what drives the disc: the velocity in mid-step.
double middle_speed_of(const Drive& drive, const Simulation& simulation) {
  const Twist v = simulation.middle_velocity(0);
  return drive.rotary ? v.omega : drive.axis.x * v.vx + drive.axis.y * v.vy;
}

struct Gains {
  double stiffness, damping, limit;
};

ActuatorSpec position_servo(double target, const Gains& gains) {
  ActuatorSpec servo;
  servo.kind = ActuatorKind::position_servo;
  servo.target = target;
  servo.stiffness = gains.stiffness;
  servo.damping = gains.damping;
  servo.limit = gains.limit;
  return servo;
}

// Worst distance from the recurrence over 300 steps: of the coordinate and of the speed.
PdState worst_off(const Drive& drive, const Gains& gains, double h, Vec2 gravity) {
  const ActuatorSpec servo = position_servo(0.35, gains);
  SceneSpec scene = driven_disc(drive, servo, -0.4);
  scene.gravity = gravity;
  const double pull = drive.rotary ? 0.0 : drive.axis.x * gravity.x + drive.axis.y * gravity.y;
  Simulation simulation = simulate(scene, exact_steps(h, 300 * h));
  PdState s{0.0, -0.4};
  PdState worst{0.0, 0.0};
  while (simulation.step()) {
    s = pd_step(s, servo, drive.inertia(), pull, h);
    worst.x = std::fmax(worst.x, std::fabs(coordinate(drive, simulation) - s.x));
    worst.v = std::fmax(worst.v, std::fabs(middle_speed_of(drive, simulation) - s.v));
  }
  EXPECT_EQ(simulation.outcome().steps, 300);
  EXPECT_EQ(simulation.outcome().status, status_ok);
  return worst;
}

TEST(PositionServo, EachStepIsThePdLaw) {
  for (const Drive& drive : every_drive) {
    for (const Gains& gains : {Gains{40.0, 3.0, 1e9}, Gains{40.0, 0.0, 1e9}, Gains{0.0, 3.0, 1e9},
                               Gains{5000.0, 20.0, 1e9}, Gains{0.0, 0.0, 1e9}}) {
      for (const double h : {0.001, 0.005, 0.016}) {
        const PdState worst = worst_off(drive, gains, h, {});
        EXPECT_LT(worst.x, 1e-12) << drive.rotary << " " << gains.stiffness << " " << gains.damping << " " << h;
        EXPECT_LT(worst.v, 1e-12) << drive.rotary << " " << gains.stiffness << " " << gains.damping << " " << h;
      }
    }
  }
}

TEST(PositionServo, StaysWithinItsLimit) {
  for (const Drive& drive : every_drive) {
    for (const double limit : {0.0, 0.01, 0.5, 6.0}) {
      const PdState worst = worst_off(drive, {40.0, 3.0, limit}, 0.005, {});
      EXPECT_LT(worst.x, 1e-12) << drive.rotary << " " << limit;
      EXPECT_LT(worst.v, 1e-12) << drive.rotary << " " << limit;
    }
  }
}

// x'' = K (x* - x) / m - D x' / m: a damped swing, which the servo comes to with the square of the step.
TEST(PositionServo, IsOfSecondOrder) {
  const double stiffness = 40.0, damping = 3.0, seconds = 1.0;
  const double decay = 0.5 * damping / body_mass;
  const double rate = std::sqrt(stiffness / body_mass - decay * decay);
  const double phase = rate * seconds;
  const double exact = 0.35 * (1.0 - std::exp(-decay * seconds) * (std::cos(phase) + decay / rate * std::sin(phase)));
  const Drive drive{false, {1.0, 0.0}};
  for (const double h : {0.02, 0.01, 0.005}) {
    const ActuatorSpec servo = position_servo(0.35, {stiffness, damping, 1e9});
    Simulation simulation = simulate(driven_disc(drive, servo, 0.0), exact_steps(h, seconds));
    simulation.run();
    EXPECT_NEAR(coordinate(drive, simulation), exact, 7.0 * h * h) << h;
  }
}

// Under gravity it sags by m g / K, on the way as the law says.
TEST(PositionServo, CarriesALoad) {
  for (const Drive& drive : every_drive) {
    const PdState worst = worst_off(drive, {200.0, 10.0, 50.0}, 0.005, {0.3, -9.81});
    EXPECT_LT(worst.x, 1e-12);
    EXPECT_LT(worst.v, 1e-12);
  }
  SceneSpec scene = driven_disc({false, {0.0, 1.0}}, position_servo(0.35, {200.0, 30.0, 50.0}), 0.0);
  scene.gravity = {0.0, -9.81};
  Simulation simulation = simulate(scene, exact_steps(0.005, 5.0));
  simulation.run();
  EXPECT_NEAR(simulation.pose(0).y, 0.35 - body_mass * 9.81 / 200.0, 1e-9);
}

// Angles are not wrapped: three turns are three turns.
TEST(PositionServo, TurnsMoreThanOnce) {
  const double goal = 6.0 * 3.14159265358979323846;
  const ActuatorSpec servo = position_servo(goal, {1.0, 0.3, 100.0});
  Simulation simulation = simulate(driven_disc({true, {1.0, 0.0}}, servo, 0.0), exact_steps(0.005, 10.0));
  simulation.run();
  EXPECT_NEAR(simulation.pose(0).theta, goal, 1e-9);
}

// Every solver gives the servo's answer, to the tolerance that it was given.
TEST(PositionServo, IsTheSameWithEverySolver) {
  for (const SolverKind solver : every_solver) {
    const ActuatorSpec servo = position_servo(0.35, {40.0, 3.0, 6.0});
    const Drive drive{false, {0.6, 0.8}};
    StepOptions options = exact_steps(0.005, 0.5);
    options.solver = solver;
    Simulation simulation = simulate(driven_disc(drive, servo, -0.4), options);
    PdState s{0.0, -0.4};
    while (simulation.step()) {
      s = pd_step(s, servo, drive.inertia(), 0.0, 0.005);
      EXPECT_NEAR(coordinate(drive, simulation), s.x, 1e-10) << name_of(solver);
    }
    EXPECT_EQ(simulation.outcome().status, status_ok) << name_of(solver);
  }
}

// kinetic - explained can only fall, and with nothing to rub on it stays: the work of every kind of actuator is booked.
TEST(Actuators, TheirWorkExplainsTheKineticEnergy) {
  for (const Drive& drive : every_drive) {
    for (const ActuatorKind kind : {ActuatorKind::force, ActuatorKind::velocity_servo, ActuatorKind::position_servo}) {
      ActuatorSpec actuator;
      actuator.kind = kind;
      actuator.target = 0.8;
      actuator.limit = 0.05;
      actuator.stiffness = 4.0;
      actuator.damping = 0.1;
      Simulation simulation = simulate(driven_disc(drive, actuator, -0.3), exact_steps(0.01, 3.0));
      const double before = simulation.energy().kinetic;
      double largest = 0.0;
      while (simulation.step()) {
        const EnergyReport now = simulation.energy();
        largest = std::fmax(largest, std::fabs(now.kinetic - before));
        EXPECT_NEAR(now.kinetic - now.explained, before, 1e-12);
      }
      EXPECT_GT(largest, 1e-3) << "it must have done work";
    }
  }
}

}  // namespace
}  // namespace pegrasp::test

// SPDX-License-Identifier: Apache-2.0
// Sources of error on a vibrating plate (Berard's thesis, 5.2 to 5.4): step size and friction pyramids of Stewart and
// Trinkle's step, and pegrasp beside it; and what a tripod's steps cost with a pyramid of 32 directions and without
// (figure 5.12). Prints tables in Markdown.
//
//   pegrasp_plate_study [SECONDS]     6 s of simulated time, as the thesis (5 s of the tripod), or so many
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/studies/plate/plate_motion.hpp"
#include "pegrasp/pegrasp.hpp"
#include "src/reference/step/formulate.hpp"

namespace pegrasp::plate {
namespace {

constexpr double friction = 0.3;
constexpr double mass = 0.001;
constexpr double radius = 0.001;
constexpr double baseline = 5e-5, of_pyramids = 1e-4;

struct Case {
  PlateMotion motion;
  Vector3 start;  // on the plate, in its plane
};

struct Particle {
  Vector3 x, v;
};

// On the plate, with the velocity of the plate's point across it.
Particle begin(const Case& c) {
  const Plate plate(c.motion, false);
  Plate now(c.motion, true);
  now.begin(-1e-9, 1e-9);
  Particle p{c.start, Vector3::Zero()};
  const Vector3 n = plate.normal();
  p.x.z() -= plate.height_of(p.x) / n.z();
  p.v = n.dot(now.velocity_at(p.x)) * n;
  return p;
}

// step(plate, particle, h) -> new velocity
template <class Step>
Vector3 run(const Case& c, bool end_velocity, double h, double duration, const Step& step, bool arrives = false) {
  Plate plate(c.motion, end_velocity, arrives);
  Particle p = begin(c);
  const long steps = std::lround(duration / h);
  for (long k = 0; k < steps; ++k) {
    const double t = static_cast<double>(k) * h;
    plate.begin(t, h);
    p.v = step(plate, p, h);
    p.x += h * p.v;
    plate.end(t, h);
  }
  return p.x;
}

Vector3 exact_cone(const Case& c, bool end_velocity, double h, double duration, bool arrives = false) {
  const auto step = [](const Plate& plate, const Particle& p, double length) {
    bool slides = false;
    return closed_step(plate, p.x, p.v, friction, length, slides);
  };
  return run(c, end_velocity, h, duration, step, arrives);
}

reference::SparseVector sparse(const Vector3& v) {
  reference::SparseVector out(3);
  for (int i = 0; i < 3; ++i) out.insert(i) = v[i];
  return out;
}

// The same step with a pyramid, as a mixed complementarity problem (unit mass). The first direction is the plate's x.
Vector3 pyramid_step(const Plate& plate, const Particle& p, double h, int directions, long& failed) {
  reference::StepProblem step;
  step.h = h;
  step.mass.resize(3, 3);
  step.mass.setIdentity();
  step.velocity = p.v;
  step.external = Vector3(0.0, 0.0, -h * gravity);
  reference::Contact contact;
  const Vector3 n = plate.normal(), at = plate.velocity_at(p.x);
  const Vector3 o = n.cross(Vector3::UnitX()).normalized(), t = o.cross(n);
  contact.normal = sparse(n);
  contact.tangents = {sparse(t), sparse(o)};
  contact.tangent_rate = {-t.dot(at), -o.dot(at)};
  contact.gap = plate.height_of(p.x);
  contact.rate = -n.dot(at);
  contact.mu = friction;
  step.contacts = {contact};
  step.unilateral = {0};
  reference::Formulation formulation;
  formulation.directions = directions;
  const reference::SolvedStep solved = reference::solve_step(step, formulation);
  if (solved.result.status != mcp::Status::solved) ++failed;
  return solved.solution.velocity;
}

Vector3 by_pyramid(const Case& c, bool end_velocity, int directions, double duration, long& failed) {
  return run(c, end_velocity, of_pyramids, duration, [&](const Plate& plate, const Particle& p, double h) {
    return pyramid_step(plate, p, h, directions, failed);
  });
}

// Three points of a rigid body on the plate, its centre of mass above the middle. The body's inertia is that of a ball.
struct Tripod {
  std::array<Vector3, 3> feet;  // from the centre of mass
  double inertia = 0.0;         // of unit mass
  Vector3 x, v = Vector3::Zero(), w = Vector3::Zero();
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
};
constexpr double tripod_radius = 0.01, tripod_height = 0.005;

Tripod tripod_on(const Case& c) {
  Tripod out;
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = 2.0 * std::numbers::pi * static_cast<double>(i) / 3.0;
    out.feet[i] = {tripod_radius * std::cos(a), tripod_radius * std::sin(a), -tripod_height};
  }
  out.inertia = 0.4 * tripod_radius * tripod_radius;
  const Particle p = begin(c);
  out.x = p.x + Vector3(0.0, 0.0, tripod_height);
  out.v = p.v;
  return out;
}

// 12 + 3 d unknowns with d directions: velocities, normal impulses and bounds of slip, and friction.
reference::StepProblem tripod_problem(const Plate& plate, const Tripod& body, double h) {
  reference::StepProblem step;
  step.h = h;
  step.mass.resize(6, 6);
  for (int i = 0; i < 6; ++i) step.mass.insert(i, i) = i < 3 ? 1.0 : body.inertia;
  step.velocity.resize(6);
  step.velocity << body.v, body.w;
  step.external = reference::Vector::Zero(6);
  step.external[2] = -h * gravity;
  const Vector3 n = plate.normal();
  const Vector3 o = n.cross(Vector3::UnitX()).normalized(), t = o.cross(n);
  for (int i = 0; i < 3; ++i) {
    const Vector3 arm = body.turn * body.feet[static_cast<std::size_t>(i)], foot = body.x + arm;
    const auto row = [&](const Vector3& d) {
      reference::SparseVector out(6);
      const Vector3 moment = arm.cross(d);
      for (int k = 0; k < 6; ++k) out.insert(k) = k < 3 ? d[k] : moment[k - 3];
      return out;
    };
    reference::Contact contact;
    contact.normal = row(n);
    contact.tangents = {row(t), row(o)};
    contact.tangent_rate = {-t.dot(plate.velocity_at(foot)), -o.dot(plate.velocity_at(foot))};
    contact.gap = plate.height_of(foot);
    contact.rate = -n.dot(plate.velocity_at(foot));
    contact.mu = friction;
    step.contacts.push_back(std::move(contact));
    step.unilateral.push_back(i);
  }
  return step;
}

// Figure 5.12's run: prints how long the solves of all steps take by one form.
void time_tripod(const Case& c, const char* name, const reference::Formulation& formulation, double duration) {
  constexpr double h = 1e-3;
  Plate plate(c.motion, true);
  Tripod body = tripod_on(c);
  const long steps = std::lround(duration / h);
  long failed = 0, size = 0;
  double seconds = 0.0, longest = 0.0;
  for (long k = 0; k < steps; ++k) {
    const double time = static_cast<double>(k) * h;
    plate.begin(time, h);
    const auto before = std::chrono::steady_clock::now();
    const reference::SolvedStep solved = reference::solve_step(tripod_problem(plate, body, h), formulation);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    seconds += took;
    longest = std::max(longest, took);
    size = static_cast<long>(solved.result.x.size());
    if (solved.result.status == mcp::Status::solved) {
      body.v = solved.solution.velocity.head<3>();
      body.w = solved.solution.velocity.tail<3>();
    } else {
      ++failed;
    }
    body.x += h * body.v;
    body.turn = rotation(h * body.w) * body.turn;
    plate.end(time, h);
  }
  std::printf("| %s | %ld | %ld | %ld | %.2f | %.0f | %.2f | (%.3f, %.3f) |\n", name, size, steps, failed, seconds,
              1e6 * seconds / static_cast<double>(steps), 1e3 * longest, 100.0 * body.x.x(), 100.0 * body.x.y());
  std::fflush(stdout);
}

void tripod_table(double duration) {
  std::printf("\n| friction | unknowns | steps | not solved | all [s] | mean [us] | longest [ms] | ends at [cm] |\n");
  std::printf("|---|---:|---:|---:|---:|---:|---:|---|\n");
  const Case c{circle(), {0.04, 0.0, 0.0}};
  reference::Formulation formulation;
  formulation.directions = 32;
  time_tripod(c, "pyramid, 32 directions", formulation, duration);
  formulation.form = reference::Form::quadratic;
  formulation.directions = 4;  // of the pyramid from whose solution it begins
  time_tripod(c, "quadratic law", formulation, duration);
}

// The scene for pegrasp: a half-space that oscillates and a sphere that does not turn.
SceneSpec scene_of(const Case& c, bool end_velocity) {
  SceneSpec scene;
  scene.name = c.motion.name;
  scene.spatial = true;
  scene.gravity_z = -gravity;
  scene.length_scale = 0.1;
  BodySpec plate;
  plate.name = "plate";
  plate.kind = BodyKind::kinematic;
  plate.friction = friction;
  plate.form = SpatialBody{};
  plate.spatial().parts = {make_half_space("top", {0.0, 0.0, 1.0}, 0.0)};
  plate.oscillation = Oscillation{c.motion.frequency, c.motion.acceleration, c.motion.phase, end_velocity};
  BodySpec particle;
  particle.name = "particle";
  particle.mass = mass;
  particle.friction = friction;
  particle.turns = false;
  particle.form = SpatialBody{};
  particle.spatial().parts = {make_sphere("particle", {}, radius)};
  const Particle p = begin(c);
  const Vector3 centre = p.x + radius * Plate(c.motion, false).normal();
  particle.spatial().pose.position = {centre.x(), centre.y(), centre.z()};
  particle.spatial().velocity.velocity = {p.v.x(), p.v.y(), p.v.z()};
  scene.bodies = {plate, particle};
  return scene;
}

Vector3 by_pegrasp(const Case& c, bool end_velocity, double h, double duration) {
  const SceneSpec scene = scene_of(c, end_velocity);
  StepOptions options;
  options.h = h;
  options.duration = duration;
  Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
  simulation.run();
  const Vec3 x = simulation.spatial_pose(1).position;
  return {x.x, x.y, x.z};
}

double centimetres(const Vector3& a, const Vector3& b) { return 100.0 * (a - b).head<2>().norm(); }

void steps_table(const std::vector<Case>& cases, double duration) {
  const std::vector<double> steps{1e-3, 5e-4, 1e-4};
  std::printf("| motion | plate's velocity | 1 ms | 0.5 ms | 0.1 ms | pegrasp 1 ms | 0.5 ms | 0.1 ms |\n");
  std::printf("|---|---|---:|---:|---:|---:|---:|---:|\n");
  for (const Case& c : cases) {
    for (const bool end : {true, false}) {
      std::printf("| %s | %s |", c.motion.name.c_str(), end ? "end" : "mean");
      const Vector3 best = exact_cone(c, end, baseline, duration);
      for (const double h : steps) std::printf(" %.3f |", centimetres(exact_cone(c, end, h, duration), best));
      const Vector3 own = by_pegrasp(c, end, baseline, duration);
      for (const double h : steps) std::printf(" %.3f |", centimetres(by_pegrasp(c, end, h, duration), own));
      std::printf("\n");
      std::fflush(stdout);
    }
    std::printf("| %s | end, along the normal mean |", c.motion.name.c_str());
    const Vector3 best = exact_cone(c, true, baseline, duration, true);
    for (const double h : steps) std::printf(" %.3f |", centimetres(exact_cone(c, true, h, duration, true), best));
    std::printf(" | | |\n");
    std::fflush(stdout);
  }
}

void pyramids_table(const std::vector<Case>& cases, double duration) {
  std::printf(
      "\n| motion | 4 | 8 | 16 | 32 | 64 directions | steps not solved |\n|---|---:|---:|---:|---:|---:|---:|\n");
  for (const Case& c : cases) {
    std::printf("| %s |", c.motion.name.c_str());
    const Vector3 exact = exact_cone(c, true, of_pyramids, duration);
    long failed = 0;
    for (const int directions : {4, 8, 16, 32, 64}) {
      std::printf(" %.3f |", centimetres(by_pyramid(c, true, directions, duration, failed), exact));
      std::fflush(stdout);
    }
    std::printf(" %ld |\n", failed);
  }
}

}  // namespace
}  // namespace pegrasp::plate

int main(int argc, char** argv) {
  using namespace pegrasp::plate;
  const double duration = argc > 1 ? std::atof(argv[1]) : 6.0;
  const std::vector<Case> cases{{centrifuge(), {0.01, 0.0, 0.0}}, {scaled_circle(), {0.04, 0.0, 0.0}}};
  std::printf("Distance [cm] of the particle's place after %g s from that with steps of 0.05 ms.\n\n", duration);
  steps_table(cases, duration);
  std::printf("\nDistance [cm] of pyramids from the exact cone, steps of 0.1 ms, velocity at the end of the step.\n");
  pyramids_table(cases, duration);
  const double of_tripod = argc > 1 ? duration : 5.0;
  std::printf("\nSolves of %g s of a tripod on the circle's plate, steps of 1 ms.\n", of_tripod);
  tripod_table(of_tripod);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Sources of error on a vibrating plate (Berard's thesis, 5.2 to 5.4): step size and friction pyramids of Stewart and
// Trinkle's step, and pegrasp beside it. Prints tables in Markdown.
//
//   pegrasp_plate_study [SECONDS]     6 s of simulated time, as the thesis, or so many
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
Vector3 run(const Case& c, bool end_velocity, double h, double duration, const Step& step) {
  Plate plate(c.motion, end_velocity);
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

Vector3 exact_cone(const Case& c, bool end_velocity, double h, double duration) {
  return run(c, end_velocity, h, duration, [](const Plate& plate, const Particle& p, double step) {
    bool slides = false;
    return closed_step(plate, p.x, p.v, friction, step, slides);
  });
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
  return 0;
}

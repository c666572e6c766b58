// SPDX-License-Identifier: Apache-2.0
// Scenes of polyhedra stepped as the sources write it: closed forms of flight, rest, sliding and a cube on an edge; the
// geometry of contacts by differences; the sets of Williams' algorithms; and the steps of the reference simulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pegrasp/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "src/reference/workbench/spatial_formulation_run.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/solid_pours.hpp"

namespace pegrasp::reference {
namespace {

using spatial::PlacedSolid;
using spatial::Solid;
using spatial::SolidConstraints;
using spatial::SolidContact;
using spatial::Vector3;

constexpr double g = scenes::standard_gravity;
constexpr double quarter = std::numbers::pi / 4.0;

FormulationChoice peg(Form form = Form::mixed, ContactSets sets = ContactSets::peg_one) {
  FormulationChoice choice;
  choice.formulation.form = form;
  choice.rules.sets = sets;
  return choice;
}

SpatialFormulationRun run_of(const SceneSpec& scene, double h, double duration, const FormulationChoice& choice) {
  return {scene, scene_parameters(scene), derive_options(test::steps_of(h, duration), scene), choice};
}

// A turn by `angle` [rad] about an axis.
Quaternion about(const Vector3& axis, double angle) { return spatial::quaternion(spatial::exponential(angle * axis)); }

// A cube of side 0.2 m over a wide floor.
SceneSpec cube_on_floor(double mu, double height, double speed) {
  SceneSpec scene = scenes::scene_3d("cube_on_floor");
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {2.0, 2.0, 0.1}, {0.0, 0.0, -0.1}, mu));
  BodySpec cube = scenes::solid_body("cube", scenes::cuboid(0.1, 0.1, 0.1), 250.0);
  cube.spatial().pose.position = {0.0, 0.0, 0.1 + height};
  cube.spatial().velocity.velocity = {speed, 0.0, 0.0};
  cube.friction = mu;
  scene.bodies.push_back(cube);
  return scene;
}

// Two cubes of side 0.2 m with an edge up along y, and an edge down along x.
SceneSpec edge_on_edge(double aside) {
  SceneSpec scene = scenes::scene_3d("edge_on_edge");
  scene.bodies.push_back(scenes::fixed_cuboid("below", {0.1, 0.1, 0.1}, {}, 0.0));
  scene.bodies[0].spatial().pose.turn = about(Vector3::UnitY(), quarter);
  BodySpec above = scenes::solid_body("above", scenes::cuboid(0.1, 0.1, 0.1), 250.0);
  above.spatial().pose.turn = about(Vector3::UnitX(), quarter);
  above.spatial().pose.position = {aside, 0.0, 0.2 * std::numbers::sqrt2};
  scene.bodies.push_back(above);
  return scene;
}

TEST(SpatialFormulationRun, FallsAsTheStepsAddUp) {
  SceneSpec scene = cube_on_floor(0.3, 1.0, 0.5);
  scene.bodies[1].spatial().velocity.angular = {0.0, 2.0, 0.0};  // about an axis that gyroscopic forces leave alone
  for (const Form form : {Form::lcp, Form::mixed, Form::quadratic}) {
    SpatialFormulationRun run = run_of(scene, 0.01, 0.2, peg(form));
    while (run.step()) {
      const double n = run.steps();
      EXPECT_NEAR(run.pose(1).position.z, 1.1 - g * 1e-4 * n * (n + 1.0) / 2.0, 1e-12);
      EXPECT_NEAR(run.pose(1).position.x, 0.5 * run.time(), 1e-12);
      EXPECT_NEAR(run.pose(1).turn.y, std::sin(run.time()), 1e-12);
    }
    EXPECT_EQ(run.steps(), 20);
  }
}

// It stops after v^2 / (2 mu g), by mu g h less in every step; at rest it stays.
TEST(SpatialFormulationRun, SlidesToRestByCoulombsLaw) {
  constexpr double mu = 0.3, h = 0.01, speed = 0.3;
  const SceneSpec scene = cube_on_floor(mu, 0.0, speed);
  for (const ContactSets sets :
       {ContactSets::peg_one, ContactSets::peg_several, ContactSets::lnc, ContactSets::standard_all}) {
    for (const Form form : {Form::lcp, Form::mixed, Form::quadratic}) {
      SpatialFormulationRun run = run_of(scene, h, 0.15, peg(form, sets));
      double v = speed, x = 0.0;
      while (run.step()) {
        v = std::max(0.0, v - mu * g * h);
        x += h * v;
        ASSERT_EQ(run.last().status, mcp::Status::solved);
        EXPECT_NEAR(run.velocity(1).velocity.x, v, 1e-8);
        EXPECT_NEAR(run.pose(1).position.x, x, 1e-8);
        EXPECT_NEAR(run.pose(1).position.z, 0.1, 1e-9);
        EXPECT_EQ(run.last().contacts, 4);
      }
      EXPECT_EQ(v, 0.0);
    }
  }
}

// Anitescu and Potra's scheme sees a contact when it overlaps: what falls keeps the depth, at most h v, at which a step
// first found it; also a cube that stands with an edge on an edge.
TEST(SpatialFormulationRun, AnitescuAndPotraHoldWhatFell) {
  constexpr double h = 0.005, fall = 0.1;
  for (const bool on_edge : {false, true}) {
    SceneSpec scene = on_edge ? edge_on_edge(0.0) : cube_on_floor(0.3, fall, 0.0);
    if (on_edge) scene.bodies[1].spatial().pose.position.z += fall;
    const double rest = scene.bodies[1].spatial().pose.position.z - fall;
    for (const ContactSets sets : {ContactSets::peg_one, ContactSets::peg_several, ContactSets::lnc,
                                   ContactSets::standard_all, ContactSets::standard_single}) {
      FormulationChoice choice = peg(Form::mixed, sets);
      choice.formulation.scheme = Scheme::anitescu_potra;
      SpatialFormulationRun run = run_of(scene, h, 0.25, choice);
      double z = rest + fall, v = 0.0;
      while (run.step()) {
        v = z <= rest ? 0.0 : v - g * h;
        z += h * v;
        EXPECT_GE(z, rest - h * std::sqrt(2.0 * g * fall) - g * h * h);
        ASSERT_EQ(run.last().status, mcp::Status::solved);
        ASSERT_NEAR(run.pose(1).position.z, z, 1e-9) << static_cast<int>(sets) << " at " << run.time();
        ASSERT_NEAR(run.velocity(1).velocity.z, v, 1e-8);
      }
      EXPECT_EQ(v, 0.0);
    }
  }
}

// Cubes whose sides are in line: a corner is on the top and on two sides of the cube below, or on one.
TEST(SpatialFormulationRun, AnitescuAndPotraHoldFlushCubes) {
  constexpr double h = 0.005;
  for (const double aside : {0.0, 0.02}) {  // [m] the upper one along x
    SceneSpec scene = cube_on_floor(0.3, 0.0, 0.0);
    BodySpec upper = scene.bodies[1];
    upper.name = "upper";
    upper.spatial().pose.position = {aside, 0.0, 0.3};
    scene.bodies.push_back(upper);
    for (const ContactSets sets : {ContactSets::peg_one, ContactSets::peg_several, ContactSets::lnc,
                                   ContactSets::standard_all, ContactSets::standard_single}) {
      FormulationChoice choice = peg(Form::mixed, sets);
      choice.formulation.scheme = Scheme::anitescu_potra;
      SpatialFormulationRun run = run_of(scene, h, 0.25, choice);
      while (run.step()) ASSERT_EQ(run.last().status, mcp::Status::solved);
      EXPECT_NEAR(run.pose(1).position.z, 0.1, 1.01 * g * h * h) << static_cast<int>(sets) << ", " << aside;
      EXPECT_NEAR(run.pose(2).position.z, 0.3, 2.01 * g * h * h) << static_cast<int>(sets) << ", " << aside;
    }
  }
}

// With N directions a push at an angle to them slides as the polygon of N corners has it: along a direction the full
// mu p_n, and between two of them by the law of maximal dissipation along one of these.
TEST(SpatialFormulationRun, HasAPyramidOfAsManyDirections) {
  constexpr double mu = 0.3, h = 0.01, speed = 0.3;
  for (const int directions : {4, 8, 16}) {
    SceneSpec scene = cube_on_floor(mu, 0.0, 0.0);
    const double angle = std::numbers::pi / directions * 0.8;  // nearer to the first direction than to the second
    scene.bodies[1].spatial().velocity.velocity = {speed * std::cos(angle), speed * std::sin(angle), 0.0};
    FormulationChoice choice = peg();
    choice.formulation.directions = directions;
    SpatialFormulationRun run = run_of(scene, h, 0.05, choice);
    ASSERT_TRUE(run.step());
    EXPECT_NEAR(run.velocity(1).velocity.x, speed * std::cos(angle) - mu * g * h, 1e-9) << directions;
    EXPECT_NEAR(run.velocity(1).velocity.y, speed * std::sin(angle), 1e-9) << directions;
  }
}

// In balance it stays; off it by d, one contact turns it: v_z = w d, m v_z = p - m g h, I w = -p d.
TEST(SpatialFormulationRun, PutsACubeOnACubesEdge) {
  constexpr double h = 0.01, m = 2.0, inertia = m * 0.04 / 6.0;
  for (const double d : {0.0, 0.03}) {
    for (const ContactSets sets :
         {ContactSets::peg_one, ContactSets::peg_several, ContactSets::lnc, ContactSets::standard_all}) {
      SpatialFormulationRun run = run_of(edge_on_edge(d), h, 0.05, peg(Form::mixed, sets));
      ASSERT_TRUE(run.step());
      ASSERT_EQ(run.last().status, mcp::Status::solved);
      EXPECT_EQ(run.last().contacts, 1);
      // The contact is at -d along x from the centre of mass: its speed v_z + w_y d is nought.
      const double p = m * g * h / (1.0 + m * d * d / inertia);
      EXPECT_NEAR(run.velocity(1).velocity.z, p / m - g * h, 1e-12);
      EXPECT_NEAR(run.velocity(1).angular.y, p * d / inertia, 1e-11);
      EXPECT_NEAR(run.velocity(1).angular.x, 0.0, 1e-12);
      EXPECT_NEAR(run.velocity(1).velocity.x, 0.0, 1e-12);
    }
  }
}

struct Placed {
  std::vector<Solid> solid;
  spatial::Placement at;
  PlacedSolid operator()() const { return {solid, 0, at}; }
};
Placed placed(const Polyhedron& shape, const Vector3& position, const spatial::Turn& turn = spatial::Turn::Identity()) {
  return {{spatial::make_solid(shape)}, {position, turn.toRotationMatrix()}};
}
Vector3 random_vector(scenes::Random& random, double most) {
  const double x = random.uniform(-most, most), y = random.uniform(-most, most);
  return {x, y, random.uniform(-most, most)};
}

// d psi / dt = n . (velocity of the point on b - that on a): differences along random motions.
TEST(SolidContacts, GradientsAreExact) {
  scenes::Random random(test::fuzz_seed(12));
  ContactRules rules;
  rules.sets = ContactSets::peg_several;
  int faces = 0, edges = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Polyhedron a = scenes::random_tetrahedron(random), b = scenes::random_tetrahedron(random);
    const Vector3 at = random_vector(random, 0.3), v = random_vector(random, 1.0), w = random_vector(random, 2.0);
    const spatial::Turn turn = spatial::turn(scenes::random_turn(random));
    const Placed fixed = placed(a, Vector3::Zero());
    const auto moved = [&](double t) { return placed(b, at + t * v, spatial::exponential(t * w) * turn); };
    const Placed now = moved(0.0);
    const SolidConstraints found = pair_constraints(fixed(), now(), 0.05, rules);
    for (const SolidContact& c : found.contacts) {
      constexpr double t = 1e-6;
      const Placed later = moved(t), sooner = moved(-t);
      const spatial::SolidContactAt here = place_of(c, fixed(), now());
      const double expected = (place_of(c, fixed(), later()).gap - place_of(c, fixed(), sooner()).gap) / (2.0 * t);
      const double rate = here.normal.dot(v + w.cross(here.on_b - at));
      EXPECT_NEAR(here.gap, here.normal.dot(here.on_b - here.on_a), 1e-14);
      // The nearest points of segments are those of the lines unless an end is the nearest point.
      const Vector3 across = here.on_b - here.on_a;
      if (c.edges && across.cross(here.normal).norm() > 1e-9) continue;
      EXPECT_NEAR(rate, expected, 1e-6);
      (c.edges ? edges : faces) += 1;
    }
  }
  EXPECT_GT(faces, 100);
  EXPECT_GT(edges, 50);
}

// Faces of a cuboid are found by their normals, edges by the point in their middle.
int face_along(const PlacedSolid& p, const Vector3& n) {
  for (int f = 0; f < static_cast<int>(p.solid->faces.size()); ++f) {
    if (p.normals.col(f).dot(n) > 0.999) return f;
  }
  return -1;
}

TEST(SolidContacts, ApplicabilityAndDistancesOfACube) {
  const Placed cube = placed(scenes::cuboid(1.0, 1.0, 1.0), Vector3::Zero());
  const PlacedSolid p = cube();
  const int top = face_along(p, Vector3::UnitZ());
  EXPECT_NEAR(distance_to_face(p, top, {0.5, 0.2, 1.3}), 0.3, 1e-15);
  EXPECT_NEAR(distance_to_face(p, top, {1.3, 0.2, 1.4}), 0.5, 1e-15);
  EXPECT_NEAR(distance_to_face(p, top, {1.2, 1.3, 1.6}), 0.7, 1e-15);
  // A corner at the bottom has three neighbours, two of them level: against a floor APPL is 0, against a ceiling -1.
  const spatial::Support low = p.support({-1.0, -1.0, -1.0});
  EXPECT_NEAR(applicability(p, low.vertex, Vector3::UnitZ()), 0.0, 1e-15);
  EXPECT_NEAR(applicability(p, low.vertex, -Vector3::UnitZ()), -1.0, 1e-15);
  // Stood on that corner, all three rise by 1 / sqrt(3).
  EXPECT_NEAR(applicability(p, low.vertex, Vector3(1.0, 1.0, 1.0).normalized()), 1.0 / std::sqrt(3.0), 1e-15);
}

// A cube over the middle of a face of another, beside its edge, and beside its corner: (4.18), (4.20), (4.21).
TEST(SolidContacts, FormTheSetsOfTheThesis) {
  const Placed below = placed(scenes::cuboid(1.0, 1.0, 1.0), Vector3::Zero());
  ContactRules rules;
  rules.sets = ContactSets::peg_several;
  const auto over = [&](const Vector3& corner) {  // a small cube on its tip, with the tip there
    const spatial::Turn tip = spatial::Turn::FromTwoVectors(Vector3(-1.0, -1.0, -1.0), -Vector3::UnitZ());
    const Vector3 down = tip * Vector3(-0.2, -0.2, -0.2);
    return placed(scenes::cuboid(0.2, 0.2, 0.2), corner - down, tip);
  };
  const Placed at_face = over({0.3, 0.2, 1.01});
  const SolidConstraints face = pair_constraints(below(), at_face(), 0.05, rules);
  EXPECT_EQ(face.contacts.size(), 1u);
  EXPECT_EQ(face.unilateral.size(), 1u);

  const Placed at_edge = over({1.01, 0.2, 1.01});
  const SolidConstraints edge = pair_constraints(below(), at_edge(), 0.05, rules);
  ASSERT_EQ(edge.inter.size(), 1u);
  EXPECT_TRUE(edge.unilateral.empty());
  EXPECT_EQ(edge.inter[0].carriers.size() + edge.inter[0].masks.size(), 2u);
  EXPECT_FALSE(edge.cross.empty());
  for (const CrossContact& x : edge.cross) {
    EXPECT_FALSE(edge.contacts[static_cast<std::size_t>(x.a[0])].edges);
    EXPECT_TRUE(edge.contacts[static_cast<std::size_t>(x.b[0])].edges);
  }

  const Placed at_corner = over({1.01, 1.01, 1.01});
  const SolidConstraints corner = pair_constraints(below(), at_corner(), 0.05, rules);
  ASSERT_EQ(corner.inter.size(), 2u);  // the tip against three faces, and the corner against three of the tip's
  for (const InterContact& set : corner.inter) EXPECT_EQ(set.carriers.size() + set.masks.size(), 3u);

  EXPECT_EQ(count_traps(below(), at_face(), 0.05), 0);
  EXPECT_EQ(count_traps(below(), at_edge(), 0.05), 1);
  EXPECT_GE(count_traps(below(), at_corner(), 0.05), 2);
  rules.sets = ContactSets::standard_all;
  EXPECT_EQ(pair_constraints(below(), at_edge(), 0.05, rules).unilateral.size(), 3u);  // two faces, and an edge
  rules.sets = ContactSets::standard_single;
  EXPECT_EQ(pair_constraints(below(), at_edge(), 0.05, rules).unilateral.size(), 1u);
  rules.sets = ContactSets::lnc;
  EXPECT_EQ(pair_constraints(below(), at_edge(), 0.05, rules).inter.size(), 1u);
}

// The vertex of figure 4.1 beside a corner falls past it; the standard model traps it.
TEST(SpatialFormulationRun, PassesACornerWhereTheStandardModelTraps) {
  SceneSpec scene = scenes::scene_3d("beside_an_edge");
  scene.bodies.push_back(scenes::fixed_cuboid("below", {1.0, 1.0, 1.0}, {}, 0.0));
  BodySpec cube = scenes::solid_body("cube", scenes::cuboid(0.1, 0.1, 0.1), 250.0);
  cube.spatial().pose.turn = about(Vector3::UnitZ(), quarter);
  cube.spatial().pose.position = {1.001 + 0.1 * std::numbers::sqrt2, 0.0, 1.1005};
  cube.spatial().velocity.velocity = {0.0, 0.0, -0.3};
  scene.bodies.push_back(cube);
  const auto falls = [&](ContactSets sets) {
    SpatialFormulationRun run = run_of(scene, 0.01, 0.05, peg(Form::mixed, sets));
    run.step();
    EXPECT_EQ(run.last().status, mcp::Status::solved);
    EXPECT_GE(run.last().traps, 1);
    return run.velocity(1).velocity.z;
  };
  const double free = -0.3 - 0.01 * g;
  EXPECT_NEAR(falls(ContactSets::peg_one), free, 1e-9);
  EXPECT_NEAR(falls(ContactSets::lnc), free, 1e-9);
  EXPECT_GT(falls(ContactSets::standard_all), free + 0.1);
}

// The first step problem of the reference simulator from a state, and what solves it.
struct ReferenceStep {
  StepProblem problem;
  std::vector<double> gaps;              // sorted
  std::vector<SpatialTwist> velocities;  // (bodies)
};
std::vector<double> sorted_gaps(const StepProblem& problem) {
  std::vector<double> gaps;
  for (const Contact& c : problem.contacts) gaps.push_back(c.gap + problem.h * c.rate);  // the constant of its row
  std::sort(gaps.begin(), gaps.end());
  return gaps;
}
ReferenceStep reference_step(const SceneSpec& scene, double h, const SpatialFormulationRun& at) {
  StepOptions options = derive_options(test::steps_of(h, 1e3), scene);
  options.max_passes = 1;
  options.max_substep_level = 0;
  options.load_sharing = options.look_ahead = false;
  ReferenceStep out;
  bool seen = false;
  const auto prepared = std::make_shared<const spatial::SpatialScene>(scene);
  const std::vector<double> parameters = scene_parameters(scene);
  const spatial::SpatialNumbers numbers(*prepared, parameters);
  const StepSolver solver = [&](const StepProblem& step, const StepSolution*) {
    SolvedStep solved = solve_step(step, {});
    if (seen) return solved;
    seen = true;
    out.problem = step;
    out.gaps = sorted_gaps(step);
    // The velocities in coordinates in which the mass is the identity.
    std::vector<char> present(scene.bodies.size(), 1);
    std::vector<spatial::Matrix3> inertia;
    for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
      const spatial::Matrix3 axes = spatial::turn(at.pose(b).turn).toRotationMatrix();
      inertia.push_back(axes * numbers.inertia(b) * axes.transpose());
    }
    const spatial::SpatialCoordinates coordinates(numbers, present, inertia);
    for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
      const spatial::Twist6 v =
          coordinates.moves(b) ? coordinates.read(b, solved.solution.velocity) : spatial::Twist6{};
      out.velocities.push_back({spatial::vec3(v.linear), spatial::vec3(v.angular)});
    }
    return solved;
  };
  spatial::SpatialSimulation simulation(prepared, options, parameters, solver);
  std::vector<SpatialPose> poses;
  std::vector<SpatialTwist> twists;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    poses.push_back(at.pose(b));
    twists.push_back(at.velocity(b));
  }
  // Of the step before it had the same length, so that gravity acts for the whole of one.
  simulation.set_state(1, poses, twists, std::vector<double>(scene.bodies.size(), h), twists);
  simulation.step();
  return out;
}

double difference(const SpatialTwist& x, const SpatialTwist& y) {
  const Vector3 v = spatial::vector3(x.velocity) - spatial::vector3(y.velocity);
  const Vector3 w = spatial::vector3(x.angular) - spatial::vector3(y.angular);
  return std::max(v.norm(), w.norm());
}

// Where the same contacts take part, one step's velocities are those of the reference simulator.
void expect_agreement(const SceneSpec& scene, double h, SpatialFormulationRun& run, int& agreed) {
  const spatial::PolyhedronStep mine = run.next();
  const ReferenceStep theirs = reference_step(scene, h, run);
  const std::vector<double> gaps = sorted_gaps(mine.problem);
  bool same = gaps.size() == theirs.gaps.size() && mine.problem.inter.empty() && mine.problem.cross.empty();
  for (std::size_t i = 0; same && i < gaps.size(); ++i) {
    same = std::abs(gaps[i] - theirs.gaps[i]) < 1e-9 && gaps[i] >= -1e-12;
  }
  ASSERT_TRUE(run.step());
  if (!same || gaps.empty()) return;
  ASSERT_EQ(run.last().status, mcp::Status::solved);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].kind != BodyKind::dynamic) continue;
    EXPECT_LT(difference(run.velocity(static_cast<int>(b)), theirs.velocities[b]), 1e-8) << "body " << b;
  }
  ++agreed;
}

// Tetrahedra that come at a cube: pairs with one facet, a vertex on a face or two edges.
TEST(SpatialFormulationRun, AgreesWithTheReferenceSimulatorOnSingleFacets) {
  scenes::Random random(test::fuzz_seed(13));
  int agreed = 0;
  for (int trial = 0; trial < 150; ++trial) {
    SceneSpec scene = scenes::scene_3d("pair");
    scene.bodies.push_back(scenes::solid_body("cube", scenes::cuboid(0.3, 0.3, 0.3), 100.0));
    scene.bodies.push_back(scenes::solid_body("other", scenes::random_tetrahedron(random), 100.0));
    SpatialPose& pose = scene.bodies[1].spatial().pose;
    pose.turn = scenes::random_turn(random);
    // Let down until it touches.
    pose.position = {random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 1.0};
    const auto gap = [&] {
      const Placed a = placed(scene.bodies[0].spatial().parts[0].shape, Vector3::Zero());
      const Placed b =
          placed(scene.bodies[1].spatial().parts[0].shape, spatial::vector3(pose.position), spatial::turn(pose.turn));
      return best_separation(a(), b()).value();
    };
    for (int k = 0; k < 200 && gap() > 1e-3; ++k) pose.position.z -= 0.99 * gap();
    scene.bodies[0].spatial().velocity.velocity = {0.0, 0.0, 0.5};
    const double vx = random.uniform(-0.3, 0.3);
    scene.bodies[1].spatial().velocity.velocity = {vx, random.uniform(-0.3, 0.3), -1.0};
    SpatialFormulationRun run = run_of(scene, 0.005, 0.05, peg());
    expect_agreement(scene, 0.005, run, agreed);
  }
  EXPECT_GT(agreed, 75);
}

// Three cubes without friction that land on the floor and on each other in one step: corners on faces and edges across
// edges, all together.
TEST(SpatialFormulationRun, StepsASmallPileLikeTheReferenceSimulator) {
  scenes::Random random(test::fuzz_seed(14));
  int agreed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    SceneSpec scene = scenes::scene_3d("pile");
    scene.bodies.push_back(scenes::fixed_cuboid("floor", {3.0, 3.0, 0.1}, {0.0, 0.0, -0.1}, 0.0));
    const auto add = [&](double x, double z) {
      BodySpec cube = scenes::solid_body("cube" + std::to_string(scene.bodies.size()), scenes::cuboid(0.1, 0.1, 0.1),
                                         random.uniform(100.0, 300.0));
      cube.spatial().pose.position = {x, random.uniform(-0.02, 0.02), z};
      cube.spatial().pose.turn = about(Vector3::UnitZ(), random.uniform(-0.4, 0.4));
      cube.spatial().velocity.velocity = {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), -0.5};
      scene.bodies.push_back(cube);
    };
    add(-0.16, 0.101);
    add(0.16, 0.102);
    add(random.uniform(-0.03, 0.03), 0.3035);
    SpatialFormulationRun run = run_of(scene, 0.005, 0.1, peg());
    expect_agreement(scene, 0.005, run, agreed);
  }
  EXPECT_GT(agreed, 15);
}

TEST(SpatialFormulationRun, TakesPrescribedMotionAndBodiesThatDropLater) {
  SceneSpec scene = cube_on_floor(0.5, 0.0, 0.0);
  scene.bodies[0].kind = BodyKind::kinematic;
  scene.bodies[0].spatial().velocity.velocity = {0.2, 0.0, 0.0};
  BodySpec late = scene.bodies[1];
  late.name = "late";
  late.drop_time = 0.02;
  late.spatial().pose.position = {0.5, 0.5, 1.0};
  scene.bodies.push_back(late);
  SpatialFormulationRun run = run_of(scene, 0.01, 0.1, peg());
  double v = 0.0;
  while (run.step()) {
    v = std::min(0.2, v + 0.5 * g * 0.01);
    EXPECT_NEAR(run.velocity(1).velocity.x, v, 1e-9);
    EXPECT_NEAR(run.pose(0).position.x, 0.2 * run.time(), 1e-12);
    EXPECT_EQ(run.present()[2], run.steps() > 2);
  }
  EXPECT_NEAR(run.velocity(2).velocity.z, -g * 0.08, 1e-12);
}

TEST(SpatialFormulationRun, SaysWhatItCannotStep) {
  const auto refused = [](const SceneSpec& scene, const FormulationChoice& choice, const std::string& why) {
    try {
      run_of(scene, 0.01, 0.1, choice);
      ADD_FAILURE() << why;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  };
  SceneSpec scene = cube_on_floor(0.3, 0.0, 0.0);
  FormulationChoice egan = peg();
  egan.formulation.set_rows = SetRows::egan;
  refused(scene, egan, "--sets egan is for planar scenes");
  SceneSpec ball = scene;
  ball.bodies[1].spatial().parts = {make_sphere("ball", {}, 0.1)};
  refused(ball, peg(), "a round part (ball of cube)");
  SceneSpec slow = scene;
  slow.model = MotionModel::quasistatic;
  refused(slow, peg(), "the quasistatic model");
  SceneSpec soft = scene;
  soft.bodies[1].shell = CompliantShell{0.01, 1e4, 0.0, 0.0, 0.0};
  refused(soft, peg(), "compliant shells");
  SceneSpec rolls = scene;
  rolls.friction = {{0, 1, 0.3, 0.01, 0.0}};
  refused(rolls, peg(), "torsional or rolling friction");
}

}  // namespace
}  // namespace pegrasp::reference

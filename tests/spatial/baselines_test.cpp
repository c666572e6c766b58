// SPDX-License-Identifier: Apache-2.0
// Contact models other than `peg` in 3D: what they hold, and what `standard` and `corrective` are there to show. The
// traps are those of Williams' thesis, 4.1 and 5.1: `peg` and `peg-features` pass in the same scenes with the same
// reach of detection.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

// How far detection reaches beyond the motion [m]: wide enough that all that is near counts, at every step.
constexpr double reach = 0.005;

Simulation start(const SceneSpec& scene, ContactModel contact, double h, double duration,
                 SolverKind solver = SolverKind::newton) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.contact = contact;
  options.solver = solver;
  options.detect_distance = reach;
  const std::vector<double> parameters = scene_parameters(scene);
  return Simulation(compile_model(scene), derive_options(options, scene), parameters);
}

constexpr ContactModel exact_models[] = {ContactModel::peg, ContactModel::peg_features};
constexpr ContactModel one_pass_models[] = {ContactModel::standard, ContactModel::peg_features};

constexpr double half = 0.1;  // of the cube [m]

SceneSpec cube_on(std::vector<BodySpec> fixed, Vec3 at) {
  SceneSpec scene = scenes::scene_3d("cube");
  scene.bodies = std::move(fixed);
  BodySpec cube = scenes::solid_body("cube", scenes::cuboid(half, half, half), 1000.0);
  cube.spatial().pose.position = at;
  scene.bodies.push_back(cube);
  return scene;
}

BodySpec table(const std::string& name, double x) {
  return scenes::fixed_cuboid(name, {0.5, 0.5, 0.25}, {x, 0.0, -0.25}, 0.0);
}

void expect_rest(const SceneSpec& scene, double h, double z) {
  for (const ContactModel contact : one_pass_models) {
    for (const SolverKind solver : {SolverKind::newton, SolverKind::aj}) {
      SCOPED_TRACE(testing::Message() << "h " << h << " model " << static_cast<int>(contact) << " solver "
                                      << static_cast<int>(solver));
      Simulation simulation = start(scene, contact, h, 0.5, solver);
      while (simulation.step()) EXPECT_EQ(simulation.contact_count(), 4);
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_NEAR(simulation.spatial_pose(1).position.z, z, 1e-6);
    }
  }
}

TEST(ContactModelsIn3D, ABoxRestsOnFourContacts) {
  for (const double h : {0.001, 0.01}) expect_rest(cube_on({table("table", 0.0)}, {0.0, 0.0, half}), h, half);
}

// Of two beams that cross no vertex lies on a face: four pairs of edges carry, which are at the border of classical
// applicability.
TEST(ContactModelsIn3D, ABeamRestsAcrossAnotherOnFourPairsOfEdges) {
  SceneSpec scene = scenes::scene_3d("beams");
  BodySpec beam = scenes::solid_body("beam", scenes::cuboid(0.05, 0.5, 0.05), 1000.0);
  beam.spatial().pose.position = {0.0, 0.0, 0.05};
  scene.bodies = {scenes::fixed_cuboid("below", {0.5, 0.05, 0.05}, {0.0, 0.0, -0.05}, 0.0), beam};
  expect_rest(scene, 0.01, 0.05);
}

TEST(ContactModelsIn3D, ABoxOnItsEdgeFallsToItsSide) {
  SceneSpec scene = cube_on({table("table", 0.0)}, {0.0, 0.0, 0.15});
  const double angle = 0.7;  // [rad] about y, from flat; it stands at 0.785
  scene.bodies[1].spatial().pose.turn = {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
  for (const ContactModel contact : one_pass_models) {
    Simulation simulation = start(scene, contact, 0.005, 2.0);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, half, 1e-5);
  }
}

TEST(StandardIn3D, RoundPartsRest) {
  const auto floor = [] {
    BodySpec body;
    body.form = SpatialBody{};
    body.name = "floor";
    body.kind = BodyKind::fixed;
    body.spatial().parts = {make_half_space("floor", {0.0, 0.0, 1.0}, 0.0)};
    return body;
  };
  const auto ball = [](const SolidPart& part, double z) {
    BodySpec body;
    body.form = SpatialBody{};
    body.name = "ball";
    body.mass = 1.0;
    body.spatial().inertia = {0.01, 0.01, 0.01, 0.0, 0.0, 0.0};
    body.spatial().parts = {part};
    body.spatial().pose.position.z = z;
    return body;
  };
  const SolidPart sphere = make_sphere("sphere", {}, 0.1);
  const SolidPart capsule = make_capsule("capsule", {-0.3, 0.0, 0.0}, {0.3, 0.0, 0.0}, 0.1);
  const BodySpec bar = scenes::fixed_cuboid("bar", {0.2, 0.5, 0.25}, {0.0, 0.0, -0.25}, 0.0);
  BodySpec log = ball(capsule, -0.1);
  log.kind = BodyKind::fixed;
  struct Case {
    const char* name;
    BodySpec below, above;
  };
  for (const Case& c :
       {Case{"sphere on half-space", floor(), ball(sphere, 0.1)},
        Case{"capsule on half-space", floor(), ball(capsule, 0.1)},
        Case{"sphere on box", table("box", 0.0), ball(sphere, 0.1)},
        Case{"capsule within a face", table("box", 0.0), ball(capsule, 0.1)},
        Case{"capsule across a box", bar, ball(capsule, 0.1)}, Case{"capsule along a capsule", log, ball(capsule, 0.1)},
        Case{"box on half-space", floor(), scenes::solid_body("cube", scenes::cuboid(0.1, 0.1, 0.1), 1000.0)}}) {
    SCOPED_TRACE(c.name);
    SceneSpec scene = scenes::scene_3d("round");
    scene.bodies = {c.below, c.above};
    scene.bodies[1].spatial().pose.position.z = 0.1;
    Simulation simulation = start(scene, ContactModel::standard, 0.01, 0.5);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.1, 1e-6);
  }
}

// Figure 5.3: vertices near the top and the side of a block. They are behind the side's plane, and pushed out from
// there.
TEST(StandardTrapIn3D, PushesACubeOffThatLiesAtAnEdge) {
  constexpr double inside = 0.004;  // [m] from the cube's vertices to the side
  const SceneSpec scene = cube_on({table("table", 0.0)}, {0.5 - half - inside, 0.0, half});
  for (const double h : {0.004, 0.01}) {
    SCOPED_TRACE(h);
    for (const ContactModel contact : exact_models) {
      Simulation exact = start(scene, contact, h, 0.1);
      exact.run();
      EXPECT_NEAR(exact.spatial_velocity(1).velocity.x, 0.0, 1e-6);
      EXPECT_NEAR(exact.spatial_pose(1).position.z, half, 1e-6);
    }
    Simulation standard = start(scene, ContactModel::standard, h, 0.1);
    ASSERT_TRUE(standard.step());
    const SpatialTwist to = standard.spatial_velocity(1);
    EXPECT_NEAR(to.velocity.x - half * to.angular.y, inside / h, 1e-6)
        << "its vertices are to be outside by the end of the step";
    EXPECT_GT(to.velocity.x, 0.5 * inside / h);
    EXPECT_EQ(standard.outcome().status, status_ok);
  }
}

// The same with the vertices beyond the side's plane: they cannot come back.
TEST(StandardTrapIn3D, StopsACubeThatSlidesBackOverAnEdge) {
  SceneSpec scene = cube_on({table("table", 0.0)}, {0.5 - half + 0.002, 0.0, half});
  scene.bodies[1].spatial().velocity.velocity.x = -0.2;
  for (const double h : {0.004, 0.01}) {
    SCOPED_TRACE(h);
    for (const ContactModel contact : exact_models) {
      Simulation exact = start(scene, contact, h, 0.2);
      exact.run();
      EXPECT_NEAR(exact.spatial_velocity(1).velocity.x, -0.2, 1e-6);
      EXPECT_NEAR(exact.spatial_pose(1).position.z, half, 1e-6);
    }
    Simulation standard = start(scene, ContactModel::standard, h, 0.2);
    while (standard.step())
      EXPECT_GT(standard.spatial_pose(1).position.x, 0.5 - half - 0.001) << "it trips at the edge";
    EXPECT_GT(standard.spatial_velocity(1).velocity.x, -1e-6);
  }
}

// A slot 4 mm wider than the cube.
TEST(StandardTrapIn3D, HoldsACubeInTheAirOverASlot) {
  const double side = 0.5 + half + 0.002;
  const SceneSpec scene = cube_on({table("left", -side), table("right", side)}, {0.0, 0.0, half + 0.002});
  for (const double h : {0.001, 0.004, 0.01}) {
    SCOPED_TRACE(h);
    for (const ContactModel contact : exact_models) {
      Simulation exact = start(scene, contact, h, 0.2);
      exact.run();
      EXPECT_LT(exact.spatial_pose(2).position.z, half + 0.002 - 0.5 * 9.8 * 0.2 * 0.2)
          << "a free fall, model " << static_cast<int>(contact);
    }
    Simulation standard = start(scene, ContactModel::standard, h, 1.0);
    standard.run();
    EXPECT_NEAR(standard.spatial_pose(2).position.z, half, 1e-6) << "level with the edges, on nothing";
    EXPECT_EQ(standard.outcome().status, status_ok);
  }
}

TEST(StandardTrapIn3D, ThrowsASphereBackOutOfASlot) {
  const double side = 0.5 + half + 0.002;
  SceneSpec scene = cube_on({table("left", -side), table("right", side)}, {0.0, 0.0, half});
  scene.bodies[2].spatial().parts = {make_sphere("ball", {}, half)};
  Simulation peg = start(scene, ContactModel::peg, 0.01, 0.3);
  peg.run();
  EXPECT_LT(peg.spatial_pose(2).position.z, half - 0.5 * 9.8 * 0.3 * 0.3);
  Simulation standard = start(scene, ContactModel::standard, 0.01, 0.3);
  double fastest = 0.0;
  while (standard.step()) fastest = std::max(fastest, standard.spatial_velocity(2).velocity.z);
  EXPECT_GT(fastest, 1.0) << "out of the tops' planes, in which its centre never was";
  EXPECT_GT(standard.spatial_pose(2).position.z, 0.0);
}

// Figure 5.4: a tetrahedron aligned on its inverted twin.
SceneSpec tetrahedra(Vec3 gravity) {
  const double side = std::sqrt(3.0) / 2.0, height = std::sqrt(2.0);
  const auto pyramid = [&](double up) {
    return make_polyhedron({{1.0, 0.0, 0.0}, {-0.5, side, 0.0}, {-0.5, -side, 0.0}, {0.0, 0.0, up * height}});
  };
  SceneSpec scene = scenes::scene_3d("tetrahedra");
  scene.gravity = {gravity.x, gravity.y};
  scene.gravity_z = gravity.z;
  BodySpec below = scenes::solid_body("below", pyramid(-1.0), 100.0);
  below.spatial().pose.position.z = -0.25 * height;
  below.kind = BodyKind::fixed;
  BodySpec above = scenes::solid_body("above", pyramid(1.0), 100.0);
  above.spatial().pose.position.z = 0.25 * height;
  scene.bodies = {below, above};
  return scene;
}

TEST(StandardTrapIn3D, FusesATetrahedronWithItsTwin) {
  constexpr double duration = 0.2;
  for (const Vec3 gravity : {Vec3{0.0, 0.0, -9.81}, Vec3{2.0, 0.0, -9.81}, Vec3{-1.0, 2.0, -9.81}, Vec3{0.0, 0.0, 9.81},
                             Vec3{3.0, 0.0, 1.0}}) {
    for (const double h : {0.001, 0.01}) {
      SCOPED_TRACE(testing::Message() << gravity.x << ' ' << gravity.y << ' ' << gravity.z << " h " << h);
      const SceneSpec scene = tetrahedra(gravity);
      const Vec3 at = scene.bodies[1].spatial().pose.position;
      const double way = 0.5 * duration * duration;  // in units of the acceleration
      for (const ContactModel contact : exact_models) {
        SCOPED_TRACE(static_cast<int>(contact));
        Simulation exact = start(scene, contact, h, duration);
        exact.run();
        const Vec3 to = exact.spatial_pose(1).position;
        EXPECT_NEAR(to.x - at.x, way * gravity.x, 1e-5);
        EXPECT_NEAR(to.y - at.y, way * gravity.y, 1e-5);
        EXPECT_NEAR(to.z - at.z, way * std::max(0.0, gravity.z), 1e-5);
      }
      Simulation standard = start(scene, ContactModel::standard, h, duration);
      standard.run();
      const Vec3 stuck = standard.spatial_pose(1).position;
      EXPECT_LT(std::hypot(stuck.x - at.x, stuck.y - at.y, stuck.z - at.z), 1e-5)
          << "pushed sideways, or pulled off: it stays";
      EXPECT_EQ(standard.outcome().status, status_ok);
    }
  }
}

TEST(ContactModelsIn3D, ABoxSlidesOverAnInternalEdge) {
  SceneSpec scene = cube_on({table("floor", 0.0)}, {-0.3, 0.0, half});
  const SolidPart whole = scene.bodies[0].spatial().parts[0];
  scene.bodies[0].spatial().parts.clear();
  for (const double side : {-1.0, 1.0}) {
    SolidPart part = whole;
    part.name = side < 0.0 ? "left" : "right";
    part.shape = moved(scenes::cuboid(0.5, 0.5, 0.25), {{0.5 * side, 0.0, 0.0}, {}});
    scene.bodies[0].spatial().parts.push_back(part);
  }
  scene.bodies[1].spatial().velocity.velocity.x = 1.0;
  for (const ContactModel contact : one_pass_models) {
    for (const double h : {0.001, 0.01}) {
      SCOPED_TRACE(testing::Message() << "model " << static_cast<int>(contact) << " h " << h);
      Simulation simulation = start(scene, contact, h, 0.6);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_NEAR(simulation.spatial_velocity(1).velocity.x, 1.0, 1e-6);
      EXPECT_NEAR(simulation.spatial_pose(1).position.z, half, 1e-6);
    }
  }
}

// More contacts than the capacity holds: counted, and run again. Two prisms of 16 sides, one on the other.
TEST(ContactModelsIn3D, RoomIsMadeForManyContacts) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 32; ++k) {
    const double angle = 6.283185307179586 * (k / 2) / 16.0;
    corners.push_back({0.2 * std::cos(angle), 0.2 * std::sin(angle), k % 2 ? 0.1 : -0.1});
  }
  SceneSpec scene = scenes::scene_3d("prisms");
  scene.bodies = {scenes::solid_body("below", make_polyhedron(corners), 100.0),
                  scenes::solid_body("above", make_polyhedron(corners), 100.0)};
  scene.bodies[0].kind = BodyKind::fixed;
  scene.bodies[1].spatial().pose.position.z = 0.2;
  for (const ContactModel contact : one_pass_models) {
    StepOptions options;
    options.h = 0.01;
    options.duration = 0.1;
    options.contact = contact;
    options = derive_options(options, scene);
    const auto model = compile_model(scene);
    Simulation simulation(model, options, scene_parameters(scene));
    simulation.run();
    EXPECT_GT(simulation.outcome().contacts_demand, capacity(*model, options).contact_capacity);
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.2, 1e-6);
  }
}

// Rotation within the one pass overlaps (thesis, 5.3), by a twentieth of what the corrective model does. With friction
// it may fail: one body then goes through another.
TEST(ContactModelsIn3D, PegFeaturesPoursPolyhedra) {
  for (const double friction : {0.0}) {
    const SceneSpec scene = scenes::polyhedron_box(1, friction, 4);
    StepOptions options;
    options.h = 0.004;
    options.duration = 3.0;
    double depth[2];
    for (int k = 0; k < 2; ++k) {
      options.contact = k == 0 ? ContactModel::peg_features : ContactModel::corrective;
      Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
      simulation.run();
      depth[k] = simulation.outcome().penetration_max;
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
    EXPECT_LT(depth[0], 1e-3) << friction;
    EXPECT_GT(depth[1], 20.0 * depth[0]) << friction;
  }
}

// It bounces: overlap that a step leaves is undone in the next one, at depth / h. One contact at a corner turns the
// opposite corner in.
TEST(CorrectiveIn3D, OverlapsByAStepAndBounces) {
  constexpr double h = 0.001, fall = 0.05;
  Simulation simulation =
      start(cube_on({table("table", 0.0)}, {0.0, 0.0, half + fall}), ContactModel::corrective, h, 1.0);
  const double impact = std::sqrt(2.0 * 9.81 * fall) + 9.81 * h;
  double deepest = 0.0, fastest = 0.0;
  while (simulation.step()) {
    deepest = std::max(deepest, simulation.last_penetration());
    fastest = std::max(fastest, simulation.spatial_velocity(1).velocity.z);
    EXPECT_LE(simulation.contact_count(), 1);
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_GT(deepest, 0.0);
  EXPECT_LT(deepest, 3.0 * impact * h);
  EXPECT_GT(fastest, 0.5 * impact) << "it bounces";
  Simulation peg = start(cube_on({table("table", 0.0)}, {0.0, 0.0, half + fall}), ContactModel::peg, h, 1.0);
  while (peg.step()) EXPECT_LT(peg.spatial_velocity(1).velocity.z, 1e-6);
}

// One contact cannot hold a beam's two ends: edges, faces and round parts all have one.
TEST(CorrectiveIn3D, HasOneContactAPair) {
  const SolidPart capsule = make_capsule("capsule", {-0.3, 0.0, 0.0}, {0.3, 0.0, 0.0}, 0.1);
  SceneSpec scene = cube_on({table("table", 0.0)}, {0.0, 0.0, half + 0.01});
  scene.bodies[1].spatial().parts = {capsule};
  Simulation simulation = start(scene, ContactModel::corrective, 0.001, 0.5);
  while (simulation.step()) EXPECT_LE(simulation.contact_count(), 1);
  EXPECT_GT(simulation.outcome().contacts_max, 0);
  EXPECT_GT(simulation.spatial_pose(1).position.z, 0.5 * half);
}

TEST(ContactModelsIn3D, PegFeaturesRefusesRoundParts) {
  SceneSpec scene = cube_on({table("table", 0.0)}, {0.0, 0.0, half});
  scene.bodies[1].spatial().parts = {make_sphere("ball", {}, half)};
  try {
    start(scene, ContactModel::peg_features, 0.01, 0.1);
    FAIL() << "it is of polyhedra";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "contact model peg-features has no spheres and capsules; choose peg, standard or corrective");
  }
}

}  // namespace
}  // namespace pegrasp

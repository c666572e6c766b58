// SPDX-License-Identifier: Apache-2.0
// Light links under heavy loads in the reference simulator, by itself and beside the product.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/reference/planar/simulation.hpp"
#include "tests/joint/coupling_scenes.hpp"
#include "tests/joint/light_chain.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/reference/spatial/cases.hpp"
#include "tests/runs.hpp"

namespace pegrasp::reference {
namespace {

constexpr double h = 0.005;

// How far apart any body comes to be [m]. halves: steps may be halved.
template <class Exact, class Place>
double farthest_apart(Exact& exact, const SceneSpec& scene, double duration, const Place& place, bool halves = false) {
  Simulation product = test::simulate(scene, test::steps_of(h, duration));
  double apart = 0.0;
  while (exact.step() && product.step()) {
    for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
      apart = std::max(apart, place(exact, product, body));
    }
  }
  EXPECT_EQ(exact.outcome().status, status_ok);
  EXPECT_EQ(product.outcome().status, status_ok);
  if (!halves) {
    EXPECT_EQ(exact.outcome().substeps_rejected, 0);
  }
  return apart;
}

// Beside the chain two pendulums that are geared.
SceneSpec with_coupled_pendulums(SceneSpec scene) {
  const SceneSpec pendulums = test::GearedPendulums::scene(scene.spatial);
  scene.length_scale = length_scale(scene);  // tolerances stay those of the chain
  const int before = static_cast<int>(scene.bodies.size());
  const int joints = static_cast<int>(scene.joints.size());
  for (BodySpec body : pendulums.bodies) {
    if (scene.spatial) {
      body.spatial().pose.position.x += 5.0;
    } else {
      body.planar().pose.x += 5.0;
    }
    scene.bodies.push_back(body);
  }
  for (JointSpec joint : pendulums.joints) {
    joint.body_b += before;
    if (scene.spatial) {
      joint.spatial().a.position.x += 5.0;
    } else {
      joint.planar().a.x += 5.0;
    }
    scene.joints.push_back(joint);
  }
  for (CouplingSpec coupling : pendulums.couplings) {
    coupling.joint += joints;
    coupling.of_joint += joints;
    scene.couplings.push_back(coupling);
  }
  return scene;
}

// One step as the other: what holds the links is the same in both.
TEST(ReferenceLightChain, SwingsAsInTheProductIn2D) {
  const SceneSpec scene = with_coupled_pendulums(test::light_chain(false, 5, 0.01, 10.0, 0.5));
  const double duration = 0.3;
  PlanarSimulation exact(scene, derive_options(test::steps_of(h, duration), scene), scene_parameters(scene));
  EXPECT_LT(farthest_apart(exact, scene, duration,
                           [](const auto& a, const auto& b, int body) {
                             return std::hypot(a.pose(body).x - b.pose(body).x, a.pose(body).y - b.pose(body).y);
                           }),
            3e-5);
}

TEST(ReferenceLightChain, SwingsAsInTheProductIn3D) {
  const SceneSpec scene = with_coupled_pendulums(test::light_chain(true, 5, 0.01, 10.0, 0.5));
  const double duration = 0.3;
  spatial::SpatialSimulation exact = spatial::simulated(scene, h, duration);
  EXPECT_LT(farthest_apart(exact, scene, duration,
                           [](const auto& a, const auto& b, int body) {
                             const Vec3 p = a.pose(body).position, q = b.spatial_pose(body).position;
                             return std::hypot(p.x - q.x, p.y - q.y, p.z - q.z);
                           }),
            1e-6);
}

TEST(ReferenceSpinningRod, GoesRoundAsInTheProduct) {
  const double duration = 0.2, turn = 1.2;
  const SceneSpec plane = test::spinning_rod(false, turn / h);
  PlanarSimulation exact(plane, derive_options(test::steps_of(h, duration), plane), scene_parameters(plane));
  EXPECT_LT(farthest_apart(
                exact, plane, duration,
                [](const auto& a, const auto& b, int body) {
                  return std::hypot(a.pose(body).x - b.pose(body).x, a.pose(body).y - b.pose(body).y);
                },
                true),
            1e-5);
  const SceneSpec space = test::spinning_rod(true, turn / h);
  spatial::SpatialSimulation solid = spatial::simulated(space, h, duration);
  EXPECT_LT(farthest_apart(
                solid, space, duration,
                [](const auto& a, const auto& b, int body) {
                  const Vec3 p = a.pose(body).position, q = b.spatial_pose(body).position;
                  return std::hypot(p.x - q.x, p.y - q.y, p.z - q.z);
                },
                true),
            1e-5);
}

}  // namespace
}  // namespace pegrasp::reference

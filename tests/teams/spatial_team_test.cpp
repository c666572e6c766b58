// SPDX-License-Identifier: Apache-2.0
// In space too a scene's result does not depend on the team that runs it: a scene with hulls, a union, round parts, a half-space, a joint and
// its motor, with any number of ranks in any order within a phase. The kernels are those of this dimension (PEGRASP_SPATIAL).
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "launch/scene_worker.hpp"
#include "model/model.hpp"
#include "pegrasp/simulation.hpp"
#include "run_scene.hpp"
#include "scenes/heaps.hpp"
#include "scenes/mixed_space.hpp"
#include "teams/fiber_team.hpp"

namespace pegrasp::test {
namespace {

struct SpatialResult {
  SceneOutcome outcome;
  std::vector<double> poses;  // (bodies, 7)
  bool operator==(const SpatialResult& other) const {
    return std::memcmp(&outcome, &other.outcome, sizeof outcome) == 0 && poses.size() == other.poses.size() &&
           std::memcmp(poses.data(), other.poses.data(), sizeof(double) * poses.size()) == 0;
  }
};

struct SpatialCase {
  std::shared_ptr<const Model> model;
  StepOptions options;
  std::vector<double> parameters;
  int body_count;

  // Room for any scene of the model.
  Capacity ample() const {
    const Capacity first = first_capacity(*model, options);
    return grown(first, 8 * first.contacts);
  }
};

SpatialCase spatial_case(const SceneSpec& scene, double h, double duration, SolverKind solver) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  options.solver = solver;
  options = derive_options(options, scene);
  options.max_iterations = 40;  // cut off early: what matters is the order of work, not its end
  return {compile_model(scene), options, scene_parameters(scene), static_cast<int>(scene.bodies.size())};
}

SpatialResult empty_result(const SpatialCase& c) {
  SpatialResult result{};
  result.poses.assign(static_cast<std::size_t>(spatial::pose_size * c.body_count), 0.0);
  return result;
}

SpatialResult by_spatial_worker(const SpatialCase& c) {
  SpatialResult result = empty_result(c);
  make_spatial_worker(c.model->view(), c.options, c.ample())
      ->run(c.parameters.data(), &result.outcome, result.poses.data());
  return result;
}

// In a workspace full of NaN.
SpatialResult by_spatial_fibers(const SpatialCase& c, int ranks, RankOrder order) {
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  const ModelView view = c.model->view();
  spatial::SceneView scene{};
  std::vector<Chunk> arena(spatial::bind_scene(scene, view, c.ample(), nullptr) / sizeof(Chunk) + 1);
  std::memset(static_cast<void*>(arena.data()), 0xff, arena.size() * sizeof(Chunk));
  spatial::bind_scene(scene, view, c.ample(), reinterpret_cast<unsigned char*>(arena.data()));
  scene.parameters = c.parameters.data();
  SpatialResult result = empty_result(c);
  FiberCrew crew(ranks, order, static_cast<std::uint64_t>(ranks) + 77u);
  EXPECT_TRUE(crew.run([&](FiberTeam& team) {
    spatial::SceneView own = scene;
    spatial::run_scene(team, own, c.options, {&result.outcome, result.poses.data()});
  })) << "ranks take different ways";
  return result;
}

TEST(SpatialTeam, AnyNumberAndOrderOfRanks) {
  PEGRASP_NEEDS_FIBERS();
  for (const SolverKind solver : {SolverKind::newton, SolverKind::aj, SolverKind::pgs}) {
    const bool all = solver == SolverKind::newton;
    const SpatialCase c = spatial_case(scenes::mixed_space(1), 0.008, all ? 0.4 : 0.16, solver);
    const SpatialResult expected = by_spatial_worker(c);
    EXPECT_GT(expected.outcome.contacts_max, 0);
    for (const int ranks : {1, 2, 8, 32}) {
      if (!all && ranks != 8) continue;
      for (const RankOrder order : {RankOrder::forward, RankOrder::reverse, RankOrder::shuffled}) {
        EXPECT_TRUE(by_spatial_fibers(c, ranks, order) == expected)
            << "solver " << static_cast<int>(solver) << ", " << ranks << " ranks, order " << static_cast<int>(order);
      }
    }
  }
}

// Fast and thin, so that steps are rejected and poses on the way are looked at.
TEST(SpatialTeam, StepsThatAreHalved) {
  PEGRASP_NEEDS_FIBERS();
  SceneSpec scene = scenes::mixed_space(2);
  for (BodySpec& body : scene.bodies) {
    if (body.kind == BodyKind::dynamic) body.space.velocity.velocity.z *= 15.0;
  }
  const SpatialCase c = spatial_case(scene, 0.016, 0.128, SolverKind::newton);
  const SpatialResult expected = by_spatial_worker(c);
  EXPECT_GT(expected.outcome.substeps_rejected, 0);
  for (const int ranks : {3, 8}) {
    for (const RankOrder order : {RankOrder::reverse, RankOrder::shuffled}) {
      EXPECT_TRUE(by_spatial_fibers(c, ranks, order) == expected) << ranks << " ranks";
    }
  }
}

// Islands that are halved, that end in flight, that become one.
TEST(SpatialTeam, Islands) {
  PEGRASP_NEEDS_FIBERS();
  for (const SceneSpec& scene : {scenes::two_heaps(), scenes::row_of_cubes()}) {
    SCOPED_TRACE(scene.name);
    SpatialCase c = spatial_case(scene, 0.016, 0.08, SolverKind::newton);
    c.options.even_loads = true;
    const SpatialResult expected = by_spatial_worker(c);
    EXPECT_GT(expected.outcome.contacts_max, 0);
    for (const int ranks : {1, 3, 8}) {
      for (const RankOrder order : {RankOrder::forward, RankOrder::reverse, RankOrder::shuffled}) {
        EXPECT_TRUE(by_spatial_fibers(c, ranks, order) == expected) << ranks << " ranks";
      }
    }
  }
}

}  // namespace
}  // namespace pegrasp::test

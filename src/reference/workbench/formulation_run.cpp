// SPDX-License-Identifier: Apache-2.0
#include "src/reference/workbench/formulation_run.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "src/reference/io/step_source.hpp"
#include "src/reference/mcp/stop.hpp"
#include "src/reference/mcp/thread_time.hpp"
#include "src/reference/planar/motion.hpp"

namespace pegrasp::reference {
namespace {

void require_steppable(const SceneSpec& scene) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument("formulations of the sources are for planar scenes of polygons, and this one has " +
                                what + "; leave --formulation out");
  };
  if (scene.spatial) refuse("bodies in 3D");
  if (scene.model == MotionModel::quasistatic) refuse("the quasistatic model");
  if (!scene.joints.empty()) refuse("joints");
  for (const BodySpec& body : scene.bodies) {
    if (body.oscillation) refuse("a body that oscillates (" + body.name + ")");
  }
}

}  // namespace

FormulationRun::FormulationRun(const SceneSpec& scene, std::span<const double> parameters, const StepOptions& options,
                               FormulationChoice choice)
    : spec_((require_steppable(scene), with_parameters(scene, parameters))),
      scene_(std::make_shared<const PlanarScene>(scene)),
      parameters_(parameters.begin(), parameters.end()),
      numbers_(*scene_, parameters_),
      options_(options),
      choice_(std::move(choice)) {
  polygons_.rules = choice_.rules;
  polygons_.detect_distance = options.detect_distance;
  for (int body = 0; body < scene_->body_count(); ++body) {
    poses_.push_back(pose_of(numbers_.pose(body)));
    twists_.push_back(twist_of(numbers_.velocity(body)));
  }
  // What the step cannot be written for is found now, with all bodies, before anything is stepped.
  polygon_step(spec_, poses_, twists_, options_.h, polygons_);
  polygons_.present.assign(spec_.bodies.size(), false);
}

void FormulationRun::set_state(double time, std::span<const Pose> poses, std::span<const Twist> velocities) {
  begin_ = time;
  first_ = steps_;
  poses_.assign(poses.begin(), poses.end());
  twists_.assign(velocities.begin(), velocities.end());
}

// Bodies that drop later are not there before; kinematic ones have the velocity that leads to their next pose.
void FormulationRun::appear_and_follow() {
  for (int body = 0; body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    polygons_.present[b] = numbers_.drop_time(body) <= time() + 1e-9 * options_.h;
    if (spec_.bodies[b].kind != BodyKind::kinematic) continue;
    twists_[b] =
        twist_of(prescribed_velocity(numbers_, body, vector3(poses_[b]), vector3(twists_[b]), time(), options_.h));
  }
}

bool FormulationRun::step() {
  if (!finite_ || time() >= options_.duration - 1e-9 * options_.h) return false;
  appear_and_follow();
  const StepProblem problem = polygon_step(spec_, poses_, twists_, options_.h, polygons_);
  last_ = {};
  last_.contacts = static_cast<int>(problem.contacts.size());
  last_.traps = count_traps();
  mcp::Options limits;
  limits.certify_nodes = choice_.certify_nodes;
  const mcp::StopScope stop(stop_);
  const double begin = mcp::thread_seconds();
  const SolvedStep solved = solve_step(problem, choice_.formulation, limits, nullptr, &workspace_);
  last_.seconds = mcp::thread_seconds() - begin;
  last_.status = solved.result.status;
  last_.residual = solved.result.residual;
  last_.unknowns = static_cast<int>(solved.result.x.size());
  move(solved.solution);
  ++steps_;
  return true;
}

void FormulationRun::move(const StepSolution& solution) {
  const std::vector<int> offsets = velocity_offsets(spec_, polygons_.present);
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    if (offsets[b] >= 0) {
      const Vector3 nu = solution.velocity.segment<3>(offsets[b]);
      if (!nu.allFinite()) finite_ = false;
      twists_[b] = twist_of(nu);
    } else if (spec_.bodies[b].kind != BodyKind::kinematic || !polygons_.present[b]) {
      continue;
    }
    poses_[b].x += options_.h * twists_[b].vx;
    poses_[b].y += options_.h * twists_[b].vy;
    poses_[b].theta += options_.h * twists_[b].omega;
  }
}

int FormulationRun::count_traps() const {
  PolygonStepOptions all = polygons_;
  all.rules.sets = ContactSets::standard_all;
  std::vector<ContactName> names;
  polygon_step(spec_, poses_, twists_, options_.h, all, &names);
  std::map<std::tuple<int, int, int, int, int>, int> edges_near;
  for (const ContactName& c : names) ++edges_near[{c.vertex_body, c.vertex_part, c.vertex, c.edge_body, c.edge_part}];
  return static_cast<int>(
      std::count_if(edges_near.begin(), edges_near.end(), [](const auto& entry) { return entry.second > 1; }));
}

}  // namespace pegrasp::reference

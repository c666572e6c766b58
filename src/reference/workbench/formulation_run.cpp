// SPDX-License-Identifier: Apache-2.0
#include "src/reference/workbench/formulation_run.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "src/reference/io/step_source.hpp"
#include "src/reference/planar/joint_step.hpp"
#include "src/reference/planar/motion.hpp"

namespace pegrasp::reference {
namespace {

void require_steppable(const SceneSpec& scene) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument("formulations of the sources are for scenes of polygons, and this one has " + what +
                                "; leave --formulation out");
  };
  if (scene.model == MotionModel::quasistatic) refuse("the quasistatic model");
  if (const std::string what = what_is_not_jointed(scene); !what.empty()) refuse(what);
  if (has_shells(scene)) refuse("compliant shells");
  for (const BodySpec& body : scene.bodies) {
    if (body.oscillation) refuse("a body that oscillates (" + body.name + ")");
  }
}

}  // namespace

FormulationRun::FormulationRun(const SceneSpec& scene, std::span<const double> parameters, const StepOptions& options,
                               const FormulationChoice& choice)
    : FormulatedScene((require_steppable(scene), with_parameters(scene, parameters)), options, choice),
      scene_(std::make_shared<const PlanarScene>(scene)),
      parameters_(parameters.begin(), parameters.end()),
      numbers_(*scene_, parameters_) {
  polygons_.rules = this->choice().rules;
  polygons_.detect_distance = options.detect_distance;
  polygons_.leave_joints = true;
  for (int body = 0; body < scene_->body_count(); ++body) {
    poses_.push_back(pose_of(numbers_.pose(body)));
    twists_.push_back(twist_of(numbers_.velocity(body)));
  }
  // What the step cannot be written for is found now, with all bodies, before anything is stepped.
  polygon_step(this->scene(), poses_, twists_, h(), polygons_);
}

void FormulationRun::set_state(double time, std::span<const Pose> poses, std::span<const Twist> velocities) {
  restart(time);
  poses_.assign(poses.begin(), poses.end());
  twists_.assign(velocities.begin(), velocities.end());
}

// Kinematic bodies have the velocity that leads to their next pose.
StepProblem FormulationRun::problem(int& traps) {
  polygons_.present = present();
  for (int body = 0; body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (scene().bodies[b].kind != BodyKind::kinematic) continue;
    twists_[b] = twist_of(prescribed_velocity(numbers_, body, vector3(poses_[b]), vector3(twists_[b]), time(), h()));
  }
  traps = count_traps();
  StepProblem step = polygon_step(scene(), poses_, twists_, h(), polygons_);
  const std::vector<char> there(present().begin(), present().end());
  add_joint_rows(numbers_, poses_, twists_, there, velocity_offsets(scene(), present()), step);
  return step;
}

bool FormulationRun::move(const StepSolution& solution) {
  const std::vector<int> offsets = velocity_offsets(scene(), present());
  bool finite = true;
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    if (offsets[b] >= 0) {
      const Vector3 nu = solution.velocity.segment<3>(offsets[b]);
      finite = finite && nu.allFinite();
      twists_[b] = twist_of(nu);
    } else if (scene().bodies[b].kind != BodyKind::kinematic || !present()[b]) {
      continue;
    }
    poses_[b].x += h() * twists_[b].vx;
    poses_[b].y += h() * twists_[b].vy;
    poses_[b].theta += h() * twists_[b].omega;
  }
  return finite;
}

int FormulationRun::count_traps() const {
  PolygonStepOptions all = polygons_;
  all.rules.sets = ContactSets::standard_all;
  all.rules.keep_overlaps = false;
  std::vector<ContactName> names;
  polygon_step(scene(), poses_, twists_, h(), all, &names);
  std::map<std::tuple<int, int, int, int, int>, int> edges_near;
  for (const ContactName& c : names) ++edges_near[{c.vertex_body, c.vertex_part, c.vertex, c.edge_body, c.edge_part}];
  return static_cast<int>(
      std::count_if(edges_near.begin(), edges_near.end(), [](const auto& entry) { return entry.second > 1; }));
}

}  // namespace pegrasp::reference

// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/joint_step.hpp"

#include <utility>
#include <vector>

#include "src/reference/planar/joints.hpp"

namespace pegrasp::reference {
namespace {

class JointedStep {
 public:
  JointedStep(const PlanarNumbers& numbers, std::span<const Pose> poses, std::span<const Twist> velocities,
              std::span<const int> offsets, StepProblem& step)
      : numbers_(numbers), spec_(numbers.scene().spec()), twists_(velocities), offsets_(offsets), step_(step) {
    for (const Pose& pose : poses) poses_.push_back(vector3(pose));
  }

  void joint(const JointSpec& joint) {
    for (const PlanarJointRow& row : at(joint).rows()) bilateral({row_of(joint, row, 1.0)}, row.value);
  }

  void coupling(const CouplingSpec& coupling) {
    const CouplingRow share = coupling_row(spec_, coupling, numbers_.scene().joint_arm());
    const JointSpec& first = spec_.joints[static_cast<std::size_t>(coupling.joint)];
    const JointSpec& second = spec_.joints[static_cast<std::size_t>(coupling.of_joint)];
    const PlanarJointRow x = at(first).coordinate(only_turns(first)), y = at(second).coordinate(only_turns(second));
    bilateral({row_of(first, x, share.share[0]), row_of(second, y, share.share[1])}, share.value(x.value, y.value));
  }

  void limit(const PlanarLimit& limit) {
    const PlanarScene& scene = numbers_.scene();
    const JointSpec& joint = spec_.joints[static_cast<std::size_t>(limit.joint)];
    const PlanarJointAt here = at(joint);
    const LimitGap gap = limit_gap(scene, limit, here);
    const Row row = row_of(joint, here.coordinate(limit.turns), gap.side * (limit.turns ? scene.joint_arm() : 1.0));
    Contact contact;
    contact.normal = row.gradient;
    contact.gap = gap.gap;
    contact.rate = row.rate;
    step_.unilateral.push_back(static_cast<int>(step_.contacts.size()));
    step_.contacts.push_back(std::move(contact));
  }

  // As polygon_step() has servos on bodies: F = K (x* - x - h v) - D v.
  void actuator(int k) {
    const ActuatorSpec& actuator = spec_.actuators[static_cast<std::size_t>(k)];
    const JointSpec& joint = spec_.joints[static_cast<std::size_t>(actuator.joint)];
    const PlanarJointRow driven = at(joint).coordinate(actuator.rotary);
    const Row row = row_of(joint, driven, 1.0);
    const double target = numbers_.target(k, 0.0), bound = step_.h * numbers_.limit(k);  // without programs
    if (actuator.kind == ActuatorKind::force) {
      step_.external += step_.h * target * Vector(row.gradient);
    } else if (actuator.kind == ActuatorKind::velocity_servo) {
      step_.motors.push_back({row.gradient, row.rate - target, 0.0, bound});
    } else {
      const double gain = step_.h * numbers_.stiffness(k) + numbers_.damping(k);
      if (!(gain > 0.0)) return;
      const double bias = row.rate - numbers_.stiffness(k) * (target - driven.value) / gain;
      step_.motors.push_back({row.gradient, bias, 1.0 / (step_.h * gain), bound});
    }
  }

 private:
  struct Row {
    SparseVector gradient;
    double rate;  // what kinematic bodies add
  };

  PlanarJointAt at(const JointSpec& joint) const { return {numbers_, joint, poses_}; }

  Row row_of(const JointSpec& joint, const PlanarJointRow& row, double factor) const {
    Row out{SparseVector(step_.velocity.size()), 0.0};
    for (const auto& [body, j] : {std::pair{joint.body_a, row.a}, std::pair{joint.body_b, row.b}}) {
      if (body < 0) continue;
      const auto b = static_cast<std::size_t>(body);
      if (offsets_[b] < 0) out.rate += factor * j.dot(vector3(twists_[b]));
      for (int k = 0; offsets_[b] >= 0 && k < 3; ++k) {
        if (j[k] != 0.0) out.gradient.coeffRef(offsets_[b] + k) += factor * j[k];
      }
    }
    return out;
  }

  void bilateral(const std::vector<Row>& parts, double gap) {
    Bilateral out{SparseVector(step_.velocity.size()), gap, 0.0};
    for (const Row& part : parts) {
      out.row += part.gradient;
      out.rate += part.rate;
    }
    step_.bilaterals.push_back(std::move(out));
  }

  const PlanarNumbers& numbers_;
  const SceneSpec& spec_;
  std::vector<Vector3> poses_;
  std::span<const Twist> twists_;
  std::span<const int> offsets_;
  StepProblem& step_;
};

}  // namespace

std::string what_is_not_jointed(const SceneSpec& scene) {
  for (const ActuatorSpec& actuator : scene.actuators) {
    if (actuator.joint < 0) continue;
    if (is_spring(scene, actuator)) return "a spring (" + actuator.name + ")";
    if (!actuator.program.empty() || actuator.target_function) return "a program of a motor (" + actuator.name + ")";
  }
  return {};
}

void add_joint_rows(const PlanarNumbers& numbers, std::span<const Pose> poses, std::span<const Twist> velocities,
                    std::span<const char> present, std::span<const int> offsets, StepProblem& step) {
  const SceneSpec& scene = numbers.scene().spec();
  JointedStep rows(numbers, poses, velocities, offsets, step);
  for (const JointSpec& joint : scene.joints) {
    if (joint_present(joint, present)) rows.joint(joint);
  }
  for (const CouplingSpec& coupling : scene.couplings) {
    if (coupling_present(scene, coupling, present)) rows.coupling(coupling);
  }
  for (const PlanarLimit& limit : planar_limits(numbers.scene(), present)) rows.limit(limit);
  for (int k = 0; k < static_cast<int>(scene.actuators.size()); ++k) {
    const int joint = scene.actuators[static_cast<std::size_t>(k)].joint;
    if (joint >= 0 && joint_present(scene.joints[static_cast<std::size_t>(joint)], present)) rows.actuator(k);
  }
}

}  // namespace pegrasp::reference

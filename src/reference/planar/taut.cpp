// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/taut.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/planar/joints.hpp"

namespace pegrasp::reference {
namespace {

// The pulls at one body, added up.
struct Sum {
  double stiffness = 0.0, shared = 0.0;  // [N m] of all joints, of those to dynamic bodies
  double driven = 0.0;                   // the latter times the spins of these bodies
  double joints_add = 0.0;               // [kg m^2]
};

}  // namespace

std::vector<PlanarHeld> held_taut(const PlanarNumbers& numbers, const std::vector<Vector3>& pose,
                                  const std::vector<Vector3>& velocity, std::span<const char> present,
                                  std::span<const double> impulses, double kept_h, double h) {
  std::vector<PlanarHeld> out(pose.size());
  if (!(kept_h > 0.0)) return out;
  const PlanarScene& scene = numbers.scene();
  const auto turns = [&](int body) {
    return body >= 0 && scene.body(body).dynamic() && !scene.body(body).slides && scene.body(body).turns &&
           present[static_cast<std::size_t>(body)] != 0;
  };
  const auto response = [&](int body, const Point& arm) {
    if (body < 0 || !scene.body(body).dynamic()) return 0.0;
    // a body on a rail gives way along it alone: half as much in the mean over directions
    if (scene.body(body).slides) return 0.5 / numbers.mass(body);
    return 1.0 / numbers.mass(body) + arm.squaredNorm() / numbers.inertia(body);
  };
  std::vector<Sum> sums(pose.size());
  std::size_t next = 0;
  for (const JointSpec& joint : scene.spec().joints) {
    if (!joint_present(joint, present)) continue;
    const PlanarJointAt at(numbers, joint, pose);
    Point impulse = Point::Zero();
    for (const PlanarJointRow& row : at.rows()) {
      if (next == impulses.size()) return out;
      impulse += impulses[next++] * row.b.head<2>();
    }
    const double force = impulse.norm() / kept_h;
    const auto pull = [&](int body, const Point& arm, int other, const Point& other_arm) {
      if (!turns(body) || !(force > 0.0)) return;
      Sum& sum = sums[static_cast<std::size_t>(body)];
      // Of a body that spins, the pull of what does not turn goes round with it: no spring from a radian a step on.
      const double spun = turns(other) ? 0.0 : h * std::abs(velocity[static_cast<std::size_t>(body)][2]);
      const double stiffness = std::clamp(2.0 - 2.0 * spun, 0.0, 1.0) * force * arm.norm();
      sum.stiffness += stiffness;
      sum.joints_add += arm.squaredNorm() / (1.0 / numbers.mass(body) + response(other, other_arm));
      if (!turns(other)) return;
      sum.shared += stiffness;
      sum.driven += stiffness * velocity[static_cast<std::size_t>(other)][2];
    };
    pull(joint.body_a, at.arm_a(), joint.body_b, at.arm_b());
    pull(joint.body_b, at.arm_b(), joint.body_a, at.arm_a());
  }
  if (next + active_couplings(scene.spec(), present) != impulses.size()) return out;
  for (std::size_t b = 0; b < out.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!turns(body) || !(sums[b].stiffness > 0.0)) continue;
    const double swing = h * h * sums[b].stiffness / (numbers.inertia(body) + sums[b].joints_add);
    if (!(swing > 1.0)) continue;
    const double share = h * h * (1.0 - 1.0 / swing);
    out[b] = {share * (sums[b].stiffness + sums[b].shared), share * (sums[b].driven - sums[b].shared * velocity[b][2])};
  }
  return out;
}

bool swings_too_far(const PlanarNumbers& numbers, const PlanarAttemptEnd& swing, const StepOptions& options) {
  constexpr double most = 0.5;  // [rad]
  const PlanarScene& scene = numbers.scene();
  const auto turns = [&](int body) {
    return body >= 0 && scene.body(body).dynamic() && !scene.body(body).slides && scene.body(body).turns &&
           swing.present[static_cast<std::size_t>(body)] != 0;
  };
  const auto far = [&](int body, const Point& arm) {
    return arm.norm() > options.reject_depth &&
           options.h * std::abs(swing.velocity[static_cast<std::size_t>(body)][2]) > most;
  };
  std::vector<double> moment(swing.pose.size(), 0.0);  // [N m s] of the joints' impulses over their arms
  std::size_t next = 0;
  for (const JointSpec& joint : scene.spec().joints) {
    if (!joint_present(joint, swing.present)) continue;
    const PlanarJointAt at(numbers, joint, swing.pose);
    if (joint.kind != JointKind::distance && turns(joint.body_a) && turns(joint.body_b) &&
        (far(joint.body_a, at.arm_a()) || far(joint.body_b, at.arm_b()))) {
      return true;
    }
    Point impulse = Point::Zero();
    for (const PlanarJointRow& row : at.rows()) {
      if (next < swing.joint_impulse.size()) impulse += swing.joint_impulse[next++] * row.b.head<2>();
    }
    if (turns(joint.body_a)) moment[static_cast<std::size_t>(joint.body_a)] += impulse.norm() * at.arm_a().norm();
    if (turns(joint.body_b)) moment[static_cast<std::size_t>(joint.body_b)] += impulse.norm() * at.arm_b().norm();
  }
  for (std::size_t b = 0; b < swing.held.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!turns(body) || !(swing.held[b].inertia > 0.0)) continue;
    const double braking =
        swing.held[b].inertia * (swing.velocity[b][2] - swing.start_velocity[b][2]) - swing.held[b].drag;
    const double slack = options.tolerance * numbers.mass(body) * scene.body(body).radius;
    if (std::abs(braking) > 2.0 * moment[b] + slack) return true;
  }
  return false;
}

}  // namespace pegrasp::reference

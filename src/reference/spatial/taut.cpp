// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/taut.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "src/reference/common/joint_targets.hpp"
#include "src/reference/spatial/joints.hpp"

namespace pegrasp::reference::spatial {
namespace {

// The pull of one joint at one of its bodies.
struct Pull {
  int body, other;
  Vector3 arm;
  double force;  // [N]
  bool first;    // of the two pulls of a joint
};

Matrix3 inertia_of_arm(const Vector3& r) { return r.squaredNorm() * Matrix3::Identity() - r * r.transpose(); }

std::vector<Pull> pulls(const SpatialNumbers& numbers, const SpatialState& start, std::span<const char> present,
                        std::span<const double> impulses, double kept_h) {
  std::vector<Pull> out;
  std::size_t next = 0;
  for (const JointSpec& joint : numbers.scene().spec().joints) {
    if (!joint_present(joint, present)) continue;
    const JointAt at(numbers, joint, start.position, start.turn);
    Vector3 impulse = Vector3::Zero();
    for (const JointRow& row : at.rows()) {
      if (next == impulses.size()) return {};
      impulse += impulses[next++] * row.gradient.b.linear;
    }
    const double force = impulse.norm() / kept_h;
    if (!(force > 0.0)) continue;
    if (joint.body_a >= 0) out.push_back({joint.body_a, joint.body_b, at.arm_a(), force, true});
    out.push_back({joint.body_b, joint.body_a, at.arm_b(), force, false});
  }
  const std::size_t all = next + active_couplings(numbers.scene().spec(), present);
  return all == impulses.size() ? out : std::vector<Pull>{};
}

// The pulls at one body, added up.
struct Sum {
  Matrix3 stiffness = Matrix3::Zero(), shared = Matrix3::Zero();  // [N m] of all joints, of those to dynamic bodies
  Vector3 driven = Vector3::Zero();                               // the latter times the spins of these bodies
  double size = 0.0;                                              // [N m]
  double joints_add = 0.0;                                        // [kg m^2]
};

}  // namespace

std::vector<Held> held_taut(const SpatialNumbers& numbers, const SpatialState& start, std::span<const char> present,
                            const std::vector<FreeMotion>& middle, std::span<const double> impulses, double kept_h,
                            double h) {
  std::vector<Held> out(start.position.size());
  if (!(kept_h > 0.0)) return out;
  const auto moves = [&](int body) {
    return body >= 0 && numbers.scene().body(body).dynamic() && present[static_cast<std::size_t>(body)] != 0;
  };
  const auto response = [&](int body, const Vector3& arm) {
    if (!moves(body)) return 0.0;
    const Matrix3 inverse = middle[static_cast<std::size_t>(body)].inertia.inverse();
    return 1.0 / numbers.mass(body) + 0.5 * (inverse * inertia_of_arm(arm)).trace();
  };
  const std::vector<Pull> all = pulls(numbers, start, present, impulses, kept_h);
  std::vector<Sum> sums(out.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Pull& pull = all[i];
    const double length = pull.arm.norm();
    if (!moves(pull.body) || !(length > 0.0)) continue;
    // The two pulls of a joint follow each other; the world has none.
    double others = 0.0;
    if (moves(pull.other)) others = response(pull.other, all[all[i].first ? i + 1 : i - 1].arm);
    Sum& sum = sums[static_cast<std::size_t>(pull.body)];
    // Of a body that spins, the pull of what does not turn goes round with it: no spring from a radian a step on.
    const double spun =
        moves(pull.other) ? 0.0 : h * start.velocity[static_cast<std::size_t>(pull.body)].angular.norm();
    const double force = std::clamp(2.0 - 2.0 * spun, 0.0, 1.0) * pull.force;
    const Matrix3 stiffness = force / length * inertia_of_arm(pull.arm);
    sum.stiffness += stiffness;
    sum.size += force * length;
    sum.joints_add += length * length / (1.0 / numbers.mass(pull.body) + others);
    if (!moves(pull.other)) continue;
    sum.shared += stiffness;
    sum.driven += stiffness * start.velocity[static_cast<std::size_t>(pull.other)].angular;
  }
  for (std::size_t b = 0; b < out.size(); ++b) {
    const Sum& sum = sums[b];
    if (!(sum.size > 0.0)) continue;
    const double own = sum.size / (0.5 * (middle[b].inertia.inverse() * sum.stiffness).trace());
    const double swing = h * h * sum.size / (own + sum.joints_add);
    if (!(swing > 1.0)) continue;
    const double share = h * h * (1.0 - 1.0 / swing);
    out[b] = {true, share * (sum.stiffness + sum.shared), share * (sum.driven - sum.shared * middle[b].spin)};
  }
  return out;
}

bool swings_too_far(const SpatialNumbers& numbers, const SpatialAttemptEnd& swing, const StepOptions& options) {
  constexpr double most = 0.5;  // [rad]
  const auto turns = [&](int body) {
    return body >= 0 && numbers.scene().body(body).dynamic() && swing.present[static_cast<std::size_t>(body)] != 0;
  };
  const auto far = [&](int body, const Vector3& arm) {
    const double moved = options.h * swing.velocity[static_cast<std::size_t>(body)].angular.cross(arm).norm();
    return arm.norm() > options.reject_depth && moved > most * arm.norm();
  };
  for (const JointSpec& joint : numbers.scene().spec().joints) {
    if (joint.kind == JointKind::distance || !joint_present(joint, swing.present)) continue;
    if (!turns(joint.body_a) || !turns(joint.body_b)) continue;
    const JointAt at(numbers, joint, swing.start.position, swing.start.turn);
    if (far(joint.body_a, at.arm_a()) || far(joint.body_b, at.arm_b())) return true;
  }
  std::vector<double> moment(swing.velocity.size(), 0.0);  // [N m s] of the joints' impulses over their arms
  for (const Pull& pull : pulls(numbers, swing.start, swing.present, swing.joint_impulse, 1.0)) {
    moment[static_cast<std::size_t>(pull.body)] += pull.force * pull.arm.norm();
  }
  for (std::size_t b = 0; b < swing.held.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!turns(body) || !swing.held[b].held) continue;
    const Vector3 braking =
        swing.held[b].inertia * (swing.velocity[b].angular - swing.middle[b].spin) - swing.held[b].drag;
    const double slack = options.tolerance * numbers.mass(body) * numbers.scene().body(body).radius;
    if (braking.norm() > 2.0 * moment[b] + slack) return true;
  }
  return false;
}

}  // namespace pegrasp::reference::spatial

// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/polyhedron_step.hpp"

#include <algorithm>
#include <numbers>
#include <string>
#include <utility>

#include "src/reference/spatial/facets.hpp"
#include "src/reference/spatial/joints.hpp"
#include "src/reference/spatial/rows.hpp"

namespace pegrasp::reference::spatial {
namespace {

constexpr int dof = 6;

class Builder {
 public:
  Builder(const SpatialNumbers& numbers, const SpatialState& state, double h, const PolygonStepOptions& options)
      : numbers_(numbers), scene_(numbers.scene()), state_(state), options_(options) {
    out_.problem.h = h;
  }

  PolyhedronStep build(double time) {
    bodies(time);
    contacts();
    joints();
    return std::move(out_);
  }

 private:
  bool present(int body) const { return options_.present.empty() || options_.present[static_cast<std::size_t>(body)]; }
  int offset(int body) const { return out_.offsets[static_cast<std::size_t>(body)]; }
  const Twist6& twist(int body) const { return state_.velocity[static_cast<std::size_t>(body)]; }

  void bodies(double time) {
    int size = 0;
    for (int body = 0; body < scene_.body_count(); ++body) {
      const bool moves = scene_.body(body).dynamic() && present(body);
      out_.offsets.push_back(moves ? size : -1);
      if (moves) size += dof;
    }
    StepProblem& step = out_.problem;
    step.mass.resize(size, size);
    step.velocity.resize(size);
    step.external.resize(size);
    for (int body = 0; body < scene_.body_count(); ++body) {
      const int at = offset(body);
      if (at < 0) continue;
      const auto b = static_cast<std::size_t>(body);
      const double mass = numbers_.mass(body);
      const Matrix3 axes = state_.turn[b].toRotationMatrix();
      const Matrix3 inertia = axes * numbers_.inertia(body) * axes.transpose();
      const Vector3 spin = twist(body).angular;
      step.velocity.segment<dof>(at) << twist(body).linear, spin;
      // The moment of gyroscopic forces where the step begins (W 2.30).
      const Vector3 moment = scene_.body(body).turns ? Vector3(-spin.cross(inertia * spin)) : Vector3(Vector3::Zero());
      step.external.segment<dof>(at) << step.h * mass * (scene_.gravity(body) + numbers_.pulled_by(body, time)),
          step.h * moment;
      for (int k = 0; k < 3; ++k) {
        step.mass.insert(at + k, at + k) = mass;
        for (int l = 0; l < 3; ++l) step.mass.insert(at + 3 + k, at + 3 + l) = inertia(k, l);
        if (scene_.body(body).turns) continue;
        SparseVector row(size);
        row.insert(at + 3 + k) = 1.0;
        step.bilaterals.push_back({row, 0.0, 0.0});
      }
    }
    step.mass.makeCompressed();
  }

  // The largest speed of a point of the body, at its velocity or what external forces make of it.
  double speed(int body) const {
    if (scene_.body(body).kind == BodyKind::fixed) return 0.0;
    const double now = fastest_point(numbers_, body, twist(body));
    if (offset(body) < 0) return now;
    const Vector3 moved = out_.problem.external.segment<3>(offset(body)) / numbers_.mass(body);
    return std::max(now, fastest_point(numbers_, body, {twist(body).linear + moved, twist(body).angular}));
  }

  void contacts() {
    std::vector<PlacedSolid> placed;
    for (int part = 0; part < scene_.part_count(); ++part) {
      const int body = scene_.part_body(part);
      const auto b = static_cast<std::size_t>(body);
      placed.push_back(scene_.place(part, frame_of(numbers_, body, state_.position[b], state_.turn[b])));
    }
    const double detect = options_.detect_distance > 0.0 ? options_.detect_distance : 1e-3 * scene_.joint_arm();
    for (const PartPair& pair : scene_.pairs()) {
      if (!present(pair.body_a) || !present(pair.body_b)) continue;
      if (offset(pair.body_a) < 0 && offset(pair.body_b) < 0) continue;
      const PlacedSolid& a = placed[static_cast<std::size_t>(pair.part_a)];
      const PlacedSolid& b = placed[static_cast<std::size_t>(pair.part_b)];
      const double eps = options_.epsilon > 0.0 ? options_.epsilon
                                                : detect + out_.problem.h * (speed(pair.body_a) + speed(pair.body_b));
      if (!within_reach(a, b, eps)) continue;
      out_.traps += count_traps(a, b, eps);
      add(pair_constraints(a, b, eps, options_.rules), a, b, pair);
    }
  }

  void add(const SolidConstraints& found, const PlacedSolid& a, const PlacedSolid& b, const PartPair& pair) {
    StepProblem& step = out_.problem;
    const int first = static_cast<int>(step.contacts.size());
    for (const SolidContact& named : found.contacts) {
      const SolidContactAt at = place_of(named, a, b);
      Contact contact;
      contact.gap = at.gap;
      contact.mu = numbers_.friction(pair.slot);
      contact.tangents.resize(2);
      contact.tangent_rate.resize(2);
      row(at, at.normal, pair, contact.normal, contact.rate);
      // x, or y where the normal is nearly x, along the contact; and what completes them.
      const Vector3 axis = std::abs(at.normal.x()) < 0.9 ? Vector3::UnitX() : Vector3::UnitY();
      const Vector3 t = (axis - axis.dot(at.normal) * at.normal).normalized();
      row(at, t, pair, contact.tangents[0], contact.tangent_rate[0]);
      row(at, at.normal.cross(t), pair, contact.tangents[1], contact.tangent_rate[1]);
      step.contacts.push_back(std::move(contact));
    }
    const auto shifted = [&](std::vector<int> list) {
      for (int& i : list) i += first;
      return list;
    };
    for (const int i : found.unilateral) step.unilateral.push_back(first + i);
    for (const InterContact& set : found.inter) step.inter.push_back({shifted(set.carriers), shifted(set.masks)});
    for (const CrossContact& set : found.cross)
      step.cross.push_back({shifted(set.a), shifted(set.b), shifted(set.carriers)});
  }

  // direction . (velocity of the point on b - that on a).
  void row(const SolidContactAt& at, const Vector3& direction, const PartPair& pair, SparseVector& gradient,
           double& rate) const {
    gradient.resize(out_.problem.velocity.size());
    rate = 0.0;
    for (const int body : {pair.body_a, pair.body_b}) {
      const double sign = body == pair.body_b ? 1.0 : -1.0;
      const Vector3 arm = (body == pair.body_b ? at.on_b : at.on_a) - state_.position[static_cast<std::size_t>(body)];
      Eigen::Matrix<double, dof, 1> g;
      g << sign * direction, sign * arm.cross(direction);
      if (offset(body) >= 0) {
        for (int k = 0; k < dof; ++k) {
          if (g[k] != 0.0) gradient.insert(offset(body) + k) = g[k];
        }
      } else if (scene_.body(body).kind == BodyKind::kinematic) {
        rate += g.head<3>().dot(twist(body).linear) + g.tail<3>().dot(twist(body).angular);
      }
    }
  }

  // Bilateral rows (W 2.28), and limits as unilateral contacts without friction.
  void joints() {
    std::vector<char> there;
    for (int body = 0; body < scene_.body_count(); ++body) there.push_back(present(body) ? 1 : 0);
    StepProblem& step = out_.problem;
    for (const JointSpec& joint : scene_.spec().joints) {
      if (!joint_present(joint, there)) continue;
      for (const JointRow& of : JointAt(numbers_, joint, state_.position, state_.turn).rows()) {
        Bilateral bilateral{{}, of.value, 0.0};
        joint_row(joint, of.gradient, bilateral.row, bilateral.rate);
        step.bilaterals.push_back(std::move(bilateral));
      }
    }
    for (const JointLimit& limit : active_limits(scene_, there)) {
      const JointSpec& joint = scene_.spec().joints[static_cast<std::size_t>(limit.joint)];
      const JointAt at(numbers_, joint, state_.position, state_.turn);
      const LimitGap gap = limit_gap(scene_, limit, at, 0.0);
      const double factor = gap.side * (limit.freedom == Freedom::slide ? 1.0 : scene_.joint_arm());
      Contact contact;
      contact.gap = gap.gap;
      joint_row(joint, factor * at.coordinate(limit.freedom, 0.0).gradient, contact.normal, contact.rate);
      step.unilateral.push_back(static_cast<int>(step.contacts.size()));
      step.contacts.push_back(std::move(contact));
    }
  }

  void joint_row(const JointSpec& joint, const JointGradient& g, SparseVector& gradient, double& rate) const {
    gradient.resize(out_.problem.velocity.size());
    for (const auto& [body, part] : {std::pair{joint.body_a, g.a}, std::pair{joint.body_b, g.b}}) {
      if (body < 0) continue;
      const int at = offset(body);
      if (at < 0) {
        if (scene_.body(body).kind == BodyKind::kinematic)
          rate += part.linear.dot(twist(body).linear) + part.angular.dot(twist(body).angular);
        continue;
      }
      for (int k = 0; k < 3; ++k) {
        gradient.coeffRef(at + k) += part.linear[k];
        gradient.coeffRef(at + 3 + k) += part.angular[k];
      }
    }
  }

  const SpatialNumbers& numbers_;
  const SpatialScene& scene_;
  const SpatialState& state_;
  const PolygonStepOptions& options_;
  PolyhedronStep out_;
};

}  // namespace

std::string what_is_not_polyhedral(const SpatialScene& scene) {
  const SceneSpec& spec = scene.spec();
  // Of a pose alone a turn is known up to whole turns.
  for (const JointSpec& joint : spec.joints) {
    if (joint.turn && std::max(-joint.turn->low, joint.turn->high) >= std::numbers::pi)
      return "a limit beyond half a turn (" + joint.name + ")";
  }
  if (!spec.couplings.empty()) return "couplings";
  if (has_shells(spec)) return "compliant shells";
  if (!spec.actuators.empty()) return "motors or bodies that follow with limited force";
  for (int b = 0; b < scene.body_count(); ++b) {
    const BodySpec& body = spec.bodies[static_cast<std::size_t>(b)];
    if (body.oscillation) return "a body that oscillates (" + body.name + ")";
    for (const SolidPart& part : body.spatial().parts) {
      if (part.kind != SolidKind::polyhedron && part.kind != SolidKind::half_space)
        return "a round part (" + part.name + " of " + body.name + ")";
    }
  }
  for (const FrictionPair& pair : spec.friction) {
    if (pair.torsion > 0.0 || pair.rolling > 0.0) return "torsional or rolling friction";
  }
  return {};
}

PolyhedronStep polyhedron_step(const SpatialNumbers& numbers, const SpatialState& state, double time, double h,
                               const PolygonStepOptions& options) {
  return Builder(numbers, state, h, options).build(time);
}

}  // namespace pegrasp::reference::spatial

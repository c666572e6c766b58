// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/polygon_step.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pegrasp/names.hpp"
#include "pegrasp/parameters.hpp"

namespace pegrasp::reference {
namespace {

constexpr int dof = 3;

class Scene {
 public:
  Scene(const SceneSpec& scene, std::span<const Pose> poses, std::span<const Twist> velocities, double h,
        const PolygonStepOptions& options, std::vector<ContactName>* names)
      : scene_(scene), poses_(poses), twists_(velocities), options_(options), names_(names) {
    const std::size_t count = scene.bodies.size();
    if (poses.size() != count || velocities.size() != count ||
        (!options.present.empty() && options.present.size() != count)) {
      throw std::invalid_argument("polygon_step: poses, velocities and present must have one entry a body");
    }
    if (!scene.joints.empty() && !options.leave_joints)
      throw std::invalid_argument("takes no " + joint_words(scene) + "; only the model pair-modes does");
    for (const ActuatorSpec& actuator : scene.actuators) {
      if (actuator.joint >= 0) continue;
      if (actuator.kind == ActuatorKind::follow)
        throw std::invalid_argument("takes no bodies of limited force; only the model pair-modes does");
      if (!actuator.program.empty())
        throw std::invalid_argument("takes no programs of actuators; only the model pair-modes does");
    }
    offset_ = velocity_offsets(scene, options.present);
    step_.h = h;
  }

  StepProblem build() {
    bodies();
    actuators();
    contacts();
    return std::move(step_);
  }

 private:
  bool present(std::size_t body) const { return options_.present.empty() || options_.present[body]; }
  Eigen::Index size() const { return step_.velocity.size(); }

  void bodies() {
    Eigen::Index size = 0;
    for (const int offset : offset_) size += offset >= 0 ? dof : 0;
    step_.mass.resize(size, size);
    step_.velocity.resize(size);
    step_.external.resize(size);
    for (std::size_t b = 0; b < offset_.size(); ++b) {
      if (offset_[b] < 0) continue;
      const BodySpec& body = scene_.bodies[b];
      const Eigen::Index at = offset_[b];
      step_.velocity.segment<dof>(at) << twists_[b].vx, twists_[b].vy, twists_[b].omega;
      step_.external.segment<dof>(at) << step_.h * body.mass * scene_.gravity.x, step_.h * body.mass * scene_.gravity.y,
          0.0;
      step_.mass.insert(at, at) = body.mass;
      step_.mass.insert(at + 1, at + 1) = body.mass;
      step_.mass.insert(at + 2, at + 2) = body.planar().inertia;
      if (body.slide_axis) rail(b);
      if (!body.turns && !body.slide_axis)
        step_.bilaterals.push_back({row(b, 0.0, 0.0, 1.0), poses_[b].theta - body.planar().pose.theta, 0.0});
      if (body.planar().support) tripod(b);
    }
    step_.mass.makeCompressed();
  }

  SparseVector row(std::size_t body, double x, double y, double turn) const {
    SparseVector v(size());
    const Eigen::Index at = offset_[body];
    if (x != 0.0) v.insert(at) = x;
    if (y != 0.0) v.insert(at + 1) = y;
    if (turn != 0.0) v.insert(at + 2) = turn;
    return v;
  }

  // A joint to the world that leaves one translation: (2.28) for the coordinate across and the turn.
  void rail(std::size_t b) {
    const BodySpec& body = scene_.bodies[b];
    const Point across = turned(Point(body.slide_axis->x, body.slide_axis->y).normalized());
    const Point moved(poses_[b].x - body.planar().pose.x, poses_[b].y - body.planar().pose.y);
    step_.bilaterals.push_back({row(b, across.x(), across.y(), 0.0), across.dot(moved), 0.0});
    step_.bilaterals.push_back({row(b, 0.0, 0.0, 1.0), poses_[b].theta - body.planar().pose.theta, 0.0});
  }

  // Berard (3.19), (3.25): velocities of the three points; the normal impulses h lambda_ns are known.
  void tripod(std::size_t b) {
    const SupportTripod& support = *scene_.bodies[b].planar().support;
    const Eigen::Rotation2Dd turn(poses_[b].theta);
    for (std::size_t k = 0; k < support.point.size(); ++k) {
      const Point r = turn * Point(support.point[k].x, support.point[k].y);
      step_.supports.push_back(
          {{row(b, 1.0, 0.0, -r.y()), row(b, 0.0, 1.0, r.x())}, step_.h * support.friction[k] * support.load[k]});
    }
  }

  void actuators() {
    for (const ActuatorSpec& actuator : scene_.actuators) {
      if (actuator.joint >= 0) continue;
      const auto b = static_cast<std::size_t>(actuator.body);
      if (offset_[b] < 0) continue;
      const Point axis(actuator.axis.x, actuator.axis.y);
      const SparseVector along = actuator.rotary ? row(b, 0.0, 0.0, 1.0) : row(b, axis.x(), axis.y(), 0.0);
      const double bound = step_.h * actuator.limit;
      switch (actuator.kind) {
        case ActuatorKind::follow:  // refused
          break;
        case ActuatorKind::force:
          step_.external += step_.h * actuator.target * Vector(along);
          break;
        case ActuatorKind::velocity_servo:
          step_.motors.push_back({along, -actuator.target, 0.0, bound});
          break;
        case ActuatorKind::position_servo: {
          // F = K (x* - x - h v) - D v, so v - K (x* - x) / (h K + D) + p / (h (h K + D)) = 0.
          const double gain = step_.h * actuator.stiffness + actuator.damping;
          if (!(gain > 0.0)) break;
          const double x = actuator.rotary ? poses_[b].theta : axis.dot(Point(poses_[b].x, poses_[b].y));
          step_.motors.push_back(
              {along, -actuator.stiffness * (actuator.target - x) / gain, 1.0 / (step_.h * gain), bound});
          break;
        }
      }
    }
  }

  // The largest speed of a point of the body [m/s].
  double speed(std::size_t b, double radius) const {
    if (scene_.bodies[b].kind == BodyKind::fixed) return 0.0;
    double linear = std::hypot(twists_[b].vx, twists_[b].vy);
    double angular = std::abs(twists_[b].omega);
    if (offset_[b] >= 0) {
      const BodySpec& body = scene_.bodies[b];
      const Eigen::Vector3d p = step_.external.segment<dof>(offset_[b]);
      linear = std::max(linear, std::hypot(twists_[b].vx + p[0] / body.mass, twists_[b].vy + p[1] / body.mass));
      angular = std::max(angular, std::abs(twists_[b].omega + p[2] / body.planar().inertia));
    }
    return linear + radius * angular;
  }

  double friction(std::size_t a, std::size_t b) const {
    for (const FrictionPair& pair : scene_.friction) {
      const auto i = static_cast<std::size_t>(pair.body_a);
      const auto j = static_cast<std::size_t>(pair.body_b);
      if ((i == a && j == b) || (i == b && j == a)) return pair.mu;
    }
    return std::sqrt(scene_.bodies[a].friction * scene_.bodies[b].friction);
  }

  bool ignored(std::size_t a, std::size_t b) const {
    return !may_touch(scene_, static_cast<int>(a), static_cast<int>(b));
  }

  void contacts() {
    const std::size_t count = scene_.bodies.size();
    std::vector<std::vector<Polygon>> parts(count);
    std::vector<double> radius(count);
    for (std::size_t b = 0; b < count; ++b) {
      if (!present(b)) continue;
      for (const ConvexPart& part : scene_.bodies[b].planar().parts)
        parts[b].push_back(make_world_polygon(part, poses_[b]));
      radius[b] = bounding_radius(scene_.bodies[b]);
    }
    const double detect = options_.detect_distance > 0.0 ? options_.detect_distance : 1e-3 * length_scale(scene_);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        if (!present(a) || !present(b) || (offset_[a] < 0 && offset_[b] < 0) || ignored(a, b)) continue;
        const double eps =
            options_.epsilon > 0.0 ? options_.epsilon : detect + step_.h * (speed(a, radius[a]) + speed(b, radius[b]));
        for (std::size_t i = 0; i < parts[a].size(); ++i) {
          for (std::size_t j = 0; j < parts[b].size(); ++j) {
            if (far(parts[a][i], parts[b][j], eps)) continue;
            add(pair_constraints(parts[a][i], parts[b][j], eps, options_.rules), parts, {a, i}, {b, j});
          }
        }
      }
    }
  }

  // Whether the boxes of the two parts, grown by eps, do not meet.
  static bool far(const Polygon& a, const Polygon& b, double eps) {
    if (a.vertices.empty() || b.vertices.empty()) return false;
    const auto box = [](const Polygon& p) {
      Eigen::AlignedBox2d box;
      for (const Point& v : p.vertices) box.extend(v);
      return box;
    };
    return box(a).squaredExteriorDistance(box(b)) > eps * eps;
  }

  struct Part {
    std::size_t body, part;
  };

  void add(const PairConstraints& found, const std::vector<std::vector<Polygon>>& parts, Part a, Part b) {
    const int first = static_cast<int>(step_.contacts.size());
    const double mu = friction(a.body, b.body);
    for (const FeaturePair& pair : found.contacts) {
      const Part v = pair.vertex_on_a ? a : b;
      const Part e = pair.vertex_on_a ? b : a;
      const Point& vertex = parts[v.body][v.part].vertices[static_cast<std::size_t>(pair.vertex)];
      const Edge& edge = parts[e.body][e.part].edges[static_cast<std::size_t>(pair.edge)];
      Contact contact;
      contact.gap = gap(vertex, edge);
      contact.mu = mu;
      contact.tangents.resize(1);
      contact.tangent_rate.resize(1);
      relative_velocity(vertex, edge.normal, v.body, e.body, contact.normal, contact.rate);
      relative_velocity(vertex, turned(edge.normal), v.body, e.body, contact.tangents[0], contact.tangent_rate[0]);
      step_.contacts.push_back(std::move(contact));
      if (names_ != nullptr) {
        names_->push_back({static_cast<int>(v.body), static_cast<int>(v.part), pair.vertex, static_cast<int>(e.body),
                           static_cast<int>(e.part), pair.edge});
      }
    }
    const auto shifted = [&](std::vector<int> list) {
      for (int& i : list) i += first;
      return list;
    };
    for (const int i : found.unilateral) step_.unilateral.push_back(first + i);
    for (const InterContact& set : found.inter) step_.inter.push_back({shifted(set.carriers), shifted(set.masks)});
    for (const CrossContact& set : found.cross) {
      step_.cross.push_back({shifted(set.a), shifted(set.b), shifted(set.carriers)});
    }
  }

  // direction . (velocity of the point on body v - that on body e): a row for those that are free to move, the rest
  // is given.
  void relative_velocity(const Point& point, const Point& direction, std::size_t v, std::size_t e,
                         SparseVector& gradient, double& rate) const {
    gradient.resize(size());
    rate = 0.0;
    // Increasing indices, as Eigen wants them.
    for (const std::size_t body : {std::min(v, e), std::max(v, e)}) {
      const double sign = body == v ? 1.0 : -1.0;
      const Point arm = point - Point(poses_[body].x, poses_[body].y);
      const Eigen::Vector3d g(sign * direction.x(), sign * direction.y(), sign * direction.dot(turned(arm)));
      if (offset_[body] >= 0) {
        for (Eigen::Index k = 0; k < dof; ++k) {
          if (g[k] != 0.0) gradient.insert(offset_[body] + k) = g[k];
        }
      } else if (scene_.bodies[body].kind == BodyKind::kinematic) {
        rate += g.dot(Eigen::Vector3d(twists_[body].vx, twists_[body].vy, twists_[body].omega));
      }
    }
  }

  const SceneSpec& scene_;
  std::span<const Pose> poses_;
  std::span<const Twist> twists_;
  const PolygonStepOptions& options_;
  std::vector<ContactName>* names_;
  std::vector<int> offset_;
  StepProblem step_;
};

}  // namespace

std::vector<int> velocity_offsets(const SceneSpec& scene, const std::vector<bool>& present) {
  std::vector<int> offsets;
  int next = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const bool moves = scene.bodies[b].kind == BodyKind::dynamic && (present.empty() || present[b]);
    offsets.push_back(moves ? next : -1);
    if (moves) next += dof;
  }
  return offsets;
}

StepProblem polygon_step(const SceneSpec& scene, std::span<const Pose> poses, std::span<const Twist> velocities,
                         double h, const PolygonStepOptions& options, std::vector<ContactName>* names) {
  if (names != nullptr) names->clear();
  return Scene(scene, poses, velocities, h, options, names).build();
}

}  // namespace pegrasp::reference

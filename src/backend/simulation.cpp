// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/backend/kernels.hpp"
#include "src/backend/run_to_end.hpp"
#include "src/backend/sample_functions.hpp"
#include "src/geometry/placement.hpp"
#include "src/machine/cores.hpp"
#include "src/model/model.hpp"

namespace pegrasp {

namespace {

// The wrenches on all bodies, step by step: a scene that is begun again needs those of all steps.
class WrenchLog {
 public:
  WrenchLog(int bodies, int size)
      : size_(static_cast<std::size_t>(size)), now_(static_cast<std::size_t>(bodies) * size_), before_(now_) {}
  WrenchLog(const WrenchLog&) = delete;
  WrenchLog& operator=(const WrenchLog&) = delete;

  // From step `step` on, counted from 0.
  void set(int step, int body, std::span<const double> wrench) {
    Change change{step, static_cast<std::size_t>(body) * size_, {}};
    std::copy(wrench.begin(), wrench.end(), change.wrench.begin());
    changes_.push_back(change);
  }
  void begin_again() {
    next_ = 0;
    std::fill(now_.begin(), now_.end(), 0.0);
    std::fill(before_.begin(), before_.end(), 0.0);
  }
  // Those of a step that begins at `time` [s]; null until one was set.
  const SetWrenches* of_step(int step, double time) {
    before_ = now_;
    for (; next_ < changes_.size() && changes_[next_].step <= step; ++next_) {
      const Change& change = changes_[next_];
      std::copy_n(change.wrench.begin(), size_, now_.begin() + static_cast<std::ptrdiff_t>(change.at));
    }
    if (next_ == 0) return nullptr;
    view_ = {time, now_.data(), before_.data()};
    return &view_;
  }

 private:
  struct Change {
    int step;
    std::size_t at;
    std::array<double, 6> wrench;
  };
  std::size_t size_;
  std::vector<double> now_, before_;  // (bodies, size)
  std::vector<Change> changes_;
  std::size_t next_ = 0;
  SetWrenches view_{};
};

}  // namespace

struct Simulation::Impl {
  Impl(std::shared_ptr<const Model> m, const StepOptions& o, std::span<const double> p, Arithmetic arithmetic)
      : model(std::move(m)),
        options(o),
        parameters(p.begin(), p.end()),
        wrenches(model->layout().body_count, model->layout().twist_size()) {
    if (model->functions().any) {
      if (options.strategy == Strategy::batched) {
        throw std::invalid_argument("motion and targets that are functions take strategy per-scene");
      }
      targets = targets_of(*model, parameters);
      sample_start(*model, parameters);
    }
    make_worker_of(arithmetic);
    worker().begin(parameters.data());
  }

  void make_worker_of(Arithmetic arithmetic) {
    if (options.strategy == Strategy::batched) {
      batched = make_batched_worker(*model, options, arithmetic, available_cores());
    } else {
      pool.emplace(*model, options, arithmetic);
    }
  }

  bool advance() {
    const int step = worker().tally().step;
    const double time = step * options.h;
    worker().push(wrenches.of_step(step, time));
    if (model->functions().any) {
      sample_step(*model, worker(), time, options.h, targets, parameters);
    }
    return worker().advance();
  }

  SceneWorker& worker() { return batched ? *batched : pool->worker(); }

  std::shared_ptr<const Model> model;
  StepOptions options;
  std::vector<double> parameters;
  std::vector<double> targets;  // of the actuators, without their functions
  WrenchLog wrenches;
  std::optional<ScenePool> pool;         // per-scene strategy
  std::unique_ptr<SceneWorker> batched;  // batched strategy, whose capacity is always enough
  int steps = 0;
  SceneOutcome before;  // the last step that was begun
  StepContents contents;
  bool watched = false;
  bool in_double = false;  // fast arithmetic that single precision was not enough for
  const std::atomic<bool>* stop = nullptr;

  // The worker is another one wherever the scene was given more capacity.
  void watch() {
    worker().watch(&contents);
    watched = true;
  }

  Vec3 centre_offset(int body) const {
    const double* c = parameters.data() + model->layout().centre(body);
    return {c[0], c[1], c[2]};
  }
  // Of the centre of mass, and of the body's axes.
  SpatialPose of_centre(int body) {
    const double* p = worker().pose() + 7 * body;
    return {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
  }

  void set_force(int body, std::span<const double> wrench, bool spatial) {
    if (model->layout().spatial != spatial) {
      throw std::logic_error(spatial ? "a planar scene takes a PlanarWrench" : "a scene in 3D takes a SpatialWrench");
    }
    const std::string name = "body " + std::to_string(body);
    const std::vector<int>& kind = model->arrays().body_kind;
    if (body < 0 || static_cast<std::size_t>(body) >= kind.size()) {
      throw std::invalid_argument("the scene has no " + name + ", but bodies 0 to " + std::to_string(kind.size() - 1));
    }
    if (kind[static_cast<std::size_t>(body)] != static_cast<int>(BodyKind::dynamic)) {
      throw std::invalid_argument(name + " is not dynamic, so that nothing can push it");
    }
    if (!std::all_of(wrench.begin(), wrench.end(), [](double x) { return std::isfinite(x); })) {
      throw std::invalid_argument("the wrench on " + name + " is not finite");
    }
    wrenches.set(worker().tally().step, body, wrench);
  }

  std::uint32_t status() { return worker().tally().step_status | worker().tally().outcome.status; }

  // With more capacity, or in double precision, the scene is begun again and brought to where it was. With capacity it
  // makes the same steps and comes to the same state. False where nothing can be done about its status.
  bool replay() {
    for (;;) {
      if ((status() & status_single_precision) != 0) {
        in_double = true;
        make_worker_of(Arithmetic::strict);
      } else if ((status() & status_capacity) == 0 || !pool || !pool->grow(worker().tally().outcome.contacts_demand)) {
        return false;
      }
      if (watched) watch();
      worker().heed(stop);
      worker().begin(parameters.data());
      wrenches.begin_again();
      int done = 0;
      while (done < steps && advance()) ++done;
      if (done == steps) return true;
    }
  }
};

namespace {

void check_dimension(const Model& model, bool spatial) {
  if (model.layout().spatial == spatial) return;
  throw std::logic_error(spatial ? "a planar scene has pose() and velocity()"
                                 : "a scene in 3D has spatial_pose() and spatial_velocity()");
}

// inertia: xx, xy, xz, yy, yz, zz in the body's frame.
double spatial_kinetic(double mass, const double* inertia, const SpatialPose& pose, const SpatialTwist& nu) {
  const Quaternion q = pose.turn;
  const Vec3 w = nu.angular, v = nu.velocity;
  // w in the body's frame: q* w q
  const double x = (1.0 - 2.0 * (q.y * q.y + q.z * q.z)) * w.x + 2.0 * (q.x * q.y + q.w * q.z) * w.y +
                   2.0 * (q.x * q.z - q.w * q.y) * w.z;
  const double y = 2.0 * (q.x * q.y - q.w * q.z) * w.x + (1.0 - 2.0 * (q.x * q.x + q.z * q.z)) * w.y +
                   2.0 * (q.y * q.z + q.w * q.x) * w.z;
  const double z = 2.0 * (q.x * q.z + q.w * q.y) * w.x + 2.0 * (q.y * q.z - q.w * q.x) * w.y +
                   (1.0 - 2.0 * (q.x * q.x + q.y * q.y)) * w.z;
  const double spin = inertia[0] * x * x + inertia[3] * y * y + inertia[5] * z * z +
                      2.0 * (inertia[1] * x * y + inertia[2] * x * z + inertia[4] * y * z);
  return 0.5 * mass * (v.x * v.x + v.y * v.y + v.z * v.z) + 0.5 * spin;
}

}  // namespace

double kinetic_energy(const BodySpec& body) {
  const InertiaTensor& i = body.spatial().inertia;
  const double inertia[6] = {i.xx, i.xy, i.xz, i.yy, i.yz, i.zz};
  return spatial_kinetic(body.mass, inertia, body.spatial().pose, body.spatial().velocity);
}

Simulation::Simulation(std::shared_ptr<const Model> model, const StepOptions& options,
                       std::span<const double> parameters, Arithmetic arithmetic)
    : impl_(std::make_unique<Impl>(std::move(model), options, parameters, arithmetic)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

bool Simulation::step() {
  SceneOutcome before = impl_->worker().tally().outcome;
  bool fine = impl_->advance();
  while (!fine && (impl_->status() & (status_capacity | status_single_precision)) != 0) {
    if (!impl_->replay()) break;
    before = impl_->worker().tally().outcome;  // counts of double precision are others
    fine = impl_->advance();
  }
  if (fine) ++impl_->steps;
  // A scene that was over before begins no step.
  if (fine || impl_->worker().tally().outcome.unresolved_steps > before.unresolved_steps) impl_->before = before;
  return fine;
}

void Simulation::set_force(int body, const PlanarWrench& wrench) {
  const double values[] = {wrench.fx, wrench.fy, wrench.torque};
  impl_->set_force(body, values, false);
}

void Simulation::set_force(int body, const SpatialWrench& wrench) {
  const Vec3 f = wrench.force, t = wrench.torque;
  const double values[] = {f.x, f.y, f.z, t.x, t.y, t.z};
  impl_->set_force(body, values, true);
}

void Simulation::heed(const std::atomic<bool>* stop) {
  impl_->stop = stop;
  impl_->worker().heed(stop);
}

double Simulation::time() const { return impl_->worker().tally().outcome.time; }
bool Simulation::present(int body) const { return impl_->worker().present()[body] != 0; }

Pose Simulation::pose(int body) const {
  check_dimension(*impl_->model, false);
  const double* p = impl_->worker().pose() + 3 * body;
  return {p[0], p[1], p[2]};
}

SpatialPose Simulation::spatial_pose(int body) const {
  check_dimension(*impl_->model, true);
  const SpatialPose centre = impl_->of_centre(body);
  const Vec3 offset = turned(centre.turn, impl_->centre_offset(body));
  return {centre.position - offset, centre.turn};
}

SpatialTwist Simulation::spatial_velocity(int body) const {
  check_dimension(*impl_->model, true);
  const double* v = impl_->worker().velocity() + 6 * body;
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

Twist Simulation::velocity(int body) const {
  check_dimension(*impl_->model, false);
  const double* v = impl_->worker().velocity() + 3 * body;
  return {v[0], v[1], v[2]};
}

SpatialTwist Simulation::spatial_middle_velocity(int body) const {
  check_dimension(*impl_->model, true);
  const double* v = impl_->worker().twist() + 6 * body;
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

Twist Simulation::middle_velocity(int body) const {
  check_dimension(*impl_->model, false);
  const double* v = impl_->worker().twist() + 3 * body;
  return {v[0], v[1], v[2]};
}

Twist Simulation::last_acceleration(int body) const {
  check_dimension(*impl_->model, false);
  const double* a = impl_->worker().acceleration() + 3 * body;
  return {a[0], a[1], a[2]};
}

SpatialTwist Simulation::spatial_last_velocity(int body) const {
  check_dimension(*impl_->model, true);
  const double* w = impl_->worker().last_spin() + 3 * body;
  return {spatial_middle_velocity(body).velocity, {w[0], w[1], w[2]}};
}

SpatialTwist Simulation::spatial_last_acceleration(int body) const {
  check_dimension(*impl_->model, true);
  const double* a = impl_->worker().acceleration() + 6 * body;
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

double Simulation::last_substep(int body) const { return impl_->worker().last_h()[body]; }

double Simulation::joint_slide(int joint) const { return impl_->worker().joint_slide(joint); }
double Simulation::joint_turn(int joint) const { return impl_->worker().joint_turn(joint); }
double Simulation::joint_apart(int joint) const { return impl_->worker().joint_apart(joint); }

int Simulation::contact_count() const { return impl_->worker().tally().last_contacts; }
double Simulation::last_residual() const { return impl_->worker().tally().step_residual; }
double Simulation::last_penetration() const { return impl_->worker().tally().step_depth; }
std::uint32_t Simulation::last_status() const { return impl_->worker().tally().step_status; }
int Simulation::last_passes() const { return impl_->worker().tally().step_passes; }

StepReport Simulation::last_step() const {
  const SceneTally& t = impl_->worker().tally();
  const SceneOutcome& before = impl_->before;
  StepReport out;
  out.step = before.steps + 1;
  out.time = out.step * impl_->options.h;
  out.status = t.step_status;
  out.residual = t.step_residual;
  out.depth = t.step_depth;
  out.squeeze = t.step_squeeze;
  out.contacts = t.last_contacts;
  out.iterations = t.outcome.iterations - before.iterations;
  out.substeps = t.outcome.substeps - before.substeps;
  out.rejected = t.outcome.substeps_rejected - before.substeps_rejected;
  return out;
}

void Simulation::watch_contacts() { impl_->watch(); }

const StepContents& Simulation::contents() const { return impl_->contents; }

double Simulation::rejected_share() const {
  const IslandTally& t = impl_->worker().tally().islands;
  return t.bodies_tried > 0 ? static_cast<double>(t.bodies_rejected) / static_cast<double>(t.bodies_tried) : 0.0;
}

// Of a body in 3D, half of its last substep before.
SpatialPose Simulation::middle_pose(int body) const {
  SpatialPose pose = spatial_pose(body);
  const Vec3 w = spatial_middle_velocity(body).angular;
  const double speed = std::hypot(w.x, w.y, w.z);
  const double half = 0.25 * last_substep(body) * speed;  // of the angle
  if (!(half > 0.0)) return pose;
  const double f = -std::sin(half) / speed;
  pose.turn = Quaternion{std::cos(half), f * w.x, f * w.y, f * w.z} * pose.turn;
  return pose;
}

EnergyReport Simulation::energy() const {
  const ModelView m = impl_->model->view();
  EnergyReport report;
  for (int body = 0; body < m.body_count; ++body) {
    if (m.body_kind[body] != static_cast<int>(BodyKind::dynamic) || !present(body)) continue;
    const double mass = impl_->parameters[static_cast<std::size_t>(m.at.mass + body)];
    if (m.spatial != 0) {
      const Vec3 at = impl_->of_centre(body).position;
      report.kinetic += spatial_kinetic(mass, impl_->parameters.data() + m.at.inertia + 6 * body, spatial_pose(body),
                                        spatial_velocity(body));
      report.unexplained += spatial_kinetic(mass, impl_->parameters.data() + m.at.inertia + 6 * body, middle_pose(body),
                                            spatial_middle_velocity(body));
      if (m.body_follows[body] == 0) {
        report.potential -= mass * (m.gravity_x * at.x + m.gravity_y * at.y + m.gravity_z * at.z);
      }
      continue;
    }
    const double inertia = impl_->parameters[static_cast<std::size_t>(m.at.inertia + body)];
    const Twist v = velocity(body);
    const Pose q = pose(body);
    const Twist u = middle_velocity(body);
    report.kinetic += 0.5 * mass * (v.vx * v.vx + v.vy * v.vy) + 0.5 * inertia * v.omega * v.omega;
    report.unexplained += 0.5 * mass * (u.vx * u.vx + u.vy * u.vy) + 0.5 * inertia * u.omega * u.omega;
    if (m.body_follows[body] == 0) report.potential -= mass * (m.gravity_x * q.x + m.gravity_y * q.y);
  }
  const double done = impl_->worker().tally().explained_work;
  report.explained = done + impl_->worker().work_to_now();
  report.unexplained -= done;
  return report;
}

SceneOutcome Simulation::outcome() const {
  SceneOutcome out = impl_->worker().tally().outcome;
  const bool ended = (out.status & (status_capacity | status_non_finite)) != 0;
  out.success = !ended && impl_->worker().success() ? 1 : 0;
  if (!ended) out.success_margin = impl_->worker().success_margin();
  out.in_double = impl_->in_double ? 1 : 0;
  return out;
}

}  // namespace pegrasp

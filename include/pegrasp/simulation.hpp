// SPDX-License-Identifier: Apache-2.0
// Running scenes: one at a time, watched step by step (Simulation), or very many (Backend).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/cuda_shape.hpp"
#include "pegrasp/options.hpp"
#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"
#include "pegrasp/step_report.hpp"

namespace pegrasp {

// Shapes and topology that all scenes of a batch share, compiled from a SceneSpec. Opaque and immutable.
class Model;
std::shared_ptr<const Model> compile_model(const SceneSpec& scene);
// Throws std::invalid_argument, one line, for a scene that cannot be simulated (no dynamic body, non-positive mass,
// ...).
// Whether scenes of the one may be simulated as scenes of the other: the models differ at most in where scenes without
// parameters of their own begin.
bool same_model(const Model& a, const Model& b);

// What the model needs: candidate pairs, hard bound on contacts, default capacity, bytes a scene.
struct CapacityReport {
  int bodies = 0;
  int parts = 0;
  int corners = 0;
  int candidate_pairs = 0;
  int contact_bound = 0;     // can never be exceeded with contact model `peg`; others have none
  int contact_capacity = 0;  // what a workspace is given first
  std::size_t bytes_per_scene = 0;
};
CapacityReport capacity(const Model& model, const StepOptions& options);

// Fills every option left at 0 that is derived from the scene (tolerances, distances). arithmetic: that the steps will
// be done in; a solver in float is not asked for more than it can give. Throws for nonsense values.
StepOptions derive_options(const StepOptions& options, const SceneSpec& scene,
                           Arithmetic arithmetic = Arithmetic::strict);

// Energies and work of one scene [J]. kinetic + potential; `explained` is the work done so far by gravity, applied
// forces, actuators, compliant shells and prescribed motion on the kinetic energy: kinetic - explained falls by contact
// and friction; it may rise a little where overlap is undone and where a large step turns a part far over its contact.
// `unexplained` is the kinetic energy in the middle of the last substep, less what was done by then: it never rises by
// more than the error of a step. Where bodies meet, kinetic energies at the ends of steps differ from it, since an
// impact is spread over two steps.
struct EnergyReport {
  double kinetic = 0.0;
  double potential = 0.0;
  double explained = 0.0;
  double unexplained = 0.0;
};

// Kinetic energy [J] of a body in 3D as a scene describes it.
double kinetic_energy(const BodySpec& body);

// A force [N] on a body's centre of mass and a torque [N m], world frame: in 2D, and in 3D.
struct PlanarWrench {
  double fx = 0.0;
  double fy = 0.0;
  double torque = 0.0;
};
struct SpatialWrench {
  Vec3 force;
  Vec3 torque;
};

// One scene on the CPU, one step at a time: the very code that the batch runs (step_scene()).
class Simulation {
 public:
  // parameters: scene_parameters(scene), possibly changed. options: from derive_options().
  Simulation(std::shared_ptr<const Model> model, const StepOptions& options, std::span<const double> parameters,
             Arithmetic arithmetic = Arithmetic::strict);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // Advances by one step h (with substeps inside where needed). False once the scene has ended (stop rule, time limit,
  // fault).
  bool step();
  void run() {
    while (step()) {
    }
  }
  // Pushes a dynamic body from the next step on, with all its substeps, until it is set again; at first with nothing.
  // Impulses are force times time, whatever the steps are. A law of state and time is of second order in h if it is
  // asked for the middle of the step: at time() + h / 2, for position + velocity h / 2. Throws std::invalid_argument
  // for a wrench that is not finite and for bodies that nothing can push, std::logic_error for the other dimension's.
  void set_force(int body, const PlanarWrench& wrench);
  void set_force(int body, const SpatialWrench& wrench);
  // Has step() look at `stop` (null: at nothing) while it works: it then returns soon after it was set, from another
  // thread or a signal handler, and the simulation must not be used any more.
  void heed(const std::atomic<bool>* stop);

  double time() const;
  bool present(int body) const;  // drop_time has passed
  Pose pose(int body) const;
  // At time(). After a step it costs about as much as one solve, once for all bodies. Scenes of so many bodies that
  // their pairs are not listed (batched strategy) give the velocity in the middle of the last step instead.
  Twist velocity(int body) const;
  SpatialPose spatial_pose(int body) const;       // of a scene in 3D: of the body's frame
  SpatialTwist spatial_velocity(int body) const;  // of the centre of mass
  // What the simulation goes on from: the velocity in the middle of the body's last (sub)step, and the length of that
  // [s], 0 before the first. In 3D the angular velocity is that of the momentum there with the turn of now.
  Twist middle_velocity(int body) const;
  SpatialTwist spatial_middle_velocity(int body) const;
  double last_substep(int body) const;
  SpatialTwist spatial_last_velocity(int body) const;  // in 3D, in that (sub)step itself
  Twist last_acceleration(int body) const;             // the mean where that (sub)step began; 0 before the first
  SpatialTwist spatial_last_acceleration(int body) const;
  // Joints by their index in the scene.
  double joint_slide(int joint) const;  // [m]
  double joint_turn(int joint) const;   // [rad], counted on beyond full turns; of a spherical joint its swing
  double joint_apart(
      int joint) const;  // [m] by how much its rows are violated; angles by the joint's arm, the scene's length scale
  int contact_count() const;          // in the last accepted substep
  double last_residual() const;       // [m/s], largest of the last step
  double last_penetration() const;    // [m], largest of the last step
  std::uint32_t last_status() const;  // bits set by the last step
  // Most linearisations that an attempt of the last step took, of any island; 0: nothing was solved.
  int last_passes() const;
  // How the last step was solved, whether it was done or ended the scene with a fault (then it counts for no step).
  StepReport last_step() const;
  // Keeps the contacts and rows of every step from the next one on; what is computed does not change.
  void watch_contacts();
  // Forces of the last step; empty without watch_contacts().
  const StepContents& contents() const;
  // How much of a scene in 3D was halved: of the attempts of its islands, by their bodies, the part that was rejected.
  double rejected_share() const;
  EnergyReport energy() const;
  SceneOutcome outcome() const;  // so far; `success` is evaluated at the present state

 private:
  SpatialPose middle_pose(int body) const;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class Sampler;

// Samples first, first + 1, ... of a problem, to be drawn and simulated: where they come from and where they go, a row
// each.
struct SampleJob {
  const Sampler& sampler;
  std::size_t first = 0;             // number of the first: cell * samples_per_cell() + sample
  std::span<SceneOutcome> outcomes;  // (rows)
  std::span<double> final_poses;     // as Backend::run's
  std::span<double> values;          // (rows, sampler.values())
  std::span<int> redrawn;            // (rows) tripods that were redrawn
  int threads = 0;                   // that draw, where it is the host that does; 0: all that the process may use
  double drawing = 0.0;              // out: how long the host drew [s]; 0 where a device does
};

// A scene with a model of its own.
struct OwnScene {
  std::shared_ptr<const Model> model;
  StepOptions options;             // derived
  std::vector<double> parameters;  // size layout.size()
};

// A device that runs scenes to their end. Results of a scene depend on (model, options, its parameters) alone.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;    // "cpu", "cuda"
  virtual std::string device() const = 0;  // in words: "2 threads of <processor>", "NVIDIA H200"
  // That it simulates in, as make_backend() was given it; options are derived for the same (derive_options()).
  virtual Arithmetic arithmetic() const { return Arithmetic::strict; }
  // How the scenes of the last run() lay on the device, in words; empty on a CPU.
  virtual std::string shape() const { return {}; }
  // parameters: (scene_count, layout.size()) row-major; outcomes: (scene_count); final_poses: (scene_count, bodies, 3;
  // of scenes in 3D 7, of the bodies' frames), row-major. Scenes that ran out of capacity are re-run with more capacity
  // before this returns. `stop` (may be null) ends the call early at a scene boundary: returns false, and the outputs
  // are then incomplete and must not be used.
  virtual bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
                   std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) = 0;
  // Draws samples and runs them; the same bits wherever they are drawn. Here the host draws all of them, then runs
  // them; on the per-scene strategy a device draws them itself. Throws what Sampler::draw() throws.
  virtual bool run_samples(const Model& model, const StepOptions& options, SampleJob& job,
                           const std::atomic<bool>* stop);
  // Runs scenes that share no model, of equally many bodies; as run() otherwise. make(i) makes scene i when its turn
  // has come, on any thread. Here they run one after another; the CPU runs them side by side, also for a device.
  virtual bool run_each(const std::function<OwnScene(std::size_t)>& make, std::span<SceneOutcome> outcomes,
                        std::span<double> final_poses, const std::atomic<bool>* stop);
};

enum class BackendKind { automatic, cpu, cuda };

struct BackendInfo {
  bool built = false;      // compiled into this binary
  bool available = false;  // and a device is there
  std::string detail;      // device name, or why not
  int devices = 0;         // CUDA devices of the machine
};
BackendInfo backend_info(BackendKind kind);

std::vector<int> cuda_team_sizes();  // that this binary was built with, increasing; none without CUDA

// threads: 0 means all cores (CPU backend). device: the number of a CUDA device, from 0; none: the first, where one is
// used. shape: of the CUDA backend. Throws std::runtime_error, one line, when the kind is not available, or a device or
// a shape that was asked for.
std::unique_ptr<Backend> make_backend(BackendKind kind, Arithmetic arithmetic, int threads = 0,
                                      std::optional<int> device = std::nullopt, CudaShape shape = {});

}  // namespace pegrasp

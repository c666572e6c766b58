// SPDX-License-Identifier: Apache-2.0
// Scenes, simulations watched step by step, and batches.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>
#include <stdexcept>

#include "pegrasp/parameters.hpp"
#include "src/cli/common.hpp"
#include "src/python/arrays.hpp"
#include "src/python/bind.hpp"
#include "src/python/scene_case.hpp"
#include "src/python/watched.hpp"

namespace nb = nanobind;

namespace pegrasp::python {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Job = std::shared_ptr<const cli::SceneJob>;

std::vector<double> row_of(const cli::SceneJob& job, const Row& parameters) {
  if (parameters.shape(0) != job.parameters.size()) {
    throw std::invalid_argument("parameters: must have " + std::to_string(job.parameters.size()) + " numbers, not " +
                                std::to_string(parameters.shape(0)) + "; Batch.parameter_names lists them");
  }
  return {parameters.data(), parameters.data() + parameters.shape(0)};
}

// A simulation that one thread at a time uses.
class Stepper {
 public:
  Stepper(Job job, const Row& parameters, bool contacts)
      : job_(std::move(job)), simulation_(job_->model, job_->options, row_of(*job_, parameters), job_->arithmetic) {
    if (contacts) simulation_.watch_contacts();
  }

  bool step() {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    return !ended_ && advance();
  }

  // Steps from now to a time, if the scene does not end before.
  std::size_t steps_to(double time) {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    const double left = std::min(time, job_->options.duration) - simulation_.time();
    return static_cast<std::size_t>(std::clamp(std::ceil(left / job_->options.h - 1e-9), 0.0, 1e15));
  }

  // Until the time is reached or the scene has ended. progress: None or a function.
  bool run_to(double time, const nb::object& progress) {
    Watched watched;
    const std::size_t total = steps_to(time);
    std::exception_ptr fault;
    const auto work = [&] {
      try {
        const std::lock_guard lock(mutex_);
        for (std::size_t done = 0; !ended_ && !watched.stop.load() && simulation_.time() < time;) {
          advance();
          watched.tell(std::min(++done, total), total, "steps");
        }
      } catch (...) {
        fault = std::current_exception();
      }
    };
    run_watched(watched, progress, work);
    if (fault) std::rethrow_exception(fault);
    return !ended_;
  }

  template <class F>
  auto with(const F& f) {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    return f(simulation_);
  }
  const cli::SceneJob& job() const { return *job_; }
  bool ended() const { return ended_; }

 private:
  bool advance() {
    ended_ = !simulation_.step();
    return !ended_;
  }

  Job job_;
  std::mutex mutex_;
  Simulation simulation_;
  bool ended_ = false;
};

std::vector<double> poses_of(const cli::SceneJob& job, const Simulation& simulation) {
  std::vector<double> out;
  for (int b = 0; b < static_cast<int>(job.scene.bodies.size()); ++b) {
    if (job.scene.spatial) {
      const SpatialPose p = simulation.spatial_pose(b);
      out.insert(out.end(), {p.position.x, p.position.y, p.position.z, p.turn.w, p.turn.x, p.turn.y, p.turn.z});
    } else {
      const Pose p = simulation.pose(b);
      out.insert(out.end(), {p.x, p.y, p.theta});
    }
  }
  return out;
}

std::vector<double> velocities_of(const cli::SceneJob& job, const Simulation& simulation) {
  std::vector<double> out;
  for (int b = 0; b < static_cast<int>(job.scene.bodies.size()); ++b) {
    if (job.scene.spatial) {
      const SpatialTwist v = simulation.spatial_velocity(b);
      out.insert(out.end(), {v.velocity.x, v.velocity.y, v.velocity.z, v.angular.x, v.angular.y, v.angular.z});
    } else {
      const Twist v = simulation.velocity(b);
      out.insert(out.end(), {v.vx, v.vy, v.omega});
    }
  }
  return out;
}

std::vector<double> joints_of(const cli::SceneJob& job, const Simulation& simulation) {
  std::vector<double> out;
  for (int j = 0; j < static_cast<int>(job.scene.joints.size()); ++j)
    out.insert(out.end(), {simulation.joint_slide(j), simulation.joint_turn(j)});
  return out;
}

// body: its number; wrench: 3 numbers, in 3D 6.
void set_force(const cli::SceneJob& job, Simulation& simulation, int body, const std::vector<double>& wrench) {
  const std::size_t size = job.scene.spatial ? 6 : 3;
  if (wrench.size() != size) {
    throw std::invalid_argument("wrench: must have " + std::to_string(size) + " numbers, not " +
                                std::to_string(wrench.size()));
  }
  const double* w = wrench.data();
  if (job.scene.spatial) {
    simulation.set_force(body, SpatialWrench{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
  } else {
    simulation.set_force(body, PlanarWrench{w[0], w[1], w[2]});
  }
}

nb::dict last_step_of(const StepReport& step) {
  nb::dict out;
  out["step"] = step.step;
  out["time"] = step.time;
  out["status"] = step.status;
  out["residual"] = step.residual;
  out["depth"] = step.depth;
  out["contacts"] = step.contacts;
  out["iterations"] = step.iterations;
  out["substeps"] = step.substeps;
  out["rejected"] = step.rejected;
  return out;
}

nb::dict energy_of(const EnergyReport& energy) {
  nb::dict out;
  out["kinetic"] = energy.kinetic;
  out["potential"] = energy.potential;
  out["explained"] = energy.explained;
  out["unexplained"] = energy.unexplained;
  return out;
}

std::vector<std::string> body_names(const cli::SceneJob& job) {
  std::vector<std::string> names;
  for (const BodySpec& body : job.scene.bodies) names.push_back(body.name);
  return names;
}

std::vector<std::string> joint_names(const cli::SceneJob& job) {
  std::vector<std::string> names;
  for (const JointSpec& joint : job.scene.joints) names.push_back(joint.name);
  return names;
}

constexpr std::size_t fewest_scenes_a_part = 4096, most_parts = 50;  // between which progress is told

// Outcomes as rows of bytes, final poses (scenes, bodies, 3 | 7), and the device in words. progress: None or a
// function.
nb::tuple run_batch(const Job& job, const Rows& parameters, const std::string& backend_name, int threads, int device,
                    const nb::object& progress) {
  const std::size_t width = job->parameters.size();
  if (parameters.shape(1) != width) {
    throw std::invalid_argument("parameters: must have " + std::to_string(width) + " columns, not " +
                                std::to_string(parameters.shape(1)) + "; parameter_names lists them");
  }
  const std::size_t count = parameters.shape(0), bodies = job->scene.bodies.size();
  const std::size_t pose = job->scene.spatial ? 7 : 3;
  std::vector<SceneOutcome> outcomes(count);
  std::vector<double> poses(count * bodies * pose);
  Watched watched;
  std::exception_ptr fault;
  std::string used;
  const auto work = [&] {
    try {
      const std::unique_ptr<Backend> backend = cli::backend_named(backend_name, job->arithmetic, threads, device);
      used = backend->device();
      const std::size_t part = progress.is_none() ? count : std::max(fewest_scenes_a_part, count / most_parts);
      for (std::size_t first = 0; first < count && !watched.stop.load(); first += part) {
        const std::size_t scenes = std::min(part, count - first);
        backend->run(*job->model, job->options, std::span(parameters.data() + first * width, scenes * width),
                     std::span(outcomes).subspan(first, scenes),
                     std::span(poses).subspan(first * bodies * pose, scenes * bodies * pose), &watched.stop);
        watched.tell(first + scenes, count, "scenes");
      }
    } catch (...) {
      fault = std::current_exception();
    }
  };
  run_watched(watched, progress, work);
  if (fault) std::rethrow_exception(fault);
  return nb::make_tuple(bytes_of(std::move(outcomes)), array_of(std::move(poses), {count, bodies, pose}),
                        nb::str(used.c_str()));
}

nb::tuple case_of(const std::vector<std::string>& words, const std::map<std::string, std::string>& texts) {
  SceneCase made;
  {
    const nb::gil_scoped_release free;
    made = make_case(words, texts);
  }
  return nb::make_tuple(made.ending.exit_code, nb::str(made.ending.message.c_str()), nb::str(made.says.c_str()),
                        made.job ? nb::cast(std::const_pointer_cast<cli::SceneJob>(made.job)) : nb::none());
}

void bind_stepper(nb::module_& module) {
  nb::class_<Stepper>(module, "Stepper")
      .def("__init__", [](Stepper* self, const std::shared_ptr<cli::SceneJob>& job, const Row& parameters,
                          bool contacts) { new (self) Stepper(job, parameters, contacts); })
      .def("step", &Stepper::step)
      .def("run_to", &Stepper::run_to, nb::arg("time"), nb::arg("progress").none())
      .def("steps_to", &Stepper::steps_to)
      .def_prop_ro("ended", &Stepper::ended)
      .def_prop_ro("time", [](Stepper& s) { return s.with([](const Simulation& x) { return x.time(); }); })
      .def("poses",
           [](Stepper& s) {
             const std::size_t bodies = s.job().scene.bodies.size(), pose = s.job().scene.spatial ? 7 : 3;
             return array_of(s.with([&](const Simulation& x) { return poses_of(s.job(), x); }), {bodies, pose});
           })
      .def("velocities",
           [](Stepper& s) {
             const std::size_t bodies = s.job().scene.bodies.size(), twist = s.job().scene.spatial ? 6 : 3;
             return array_of(s.with([&](const Simulation& x) { return velocities_of(s.job(), x); }), {bodies, twist});
           })
      .def("joints",
           [](Stepper& s) {
             const std::size_t joints = s.job().scene.joints.size();
             return array_of(s.with([&](const Simulation& x) { return joints_of(s.job(), x); }), {joints, 2});
           })
      .def("set_force",
           [](Stepper& s, int body, const Row& wrench) {
             const std::vector<double> values(wrench.data(), wrench.data() + wrench.shape(0));
             s.with([&](Simulation& x) { set_force(s.job(), x, body, values); });
           })
      .def("contacts",
           [](Stepper& s) { return bytes_of(s.with([](const Simulation& x) { return x.contents().step_contacts; })); })
      .def("loads", [](Stepper& s) { return bytes_of(s.with([](const Simulation& x) { return x.contents().loads; })); })
      .def("body_loads",
           [](Stepper& s) { return bytes_of(s.with([](const Simulation& x) { return x.contents().bodies; })); })
      .def("outcome",
           [](Stepper& s) {
             return bytes_of(std::vector<SceneOutcome>{s.with([](const Simulation& x) { return x.outcome(); })});
           })
      .def("last_step",
           [](Stepper& s) { return last_step_of(s.with([](const Simulation& x) { return x.last_step(); })); })
      .def("energy", [](Stepper& s) { return energy_of(s.with([](const Simulation& x) { return x.energy(); })); });
}

}  // namespace

void bind_simulation(nb::module_& module) {
  nb::class_<cli::SceneJob>(module, "Case")
      .def_prop_ro("spatial", [](const cli::SceneJob& job) { return job.scene.spatial; })
      .def_prop_ro("body_names", &body_names)
      .def_prop_ro("joint_names", &joint_names)
      .def_prop_ro("parameter_names", [](const cli::SceneJob& job) { return parameter_names(job.scene); })
      .def_prop_ro("h", [](const cli::SceneJob& job) { return job.options.h; })
      .def_prop_ro("duration", [](const cli::SceneJob& job) { return job.options.duration; })
      .def_prop_ro("tolerance", [](const cli::SceneJob& job) { return job.options.tolerance; })
      .def("parameters", [](const cli::SceneJob& job) {
        return array_of(std::vector<double>(job.parameters), {job.parameters.size()});
      });
  module.def("case_of", &case_of);
  module.def(
      "run_batch",
      [](const std::shared_ptr<cli::SceneJob>& job, const Rows& parameters, const std::string& backend, int threads,
         int device,
         const nb::object& progress) { return run_batch(job, parameters, backend, threads, device, progress); },
      nb::arg("job"), nb::arg("parameters"), nb::arg("backend"), nb::arg("threads"), nb::arg("device"),
      nb::arg("progress").none());
  bind_stepper(module);
}

}  // namespace pegrasp::python

// SPDX-License-Identifier: Apache-2.0
#include "src/cli/user_function.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

#include "pegrasp/error.hpp"
#include "pegrasp/user_function.h"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

pegrasp_user_function_type load(const std::string& file) {
  // dlopen() looks for a name without a slash in the system's folders; a file that is here is what is meant.
  const std::string at = file.find('/') == std::string::npos && std::filesystem::exists(file) ? "./" + file : file;
  const std::string name = "--user-function: " + printable(file);
  void* library = dlopen(at.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays until the program ends
  if (library == nullptr) {
    const char* why = dlerror();
    throw InputError(name + ": cannot be loaded: " + printable_line(why != nullptr ? why : "no reason is given") +
                     "; make it with cc -shared -fPIC -o LIB.so FILE.c");
  }
  const auto function = reinterpret_cast<pegrasp_user_function_type>(dlsym(library, "pegrasp_user_function"));
  if (function == nullptr)
    throw InputError(name + ": has no function pegrasp_user_function; see include/pegrasp/user_function.h");
  return function;
}

// Targets of all steps so far: a scene that is given more room begins again, and must ask for the same.
struct Targets {
  double h;
  std::vector<std::vector<double>> of_step;  // (steps, motors)
  double at(double t, std::size_t motor) const {
    // Asked for the begin or the middle of a step.
    const auto step = static_cast<std::size_t>(std::max(0.0, std::floor(t / h + 0.25)));
    return step < of_step.size() ? of_step[step][motor] : 0.0;
  }
};

}  // namespace

struct UserFunction::Impl {
  pegrasp_user_function_type function;
  std::shared_ptr<Targets> targets;
  std::vector<std::string> names;
  std::vector<const char*> body_names, joint_names, motor_names;
  std::vector<int> present, contact_bodies;
  std::vector<double> pose, velocity, slide, turn, apart, contact_force, contact_point, target, wrench, pushed;
  std::vector<bool> dynamic;
  void* user_data = nullptr;
  std::string file;
  bool spatial = false;

  void gather(const Simulation& simulation);
  void call(const Simulation& simulation, int step);
  void check(double time) const;
  void push(Simulation& simulation);
};

UserFunction::UserFunction(const std::string& file, SceneSpec& scene, double h) : impl_(std::make_unique<Impl>()) {
  Impl& own = *impl_;
  own.file = file;
  own.function = load(file);
  own.spatial = scene.spatial;
  own.targets = std::make_shared<Targets>(Targets{h, {}});
  own.target.assign(scene.actuators.size(), 0.0);
  own.wrench.assign(6 * scene.bodies.size(), 0.0);
  own.pushed = own.wrench;
  for (const BodySpec& body : scene.bodies) own.dynamic.push_back(body.kind == BodyKind::dynamic);
  for (std::size_t k = 0; k < scene.actuators.size(); ++k) {
    ActuatorSpec& motor = scene.actuators[k];
    if (motor.joint >= 0 && scene.joints[static_cast<std::size_t>(motor.joint)].kind == JointKind::spherical) {
      throw InputError("--user-function: motor \"" + printable(motor.name) +
                       "\" turns a spherical joint, whose target is no number; take a scene without it");
    }
    const auto earlier = motor.target_function;
    motor.target_function = [targets = own.targets, k, earlier](double t) {
      return targets->at(t, k) + (earlier ? earlier(t) : 0.0);
    };
  }
  for (const BodySpec& body : scene.bodies) own.names.push_back(body.name);
  for (const JointSpec& joint : scene.joints) own.names.push_back(joint.name);
  for (const ActuatorSpec& motor : scene.actuators) own.names.push_back(motor.name);
  for (std::size_t i = 0; i < own.names.size(); ++i) {
    auto& list = i < scene.bodies.size()                         ? own.body_names
                 : i < scene.bodies.size() + scene.joints.size() ? own.joint_names
                                                                 : own.motor_names;
    list.push_back(own.names[i].c_str());
  }
}

UserFunction::~UserFunction() = default;

void UserFunction::Impl::gather(const Simulation& simulation) {
  present.clear();
  pose.clear();
  velocity.clear();
  for (int b = 0; b < static_cast<int>(body_names.size()); ++b) {
    present.push_back(simulation.present(b) ? 1 : 0);
    if (spatial) {
      const auto [x, q] = simulation.spatial_pose(b);
      const auto [v, w] = simulation.spatial_velocity(b);
      pose.insert(pose.end(), {x.x, x.y, x.z, q.w, q.x, q.y, q.z});
      velocity.insert(velocity.end(), {v.x, v.y, v.z, w.x, w.y, w.z});
    } else {
      const Pose q = simulation.pose(b);
      const Twist v = simulation.velocity(b);
      pose.insert(pose.end(), {q.x, q.y, 0.0, std::cos(0.5 * q.theta), 0.0, 0.0, std::sin(0.5 * q.theta)});
      velocity.insert(velocity.end(), {v.vx, v.vy, 0.0, 0.0, 0.0, v.omega});
    }
  }
  slide.clear();
  turn.clear();
  apart.clear();
  for (int j = 0; j < static_cast<int>(joint_names.size()); ++j) {
    slide.push_back(simulation.joint_slide(j));
    turn.push_back(simulation.joint_turn(j));
    apart.push_back(simulation.joint_apart(j));
  }
  contact_bodies.clear();
  contact_force.clear();
  contact_point.clear();
  for (const ContactReport& contact : simulation.contents().step_contacts) {
    if (!(contact.duration > 0.0) || contact.state == ContactState::none) continue;
    contact_bodies.insert(contact_bodies.end(), {contact.body_a, contact.body_b});
    const Vec3 impulse = contact.impulse, point = contact.point;
    for (const double p : {impulse.x, impulse.y, impulse.z}) contact_force.push_back(p / contact.duration);
    contact_point.insert(contact_point.end(), {point.x, point.y, point.z});
  }
}

void UserFunction::Impl::call(const Simulation& simulation, int step) {
  gather(simulation);
  pegrasp_user_step now{};
  now.version = PEGRASP_USER_FUNCTION_VERSION;
  now.step = step;
  now.time = simulation.time();
  now.h = targets->h;
  now.body_count = static_cast<int>(body_names.size());
  now.joint_count = static_cast<int>(joint_names.size());
  now.motor_count = static_cast<int>(motor_names.size());
  now.contact_count = static_cast<int>(contact_bodies.size() / 2);
  now.body_name = body_names.data();
  now.joint_name = joint_names.data();
  now.motor_name = motor_names.data();
  now.present = present.data();
  now.pose = pose.data();
  now.velocity = velocity.data();
  now.joint_slide = slide.data();
  now.joint_turn = turn.data();
  now.joint_apart = apart.data();
  now.contact_bodies = contact_bodies.data();
  now.contact_force = contact_force.data();
  now.contact_point = contact_point.data();
  now.target = target.data();
  now.user_data = &user_data;
  now.wrench = wrench.data();
  const std::string name = "--user-function: " + printable(file);
  if (const int code = function(&now); code != 0) {
    throw InputError(name + ": ended the run at t = " + std::to_string(now.time) + " s with " + std::to_string(code) +
                     "; 0 goes on");
  }
  if (step >= 0) check(now.time);
}

// Whether what the function has set makes sense.
void UserFunction::Impl::check(double time) const {
  const auto refuse = [&](const std::string& what, const std::string& why) {
    throw InputError("--user-function: " + printable(file) + ": " + what + " at t = " + std::to_string(time) + " s; " +
                     why);
  };
  for (std::size_t k = 0; k < target.size(); ++k) {
    if (!std::isfinite(target[k]))
      refuse("target of motor " + printable(motor_names[k]) + " is not finite", "give a number");
  }
  for (std::size_t i = 0; i < wrench.size(); ++i) {
    const std::size_t k = i % 6;
    const std::string name = "wrench on body " + printable(body_names[i / 6]);
    if (!std::isfinite(wrench[i])) refuse(name + " is not finite", "give numbers");
    if (wrench[i] == 0.0) continue;
    if (!dynamic[i / 6]) refuse(name + " is not 0", "the body is not dynamic, so that nothing can push it");
    if (!spatial && k >= 2 && k < 5) refuse(name + " leaves the plane", "set [0], [1] and [5] of it");
  }
}

// Sets what has changed.
void UserFunction::Impl::push(Simulation& simulation) {
  for (std::size_t b = 0; b < dynamic.size(); ++b) {
    const double* w = wrench.data() + 6 * b;
    if (std::equal(w, w + 6, pushed.data() + 6 * b)) continue;
    if (spatial) {
      simulation.set_force(static_cast<int>(b), SpatialWrench{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
    } else {
      simulation.set_force(static_cast<int>(b), PlanarWrench{w[0], w[1], w[5]});
    }
  }
  pushed = wrench;
}

void UserFunction::before_step(Simulation& simulation) {
  const auto step = impl_->targets->of_step.size();
  impl_->call(simulation, static_cast<int>(step));
  impl_->push(simulation);
  impl_->targets->of_step.push_back(impl_->target);
}

void UserFunction::after_last_step(const Simulation& simulation) { impl_->call(simulation, -1); }

}  // namespace pegrasp::cli

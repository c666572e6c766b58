// SPDX-License-Identifier: Apache-2.0
// The function of a shared library that `run --user-function` calls before every step
// (include/pegrasp/user_function.h).
#pragma once

#include <memory>
#include <string>

#include "pegrasp/scene.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp::cli {

class UserFunction {
 public:
  // Loads the library and adds to the motors of `scene` what the function asks of them. h: the step [s]. Throws
  // InputError where it cannot be loaded or has no such function, and for motors of spherical joints.
  UserFunction(const std::string& file, SceneSpec& scene, double h);
  ~UserFunction();
  UserFunction(const UserFunction&) = delete;
  UserFunction& operator=(const UserFunction&) = delete;

  void before_step(Simulation& simulation);
  void after_last_step(const Simulation& simulation);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pegrasp::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/launch/batched_scenes.hpp"
#include "pegrasp/simulation.hpp"
#include "src/backend/kept_runner.hpp"
#include "src/model/model.hpp"

namespace pegrasp {

// What the backend asks of a device; tests have one of their own.
struct DeviceMakers {
  std::string name;  // of the device, in words
  MakeRunner runner;
  std::function<std::unique_ptr<BatchedScenes>(const Model& model, const StepOptions& options)> batched;
  Arithmetic arithmetic = Arithmetic::strict;
};

std::unique_ptr<Backend> make_cuda_backend(DeviceMakers device);
std::unique_ptr<Backend> make_cuda_backend(Arithmetic arithmetic, int device, CudaShape shape);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "src/backend/kept_runner.hpp"
#include "kernels/launch/batched_scenes.hpp"
#include "src/model/model.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

// What the backend asks of a device; tests have one of their own.
struct DeviceMakers {
  std::string name;  // of the device, in words
  MakeRunner runner;
  std::function<std::unique_ptr<SparseScenes>(const Model& model, const StepOptions& options)> sparse;
};

std::unique_ptr<Backend> make_cuda_backend(DeviceMakers device);
std::unique_ptr<Backend> make_cuda_backend(Arithmetic arithmetic, int device, CudaShape shape);

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
// A CUDA device as the host code sees it, without CUDA types. Built without nvcc the same functions say so
// (cuda_runner_absent.cpp).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "pegrasp/options.hpp"
#include "pegrasp/simulation.hpp"
#include "scene/model.hpp"
#include "scene/scene.hpp"

namespace pegrasp {

struct CudaDevice {
  bool built = false;      // this binary has device code
  bool available = false;  // and a device is there
  std::string detail;      // its name, or why not
  int count = 0;           // devices of the machine, numbered from 0
};
CudaDevice cuda_device(int index = 0);

// One model on the device. All errors are std::runtime_error, one line.
class CudaRunner {
 public:
  virtual ~CudaRunner() = default;
  // Runs the scenes `order` (indices; empty: all) of the batch to their ends in workspaces of the given capacity. The other
  // scenes' outcomes and poses stay as they are.
  // parameters: (scenes, parameter_count); outcomes: (scenes); final_poses: (scenes, bodies, 3).
  virtual void run(const StepOptions& options, Capacity capacity, std::span<const double> parameters,
                   std::span<const int> order, std::span<SceneOutcome> outcomes, std::span<double> final_poses) = 0;
  // How the scenes of the first run() lay on the device, in words; later ones may have needed larger workspaces.
  virtual std::string shape() const = 0;
};

// model: host view; copied. device: of those of the machine; to be used by the calling thread alone.
std::unique_ptr<CudaRunner> make_cuda_runner(const ModelView& model, Arithmetic arithmetic, int device = 0,
                                             CudaShape shape = {});

}  // namespace pegrasp

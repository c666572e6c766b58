// SPDX-License-Identifier: Apache-2.0
// A CUDA device as the host code sees it, without CUDA types. Built without nvcc the same functions say so
// (cuda_runner_absent.cpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/model/model.hpp"
#include "kernels/scene/scene.hpp"
#include "pegrasp/cuda_shape.hpp"
#include "pegrasp/options.hpp"

namespace pegrasp {

class Sampler;

struct CudaDevice {
  bool built = false;      // this binary has device code
  bool available = false;  // and a device is there
  std::string detail;      // its name, or why not
  int count = 0;           // devices of the machine, numbered from 0
};
CudaDevice cuda_device(int index = 0);

// Where the parameters of a batch's scenes come from, and those of a piece of it.
struct SceneSource {
  std::span<const double> given;     // (scenes, parameter_count); empty: they are drawn on the device
  const Sampler* sampler = nullptr;  // that draws them, of the whole batch
  std::size_t first = 0;             // number of the first sample that is drawn
};

// What a device tells of the samples that it has drawn. Both empty where parameters are given.
struct DrawnRows {
  std::span<double> values;  // (scenes, sampler->values())
  std::span<int> redrawn;    // (scenes), as the kernels' draw_sample() returns it
};

// One model on the device. All errors are std::runtime_error, one line; after one the runner is of no further use.
// Destroying it waits for what is under way.
class CudaRunner {
 public:
  virtual ~CudaRunner() = default;
  // Pieces that may be on the device at a time: one is computed while another is copied.
  static constexpr int lanes = 2;
  // Scenes that a piece of the batch may have at most, for the device's memory and a modest amount of the host's.
  virtual std::size_t most_scenes() const = 0;
  // A batch begins: how many scenes, one a team, the device holds at once in workspaces of the given capacity. sampler:
  // that draws its scenes' parameters; null: they are given.
  virtual std::size_t begin(Capacity capacity, const Sampler* sampler) = 0;
  // Begins to run the scenes `order` (indices; empty: all) of a piece to their ends in workspaces of the given
  // capacity; does not wait. finish() waits for the piece in the lane. What was read is copied before start() returns.
  // outcomes: (scenes), read where there is an order: the other scenes' stay as they are.
  virtual void start(int lane, const StepOptions& options, Capacity capacity, const SceneSource& source,
                     std::span<const int> order, std::span<const SceneOutcome> outcomes,
                     std::span<const double> final_poses) = 0;
  // Whether finish() would not wait.
  virtual bool ready(int lane) = 0;
  // outcomes: (scenes); final_poses: (scenes, bodies, 3; in 3D 7).
  virtual void finish(int lane, std::span<SceneOutcome> outcomes, std::span<double> final_poses,
                      const DrawnRows& drawn) = 0;
  // No team takes another scene or another step of what is under way, which is not to be finished. Where the device
  // does not listen, destroying the runner waits.
  virtual void abandon() noexcept = 0;
  // How the scenes of the batch's first piece lay on the device, in words; later ones may have needed larger
  // workspaces.
  virtual std::string shape() const = 0;
};

// model: host view; its arrays must outlive the runner. device: of those of the machine. To be used by one thread at a
// time.
std::unique_ptr<CudaRunner> make_cuda_runner(const ModelView& model, Arithmetic arithmetic, int device = 0,
                                             CudaShape shape = {});

}  // namespace pegrasp

// SPDX-License-Identifier: Apache-2.0
#include "launch/cuda_runner.hpp"

#include <algorithm>
#include <cstddef>

#include "launch/cuda_scenes.hpp"
#include "launch/device_buffer.hpp"
#include "launch/device_model.hpp"

namespace pegrasp {
namespace {

class Runner final : public CudaRunner {
 public:
  Runner(const ModelView& model, Arithmetic arithmetic) : host_(model), model_(model), arithmetic_(arithmetic) {
    cuda_check(strict() ? resident_blocks_strict(&blocks_) : resident_blocks_fast(&blocks_), "occupancy");
    if (blocks_ < 1) throw std::runtime_error("CUDA: the scene kernel does not fit on this device");
  }

  void run(const StepOptions& options, Capacity capacity, std::span<const double> parameters,
           std::span<const int> order, std::span<SceneOutcome> outcomes, std::span<double> final_poses) override {
    if (outcomes.empty()) return;
    const DeviceBuffer device_parameters = upload(parameters.data(), parameters.size());
    const DeviceBuffer device_order = upload(order.data(), order.size());
    const DeviceBuffer device_outcomes = upload(outcomes.data(), outcomes.size());
    const DeviceBuffer device_poses = upload(final_poses.data(), final_poses.size());
    SceneBatch batch{};
    batch.model = model_.view();
    batch.parameters = device_parameters.as<double>();
    batch.order = order.empty() ? nullptr : device_order.as<int>();
    batch.outcomes = device_outcomes.as<SceneOutcome>();
    batch.final_poses = device_poses.as<double>();
    batch.scene_count = static_cast<int>(order.empty() ? outcomes.size() : order.size());
    batch.parameter_count = host_.parameter_count;
    batch.body_count = host_.body_count;
    batch.capacity = capacity;
    launch(batch, options);
    cuda_check(cudaMemcpy(outcomes.data(), batch.outcomes, outcomes.size_bytes(), cudaMemcpyDeviceToHost),
               "copy from the device");
    cuda_check(cudaMemcpy(final_poses.data(), batch.final_poses, final_poses.size_bytes(), cudaMemcpyDeviceToHost),
               "copy from the device");
  }

 private:
  bool strict() const { return arithmetic_ == Arithmetic::strict; }

  // As many teams as the device holds at once, or as its memory has room for.
  void launch(SceneBatch& batch, const StepOptions& options) const {
    batch.arena_bytes = strict() ? arena_bytes_strict(host_, batch.capacity) : arena_bytes_fast(host_, batch.capacity);
    const std::size_t per_block = batch.arena_bytes * cuda_teams_per_block;
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for free memory");
    const std::size_t fit = (free_bytes - free_bytes / 8) / per_block;
    if (fit < 1) throw std::runtime_error("CUDA: a scene's workspace does not fit in device memory");
    const std::size_t needed =
        (static_cast<std::size_t>(batch.scene_count) + cuda_teams_per_block - 1) / cuda_teams_per_block;
    const std::size_t blocks = std::min({fit, needed, static_cast<std::size_t>(blocks_)});
    const DeviceBuffer arenas(per_block * blocks);
    const int zero = 0;
    const DeviceBuffer queue = upload(&zero, 1);
    batch.arenas = arenas.as<unsigned char>();
    batch.queue = queue.as<int>();
    const int grid = static_cast<int>(blocks);
    cuda_check(strict() ? launch_scenes_strict(batch, options, grid, nullptr)
                        : launch_scenes_fast(batch, options, grid, nullptr),
               "launch");
    cuda_check(cudaDeviceSynchronize(), "scene kernel");
  }

  ModelView host_;
  DeviceModel model_;
  Arithmetic arithmetic_;
  int blocks_ = 0;
};

}  // namespace

CudaDevice cuda_device(int index) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 1) {
    cudaGetLastError();  // not sticky: the process goes on without a device
    return {true, false, "no CUDA device was found"};
  }
  if (index < 0 || index >= count) return {true, false, "there is no CUDA device of that number", count};
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
    return {true, false, "the CUDA device does not answer", count};
  }
  return {true, true, properties.name, count};
}

std::unique_ptr<CudaRunner> make_cuda_runner(const ModelView& model, Arithmetic arithmetic, int device) {
  cuda_check(cudaSetDevice(device), "choose the device");
  return std::make_unique<Runner>(model, arithmetic);
}

}  // namespace pegrasp

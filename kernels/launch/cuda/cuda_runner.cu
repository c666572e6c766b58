// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cuda/cuda_runner.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "kernels/launch/cuda/cuda_samples.hpp"
#include "kernels/launch/cuda/cuda_scenes.hpp"
#include "kernels/launch/cuda/device_buffer.hpp"
#include "kernels/launch/cuda/device_model.hpp"
#include "kernels/launch/cuda/device_sample_plan.hpp"
#include "kernels/sampling/sample_plan.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {
namespace {

// One team size, in 2D and in 3D. Null: not built (fast in 3D, smooth parts: teams of 8 alone, as each kernel takes
// minutes to compile).
struct Kernels {
  const SceneKernels *strict, *fast, *spatial, *spatial_fast, *smooth, *spatial_smooth;
};
// What this binary was built with: PEGRASP_CUDA_TEAMS, in CMake.
constexpr std::array kernels_by_size{
#ifdef PEGRASP_TEAM_1
    Kernels{&scenes_1_strict, &scenes_1_fast, &scenes_1_spatial, nullptr, nullptr, nullptr},
#endif
#ifdef PEGRASP_TEAM_2
    Kernels{&scenes_2_strict, &scenes_2_fast, &scenes_2_spatial, nullptr, nullptr, nullptr},
#endif
#ifdef PEGRASP_TEAM_8
    Kernels{&scenes_8_strict, &scenes_8_fast, &scenes_8_spatial, &scenes_8_spatial_fast, &scenes_8_smooth,
            &scenes_8_spatial_smooth},
#endif
#ifdef PEGRASP_TEAM_32
    Kernels{&scenes_32_strict, &scenes_32_fast, &scenes_32_spatial, nullptr, nullptr, nullptr},
#endif
#ifdef PEGRASP_TEAM_128
    Kernels{&scenes_128_strict, &scenes_128_fast, &scenes_128_spatial, nullptr, nullptr, nullptr},
#endif
};
// Neither this nor global workspaces were chosen by measurement: no time on a GPU has been measured.
constexpr int automatic_team_size = 8;

const SceneKernels* variant_of(const Kernels& kernels, const ModelView& model, Arithmetic arithmetic) {
  const bool strict = arithmetic == Arithmetic::strict;
  // Strict for smooth parts: fast arithmetic may contract, and need not.
  if (model.spatial != 0 && model.smooth_solids != 0) return kernels.spatial_smooth;
  if (model.spatial != 0) return strict ? kernels.spatial : kernels.spatial_fast;
  if (model.curve_count > 0) return kernels.smooth;
  return strict ? kernels.strict : kernels.fast;
}

const SceneKernels& kernels_of(const ModelView& model, Arithmetic arithmetic, int team_size) {
  const int wanted = team_size == 0 ? automatic_team_size : team_size;
  std::string built;
  for (const Kernels& kernels : kernels_by_size) {
    const SceneKernels* const found = variant_of(kernels, model, arithmetic);
    if (found == nullptr) continue;
    if (found->team_size == wanted) return *found;
    built += (built.empty() ? "" : ", ") + std::to_string(found->team_size);
  }
  throw std::invalid_argument("CUDA: this build has no kernel for such scenes and teams of " + std::to_string(wanted) +
                              " lanes, only of " + built + "; choose another team size (CudaShape), or leave it out");
}

int attribute(cudaDeviceAttr which, const char* doing) {
  int device = 0, value = 0;
  cuda_check(cudaGetDevice(&device), doing);
  cuda_check(cudaDeviceGetAttribute(&value, which, device), doing);
  return value;
}

using Memory = CudaShape::Memory;

const char* name_of(Memory memory) {
  if (memory == Memory::interleaved) return "interleaved";
  return memory == Memory::shared ? "shared" : "global";
}

class Runner final : public CudaRunner {
 public:
  Runner(const ModelView& model, Arithmetic arithmetic, int device, CudaShape shape)
      : device_(device),
        host_(model),
        model_(model),
        kernels_(kernels_of(model, arithmetic, shape.team_size)),
        wanted_(shape.workspaces),
        model_bytes_(shape.model == CudaShape::Memory::shared ? model_.bytes() : 0),
        processors_(attribute(cudaDevAttrMultiProcessorCount, "count the multiprocessors")),
        shared_bytes_(static_cast<std::size_t>(
            attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, "ask for the size of shared memory"))) {
    cuda_check(cudaMemsetAsync(stop_.as<int>(), 0, sizeof(int), aside_.handle), "clear the stop");
    cuda_check(cudaStreamSynchronize(aside_.handle), "clear the stop");
    *stop_here_.capacity<int>(1) = 1;
  }

  std::size_t most_scenes() const override { return most_scenes_; }

  std::size_t begin(Capacity capacity, const Sampler* sampler) override {
    use_device();
    shape_.clear();
    plan_.reset();
    if (sampler != nullptr) plan_.emplace(SamplePlan::of(*sampler));
    most_scenes_ = scenes_in(piece_bytes_, sampler);
    const std::size_t arena_bytes = kernels_.arena_bytes(host_, capacity);
    const Fit fit = fit_of(arena_bytes, static_cast<int>(most_scenes_));
    const std::size_t blocks = static_cast<std::size_t>(processors_) * static_cast<std::size_t>(fit.resident);
    return (fit.memory == Memory::global
                ? std::min(blocks, blocks_in_memory(arena_bytes * fit.teams, lanes_[0].arenas.bytes()))
                : blocks) *
           fit.teams;
  }

  void start(int index, const StepOptions& options, Capacity capacity, const SceneSource& source,
             std::span<const int> order, std::span<const SceneOutcome> outcomes,
             std::span<const double> final_poses) override {
    use_device();
    Lane& lane = lanes_[static_cast<std::size_t>(index)];
    SceneQueue batch{};
    batch.model = model_.view();
    batch.model_arrays = model_.arrays();
    batch.parameters = source.sampler == nullptr ? lane.send(lane.parameters, lane.parameters_here, source.given)
                                                 : draw(lane, source, outcomes.size());
    batch.outcomes = lane.outcomes.capacity<SceneOutcome>(outcomes.size());
    batch.final_poses = lane.poses.capacity<double>(final_poses.size());
    if (!order.empty()) {
      batch.order = lane.send(lane.order, lane.order_here, order);
      lane.send(lane.outcomes, lane.outcomes_here, outcomes);
      lane.send(lane.poses, lane.poses_here, final_poses);
    }
    batch.scene_count = static_cast<int>(order.empty() ? outcomes.size() : order.size());
    batch.parameter_count = host_.parameter_count;
    batch.body_count = host_.body_count;
    batch.capacity = capacity;
    launch(batch, options, lane);
    lane.fetch(lane.outcomes_here, batch.outcomes, outcomes.size());
    lane.fetch(lane.poses_here, batch.final_poses, final_poses.size());
  }

  bool ready(int index) override {
    use_device();
    const cudaError_t state = cudaStreamQuery(lanes_[static_cast<std::size_t>(index)].stream);
    if (state == cudaErrorNotReady) {
      cudaGetLastError();  // no error, but remembered as one
      return false;
    }
    cuda_check(state, "scene kernel");
    return true;
  }

  void finish(int index, std::span<SceneOutcome> outcomes, std::span<double> final_poses,
              const DrawnRows& drawn) override {
    use_device();
    Lane& lane = lanes_[static_cast<std::size_t>(index)];
    cuda_check(cudaStreamSynchronize(lane.stream), "scene kernel");
    std::copy_n(lane.outcomes_here.capacity<SceneOutcome>(outcomes.size()), outcomes.size(), outcomes.data());
    std::copy_n(lane.poses_here.capacity<double>(final_poses.size()), final_poses.size(), final_poses.data());
    std::copy_n(lane.values_here.capacity<double>(drawn.values.size()), drawn.values.size(), drawn.values.data());
    std::copy_n(lane.redrawn_here.capacity<int>(drawn.redrawn.size()), drawn.redrawn.size(), drawn.redrawn.data());
  }

  // A copy, which needs no multiprocessor: those are busy.
  void abandon() noexcept override {
    if (cudaSetDevice(device_) != cudaSuccess) return;
    cudaMemcpyAsync(stop_.as<int>(), stop_here_.capacity<int>(1), sizeof(int), cudaMemcpyHostToDevice, aside_.handle);
    cudaGetLastError();  // else the next launch would seem to have failed
  }

  std::string shape() const override { return shape_; }

 private:
  static constexpr std::size_t most_piece_scenes = std::size_t{1} << 18;
  static constexpr std::size_t most_piece_bytes = std::size_t{256} << 20;

  struct Stream {
    Stream() { cuda_check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "make a stream"); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() {
      cudaStreamSynchronize(handle);  // nothing may be under way to memory that goes now
      cudaStreamDestroy(handle);
    }
    cudaStream_t handle = nullptr;
  };

  // One piece on its way through the device: a stream, memory there, and pinned memory here.
  struct Lane {
    template <class T>
    T* send(GrowingBuffer& there, PinnedBuffer& here, std::span<const T> data) const {
      T* const from = here.capacity<T>(data.size());
      std::copy(data.begin(), data.end(), from);
      T* const to = there.capacity<T>(data.size());
      cuda_check(cudaMemcpyAsync(to, from, data.size_bytes(), cudaMemcpyHostToDevice, stream), "copy to the device");
      return to;
    }
    template <class T>
    void fetch(PinnedBuffer& here, const T* from, std::size_t count) const {
      if (count == 0) return;
      T* const to = here.capacity<T>(count);
      cuda_check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream), "copy from the device");
    }

    GrowingBuffer parameters, values, redrawn, order, outcomes, poses, arenas, queue;
    PinnedBuffer parameters_here, values_here, redrawn_here, order_here, outcomes_here, poses_here;
    Stream own;  // the last, so that the first to go
    cudaStream_t stream = own.handle;
  };

  // All samples of the piece, also where only some of its scenes are run again. Returns their parameters, on the
  // device.
  const double* draw(Lane& lane, const SceneSource& source, std::size_t count) const {
    const SamplePlanView& plan = plan_.value().view();
    double* const parameters = lane.parameters.capacity<double>(count * static_cast<std::size_t>(plan.parameter_count));
    const std::size_t numbers = count * static_cast<std::size_t>(plan.column_count);
    double* const values = lane.values.capacity<double>(numbers);
    int* const redrawn = lane.redrawn.capacity<int>(count);
    cuda_check(launch_samples(plan, source.first, source.sampler->samples_per_cell(), static_cast<int>(count),
                              parameters, values, redrawn, lane.stream),
               "draw samples");
    lane.fetch(lane.values_here, values, numbers);
    lane.fetch(lane.redrawn_here, redrawn, count);
    return parameters;
  }

  // Workspaces in shared memory: of blocks of a warp or less the size that brings most teams onto a multiprocessor, and
  // of equals the smallest, whose teams do not take turns in a warp. Scenes that outgrow a block's memory go to global
  // memory, in blocks so small that all multiprocessors have one. resident: blocks on a multiprocessor.
  LaunchGrid grid_for(std::size_t arena_bytes, std::size_t model_bytes, int scene_count, int& resident) const {
    LaunchGrid best;
    int most = 0;
    if (wanted_ == Memory::shared) {
      for (int teams = 1; teams <= std::max(1, 32 / kernels_.team_size); ++teams) {
        LaunchGrid grid;
        grid.threads = teams * kernels_.team_size;
        grid.shared_bytes = model_bytes + static_cast<std::size_t>(teams) * arena_bytes;
        if (grid.shared_bytes > shared_bytes_) break;
        int fit = 0;
        cuda_check(kernels_.resident_blocks(grid, &fit), "occupancy");
        if (fit * teams <= most) continue;
        most = fit * teams;
        best = grid;
        resident = fit;
      }
      if (most > 0) return best;
    }
    best = LaunchGrid{};
    best.threads = cuda_block_size;
    best.shared_bytes = model_bytes;
    best.interleaved = wanted_ == Memory::interleaved && kernels_.team_size == 1 && host_.spatial == 0 &&
                       arena_bytes <= lane_workspace_bytes;
    const int fewest = std::max(32, kernels_.team_size);
    while (best.threads > fewest && scene_count < processors_ * (best.threads / kernels_.team_size)) best.threads /= 2;
    cuda_check(kernels_.resident_blocks(best, &resident), "occupancy");
    return best;
  }

  // How workspaces lie.
  struct Fit {
    LaunchGrid grid;
    std::size_t model_bytes = 0;     // of the model in a block's shared memory
    std::size_t teams = 1;           // a block
    int resident = 0;                // blocks on a multiprocessor
    Memory memory = Memory::global;  // where workspaces are
  };
  Fit fit_of(std::size_t arena_bytes, int scene_count) const {
    Fit fit;
    // A model that has no capacity there stays where it is.
    fit.model_bytes = model_bytes_ <= shared_bytes_ / 2 ? model_bytes_ : 0;
    fit.grid = grid_for(arena_bytes, fit.model_bytes, scene_count, fit.resident);
    if (fit.resident < 1) throw std::runtime_error("CUDA: the scene kernel does not fit on this device");
    fit.teams = static_cast<std::size_t>(fit.grid.threads / kernels_.team_size);
    fit.memory = fit.grid.interleaved                      ? Memory::interleaved
                 : fit.grid.shared_bytes > fit.model_bytes ? Memory::shared
                                                           : Memory::global;
    return fit;
  }

  // As many teams as the device holds at once, or as its memory has capacity for.
  void launch(SceneQueue& batch, const StepOptions& options, Lane& lane) {
    batch.arena_bytes = kernels_.arena_bytes(host_, batch.capacity);
    const Fit fit = fit_of(batch.arena_bytes, batch.scene_count);
    batch.model_bytes = fit.model_bytes;
    const std::size_t teams = fit.teams;
    LaunchGrid grid = fit.grid;
    const std::size_t needed = (static_cast<std::size_t>(batch.scene_count) + teams - 1) / teams;
    std::size_t blocks =
        std::min(needed, static_cast<std::size_t>(processors_) * static_cast<std::size_t>(fit.resident));
    if (fit.memory == Memory::global) {
      blocks = std::min(blocks, blocks_in_memory(batch.arena_bytes * teams, lane.arenas.bytes()));
      batch.arenas = lane.arenas.capacity<unsigned char>(batch.arena_bytes * teams * blocks);
    }
    batch.queue = lane.queue.capacity<int>(1);
    batch.stop = stop_.as<int>();
    cuda_check(cudaMemsetAsync(batch.queue, 0, sizeof(int), lane.stream), "clear the queue");
    grid.blocks = static_cast<int>(blocks);
    if (shape_.empty()) {
      shape_ = "teams of " + std::to_string(kernels_.team_size) + ", " + std::to_string(teams) + " a block, " +
               std::to_string(blocks) + " blocks, workspaces of " + std::to_string(batch.arena_bytes) + " bytes in " +
               name_of(fit.memory) + " memory, the model of " + std::to_string(model_.bytes()) + " bytes in " +
               (batch.model_bytes > 0 ? "shared" : "global") + " memory";
    }
    cuda_check(kernels_.launch(batch, options, grid, lane.stream), "launch");
  }

  static std::size_t free_memory() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for free memory");
    return free_bytes;
  }

  // Half of what is free, with what the lane holds already, as the other lane will want as much; all but an eighth
  // where that is not enough for one block.
  static std::size_t blocks_in_memory(std::size_t block_bytes, std::size_t held) {
    const std::size_t free_bytes = free_memory() + held;
    const std::size_t half = std::max(held, free_bytes / 2) / block_bytes;
    const std::size_t fit = half > 0 ? half : (free_bytes - free_bytes / 8) / block_bytes;
    if (fit < 1) throw std::runtime_error("CUDA: a scene's workspace does not fit in device memory");
    return fit;
  }

  // Of a piece, at most. Before lanes hold any.
  static std::size_t memory_of_a_piece() { return std::min(free_memory() / (4 * lanes), most_piece_bytes); }

  // sampler: that draws the scenes' parameters, or null.
  std::size_t scenes_in(std::size_t memory, const Sampler* sampler) const {
    const std::size_t drawn = sampler != nullptr ? sizeof(double) * sampler->values() + sizeof(int) : 0;
    const auto bytes = drawn +
                       sizeof(double) * static_cast<std::size_t>(host_.parameter_count +
                                                                 (host_.spatial != 0 ? 7 : 3) * host_.body_count) +
                       sizeof(SceneOutcome);
    return std::clamp<std::size_t>(memory / bytes, 1, most_piece_scenes);
  }

  // Of the calling thread, which need not be that of the last call.
  void use_device() const { cuda_check(cudaSetDevice(device_), "choose the device"); }

  std::string shape_;
  int device_;
  ModelView host_;
  DeviceModel model_;
  std::optional<DeviceSamplePlan> plan_;  // of the batch
  const SceneKernels& kernels_;
  Memory wanted_;            // for workspaces
  std::size_t model_bytes_;  // that shared memory is to hold
  int processors_;
  std::size_t shared_bytes_;  // that a block may have
  std::size_t piece_bytes_ = memory_of_a_piece();
  std::size_t most_scenes_ = scenes_in(piece_bytes_, nullptr);  // of the batch
  DeviceBuffer stop_{sizeof(int)};                              // all queues
  std::array<Lane, lanes> lanes_;
  PinnedBuffer stop_here_;
  Stream aside_;
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

std::vector<int> cuda_team_sizes() {
  std::vector<int> sizes;
  for (const Kernels& kernels : kernels_by_size) sizes.push_back(kernels.strict->team_size);
  return sizes;
}

std::unique_ptr<CudaRunner> make_cuda_runner(const ModelView& model, Arithmetic arithmetic, int device,
                                             CudaShape shape) {
  cuda_check(cudaSetDevice(device), "choose the device");
  return std::make_unique<Runner>(model, arithmetic, device, shape);
}

}  // namespace pegrasp

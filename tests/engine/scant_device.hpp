// SPDX-License-Identifier: Apache-2.0
// HostDevice with a memory that is soon full. Of the dimension that the including file chooses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "kernels/batch/batch.hpp"
#include "kernels/launch/batched_scenes.hpp"
#include "kernels/launch/cpu/host_device.hpp"
#include "kernels/launch/cuda/device_memory_error.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Of all ScantDevices: buffers know no device.
struct ScantMemory {
  std::size_t limit = std::numeric_limits<std::size_t>::max();  // [bytes]
  std::size_t held = 0;
  std::size_t most = 0;  // that was ever held
  int refused = 0;
};
inline ScantMemory scant_memory;

class ScantDevice : public HostDevice {
 public:
  template <class T>
  class Buffer {
   public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { scant_memory.held -= bytes_; }

    T* capacity(int count) {
      const std::size_t wanted = static_cast<std::size_t>(std::max(count, 1)) * sizeof(T);
      if (wanted > bytes_) {
        ScantMemory& memory = scant_memory;
        memory.held -= bytes_;
        bytes_ = 0;
        if (memory.held + wanted > memory.limit) {
          ++memory.refused;
          throw DeviceMemoryError("scant device: out of memory");
        }
        memory.held += wanted;
        memory.most = std::max(memory.most, memory.held);
        bytes_ = wanted;
      }
      return data_.capacity(count);
    }

   private:
    HostDevice::Buffer<T> data_;
    std::size_t bytes_ = 0;
  };

  ScantDevice() : HostDevice(1) {}
};

class ScantBatchedScenes final : public BatchedScenes {
 public:
  ScantBatchedScenes(const ModelView& model, const StepOptions& options)
      : model_(model), batch_(device_, model_, &model_, options) {}

  int most_scenes() const override { return batch_.most_scenes(); }
  void begin(const double* parameters, int scenes) override { batch_.begin(parameters, scenes); }
  bool round() override { return batch_.round(); }
  void results(SceneOutcome* outcomes, double* final_poses) override { batch_.results(outcomes, final_poses); }
  std::string shape() const override { return "scant"; }

 private:
  ModelView model_;
  ScantDevice device_;
  Batch<ScantDevice> batch_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC

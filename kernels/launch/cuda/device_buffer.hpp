// SPDX-License-Identifier: Apache-2.0
// Device memory with an owner, and CUDA errors as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/launch/cuda/device_memory_error.hpp"

namespace pegrasp {

inline void cuda_check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  const std::string what = std::string("CUDA: ") + doing + ": " + cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // else the next launch would seem to have failed
    throw DeviceMemoryError(what);
  }
  throw std::runtime_error(what);
}

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes) {
    cuda_check(cudaMalloc(&data_, std::max<std::size_t>(bytes, 16)), "allocate device memory");
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  DeviceBuffer(DeviceBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

// Host memory that the device copies from and to by itself; other memory would hold the host up. It grows; what it held
// is lost when it does.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() { cudaFreeHost(data_); }

  template <class T>
  T* capacity(std::size_t count) {
    if (bytes_ < count * sizeof(T)) {
      cuda_check(cudaFreeHost(std::exchange(data_, nullptr)), "free pinned memory");
      bytes_ = 0;
      cuda_check(cudaHostAlloc(&data_, count * sizeof(T), cudaHostAllocDefault), "allocate pinned memory");
      bytes_ = count * sizeof(T);
    }
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Device memory that grows in the same way.
class GrowingBuffer {
 public:
  template <class T>
  T* capacity(std::size_t count) {
    if (bytes_ < count * sizeof(T)) {
      data_ = DeviceBuffer();  // before the new one, which may need its memory
      bytes_ = 0;
      data_ = DeviceBuffer(count * sizeof(T));
      bytes_ = count * sizeof(T);
    }
    return data_.as<T>();
  }
  std::size_t bytes() const { return bytes_; }

 private:
  DeviceBuffer data_;
  std::size_t bytes_ = 0;
};

template <class T>
DeviceBuffer upload(const T* data, std::size_t count) {
  DeviceBuffer buffer(count * sizeof(T));
  if (count > 0) {
    cuda_check(cudaMemcpy(buffer.as<T>(), data, count * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
  }
  return buffer;
}

}  // namespace pegrasp

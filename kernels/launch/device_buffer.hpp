// SPDX-License-Identifier: Apache-2.0
// Device memory with an owner, and CUDA errors as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace pegrasp {

inline void cuda_check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + doing + ": " + cudaGetErrorString(error));
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

template <class T>
DeviceBuffer upload(const T* data, std::size_t count) {
  DeviceBuffer buffer(count * sizeof(T));
  if (count > 0) {
    cuda_check(cudaMemcpy(buffer.as<T>(), data, count * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
  }
  return buffer;
}

}  // namespace pegrasp

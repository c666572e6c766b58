// SPDX-License-Identifier: Apache-2.0
// A model's arrays copied to the device, one after another in one piece of memory, so that a kernel can take all of it nearer.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "launch/device_buffer.hpp"
#include "scene/model.hpp"

namespace pegrasp {

// Makes the view's pointers, which lead into memory that begins at `from`, lead to the same places after `to`.
__host__ __device__ inline void move_model(ModelView& m, const unsigned char* from, const unsigned char* to) {
#define PEGRASP_MOVE(name, length) \
  m.name = reinterpret_cast<decltype(m.name)>(to + (reinterpret_cast<const unsigned char*>(m.name) - from));
  PEGRASP_MODEL_ARRAYS(PEGRASP_MOVE)
#undef PEGRASP_MOVE
}

constexpr std::size_t model_view_bytes = (sizeof(ModelView) + 15) / 16 * 16;

class DeviceModel {
 public:
  explicit DeviceModel(const ModelView& m) {
    std::vector<unsigned char> all;
    std::vector<std::size_t> at;
    const auto append = [&](const void* data, std::size_t bytes) {
      at.push_back(all.size());
      all.resize((all.size() + bytes + alignment - 1) / alignment * alignment);
      if (bytes > 0) std::memcpy(all.data() + at.back(), data, bytes);
    };
#define PEGRASP_APPEND(name, length) append(m.name, sizeof(*m.name) * static_cast<std::size_t>(length));
    PEGRASP_MODEL_ARRAYS(PEGRASP_APPEND)
#undef PEGRASP_APPEND
    bytes_ = all.size();
    arrays_ = upload(all.data(), all.size());
    ModelView view = m;
    std::size_t next = 0;
#define PEGRASP_PLACE(name, length) \
  view.name = reinterpret_cast<decltype(view.name)>(arrays_.as<unsigned char>() + at[next++]);
    PEGRASP_MODEL_ARRAYS(PEGRASP_PLACE)
#undef PEGRASP_PLACE
    device_view_ = upload(&view, 1);
    // Copies from pageable memory may still be under way, and streams that do not wait for them are about to read.
    cuda_check(cudaDeviceSynchronize(), "copy the model");
  }

  // The view itself, in device memory, and the piece that its pointers lead into: a multiple of 16 bytes.
  const ModelView* view() const { return device_view_.as<ModelView>(); }
  const unsigned char* arrays() const { return arrays_.as<unsigned char>(); }
  // Of the arrays and a view.
  std::size_t bytes() const { return model_view_bytes + bytes_; }

 private:
  static constexpr std::size_t alignment = 16;

  DeviceBuffer arrays_, device_view_;
  std::size_t bytes_ = 0;
};

}  // namespace pegrasp

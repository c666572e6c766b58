// SPDX-License-Identifier: Apache-2.0
// A model's arrays copied to the device, in one piece of memory, so that a kernel can take all of it nearer.
#pragma once

#include <cstddef>

#include "kernels/launch/cuda/device_buffer.hpp"
#include "kernels/launch/cuda/model_image.hpp"
#include "kernels/model/model.hpp"

namespace pegrasp {

constexpr std::size_t model_view_bytes = (sizeof(ModelView) + 15) / 16 * 16;

class DeviceModel {
 public:
  explicit DeviceModel(const ModelView& m) : DeviceModel(ModelImage(m)) {}

  // The view itself, in device memory, and the piece that its pointers lead into: a multiple of 16 bytes.
  const ModelView* view() const { return device_view_.as<ModelView>(); }
  const unsigned char* arrays() const { return arrays_.as<unsigned char>(); }
  // Of the arrays and a view.
  std::size_t bytes() const { return model_view_bytes + bytes_; }

 private:
  explicit DeviceModel(const ModelImage& image) : bytes_(image.arrays().size()) {
    arrays_ = upload(image.arrays().data(), bytes_);
    ModelView view = image.view();
    move_model(view, image.arrays().data(), arrays());
    device_view_ = upload(&view, 1);
    // Copies from pageable memory may still be under way, and streams that do not wait for them are about to read.
    cuda_check(cudaDeviceSynchronize(), "copy the model");
  }

  DeviceBuffer arrays_, device_view_;
  std::size_t bytes_ = 0;
};

}  // namespace pegrasp

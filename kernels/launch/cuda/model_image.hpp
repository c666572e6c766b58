// SPDX-License-Identifier: Apache-2.0
// The arrays of a model, one after another in one piece of memory, with a view into them: what is copied to a device,
// and what two models are compared by. Owns what it points at.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/base/platform.hpp"
#include "kernels/model/model.hpp"

namespace pegrasp {

// Moves the pointers of the view from memory that begins at `from` to the same places after `to`.
PEGRASP_HD inline void move_model(ModelView& m, const unsigned char* from, const unsigned char* to) {
#define PEGRASP_ARRAY(type, name, length) \
  m.name = reinterpret_cast<decltype(m.name)>(to + (reinterpret_cast<const unsigned char*>(m.name) - from));
#include "kernels/model/model_arrays.inc"
}

class ModelImage {
 public:
  explicit ModelImage(const ModelView& m) : view_(m) {
    std::vector<std::size_t> at;
    const auto append = [&](const void* data, std::size_t bytes) {
      at.push_back(arrays_.size());
      arrays_.resize((arrays_.size() + bytes + alignment - 1) / alignment * alignment);
      if (bytes > 0) std::memcpy(arrays_.data() + at.back(), data, bytes);
    };
#define PEGRASP_ARRAY(type, name, length) append(m.name, sizeof(*m.name) * static_cast<std::size_t>(length));
#include "kernels/model/model_arrays.inc"
    std::size_t next = 0;
#define PEGRASP_ARRAY(type, name, length) \
  view_.name = reinterpret_cast<decltype(view_.name)>(arrays_.data() + at[next++]);
#include "kernels/model/model_arrays.inc"
  }
  ModelImage(const ModelImage&) = delete;
  ModelImage& operator=(const ModelImage&) = delete;

  const ModelView& view() const { return view_; }
  // A multiple of 16 bytes.
  const std::vector<unsigned char>& arrays() const { return arrays_; }

  // Whether both models hold the same numbers. May also be false for equal models whose padding differs.
  bool same_as(const ModelImage& other) const {
    const ModelView mine = without_pointers(view_);
    const ModelView its = without_pointers(other.view_);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): padding may make a difference, as said above
    return arrays_ == other.arrays_ && std::memcmp(&mine, &its, sizeof mine) == 0;
  }

 private:
  static constexpr std::size_t alignment = 16;

  static ModelView without_pointers(ModelView m) {
#define PEGRASP_ARRAY(type, name, length) m.name = nullptr;
#include "kernels/model/model_arrays.inc"
    return m;
  }

  std::vector<unsigned char> arrays_;
  ModelView view_;
};

}  // namespace pegrasp

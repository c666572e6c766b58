// SPDX-License-Identifier: Apache-2.0
// Arrays that own what they show: a vector moves into them, nothing is copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pegrasp::python {

template <class T>
nanobind::ndarray<nanobind::numpy, T> array_of(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = kept->data();
  const nanobind::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::ndarray<nanobind::numpy, T>(data, shape.size(), shape.data(), owner);
}

// Plain structures as rows of bytes (count, size of one), which NumPy views as records.
template <class T>
nanobind::ndarray<nanobind::numpy, std::uint8_t> bytes_of(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  auto* const data = reinterpret_cast<std::uint8_t*>(kept->data());
  const std::size_t shape[2] = {kept->size(), sizeof(T)};
  const nanobind::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::ndarray<nanobind::numpy, std::uint8_t>(data, 2, shape, owner);
}

}  // namespace pegrasp::python

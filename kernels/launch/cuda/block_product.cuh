// SPDX-License-Identifier: Apache-2.0
// y = add + A x for block matrices on a CUDA device. Strict arithmetic: a thread a block row, in the order of the CPU,
// so that both give the same bits. Fast arithmetic in 2D: cuSPARSE, whose order is its own and whose blocks are square;
// its library is looked for at run time, as no other part of the program needs it, and where it is not there the strict
// product serves.
#pragma once

#include <string>

#include "kernels/batch/batch_view.hpp"
#include "kernels/launch/cuda/device_buffer.hpp"

// batched_fast.cu defines PEGRASP_CUSPARSE.
#if defined(PEGRASP_CUSPARSE)
#include <cusparse.h>
#include <dlfcn.h>
#endif

namespace pegrasp::PEGRASP_ARITHMETIC {

class BlockProduct {
 public:
  BlockProduct() = default;
  BlockProduct(const BlockProduct&) = delete;
  BlockProduct& operator=(const BlockProduct&) = delete;

#if defined(PEGRASP_CUSPARSE)
  const char* name() const { return handle_ != nullptr ? "cuSPARSE" : "own"; }

  void use() {
    if (library() == nullptr) return;
    const auto create = find<decltype(&cusparseCreate)>("cusparseCreate");
    set_stream_ = find<decltype(&cusparseSetStream)>("cusparseSetStream");
    const auto describe = find<decltype(&cusparseCreateMatDescr)>("cusparseCreateMatDescr");
    destroy_ = find<decltype(&cusparseDestroy)>("cusparseDestroy");
    forget_ = find<decltype(&cusparseDestroyMatDescr)>("cusparseDestroyMatDescr");
    times_ = find<decltype(&cusparseSbsrmv)>("cusparseSbsrmv");
    if (!create || !set_stream_ || !describe || !destroy_ || !forget_ || !times_) return;
    if (create(&handle_) != CUSPARSE_STATUS_SUCCESS) {
      handle_ = nullptr;
      return;
    }
    check(describe(&matrix_));
  }

  ~BlockProduct() {
    if (matrix_ != nullptr) forget_(matrix_);
    if (handle_ != nullptr) destroy_(handle_);
  }
#else
  static const char* name() { return "own"; }
  static void use() {}
#endif

  template <int Height, int Width, class Device, class Wanted>
  void multiply(Device& device, cudaStream_t stream, const BlockMatrix& a, int rows, int columns, const Real* x,
                const Real* add, Real* y, const Wanted& wanted) {
#if defined(PEGRASP_CUSPARSE)
    if (handle_ != nullptr && rows > 0 && columns > 0) {
      static_assert(Height == Width);
      const auto bytes = static_cast<std::size_t>(Height * rows) * sizeof(Real);
      if (add != nullptr) {
        cuda_check(cudaMemcpyAsync(y, add, bytes, cudaMemcpyDeviceToDevice, stream), "copy on the device");
      }
      check(set_stream_(handle_, stream));
      const Real one = 1;
      const Real beta = add != nullptr ? Real(1) : Real(0);
      check(times_(handle_, CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, rows, columns, a.entries, &one,
                   matrix_, a.value, a.first, a.column, Height, x, &beta, y));
      return;
    }
#endif
    (void)stream;
    (void)columns;
    device.for_each(rows, [=] PEGRASP_HD(int i) {
      if (!wanted(i)) return;
      Real sum[Height];
      for (int r = 0; r < Height; ++r) sum[r] = add != nullptr ? add[Height * i + r] : Real(0);
      for (int k = a.first[i]; k < a.first[i + 1]; ++k) {
        add_block_product<Height, Width>(a.value + Height * Width * k, x + Width * a.column[k], sum);
      }
      for (int r = 0; r < Height; ++r) y[Height * i + r] = sum[r];
    });
  }

#if defined(PEGRASP_CUSPARSE)
 private:
  template <class F>
  F find(const char* name) const {
    return reinterpret_cast<F>(dlsym(library(), name));
  }
  // Opened once and never closed: it has a state of its own that is torn down when the process ends.
  static void* library() {
    static void* const opened = [] {
      void* const numbered = dlopen("libcusparse.so.12", RTLD_NOW | RTLD_LOCAL);
      return numbered != nullptr ? numbered : dlopen("libcusparse.so", RTLD_NOW | RTLD_LOCAL);
    }();
    return opened;
  }
  static void check(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) {
      throw std::runtime_error("CUDA: cuSPARSE failed with status " + std::to_string(static_cast<int>(status)));
    }
  }

  cusparseHandle_t handle_ = nullptr;
  cusparseMatDescr_t matrix_ = nullptr;
  decltype(&cusparseSetStream) set_stream_ = nullptr;
  decltype(&cusparseDestroy) destroy_ = nullptr;
  decltype(&cusparseDestroyMatDescr) forget_ = nullptr;
  decltype(&cusparseSbsrmv) times_ = nullptr;
#endif
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC

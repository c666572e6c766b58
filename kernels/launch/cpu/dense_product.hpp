// SPDX-License-Identifier: Apache-2.0
// C -= A B of dense row-major matrices, with the vector instructions that the machine has. Every element is the sum
// over k in increasing order, without fused operations, so that all machines give the same bits.
#pragma once

#include <cstddef>
#include <cstring>

#include "kernels/scene/scene.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr int dense_lanes = 8;  // columns that are worked on together

// Rows of B and C have a multiple of that.
constexpr std::ptrdiff_t padded_width(int width) {
  return (static_cast<std::ptrdiff_t>(width) + dense_lanes - 1) / dense_lanes * dense_lanes;
}

struct DenseProduct {
  int rows, depth;       // of A
  const SolverReal* a;   // (rows, depth), its rows a_stride apart
  std::ptrdiff_t a_stride;
  const SolverReal* b;   // (depth, width)
  SolverReal* c;         // (rows, width)
  std::ptrdiff_t width;
};

template <int rows>
[[gnu::always_inline]] inline void subtract_rows(const DenseProduct& x, int first) {
  typedef SolverReal Lanes __attribute__((vector_size(sizeof(SolverReal) * dense_lanes), aligned(sizeof(SolverReal))));
  const SolverReal* const a = x.a + x.a_stride * first;
  SolverReal* const c = x.c + x.width * first;
  for (std::ptrdiff_t j = 0; j < x.width; j += dense_lanes) {
    Lanes sum[rows];
    for (int r = 0; r < rows; ++r) std::memcpy(&sum[r], c + x.width * r + j, sizeof(Lanes));
    for (int k = 0; k < x.depth; ++k) {
      Lanes b;
      std::memcpy(&b, x.b + x.width * k + j, sizeof(Lanes));
      for (int r = 0; r < rows; ++r) sum[r] -= a[x.a_stride * r + k] * b;
    }
    for (int r = 0; r < rows; ++r) std::memcpy(c + x.width * r + j, &sum[r], sizeof(Lanes));
  }
}

[[gnu::always_inline]] inline void subtract_all_rows(const DenseProduct& x) {
  int first = 0;
  for (; first + 4 <= x.rows; first += 4) subtract_rows<4>(x, first);
  if (x.rows - first == 3) subtract_rows<3>(x, first);
  if (x.rows - first == 2) subtract_rows<2>(x, first);
  if (x.rows - first == 1) subtract_rows<1>(x, first);
}

inline void subtract_plainly(const DenseProduct& x) { subtract_all_rows(x); }
#if defined(__x86_64__)
__attribute__((target("avx2"))) inline void subtract_by_avx2(const DenseProduct& x) { subtract_all_rows(x); }
#endif

inline void subtract_dense_product(int rows, int depth, const SolverReal* a, std::ptrdiff_t a_stride,
                                   const SolverReal* b, SolverReal* c, std::ptrdiff_t width) {
  const DenseProduct x{rows, depth, a, a_stride, b, c, width};
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return subtract_by_avx2(x);
#endif
  subtract_plainly(x);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

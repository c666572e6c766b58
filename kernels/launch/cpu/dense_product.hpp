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
  int rows, depth;      // of A; rows: a multiple of 3
  const SolverReal* a;  // (rows, depth), its rows a_stride apart
  std::ptrdiff_t a_stride;
  const SolverReal* b;  // (depth, width)
  SolverReal* c;        // (rows, width)
  std::ptrdiff_t width;
};

// lanes: of a vector; vectors: side by side. rows x vectors sums are in registers at once.
template <int rows, int lanes, int vectors>
[[gnu::always_inline]] inline void subtract_rows(const DenseProduct& x, int first) {
  typedef SolverReal Lanes __attribute__((vector_size(sizeof(SolverReal) * lanes), aligned(sizeof(SolverReal))));
  const SolverReal* const a = x.a + x.a_stride * first;
  SolverReal* const c = x.c + x.width * first;
  for (std::ptrdiff_t j = 0; j < x.width; j += lanes * vectors) {
    Lanes sum[rows][vectors];
    for (int r = 0; r < rows; ++r) {
      for (int v = 0; v < vectors; ++v) std::memcpy(&sum[r][v], c + x.width * r + j + lanes * v, sizeof(Lanes));
    }
    for (int k = 0; k < x.depth; ++k) {
      Lanes b[vectors];
      for (int v = 0; v < vectors; ++v) std::memcpy(&b[v], x.b + x.width * k + j + lanes * v, sizeof(Lanes));
      for (int r = 0; r < rows; ++r) {
        for (int v = 0; v < vectors; ++v) sum[r][v] -= a[x.a_stride * r + k] * b[v];
      }
    }
    for (int r = 0; r < rows; ++r) {
      for (int v = 0; v < vectors; ++v) std::memcpy(c + x.width * r + j + lanes * v, &sum[r][v], sizeof(Lanes));
    }
  }
}

template <int rows, int lanes, int vectors>
[[gnu::always_inline]] inline void subtract_all_rows(const DenseProduct& x) {
  int first = 0;
  for (; first + rows <= x.rows; first += rows) subtract_rows<rows, lanes, vectors>(x, first);
  for (; first < x.rows; first += 3) subtract_rows<3, lanes, vectors>(x, first);
}

inline void subtract_plainly(const DenseProduct& x) { subtract_all_rows<3, 2, 2>(x); }
#if defined(__x86_64__)
__attribute__((target("avx512f"))) inline void subtract_by_avx512(const DenseProduct& x) {
  subtract_all_rows<6, 8, 1>(x);
}
#endif

using SubtractProduct = void (*)(const DenseProduct& x);
inline SubtractProduct fastest_product() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return subtract_by_avx512;
#endif
  return subtract_plainly;
}

inline void subtract_dense_product(int rows, int depth, const SolverReal* a, std::ptrdiff_t a_stride,
                                   const SolverReal* b, SolverReal* c, std::ptrdiff_t width) {
  static const SubtractProduct subtract = fastest_product();
  subtract({rows, depth, a, a_stride, b, c, width});
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC

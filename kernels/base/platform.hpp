// SPDX-License-Identifier: Apache-2.0
// The one place that knows which compiler reads the kernels.
#pragma once

#if defined(__CUDACC__)
#define PEGRASP_HD __host__ __device__
// A function of its own on the device, as the phases of a step are: what it needs of registers is not taken from its
// caller, so that nothing spills (scripts/lint_ptx.py).
#define PEGRASP_HD_APART static __host__ __device__ __noinline__
#else
#define PEGRASP_HD
#define PEGRASP_HD_APART inline
#endif

// The same where bodies move in 3D, whose geometry and rows are larger.
#if defined(PEGRASP_SPATIAL)
#define PEGRASP_HD_LARGE PEGRASP_HD_APART
#else
#define PEGRASP_HD_LARGE PEGRASP_HD inline
#endif

// Kernels are compiled once per dimension and arithmetic; the namespace keeps them apart (their inline functions differ
// in contraction, so sharing a symbol would let the linker pick either). Programs that compile them once more beside
// the library, to time their phases, give a namespace of their own.
#if defined(PEGRASP_OWN_NAMESPACE)
#define PEGRASP_ARITHMETIC PEGRASP_OWN_NAMESPACE
#elif defined(PEGRASP_SPATIAL) && defined(PEGRASP_FAST_ARITHMETIC)
#define PEGRASP_ARITHMETIC spatial_fast
#elif defined(PEGRASP_SPATIAL)
#define PEGRASP_ARITHMETIC spatial
#elif defined(PEGRASP_FAST_ARITHMETIC)
#define PEGRASP_ARITHMETIC fast
#else
#define PEGRASP_ARITHMETIC strict
#endif

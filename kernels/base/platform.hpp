// SPDX-License-Identifier: Apache-2.0
// What depends on the compiler that reads the kernels: the host's or nvcc.
#pragma once

#if defined(__CUDACC__)
#define PEGRASP_HD __host__ __device__
// A function that is not inlined on the device, as the phases of a step are: its registers are not taken from its
// caller, so that nothing spills (scripts/lint_ptx.py).
#define PEGRASP_HD_APART static __host__ __device__ __noinline__
#else
#define PEGRASP_HD
#define PEGRASP_HD_APART inline
#endif

namespace pegrasp {
// Whether the code is compiled for a GPU: what the CPU alone simulates is left out there.
#if defined(__CUDACC__)
constexpr bool for_device = true;
#else
constexpr bool for_device = false;
#endif
// Whether the code knows smooth parts: ellipses, ellipsoids and their kin. On a device only what is compiled for them
// does: with questions for a curve wherever a corner is asked for, all other scenes would have a sixth more
// instructions and four times the spills.
#if defined(__CUDACC__) && !defined(PEGRASP_SMOOTH_PARTS)
constexpr bool smooth_parts = false;
#else
constexpr bool smooth_parts = true;
#endif
}  // namespace pegrasp

// Not inlined on the device in 3D only, where geometry and rows are larger.
#if defined(PEGRASP_SPATIAL)
#define PEGRASP_HD_LARGE PEGRASP_HD_APART
#else
#define PEGRASP_HD_LARGE PEGRASP_HD inline
#endif
// The same for a member of a class.
#if defined(__CUDACC__) && defined(PEGRASP_SPATIAL)
#define PEGRASP_HD_LARGE_MEMBER __host__ __device__ __noinline__
#else
#define PEGRASP_HD_LARGE_MEMBER PEGRASP_HD
#endif

// What a function returns that chooses one of two values. On a device it is a copy, made member by member: a reference
// to either would keep both in memory. Elsewhere they are there anyway, and a copy would take longer.
namespace pegrasp {
#if defined(__CUDACC__)
template <class T>
using Chosen = T;
#else
template <class T>
using Chosen = const T&;
#endif
}  // namespace pegrasp

// Before a loop of few turns: compiled as it is written. A device compiler otherwise writes four turns one after the
// other, for loops that seldom have so many, and code that is not in a multiprocessor's cache is waited for.
#if defined(__CUDA_ARCH__)
#define PEGRASP_ROLLED _Pragma("unroll 1")
#else
#define PEGRASP_ROLLED
#endif

// Before a loop of constant length over a local array that should be in registers: a compiler that unrolls such a loop
// late has put the array in memory by then. In 3D such arrays are too large for that.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && !defined(PEGRASP_SPATIAL)
#define PEGRASP_UNROLLED _Pragma("GCC unroll 16")
#else
#define PEGRASP_UNROLLED
#endif

// Within a loop of few turns: keeps a compiler from making vectors of it, which take longer to set up than the turns.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define PEGRASP_NO_VECTORS asm volatile("")
#else
#define PEGRASP_NO_VECTORS
#endif

// What few scenes need, kept out of the code of all others.
#if defined(__CUDACC__)
#define PEGRASP_HD_RARE PEGRASP_HD_APART
#else
#define PEGRASP_HD_RARE __attribute__((noinline)) inline
#endif

// Kernels are compiled once per dimension and arithmetic, on a device once more for smooth parts, each time in a
// namespace of its own. Their inline functions differ in contraction, so that with a shared symbol the linker could
// pick either. Programs that compile them again beside the library, to time their phases, define PEGRASP_OWN_NAMESPACE.
#if defined(PEGRASP_OWN_NAMESPACE)
#define PEGRASP_ARITHMETIC PEGRASP_OWN_NAMESPACE
#elif defined(PEGRASP_SPATIAL) && defined(PEGRASP_FAST_ARITHMETIC)
#define PEGRASP_ARITHMETIC spatial_fast
#elif defined(PEGRASP_SPATIAL) && defined(PEGRASP_SMOOTH_PARTS)
#define PEGRASP_ARITHMETIC spatial_smooth
#elif defined(PEGRASP_SPATIAL)
#define PEGRASP_ARITHMETIC spatial
#elif defined(PEGRASP_SMOOTH_PARTS)
#define PEGRASP_ARITHMETIC smooth
#elif defined(PEGRASP_FAST_ARITHMETIC)
#define PEGRASP_ARITHMETIC fast
#else
#define PEGRASP_ARITHMETIC strict
#endif

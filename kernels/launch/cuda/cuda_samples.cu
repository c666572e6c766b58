// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cuda/cuda_samples.hpp"

namespace pegrasp {
namespace {

constexpr int block_size = 128;

__global__ void __launch_bounds__(block_size, 1)
    samples_kernel(SamplePlanView plan, unsigned long long first, int samples_per_cell, int count, double* parameters,
                   double* values, int* redrawn) {
  const int row = static_cast<int>(blockIdx.x) * block_size + static_cast<int>(threadIdx.x);
  if (row >= count) return;
  const unsigned long long number = first + static_cast<unsigned long long>(row);
  const auto samples = static_cast<unsigned long long>(samples_per_cell);
  const auto at = static_cast<std::size_t>(row);
  redrawn[at] =
      draw_sample(plan, static_cast<std::uint32_t>(number / samples), static_cast<std::uint32_t>(number % samples),
                  parameters + at * static_cast<std::size_t>(plan.parameter_count),
                  values + at * static_cast<std::size_t>(plan.column_count));
}

}  // namespace

cudaError_t launch_samples(const SamplePlanView& plan, unsigned long long first, int samples_per_cell, int count,
                           double* parameters, double* values, int* redrawn, cudaStream_t stream) {
  const int blocks = (count + block_size - 1) / block_size;
  samples_kernel<<<blocks, block_size, 0, stream>>>(plan, first, samples_per_cell, count, parameters, values, redrawn);
  return cudaGetLastError();
}

}  // namespace pegrasp
